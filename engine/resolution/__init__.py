"""Coarser zones, fewer days and longer matrices: the same cached aggregates, from further away.

A view is made from the cached counts alone, so no slider goes back to the raw table, and every
mechanism, exact law and metric takes it like any other dataset.
"""

from .clusters import cluster_zones
from .inhabited import INHABITED, InhabitedDataset
from .levels import FINEST, ZoneLevel, labels_of, suggested_clusters, zone_levels
from .views import View, finest, look_at, open_seen

__all__ = [
    "FINEST",
    "INHABITED",
    "InhabitedDataset",
    "View",
    "ZoneLevel",
    "cluster_zones",
    "finest",
    "labels_of",
    "look_at",
    "open_seen",
    "suggested_clusters",
    "zone_levels",
]
