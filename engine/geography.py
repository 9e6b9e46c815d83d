"""Public geometry: Voronoi cells, overlaps with zones, the minimum cover, centres.

No function here reads a count or costs privacy. All areas and distances are taken in a Lambert
azimuthal equal-area projection around the region, in metres.
"""

from dataclasses import dataclass

import geopandas as gpd
import numpy as np
import shapely
from pyproj import CRS
from scipy.sparse import coo_array, csr_array, diags_array, eye_array, hstack, vstack
from scipy.sparse.csgraph import breadth_first_order, maximum_bipartite_matching
from scipy.spatial.distance import cdist

from .arrays import Floats, Geometries, Integers

SMALLEST_OVERLAP = 1e-6
"""Overlaps below this share of a tower's cell are dropped before cover and F are built."""


@dataclass(frozen=True, eq=False)
class Tessellation:
    """Towers, zones, their overlaps and the minimum cover of one region.

    `overlap` F, shape (towers, zones), is area(T_j ∩ L) / area(T_j); its rows sum to 1 and P1's
    Formula (1) is Fᵀ X. The cover ℂ is `cover_towers`, then `cover_zones`, positions, ascending.
    `to_cover`, shape (cover, towers), makes counts of the cover from those of towers: its columns
    sum to 1, so one visit changes the cover by exactly 1 in L₁; `to_zones` makes those of zones
    from the cover's (erratum D2). Centres are metres in `projected_crs`; `cover_areas_m2` weigh a
    cluster's centroid (P1, footnote 5).
    """

    overlap: csr_array
    cover_towers: Integers
    cover_zones: Integers
    to_cover: csr_array
    to_zones: csr_array
    cover_centres_m: Floats
    cover_areas_m2: Floats

    @property
    def cover_size(self) -> int:
        """|ℂ|, the number of cells in the minimum cover."""
        return len(self.cover_towers) + len(self.cover_zones)


def tessellate(towers: gpd.GeoDataFrame, zones: gpd.GeoDataFrame) -> Tessellation:
    """Return overlaps, cover and centres of towers (points) and zones (polygons), EPSG:4326.

    Towers at the same place share one cell. A tower whose cell lies outside every zone counts
    wholly in the nearest zone. A zone that no cell overlaps has count 0. At least one of each.
    """
    crs = projected_crs(zones)
    polygons = zones.geometry.to_crs(crs).to_numpy()
    points = towers.geometry.to_crs(crs).to_numpy()
    # not clipped to the region: the zones do that, and joining them all is slow
    cells = _unclipped_voronoi_cells(points, shapely.box(*shapely.total_bounds(polygons)))
    tower, zone, pieces, share = _intersections(cells, polygons, points)
    shape = (len(cells), len(polygons))
    overlap = csr_array(coo_array((share, (tower, zone)), shape=shape))
    cover_towers, cover_zones = minimum_cover(overlap)
    to_cover, to_zones = cover_maps(overlap, cover_towers, cover_zones)
    # a cell of the cover that is a tower is the rest of it, outside the cover's zones
    is_rest = np.isin(tower, cover_towers) & ~np.isin(zone, cover_zones)
    position, rest = np.searchsorted(cover_towers, tower[is_rest]), pieces[is_rest]
    empty = shapely.is_empty(rest)
    area = np.where(empty, 1.0, shapely.area(rest))
    centre = _centres(np.where(empty, polygons[zone[is_rest]], rest))
    size = len(cover_towers)
    rest_area = np.bincount(position, weights=area, minlength=size).astype(np.float64)
    rest_centre = np.zeros((size, 2))
    for axis in (0, 1):
        moment = np.bincount(position, weights=area * centre[:, axis], minlength=size)
        rest_centre[:, axis] = moment / rest_area
    covered = polygons[cover_zones]
    return Tessellation(
        overlap=overlap,
        cover_towers=cover_towers,
        cover_zones=cover_zones,
        to_cover=to_cover,
        to_zones=to_zones,
        cover_centres_m=np.concatenate([rest_centre, _centres(covered)]),
        cover_areas_m2=np.concatenate([rest_area, shapely.area(covered)]),
    )


