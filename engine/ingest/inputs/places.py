"""Locations and zones: public geometry for counting rows, by ids or by coordinates."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import shapely
from numpy.typing import NDArray
from pyproj import Transformer

from ... import geography
from ...arrays import Floats, Integers
from ...errors import InputError
from ..options import CHOICES, Choice, IngestOptions, Reading, build_error
from ..read_errors import translate_errors
from . import column_mapping, ids, sources, zone_hierarchy
from .zones import join_id_columns, read_shapes, read_zones

HULL_BUFFER_M = 500.0
VORONOI_NOTE = (
    "zones are the locations' Voronoi cells, clipped to their convex hull widened by "
    f"{HULL_BUFFER_M:g} m"
)
MAX_DISTANCE_M = 1_000.0
"""Maximum distance of a point outside all zones from the nearest place."""
MAX_LOCATIONS = 1_000_000
POINTS_PER_CHUNK = 100_000
MAX_WIDTH_DEGREES = 180
WGS84 = "EPSG:4326"
_DECIMAL_COMMA = r"^\s*([+-]?\d{1,3}),(\d+)\s*$"
Series: TypeAlias = Any


@dataclass(frozen=True, eq=False)
class Places:
    """Towers, zones, and which zone each tower lies in."""

    towers: gpd.GeoDataFrame
    zones: gpd.GeoDataFrame
    zone_of_tower: NDArray[np.int32]
    notes: tuple[str, ...] = ()
    zones_are_towers: bool = False
    zones_from_places: bool = False

    def lookup_table(self) -> pa.Table:
        """Return the lookup table of the engines: place id, place number, zone number or null."""
        names = [str(name) for name in self.towers["location_id"]]
        known_names, bare = set(names), [ids.strip_leading_zeros(name) for name in names]
        times = Counter(bare)
        # a table of numbers has no leading zeros: 007 is matched as 7 too, if 7 is unique
        alias = [n for n, b in enumerate(bare) if b not in known_names and times[b] == 1]
        number = np.concatenate([np.arange(len(names)), alias]).astype(np.int32)
        zone = self.zone_of_tower[number]
        return pa.table(
            {
                "place": pa.array([*names, *(bare[n] for n in alias)], pa.string()),
                "location": pa.array(number),
                "zone": pa.array(zone, mask=zone < 0),
            }
        )

    @property
    def has_no_leading_zeros(self) -> bool:
        """Return whether no place id has leading zeros, so that 007 in the rows can only be 7."""
        return not self.towers["location_id"].astype(str).str.fullmatch("0+[0-9]+").any()

    @property
    def are_cells(self) -> bool:
        """Whether the places are cells of hexadecimal or base-32 ids, which are in lower case."""
        names, place_ids = self.towers["name"].astype(str), self.towers["location_id"].astype(str)
        return bool(
            names.str.match("(h3|geohash) ").all() or place_ids.str.fullmatch(ids.H3_CELL).all()
        )

    @property
    def id_length(self) -> int:
        """The length of all ids of places; raise `InputError` where they differ."""
        lengths = set(self.towers["location_id"].astype(str).str.len())
        if len(lengths) != 1:
            raise InputError(
                (
                    "place ids must all have one length if row ids are matched by their first "
                    "characters"
                ),
                value=f"{len(lengths)} lengths",
                remedy="combine the id columns of the rows instead",
                settings=("id_prefix",),
            )
        return int(lengths.pop())


def read_places(options: IngestOptions, row_ids: Sequence[str] | None = None) -> Places:
    """Return locations and zones; one of them missing is made of the other.

    A column of ids that is not mapped is chosen by the ids of the rows.
    """
    read = partial(
        read_zones,
        mapping=options.zones_mapping,
        layer=options.layer,
        leave_out=options.leave_out,
        any_count=options.hexagon_m is not None,
    )
    if options.locations is None:
        assert options.zones is not None
        zones, notes = read(options.zones, row_ids=row_ids)
        check_extent(zones)
        places = places_from_zones(zones)
        return replace(places, notes=(*places.notes, *notes))
    towers, tower_notes = _read_locations(options.locations, options, row_ids)
    if options.zones is None:
        check_extent(towers)
        places = _places_from_towers(towers)
        return replace(places, notes=(*tower_notes, *places.notes))
    zones, notes = read(options.zones)
    check_extent(zones)
    middle = geography.middle_longitude(shapely.get_coordinates(zones.geometry)[:, 0])
    towers = towers.set_geometry(geography.unwrap(towers.geometry.to_numpy(), middle), crs=WGS84)
    check_extent(towers)
    zone_of_tower = find_zones(towers, zones)
    if outside := int((zone_of_tower < 0).sum()):
        note = (
            f"{outside} of {len(towers)} locations are in no zone. They give no trips; their "
            "visits count in the zones that their area overlaps, or in the nearest zone"
        )
        tower_notes = (*tower_notes, note)
    return Places(towers, zones, zone_of_tower, (*tower_notes, *notes))


def check_extent(places: gpd.GeoDataFrame) -> None:
    """Raise `InputError` for places around the globe, which no plane can hold."""
    west, _south, east, _north = places.total_bounds
    if east - west > MAX_WIDTH_DEGREES:
        raise build_error("too-wide-places", degrees=east - west, most=MAX_WIDTH_DEGREES)


def _read_locations(
    pattern: Path, options: IngestOptions, row_ids: Sequence[str] | None
) -> tuple[gpd.GeoDataFrame, tuple[str, ...]]:
    """Return the locations by id, their coarser zones where no zones are given, and notes."""
    (path, *other_paths) = sources.find_files([str(pattern)])
    if other_paths:
        raise build_error("several-locations", file=pattern.name)
    source = _inspect_places(path, options.locations_mapping)
    with translate_errors(source.name):
        mapping = _choose_location_id(source, options.locations_mapping, row_ids)
        names = column_mapping.resolve_columns("locations", mapping, source)
        frame = _read_table(source, names)
        place = join_id_columns(
            frame, column_mapping.joined_columns(names["location_id"], source.columns)
        )
        lat, lng = (_parse_degrees(frame[names[name]]) for name in ("lat", "lng"))
        keep, notes = _select_places(source.name, names, place, lat, lng, options)
        frame, place, lat, lng = frame[keep], place[keep], lat[keep], lng[keep]
        if "location_id" not in (*options.locations_mapping, names["location_id"]):
            column = sources.to_printable(names["location_id"])
            notes = (*notes, f"places are {ids.TOLD_BY} '{column}' of {source.name}")
        label = ids.ids_to_text(frame[names["name"]]).fillna("") if "name" in names else place
        levels: Mapping[str, Any] = {}
        if options.zones is None:  # zones are made of places: a station's district is its zone's
            levels, level_notes = zone_hierarchy.read_levels(frame, tuple(names.values()))
            notes += level_notes
        towers: Any = gpd.GeoDataFrame(
            {"location_id": place, "name": label.where(label != "", place), **levels},
            geometry=geography.unwrap(np.asarray(shapely.points(lng, lat))),
            crs=WGS84,
        )
        return towers.sort_values("location_id", ignore_index=True), notes


def _choose_location_id(
    source: sources.Source, mapping: Mapping[str, str], row_ids: Sequence[str] | None
) -> Mapping[str, str]:
    if row_ids is None:
        return mapping
    types = zip(source.columns, source.column_types, strict=True)
    used = {
        column: column
        for column, kind in types
        if kind.startswith(column_mapping.ID_TYPES)
        and (source.format == "csv" or column_mapping.is_named_id(column))  # no other is read
    }
    table = _read_table(source, used)
    return ids.choose_id_column(source.name, "locations", table, mapping, row_ids)


def find_id_column(kind: str, path: Path, layer: str, row_ids: Sequence[str]) -> str | None:
    """Return the column of a file of ``zones`` or ``locations`` that holds most of these ids."""
    if kind == "zones":
        frame = read_shapes(path, layer)
        columns = frame.drop(columns=frame.geometry.name)
        chosen = ids.choose_id_column(sources.to_printable(path.name), kind, columns, {}, row_ids)
    else:
        chosen = _choose_location_id(_inspect_places(path, {}), {}, row_ids)
    return chosen.get(ids.REQUIRED_ID[kind])


def _inspect_places(path: Path, columns: Mapping[str, str]) -> sources.Source:
    unnamed = any(re.fullmatch("column[0-9]+", column) for column in columns.values())
    try:
        return sources.inspect_file(path, Reading(header=() if unnamed else None))
    except InputError as error:
        if error.code != "no-header":
            raise
        raise build_error("unnamed-places", file=sources.to_printable(path.name)) from None


def _select_places(
    file: str,
    names: Mapping[str, str],
    place: Series,
    lat: Floats,
    lng: Floats,
    options: IngestOptions,
) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Return whether each place is used; the others raise `InputError` or are left out."""
    ids.check_ids(file, names["location_id"], place, "place")
    columns = ", ".join(f"'{sources.to_printable(names[name])}'" for name in ("lat", "lng"))
    none = ~np.isfinite(lat) | ~np.isfinite(lng)
    tests: tuple[tuple[Choice, str, Any], ...] = (
        ("repeated-places", f"column '{sources.to_printable(names['location_id'])}' repeats an id",
         place.duplicated().to_numpy()),
        ("placeless", f"columns {columns} have no number", none),
        ("zero-places", "a place lies at 0°, 0°", (lat == 0) & (lng == 0)),
    )  # fmt: skip
    keep, notes = np.ones(len(place), dtype=bool), list[str]()
    for choice, fault, wrong in tests:
        wrong = wrong & keep
        if choice not in options.leave_out:
            remedy = f"correct them, or {CHOICES[choice]} ({choice})"
            ids.raise_for_rows(file, fault, wrong, remedy, "leave_out", code=choice)
        elif wrong.any():
            keep &= ~wrong
            notes.append(f"{int(wrong.sum()):,} of {len(place):,} places: {CHOICES[choice]}")
    remedy = (
        "if latitude and longitude are swapped, map them the other way round; otherwise give "
        "degrees (EPSG:4326), latitude within ±90 and longitude within ±180"
    )
    outside = (np.abs(lat) > 90) | (np.abs(lng) > 180)
    ids.raise_for_rows(file, f"columns {columns} are out of range", outside[keep], remedy)
    return keep, tuple(notes)


