"""Coarser zones, fewer days and longer matrices, from the same cached counts alone."""

from .clusters import cluster_zones
from .levels import FINEST, ZoneLevel, suggested_clusters, zone_labels, zone_levels
from .views import (
    INHABITED_LEVEL,
    DatasetView,
    InhabitedDataset,
    finest_selection,
    make_view,
    open_view,
)

__all__ = [
    "FINEST",
    "INHABITED_LEVEL",
    "DatasetView",
    "InhabitedDataset",
    "ZoneLevel",
    "cluster_zones",
    "finest_selection",
    "make_view",
    "open_view",
    "suggested_clusters",
    "zone_labels",
    "zone_levels",
]
