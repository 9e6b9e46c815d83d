"""Which resolutions a dataset offers: its own parents, public clusters, and spans of time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import geopandas as gpd
import numpy as np

from .. import validation
from ..arrays import Integers
from ..errors import DatasetError, ParameterError
from .clusters import cluster_zones
from .hours import HourStep

TimeStep = Literal["day", "week", "period"]
"""How long the trips of one matrix are collected: a declared day, seven of them, or all."""

FINEST = "zones"
"""The level of a dataset's own zones."""

_CLUSTERS = re.compile(r"clusters-([1-9][0-9]{0,4})")
_CLUSTER_STOPS = (5, 10, 20, 30, 50, 100, 200, 400)
_RESERVED = ("zone", "location")


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """How far away one looks: a level of zones and a span of time.

    Parameters
    ----------
    zones : str
        ``"zones"`` for the dataset's own, the name of a level of parents such as
        ``"province"``, or ``"clusters-30"`` for 30 public clusters of neighbouring zones.
    time : str
        One of `TimeStep`; it concerns trips.
    hours : str
        One of `HourStep`; it concerns a density's week.

    Examples
    --------
    >>> Resolution(zones="province", time="week").text
    'province,week'
    """

    zones: str = FINEST
    time: TimeStep = "day"
    hours: HourStep = "hour"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w-]{1,60}", str(self.zones)):
            raise ParameterError(
                f"zones must name a level, got {self.zones!r}; 'zones' takes the finest"
            )
        validation.one_of(
            "time", self.time, get_args(TimeStep), "'day' takes the days as they are declared"
        )
        validation.one_of(
            "hours", self.hours, get_args(HourStep), "'hour' takes every hour by itself"
        )

    @property
    def finest(self) -> bool:
        """Whether nothing is made coarser."""
        return self.zones == FINEST and self.time == "day" and self.hours == "hour"

    @property
    def text(self) -> str:
        """Zones, time and hours (where coarser) in one word."""
        hours = "" if self.hours == "hour" else f",{self.hours}"
        return f"{self.zones},{self.time}{hours}"


@dataclass(frozen=True)
class ZoneLevel:
    """One level of zones that a dataset offers.

    Attributes
    ----------
    name : str
        What `Resolution.zones` takes.
    zones : int
        Number of zones on that level.
    """

    name: str
    zones: int


def zone_levels(zones: gpd.GeoDataFrame) -> tuple[ZoneLevel, ...]:
    """Return the dataset's own zones and its levels of parents, finest first.

    A level ``province`` is a column ``province_id`` (and, for its names, ``province``).

    Raises
    ------
    DatasetError
        If the columns are no hierarchy: a parent is missing, or a child has two parents.

    Examples
    --------
    >>> from engine import datasets
    >>> [level.name for level in zone_levels(datasets.load("demo-city").zones)]
    ['zones']
    """
    ends = [str(column)[:-3] for column in zones.columns if str(column).endswith("_id")]
    names = [name for name in ends if name and name not in _RESERVED]
    levels = [ZoneLevel(name, len(zones[f"{name}_id"].unique())) for name in names]
    levels.sort(key=lambda level: -level.zones)
    for name in names:
        column = zones[f"{name}_id"]
        if missing := int((column.isna() | (column.astype(str).str.strip() == "")).sum()):
            raise DatasetError(
                f"the level '{name}' must have a parent for every zone, got {missing} zones "
                "without one; fill the column or leave it out"
            )
    for fine, coarse in pairwise(levels):
        parents = zones.groupby(f"{fine.name}_id")[f"{coarse.name}_id"].nunique()
        if several := int(np.count_nonzero(parents.to_numpy() > 1)):
            raise DatasetError(
                f"each {fine.name} must lie in one {coarse.name}, got {several} that lie in "
                "several; mend the columns of parents or leave one of them out"
            )
    return (ZoneLevel(FINEST, len(zones)), *levels)


def suggested_clusters(zones: int) -> tuple[int, ...]:
    """Return usual numbers of clusters below a number of zones, most first.

    Examples
    --------
    >>> suggested_clusters(150)
    (100, 50, 30, 20, 10, 5)
    """
    return tuple(stop for stop in reversed(_CLUSTER_STOPS) if stop < zones)


def labels_of(zones: gpd.GeoDataFrame, level: str) -> tuple[Integers, Sequence[str], Sequence[str]]:
    """Return which coarse zone every zone belongs to, and the coarse zones' ids and names.

    Parameters
    ----------
    zones : GeoDataFrame, shape (zones, …)
    level : str
        As in `Resolution.zones`.

    Returns
    -------
    labels : int array, shape (zones,)
        0 … k − 1, in the order in which the coarse zones first appear.
    ids, names : sequences of str, shape (k,)

    Raises
    ------
    ParameterError
        If the dataset has no such level, or fewer zones than clusters are asked for.
    """
    if match := _CLUSTERS.fullmatch(level):
        labels = cluster_zones(zones, int(match.group(1)))
        return labels, *names_of(zones, labels)
    known = [one.name for one in zone_levels(zones)]
    if level not in known:
        raise ParameterError(
            f"zones must be a level of this dataset, got {level!r}; it has "
            f"{', '.join(known)}, and 'clusters-30' joins neighbours to 30"
        )
    if level == FINEST:
        ids = zones["zone_id"].astype(str).tolist()
        return np.arange(len(zones), dtype=np.int64), ids, zones["name"].astype(str).tolist()
    labels, ids = zones[f"{level}_id"].astype(str).factorize()
    names = zones[level if level in zones.columns else f"{level}_id"].astype(str)
    first = np.unique(labels, return_index=True)[1]
    return labels.astype(np.int64), ids.tolist(), names.iloc[first].tolist()


def names_of(zones: gpd.GeoDataFrame, labels: Integers) -> tuple[list[str], list[str]]:
    """Return ids and names of clusters: a cluster is called after its first zone."""
    _, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    names = [str(name) for name in zones["name"].to_numpy()[first]]
    ids = [f"cluster-{i + 1:03}" for i in range(len(names))]
    more = (f" and {size - 1} more" if size > 1 else "" for size in sizes.tolist())
    return ids, [name + others for name, others in zip(names, more, strict=True)]
