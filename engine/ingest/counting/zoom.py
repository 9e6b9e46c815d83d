# pyright: reportAttributeAccessIssue=false
"""Visits of the density week → the clipped sums of the variant `zoom`.

Weights are whole multiples of 1/1024, rounded down from quotients of whole numbers, so that every
engine gives the same bits. Nobody is sampled beyond the public cap, and nothing depends on ℓ.
"""

from collections.abc import Mapping
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis import _

from engine.arrays import Integers
from engine.datasets.zoomtables import (
    CITY_CLIPS_SQUARED,
    CLIP_SQUARED,
    WEIGHT_UNITS,
    ZoomTables,
    to_parquet,
    visit_caps,
    weight_units,
)
from engine.density.zoom import build_tree
from engine.ingest.counting.run import Run
from engine.ingest.counting.week import Records, heavy_in_order
from engine.ingest.expressions import Column, Table
from engine.parameters import HOURS_PER_WEEK

_BY_PLACE = ("towers", "districts", "weeks")


class ZoomSums:
    """The sums of ``zoom_towers``, ``…_districts``, ``…_city``, ``…_weeks``, share by share.

    Attributes
    ----------
    districts : Table
        ``location`` and its ``district``, as a table of the engine.
    """

    def __init__(self, run: Run) -> None:
        self._ids = list(run.places.towers["location_id"].astype(str))
        coordinates = run.places.towers.geometry.get_coordinates().to_numpy()
        self._district = build_tree(coordinates).districts
        numbers = np.arange(len(self._ids), dtype=np.int32)
        told = pa.table({"location": numbers, "district": self._district})
        self.districts = run.engine.lookup("district_of_location", told)
        shape = (len(self._ids), HOURS_PER_WEEK)
        self._sums = {name: np.zeros(shape, dtype=np.int64) for name in _BY_PLACE}
        self._city = np.zeros((len(CITY_CLIPS_SQUARED), HOURS_PER_WEEK), dtype=np.int64)

    def add(self, run: Run, records: Records, own: Table, hourly: Table) -> None:
        """Add a share of the people: their records, and these `by_hour`."""
        used = _within_cap(run, records, own)
        if records.beyond_cap:
            hourly = run.engine.keep("zoom_hours", by_hour(used, self.districts))
        squares = run.engine.keep("zoom_squares", norms(used, self.districts, hourly))
        counted = run.engine.fetch(weights_by_place(used, squares))
        cells = counted["location"].to_numpy(), counted["hour"].to_numpy()
        for name, values in self._sums.items():
            values[cells] += counted[name].to_numpy().astype(np.int64)
        counted = run.engine.fetch(visits_by_square(used, squares))
        hours, norm, visits = (counted[name].to_numpy() for name in ("hour", "in_city", "n"))
        for row, clip_squared in zip(self._city, CITY_CLIPS_SQUARED, strict=True):
            np.add.at(row, hours, visits * weight_units(norm, clip_squared))
        run.engine.drop("zoom_squares")
        if records.beyond_cap:
            run.engine.drop("zoom_hours")
            run.engine.drop("zoom_heavy")

    def tables(self, run: Run, records: Records) -> Mapping[str, pa.Table]:
        """Return the tables once every share has been added, with ``zoom_visits``."""
        coarse = np.zeros((int(self._district.max()) + 1, HOURS_PER_WEEK), dtype=np.int64)
        np.add.at(coarse, self._district, self._sums["districts"])
        caps = visit_caps(run.options.max_visits_cap)
        total = run.engine.fetch(capped_sums(records.people, caps))
        zoom = ZoomTables(
            towers=self._sums["towers"],
            districts=coarse,
            city=self._city,
            weeks=self._sums["weeks"].sum(axis=1),
            visits=np.array([int(total[f"n{row}"][0].as_py() or 0) for row in range(len(caps))]),
            caps=caps,
        )
        return to_parquet(zoom, self._ids)


