"""Coarser zones that a file names for each zone, kept as `engine.resolution` reads them.

A level ``province`` is a column ``province_id`` of ids, and ``province`` of names where the file
has both. What is declared must be a hierarchy; what is guessed by its name and is none is left out
and told.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import geopandas as gpd
import pandas as pd

from ...errors import DatasetError, InputError
from ...resolution.levels import zone_levels
from .ids import as_text
from .sources import shown

Frame: TypeAlias = Any
"""A pandas table with columns of unknown types."""

LONGEST_LEVEL = 40
_USUAL = (
    "province, provincia, district, distrito, region, department, departamento, municipality, "
    "municipio, commune, comuna, county, condado, state, estado, prefecture, canton, borough, "
    "sector, ward, city, ciudad, town, parish, governorate, oblast, colonia, barrio, "
    "neighbourhood, neighborhood, country, pais"
)
USUAL = frozenset(_USUAL.split(", "))
"""Level names that are taken for coarser zones without being told to."""
_IDS = re.compile(r"_?(id|code|pcode|codigo|cod|no|nr|key)$")
_NAMES = re.compile(r"_?(name|nombre|en|es)$")
_NUMBERED = re.compile(r"(?:gid|name|adm|admin)_?([0-9])")
_RESERVED = ("zone", "location", "name", "geometry")


class Level(NamedTuple):
    """A level, such as ``province``, and the columns that hold its ids and its names."""

    name: str
    ids: str
    names: str


def level_name(column: str) -> str:
    """Return the level that a column names: its letters without what marks ids or names."""
    plain = unicodedata.normalize("NFKD", column).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    if numbered := _NUMBERED.match(plain):
        return f"adm{numbered[1]}"
    short = plain
    for ending in (_IDS, _NAMES):
        cut = ending.sub("", short)
        if cut and (cut != short and ("_" in short or cut in USUAL)):
            short = cut
    short = (short or "level")[:LONGEST_LEVEL].strip("_")
    return f"coarse_{short}" if short in _RESERVED else short


def levels(columns: Sequence[str]) -> list[Level]:
    """Return the levels that `columns` can name, ids and names of one level together."""
    groups: dict[str, list[str]] = {}
    for column in columns:
        groups.setdefault(level_name(column), []).append(column)
    result: list[Level] = []
    for name, alike in groups.items():
        ids = next((c for c in alike if _holds_ids(c)), alike[0])
        result.append(Level(name, ids, next((c for c in alike if not _holds_ids(c)), ids)))
    return result


def guess(columns: Sequence[str]) -> list[Level]:
    """Return the levels of `columns` whose names are usual ones for coarser zones."""
    return [
        level
        for level in levels(columns)
        if level.name in USUAL or re.fullmatch(r"adm[0-9]", level.name)
    ]


def read(
    file: str, table: Frame, own: Sequence[str], declared: Sequence[str] | None, needed: str = ""
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return columns of coarser zones in a table with one row a zone, and notes on the rest."""
    free = [str(column) for column in table.columns if str(column) not in own]
    named = [*(declared or ()), *([needed] if needed else [])]
    if unknown := [column for column in named if column not in free]:
        raise InputError(
            f"{file}: has no column '{shown(unknown[0])}' of coarser zones beside the zones' own",
            remedy="name a column that tells the coarser zone of each zone",
            code="no-parent",
            settings=("parents", "parent"),
        )
    asked = [level for level in levels(free) if {level.ids, level.names} & set(named)]
    kept, notes = pd.DataFrame({"zone_id": range(len(table))}), list[str]()
    for level in (*asked, *(guess(free) if declared is None else ())):
        column, ids = f"{level.name}_id", as_text(table[level.ids]).to_numpy(dtype=object)
        if column in kept or (level not in asked and not _coarser(ids, kept)):
            continue
        tried = kept.assign(**{column: ids})
        try:
            zone_levels(cast(gpd.GeoDataFrame, tried))
        except DatasetError as fault:
            if level in asked:
                raise InputError(
                    f"{file}: {fault}", code="bad-parents", settings=("parents",)
                ) from None
            notes.append(f"'{shown(level.ids)}' is not kept as coarser zones: {fault}")
            continue
        kept = tried
        names = as_text(table[level.names]).to_numpy(dtype=object)
        if level.names != level.ids:
            kept[level.name] = [own or id_ for own, id_ in zip(names, ids, strict=True)]
    columns = {str(c): kept[c].to_numpy(dtype=object) for c in kept if c != "zone_id"}
    return columns, tuple(notes)


def kept(zones: Frame) -> str:
    """Return the levels beside zones and how many coarser zones each has, finest first."""
    return ", ".join(f"{name} ({count:,})" for name, count in zone_levels(zones)[1:])


def _coarser(ids: Frame, kept: Frame) -> bool:
    """Whether ids join some zones but not all, and group them as no level that is kept does."""
    groups = pd.factorize(ids)[0]
    alike = ((pd.factorize(kept[c])[0] == groups).all() for c in kept if c != "zone_id")
    return 1 < len(set(ids)) < len(ids) and not any(alike)


def _holds_ids(column: str) -> bool:
    plain = column.lower()
    return bool(_IDS.search(plain) or plain.startswith("gid"))
