"""GeoJSON zones: counted before they are parsed, for parsing takes ten times a file's size."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import geopandas as gpd
import numpy as np
import shapely
from pyproj.exceptions import CRSError

from ...errors import InputError
from .sources import MOST_COLUMNS, shown

DEEPEST_NESTING = 40
MOST_LISTS = 1_600_000
MOST_OBJECTS = 300_000
MOST_STRINGS = 1_500_000
MOST_VALUES = 5_000_000
_CHUNK = 1 << 20


def read(path: Path, check_zones: Callable[[int], None]) -> gpd.GeoDataFrame:
    """Return the features of a GeoJSON file; `check_zones` may refuse their number.

    Raises
    ------
    InputError
        If the file holds more than zones do, is damaged, or names an unknown CRS.
    """
    name = shown(path.name)
    _check_size(name, path, check_zones)
    try:
        document = json.loads(path.read_bytes().decode("utf-8-sig"))
        features: list[dict[str, Any]] = document["features"]
        check_zones(len(features))
        _check_columns(name, features)
        return gpd.GeoDataFrame.from_features(features, crs=_crs(document))
    except InputError:
        raise
    except UnicodeDecodeError:
        raise InputError(f"{name}: the text is not UTF-8; save it as UTF-8") from None
    except CRSError:
        raise InputError(
            f"{name}: its coordinate reference system is unknown; save it in EPSG:4326"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise InputError(
            f"{name}: the GeoJSON is damaged or no FeatureCollection; export it again"
        ) from None
    except shapely.errors.GEOSException:
        raise InputError(f"{name}: a shape cannot be read; repair the polygons") from None


def _crs(document: dict[str, Any]) -> str:
    """Return the CRS: EPSG:4326 by the standard, or what the older ``crs`` member names."""
    member = document.get("crs")
    if not isinstance(member, dict):
        return "EPSG:4326"
    properties = cast(dict[str, Any], member)["properties"]
    return str(properties["name"])


def _check_size(name: str, path: Path, check_zones: Callable[[int], None]) -> None:
    """Refuse deep nesting, too many vertices, zones and values by counting signs."""
    depth = lists = objects = quotes = commas = 0
    words = {b'"Feature"': 0, b'"geometry"': 0}
    tail = b""
    with path.open("rb") as handle:
        while chunk := handle.read(_CHUNK):
            data = np.frombuffer(chunk, dtype=np.uint8)
            opening = (data == ord("[")) | (data == ord("{"))
            closing = (data == ord("]")) | (data == ord("}"))
            levels = depth + np.cumsum(opening.astype(np.int32) - closing.astype(np.int32))
            depth = int(levels[-1])
            lists += chunk.count(b"[")
            objects += chunk.count(b"{")
            quotes += chunk.count(b'"')
            commas += chunk.count(b",")
            for word in words:  # also where two chunks meet
                words[word] += (tail[1 - len(word) :] + chunk).count(word)
            tail = chunk[-16:]
            if int(levels.max()) > DEEPEST_NESTING:
                raise InputError(
                    f"{name}: nested deeper than {DEEPEST_NESTING} levels; this is no file of zones"
                )
            if lists > MOST_LISTS:
                raise InputError(
                    f"{name}: more than {MOST_LISTS // 2:,} vertices; simplify the zones (a "
                    "tolerance of 10 m is plenty)"
                )
    check_zones(min(words.values()))  # either word may be a value too
    for count, most, what in (
        (objects, MOST_OBJECTS, "objects"),
        (quotes // 2, MOST_STRINGS, "texts"),
        (commas, MOST_VALUES, "values"),
    ):
        if count > most:
            raise _too_large(f"{name}: {count:,} {what}, more than {most:,}")


def _check_columns(name: str, features: list[dict[str, Any]]) -> None:
    """Refuse features that each have properties of their own: every one would be a column."""
    columns: set[str] = set()
    for feature in features:
        columns.update(feature.get("properties") or {})
        if len(columns) > MOST_COLUMNS:
            raise _too_large(f"{name}: more than {MOST_COLUMNS:,} different properties")


def _too_large(fault: str) -> InputError:
    return InputError(
        fault,
        remedy="keep one id and one name a zone, and drop the other properties",
        code="zones-too-large",
        settings=("zones",),
    )
