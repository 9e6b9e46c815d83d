"""Locations and zones: public geometry that rows are counted in."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import shapely
from numpy.typing import NDArray

from ... import geography
from ...arrays import Floats, Integers
from ...errors import InputError
from ..coarseness import check_count
from ..options import IngestOptions
from . import ids, mapping, parents, sources
from .parents import Parents
from .zones import read_zones

HULL_BUFFER_M = 500.0
MOST_LOCATIONS = 1_000_000
MOST_BYTES = 200_000_000
WIDEST_DEGREES = 180
WGS84 = "EPSG:4326"
_DECIMAL_COMMA = r"^\s*([+-]?\d{1,3}),(\d+)\s*$"
Series: TypeAlias = Any
"""A pandas column of unknown type."""


@dataclass(frozen=True, eq=False)
class Places:
    """Towers, zones, and which zone each tower lies in.

    Attributes
    ----------
    towers : GeoDataFrame
        ``location_id, name, geometry``, sorted by id: a place's number is its position here.
    zones : GeoDataFrame
        ``zone_id, name, geometry``, sorted by id.
    zone_of_tower : (towers,) int32 array
        Index of the zone, -1 for a tower outside every zone.
    notes : tuple of str
        How the geometry was made, in words.
    zones_are_towers : bool
        Whether towers were made from zones, so that a point's zone is its tower.
    zones_from_places : bool
        Whether zones were made from towers, so that nothing but these bounds the area.
    """

    towers: gpd.GeoDataFrame
    zones: gpd.GeoDataFrame
    zone_of_tower: NDArray[np.int32]
    notes: tuple[str, ...] = ()
    zones_are_towers: bool = False
    zones_from_places: bool = False

    def table(self) -> pa.Table:
        """Return the lookup table of the engines: place id, place number, zone number or null."""
        names = [str(name) for name in self.towers["location_id"]]
        known = set(names)
        bare = [ids.bare(name) for name in names]
        # a table of numbers has no leading zeros: 007 is found as 7 too, where nothing else is 7
        alias = [n for n, b in enumerate(bare) if b not in known and bare.count(b) == 1]
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
    def bare(self) -> bool:
        """Whether no id of a place has leading zeros, so that 007 in the rows can only be 7."""
        return all(ids.bare(str(name)) == name for name in self.towers["location_id"])

    def zone_table(self) -> pa.Table:
        """Return place and zone number of every location that lies in a zone."""
        inside = np.flatnonzero(self.zone_of_tower >= 0).astype(np.int32)
        return pa.table({"location": inside, "zone": self.zone_of_tower[inside]})


def id_shapes(unknown: Iterable[str], places: Places) -> str:
    """Say what unknown ids look like beside those of the places; no id is told."""
    known = ids.shape(str(name) for name in places.towers["location_id"])
    return f"The ids in the rows are {ids.shape(unknown)}; those of the places are {known}."


def read_places(options: IngestOptions) -> Places:
    """Read locations and zones; where one is missing the other one gives it.

    Without zones, the locations' Voronoi cells are the zones, clipped to their convex hull
    widened by 500 m. Without locations, each zone stands as one location at a point inside it.
    """
    if options.locations is None:
        assert options.zones is not None
        zones, notes = _zones_of(options.zones, options)
        places = from_zones(zones)
        return replace(places, notes=(*places.notes, *notes))
    towers, coarser = _locations(options)
    _check_extent(options.locations.name, towers)
    if options.zones is None:
        return _from_towers(towers, coarser)
    zones, notes = _zones_of(options.zones, options)
    zone_of_tower = zone_of(towers, zones)
    outside = int((zone_of_tower < 0).sum())
    note = (
        f"{outside} of {len(towers)} locations lie in no zone: they give no trips; their visits "
        "count in the zones that their cell reaches, or the nearest"
    )
    return Places(towers, zones, zone_of_tower, ((note, *notes) if outside else notes))


def _zones_of(path: Path, options: IngestOptions) -> tuple[gpd.GeoDataFrame, tuple[str, ...]]:
    # told before the zones are read, where they are to be built as they are
    given = options.coarseness.zoning == "given"
    refuse = check_count if given else None
    zones, notes = read_zones(
        path, options.zones_mapping, options.parents, options.coarseness.parent, refuse
    )
    _check_extent(path.name, zones)
    return zones, notes


def _check_extent(name: str, places: gpd.GeoDataFrame) -> None:
    """Refuse places on both sides of the 180° meridian: no plane of degrees holds them together."""
    west, _south, east, _north = places.total_bounds
    if east - west > WIDEST_DEGREES:
        raise InputError(
            f"{sources.shown(name)}: the places span {east - west:.0f} degrees of longitude, more "
            f"than {WIDEST_DEGREES}: they lie around the globe or on both sides of the 180° "
            "meridian",
            remedy="build a dataset for each side",
            code="antimeridian",
            settings=("locations", "zones"),
        )


def _locations(options: IngestOptions) -> tuple[gpd.GeoDataFrame, Parents]:
    """Return the locations by id, and coarser zones by location where no file of zones is given.

    Raises
    ------
    InputError
        For duplicate or empty ids, missing coordinates, and coordinates out of range or swapped.
    """
    assert options.locations is not None
    paths = sources.find([str(options.locations)])
    if len(paths) != 1:
        raise InputError(
            f"{options.locations.name}: {len(paths)} tables of locations; name one file"
        )
    source = sources.inspect(paths[0])
    columns = mapping.resolve("locations", options.locations_mapping, source)
    mapping.check(source, columns)
    # where zones are made of places, a station's district is its zone's
    beside: list[str] = []
    if options.zones is None:
        free = [name for name in source.columns if name not in columns.values()]
        beside = parents.wanted(free, options.parents, options.coarseness.parent)
    table = _small_table(source, columns, beside)
    places = ids.as_text(table["location_id"])
    ids.check(source.name, columns["location_id"], places, "place", "keep one row a place")
    lat = _coordinates(source.name, columns["lat"], table["lat"])
    lng = _coordinates(source.name, columns["lng"], table["lng"])
    _check_coordinates(source.name, columns, lat, lng)
    names = (
        ids.as_text(table["name"]).fillna("")
        if "name" in columns
        else pd.Series([""] * len(places))
    )
    towers: Any = gpd.GeoDataFrame(
        {"location_id": places, "name": names.where(names != "", places)},
        geometry=gpd.points_from_xy(lng, lat),
        crs=WGS84,
    )
    towers = towers.sort_values("location_id")
    coarser = Parents()
    if options.zones is None:
        columns_of, notes = parents.read(
            source.name, table[beside], (), options.parents, options.coarseness.parent
        )
        coarser = Parents({n: values[towers.index] for n, values in columns_of.items()}, notes)
    return towers.reset_index(drop=True), coarser


def voronoi_zones(towers: gpd.GeoDataFrame, columns: Mapping[str, Any]) -> gpd.GeoDataFrame:
    """Return the towers' Voronoi cells in their hull widened by 500 m, one where towers coincide.

    `columns` hold what else is known of each tower's zone.
    """
    points = towers.geometry.to_crs(geography.projected_crs(towers))
    cells = geography.voronoi_cells(points, geography.hull_region(points, HULL_BUFFER_M))
    shapes: Any = gpd.GeoDataFrame(
        {"zone_id": towers["location_id"], "name": towers["name"]},
        geometry=cells.to_crs(WGS84).to_numpy(),
        crs=WGS84,
    )
    for column, values in columns.items():
        shapes[column] = values
    again = pd.DataFrame(shapely.get_coordinates(towers.geometry.to_numpy())).duplicated()
    return shapes[~again.to_numpy()].reset_index(drop=True)


def _from_towers(towers: gpd.GeoDataFrame, coarser: Parents) -> Places:
    coordinates = pd.DataFrame(shapely.get_coordinates(towers.geometry.to_numpy()))
    number = coordinates.groupby([0, 1], sort=False).ngroup().to_numpy().astype(np.int32)
    note = (
        f"zones are the locations' Voronoi cells, clipped to their convex hull widened by "
        f"{HULL_BUFFER_M:g} m"
    )
    return Places(
        towers,
        voronoi_zones(towers, coarser.columns),
        number,
        (note, *coarser.notes),
        zones_from_places=True,
    )


def from_zones(zones: gpd.GeoDataFrame) -> Places:
    """Return zones that stand as one place each, at a point inside."""
    points = gpd.GeoSeries(shapely.point_on_surface(zones.geometry.to_numpy()), crs=WGS84)
    towers = gpd.GeoDataFrame(
        {"location_id": zones["zone_id"], "name": zones["name"]}, geometry=points, crs=WGS84
    )
    note = "no locations were given: each zone stands as one location at a point inside it"
    numbers = np.arange(len(zones), dtype=np.int32)
    return Places(towers, zones, numbers, (note,), zones_are_towers=True)


def zone_of(towers: gpd.GeoDataFrame, zones: gpd.GeoDataFrame) -> NDArray[np.int32]:
    """Return the first zone (by id) that each tower lies in or on the border of, else -1."""
    tree = shapely.STRtree(zones.geometry.to_numpy())
    tower, zone = tree.query(towers.geometry.to_numpy(), predicate="intersects")
    return lowest(tower, zone, len(towers))


def lowest(shape: Integers, match: Integers, count: int) -> NDArray[np.int32]:
    """Return the lowest `match` of each of `count` shapes, -1 where there is none."""
    most = np.iinfo(np.int32).max
    matches = np.full(count, most, dtype=np.int32)
    np.minimum.at(matches, shape, match.astype(np.int32))
    return np.where(matches == most, -1, matches).astype(np.int32)


def _small_table(
    source: sources.Source, columns: dict[str, str], beside: Sequence[str] = ()
) -> pd.DataFrame:
    """Read the mapped columns under their canonical names, and those `beside` under their own."""
    names = {**columns, **{f"beside {name}": name for name in beside}}
    wanted = list(names.values())
    if (source.rows or 0) > MOST_LOCATIONS:
        raise _too_many(source)
    try:
        if source.format == "parquet":
            table = pq.read_table(source.path, columns=wanted)
            table.validate(full=True)  # is its text UTF-8?
        else:
            reader = pacsv.open_csv(
                source.path,
                read_options=pacsv.ReadOptions(
                    encoding=source.encoding,
                    column_names=list(source.columns),
                    skip_rows=1 + source.skipped,
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter=source.delimiter, newlines_in_values=True
                ),
                convert_options=pacsv.ConvertOptions(
                    column_types={name: pa.string() for name in source.columns},
                    include_columns=wanted,
                ),
            )
            table = _limited(source, reader)
    except (pa.ArrowException, OSError, UnicodeDecodeError, KeyError):
        raise InputError(
            f"{source.name}: the table of locations is damaged, or not UTF-8; export it again"
        ) from None
    if table.num_rows == 0:
        raise InputError(f"{source.name}: the table of locations is empty (0 rows)")
    frame = pd.DataFrame({canonical: table[column] for canonical, column in names.items()})
    return frame.rename(columns={f"beside {name}": name for name in beside})


def _limited(source: sources.Source, reader: Any) -> pa.Table:
    """Read a table of locations batch by batch, and no further than one may be large."""
    batches: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in reader:
        batches.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows > MOST_LOCATIONS or size > MOST_BYTES:
            raise _too_many(source)
    return pa.Table.from_batches(batches, schema=reader.schema)


def _too_many(source: sources.Source) -> InputError:
    return InputError(
        f"{source.name}: more than {MOST_LOCATIONS:,} locations, or more than "
        f"{MOST_BYTES // 10**6:,} MB of them; is this the table of visits?"
    )


def _coordinates(file: str, column: str, values: Series) -> Floats:
    """Return degrees; a comma before digits is a decimal mark, for no coordinate has thousands."""
    if not pd.api.types.is_numeric_dtype(values.dtype):
        values = values.astype("string").str.replace(_DECIMAL_COMMA, r"\1.\2", regex=True)
    numbers: Any = pd.to_numeric(values, errors="coerce")
    numbers = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    fault = f"column '{sources.shown(column)}' has no number"
    ids.refuse(file, fault, ~np.isfinite(numbers), "every location needs coordinates in degrees")
    return numbers


def _check_coordinates(file: str, columns: dict[str, str], lat: Floats, lng: Floats) -> None:
    wrong = (np.abs(lat) > 90) | (np.abs(lng) > 180)
    swapped = bool((np.abs(lng[wrong]) <= 90).all() and (np.abs(lat[wrong]) <= 180).all())
    remedy = (
        "latitude and longitude look swapped: map lat and lng the other way round"
        if swapped
        else "give degrees (EPSG:4326), latitude within ±90 and longitude within ±180"
    )
    names = ", ".join(f"'{sources.shown(columns[name])}'" for name in ("lat", "lng"))
    ids.refuse(file, f"columns {names} are out of range", wrong, remedy)
