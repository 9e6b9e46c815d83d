"""Groups of neighbouring zones for a map seen from far away: released flows added up, no more.

A group is a public cluster (`cluster_zones`): it reads no count. Sums of released flows are
post-processing and cost no privacy; what was suppressed stays out of them, so they read low. For
numbers about larger zones choose coarser ones (`look_at`), where the noise meets larger counts.
"""

from dataclasses import dataclass

import geopandas as gpd
import numpy as np
from scipy.sparse import csr_array

from ..arrays import Floats, Integers
from .clusters import cluster_levels
from .levels import joined_zones, names_of

_SHARE = 4
"""Each level has a quarter of the zones, so neighbours lie twice as far apart."""
_FEWEST = 12


@dataclass(frozen=True, eq=False)
class Groups:
    """Neighbouring zones joined to larger ones."""

    labels: Integers
    zones: gpd.GeoDataFrame


def group_levels(zones: gpd.GeoDataFrame) -> tuple[Groups, ...]:
    """Return groups of zones, finest first: a quarter of them, a sixteenth, and so on.

    Each has at least 12 groups; there are none for fewer than 48 zones.

    Examples
    --------
    >>> from engine import datasets
    >>> [len(level.zones) for level in group_levels(datasets.load("demo-city").zones)]
    [37]
    """
    numbers = [len(zones) // _SHARE]
    while numbers[-1] >= _FEWEST:
        numbers.append(numbers[-1] // _SHARE)
    return tuple(
        Groups(labels, joined_zones(zones, labels, *names_of(zones, labels)))
        for labels in cluster_levels(zones, numbers[:-1])
    )


def flows_between(flows: Integers | Floats, labels: Integers) -> Floats:
    """Add flows (zones, zones) up to those between groups; 0 within a group, as within a zone.

    Examples
    --------
    >>> flows = np.array([[0, 4, 1], [0, 0, 2], [8, 0, 0]])
    >>> flows_between(flows, np.array([0, 0, 1])).tolist()
    [[0.0, 3.0], [8.0, 0.0]]
    """
    count = len(labels)
    joins = csr_array(
        (np.ones(count), (labels, np.arange(count))), shape=(int(labels.max(initial=-1)) + 1, count)
    )
    sums = np.asarray((joins @ (joins @ np.asarray(flows, dtype=np.float64)).T).T)
    np.fill_diagonal(sums, 0.0)
    return sums