def _places_from_towers(towers: gpd.GeoDataFrame) -> Places:
    """Return Voronoi cells in the towers' hull widened by 500 m, one for coinciding towers."""
    points = towers.geometry.to_crs(geography.projected_crs(towers))
    cells = geography.voronoi_cells(points, geography.hull_region(points, HULL_BUFFER_M))
    coordinates = pd.DataFrame(towers.get_coordinates().to_numpy())
    middle = geography.middle_longitude(coordinates[0].to_numpy())
    cells = geography.unwrap(cells.to_crs(WGS84).to_numpy(), middle)
    zones: Any = towers.rename(columns={"location_id": "zone_id"}).set_geometry(cells, crs=WGS84)
    zones = zones[~coordinates.duplicated().to_numpy()].reset_index(drop=True)
    number = coordinates.groupby([0, 1], sort=False).ngroup().to_numpy().astype(np.int32)
    plain: Any = towers[["location_id", "name", "geometry"]]
    note = VORONOI_NOTE
    if (shared := np.bincount(number) > 1).any():
        pair = plain["location_id"][number == shared.argmax()][:2]
        names = " and ".join(map(sources.to_printable, pair))
        note += f". {len(towers):,} places give {len(zones):,} zones, because "
        note += f"{int(shared[number].sum()):,} places share coordinates, such as {names}"
    return Places(plain, zones, number, (note,), zones_from_places=True)


