"""Counts by number → the tables of a dataset, by id."""

from datetime import timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..inputs.places import Places
from ..options import IngestOptions


def trip_table(options: IngestOptions, places: Places, counted: pa.Table) -> pa.Table:
    """Return ``date, origin, destination, rank, n``."""
    first = options.first_day
    days = [first + timedelta(days=i) for i in range((options.last_day - first).days + 1)]
    zones = places.zones["zone_id"]
    return pa.table(
        {
            "date": pc.take(pa.array(days, pa.date32()), counted["day"]),
            "origin": _ids(zones, counted["origin_zone"]),
            "destination": _ids(zones, counted["destination_zone"]),
            "rank": counted["rank"].cast(pa.int16()),
            "n": counted["n"].cast(pa.int64()),
        }
    ).combine_chunks()


def visit_table(places: Places, counted: pa.Table) -> pa.Table:
    """Return ``location_id``, ``hour`` and ``rank`` where they are there, and ``n`` above 0."""
    counted = counted.filter(pc.greater(counted["n"], 0))
    columns: dict[str, Any] = {
        "location_id": _ids(places.towers["location_id"], counted["location"])
    }
    for name in ("hour", "rank"):
        if name in counted.column_names:
            columns[name] = counted[name].cast(pa.int16())
    return pa.table({**columns, "n": counted["n"].cast(pa.int64())}).combine_chunks()


def home_table(places: Places, counted: pa.Table) -> pa.Table:
    """Return ``zone_id, n``."""
    zones = _ids(places.zones["zone_id"], counted["zone"])
    return pa.table({"zone_id": zones, "n": counted["n"].cast(pa.int64())})


def total(counted: pa.Table, column: str) -> int:
    """Return the one number of `column`, 0 where nothing was summed."""
    return int(counted[column][0].as_py() or 0)


def _ids(names: Any, numbers: Any) -> Any:
    return pc.take(pa.array(names.astype(str), pa.string()), numbers)
