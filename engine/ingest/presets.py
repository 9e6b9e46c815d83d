"""Forms in which mobility data are published, by name: what their columns mean, how they read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError
from .inputs.mapping import plain, whole
from .inputs.sources import inspect
from .options import Choice, Kind, Reading


class Preset(NamedTuple):
    """One form; `columns` and `zones` hold the names of each canonical column, the first first."""

    name: str
    kind: Kind
    about: str
    columns: Mapping[str, Sequence[str]]
    zones: Mapping[str, Sequence[str]] = {}
    reading: Reading = Reading()
    leave_out: tuple[Choice, ...] = ()
    id_prefix: bool = False


def _read(form: dict[str, Any]) -> Preset:
    """Return a form as its file says it."""
    reading = form.pop("reading", {})
    if "header" in reading:
        reading["header"] = tuple(reading["header"])
    leave_out = tuple(form.pop("leave_out", ()))
    return Preset(**form, reading=Reading(**reading), leave_out=leave_out)


_FILE = Path(__file__).with_name("presets.json")
PRESETS = tuple(map(_read, json.loads(_FILE.read_text("utf-8"))))
NAMES = tuple(dict.fromkeys(preset.name for preset in PRESETS))


def _fits(preset: Preset, columns: Sequence[str]) -> bool:
    """Whether a table of these columns has all of a form."""
    return whole(preset.kind, found(preset.columns, columns))


def fitting(columns: Sequence[str]) -> Preset | None:
    """Return the form that the columns of a table are those of; None for any other."""
    named = (one for one in PRESETS if one.reading.header is None and _fits(one, columns))
    return next(named, None)


def chosen(name: str, path: Path, reading: Mapping[str, Any]) -> tuple[Preset, tuple[str, ...]]:
    """Return the form of that name that a table is, read as is said, and its columns; or refuse."""
    alike = [one for one in PRESETS if one.name == name]
    for one in alike:
        columns = inspect(path, replace(one.reading, **reading)).columns
        if _fits(one, columns):
            return one, columns
    known = ", ".join(f"{own}={'|'.join(names)}" for own, names in alike[-1].columns.items())
    raise InputError(
        f"the table is no '{name}', which has {known}",
        remedy="leave the preset out and map the columns",
        settings=("preset", "mapping"),
    )


def settings(preset: Preset, columns: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of `IngestOptions` that a form stands for in a table of `columns`."""
    return {
        "kind": preset.kind,
        "mapping": found(preset.columns, columns),
        "reading": preset.reading,
        "leave_out": preset.leave_out,
        "id_prefix": preset.id_prefix,
        "parts": ("density", "trips") if preset.kind in ("trips", "visits") else ("trips",),
    }


def found(wanted: Mapping[str, Sequence[str]], columns: Sequence[str]) -> dict[str, str]:
    """Return canonical columns by the first of their names that are there, spelt as in the file."""
    spelt, result = {plain(column): column for column in columns}, dict[str, str]()
    for canonical, names in wanted.items():
        for name in names:
            parts = [part.partition(":") for part in name.split("+")]
            if all(plain(own) in spelt for own, _, _ in parts):
                result[canonical] = "+".join(spelt[plain(a)] + b + c for a, b, c in parts)
                break
    return result