def _within_cap(run: Run, records: Records, used: Table) -> Table:
    """Return the records of a share of the people, at most the public cap of any person."""
    if not records.beyond_cap:
        return used
    cap = run.options.max_visits_cap
    # kept first: a filter never stands in the query that computes the rank
    ranked = run.engine.keep("zoom_heavy", heavy_in_order(used, records.people, cap, run.salt))
    light = used.anti_join(ranked.select("uid").distinct(), "uid")
    within = ranked.filter(ranked["rank"] < cap)
    return ibis.union(*(part.select("uid", "location", "hour") for part in (light, within)))


def by_hour(used: Table, districts: Table, **more: Any) -> Table:
    """Return by ``uid`` and hour the visits ``v``, the ``lowest`` and ``highest`` district, `more`.

    What else is wanted of a person's hour is an aggregate of `used`, so that it is grouped once.
    """
    placed = used.inner_join(districts, "location")
    return placed.group_by(["uid", "hour"]).aggregate(
        v=_.count(), lowest=_.district.min(), highest=_.district.max(), **more
    )


def norms(used: Table, districts: Table, hourly: Table) -> Table:
    """Return for every ``uid`` ‖v‖₂² of the person's visits in the cells of each table.

    Most hours of a person lie in one district: only the others are counted by district.
    """
    several = hourly.filter(hourly.lowest != hourly.highest).select("uid", "hour")
    apart = (
        used.semi_join(several, ["uid", "hour"])
        .inner_join(districts, "location")
        .group_by(["uid", "hour", "district"])
        .aggregate(v=_.count())
        .group_by("uid")
        .aggregate(squares=(_.v * _.v).sum())
    )
    one = hourly.lowest == hourly.highest
    together = hourly.group_by("uid").aggregate(
        in_towers=hourly.v.sum().cast("int64"),
        squares=one.ifelse(hourly.v * hourly.v, 0).sum(),
        in_city=(hourly.v * hourly.v).sum().cast("int64"),
    )
    sums = together.left_join(apart, "uid").select(
        uid=together.uid,
        in_towers=together.in_towers,
        in_districts=(together.squares + apart.squares.fill_null(0)).cast("int64"),
        in_city=together.in_city,
    )
    weeks = (
        used.group_by(["uid", "location"])
        .aggregate(v=_.count())
        .group_by("uid")
        .aggregate(in_weeks=(_.v * _.v).sum().cast("int64"))
    )
    return sums.inner_join(weeks, "uid")


def weights_by_place(used: Table, squares: Table) -> Table:
    """Return by place and hour the sum of the weights that its visits have in three tables.

    A cell of a table is a sum over visits of their person's weight, so coarser tables are sums of
    these over places or hours. Sums of whole numbers below 2⁵³ are exact in floating point.
    """
    weights = {name: weight(squares[f"in_{name}"], CLIP_SQUARED) for name in _BY_PLACE}
    people = squares.select("uid", **weights)
    sums = {name: _[name].sum() for name in _BY_PLACE}
    return used.inner_join(people, "uid").group_by(["location", "hour"]).aggregate(**sums)


def visits_by_square(used: Table, squares: Table) -> Table:
    """Return by hour the number of visits of people with each ‖v‖₂² in the city's table."""
    placed = used.inner_join(squares.select("uid", "in_city"), "uid")
    return placed.group_by(["hour", "in_city"]).aggregate(n=_.count())


def weight(squares: Column, clip_squared: float) -> Column:
    """Return ⌊1024·min(1, c/‖v‖₂)⌋, as `engine.datasets.zoomtables.weight_units` does."""
    largest = (ibis.literal(int(clip_squared * WEIGHT_UNITS**2)) // squares).cast("float64")
    return ibis.least(largest.sqrt().floor().cast("float64"), float(WEIGHT_UNITS))


def capped_sums(people: Table, caps: Integers) -> Table:
    """Return Σ min(visits, cap) over people for each cap, in one row ``n0, n1, …``."""
    sums = {f"n{row}": ibis.least(people.n, int(cap)).sum() for row, cap in enumerate(caps)}
    return people.aggregate(**sums)
