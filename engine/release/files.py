"""Tables and maps of a bundle: keys from public geometry, text that no spreadsheet runs.

The folder ``flowmap`` has places, and flows of all released matrices added up. A sum that goes out
is one of noisy cells before suppression: suppressed cells never show negative noise, so that their
sums grow with every empty pair of zones and every day. Many sums are noise alone; those are left
out by a bar that holds for all flows at once, since a reader looks at the flows that are there.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import shapely

from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..errors import DatasetError
from ..parameters import HOURS_PER_WEEK
from .plan import LEVEL, sum_bar

TEXT, WHOLE, REAL = pa.string(), pa.int64(), pa.float64()


def neutral(texts: Any) -> list[str]:
    """Return texts that a spreadsheet shows and never runs as formulas."""
    words = (str(text) for text in texts)
    return [f"'{one}" if one.startswith(("=", "+", "-", "@", "\t", "\r")) else one for one in words]


def require_counts(dataset: Dataset, *counts: Integers) -> None:
    """Raise `DatasetError` where a table holds what no count can be, before anything is spent."""
    if any(one.size and one.min() < 0 for one in counts):
        raise DatasetError(
            f"dataset '{dataset.id}' holds counts below 0",
            remedy="build the dataset again from its raw data; nothing was spent",
            code="damaged",
        )


class CsvTable:
    """A CSV file, and the same rows in Parquet where asked, written in parts to bound memory."""

    def __init__(
        self, path: Path, columns: Mapping[str, pa.DataType], *, parquet: bool = False
    ) -> None:
        self._schema = pa.schema(list(columns.items()))
        self._writers: list[Any] = [pc.CSVWriter(path, self._schema)]
        if parquet:
            beside = path.with_suffix(".parquet")
            self._writers.append(pq.ParquetWriter(beside, self._schema, compression="zstd"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._writers:
            writer.close()

    def add(self, *columns: Any) -> None:
        """Append rows, one array a column; text must have gone through `neutral`."""
        arrays = [
            column if isinstance(column, pa.Array) else pa.array(column, field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        batch = pa.record_batch(arrays, schema=self._schema)
        for writer in self._writers:
            writer.write_batch(batch)


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
    kinds = {name: pa.from_numpy_dtype(each.dtype) for name, each in columns.items()}
    ids = pa.array(neutral(zones["zone_id"]))
    keys = {"zone_id": TEXT, "hour": WHOLE}
    with CsvTable(folder / "density.csv", {**keys, **kinds}, parquet=True) as table:
        table.add(
            ids.take(pa.array(np.repeat(np.arange(len(ids)), HOURS_PER_WEEK))),
            np.tile(np.arange(HOURS_PER_WEEK), len(ids)),
            *(each.ravel() for each in columns.values()),
        )


def clear_bar(scale: float, matrices: int, flows: int) -> int:
    """Return the bar that holds for the sums of all flows at once, whatever the data.

    By the law of a sum of `matrices` noises, at level (1 − 95%)/flows (Bonferroni).
    """
    return sum_bar(scale, matrices, 1 - (1 - LEVEL) / max(flows, 1))


def write_flowmap(
    zones: gpd.GeoDataFrame,
    folder: Path,
    ends: tuple[pa.Array, pa.Array],
    sums: Integers,
    scale: float,
    matrices: int,
) -> None:
    """Write the tables that flowmap tools read, and what they leave out.

    `sums` are the noisy cells of all released matrices added up, signed, nothing suppressed, by
    pairs of neutral ids; each adds up so many `matrices` with noise of `scale`.
    """
    centres: Any = shapely.get_coordinates(shapely.point_on_surface(zones.geometry.to_numpy()))
    places = {"id": TEXT, "name": TEXT, "lat": REAL, "lon": REAL}
    with CsvTable(folder / "locations.csv", places) as table:
        names = (neutral(zones[name]) for name in ("zone_id", "name"))
        table.add(*names, *centres[:, ::-1].round(6).T)
    bar = clear_bar(scale, matrices, len(sums))
    clear = sums > bar
    values = {"count": WHOLE, "low_95": WHOLE, "high_95": WHOLE}
    with CsvTable(folder / "flows.csv", {"origin": TEXT, "dest": TEXT, **values}) as table:
        shown, where = sums[clear], pa.array(np.flatnonzero(clear))
        table.add(*(end.take(where) for end in ends), shown, shown - bar, shown + bar)
    total, reach = int(sums.sum()), sum_bar(scale, matrices * len(sums))
    named, kept = int(clear.sum()), int(sums[clear].sum())
    with CsvTable(folder / "totals.csv", {"flows": TEXT, "number": WHOLE, **values}) as table:
        table.add(
            ["in flows.csv", "left out", "all"],
            [named, len(sums) - named, len(sums)],
            [kept, total - kept, total],
            [None, None, total - reach],
            [None, None, total + reach],
        )
