"""Visits of the density week → the clipped sums of the method `zoom`.

Weights are whole multiples of 1/1024, rounded down from quotients of whole numbers, so that every
engine gives the same bits. Nobody is sampled beyond the public cap, and nothing depends on ℓ.
"""

from collections.abc import Mapping

import ibis
import numpy as np
import pyarrow as pa
from ibis import _

from ...datasets.zoomtables import (
    CITY_CLIPS_SQUARED,
    CLIP_SQUARED,
    WEIGHT_UNITS,
    ZoomTables,
    room_units,
    to_parquet,
    weight_units,
)
from ...density.zoom.tree import build_tree
from ...parameters import HOURS_PER_WEEK
from ..expressions import Column, Table
from .run import Run
from .week import Records, heavy_in_order

_BY_PLACE = ("towers", "districts", "weeks")


class ZoomSums:
    """The sums of ``zoom_towers``, ``…_districts``, ``…_city``, ``…_weeks``, share by share.

    Whose records lie beyond the cap is taken with the records within it.
    """

    def __init__(self, run: Run) -> None:
        self._ids = list(run.places.towers["location_id"].astype(str))
        coordinates = run.places.towers.geometry.get_coordinates().to_numpy()
        self._district = build_tree(coordinates).districts
        numbers = np.arange(len(self._ids), dtype=np.int32)
        districts = pa.table({"location": numbers, "district": self._district})
        self._districts = run.engine.lookup("district_of_location", districts)
        shape = (len(self._ids), HOURS_PER_WEEK)
        self._sums = {name: np.zeros(shape, dtype=np.int64) for name in _BY_PLACE}
        self._city = np.zeros((len(CITY_CLIPS_SQUARED), HOURS_PER_WEEK), dtype=np.int64)

    def add(self, run: Run, records: Records, own: Table, together: Table) -> None:
        """Add a share of the people: their records, and those `in_shared_hours`."""
        used = own
        if records.beyond_cap:
            used = run.engine.keep("zoom_used", _within_cap(run, records, own))
            together = used.semi_join(together, ["uid", "hour"])
        squares = run.engine.keep("zoom_squares", norms(used, together, self._districts))
        # kept: DuckDB 2.0 takes three times as long to group what comes out of a join
        cap = run.options.max_visits_cap
        weighted = run.engine.keep("zoom_weighted", weights(used, squares, cap))
        counted = run.engine.fetch(weights_by_place(weighted))
        cells = counted["location"].to_numpy(), counted["hour"].to_numpy()
        for name, values in self._sums.items():
            values[cells] += counted[name].to_numpy().astype(np.int64)
        counted = run.engine.fetch(visits_by_square(weighted))
        names = ("hour", "in_city", "of_person", "n")
        hours, norm, of_person, visits = (counted[name].to_numpy() for name in names)
        room = room_units(of_person, cap)
        for row, clip_squared in zip(self._city, CITY_CLIPS_SQUARED, strict=True):
            np.add.at(row, hours, visits * weight_units(norm, clip_squared, room))
        run.engine.drop("zoom_weighted")
        run.engine.drop("zoom_squares")
        if records.beyond_cap:
            run.engine.drop("zoom_used")
            run.engine.drop("zoom_heavy")

    def tables(self, run: Run, records: Records) -> Mapping[str, pa.Table]:
        """Return the tables once every share has been added, with ``zoom_total``."""
        coarse = np.zeros((int(self._district.max()) + 1, HOURS_PER_WEEK), dtype=np.int64)
        np.add.at(coarse, self._district, self._sums["districts"])
        cap = run.options.max_visits_cap
        within: Column = ibis.least(records.people.n, cap)
        total = run.engine.fetch(records.people.aggregate(n=within.sum()))
        zoom = ZoomTables(
            towers=self._sums["towers"],
            districts=coarse,
            city=self._city,
            weeks=self._sums["weeks"].sum(axis=1),
            visits=int(total["n"][0].as_py() or 0),
            max_visits_cap=cap,
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


def norms(used: Table, together: Table, districts: Table) -> Table:
    """Return for every ``uid`` ‖v‖₂² of the person's visits in the cells of each table.

    A visit alone in its cell adds 1 and v visits add v²: what v² has beyond v is counted apart, of
    the few visits in an hour with others (`together`).
    """
    by_district = (
        together.inner_join(districts, "location")
        .group_by(["uid", "hour", "district"])
        .aggregate(v=_.count())
    )
    more = (
        by_district.group_by(["uid", "hour"])
        .aggregate(v=_.v.sum(), squares=(_.v * _.v).sum())
        .group_by("uid")
        .aggregate(in_districts=(_.squares - _.v).sum(), in_city=(_.v * _.v - _.v).sum())
    )
    by_place = used.group_by(["uid", "location"]).aggregate(v=_.count())
    people = by_place.group_by("uid").aggregate(n=_.v.sum(), in_weeks=(_.v * _.v).sum())
    return people.left_join(more, "uid").select(
        uid=people.uid,
        in_towers=_int64(people.n),
        in_districts=_int64(people.n + more.in_districts.fill_null(0)),
        in_city=_int64(people.n + more.in_city.fill_null(0)),
        in_weeks=_int64(people.in_weeks),
    )


def weights(used: Table, squares: Table, max_visits_cap: int) -> Table:
    """Return for each visit its place and hour, and its weight in three tables.

    What that in the city's depends on goes with it: ``in_city`` and ``of_person``, the number of
    the person's visits, which is ‖v‖₂² in the finest table.
    """
    room = room_units(squares.in_towers, max_visits_cap)
    by_name = {name: weight(squares[f"in_{name}"], CLIP_SQUARED, room) for name in _BY_PLACE}
    people = squares.select("uid", "in_city", of_person=squares.in_towers, **by_name)
    joined = used.inner_join(people, "uid")
    return joined.select("location", "hour", "in_city", "of_person", *_BY_PLACE)


def weights_by_place(weighted: Table) -> Table:
    """Return by place and hour the sum of the weights that its visits have in three tables.

    A cell of a table is a sum over visits of their person's weight, so coarser tables are sums of
    these over places or hours. Sums of whole numbers below 2⁵³ are exact in floating point.
    """
    sums = {name: weighted[name].sum() for name in _BY_PLACE}
    return weighted.group_by(["location", "hour"]).aggregate(**sums)


def visits_by_square(weighted: Table) -> Table:
    """Return by hour the visits of people with each number and ‖v‖₂² in the city's table."""
    return weighted.group_by(["hour", "in_city", "of_person"]).aggregate(n=_.count())


def weight(squares: Column, clip_squared: float, room: Column) -> Column:
    """Return ⌊1024·min(1, c·t/‖v‖₂)⌋, as `engine.datasets.zoomtables.weight_units` does."""
    largest = (int(clip_squared * WEIGHT_UNITS) * room // squares).cast("float64")
    return ibis.least(largest.sqrt().floor(), float(WEIGHT_UNITS)).cast("float32")


def _int64(total: Column) -> Column:
    """Return a sum in 64 bits: DuckDB's has 128, and Ibis leaves out a cast that it takes for none.

    Whole numbers below 2⁵³ are exact in floating point.
    """
    return total.cast("float64").cast("int64")
