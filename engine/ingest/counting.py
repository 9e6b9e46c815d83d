"""People's rows → counts by random rank: the tables of a dataset, in plain SQL.

Two tables must exist in the engine. ``every`` holds distinct trips: reason, uid, start and finish
(seconds of the local wall clock, finish may be null), origin and destination (numbers of places),
origin_zone and destination_zone. ``records`` holds distinct visits of the density week: reason,
uid, location, hour. Both an ingest and a simulation create them.

A person's ranks depend on that person's rows alone, so removing one person takes at most one from
each rank. All counts are whole numbers and hashes md5, so that engines agree to the last bit. No
query filters by a rank that it computes: DuckDB 2.0 would spill without end.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from ..datasets import RANK_BUCKET
from ..datasets.multiscale_tables import (
    DEFAULT_CLIPS,
    WEIGHT_UNITS,
    MultiscaleClips,
    MultiscaleTables,
    squared_scale_units,
    to_tables,
    weight_units,
)
from ..density.multiscale_estimation import build_tree
from ..parameters import HOURS_PER_WEEK
from ..report.counting import counting_sql, places_table
from ..report.measures import Measure
from .duckdb_engine import DuckDB
from .inputs.places import Places
from .keyed_hash import Purpose, hash_sql
from .progress import BuildStage, Monitor
from .row_cleaning import day_sql, hours_sql, most_frequent_zone_sql
from .row_report import Reason
from .spark_engine import Spark

Engine: TypeAlias = DuckDB | Spark
NIGHT = hours_sql((20, 6))
"""Hours that determine a person's home, the most frequent place: 20:00 to 06:00, as in P2."""
VISIT_STAGES = (
    BuildStage("adding up visits", 8),
    BuildStage("ranking visits", 33),
    BuildStage("finding homes", 4),
)
TRIP_STAGES = (BuildStage("ranking trips", 8), BuildStage("counting trips by person", 15))
_USED_CODE, _OUTSIDE_CODE = int(Reason.USED), int(Reason.OUTSIDE_PERIOD)
_RANKED_REASONS = (Reason.USED, Reason.SELF_TRIP, Reason.OUTSIDE_AREA, Reason.OUTSIDE_PERIOD)
_ZONES_SQL = "coalesce(origin_zone, -1), coalesce(destination_zone, -1)"
"""Separates trips of one digest, which differ by a border between their points alone."""


@dataclass(frozen=True)
class CountingRun:
    """Inputs of a count: the engine, and the public places, period and limits."""

    engine: Engine
    monitor: Monitor
    places: Places
    first_day: date
    last_day: date
    salt: str
    max_visits_cap: int
    clips: MultiscaleClips = DEFAULT_CLIPS

    def hash_sql(self, purpose: Purpose, *parts: str) -> str:
        """Return SQL for the random number of a row."""
        return hash_sql(self.salt, purpose, *parts)


@dataclass(frozen=True)
class CountedTables:
    """Tables of a dataset by name, their people, and the dropped visits."""

    tables: Mapping[str, pa.Table]
    people: int
    dropped_visits: int = 0


def count_visits(run: CountingRun, rows: int) -> CountedTables:
    """Return the tables truth, presampled, single_visit, multiscale and homes of `rows` visits."""
    engine, cap = run.engine, run.max_visits_cap
    run.monitor.start_stage(VISIT_STAGES[0])
    zone_of_tower = run.places.zone_of_tower
    locations = np.arange(len(zone_of_tower), dtype=np.int32)
    places = pa.table({"location": locations, "zone": zone_of_tower})
    engine.register_table("zone_of", places.filter(pc.greater_equal(places["zone"], 0)))
    single = run.hash_sql(Purpose.SINGLE, "uid", "hour", "location")
    used = f"reason = {_USED_CODE}"
    engine.materialise(
        "people",
        f"SELECT uid, count(*) AS n, arg_min(location, {single}) AS single FROM records "
        f"WHERE {used} GROUP BY uid",
    )
    ((people, beyond),) = engine.fetch_rows(
        f"SELECT count(*), coalesce(sum(greatest(n - {cap}, 0)), 0) FROM people"
    )
    single_visits = engine.fetch_table(
        "SELECT single AS location, count(*) AS n FROM people GROUP BY ALL"
    )
    multiscale = _MultiscaleCounter(run)
    truth, ranked = [], []
    run.monitor.start_stage(VISIT_STAGES[1])
    for share in engine.iterate_people_shares("records", used, rows):
        ranked.append(engine.fetch_table(_presampled_sql(run, share)))
        within = _cap_records(run, share) if beyond else share
        truth.append(
            engine.fetch_table(f"SELECT location, hour, count(*) AS n FROM {within} GROUP BY ALL")
        )
        multiscale.add(within)
    run.monitor.start_stage(VISIT_STAGES[2])
    homes = engine.fetch_table(_homes_sql(used))
    engine.drop_tables("people")
    tables = {
        "truth": _restore_ids(run, _sum_tables(truth)),
        "single_visit": _restore_ids(run, single_visits),
        "presampled": _restore_ids(run, _sum_tables(ranked)),
        **multiscale.tables(),
    }
    if homes.num_rows:
        tables["homes"] = _restore_ids(run, homes)
    return CountedTables(tables, int(people), int(beyond))


