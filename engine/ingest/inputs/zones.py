"""Zone files: GeoJSON, GeoPackage, zipped Shapefile and GeoParquet, checked before use."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import geopandas as gpd
import numpy as np
import shapely

from ... import geography
from ...errors import InputError
from . import mapping, parents
from .ids import as_text, check, refuse as refuse_any
from .sources import Source, shown
from .zonefiles import read_shapes

Series: TypeAlias = Any
Array: TypeAlias = Any
LONGEST_NAME = 200
LARGEST_OVERLAP = 0.001
"""Share of the smaller of two zones that may lie in the other (borders drawn twice)."""


def read_zones(
    path: Path,
    given: Mapping[str, str],
    declared: Sequence[str] | None = (),
    needed: str = "",
    refuse: Callable[[int], None] | None = None,
) -> tuple[gpd.GeoDataFrame, tuple[str, ...]]:
    """Read zones as ``zone_id, name, geometry`` in EPSG:4326, sorted by id, and their parents.

    Beside them stand the coarser zones that `parents.read` finds; the notes are on these. `refuse`
    may refuse a number of zones before they are read.

    Raises
    ------
    InputError
        For a missing CRS, duplicate or empty ids, shapes that are no valid polygons, overlaps, and
        declared parents that are no hierarchy.
    """
    frame = read_shapes(path, refuse)
    if len(frame) == 0:
        raise InputError(f"{shown(path.name)}: the file holds no zones (0 rows); name another")
    columns = tuple(str(name) for name in frame.columns if name != frame.geometry.name)
    source = Source(path, "parquet", columns, ("string",) * len(columns), 0)
    names = mapping.resolve("zones", given, source)
    ids = as_text(frame[names["zone_id"]])
    again = "choose another column for zone_id, or merge the parts of a zone"
    check(shown(path.name), names["zone_id"], ids, "zone", again, "zones_mapping")
    if frame.crs is None:
        raise InputError(
            f"{shown(path.name)}: the file does not say its coordinate reference system; save it "
            "with one, EPSG:4326 is usual"
        )
    _check_shapes(shown(path.name), frame.geometry)
    labels = ids
    if "name" in names:
        labels = frame[names["name"]].astype("string").str.strip().str.slice(stop=LONGEST_NAME)
    zones: Any = gpd.GeoDataFrame(
        {"zone_id": ids, "name": labels.where(labels.fillna("") != "", ids).astype(object)},
        geometry=shapely.force_2d(frame.geometry.to_numpy()),
        crs="EPSG:4326",
    )
    own = (*names.values(), str(frame.geometry.name))
    coarser = parents.read(shown(path.name), frame, own, declared, needed)
    for column, values in coarser.columns.items():
        zones[column] = values
    zones = zones.sort_values("zone_id", ignore_index=True)
    _check_overlaps(shown(path.name), zones)
    return zones, coarser.notes


def _check_shapes(file: str, shapes: gpd.GeoSeries) -> None:
    geometry = shapes.to_numpy()
    other = ~np.isin(shapely.get_type_id(geometry), (3, 6)) | shapely.is_empty(geometry)
    for wrong, fault, remedy in (
        (other, "no polygons", "keep polygons only"),
        (~shapely.is_valid(geometry), "invalid polygons", "repair them (make valid)"),
        (_out_of_range(geometry), "degrees beyond ±180 and ±90", "check the CRS of the file"),
    ):
        refuse_any(file, fault, wrong, remedy, rows="zones")


def _out_of_range(geometry: Array) -> Array:
    bounds = shapely.bounds(geometry)
    return (
        ~np.isfinite(bounds).all(axis=1)
        | (np.abs(bounds[:, [0, 2]]) > 180.0001).any(axis=1)
        | (np.abs(bounds[:, [1, 3]]) > 90.0001).any(axis=1)
    )


def _check_overlaps(file: str, zones: gpd.GeoDataFrame) -> None:
    shapes = zones.geometry.to_crs(geography.projected_crs(zones)).to_numpy()
    west, south, east, north = shapely.total_bounds(shapes)
    if shapely.area(shapes).sum() > 1.5 * (east - west) * (north - south):
        # told before pairs are compared: there may be billions
        raise InputError(
            f"{file}: the zones together are larger than the area they lie in, so many of them "
            "overlap; a place must lie in one zone: repair them"
        )
    first, second = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    pairs = first < second
    first, second = first[pairs], second[pairs]
    shared = shapely.area(shapely.intersection(shapes[first], shapes[second], grid_size=0.01))
    smaller = np.minimum(shapely.area(shapes[first]), shapely.area(shapes[second]))
    wrong = shared > LARGEST_OVERLAP * smaller
    if wrong.any():
        raise InputError(
            f"{file}: {int(wrong.sum())} pairs of zones overlap by more than "
            f"{LARGEST_OVERLAP:.1%} of the smaller one; a place must lie in one zone: repair them"
        )
