"""Published formats of mobility data by name: their columns, and how to parse them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from .inputs.column_mapping import has_required_columns, normalise_name
from .inputs.sources import inspect_file
from .options import Choice, Kind, Reading, build_error


class Preset(NamedTuple):
    """One published format; `columns` and `zones` list names by canonical column, best first."""

    name: str
    kind: Kind
    description: str
    columns: Mapping[str, Sequence[str]]
    zones: Mapping[str, Sequence[str]] = {}
    reading: Reading = Reading()
    leave_out: tuple[Choice, ...] = ()
    id_prefix: bool = False


def _read(form: dict[str, Any]) -> Preset:
    reading = form.pop("reading", {})
    if "header" in reading:
        reading["header"] = tuple(reading["header"])
    leave_out = tuple(form.pop("leave_out", ()))
    return Preset(**form, reading=Reading(**reading), leave_out=leave_out)


_FILE = Path(__file__).with_name("presets.json")
PRESETS = tuple(map(_read, json.loads(_FILE.read_text("utf-8"))))
PRESET_NAMES = tuple(dict.fromkeys(preset.name for preset in PRESETS))


def _matches(preset: Preset, columns: Sequence[str]) -> bool:
    return has_required_columns(preset.kind, match_columns(preset.columns, columns))


def find_preset(columns: Sequence[str]) -> Preset | None:
    """Return the format of a table's columns; None for any other."""
    candidates = (
        preset for preset in PRESETS if preset.reading.header is None and _matches(preset, columns)
    )
    return next(candidates, None)


def select_preset(
    name: str, path: Path, reading: Mapping[str, Any]
) -> tuple[Preset, tuple[str, ...]]:
    """Return the format of a name and the table's columns; `InputError` if the table differs."""
    candidates = [preset for preset in PRESETS if preset.name == name]
    for preset in candidates:
        columns = inspect_file(path, replace(preset.reading, **reading)).columns
        if _matches(preset, columns):
            return preset, columns
    expected_columns = ", ".join(
        f"{own}={'|'.join(names)}" for own, names in candidates[-1].columns.items()
    )
    raise build_error("other-form", name=name, columns=expected_columns)


def preset_options(preset: Preset, columns: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of `IngestOptions` for a format and a table of `columns`."""
    return {
        "kind": preset.kind,
        "mapping": match_columns(preset.columns, columns),
        "reading": preset.reading,
        "leave_out": preset.leave_out,
        "id_prefix": preset.id_prefix,
    }


def match_columns(patterns: Mapping[str, Sequence[str]], columns: Sequence[str]) -> dict[str, str]:
    """Return canonical columns by the first matching name, spelt as in the file."""
    spelt, result = {normalise_name(column): column for column in columns}, dict[str, str]()
    for canonical, names in patterns.items():
        for name in names:
            parts = [part.partition(":") for part in name.split("+")]
            if all(normalise_name(column_name) in spelt for column_name, _, _ in parts):
                result[canonical] = "+".join(spelt[normalise_name(a)] + b + c for a, b, c in parts)
                break
    return result
