"""People's rows → counts by random rank: the tables of a dataset, in plain SQL.

Two tables stand in the engine before. ``every`` holds distinct trips: reason, uid, start and finish
(seconds of the local wall clock, finish may be null), origin and destination (numbers of places),
origin_zone and destination_zone. ``records`` holds distinct visits of the density week: reason,
uid, location, hour. `engine.ingest` makes them of files, a twin of simulated people.

A person's ranks depend on that person's rows alone, so removing one person takes at most one from
each rank. Everything is counted in whole numbers and by md5, so that engines agree to the last bit.
No filter on a rank stands in the query that computes it: DuckDB 2.0 would spill without end.
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
from ..datasets.zoomtables import (
    USUAL,
    WEIGHT_UNITS,
    ZoomClips,
    ZoomTables,
    room_units,
    to_parquet,
    weight_units,
)
from ..density.reading import build_tree
from ..parameters import HOURS_PER_WEEK
from ..report.counting import places_table, statement
from ..report.measures import Measure
from .engines import DuckDB
from .inputs.places import Places
from .keys import Purpose, digest
from .progress import Monitor, Stage
from .report import Reason
from .rows import day_of, midnight
from .spark import Spark

Engine: TypeAlias = DuckDB | Spark
NIGHT = "(hour % 24 >= 20 OR hour % 24 < 6)"
"""When a person's commonest place is taken for home: 20:00 to 06:00, as in P2."""
VISITS = (Stage("adding up visits", 8), Stage("ranking visits", 33), Stage("finding homes", 4))
TRIPS = (Stage("ranking trips", 8), Stage("counting trips by person", 15))
_USED, _OUTSIDE = int(Reason.USED), int(Reason.OUTSIDE_PERIOD)
_RANKED = (Reason.USED, Reason.SELF_TRIP, Reason.OUTSIDE_AREA, Reason.OUTSIDE_PERIOD)
_ZONES = "coalesce(origin_zone, -1), coalesce(destination_zone, -1)"
"""Tells trips of one digest apart, which differ by a border between their points alone."""


@dataclass(frozen=True)
class Run:
    """What is counted, by which engine, and what is public about it."""

    engine: Engine
    monitor: Monitor
    places: Places
    first_day: date
    last_day: date
    salt: str
    max_visits_cap: int
    clips: ZoomClips = USUAL

    @property
    def start(self) -> int:
        """The period's first midnight in seconds of the wall clock."""
        return midnight(self.first_day)

    def digest(self, purpose: Purpose, *parts: str) -> str:
        """Return SQL for the random number of a row."""
        return digest(self.salt, purpose, *parts)


@dataclass(frozen=True)
class Counted:
    """Tables of a dataset by name, the people in them, and what was trimmed of theirs."""

    tables: Mapping[str, pa.Table]
    people: int
    trimmed: int = 0


def visits(run: Run, rows: int) -> Counted:
    """Count the `rows` used visits of ``records``: truth, presampled, single_visit, zoom, homes."""
    engine, cap = run.engine, run.max_visits_cap
    run.monitor.start(VISITS[0])
    places = pa.table(
        {"location": _numbers(run.places.zone_of_tower), "zone": run.places.zone_of_tower}
    )
    engine.put("zone_of", places.filter(pc.greater_equal(places["zone"], 0)))
    single = run.digest(Purpose.SINGLE, "uid", "hour", "location")
    used = f"reason = {_USED}"
    engine.keep(
        "people",
        f"SELECT uid, count(*) AS n, arg_min(location, {single}) AS single FROM records "
        f"WHERE {used} GROUP BY uid",
    )
    ((people, beyond),) = engine.rows(
        f"SELECT count(*), coalesce(sum(greatest(n - {cap}, 0)), 0) FROM people"
    )
    one = engine.table("SELECT single AS location, count(*) AS n FROM people GROUP BY ALL")
    zoom = _Zoom(run)
    truth, ranked = [], []
    run.monitor.start(VISITS[1])
    for own in engine.shares("records", used, rows):
        ranked.append(engine.table(_presampled(run, own)))
        within = _within_cap(run, own) if beyond else own
        truth.append(
            engine.table(f"SELECT location, hour, count(*) AS n FROM {within} GROUP BY ALL")
        )
        zoom.add(within)
    run.monitor.start(VISITS[2])
    homes = engine.table(_homes(used))
    engine.drop("people")
    tables = {
        "truth": _by_id(run, _summed(truth)),
        "single_visit": _by_id(run, one),
        "presampled": _by_id(run, _summed(ranked)),
        **zoom.tables(),
    }
    if homes.num_rows:
        tables["homes"] = _by_id(run, homes)
    return Counted(tables, int(people), int(beyond))