def places_from_zones(zones: gpd.GeoDataFrame) -> Places:
    """Return zones as one place each, at a point inside."""
    points = gpd.GeoSeries(shapely.point_on_surface(zones.geometry.to_numpy()), crs=WGS84)
    towers = gpd.GeoDataFrame(
        {"location_id": zones["zone_id"], "name": zones["name"]}, geometry=points, crs=WGS84
    )
    note = "no locations were given, so each zone is represented by one point inside it"
    numbers = np.arange(len(zones), dtype=np.int32)
    return Places(towers, zones, numbers, (note,), zones_are_towers=True)


def find_zones(towers: gpd.GeoDataFrame, zones: gpd.GeoDataFrame) -> NDArray[np.int32]:
    """Return the first zone (by id) that contains or touches each tower, else -1."""
    tree = shapely.STRtree(zones.geometry.to_numpy())
    tower, zone = tree.query(towers.geometry.to_numpy(), predicate="intersects")
    return lowest_match(tower, zone, len(towers))


def lowest_match(shape: Integers, match: Integers, count: int) -> NDArray[np.int32]:
    """Return the lowest `match` of each of `count` shapes, -1 where there is none."""
    no_match = np.iinfo(np.int32).max
    matches = np.full(count, no_match, dtype=np.int32)
    np.minimum.at(matches, shape, match.astype(np.int32))
    return np.where(matches == no_match, -1, matches).astype(np.int32)


