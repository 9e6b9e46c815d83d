"""Zone files: GeoJSON, GeoPackage, zipped Shapefile and GeoParquet, repaired by a stated rule.

Shapes are made valid; where two zones overlap by at most 1% of the smaller one the overlap goes to
the first by id; larger overlaps are refused by name. Repairs are noted.
"""

import re
import sqlite3
import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, TypeAlias

import geopandas as gpd
import numpy as np
import pyarrow.parquet as pq
import pyogrio
import shapely

from ... import geography
from ..options import CHOICES, Choice, build_error, check_zone_count
from ..read_errors import translate_errors
from . import column_mapping, zone_hierarchy
from .ids import TOLD_BY, check_ids, choose_id_column, ids_to_text, raise_for_rows
from .sources import Source, find_archive_member, to_printable

Series: TypeAlias = Any
Array: TypeAlias = Any
MAX_NAME_LENGTH = 200
MAX_OVERLAP_SHARE = 0.01
"""Maximum share of the smaller of two zones within the other: borders drawn twice."""
_MIN_OVERLAP_SHARE = 1e-6
MAX_ZONES, MAX_VERTICES = 50_000, 5_000_000
MAX_REPAIRED_VERTICES = 1_000_000
MAX_BYTES = 500_000_000
_WGS84 = "EPSG:4326"
_STATED_ID = re.compile(rb'"Feature"\s*,\s*"id"\s*:\s*\d|[}]\s*,\s*"id"\s*:\s*\d+\s*[,}]')
_SHAPES = (".shp", ".geojson", ".json", ".gpkg", ".fgb")


def read_zones(
    path: Path,
    mapping: Mapping[str, str],
    layer: str = "",
    leave_out: Collection[Choice] = (),
    row_ids: Sequence[str] | None = None,
    any_count: bool = True,
) -> tuple[gpd.GeoDataFrame, tuple[str, ...]]:
    """Return zones as ``zone_id, name, geometry`` in EPSG:4326, sorted by id, and their parents.

    Raises `InputError` for more zones than can be opened, unless `any_count` is read.
    """
    file = to_printable(path.name)
    frame = read_shapes(path, layer)
    if not any_count:  # before overlaps are searched
        check_zone_count(len(frame))
    columns = tuple(str(name) for name in frame.columns if name != frame.geometry.name)
    source = Source(path, "parquet", columns, ("string",) * len(columns), 0)
    shown = mapping
    mapping = choose_id_column(file, "zones", frame[list(columns)], mapping, row_ids)
    names = column_mapping.resolve_columns("zones", mapping, source)
    specs = column_mapping.joined_columns(names["zone_id"], columns)
    ids = join_id_columns(frame, specs)
    remedy = "choose another column for zone_id, or join parts with the same id (repeated-places)"
    remedy = "" if "repeated-places" in leave_out else remedy
    check_ids(file, names["zone_id"], ids, "zone", remedy, "zones_mapping", "leave_out")
    if frame.crs is None:
        raise build_error("no-crs", file=file)
    shaped, shape_notes = _find_polygons(file, frame.geometry, ids, "placeless" in leave_out)
    frame: Any = frame[shaped].reset_index(drop=True)
    ids = ids[shaped].reset_index(drop=True)
    shapes, notes = _repair_polygons(file, frame.geometry.to_numpy())
    notes = (*shape_notes, *notes)
    if "zone_id" not in (*shown, names["zone_id"]):
        notes = (*notes, f"zones are {TOLD_BY} '{to_printable(names['zone_id'])}' of {file}")
    labels = ids
    if "name" in names:
        labels = frame[names["name"]].astype("string").str.strip().str.slice(stop=MAX_NAME_LENGTH)
    zones: Any = gpd.GeoDataFrame(
        {"zone_id": ids, "name": labels.where(labels.fillna("") != "", ids).astype(object)},
        geometry=shapes,
        crs=_WGS84,
    )
    zone_columns = (*(column for column, _ in specs), *names.values(), str(frame.geometry.name))
    levels, level_notes = zone_hierarchy.read_levels(frame, zone_columns)
    for column, values in levels.items():
        zones[column] = values
    if parts := int(ids.duplicated().sum()):
        zones = zones.dissolve("zone_id", as_index=False)
        notes = (*notes, f"{parts:,} further parts of zones were joined to the first of their id")
    zones = zones.sort_values("zone_id", ignore_index=True)
    zones, overlaps = _remove_overlaps(file, zones)
    return zones, (*notes, *overlaps, *level_notes)