def _cap_records(run: CountingRun, records: str) -> str:
    """Return at most the public cap of each person's records, at random (erratum D5)."""
    cap = run.max_visits_cap
    order = run.hash_sql(Purpose.CAP, "uid", "hour", "location")
    run.engine.materialise(
        "ranked",
        f"SELECT uid, location, hour, row_number() OVER (PARTITION BY uid ORDER BY {order}) "
        f"AS place FROM {records} WHERE uid IN (SELECT uid FROM people WHERE n > {cap})",
    )
    run.engine.materialise(
        "within",
        f"SELECT uid, location, hour FROM {records} "
        f"WHERE uid IN (SELECT uid FROM people WHERE n <= {cap}) UNION ALL "
        f"SELECT uid, location, hour FROM ranked WHERE place <= {cap}",
    )
    return "within"


def _presampled_sql(run: CountingRun, records: str) -> str:
    """Return SQL for one record per person and hour, by random rank: X̄ is the sum to rank ℓ."""
    within = run.hash_sql(Purpose.HOUR, "uid", "hour", "location")
    order = run.hash_sql(Purpose.RANK, "uid", "hour")
    return f"""
        WITH hours AS (
            SELECT uid, hour, arg_min(location, {within}) AS location FROM {records} GROUP BY uid,
            hour
        ), ranked AS (
            SELECT location, hour, row_number() OVER (PARTITION BY uid ORDER BY {order}) AS rank
            FROM hours
        )
        SELECT location, hour, rank, count(*) AS n FROM ranked GROUP BY location, hour, rank"""


def _homes_sql(used: str) -> str:
    """Return SQL for people by the zone of most of their night records, the first if tied."""
    nights = f"SELECT uid, zone FROM records JOIN zone_of USING (location) WHERE {used} AND {NIGHT}"
    return f"SELECT zone, count(*) AS n FROM ({most_frequent_zone_sql(nights)}) AS h GROUP BY zone"


class _MultiscaleCounter:
    """Clipped sums of ``multiscale``, by shares of people; weights are multiples of 1/1024."""

    def __init__(self, run: CountingRun) -> None:
        self._run = run
        towers = run.places.towers
        self._district = build_tree(towers.geometry.get_coordinates().to_numpy()).districts
        locations = np.arange(len(self._district), dtype=np.int32)
        district_of = pa.table({"location": locations, "district": self._district})
        run.engine.register_table("district_of", district_of)
        shape = (len(towers), HOURS_PER_WEEK)
        self._sums = {
            name: np.zeros(shape, dtype=np.int64) for name in ("towers", "districts", "weeks")
        }
        self._city = np.zeros((len(run.clips.city_clips_squared), HOURS_PER_WEEK), dtype=np.int64)
        self._visits = 0

    def add(self, records: str) -> None:
        engine, cap, clips = self._run.engine, self._run.max_visits_cap, self._run.clips
        engine.materialise("squares", _SQUARES_SQL.format(records=records))
        remaining = f"64 * {cap**2} - {clips.visit_total_64ths} * n * n"
        room = f"floor(({remaining}) * {WEIGHT_UNITS // 64} / {cap**2})"
        largest = f"floor({int(clips.clip_squared * WEIGHT_UNITS)} * room / {{of}})"
        weight = f"least(floor(sqrt({largest})), {WEIGHT_UNITS})"
        engine.materialise(
            "weighted",
            f"""
            WITH rooms AS (SELECT *, {room} AS room FROM squares),
            people AS (
                SELECT uid, n, in_city, {weight.format(of="n")} AS towers,
                       {weight.format(of="in_districts")} AS districts,
                       {weight.format(of="in_weeks")} AS weeks
                FROM rooms
            )
            SELECT location, hour, n, in_city, towers, districts, weeks
            FROM {records} JOIN people USING (uid)""",
        )
        # materialised: DuckDB 2.0 takes three times as long to group the result of a join
        sums = ", ".join(f"sum({name}) AS {name}" for name in self._sums)
        cells = engine.fetch_table(
            f"SELECT location, hour, {sums} FROM weighted GROUP BY location, hour"
        )
        cell = cells["location"].to_numpy(), cells["hour"].to_numpy()
        for name, values in self._sums.items():
            values[cell] += cells[name].to_numpy().astype(np.int64)
        groups = engine.fetch_table(
            "SELECT hour, in_city, n AS own, count(*) AS visits FROM weighted GROUP BY ALL"
        )
        hours, norm, counts, visits = (
            groups[name].to_numpy().astype(np.int64)
            for name in ("hour", "in_city", "own", "visits")
        )
        room_of = squared_scale_units(counts, cap, clips)
        for row, clip_squared in zip(self._city, clips.city_clips_squared, strict=True):
            np.add.at(row, hours, visits * weight_units(norm, clip_squared, room_of))
        self._visits += int(visits.sum())
        engine.drop_tables("weighted", "squares")

    def tables(self) -> dict[str, pa.Table]:
        coarse = np.zeros((int(self._district.max()) + 1, HOURS_PER_WEEK), dtype=np.int64)
        np.add.at(coarse, self._district, self._sums["districts"])
        tables = MultiscaleTables(
            towers=self._sums["towers"],
            districts=coarse,
            city=self._city,
            tower_totals=self._sums["weeks"].sum(axis=1),
            visit_total=self._visits,
            max_visits_cap=self._run.max_visits_cap,
            clips=self._run.clips,
        )
        return to_tables(tables, list(self._run.places.towers["location_id"].astype(str)))