def locate_points(
    points: pa.Table, places: Places, check: Callable[[], None] = lambda: None
) -> pa.Table:
    """Return ``lat, lng, location, zone`` for distinct coordinates in degrees; `check` may stop."""
    lat, lng = (points[name].to_numpy().astype(np.float64) for name in ("lat", "lng"))
    finder = _PointLocator(places)
    location, zone = np.full((2, len(lat)), -1, dtype=np.int32)
    for start in range(0, len(lat), POINTS_PER_CHUNK):
        check()
        batch = slice(start, start + POINTS_PER_CHUNK)
        location[batch], zone[batch] = finder.locate(lat[batch], lng[batch])
    return pa.table(
        {
            "lat": points["lat"],
            "lng": points["lng"],
            "location": pa.array(location, mask=location < 0),
            "zone": pa.array(zone, mask=zone < 0),
        }
    )


class _PointLocator:
    def __init__(self, places: Places) -> None:
        crs = geography.projected_crs(places.zones)
        self._to_metres = Transformer.from_crs(WGS84, crs, always_xy=True)
        self._zones: Any = places.zones.geometry.to_numpy()
        self._middle = geography.middle_longitude(shapely.get_coordinates(self._zones)[:, 0])
        shapely.prepare(self._zones)
        self._places = places
        towers = shapely.get_coordinates(places.towers.geometry.to_numpy()).T
        self._towers = shapely.STRtree(shapely.points(*self._to_metres.transform(*towers)))

    def locate(self, lat: Floats, lng: Floats) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return tower and zone of each point, -1 where it is outside."""
        lng = geography.unwrap_longitudes(lng, self._middle)
        places: Any = shapely.points(lng, lat)
        zones, points = shapely.STRtree(places).query(self._zones, predicate="intersects")
        zone = lowest_match(points, zones, len(lat))
        if self._places.zones_are_towers:
            tower, distance = zone.copy(), np.full(len(lat), np.inf)
            away = np.flatnonzero(zone < 0)
            tower[away], distance[away] = self._nearest(lat[away], lng[away])
        else:
            tower, distance = self._nearest(lat, lng)
        outside = zone < 0
        near = outside & (distance <= MAX_DISTANCE_M)
        zone[near] = self._places.zone_of_tower[tower[near]]
        tower[outside & ~near] = -1
        return tower, zone

    def _nearest(self, lat: Floats, lng: Floats) -> tuple[NDArray[np.int32], Floats]:
        metres = shapely.points(*self._to_metres.transform(lng, lat))
        # all nearest towers in order of the points: among equal distances the first
        pairs, distance = self._towers.query_nearest(metres, return_distance=True)
        away = np.empty(len(lat))
        away[pairs[0]] = distance
        return lowest_match(pairs[0], pairs[1], len(lat)), away


def _read_table(source: sources.Source, names: Mapping[str, str]) -> pd.DataFrame:
    if source.format == "parquet":
        specs = [column_mapping.joined_columns(spec, source.columns) for spec in names.values()]
        used = [column for spec in specs for column, _ in spec]
        levels = zone_hierarchy.guess_levels([c for c in source.columns if c not in used])
        used += [column for level in levels for column in level[1:]]
        wanted = [column for column in source.columns if column in used]
        is_small = (source.row_count or 0) <= MAX_LOCATIONS
        frame = pd.read_parquet(source.path, columns=wanted) if is_small else None
    else:
        with source.open() as handle:
            frame = pd.read_csv(
                handle,
                encoding=source.encoding,
                sep=r"\s+" if source.delimiter == " " else source.delimiter,
                names=list(source.columns),
                skiprows=source.skipped_rows,
                dtype=str,
                keep_default_na=False,
                index_col=False,
                nrows=MAX_LOCATIONS + 1,
                skip_blank_lines=True,
            )
    if frame is None or len(frame) > MAX_LOCATIONS:
        raise build_error("many-locations", file=source.name, most=MAX_LOCATIONS)
    if not len(frame):
        raise build_error("no-locations", file=source.name)
    return frame


def _parse_degrees(values: Series) -> Floats:
    """Return degrees; a comma before digits is a decimal mark, for no coordinate has thousands."""
    if not pd.api.types.is_numeric_dtype(values.dtype):
        values = values.astype("string").str.replace(_DECIMAL_COMMA, r"\1.\2", regex=True)
    numbers: Any = pd.to_numeric(values, errors="coerce")
    return numbers.to_numpy(dtype=np.float64, na_value=np.nan)
