"""Whether a dataset's tables hold what is counted from them: read before a release is charged.

A table that fits its checksum may still have been written by somebody else's hand. A rank of 0
would be kept by every bound, a day out of order is looked up where nothing stands.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..datasets import RANK_BUCKET, Dataset
from ..errors import DatasetError
from ..parameters import HOURS_PER_WEEK, MAX_VISITS_LIMIT

MOST = 2**53
"""Largest count that sums in floating point hold without rounding."""

HOUR = (0, HOURS_PER_WEEK - 1)
COUNT = (0, MOST)
VISIT_RANK = (1, MAX_VISITS_LIMIT)
TRIP_RANK = (1, RANK_BUCKET)


def require_intact(
    dataset: Dataset, table: str, limits: Mapping[str, tuple[int | date, int | date]]
) -> None:
    """Raise `DatasetError` unless every value of some columns lies within its limits.

    Parameters
    ----------
    dataset : Dataset
    table : str
        Name of the table, without ending.
    limits : mapping of str to (lowest, highest)
        By column. Days must also stand in their order.
    """
    name = f"{table}.parquet"
    before: dict[str, Any] = {}
    with pq.ParquetFile(dataset.folder / name) as file:
        for column in limits:
            kind = file.schema_arrow.field(column).type
            if not (pa.types.is_integer(kind) or pa.types.is_date32(kind)):
                raise _damaged(dataset, name, column)
        for batch in file.iter_batches(columns=list(limits)):
            for column, (lowest, highest) in limits.items():
                values = batch.column(column)
                if not len(values):
                    continue
                ends: Any = pc.min_max(values).as_py()
                inside = not values.null_count and lowest <= ends["min"] and ends["max"] <= highest
                if not inside or not _ordered(values, before.get(column, lowest)):
                    raise _damaged(dataset, name, column)
                before[column] = values[-1].as_py()


def require_zones(dataset: Dataset) -> None:
    """Raise `DatasetError` unless every zone has an id, a name and a place on the map."""
    zones = dataset.zones
    shapes = zones.geometry
    if (
        zones[["zone_id", "name"]].isna().to_numpy().any()
        or (shapes.isna() | shapes.is_empty).any()
    ):
        raise _damaged(dataset, "zones.parquet", "geometry")


def _ordered(values: pa.Array, before: object) -> bool:
    """Whether days follow one another, the last one before them included; others need not."""
    if not isinstance(before, date):
        return True
    days: Any = values.cast(pa.int32()).to_numpy()
    return values[0].as_py() >= before and bool((np.diff(days) >= 0).all())


def _damaged(dataset: Dataset, name: str, column: str) -> DatasetError:
    return DatasetError(
        f"dataset '{dataset.id}': column '{column}' of {name} holds what cannot be counted",
        remedy="it was not written by this software, or changed since: build the dataset again "
        "from its raw data; nothing was spent",
        code="damaged",
    )