def join_id_columns(frame: Any, specs: Sequence[tuple[str, int | None]]) -> Series:
    """Return ids of one column, or of several joined and padded with zeros."""
    texts = [ids_to_text(frame[column]) for column, _ in specs]
    padded = [
        text
        if digits is None  # otherwise zeros alone are cut off
        else text.str.rjust(digits, "0").str.replace(rf"^0+(?=.{{{digits}}}$)", "", regex=True)
        for text, (_, digits) in zip(texts, specs, strict=True)
    ]
    return reduce(add, padded)


def list_layers(path: Path) -> list[str]:
    """Return the layers of shapes in a file; empty without a choice of layers."""
    with translate_errors(to_printable(path.name)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, head = _check_file(path)
        if head.startswith(b"PAR1"):
            return []
        views = _list_views(path) if head.startswith(b"SQLite") else set[str]()
        listed = pyogrio.list_layers(_gdal_address(path, head))
        layers = [str(name) for name, kind in listed if kind is not None and name not in views]
        if views and not layers:
            raise build_error("only-views", file=to_printable(path.name))
        return layers


def _list_views(path: Path) -> set[str]:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as opened:
        return {
            name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'view'")
        }


def read_shapes(path: Path, layer: str = "") -> gpd.GeoDataFrame:
    """Return the zones of one file of any format, in EPSG:4326 where its CRS is known."""
    name, head = _check_file(path)
    layer_names = list_layers(path)
    layers = ", ".join(map(to_printable, layer_names))
    if layer and layer not in layer_names:
        raise build_error("unknown-layer", file=name, layer=to_printable(layer), layers=layers)
    if len(layer_names) > 1 and not layer:
        raise build_error("several-layers", file=name, number=len(layer_names), layers=layers)
    with translate_errors(name), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # GDAL's warnings are repaired or refused below
        if head.startswith(b"PAR1"):
            if b"geo" not in (pq.read_metadata(path).metadata or {}):
                raise build_error("no-geometry", file=name)
            frame: Any = gpd.read_parquet(path)
        else:
            # a condition makes GDAL count the rows itself, whatever a GeoPackage states
            condition = "1 = 1" if head.startswith(b"SQLite") else None
            layer = layer or (layer_names[0] if condition else "")
            address = _gdal_address(path, head)
            numbered = address.endswith("json") or head[:4].lstrip(b"\xef\xbb\xbf").startswith(b"{")
            frame = pyogrio.read_dataframe(
                address, layer=layer or None, where=condition, fid_as_index=numbered
            )
            if numbered:  # GeoJSON may tell ids that are numbers beside the geometry
                stated = (frame.index != np.arange(len(frame))).any() or _STATED_ID.search(head)
                frame = frame.reset_index(drop=not stated, names=column_mapping.FEATURE_ID)
        if not isinstance(frame, gpd.GeoDataFrame) or not len(frame):
            raise build_error("zone-file-without-zones", file=name)
        vertices = int(shapely.get_num_coordinates(frame.geometry.to_numpy()).sum())
        if len(frame) > MAX_ZONES or vertices > MAX_VERTICES:
            limits = {"most_zones": MAX_ZONES, "most_vertices": MAX_VERTICES}
            numbers = {"zones": len(frame), "vertices": vertices}
            raise build_error("too-many-zones", file=name, **numbers, **limits)
        return frame if frame.crs is None else frame.to_crs(_WGS84)


def _check_file(path: Path) -> tuple[str, bytes]:
    name = to_printable(path.name)
    if not path.is_file():
        raise build_error("no-zone-file", file=name)
    size = path.stat().st_size
    if size == 0:
        raise build_error("empty-zone-file", file=name)
    if size > MAX_BYTES:
        raise build_error("large-zone-file", file=name, size=size, most=MAX_BYTES)
    with path.open("rb") as handle:
        head = handle.read(4096)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if b'"Topology"' in head:
        raise build_error("topojson", file=name)
    if head.startswith((b"PAR1", b"PK\x03\x04", b"SQLite format 3", b"fgb\x03")) or text.startswith(
        b"{"
    ):
        return name, head
    raise build_error("not-zones", file=name)


def _gdal_address(path: Path, head: bytes) -> str:
    if not head.startswith(b"PK\x03\x04"):
        return str(path.resolve())
    member = find_archive_member(to_printable(path.name), path, _SHAPES, MAX_BYTES)
    return f"/vsizip/{path.resolve()}/{member}"


def _find_polygons(
    file: str, geometry: Series, ids: Series, leave_out: bool
) -> tuple[Any, tuple[str, ...]]:
    """Return whether each zone is a polygon; the others raise `InputError` or are left out."""
    shaped: Any = geometry.geom_type.isin(("Polygon", "MultiPolygon")) & ~geometry.is_empty
    if shaped.all():
        return shaped, ()
    names = [to_printable(str(zone)) for zone in ids[~shaped]]
    count = f"{len(names):,} of {len(ids):,} zones"
    if not shaped.any():
        raise build_error("no-polygons", file=file, count=count)
    if leave_out:
        return shaped, (f"{count} without a polygon were left out",)
    first_names = ", ".join(names[:3]) + " …" * (len(names) > 3)
    choice = CHOICES["placeless"]
    raise build_error("placeless", file=file, count=count, names=first_names, choice=choice)


def _repair_polygons(file: str, geometry: Array) -> tuple[Array, tuple[str, ...]]:
    geometry = shapely.force_2d(geometry)
    # of NaN no bound holds
    beyond = ~(np.abs(shapely.bounds(geometry)) <= (360.0001, 90.0001) * 2).all(axis=1)
    words = "degrees beyond ±360 and ±90"
    raise_for_rows(file, words, beyond, "check the CRS of the file", rows="zones")
    geometry = geography.unwrap(geometry)
    wrong = ~shapely.is_valid(geometry)
    notes = ()
    if wrong.any():
        geometry = geometry.copy()
        for number in np.flatnonzero(wrong):
            geometry[number] = to_polygons(shapely.make_valid(geometry[number]))
            if shapely.get_num_coordinates(geometry[number]) > MAX_REPAIRED_VERTICES:
                raise build_error(
                    "crossing-zone", file=file, number=number + 1, most=MAX_REPAIRED_VERTICES
                )
        empty = shapely.is_empty(geometry)
        raise_for_rows(file, "nothing is left of a polygon", empty, "repair it", rows="zones")
        notes = (f"{int(wrong.sum()):,} zones had invalid outlines, which were repaired",)
    return geometry, notes


def to_polygons(shape: Any) -> Any:
    """Return the polygons of a shape as one polygon or multipolygon."""
    parts = [p for p in shapely.get_parts(shapely.get_parts(shape)) if p.geom_type == "Polygon"]
    return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)


