"""Tables and maps of a bundle: keys from public geometry, text that no spreadsheet runs.

The folder ``flowmap`` has places, and flows of all released matrices added up. A sum that goes out
is one of noisy cells before suppression: suppressed cells never show negative noise, so that their
sums grow with every empty pair of zones and every day. Many sums are noise alone; those are left
out by a bar that holds for all flows at once, since a reader looks at the flows that are there.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import shapely

from ..arrays import Floats, Integers
from ..origin_destination.statements import total_reach
from ..parameters import HOURS_PER_WEEK
from .plan import LEVEL


def neutral(texts: Any) -> list[str]:
    """Return texts that a spreadsheet shows and never runs as formulas."""
    words = (str(text) for text in texts)
    return [f"'{one}" if one.startswith(("=", "+", "-", "@", "\t", "\r")) else one for one in words]


def write_table(path: Path, parts: Iterable[Mapping[str, Any]], *, parquet: bool = False) -> None:
    """Write parts of columns by name as CSV, and Parquet where asked; text is `neutral` already."""
    writers: list[Any] = []
    with ExitStack() as open_files:
        for part in parts:
            arrays = {n: c if isinstance(c, pa.Array) else pa.array(c) for n, c in part.items()}
            batch = pa.RecordBatch.from_pydict(arrays)
            if not writers:
                writers.append(pc.CSVWriter(path, batch.schema))
                if parquet:
                    beside = path.with_suffix(".parquet")
                    writers.append(pq.ParquetWriter(beside, batch.schema, compression="zstd"))
                for one in writers:
                    open_files.enter_context(one)
            for one in writers:
                one.write_batch(batch)


def write_zones(
    zones: gpd.GeoDataFrame, values: Mapping[str, Integers | Sequence[int]], folder: Path
) -> None:
    """Write ``zones.geojson`` and ``zones.parquet`` (GeoParquet) with the values of each zone."""
    columns = {name: np.asarray(value, dtype=np.int64) for name, value in values.items()}
    text = {name: neutral(zones[name]) for name in ("zone_id", "name")}
    frame = gpd.GeoDataFrame({**text, **columns}, geometry=zones.geometry.to_numpy(), crs=4326)
    frame.to_parquet(folder / "zones.parquet", index=False, compression="zstd")
    (folder / "zones.geojson").write_text(frame.to_json(drop_id=True), encoding="utf-8")


def write_hours(
    zones: gpd.GeoDataFrame, columns: Mapping[str, Floats | Integers], folder: Path
) -> None:
    """Write ``density.csv``, also as Parquet: zones by hour; arrays of shape (zones, 168)."""
    ids = pa.array(neutral(zones["zone_id"]))
    keys = {
        "zone_id": ids.take(pa.array(np.repeat(np.arange(len(ids)), HOURS_PER_WEEK))),
        "hour": np.tile(np.arange(HOURS_PER_WEEK), len(ids)),
    }
    values = {name: each.ravel() for name, each in columns.items()}
    write_table(folder / "density.csv", [keys | values], parquet=True)


def clear_bar(scale: float, matrices: int, flows: int) -> int:
    """Return the bar of sums of so many matrices, for all flows at once (Bonferroni)."""
    return total_reach(1 / scale, matrices, confidence=1 - (1 - LEVEL) / flows)


def write_flowmap(
    zones: gpd.GeoDataFrame,
    folder: Path,
    ends: tuple[pa.Array, pa.Array],
    sums: Integers,
    scale: float,
    matrices: int,
) -> None:
    """Write what flowmap tools read, and what it leaves out, of signed sums of noisy matrices."""
    folder.mkdir()
    centres: Any = shapely.get_coordinates(shapely.point_on_surface(zones.geometry.to_numpy()))
    ids, names = (neutral(zones[name]) for name in ("zone_id", "name"))
    lon, lat = centres.round(6).T
    write_table(folder / "locations.csv", [{"id": ids, "name": names, "lat": lat, "lon": lon}])
    bar = clear_bar(scale, matrices, len(sums))
    clear = sums > bar
    shown, where = sums[clear], pa.array(np.flatnonzero(clear))
    flows = {"origin": ends[0].take(where), "dest": ends[1].take(where), "count": shown}
    write_table(folder / "flows.csv", [{**flows, "low_95": shown - bar, "high_95": shown + bar}])
    total, reach = int(sums.sum()), total_reach(1 / scale, matrices * len(sums))
    totals = {
        "flows": ["in flows.csv", "left out", "all"],
        "number": [len(shown), len(sums) - len(shown), len(sums)],
        "count": [int(shown.sum()), total - int(shown.sum()), total],
        "low_95": [None, None, total - reach],
        "high_95": [None, None, total + reach],
    }
    write_table(folder / "totals.csv", [totals])