def _within_cap(run: Run, own: str) -> str:
    """Keep at most the public cap of any person's records, at random (erratum D5)."""
    cap = run.max_visits_cap
    order = run.digest(Purpose.CAP, "uid", "hour", "location")
    run.engine.keep(
        "ranked",
        f"SELECT uid, location, hour, row_number() OVER (PARTITION BY uid ORDER BY {order}) "
        f"AS place FROM {own} WHERE uid IN (SELECT uid FROM people WHERE n > {cap})",
    )
    run.engine.keep(
        "within",
        f"SELECT uid, location, hour FROM {own} "
        f"WHERE uid IN (SELECT uid FROM people WHERE n <= {cap}) UNION ALL "
        f"SELECT uid, location, hour FROM ranked WHERE place <= {cap}",
    )
    return "within"


def _presampled(run: Run, own: str) -> str:
    """Return one record of each person and hour, counted by random rank: X̄ is the sum to rank ℓ."""
    within = run.digest(Purpose.HOUR, "uid", "hour", "location")
    order = run.digest(Purpose.RANK, "uid", "hour")
    return f"""
        WITH hours AS (
            SELECT uid, hour, arg_min(location, {within}) AS location FROM {own} GROUP BY uid, hour
        ), ranked AS (
            SELECT location, hour, row_number() OVER (PARTITION BY uid ORDER BY {order}) AS rank
            FROM hours
        )
        SELECT location, hour, rank, count(*) AS n FROM ranked GROUP BY location, hour, rank"""


def _homes(used: str) -> str:
    """Return people by the zone of most of their records at night, the first one if tied."""
    return f"""
        WITH nights AS (
            SELECT uid, zone, count(*) AS n FROM records JOIN zone_of USING (location)
            WHERE {used} AND {NIGHT} GROUP BY uid, zone
        ), people_at AS (
            SELECT uid, arg_max(zone, n * 4294967296 - zone) AS zone FROM nights GROUP BY uid
        )
        SELECT zone, count(*) AS n FROM people_at GROUP BY zone"""