def _remove_overlaps(
    file: str, zones: gpd.GeoDataFrame
) -> tuple[gpd.GeoDataFrame, tuple[str, ...]]:
    crs = geography.projected_crs(zones)
    shapes: Any = zones.geometry.to_crs(crs).to_numpy().copy()
    wrong = ~shapely.is_valid(shapes)
    shapes[wrong] = shapely.make_valid(shapes[wrong])
    west, south, east, north = shapely.total_bounds(shapes)
    if shapely.area(shapes).sum() > 1.5 * (east - west) * (north - south):
        # before pairs are compared: there may be billions
        raise build_error("overlap-all", file=file)
    first, second = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    pairs = first < second
    first, second = first[pairs], second[pairs]
    shared = shapely.area(shapely.intersection(shapes[first], shapes[second], grid_size=0.01))
    share = shared / np.minimum(shapely.area(shapes[first]), shapely.area(shapes[second]))
    if (large := share > MAX_OVERLAP_SHARE).any():
        ids = zones["zone_id"].to_numpy()
        pair_names = "; ".join(
            f"{to_printable(str(ids[a]))} and {to_printable(str(ids[b]))} ({part:.0%})"
            for a, b, part in zip(first[large][:3], second[large][:3], share[large], strict=False)
        )
        raise build_error(
            "overlap", file=file, pairs=int(large.sum()), share=MAX_OVERLAP_SHARE, names=pair_names
        )
    if not (small := share > _MIN_OVERLAP_SHARE).any():
        return zones, ()
    geometry: Any = zones.geometry.to_numpy().copy()
    for a, b in zip(first[small], second[small], strict=True):
        geometry[b] = to_polygons(shapely.difference(geometry[b], geometry[a]))
    note = (
        f"{int(small.sum()):,} pairs of zones overlapped by at most {share[small].max():.2%} of "
        "the smaller one: the overlap is the first zone's"
    )
    return zones.set_geometry(gpd.GeoSeries(geometry, crs=_WGS84)), (note,)
