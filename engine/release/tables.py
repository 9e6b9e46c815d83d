"""Tables and maps of a bundle: keys from public geometry, text that no spreadsheet runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

from engine.arrays import Integers

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def neutral(text: object) -> str:
    """Return text that a spreadsheet shows and never runs.

    Examples
    --------
    >>> neutral("=1+1"), neutral("Kigali")
    ("'=1+1", 'Kigali')
    """
    words = str(text)
    return f"'{words}" if words.startswith(_FORMULA) else words


class CsvTable:
    """A CSV file that is written in parts, so that no part of it but one is in memory.

    Parameters
    ----------
    path : Path
    columns : mapping of str to pyarrow.DataType
    """

    def __init__(self, path: Path, columns: Mapping[str, pa.DataType]) -> None:
        self._schema = pa.schema(list(columns.items()))
        self._writer = pc.CSVWriter(path, self._schema)

    def __enter__(self) -> "CsvTable":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writer.close()

    def add(self, *columns: Any) -> None:
        """Append rows, one array a column; text must have gone through `neutral`."""
        arrays = [
            column if isinstance(column, pa.Array) else pa.array(column, field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_batch(pa.record_batch(arrays, schema=self._schema))


def write_zones(
    zones: gpd.GeoDataFrame, values: Mapping[str, Integers | Sequence[int]], folder: Path
) -> None:
    """Write ``zones.geojson`` and ``zones.parquet`` (GeoParquet) with the values of each zone."""
    columns = {name: np.asarray(value, dtype=np.int64) for name, value in values.items()}
    text = {name: [neutral(one) for one in zones[name]] for name in ("zone_id", "name")}
    frame = gpd.GeoDataFrame({**text, **columns}, geometry=zones.geometry.to_numpy(), crs=4326)
    frame.to_parquet(folder / "zones.parquet", index=False, compression="zstd")
    (folder / "zones.geojson").write_text(frame.to_json(drop_id=True), encoding="utf-8")
