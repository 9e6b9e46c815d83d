"""Rows of simulated people, counted by the statements of an ingest."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .. import temp_folder
from ..arrays import Integers
from ..datasets import Metadata
from ..ingest import counting
from ..ingest.duckdb_engine import DuckDB
from ..ingest.inputs.places import Places
from ..ingest.options import IngestOptions
from ..ingest.progress import Monitor
from ..ingest.row_cleaning import DAY_S as DAY_S, HOUR_S, commutes_sql, midnight_s
from ..ingest.row_report import Reason
from ..parameters import DEFAULT_MAX_VISITS_CAP


class SimulatedRows:
    """Counts trips and records of simulated people by chunks of people."""

    def __init__(
        self, engine: DuckDB, places: Places, period: tuple[date, date], salt: str
    ) -> None:
        self._engine = engine
        self._taken, self._first_s = {"every": 0, "records": 0}, midnight_s(period[0])
        self._run = counting.CountingRun(
            engine=engine,
            monitor=Monitor(),
            places=places,
            first_day=period[0],
            last_day=period[1],
            salt=salt,
            max_visits_cap=DEFAULT_MAX_VISITS_CAP,
        )

    def add_trips(
        self, uid: Integers, second: Integers, finish: Integers, ends: tuple[Integers, Integers]
    ) -> None:
        """Add trips between places, in seconds from the first midnight."""
        origin, destination = (end.astype(np.int32) for end in ends)
        origin_zone, destination_zone = (self._run.places.zone_of_tower[end] for end in ends)
        reason = np.where(origin_zone == destination_zone, Reason.SELF_TRIP, Reason.USED)
        rows = {
            "reason": reason.astype(np.int8),
            "uid": uid,
            "start": self._first_s + second,
            "finish": self._first_s + finish,
            "origin": origin,
            "destination": destination,
            "origin_zone": origin_zone,
            "destination_zone": destination_zone,
        }
        self._engine.append_rows("every", pa.table(rows))
        self._taken["every"] += int((reason == Reason.USED).sum())

    def add_records(self, uid: Integers, place: Integers, hour: Integers) -> None:
        """Add distinct records of the density week."""
        reason = np.zeros(len(uid), dtype=np.int8)
        where = {"location": place.astype(np.int32), "hour": hour.astype(np.int16)}
        self._engine.append_rows("records", pa.table({"reason": reason, "uid": uid, **where}))
        self._taken["records"] += len(uid)

    def count_tables(self) -> dict[str, pa.Table]:
        """Return the tables of a dataset."""
        run, row_counts = self._run, self._taken
        if not row_counts["every"]:
            nothing = np.zeros(0, dtype=np.int64)
            self.add_trips(nothing, nothing, nothing, (nothing, nothing))
        tables = dict(counting.count_trips(run, row_counts["every"], measured=True).tables)
        if row_counts["records"]:
            tables |= counting.count_visits(run, row_counts["records"]).tables
        return tables

    def count_commutes(self, options: IngestOptions) -> pa.Table:
        """Return the people by home and work zone as an ingest's table of trips."""
        moment = f"{self._first_s} + hour::BIGINT * {HOUR_S}"
        visits = f"SELECT 0 AS flaw, uid, {moment} AS moment, zone FROM records JOIN zone_of USING "
        pairs = self._engine.fetch_table(commutes_sql(options, f"{visits}(location)"))
        return counting.build_trip_table(
            self._run, pairs.filter(pc.is_valid(pairs["destination_zone"]))
        )

    @classmethod
    @contextmanager
    def open(
        cls, places: Places, period: tuple[date, date], salt: str, rows: int
    ) -> Generator["SimulatedRows"]:
        """Open an engine for about so many rows, which spills into a folder of its own."""
        with temp_folder.open_temp_folder(None) as folder:
            engine = DuckDB(Monitor(), folder, rows=rows)
            try:
                yield cls(engine, places, period, salt)
            finally:
                engine.close()


def residents_table(zone_ids: list[str], n: Integers) -> pa.Table:
    """Return ``zone_id, n``: the residents of each zone."""
    return pa.table({"zone_id": pa.array(zone_ids), "n": pa.array(n.astype(np.int32))})


def simulated_metadata(
    name: str, first_day: date, days: int, people: int, **about: Any
) -> Metadata:
    """Return the metadata of simulated people; `about` are further fields."""
    return Metadata(
        name=name,
        simulated=True,
        first_day=first_day,
        last_day=first_day + timedelta(days=days - 1),
        people_public=people,
        max_visits_cap=DEFAULT_MAX_VISITS_CAP,
        salt_id="simulated",
        **about,
    )