def _centres(shapes: Geometries) -> Floats:
    return shapely.get_coordinates(shapely.centroid(shapes))


def zone_areas_km2(zones: gpd.GeoDataFrame) -> Floats:
    """Return the areas of zones in square kilometres, shape (zones,); public."""
    return shapely.area(zones.geometry.to_crs(projected_crs(zones)).to_numpy()) / 1e6


def projected_crs(shapes: gpd.GeoDataFrame | gpd.GeoSeries) -> CRS:
    """Return an equal-area projection in metres around the middle of `shapes` (EPSG:4326)."""
    west, south, east, north = shapes.total_bounds
    return CRS.from_dict(
        {
            "proj": "laea",
            "lat_0": round((south + north) / 2, 2),
            "lon_0": round((west + east) / 2, 2),
            "datum": "WGS84",
            "units": "m",
        }
    )


def middle_longitude(longitudes: Floats) -> float:
    """Return the middle of the shortest arc that holds all longitudes, from -180 to 180."""
    west, east = longitudes.min(), longitudes.max()
    if west < -180 or east > min(west + 180, 180):
        around = np.unique(longitudes % 360)
        gaps = np.diff(around, append=around[0] + 360)
        east = float(around[gaps.argmax()])  # the arc begins behind the widest gap
        west = east - 360 + gaps.max()
    return float((west + east) / 2 + 180) % 360 - 180


def unwrap_longitudes(longitudes: Floats, middle: float) -> Floats:
    """Return longitudes within 180° of `middle`, which may lie beyond ±180."""
    return longitudes - 360 * np.floor((longitudes - middle + 180) / 360)


def unwrap(shapes: Geometries, middle: float | None = None) -> Geometries:
    """Return shapes (EPSG:4326) as one piece where they lie on both sides of the 180° meridian.

    `middle` is that of other shapes to lie beside; by default the shapes' own.
    """
    longitudes = shapely.get_coordinates(shapes)[:, 0]
    if middle is None:
        middle = middle_longitude(longitudes)
    if np.array_equal(unwrap_longitudes(longitudes, middle), longitudes):
        return shapes

    def move(degrees: Floats) -> Floats:
        return np.column_stack((unwrap_longitudes(degrees[:, 0], middle), degrees[:, 1]))

    return np.asarray(shapely.transform(shapes, move), dtype=object)


def centre_distances_m(zones: gpd.GeoDataFrame) -> Floats:
    """Return the distances between the centres of zones (EPSG:4326), (zones, zones), metres."""
    polygons = zones.geometry.to_crs(projected_crs(zones)).to_numpy()
    centres = _centres(polygons)
    return np.asarray(cdist(centres, centres), dtype=np.float64)


def hull_region(points: gpd.GeoSeries, buffer_m: float = 500.0) -> shapely.Geometry:
    """Return the convex hull of `points` (projected), widened by `buffer_m` metres."""
    return shapely.buffer(shapely.convex_hull(shapely.union_all(points.to_numpy())), buffer_m)


def voronoi_cells(points: gpd.GeoSeries, region: shapely.Geometry) -> gpd.GeoSeries:
    """Return the Voronoi cell of each point, clipped to `region`, in the order of `points`."""
    cells = shapely.intersection(_unclipped_voronoi_cells(points.to_numpy(), region), region)
    return gpd.GeoSeries(cells, crs=points.crs)


