"""SQL from people's ranked trips to the rows of ``report.parquet``, for ingests and twins.

It reads three tables of the engine:

- ``report_trips`` (person, rank, start, finish, origin, destination, origin_zone,
  destination_zone): the trips of the period, ranked within the person in random order. Times are
  seconds since 1970 on the local wall clock, BIGINT; `finish`, places and zones may be NULL.
- ``report_outside`` (person, rank): trips before and after the period, ranked after the others.
- ``report_places`` (place, x, y, z): BIGINT metres, see `places_table`.

All sums are of whole numbers, so no result depends on an order; the few divisions have one value on
every engine.
"""

from datetime import date

import numpy as np
import pyarrow as pa

from ..arrays import Floats
from ..parameters import MAX_TRIPS_STOPS as STOPS
from .measures import EARTH_RADIUS_M, FINE_EDGES, FINE_KM, OVERFLOW_CAP, Measure, metres_in_space

_EPOCH = date(1970, 1, 1)
_CAP_CASES = " ".join(f"WHEN rank <= {stop} THEN {stop}" for stop in STOPS)
_CAP = f"CASE {_CAP_CASES} ELSE {OVERFLOW_CAP} END"
_FIRST_MONDAY = 4  # days from 1970-01-01 to a Monday


def places_table(longitude: Floats, latitude: Floats) -> pa.Table:
    """Return ``report_places`` of places in degrees, in metres from a place in their middle."""
    metres = metres_in_space(latitude, longitude)
    if len(metres):  # centred, since smaller squares lose fewer digits
        metres -= (metres.min(axis=0) + metres.max(axis=0)) // 2
    columns = {name: metres[:, axis] for axis, name in enumerate("xyz")}
    return pa.table({"place": np.arange(len(metres), dtype=np.int64), **columns})


def counting_sql(zones: int, first_day: date, *, measured: bool) -> str:
    """Return ordered DuckDB SQL for (measure, cap, bin, n).

    `zones` is the number of zones; points outside all of them count after the last. If `measured`,
    ``finish`` is a trip's end, and a row of 0 marks that travel times exist.
    """
    begin = (first_day - _EPOCH).days * 86_400
    chord = " + ".join(f"(o.{axis} - d.{axis}) * (o.{axis} - d.{axis})" for axis in "xyz")
    metres = (
        f"2 * {EARTH_RADIUS_M}.0 * "
        f"asin(least(sqrt(({chord})::DOUBLE) / (2 * {EARTH_RADIUS_M}.0), 1.0))"
    )
    means = [f"{total}::DOUBLE / points::DOUBLE" for total in ("sx", "sy", "sz")]
    spread = " - ".join(["squares::DOUBLE / points::DOUBLE", *(f"({m}) * ({m})" for m in means)])
    minutes = "CASE WHEN finish < start THEN -1 ELSE (finish - start) // 60 END"
    weekend = f"CASE WHEN (moment // 86400 + 7 - {_FIRST_MONDAY}) % 7 >= 5 THEN 1 ELSE 0 END"
    travel = f"""
        UNION ALL SELECT '{Measure.TRAVEL_TIME}', cap, {_limit_sql(Measure.TRAVEL_TIME, minutes)}, 1
        FROM trips WHERE finish IS NOT NULL
        UNION ALL SELECT '{Measure.TRAVEL_TIME}', 1, -1, 0"""
    return f"""
    WITH trips AS (SELECT *, {_CAP} AS cap FROM report_trips),
    points AS (
        SELECT person, cap, 0 AS of_end, start AS moment, origin AS place, origin_zone AS zone
        FROM trips
        UNION ALL
        SELECT person, cap, 1, finish, destination, destination_zone FROM trips
    ),
    jumps AS (
        SELECT cap, {metres} AS metres FROM trips
        JOIN report_places o ON o.place = origin JOIN report_places d ON d.place = destination
    ),
    blocks AS (
        SELECT person, cap, count(*) AS points, sum(x) AS sx, sum(y) AS sy, sum(z) AS sz,
               sum(x * x + y * y + z * z) AS squares
        FROM points JOIN report_places USING (place) GROUP BY person, cap
    ),
    stages AS (
        SELECT person, cap, sum(points) OVER w AS points, sum(sx) OVER w AS sx,
               sum(sy) OVER w AS sy, sum(sz) OVER w AS sz, sum(squares) OVER w AS squares
        FROM blocks WINDOW w AS (PARTITION BY person ORDER BY cap)
    ),
    radii AS (
        SELECT person, cap, sqrt(greatest({spread}, 0.0)) AS metres FROM stages
    ),
    people AS (SELECT person, cap, {_length_bin_sql(Measure.GYRATION)} AS bin FROM radii),
    moved AS (
        SELECT cap, bin, lag(bin) OVER (PARTITION BY person ORDER BY cap) AS before FROM people
    ),
    counted AS (
        SELECT '{Measure.DAY}' AS measure, cap, (start - {begin}) // 86400 AS bin, 1 AS n
        FROM trips
        UNION ALL SELECT '{Measure.DAY}', {_CAP}, -1, 1 FROM report_outside
        UNION ALL SELECT '{Measure.HOUR}', cap,
            (of_end * 2 + {weekend}) * 24 + (moment % 86400) // 3600, 1
        FROM points WHERE moment IS NOT NULL
        UNION ALL SELECT '{Measure.ZONE}', cap, coalesce(zone, {zones}), 1 FROM points
        UNION ALL SELECT '{Measure.FLOW}', cap, origin_zone * {zones} + destination_zone, 1
        FROM trips WHERE origin_zone IS NOT NULL AND destination_zone IS NOT NULL
        UNION ALL SELECT '{Measure.JUMP_LENGTH}', cap, {_length_bin_sql(Measure.JUMP_LENGTH)}, 1
        FROM jumps
        UNION ALL SELECT '{Measure.GYRATION}', cap, bin, 1 FROM people
        UNION ALL SELECT '{Measure.GYRATION}', cap, before, -1 FROM moved
        WHERE before IS NOT NULL{travel if measured else ""}
    )
    SELECT measure, cap::SMALLINT AS cap, bin::INTEGER AS bin, sum(n)::BIGINT AS n
    FROM counted GROUP BY measure, cap, bin
    HAVING sum(n) <> 0 OR measure = '{Measure.TRAVEL_TIME}' ORDER BY measure, cap, bin"""


def _length_bin_sql(measure: Measure) -> str:
    """Return SQL for the fine bin of `metres`: 100 m up to 1,000 km, 100 km beyond."""
    fine, coarse = "floor(metres / 100.0)", f"floor((metres - {FINE_KM}00.0) / 100000.0)"
    length = f"CASE WHEN {fine} < {FINE_KM} THEN {fine} ELSE {coarse} + {FINE_KM} END"
    return _limit_sql(measure, f"({length})::BIGINT")


def _limit_sql(measure: Measure, number: str) -> str:
    return f"greatest(least({number}, {len(FINE_EDGES[measure]) - 1}), -1)"
