"""A dataset as it is looked at: the folder of a version, and the resolution."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ..datasets import Dataset
from .coarse import coarsen
from .inhabited import INHABITED, InhabitedDataset
from .levels import Resolution

_FINEST = Resolution()


@dataclass(frozen=True)
class Key:
    """Names one dataset for everybody who opens it: hashable, and the same in every process.

    Parameters
    ----------
    version : str
        Folder of a dataset's version, which never changes.
    resolution : Resolution
        How far away it is looked at.

    Examples
    --------
    >>> Key("data/paris/0a1b").at(Resolution(zones="clusters-30")).name
    'paris_clusters-30,day'
    """

    version: str
    resolution: Resolution = _FINEST

    @property
    def name(self) -> str:
        """The dataset's folder and the resolution in one word."""
        version = Path(self.version)
        return f"{version.parent.name}_{self.resolution.text}"

    @property
    def finest(self) -> "Key":
        """The same dataset as it was ingested."""
        return self.at(_FINEST)

    def at(self, resolution: Resolution) -> "Key":
        """Return the same dataset at a resolution."""
        return replace(self, resolution=resolution)

    def open(self, opened: "Callable[[Key], Dataset] | None" = None) -> Dataset:
        """Open the dataset.

        Parameters
        ----------
        opened : callable, optional
            Opens the view at the finest resolution; give one that keeps what it has opened, so
            that views share their base.

        Raises
        ------
        DatasetError
            If it is missing or damaged.
        ParameterError
            If it has no such level of zones.

        Examples
        --------
        >>> from engine import datasets
        >>> demo = datasets.load("demo-city")
        >>> len(Key(str(demo.folder), Resolution(zones="clusters-20")).open().zones)
        20
        """
        if self.resolution.finest or opened is None:
            base = Dataset(Path(self.version))
        else:
            base = opened(self.finest)
        if self.resolution.zones == INHABITED:
            return InhabitedDataset(base)
        return base if self.resolution.finest else coarsen(base, self.resolution)
