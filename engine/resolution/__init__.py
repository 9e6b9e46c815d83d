"""Coarser zones, fewer days and longer matrices: the same cached aggregates, from further away.

A view is made from the cached counts alone, so no slider goes back to the raw table, and every
mechanism, exact law and metric takes it like any other dataset.
"""

from .clusters import cluster_zones
from .inhabited import INHABITED, InhabitedDataset
from .levels import FINEST, ZoneLevel, labels_of, suggested_clusters, zone_levels
from .views import ALL_DAYS, View, finest, look_at, open_seen, seen_metadata

__all__ = [
    "ALL_DAYS",
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
    "seen_metadata",
    "suggested_clusters",
    "zone_levels",
]
