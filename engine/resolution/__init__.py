"""Coarser zones and coarser time as settings: the same cached aggregates, from further away.

A coarse dataset is a view: it is made from the cached counts alone, so no slider goes back to the
raw table, and every mechanism, exact law and metric takes it like any other dataset.

Examples
--------
>>> from engine import datasets, origin_destination as od, resolution
>>> demo = datasets.load("demo-city")
>>> coarse = resolution.coarsen(demo, resolution.Resolution(zones="clusters-30"))
>>> od.truth(coarse, days=0).shape
(1, 30, 30)
"""

from engine.resolution.clusters import cluster_zones
from engine.resolution.coarse import CoarseDataset, coarsen
from engine.resolution.levels import (
    FINEST,
    Resolution,
    ZoneLevel,
    labels_of,
    parse,
    suggested_clusters,
    zone_levels,
)

__all__ = [
    "FINEST",
    "CoarseDataset",
    "Resolution",
    "ZoneLevel",
    "cluster_zones",
    "coarsen",
    "labels_of",
    "parse",
    "suggested_clusters",
    "zone_levels",
]
