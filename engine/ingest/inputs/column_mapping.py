"""Meaning of columns: guessed from names, shown to the person, checked against the file."""

import json
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ..options import IngestOptions, Reading, build_error
from .sources import Source, first_rows, inspect_file, to_printable

Mappings = dict[Source, dict[str, str]]
"""Canonical to actual column names of every input file; see `joined_columns` for joined ones."""

TIMES = ("datetime", "end_datetime", "date")
CLOCKS = {"clock": "datetime", "end_clock": "end_datetime"}
"""The date column that a column of clock times belongs to."""
END_POINTS = (("origin_lat", "origin_lng"), ("destination_lat", "destination_lng"))
POINTS = (("lat", "lng"), *END_POINTS)
DEGREES = tuple(name for pair in POINTS for name in pair)
NUMBERS = (*DEGREES, "flow")

REQUIRED: dict[str, tuple[str, ...]] = {
    "trips": ("uid", "datetime"),
    "rides": ("datetime",),
    "visits": ("uid", "datetime"),
    "flows": ("origin", "destination", "flow"),
    "locations": ("location_id", "lat", "lng"),
    "zones": ("zone_id",),
}
OPTIONAL: dict[str, tuple[str, ...]] = {
    "trips": ("origin", "destination", "end_datetime", *DEGREES[2:], *CLOCKS),
    "rides": ("origin", "destination", "end_datetime", "tid", *DEGREES[2:], *CLOCKS),
    "visits": ("location_id", "lat", "lng", "tid", "clock"),
    "flows": ("date",),
    "locations": ("name",),
    "zones": ("name",),
}
PLACES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "visits": (("location_id",), ("lat", "lng")),
    "trips": (("origin", "destination"), DEGREES[2:]),
    "rides": (("origin", "destination"), DEGREES[2:]),
    "flows": (("origin", "destination"), ()),
}
"""For each kind of table the columns of place ids, and those of coordinates instead."""

_WORDS = json.loads(Path(__file__).with_name("names.json").read_text("utf-8"))
"""Published names of columns by meaning, and the parts of such names."""


