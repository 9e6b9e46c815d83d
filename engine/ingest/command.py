"""The command line of the ingest, with help from the docstring of `IngestOptions`."""

import argparse
import inspect
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from types import FrameType, NoneType
from typing import Any, get_args, get_origin, get_type_hints

from ..child_process import call_in_child
from ..datasets import find_folder, parse_output_folder
from ..errors import ExplorerError, InputError, add_json_option, parse_day, parse_number
from . import presets
from .build import ingest
from .inputs import sources, zones
from .inputs.sources import to_printable
from .options import CHOICES, KEPT, IngestOptions, Kind, Reading, build_error, literal_values
from .progress import Cancelled, Progress

EXIT_BAD_INPUT = 2
EXIT_CANCELLED = 130
_FROM_DATA = "data"
_EXAMPLE = """examples:
  mobility-privacy-explorer ingest trips trips_*.csv --locations stations.csv
      --map uid=User datetime=Start end_datetime=End origin=From destination=To
      --timezone America/Mexico_City --from 2015-09-01 --to 2015-09-30
      --week 2015-09-07 --out guadalajara
  mobility-privacy-explorer ingest --as tlc yellow_2019-01.csv --zones taxi_zones.geojson
      --timezone America/New_York --from 2019-01-01 --to 2019-01-31 --out taxis"""
_FLAGS = {
    "first_day": "--from",
    "last_day": "--to",
    "time_zone": "--timezone",
    "mapping": "--map",
    "locations_mapping": "--map-locations",
    "zones_mapping": "--map-zones",
    "max_visits_cap": "--cap",
    "mean_visits_public": "--mean-visits",
    "people_public": "--people",
    "places_public": "--public-places",
    "hexagon_m": "--hexagons",
    "header": "--no-header",
    "date_order": "--date-format",
    "text_time_zone": "--text-timezone",
}
_REQUIRED = ("out", "first_day", "last_day", "time_zone")
_NO_OPTIONS = ("kind", "inputs", "reading", "area_from_data")


def _parse_pair(text: str) -> tuple[str, str]:
    name, equals, column = text.partition("=")
    if not equals or not name:  # no column: not even a guessed one
        raise argparse.ArgumentTypeError(f"it is written as NAME=VALUE (given: {text!r})")
    return name, column


def _parse_word(text: str) -> str:
    return {"tab": "\t", "\\t": "\t"}.get(text, text)


def _field_descriptions(options_type: type) -> dict[str, str]:
    descriptions, names = dict[str, str](), list[str]()
    for line in inspect.cleandoc(options_type.__doc__ or "").splitlines():
        if match := re.fullmatch(r"([\w, ]+) : .*", line):
            names = match[1].split(", ")
        elif line.startswith("    "):
            descriptions |= {
                name: f"{descriptions.get(name, '')} {line.strip()}".strip() for name in names
            }
        else:
            names = []
    return descriptions


