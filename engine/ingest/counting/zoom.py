# pyright: reportAttributeAccessIssue=false
"""Visits of the density week → the clipped sums of the variant `zoom`.

Weights are whole multiples of 1/1024, rounded down from quotients of whole numbers, so that every
engine gives the same bits. Nobody is sampled beyond the public cap, and nothing depends on ℓ.
"""

from collections.abc import Mapping

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
from engine.ingest.counting.shares import share
from engine.ingest.counting.week import Records, heavy_in_order
from engine.ingest.expressions import Column, Table
from engine.parameters import HOURS_PER_WEEK

_BY_PLACE = ("towers", "districts", "weeks")


def count_zoom(run: Run, records: Records) -> Mapping[str, pa.Table]:
    """Count ``zoom_towers``, ``zoom_districts``, ``zoom_city``, ``zoom_weeks``, ``zoom_visits``."""
    towers = run.places.towers
    districts = build_tree(towers.geometry.get_coordinates().to_numpy()).districts
    numbers = pa.table({"location": np.arange(len(towers), dtype=np.int32), "district": districts})
    lookup = run.engine.lookup("district_of_location", numbers)
    sums = {name: np.zeros((len(towers), HOURS_PER_WEEK), dtype=np.int64) for name in _BY_PLACE}
    city = np.zeros((len(CITY_CLIPS_SQUARED), HOURS_PER_WEEK), dtype=np.int64)
    of = run.engine.shares(records.count)
    for number in range(of):
        run.monitor.step(number, of)
        used = _within_cap(run, records, share(records.used, number, of))
        squares = run.engine.keep("zoom_squares", norms(used, lookup))
        counted = run.engine.fetch(weights_by_place(used, squares))
        cells = counted["location"].to_numpy(), counted["hour"].to_numpy()
        for name, values in sums.items():
            values[cells] += counted[name].to_numpy().astype(np.int64)
        counted = run.engine.fetch(visits_by_square(used, squares))
        hours, norm, visits = (counted[name].to_numpy() for name in ("hour", "in_city", "n"))
        for row, clip_squared in zip(city, CITY_CLIPS_SQUARED, strict=True):
            np.add.at(row, hours, visits * weight_units(norm, clip_squared))
        run.engine.drop("zoom_squares")
        if records.beyond_cap:
            run.engine.drop("zoom_heavy")
    coarse = np.zeros((int(districts.max()) + 1, HOURS_PER_WEEK), dtype=np.int64)
    np.add.at(coarse, districts, sums["districts"])
    caps = visit_caps(run.options.max_visits_cap)
    total = run.engine.fetch(capped_sums(records.people, caps))
    zoom = ZoomTables(
        towers=sums["towers"],
        districts=coarse,
        city=city,
        weeks=sums["weeks"].sum(axis=1),
        visits=np.array([int(total[f"n{row}"][0].as_py() or 0) for row in range(len(caps))]),
        caps=caps,
    )
    return to_parquet(zoom, list(towers["location_id"].astype(str)))


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


def norms(used: Table, districts: Table) -> Table:
    """Return for every ``uid`` ‖v‖₂² of the person's visits in the cells of each table."""
    placed = used.inner_join(districts, "location")
    hourly = (
        placed.group_by(["uid", "hour", "district"])
        .aggregate(v=_.count())
        .group_by(["uid", "hour"])
        .aggregate(squares=(_.v * _.v).sum(), v=_.v.sum())
        .group_by("uid")
        .aggregate(
            in_towers=_.v.sum().cast("int64"),
            in_districts=_.squares.sum().cast("int64"),
            in_city=(_.v * _.v).sum().cast("int64"),
        )
    )
    weeks = (
        used.group_by(["uid", "location"])
        .aggregate(v=_.count())
        .group_by("uid")
        .aggregate(in_weeks=(_.v * _.v).sum().cast("int64"))
    )
    return hourly.inner_join(weeks, "uid")


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