def normalise_name(name: str) -> str:
    """Return a column's name in the letters and digits used for comparison."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "", letters)


def _spelt_out(name: str) -> list[str]:
    if not (both := re.fullmatch("<(.*)> <(.*)>", name)):
        return [name]
    ends, axes = (_WORDS["parts"][part] for part in both.groups())
    return [text for end in ends for axis in axes for text in (f"{end} {axis}", f"{axis} {end}")]


_NAMES = {
    canonical: tuple(
        normalise_name(text) for name in (canonical, *names) for text in _spelt_out(name)
    )
    for canonical, names in _WORDS["columns"].items()
}
MAX_VALUE_LENGTH = 80
"""Characters of a value that a preview shows."""
_NUMERIC = ("int", "uint", "float", "double", "halffloat", "decimal")
_TEXTS = ("string", "large_string", "string_view", "dictionary")
ID_TYPES = (*_TEXTS, *_NUMERIC)
_STAMPS = ("timestamp", "date32", "date64")
_NAME = re.compile(r"[^\W\d][\w .()\[\]#-]{0,59}")
_DAY = re.compile("date$|^fecha|^dia$|^day$|^d[ts]$")
_ENDINGS = {
    "location_id": "(id|code|number|pcode?|ident)$",
    "zone_id": "(id|code|number|nummer|pcode?|[0-9]cd)$|^(id|cd|cod)",
    "lat": "^lat|lat(itude?)?$",
    "lng": "^(lon|lng)|(lng|lon|longitude?)$",
}
"""Endings of the single unknown column in files of places and zones."""
FEATURE_ID = "feature id"
"""Column of the ids that GeoJSON tells beside a geometry; taken where no other holds ids."""
_ROW_NUMBERS = {normalise_name(FEATURE_ID), "objectid", "objid", "fid", "oid", "globalid", "uuid"}


def is_named_id(column: str) -> bool:
    """Whether a column is named like ids of places."""
    name = normalise_name(column)
    return name in _NAMES["location_id"] or bool(re.search(_ENDINGS["location_id"], name))


def guess_columns(kind: str, columns: Sequence[str]) -> dict[str, str]:
    """Return a guess of the column of each canonical column of a `kind` of table."""
    spelt = {normalise_name(column): column for column in reversed(columns)}
    names: dict[str, str] = {}
    canonical_names = REQUIRED[kind] + OPTIONAL[kind]
    for canonical in canonical_names:
        if canonical in CLOCKS and not _DAY.search(
            normalise_name(names.get(CLOCKS[canonical], ""))
        ):
            continue  # a column of clock times needs a column of days
        for synonym in _NAMES[canonical]:
            if kind == "visits" and synonym == "id":  # there it numbers the rows
                continue
            column = spelt.get(synonym)
            if column is not None and column not in names.values():
                names[canonical] = column
                break
        if canonical == "end_datetime":
            names |= _find_start(names, spelt)
        if kind in ("locations", "zones") and canonical not in names and canonical in _ENDINGS:
            ending = _ENDINGS[canonical]
            matches = [name for name in spelt.keys() - _ROW_NUMBERS if re.search(ending, name)]
            names |= {canonical: spelt[matches[0]]} if len(matches) == 1 else {}
    if kind == "zones" and FEATURE_ID in columns:
        names.setdefault("zone_id", FEATURE_ID)
    for clock, whole_ in CLOCKS.items():
        day_column = names.get(whole_, "")
        day = next((spelt[n] for n in _NAMES[whole_] if n in spelt and _DAY.search(n)), day_column)
        if (
            clock in canonical_names
            and day != day_column
            and normalise_name(day_column) in _NAMES[clock]
        ):
            names |= {clock: day_column, whole_: day}
    return names


def _find_start(names: Mapping[str, str], spelt: Mapping[str, str]) -> dict[str, str]:
    """Return the column of starts that is named like that of the ends, if the table has it."""
    end, start = (normalise_name(names.get(own, "")) for own in ("end_datetime", "datetime"))
    for finish, begin in _WORDS["parts"]["starts"].items():
        column = spelt.get(end.replace(finish, begin))
        if finish in end and begin not in start and column not in (None, *names.values()):
            return {"datetime": column}
    return {}


def joined_columns(spec: str, columns: Sequence[str]) -> list[tuple[str, int | None]]:
    """Return the columns that a mapping joins, each with its padded number of digits."""
    if spec in columns:
        return [(spec, None)]
    result: list[tuple[str, int | None]] = []
    for part in spec.split("+"):
        name, colon, digits = part.rpartition(":")
        if colon and digits.isdigit() and name:
            result.append((name, min(int(digits), 30)))
        else:
            result.append((part, None))
    return result


def resolve_columns(
    kind: str, mapping: Mapping[str, str], source: Source, by_points: bool = False
) -> dict[str, str]:
    """Return canonical → actual column names for one file: the given ones, and guesses.

    Places have ids or coordinates: ids are used where a file has both, unless coordinates alone are
    given, or no table of places can have these ids (`by_points`).
    """
    canonical_names = REQUIRED[kind] + OPTIONAL[kind]
    if odd := next((canonical for canonical in mapping if canonical not in canonical_names), None):
        names = ", ".join(canonical_names)
        raise build_error("unknown-name", name=to_printable(odd), kind=kind, names=names)
    chosen = {canonical: spec for canonical, spec in mapping.items() if spec}
    used = {
        column for spec in chosen.values() for column, _ in joined_columns(spec, source.columns)
    }
    free = [column for column in source.columns if column not in used]
    names = {k: v for k, v in guess_columns(kind, free).items() if k not in mapping} | chosen
    time = {"flows": "date", "zones": "", "locations": ""}.get(kind, "datetime")
    if time and source.folder_days and time not in {*names, *mapping}:
        names[time] = source.folder_days[0][0]
    for canonical in REQUIRED[kind]:
        if canonical == "uid" and canonical not in names:
            columns = format_columns(source.columns)
            raise build_error("no-people", file=source.name, columns=columns)
        if canonical not in names:
            raise _missing_error(source, kind, f"no column for {canonical}", canonical)
    ids, points = PLACES.get(kind, ((), ()))
    has_ids, has_points = set(ids) <= names.keys(), bool(points) and set(points) <= names.keys()
    if not has_ids and not has_points:
        fault = f"no column for {' and '.join(ids)}, nor for {', '.join(points)}"
        raise _missing_error(source, kind, fault, "one or the other")
    wants_points = (by_points or not set(points).isdisjoint(mapping)) and set(ids).isdisjoint(
        chosen
    )
    dropped = ids if has_points and (wants_points or not has_ids) else points
    names = {canonical: spec for canonical, spec in names.items() if canonical not in dropped}
    check_columns(source, names, kind)
    return names


def has_required_columns(kind: str, names: Collection[str]) -> bool:
    """Return whether these canonical columns are all that a table of this kind needs."""
    ids, points = PLACES[kind]
    placed = set(ids) <= set(names) or (bool(points) and set(points) <= set(names))
    return placed and set(REQUIRED[kind]) <= set(names)


def resolve_all(options: IngestOptions, files: Sequence[Source]) -> Mappings:
    """Return the column mapping of every file, checked."""
    result: Mappings = {}
    area = options.zones or options.area or options.area_from_data
    by_points = bool(area) and options.locations is None
    for source in files:
        result[source] = resolve_columns(options.kind, options.mapping, source, by_points)
    first, *other_files = result.items()
    for source, names in other_files:
        if odd := sorted(set(names) ^ set(first[1])):
            names = ", ".join(odd)
            raise build_error("mixed-files", file=source.name, names=names, other=first[0].name)
    return result


def check_columns(source: Source, names: Mapping[str, str], kind: str = "rows") -> None:
    """Raise `InputError` for columns of one file that are missing or of an unusable type."""
    for canonical, spec in names.items():
        for column, _ in joined_columns(spec, source.columns):
            if column not in source.columns:
                fault = f"column '{to_printable(column)}' (for {canonical}) is missing"
                raise _missing_error(source, kind, fault, canonical)
            type_ = source.column_types[source.columns.index(column)]
            usable = _TEXTS + _NUMERIC
            if canonical in TIMES:
                usable += _STAMPS
            elif canonical in CLOCKS:
                usable += ("time",)
            elif canonical not in NUMBERS:
                usable += ("bool", *_STAMPS)
            if not type_.startswith(usable):
                which = {"file": source.name, "column": to_printable(column)}
                raise build_error("odd-type", canonical=canonical, kind=type_[:40], **which)


def has_mixed_people(mappings: Mappings) -> bool:
    """Return whether ids of people are numbers, without zeros before, in some files alone."""
    kinds = {
        source.column_types[source.columns.index(names["uid"])]
        for source, names in mappings.items()
        if names.get("uid") in source.columns
    }
    numeric = {kind for kind in kinds if kind.startswith(_NUMERIC)}
    return bool(numeric) and bool(kinds - numeric)


def format_columns(columns: Sequence[str]) -> str:
    """Return column names printable in a message; names that look like values are only counted."""
    names = [to_printable(column) for column in columns if _NAME.fullmatch(column)][:20]
    rest_count = len(columns) - len(names)
    text = ", ".join(names) + (f" and {rest_count} more" if rest_count and names else "")
    return text or f"{rest_count} columns, none of which has a name"


def _missing_error(source: Source, kind: str, fault: str, canonical: str) -> InputError:
    rows = first_rows(source, 1) if kind != "zones" and source.format == "csv" else []
    for column, value in zip(source.columns, rows[0] if rows else (), strict=False):
        if re.match(r"[\[{]|LINESTRING|MULTI|POINT", value):
            fault += (
                f"; '{to_printable(column)}' has several values in one cell: give each value "
                "its own column"
            )
    return InputError(
        f"{source.name}: {fault}",
        remedy=f"choose a column for {canonical}; the file has {format_columns(source.columns)}",
        settings=(f"{kind}_mapping" if kind in ("locations", "zones") else "mapping",),
    )


class TablePreview(NamedTuple):
    """Columns and first rows for mapping. **Confidential**: `rows` are the first rows as text."""

    source: Source
    rows: list[list[str]]


def preview_table(path: Path, rows: int = 10, reading: Reading | None = None) -> TablePreview:
    """Return a preview of the first `rows` of one raw table."""
    source = inspect_file(path, reading)
    return TablePreview(
        source, [[_shorten(value) for value in row] for row in first_rows(source, rows)]
    )


def _shorten(value: str) -> str:
    return value if len(value) <= MAX_VALUE_LENGTH else value[: MAX_VALUE_LENGTH - 1] + "…"
