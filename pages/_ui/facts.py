"""Public facts about datasets: cheap to read, but asked for on every run."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from engine.contract import Seen
from engine.datasets import Dataset
from engine.errors import DatasetError
from engine.resolution import FINEST, ZoneLevel, suggested_clusters, zone_levels
from pages._ui.cached import once


@dataclass(frozen=True)
class Facts:
    """What a dataset's files tell without being read."""

    zones: int
    locations: int
    size_bytes: int


@once
def facts(key: Seen) -> Facts:
    """Return the public facts of one version of a dataset."""
    version = Path(key.dataset)
    towers = version / "towers.parquet"
    return Facts(
        zones=pq.read_metadata(version / "zones.parquet").num_rows,
        locations=pq.read_metadata(towers).num_rows if towers.is_file() else 0,
        size_bytes=Dataset(version).size_bytes,
    )


@dataclass(frozen=True)
class Levels:
    """The levels of zones a dataset offers, from its public columns alone."""

    named: tuple[ZoneLevel, ...]
    clusters: tuple[int, ...]
    problem: str = ""

    def has(self, level: str) -> bool:
        """Whether the dataset offers a level; any number of clusters below that of its zones."""
        kind, _, number = level.partition("-")
        if kind == "clusters" and number.isascii() and number.isdigit():
            return number[0] != "0" and int(number) < self.named[0].zones
        return any(one.name == level for one in self.named)


@once
def levels(key: Seen) -> Levels:
    """Return the levels of zones of one version of a dataset; no polygon is read."""
    path = Path(key.dataset) / "zones.parquet"
    names = [name for name in pq.read_schema(path).names if name.endswith("_id")]
    zones: pd.DataFrame = pq.read_table(path, columns=names).to_pandas()
    clusters = suggested_clusters(len(zones))
    try:
        return Levels(zone_levels(zones), clusters)
    except DatasetError as error:
        own = ZoneLevel(FINEST, len(zones))
        return Levels((own,), clusters, str(error))
