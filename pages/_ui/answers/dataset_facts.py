"""Public facts about datasets: cheap to read, but asked for on every run."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from engine.contract import Selection
from engine.datasets import Dataset
from engine.errors import DatasetError
from engine.resolution import FINEST, ZoneLevel, suggested_clusters, zone_levels
from pages._ui.answers.cached import memoize


@dataclass(frozen=True, kw_only=True)
class DatasetFacts:
    """What a dataset's files tell without a count being read: its levels of zones, its size."""

    levels: tuple[ZoneLevel, ...]
    cluster_counts: tuple[int, ...]
    level_error: str
    location_count: int
    size_bytes: int

    def has(self, level: str) -> bool:
        """Whether the dataset offers a level; any number of clusters below that of its zones."""
        kind, _, number = level.partition("-")
        if kind == "clusters" and number.isascii() and number.isdigit():
            return number[0] != "0" and int(number) < self.levels[0].zone_count
        return any(candidate.name == level for candidate in self.levels)


@memoize
def load_facts(key: Selection) -> DatasetFacts:
    """Return the public facts of one version of a dataset; no polygon is read."""
    version, problem = Path(key.dataset_id), ""
    path, towers = version / "zones.parquet", version / "towers.parquet"
    names = [name for name in pq.read_schema(path).names if name.endswith("_id")]
    zones: pd.DataFrame = pq.read_table(path, columns=names).to_pandas()
    try:
        levels = zone_levels(zones)
    except DatasetError as error:
        levels, problem = (ZoneLevel(FINEST, len(zones)),), str(error)
    return DatasetFacts(
        levels=levels,
        cluster_counts=suggested_clusters(len(zones)),
        level_error=problem,
        location_count=pq.read_metadata(towers).num_rows if towers.is_file() else 0,
        size_bytes=Dataset(version).size_bytes,
    )
