"""Coarser zones and coarser time as settings: the same cached aggregates, from further away.

A coarse dataset is a view: it is made from the cached counts alone, so no slider goes back to the
raw table, and every mechanism, exact law and metric takes it like any other dataset.
"""

from .clusters import cluster_zones
from .coarse import coarse_metadata, coarsen
from .groups import flows_between, group_levels
from .hours import HourStep, block_at, block_names, hour_blocks
from .inhabited import INHABITED, InhabitedDataset
from .levels import (
    FINEST,
    Resolution,
    TimeStep,
    ZoneLevel,
    labels_of,
    suggested_clusters,
    zone_levels,
)
from .usable import Detail, details, finest_usable, times, trip_details
from .views import Key

__all__ = [
    "FINEST",
    "INHABITED",
    "Detail",
    "HourStep",
    "InhabitedDataset",
    "Key",
    "Resolution",
    "TimeStep",
    "ZoneLevel",
    "block_at",
    "block_names",
    "cluster_zones",
    "coarse_metadata",
    "coarsen",
    "details",
    "finest_usable",
    "flows_between",
    "group_levels",
    "hour_blocks",
    "labels_of",
    "suggested_clusters",
    "times",
    "trip_details",
    "zone_levels",
]