def _argument_options(kind: Any) -> dict[str, Any]:
    value_type = next((part for part in get_args(kind) if NoneType in get_args(kind)), kind)
    several, words = get_origin(value_type) is tuple, literal_values(value_type)
    if value_type is bool:
        return {"action": "store_true" if value_type is kind else argparse.BooleanOptionalAction}
    if get_origin(value_type) is Mapping:
        return {"nargs": "+", "action": "extend", "type": _parse_pair, "metavar": "NAME=VALUE"}
    if words:
        marks = any(not word[:1].isalnum() for word in words)
        how = {"metavar": "MARK"} if marks else {}
        how |= {"nargs": "+", "metavar": "WHAT"} if several else {}
        return {"choices": words, "type": _parse_word, **how}
    if several:
        return {"nargs": 2, "type": int} if int in get_args(value_type) else {"nargs": "*"}
    return {"type": {date: parse_day, float: parse_number}.get(value_type, value_type)}


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; its result lacks omitted options, so that defaults stand once."""
    reader = argparse.ArgumentParser(
        prog="mobility-privacy-explorer ingest",
        description="Count raw trips or visits into a dataset of the explorer.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
    )
    text = f"kind of table ({', '.join(get_args(Kind))}), then files, folders or patterns: "
    text += "CSV (also packed), Parquet; on Spark also names of tables"
    reader.add_argument("inputs", nargs="+", metavar="WHAT FILE", help=text)
    text = "format of a known source, in place of WHAT and --map"
    reader.add_argument("--as", dest="preset", choices=presets.PRESET_NAMES, help=text)
    for options_type in (IngestOptions, Reading):
        descriptions = _field_descriptions(options_type)
        for name, kind in get_type_hints(options_type).items():
            if name in _NO_OPTIONS:
                continue
            text = descriptions.get(name, "").replace("%", "%%")
            choices = {"leave_out": CHOICES, "keep": KEPT}.get(name, {})
            text += " " * bool(choices)
            text += "; ".join(f"{choice}: {words}" for choice, words in choices.items())
            flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
            arguments = _argument_options(parse_output_folder if name == "out" else kind)
            reader.add_argument(flag, dest=name, help=text, **arguments)
    add_json_option(reader)
    return reader


def parse_options(values: dict[str, Any]) -> IngestOptions:
    """Return the options of typed arguments."""
    for name, value in values.items():
        if isinstance(value, list):
            several: list[Any] = value
            pairs = several and isinstance(several[0], tuple)
            values[name] = _require_unique_keys(several) if pairs else tuple(several)
    if "same_people_as" in values:
        values["same_people_as"] = find_folder(values["same_people_as"]).name
    if values["inputs"][1:] == () and values["inputs"][0] in get_args(Kind):
        _split_off_files(values)
    if missing := [_FLAGS.get(name, f"--{name}") for name in _REQUIRED if name not in values]:
        raise InputError(f"{', '.join(missing)} must be given")
    area = values.pop("area", None)
    if area == (_FROM_DATA,):
        values["area_from_data"] = True
    elif area is not None:
        values["area"] = _parse_area(area)
    if values["inputs"][0] in get_args(Kind):
        kind, *inputs = values["inputs"]
        values |= {"kind": kind, "inputs": tuple(inputs)}
    reading = {
        field.name: values.pop(field.name) for field in fields(Reading) if field.name in values
    }
    if "preset" in values:
        values = _apply_preset(values, reading)
    else:
        values["reading"] = Reading(**reading)
    if "kind" not in values:
        raise build_error("no-kind", kinds=", ".join(get_args(Kind)))
    return IngestOptions(**values)


def _split_off_files(values: dict[str, Any]) -> None:
    """Separate files from the end of the names by position, which take all words that follow."""
    while values.get("header") and Path(values["header"][-1]).exists():
        *values["header"], file = values["header"]
        values["inputs"] += (file,)


def _require_unique_keys(pairs: list[tuple[str, str]]) -> dict[str, str]:
    names = [key for key, _ in pairs]
    if twice := next((key for key in names if names.count(key) > 1), None):
        raise InputError(f"{to_printable(twice)} is mapped twice", remedy="map every name once")
    return dict(pairs)


def _parse_area(area: tuple[str, ...]) -> tuple[float, ...]:
    try:
        west, south, east, north = map(float, area)
    except ValueError:
        raise build_error("odd-area") from None
    return west, south, east, north


def _apply_preset(values: dict[str, Any], reading: dict[str, Any]) -> dict[str, Any]:
    name = values.pop("preset")
    preset, columns = presets.select_preset(name, sources.find_files(values["inputs"])[0], reading)
    preset_values = presets.preset_options(preset, columns)
    preset_values["reading"] = replace(preset.reading, **reading)
    preset_values["mapping"] = {**preset_values["mapping"], **values.pop("mapping", {})}
    if values.get("zones") is not None:
        path, layer = values["zones"], values.get("layer", "")
        shapes = call_in_child(zones.read_shapes, path, layer, files=[path])
        matches = presets.match_columns(preset.zones, [str(column) for column in shapes.columns])
        values["zones_mapping"] = matches | values.get("zones_mapping", {})
        if "zone_id" not in values["zones_mapping"]:  # guessed columns are not joined
            preset_values["leave_out"] = tuple(
                set(preset_values["leave_out"]) - {"repeated-places"}
            )
    values["leave_out"] = (*preset_values["leave_out"], *values.get("leave_out", ()))
    return {**preset_values, **values}


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code: 0, 2 for bad input, 130 if interrupted."""
    reader = build_parser()
    values = vars(reader.parse_intermixed_args(arguments))
    prints_json = values.pop("json", False)
    stopped = threading.Event()
    if threading.current_thread() is threading.main_thread():
        _clean_up_on_signals(stopped)
    previous = os.umask(0o077)  # spilled files are raw rows
    try:
        dataset, report = ingest(parse_options(values), _draw_progress)
    except (Exception, KeyboardInterrupt) as error:
        _draw_progress()
        # a library that a signal cuts short may raise an error of its own instead
        if stopped.is_set() or isinstance(error, (KeyboardInterrupt, Cancelled)):
            print("stopped; nothing was written", file=sys.stderr)
            return EXIT_CANCELLED
        if not isinstance(error, ExplorerError):
            raise
        print(f"error: {format_error(error, reader)}", file=sys.stderr)
        return EXIT_BAD_INPUT
    finally:
        os.umask(previous)
    _draw_progress()
    if prints_json:
        account = {"dataset": dataset.id, "folder": str(dataset.folder), **report.to_json()}
        print(json.dumps(account, indent=1), flush=True)
        return 0
    lines = [
        *report.format_summary(),
        f"dataset '{dataset.id}' written to {dataset.folder} in {report.seconds:.1f} s",
        (
            "It contains true counts. They are confidential: for the data's custodians only, not "
            "for publication."
        ),
    ]
    printable_lines = ("".join(c if c.isprintable() else "?" for c in line) for line in lines)
    print("\n".join(printable_lines), flush=True)
    return 0


def _clean_up_on_signals(stopped: threading.Event) -> None:
    """End as after Ctrl-C on a termination or a closed terminal, unless that is ignored."""

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()
        signal.default_int_handler(number, frame)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)


def format_error(error: ExplorerError, reader: argparse.ArgumentParser) -> str:
    """Return the message of an error with the command's options that correct it."""
    options = {action.dest: action.option_strings for action in reader._actions}
    flags = [options[name][0] for name in error.settings if options.get(name)]
    return str(error) + (f" Options: {', '.join(dict.fromkeys(flags))}." if flags else "")


def _draw_progress(progress: Progress | None = None) -> None:
    """Draw the progress over the line drawn before, or clear it; notes alone without a terminal."""
    if progress is not None and progress.note:
        print(progress.note, file=sys.stderr, flush=True)
    if sys.stderr is None or not sys.stderr.isatty():
        return
    line = "" if progress is None else f"{progress.fraction:4.0%} {progress.stage}"
    if progress is not None and progress.seconds_left is not None:
        line += f" · about {progress.seconds_left:,.0f} s left"
    print(f"\r\x1b[2K{line}", end="", file=sys.stderr, flush=True)
