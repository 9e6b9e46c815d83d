"""Public facts about datasets: cheap to read, but asked for on every run."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from pages._ui.cache import scope as cached_scope


@dataclass(frozen=True)
class Facts:
    """What a dataset's files tell without being read.

    Attributes
    ----------
    zones, locations : int
        Number of zones, and of towers or stations (0 where there are none).
    size_bytes : int
        On disk.
    """

    zones: int
    locations: int
    size_bytes: int


@cached_scope.data(max_entries=64, show_spinner=False)
def facts(key: str) -> Facts:
    """Return the public facts of one version of a dataset."""
    version = Path(key)
    towers = version / "towers.parquet"
    return Facts(
        zones=pq.read_metadata(version / "zones.parquet").num_rows,
        locations=pq.read_metadata(towers).num_rows if towers.is_file() else 0,
        size_bytes=sum(path.stat().st_size for path in version.iterdir()),
    )