_SQUARES_SQL = """
    WITH at_place AS (SELECT uid, count(*) AS v FROM {records} GROUP BY uid, location),
    own AS (
        SELECT uid, sum(v)::BIGINT AS n, sum(v * v)::BIGINT AS in_weeks FROM at_place GROUP BY uid
    ),
    several AS (
        SELECT uid, hour, count(*) AS v FROM {records} GROUP BY uid, hour HAVING count(*) > 1
    ),
    in_district AS (
        SELECT uid, hour, district, count(*) AS v
        FROM {records} JOIN several USING (uid, hour) JOIN district_of USING (location)
        GROUP BY uid, hour, district
    ),
    more_districts AS (SELECT uid, sum(v * v - v)::BIGINT AS more FROM in_district GROUP BY uid),
    more_city AS (SELECT uid, sum(v * v - v)::BIGINT AS more FROM several GROUP BY uid)
    SELECT own.uid, n, in_weeks, n + coalesce(d.more, 0) AS in_districts,
           n + coalesce(c.more, 0) AS in_city
    FROM own LEFT JOIN more_districts AS d ON own.uid = d.uid
    LEFT JOIN more_city AS c ON own.uid = c.uid"""
"""‖v‖₂² of a person's visits in the cells of each table: the squares of v, summed."""


def count_trips(run: CountingRun, rows: int, *, measured: bool) -> CountedTables:
    """Return the tables trips, trips_person and report of `rows` used trips."""
    engine = run.engine
    used = f"reason = {_USED_CODE}"
    run.monitor.start_stage(TRIP_STAGES[0])
    share = f"SELECT uid FROM every WHERE {used} GROUP BY uid"
    ((people,),) = engine.fetch_rows(f"SELECT count(*) FROM ({share}) AS people")
    by_day = [
        engine.fetch_table(_daily_trips_sql(run, share))
        for share in engine.iterate_people_shares("every", used, rows)
    ]
    run.monitor.start_stage(TRIP_STAGES[1])
    longitudes, latitudes = shapely.get_coordinates(run.places.towers.geometry.to_numpy()).T
    engine.register_table("report_places", places_table(longitudes, latitudes))
    by_person: list[pa.Table] = []
    report: list[pa.Table] = []
    ranked = f"reason IN ({', '.join(str(int(reason)) for reason in _RANKED_REASONS)})"
    for share in engine.iterate_people_shares("every", ranked, rows):
        engine.materialise("ranked", _ranked_trips_sql(run, share))
        by_person.append(engine.fetch_table(_BY_PERSON_SQL))
        engine.create_view("report_trips", f"SELECT * FROM ranked WHERE reason <> {_OUTSIDE_CODE}")
        engine.create_view(
            "report_outside", f"SELECT person, rank FROM ranked WHERE reason = {_OUTSIDE_CODE}"
        )
        zones = len(run.places.zones)
        report.append(engine.fetch_table(counting_sql(zones, run.first_day, measured=measured)))
        engine.drop_tables("ranked")
    tables = {
        "trips": build_trip_table(run, _sum_tables(by_day)),
        "trips_person": build_trip_table(run, _sum_tables(by_person)),
        "report": _sum_report_tables(report),
    }
    return CountedTables(tables, int(people))


