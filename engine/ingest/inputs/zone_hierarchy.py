"""Coarser zones in a file of zones, stored as `engine.resolution` reads them.

Levels are detected by their names. A level ``province`` is a column ``province_id`` of ids, and
``province`` of names where the file has both. Columns that are no hierarchy are left out and noted.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import geopandas as gpd
import pandas as pd

from ...errors import DatasetError
from ...resolution.levels import zone_levels
from .ids import ids_to_text
from .sources import to_printable

Frame: TypeAlias = Any

_USUAL_LEVELS = (
    "province, provincia, district, distrito, region, department, departamento, municipality, "
    "municipio, commune, comuna, county, condado, state, estado, prefecture, canton, borough, "
    "sector, ward, city, ciudad, town, parish, governorate, oblast, colonia, barrio, "
    "neighbourhood, neighborhood, country, pais"
)
USUAL_LEVEL_NAMES = frozenset(_USUAL_LEVELS.split(", "))
_IDS = re.compile(r"_?(id|code|pcode|codigo|cod|no|nr|key)$")
_NAMES = re.compile(r"_?(name|nombre|en|es)$")
_NUMBERED_LEVEL = re.compile(r"(?:gid|name|adm|admin)_?([0-9])")


class HierarchyLevel(NamedTuple):
    """A level, such as ``province``, and the columns that hold its ids and its names."""

    name: str
    id_column: str
    name_column: str


def guess_levels(columns: Sequence[str]) -> list[HierarchyLevel]:
    """Return the levels with usual names of coarser zones, ids and names of one together."""
    groups: dict[str, list[str]] = {}
    for column in columns:
        if name := _level_of_column(column):
            groups.setdefault(name, []).append(column)
    result: list[HierarchyLevel] = []
    for name, level_columns in groups.items():
        ids = next((c for c in level_columns if _holds_ids(c)), level_columns[0])
        result.append(
            HierarchyLevel(name, ids, next((c for c in level_columns if not _holds_ids(c)), ids))
        )
    return result


def _level_of_column(column: str) -> str | None:
    plain = unicodedata.normalize("NFKD", column).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    if numbered := _NUMBERED_LEVEL.match(plain):
        return f"adm{numbered[1]}"
    names = (plain, _IDS.sub("", plain), _NAMES.sub("", plain))
    return next((name for name in names if name in USUAL_LEVEL_NAMES), None)


def read_levels(
    table: Frame, used_columns: Sequence[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the columns of coarser zones of a table with one row a zone, and notes on the rest."""
    free = [str(column) for column in table.columns if str(column) not in used_columns]
    levels, notes = pd.DataFrame({"zone_id": range(len(table))}), list[str]()
    for level in guess_levels(free):
        column, ids = f"{level.name}_id", ids_to_text(table[level.id_column]).to_numpy(dtype=object)
        if not _is_coarser(ids, levels):
            continue
        candidate = levels.assign(**{column: ids})
        try:
            zone_levels(cast(gpd.GeoDataFrame, candidate))
        except DatasetError as fault:
            notes.append(
                f"'{to_printable(level.id_column)}' is not offered as coarser zones: {fault}"
            )
            continue
        levels = candidate
        if level.name_column != level.id_column:
            names = ids_to_text(table[level.name_column]).to_numpy(dtype=object)
            levels[level.name] = [own or id_ for own, id_ in zip(names, ids, strict=True)]
    columns = {str(c): levels[c].to_numpy(dtype=object) for c in levels if c != "zone_id"}
    return columns, tuple(notes)


def format_levels(zones: Frame) -> str:
    """Return text of the levels above zones with their numbers of zones, finest first."""
    return ", ".join(f"{name} ({count:,})" for name, count in zone_levels(zones)[1:])


def _is_coarser(ids: Frame, levels: Frame) -> bool:
    """Return whether ids join some zones but not all, and differ from all `levels`."""
    groups = pd.factorize(ids)[0]
    equals_level = ((pd.factorize(levels[c])[0] == groups).all() for c in levels if c != "zone_id")
    return 1 < len(set(ids)) < len(ids) and not any(equals_level)


def _holds_ids(column: str) -> bool:
    plain = column.lower()
    return bool(_IDS.search(plain) or plain.startswith("gid"))
