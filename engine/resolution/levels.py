"""Levels of zones of a dataset: its own parents, and public clusters."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from ..arrays import Geometries, Integers
from ..errors import DatasetError, ParameterError
from .clusters import cluster_zones

FINEST = "zones"  # the dataset's own

_CLUSTERS = re.compile(r"clusters-([1-9][0-9]{0,4})")
_CLUSTER_STOPS = (5, 10, 20, 30, 50, 100, 200, 400)
_RESERVED = ("zone", "location")


class ZoneLevel(NamedTuple):
    """One level of a dataset's zones: its `Selection.zone_level`, and its number of zones."""

    name: str
    zone_count: int


def zone_levels(zones: pd.DataFrame) -> tuple[ZoneLevel, ...]:
    """Return the dataset's own zones and its levels of parents, finest first.

    A level ``province`` is a column ``province_id`` (and, for its names, ``province``).

    Raises
    ------
    DatasetError
        If the columns are no hierarchy: a parent is missing, or a child has two parents.
    """
    ends = [str(column)[:-3] for column in zones.columns if str(column).endswith("_id")]
    names = [name for name in ends if name and name not in _RESERVED]
    levels = [ZoneLevel(name, len(zones[f"{name}_id"].unique())) for name in names]
    levels.sort(key=lambda level: -level.zone_count)
    for name in names:
        column = zones[f"{name}_id"]
        if missing := int((column.isna() | (column.astype(str).str.strip() == "")).sum()):
            raise DatasetError(
                f"the level '{name}' must have a parent for every zone",
                value=f"{missing} zones without one",
                remedy="fill the column or leave it out",
            )
    for fine, coarse in pairwise(levels):
        parents = zones.groupby(f"{fine.name}_id")[f"{coarse.name}_id"].nunique()
        if several := int(np.count_nonzero(parents.to_numpy() > 1)):
            raise DatasetError(
                f"each {fine.name} must lie in one {coarse.name}",
                value=f"{several} that lie in several",
                remedy="correct the columns of parents or leave one of them out",
            )
    return (ZoneLevel(FINEST, len(zones)), *levels)


def suggested_clusters(zones: int) -> tuple[int, ...]:
    """Return usual numbers of clusters below a number of zones, most first.

    >>> suggested_clusters(150)
    (100, 50, 30, 20, 10, 5)
    """
    return tuple(stop for stop in reversed(_CLUSTER_STOPS) if stop < zones)


def zone_labels(
    zones: gpd.GeoDataFrame, level: str
) -> tuple[Integers, Sequence[str], Sequence[str]]:
    """Return the coarse zone of every zone, and the coarse zones' ids and names.

    `level` is ``"zones"`` for the dataset's own, a level of parents such as ``"province"``, or
    ``"clusters-30"``. Labels, shape (zones,), are 0 … k − 1 in the order in which the coarse zones
    first appear. `ParameterError` for an unknown level, or more clusters than zones.
    """
    if match := _CLUSTERS.fullmatch(level):
        labels = cluster_zones(zones, int(match.group(1)))
        _, first, sizes = np.unique(labels, return_index=True, return_counts=True)
        names = zones["name"].astype(str).iloc[first]  # clusters are named after their first zones
        suffixes = (f" and {size - 1} more" if size > 1 else "" for size in sizes.tolist())
        ids = [f"cluster-{i + 1:03}" for i in range(len(names))]
        return labels, ids, [n + suffix for n, suffix in zip(names, suffixes, strict=True)]
    level_names = [zone_level.name for zone_level in zone_levels(zones)]
    if level not in level_names:
        raise ParameterError(
            "zones must be a level of this dataset",
            value=f"{level[:60]!r}",
            remedy=f"choose {', '.join(level_names)}, or 'clusters-30', which joins neighbours",
        )
    if level == FINEST:
        ids = zones["zone_id"].astype(str).tolist()
        return np.arange(len(zones), dtype=np.int64), ids, zones["name"].astype(str).tolist()
    labels, ids = zones[f"{level}_id"].astype(str).factorize()
    names = zones[level if level in zones.columns else f"{level}_id"].astype(str)
    first = np.unique(labels, return_index=True)[1]
    return labels.astype(np.int64), ids.tolist(), names.iloc[first].tolist()


def join_zones(
    zones: gpd.GeoDataFrame, labels: Integers, ids: Sequence[str], names: Sequence[str]
) -> gpd.GeoDataFrame:
    """Return zones joined by their labels 0 … k − 1: zone_id, name and geometry, shape (k, …)."""
    polygons = zones.geometry.to_numpy()
    smallest = float(shapely.area(polygons).min())
    order = np.argsort(labels, kind="stable")
    parts = np.split(polygons[order], np.flatnonzero(np.diff(labels[order])) + 1)
    return gpd.GeoDataFrame(
        {"zone_id": ids, "name": names},
        geometry=[_join_shapes(part, smallest) for part in parts],
        crs=zones.crs,
    )


def _join_shapes(parts: Geometries, smallest: float) -> shapely.Geometry:
    polygons: list[shapely.Polygon] = []
    for piece in shapely.get_parts(shapely.union_all(parts)):
        holes = [shapely.Polygon(ring) for ring in shapely.get_rings(piece)[1:]]
        large_holes = [hole.exterior for hole in holes if shapely.area(hole) >= smallest / 2]
        polygons.append(shapely.Polygon(shapely.get_exterior_ring(piece), large_holes))
    return polygons[0] if len(polygons) == 1 else shapely.MultiPolygon(polygons)
