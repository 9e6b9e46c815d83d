"""Zones from ids of cells: H3, quadkeys and geohashes define their own outlines."""

import re
from collections.abc import Sequence
from typing import Any

import geopandas as gpd
import numpy as np
import shapely

from ... import geography
from ..options import CellKind, build_error
from .ids import H3_CELL

MIN_CELL_ID_LENGTH = 5
_BASE32 = "0123456789bcdefghjkmnpqrstuvwxyz"
_LOOKS: dict[CellKind, str] = {
    "h3": rf"{H3_CELL}|(5[7-9]|6[0-4])[0-9]{{16}}",  # in text, or as a number
    "quadkey": r"[0-3]{1,30}",
    "geohash": rf"[{_BASE32}]{{3,12}}",
}


def cell_kind(ids: Sequence[str]) -> CellKind | None:
    """Return the kind of cells of ids, if all look alike and are of one length."""
    if len({len(cell) for cell in ids}) != 1 or len(ids[0]) < MIN_CELL_ID_LENGTH:
        return None
    for kind, look in _LOOKS.items():
        if all(re.fullmatch(look, cell.lower()) for cell in ids):
            # numbers alone are other ids
            return None if kind == "geohash" and all(cell.isdigit() for cell in ids) else kind
    return None


def cells_to_zones(
    ids: Sequence[str], kind: CellKind, middle: float | None = None
) -> gpd.GeoDataFrame:
    """Return cells as zones, sorted by id, around a `middle` longitude or their own."""
    wrong = [cell for cell in ids if not re.fullmatch(_LOOKS[kind], cell.lower())]
    if wrong or not ids:
        raise build_error("no-cells", wrong=len(wrong), ids=len(ids), kind=kind)
    if len({len(cell) if kind != "h3" else _h3_text(cell)[1] for cell in ids}) > 1:
        raise build_error("mixed-cells", kind=kind)
    names = sorted({cell.lower() for cell in ids})
    shape = {"h3": _h3_polygon, "quadkey": _quadkey_polygon, "geohash": _geohash_polygon}[kind]
    return gpd.GeoDataFrame(
        {"zone_id": names, "name": [f"{kind} {cell}" for cell in names]},
        geometry=geography.unwrap(np.array([shape(cell) for cell in names]), middle),
        crs=4326,
    )


def import_h3() -> Any:
    """Return the library of H3."""
    try:
        import h3 as library
    except ModuleNotFoundError:
        raise build_error("h3-missing") from None
    return library


def _h3_text(cell: str) -> str:
    return f"{int(cell):x}" if len(cell) == 18 else cell


def _h3_polygon(cell: str) -> Any:
    library, cell = import_h3(), _h3_text(cell)
    if not library.is_valid_cell(cell):
        raise build_error("odd-h3")
    return shapely.Polygon([(lng, lat) for lat, lng in library.cell_to_boundary(cell)])


def _quadkey_polygon(key: str) -> Any:
    x = y = 0
    for digit in key:
        x, y = 2 * x + int(digit) % 2, 2 * y + int(digit) // 2
    size = 2 ** len(key)

    def latitude(row: int) -> float:
        return float(np.degrees(np.arctan(np.sinh(np.pi * (1 - 2 * row / size)))))

    west, east = (360 * column / size - 180 for column in (x, x + 1))
    return shapely.box(west, latitude(y + 1), east, latitude(y))


def _geohash_polygon(key: str) -> Any:
    bounds = [[-180.0, 180.0], [-90.0, 90.0]]
    bits = [(_BASE32.index(letter) >> shift) & 1 for letter in key for shift in (4, 3, 2, 1, 0)]
    for number, bit in enumerate(bits):
        side = bounds[number % 2]
        side[1 - bit] = (side[0] + side[1]) / 2
    (west, east), (south, north) = bounds
    return shapely.box(west, south, east, north)