def _unclipped_voronoi_cells(points: Geometries, extent: shapely.Geometry) -> Geometries:
    """Return Voronoi cells that reach beyond the box around `extent`, in the order of `points`."""
    places, place_of_point = np.unique(shapely.get_coordinates(points), axis=0, return_inverse=True)
    if len(places) == 1:
        cells = np.array([shapely.envelope(extent)], dtype=object)
    else:
        sites = shapely.multipoints(places)
        cells = shapely.get_parts(shapely.voronoi_polygons(sites, extend_to=extent, ordered=True))
    return cells[place_of_point.ravel()]


def minimum_cover(overlap: csr_array) -> tuple[Integers, Integers]:
    """Return towers and zones of a minimum vertex cover of the overlap graph (P1, Theorem 5)."""
    graph = coo_array(overlap.astype(bool))
    towers, zones = np.asarray(overlap.shape)
    zone_of_tower = maximum_bipartite_matching(csr_array(graph), perm_type="column")
    free, matched = np.flatnonzero(zone_of_tower < 0), np.flatnonzero(zone_of_tower >= 0)
    # from a source to unmatched towers, on by any edge to zones, and back by matched ones (König)
    source = towers + zones
    start = [graph.row, towers + zone_of_tower[matched], np.full(len(free), source)]
    end = [towers + graph.col, matched, free]
    edges = np.concatenate(start), np.concatenate(end)
    steps = csr_array((np.ones(len(edges[0])), edges), shape=(source + 1, source + 1))
    reached = np.zeros(source + 1, dtype=bool)
    reached[breadth_first_order(steps, source, return_predecessors=False)] = True
    return np.flatnonzero(~reached[:towers]), np.flatnonzero(reached[towers:source])


def _intersections(
    cells: Geometries, zones: Geometries, points: Geometries
) -> tuple[Integers, Integers, Geometries, Floats]:
    """Return tower, zone and polygon of each overlap, and its share of the tower's cell."""
    tower, zone = shapely.STRtree(zones).query(cells, predicate="intersects")
    polygon = shapely.intersection(cells[tower], zones[zone])
    area = shapely.area(polygon)
    cell_area = np.bincount(tower, weights=area, minlength=len(cells))
    thick = 2 * area > 0.01 * shapely.length(polygon)  # a mean width of 1 cm: projections err
    keep = (area > SMALLEST_OVERLAP * cell_area[tower]) & thick
    tower, zone, polygon, area = tower[keep], zone[keep], polygon[keep], area[keep]
    outside = np.setdiff1d(np.arange(len(cells)), tower)
    nearest = shapely.STRtree(zones).nearest(points[outside])
    tower = np.concatenate([tower, outside]).astype(np.int64)
    zone = np.concatenate([zone, nearest]).astype(np.int64)
    polygon = np.concatenate([polygon, np.full(len(outside), shapely.Polygon(), dtype=object)])
    area = np.concatenate([area, np.ones(len(outside))])
    share = area / np.bincount(tower, weights=area, minlength=len(cells))[tower]
    return tower, zone, polygon, share


def cover_maps(
    overlap: csr_array, cover_towers: Integers, cover_zones: Integers
) -> tuple[csr_array, csr_array]:
    """Return the exact partition of each visit (erratum D2) and the map from cover to zones."""
    towers, zones = map(np.arange, np.asarray(overlap.shape))
    uncovered = overlap @ diags_array(1.0 - np.isin(zones, cover_zones))
    rest = uncovered.sum(axis=1) * np.isin(towers, cover_towers)
    rest_rows = csr_array(diags_array(rest))[cover_towers]
    zone_rows = csr_array(overlap.T)[cover_zones]
    to_cover = csr_array(vstack([rest_rows, zone_rows]))
    inverse_rest = np.divide(1.0, rest, out=np.zeros(len(rest)), where=rest > 0)
    from_towers = csr_array((diags_array(inverse_rest) @ uncovered).T)[:, cover_towers]
    itself = csr_array(eye_array(len(zones)))[:, cover_zones]
    to_zones = csr_array(hstack([from_towers, itself]))
    to_zones.eliminate_zeros()
    return to_cover, to_zones