class _Zoom:
    """The clipped sums of `zoom`, by shares of people; weights are whole multiples of 1/1024."""

    def __init__(self, run: Run) -> None:
        self._run = run
        towers = run.places.towers
        self._district = build_tree(towers.geometry.get_coordinates().to_numpy()).districts
        run.engine.put(
            "district_of",
            pa.table({"location": _numbers(self._district), "district": self._district}),
        )
        shape = (len(towers), HOURS_PER_WEEK)
        self._sums = {
            name: np.zeros(shape, dtype=np.int64) for name in ("towers", "districts", "weeks")
        }
        self._city = np.zeros((len(run.clips.city), HOURS_PER_WEEK), dtype=np.int64)
        self._visits = 0

    def add(self, records: str) -> None:
        """Add a share of the people, none of whom has more records than the cap."""
        engine, cap, clips = self._run.engine, self._run.max_visits_cap, self._run.clips
        engine.keep("squares", _SQUARES.format(records=records))
        left = f"64 * {cap**2} - {clips.sum_64ths} * n * n"
        room = f"floor(({left}) * {WEIGHT_UNITS // 64} / {cap**2})"
        largest = f"floor({int(clips.squared * WEIGHT_UNITS)} * room / {{of}})"
        weight = f"least(floor(sqrt({largest})), {WEIGHT_UNITS})"
        engine.keep(
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
        # kept: DuckDB 2.0 takes three times as long to group what comes out of a join
        sums = ", ".join(f"sum({name}) AS {name}" for name in self._sums)
        cells = engine.table(f"SELECT location, hour, {sums} FROM weighted GROUP BY location, hour")
        at = cells["location"].to_numpy(), cells["hour"].to_numpy()
        for name, values in self._sums.items():
            values[at] += cells[name].to_numpy().astype(np.int64)
        alike = engine.table(
            "SELECT hour, in_city, n AS own, count(*) AS visits FROM weighted GROUP BY ALL"
        )
        hours, norm, own, visits = (
            alike[name].to_numpy().astype(np.int64) for name in ("hour", "in_city", "own", "visits")
        )
        room_of = room_units(own, cap, clips)
        for row, clip_squared in zip(self._city, clips.city, strict=True):
            np.add.at(row, hours, visits * weight_units(norm, clip_squared, room_of))
        self._visits += int(visits.sum())
        engine.drop("weighted", "squares")

    def tables(self) -> dict[str, pa.Table]:
        """Return the tables once every share has been added."""
        coarse = np.zeros((int(self._district.max()) + 1, HOURS_PER_WEEK), dtype=np.int64)
        np.add.at(coarse, self._district, self._sums["districts"])
        zoom = ZoomTables(
            towers=self._sums["towers"],
            districts=coarse,
            city=self._city,
            weeks=self._sums["weeks"].sum(axis=1),
            visits=self._visits,
            max_visits_cap=self._run.max_visits_cap,
            clips=self._run.clips,
        )
        return to_parquet(zoom, list(self._run.places.towers["location_id"].astype(str)))


_SQUARES = """
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
"""‖v‖₂² of a person's visits in the cells of each table: v visits in a cell add v², one adds 1."""


def trips(run: Run, rows: int, *, measured: bool) -> Counted:
    """Count the `rows` used trips of ``every``: trips, trips_person and report."""
    engine = run.engine
    used = f"reason = {_USED}"
    run.monitor.start(TRIPS[0])
    own = f"SELECT uid FROM every WHERE {used} GROUP BY uid"
    ((people,),) = engine.rows(f"SELECT count(*) FROM ({own}) AS people")
    by_day = [engine.table(_by_day(run, own)) for own in engine.shares("every", used, rows)]
    run.monitor.start(TRIPS[1])
    engine.put("report_places", places_table(*_longitude_latitude(run.places)))
    by_person: list[pa.Table] = []
    report: list[pa.Table] = []
    ranked = f"reason IN ({', '.join(str(int(reason)) for reason in _RANKED)})"
    for own in engine.shares("every", ranked, rows):
        engine.keep("ranked", _ranked(run, own))
        by_person.append(engine.table(_BY_PERSON))
        engine.view("report_trips", f"SELECT * FROM ranked WHERE reason <> {_OUTSIDE}")
        engine.view("report_outside", f"SELECT person, rank FROM ranked WHERE reason = {_OUTSIDE}")
        zones = len(run.places.zones)
        report.append(engine.table(statement(zones, run.first_day, measured=measured)))
        engine.drop("ranked")
    tables = {
        "trips": trip_table(run, _summed(by_day)),
        "trips_person": trip_table(run, _summed(by_person)),
        "report": _report(report),
    }
    return Counted(tables, int(people))


def _by_day(run: Run, own: str) -> str:
    """Return n by day, zones and rank within the person-day; high ranks share the last bucket."""
    order = run.digest(
        Purpose.TRIP_DAY, "uid", "start", "coalesce(finish, -1)", "origin", "destination"
    )
    return f"""
        WITH days AS (
            SELECT *, {day_of("start", run.first_day)} AS day FROM {own} AS own
        ), ranked AS (
            SELECT day, origin_zone, destination_zone,
                   row_number() OVER (PARTITION BY uid, day ORDER BY {order}, {_ZONES}) AS place
            FROM days
        )
        SELECT day, origin_zone, destination_zone, least(place, {RANK_BUCKET}) AS rank,
               count(*) AS n
        FROM ranked GROUP BY ALL"""


def _ranked(run: Run, own: str) -> str:
    """Return every trip that counts for the report by its random ``rank`` within the person."""
    known = [f"coalesce({name}, -1)" for name in ("finish", "origin", "destination")]
    order = run.digest(Purpose.TRIP_PERSON, "uid", "start", *known)
    return f"""
        WITH hashed AS (
            SELECT *, {day_of("start", run.first_day)} AS day, {order} AS digest,
                   CASE WHEN reason = {_OUTSIDE} THEN 1 ELSE 0 END AS outside
            FROM {own} AS own
        )
        SELECT uid AS person, reason, day, start, finish, origin, destination, origin_zone,
               destination_zone, row_number() OVER w AS rank,
               sum(CASE WHEN reason = {_USED} THEN 1 ELSE 0 END) OVER w AS used_rank
        FROM hashed WINDOW w AS (PARTITION BY uid ORDER BY outside, digest, {_ZONES}
                                 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"""


_BY_PERSON = f"""
    SELECT day, origin_zone, destination_zone, least(used_rank, {RANK_BUCKET}) AS rank,
           count(*) AS n
    FROM ranked WHERE reason = {_USED} GROUP BY ALL"""


def _report(parts: Iterable[pa.Table]) -> pa.Table:
    """Add up what shares of people gave; rows of 0 say no more than that times are measured."""
    summed = _summed(list(parts))
    kinds = {"measure": pa.string(), "cap": pa.int16(), "bin": pa.int32(), "n": pa.int64()}
    table = pa.table({name: summed[name].cast(kind) for name, kind in kinds.items()})
    times = pc.equal(table["measure"], str(Measure.TRAVEL_TIME))
    return table.filter(pc.or_(pc.not_equal(table["n"], 0), times))


def trip_table(run: Run, counted: pa.Table) -> pa.Table:
    """Return ``date, origin, destination, rank, n`` by id."""
    days = (run.last_day - run.first_day).days + 1
    dates = pa.array([run.first_day + timedelta(days=i) for i in range(days)], pa.date32())
    zones = pa.array(run.places.zones["zone_id"].astype(str), pa.string())
    return pa.table(
        {
            "date": dates.take(counted["day"].combine_chunks()),
            "origin": zones.take(counted["origin_zone"].combine_chunks()),
            "destination": zones.take(counted["destination_zone"].combine_chunks()),
            "rank": counted["rank"].cast(pa.int16()),
            "n": counted["n"].cast(pa.int64()),
        }
    )


def _by_id(run: Run, counted: pa.Table) -> pa.Table:
    """Return counts with ids for the numbers of places or zones, hours and ranks in 16 bits."""
    columns: dict[str, Any] = {}
    for own, frame, ids in (
        ("location", run.places.towers, "location_id"),
        ("zone", run.places.zones, "zone_id"),
    ):
        if own in counted.column_names:
            names = pa.array(frame[ids].astype(str), pa.string())
            columns[ids] = names.take(counted[own].combine_chunks())
    for name in ("hour", "rank"):
        if name in counted.column_names:
            columns[name] = counted[name].cast(pa.int16())
    return pa.table({**columns, "n": counted["n"].cast(pa.int64())})


def _summed(parts: list[pa.Table]) -> pa.Table:
    """Return the sum of counts over shares of the people."""
    if len(parts) == 1:
        return parts[0]
    rows = pa.concat_tables(parts, promote_options="permissive")
    keys = [name for name in rows.column_names if name != "n"]
    return rows.group_by(keys).aggregate([("n", "sum")]).rename_columns([*keys, "n"])


def _numbers(values: Any) -> Any:
    return np.arange(len(values), dtype=np.int32)


def _longitude_latitude(places: Places) -> tuple[Any, Any]:
    longitude, latitude = shapely.get_coordinates(places.towers.geometry.to_numpy()).T
    return longitude, latitude