def _daily_trips_sql(run: CountingRun, trips_sql: str) -> str:
    """Return SQL for n by day, zones and rank in the person-day; the last bucket is open."""
    order = run.hash_sql(
        Purpose.TRIP_DAY, "uid", "start", "coalesce(finish, -1)", "origin", "destination"
    )
    return f"""
        WITH days AS (
            SELECT *, {day_sql("start", run.first_day)} AS day FROM {trips_sql} AS own
        ), ranked AS (
            SELECT day, origin_zone, destination_zone,
                   row_number() OVER (PARTITION BY uid, day ORDER BY {order}, {_ZONES_SQL}) AS place
            FROM days
        )
        SELECT day, origin_zone, destination_zone, least(place, {RANK_BUCKET}) AS rank,
               count(*) AS n
        FROM ranked GROUP BY ALL"""


def _ranked_trips_sql(run: CountingRun, trips_sql: str) -> str:
    """Return SQL for every trip of the report with its random ``rank`` within the person."""
    parts = [f"coalesce({name}, -1)" for name in ("finish", "origin", "destination")]
    order = run.hash_sql(Purpose.TRIP_PERSON, "uid", "start", *parts)
    return f"""
        WITH hashed AS (
            SELECT *, {day_sql("start", run.first_day)} AS day, {order} AS digest,
                   CASE WHEN reason = {_OUTSIDE_CODE} THEN 1 ELSE 0 END AS outside
            FROM {trips_sql} AS own
        )
        SELECT uid AS person, reason, day, start, finish, origin, destination, origin_zone,
               destination_zone, row_number() OVER w AS rank,
               sum(CASE WHEN reason = {_USED_CODE} THEN 1 ELSE 0 END) OVER w AS used_rank
        FROM hashed WINDOW w AS (PARTITION BY uid ORDER BY outside, digest, {_ZONES_SQL}
                                 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"""


_BY_PERSON_SQL = f"""
    SELECT day, origin_zone, destination_zone, least(used_rank, {RANK_BUCKET}) AS rank,
           count(*) AS n
    FROM ranked WHERE reason = {_USED_CODE} GROUP BY ALL"""


def _sum_report_tables(parts: Iterable[pa.Table]) -> pa.Table:
    summed = _sum_tables(list(parts))
    kinds = {"measure": pa.string(), "cap": pa.int16(), "bin": pa.int32(), "n": pa.int64()}
    table = pa.table({name: summed[name].cast(kind) for name, kind in kinds.items()})
    times = pc.equal(table["measure"], str(Measure.TRAVEL_TIME))
    return table.filter(pc.or_(pc.not_equal(table["n"], 0), times))


def build_trip_table(run: CountingRun, counts: pa.Table) -> pa.Table:
    """Return ``date, origin, destination, rank, n`` by id."""
    days = (run.last_day - run.first_day).days + 1
    dates = pa.array([run.first_day + timedelta(days=i) for i in range(days)], pa.date32())
    zones = pa.array(run.places.zones["zone_id"].astype(str), pa.string())
    return pa.table(
        {
            "date": dates.take(counts["day"].combine_chunks()),
            "origin": zones.take(counts["origin_zone"].combine_chunks()),
            "destination": zones.take(counts["destination_zone"].combine_chunks()),
            "rank": counts["rank"].cast(pa.int16()),
            "n": counts["n"].cast(pa.int64()),
        }
    )


def _restore_ids(run: CountingRun, counts: pa.Table) -> pa.Table:
    """Return counts with ids for the numbers of places or zones, hours and ranks in 16 bits."""
    columns: dict[str, Any] = {}
    for column, frame, ids in (
        ("location", run.places.towers, "location_id"),
        ("zone", run.places.zones, "zone_id"),
    ):
        if column in counts.column_names:
            names = pa.array(frame[ids].astype(str), pa.string())
            columns[ids] = names.take(counts[column].combine_chunks())
    for name in ("hour", "rank"):
        if name in counts.column_names:
            columns[name] = counts[name].cast(pa.int16())
    return pa.table({**columns, "n": counts["n"].cast(pa.int64())})


def _sum_tables(parts: list[pa.Table]) -> pa.Table:
    if len(parts) == 1:
        return parts[0]
    rows = pa.concat_tables(parts, promote_options="permissive")
    keys = [name for name in rows.column_names if name != "n"]
    return rows.group_by(keys).aggregate([("n", "sum")]).rename_columns([*keys, "n"])
