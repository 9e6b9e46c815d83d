"""Digests by which the ledger knows again what was released: its zones, and its days.

The zones are public. A day's digest is of a whole day's ranked trips, kept in a file that only the
custodian can read, as the checksums of a dataset's tables are.
"""

import hashlib
from collections.abc import Iterable
from datetime import date

import numpy as np
import shapely

from ..datasets import Dataset
from ..datasets.tripcounts import added_up


def zoning(dataset: Dataset, *, towers: bool = True) -> str:
    """Return a digest of the zones, and of the towers where there are any: public geometry."""
    digest = hashlib.sha256()
    tables = [dataset.zones]
    if towers and (dataset.folder / "towers.parquet").is_file():
        tables.append(dataset.towers)
    for table in tables:
        digest.update("\n".join(map(str, table.iloc[:, 0])).encode())
        digest.update(b"".join(one or b"" for one in shapely.to_wkb(table.geometry.to_numpy())))
    return digest.hexdigest()[:16]


def day_sums(dataset: Dataset, dates: Iterable[date]) -> dict[str, str]:
    """Return a digest of the trips of each day, however they are stored; others are left out."""
    position = {day: number for number, day in enumerate(dataset.metadata.days)}
    sums: dict[str, str] = {}
    for day in dates:
        if day in position:
            rows = added_up(dataset.trips.day(position[day]))  # in one order
            digest = hashlib.sha256()
            for column in (rows.origin, rows.destination, rows.rank, rows.n):
                digest.update(np.ascontiguousarray(column, dtype=np.int64).data)
            sums[day.isoformat()] = digest.hexdigest()
    return sums


def week_sums(dataset: Dataset, mondays: Iterable[date]) -> dict[str, str]:
    """Return a digest of the visits of each week of the density, by its Monday; others left out."""
    weeks = (dataset.at_week(monday) for monday in mondays if monday in dataset.weeks)
    return {
        str(one.metadata.week): hashlib.sha256(one.truth_by_tower.tobytes()).hexdigest()
        for one in weeks
    }
