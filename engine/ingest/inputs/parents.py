"""Coarser zones that a file names for each zone, kept as `engine.resolution` reads them.

So a dataset of one's own can be looked at by province as well as by its finest zones. A level
``province`` is a column ``province_id`` of ids, and ``province`` of names where the file has both.
What is declared must be a hierarchy; what is guessed by its name and is none is left out and told.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from ...errors import InputError
from .ids import as_text
from .sources import shown

Frame: TypeAlias = Any
"""A pandas table with columns of unknown types."""

LONGEST_LEVEL = 40
NOT_KEPT = "is not kept as coarser zones"
_USUAL = (
    "province, provincia, provinz, district, distrito, distrikt, region, departement, department, "
    "departamento, municipality, municipio, municipalite, gemeinde, commune, comuna, county, "
    "condado, state, estado, prefecture, canton, borough, sector, ward, arrondissement, city, "
    "ciudad, ville, town, parish, governorate, oblast, kreis, colonia, barrio, neighbourhood, "
    "neighborhood, quartier, country, pais"
)
USUAL = frozenset(_USUAL.split(", "))
"""Level names that are taken for coarser zones without being told to."""

_IDS = re.compile(r"_?(id|code|pcode|codigo|cod|no|nr|key)$")
_NAMES = re.compile(r"_?(name|nombre|nom|en|fr|es|pt)$")
_NUMBERED = re.compile(r"(?:gid|name|adm|admin)_?([0-9])")
_RESERVED = ("zone", "location", "name", "geometry")


class Level(NamedTuple):
    """A level, such as ``province``, and the columns of a file that hold its ids and its names.

    They are one and the same where the file has ids or names alone.
    """

    name: str
    ids: str
    names: str


class Parents(NamedTuple):
    """Levels of coarser zones that were found in a file.

    Arrays, shape (zones,), of ``province_id`` and, where the file has names too, ``province``; and
    notes on what was guessed and is not kept, and why.
    """

    columns: Mapping[str, Any] = {}
    notes: tuple[str, ...] = ()


def level_name(column: str) -> str:
    """Return the level that a column names: its letters without what marks ids or names.

    Examples
    --------
    >>> [level_name(column) for column in ("Province_ID", "provincia", "ADM1_EN", "GID_1")]
    ['province', 'provincia', 'adm1', 'adm1']
    """
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
    """Return the levels that `columns` can name, ids and names of one level together.

    Examples
    --------
    >>> levels(["province", "province_id", "area"])[0]
    Level(name='province', ids='province_id', names='province')
    """
    groups: dict[str, list[str]] = {}
    for column in columns:
        groups.setdefault(level_name(column), []).append(column)
    result: list[Level] = []
    for name, alike in groups.items():
        ids = next((c for c in alike if _holds_ids(c)), alike[0])
        result.append(Level(name, ids, next((c for c in alike if not _holds_ids(c)), ids)))
    return result


def guess(columns: Sequence[str]) -> list[Level]:
    """Return the levels of `columns` whose names are usual ones for coarser zones.

    Examples
    --------
    >>> [level.name for level in guess(["id", "Municipio", "ADM1_PCODE", "population"])]
    ['municipio', 'adm1']
    """
    return [
        level
        for level in levels(columns)
        if level.name in USUAL or re.fullmatch(r"adm[0-9]", level.name)
    ]


def wanted(columns: Sequence[str], declared: Sequence[str] | None, needed: str = "") -> list[str]:
    """Return those of `columns` that `read` looks at.

    Examples
    --------
    >>> wanted(["district", "capacity", "band"], None, "band")
    ['district', 'band']
    """
    named = {*(declared or ()), needed}
    chosen = [level for level in levels(columns) if {level.ids, level.names} & named]
    chosen += guess(columns) if declared is None else []
    looked_at = {column for level in chosen for column in (level.ids, level.names)}
    return [column for column in columns if column in looked_at]


def read(
    file: str, table: Frame, own: Sequence[str], declared: Sequence[str] | None, needed: str = ""
) -> Parents:
    """Return the levels of coarser zones in a table with one row a zone.

    Parameters
    ----------
    file, table
        Its name for messages, and its rows.
    own : sequence of str
        Columns that hold the zones' own ids, names, shapes or coordinates.
    declared : sequence of str or None
        Columns that must be levels; None takes those of usual names that are a hierarchy.
    needed : str
        One column more that must be a level, because zones are built at it.

    Raises
    ------
    InputError
        If a declared column is missing, leaves a zone without a parent, or does not nest.
    """
    free = [str(column) for column in table.columns if str(column) not in own]
    named = [*(declared or ()), *([needed] if needed else [])]
    for column in named:
        if column not in free:
            raise InputError(
                f"{file}: has no column '{shown(column)}' of coarser zones beside the zones' own",
                remedy="name a column that tells the coarser zone of each zone",
                code="no-parent",
                settings=("parents", "parent"),
            )
    kept: dict[str, Any] = {}
    names: dict[str, Any] = {}
    notes: list[str] = []
    declared_levels = [level for level in levels(free) if {level.ids, level.names} & set(named)]
    for level in declared_levels:
        ids = as_text(table[level.ids])
        if fault := _fault(level.name, ids, kept):
            raise InputError(
                f"{file}: {fault}",
                remedy="mend the column, or leave it out",
                code="bad-parents",
                settings=("parents",),
            )
        kept[level.name], names[level.name] = ids, table[level.names]
    for level in guess(free) if declared is None else ():
        ids = as_text(table[level.ids])
        if level in declared_levels or not 1 < ids.nunique() < len(ids):
            continue
        if any(_same(ids, other) for other in kept.values()):
            continue
        if fault := _fault(level.name, ids, kept):
            notes.append(f"'{shown(level.ids)}' {NOT_KEPT}: {fault}")
            continue
        kept[level.name], names[level.name] = ids, table[level.names]
    finest_first = sorted(kept, key=lambda name: -kept[name].nunique())
    columns: dict[str, Any] = {}
    for name in finest_first:
        columns[f"{name}_id"] = kept[name].to_numpy(dtype=object)
        own_names = as_text(names[name])
        if not own_names.equals(kept[name]):
            filled = own_names.where(own_names.notna(), kept[name])
            columns[name] = filled.to_numpy(dtype=object)
    return Parents(columns, tuple(notes))


def kept_levels(zones: Frame) -> dict[str, int]:
    """Return the levels beside zones and how many coarser zones each has, finest first.

    Examples
    --------
    >>> kept_levels(pd.DataFrame({"zone_id": ["a", "b"], "land_id": ["x", "x"]}))
    {'land': 1}
    """
    sizes = {
        str(column).removesuffix("_id"): int(zones[column].nunique())
        for column in zones.columns
        if str(column).endswith("_id") and column != "zone_id"
    }
    return dict(sorted(sizes.items(), key=lambda level: -level[1]))


def above(zones: Frame, codes: Any, ids: Sequence[str]) -> dict[str, list[Any]]:
    """Return the level columns of coarser zones themselves: those in which each lies as a whole.

    `codes` says to which of the coarse zones, whose `ids` are given, each zone belongs.
    """
    first = np.unique(codes, return_index=True)[1]
    result: dict[str, list[Any]] = {}
    for level in kept_levels(zones):
        own = zones[f"{level}_id"].to_numpy(dtype=object)
        whole = (own[first][codes] == own).all()
        if not whole or not len(set(own)) < len(ids):
            continue
        for column in (f"{level}_id", level):
            if column in zones.columns:
                result[column] = list(zones[column].to_numpy(dtype=object)[first])
    return result


def _holds_ids(column: str) -> bool:
    plain = column.lower()
    return bool(_IDS.search(plain) or plain.startswith("gid"))


def _same(one: Frame, other: Frame) -> bool:
    """Whether two columns group the zones alike."""
    return bool((pd.factorize(one)[0] == pd.factorize(other)[0]).all())


def _fault(name: str, ids: Frame, kept: Mapping[str, Frame]) -> str:
    """Return why a level is no level of a hierarchy with those `kept`; empty where it is one."""
    missing = int(ids.isna().sum())
    if missing:
        return f"{missing:,} of {len(ids):,} zones name no {name}"
    for other, values in kept.items():
        fine, coarse = (ids, values), (values, ids)
        label = (name, other)
        if ids.nunique() < values.nunique():
            fine, coarse, label = coarse, fine, (other, name)
        parents = fine[1].groupby(fine[0].to_numpy()).nunique()
        if several := int((parents > 1).sum()):
            return f"each {label[0]} must lie in one {label[1]}, and {several:,} lie in several"
    return ""
