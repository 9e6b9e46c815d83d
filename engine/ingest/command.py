"""The command line of the ingest."""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from types import FrameType
from typing import Any, TextIO, get_args

from ..errors import ExplorerError, InputError
from . import presets
from .build import ingest
from .coarseness import Coarseness, Zoning
from .inputs import sources, zones
from .inputs.sources import shown
from .options import CHOICES, Cells, Choice, EngineName, IngestOptions, Kind, Part
from .progress import Cancelled, Progress
from .reading import THOUSANDS, DateOrder, Encoding, NumberTimes, Reading

EXIT_BAD_INPUT = 2
EXIT_CANCELLED = 130
_BAR = 30
_COARSENESS = {field.name for field in fields(Coarseness)}
_READING = {field.name for field in fields(Reading)}
_MAPPINGS = ("mapping", "locations_mapping", "zones_mapping", "conf")
_LISTS = ("inputs", "parts", "parents", "area", "leave_out", "header")
_FROM_DATA = "data"
_EXAMPLE = """examples:
  mobility-privacy-explorer ingest trips trips_*.csv --locations stations.csv
      --map uid=User datetime=Start end_datetime=End origin=From destination=To
      --timezone America/Mexico_City --from 2015-09-01 --to 2015-09-30
      --week 2015-09-07 --out data/local/guadalajara
  mobility-privacy-explorer ingest --as tlc yellow_2019-01.csv --zones taxi_zones.geojson
      --timezone America/New_York --from 2019-01-01 --to 2019-01-31 --out data/local/taxis"""


def _pair(text: str) -> tuple[str, str]:
    name, equals, column = text.partition("=")
    if not equals or not name or not column:
        raise argparse.ArgumentTypeError(f"it is written as NAME=VALUE, got {text!r}")
    return name, column


def _delimiter(text: str) -> str:
    return {"tab": "\t", "\\t": "\t"}.get(text, text)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a day is written 2015-09-07, got {text!r}") from None


_OPTIONS: tuple[tuple[str, str, Any, str], ...] = (
    ("--as", "preset", presets.NAMES, "a published form, in place of WHAT and --map"),
    ("--out", "out", Path, "folder of the dataset; its name is the name (needed)"),
    ("--from", "first_day", _day, "first local day (needed)"),
    ("--to", "last_day", _day, "last local day, included (needed)"),
    ("--timezone", "time_zone", str, "such as America/Mexico_City (needed)"),
    ("--locations", "", Path, "table of stations or towers with coordinates"),
    ("--zones", "", Path, "GeoJSON, GeoPackage, zipped Shapefile or GeoParquet"),
    ("--layer", "", str, "of a file of zones that has several"),
    ("--cells", "", get_args(Cells), "ids of places are such cells; default: auto-detect"),
    ("--week", "", _day, "Monday of the density week; default: the first full one"),
    ("--cap", "max_visits_cap", int, "visits counted of one person at most (K_max)"),
    ("--mean-visits", "mean_visits_public", float, "visits of a person in the week, if public"),
    (
        "--max-distance",
        "max_distance_m",
        float,
        "how far a point outside all zones may lie from the nearest tower, in metres",
    ),
    (
        "--gap",
        "gap_minutes",
        float,
        "minutes without a row that end a trip; default: trips as the rows name them (tid), else "
        "a trip is a visit and the person's next one in another zone on the same day",
    ),
    ("--people", "people_public", int, "public estimate of the number of people"),
    ("--salt", "", str, "for reproducible ranks; default: the dataset's own, or a new one"),
    ("--zoning", "", get_args(Zoning), "which zones to build"),
    ("--zone-size", "size_m", float, "width of a square or hexagon in metres"),
    ("--clusters", "", int, "number of clusters of zones"),
    ("--parent", "", str, "column that names the coarser zones of '--zoning parents'"),
    ("--skip-rows", "", int, "lines above the line of column names"),
    ("--encoding", "", get_args(Encoding), "of all CSV files; default: auto-detect"),
    ("--delimiter", "", _delimiter, "between columns: , ; | or tab; default: auto-detect"),
    ("--decimal", "", (".", ","), "decimal mark of numbers; default: auto-detect"),
    ("--thousands", "", THOUSANDS, "mark between thousands; default: none"),
    (
        "--date-format",
        "date_order",
        get_args(DateOrder),
        "order of year, month and day; default: auto-detect, refused where it is in doubt",
    ),
    ("--time-format", "", str, "of all times, as strptime has it: '%%d.%%m.%%Y %%H:%%M'"),
    (
        "--number-times",
        "",
        get_args(NumberTimes),
        "what times that are numbers count; default: auto-detect",
    ),
    ("--epoch", "", _day, "day from which they count; default: 1970-01-01"),
    ("--text-timezone", "text_time_zone", str, "zone that times in the text are written in"),
    ("--engine", "", get_args(EngineName), "duckdb is embedded; spark reads typed tables"),
    ("--memory", "", str, "memory limit of the embedded engine; default: 3GB"),
    ("--threads", "", int, "threads of the embedded engine"),
    ("--spill", "", Path, "folder for what does not fit in memory"),
    ("--spill-limit", "", str, "largest spill folder of the embedded engine; default: 200GB"),
    ("--master", "", str, "address of the Spark cluster"),
    ("--description", "", str, "of the dataset"),
    ("--source", "", str, "of the rows"),
    ("--licence", "", str, "of the dataset"),
)
_REQUIRED = {"out": "--out", "first_day": "--from", "last_day": "--to", "time_zone": "--timezone"}


def parser() -> argparse.ArgumentParser:
    """Return the parser; what is left out is not in its answer, so that defaults stand once."""
    reader = argparse.ArgumentParser(
        prog="mobility-privacy-explorer ingest",
        description="Count raw trips or visits into a dataset of the explorer.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
    )
    add = reader.add_argument
    kinds = ", ".join(get_args(Kind))
    text = f"what the table holds ({kinds}), then files, folders or patterns: CSV (also packed), "
    add("inputs", nargs="+", metavar="WHAT FILE", help=text + "Parquet; on Spark also tables")
    for option, dest, of in (
        ("--map", "mapping", "rows"),
        ("--map-locations", "locations_mapping", "locations"),
        ("--map-zones", "zones_mapping", "zones"),
    ):
        text = f"columns of the table of {of}; others are guessed and named in the summary; "
        text += "a=b:2+c:3 joins columns, padded with zeros to 2 and 3 digits"
        add(option, dest=dest, nargs="+", type=_pair, metavar="NAME=COLUMN", help=text)
    text = "settings of Spark, as spark-submit takes them"
    add("--conf", nargs="+", action="extend", type=_pair, metavar="KEY=VALUE", help=text)
    for option, dest, kind, text in _OPTIONS:
        how: dict[str, Any] = {"choices": kind} if isinstance(kind, tuple) else {"type": kind}
        add(option, dest=dest or option[2:].replace("-", "_"), help=text, **how)
    text = "no line of names: names by position, without any they are 1, 2, 3 …"
    add("--no-header", dest="header", nargs="*", metavar="NAME", help=text)
    text = "; ".join(f"{choice}: {words}" for choice, words in CHOICES.items())
    add("--leave-out", nargs="+", choices=get_args(Choice), metavar="WHAT", help=text)
    add("--parts", nargs="+", choices=get_args(Part), help="what to build; default: both")
    text = (
        "columns of the zones file (without one: of the locations) that name coarser zones, kept "
        "for looking at the dataset at those; default: those of usual names; none: nothing is kept"
    )
    add("--parents", nargs="*", metavar="COLUMN", help=text)
    text = "of a grid in degrees (west south east north), without places; 'data' reads it off them"
    add("--area", nargs="+", metavar="DEGREES", help=text)
    for option, text in (
        ("--period-from-data", "the two days were read off the data; a release states it"),
        ("--id-prefix", "ids in the rows begin with those of the places (census blocks)"),
    ):
        add(option, action="store_true", help=text)
    text = "whether the places are public; a release states it, also where neither is said"
    public = argparse.BooleanOptionalAction
    add("--public-places", dest="places_public", action=public, help=text)
    return reader


def options_of(values: dict[str, Any]) -> IngestOptions:
    """Return the options of what was typed."""
    for name in _MAPPINGS:
        names = [own for own, _ in values.get(name, ())]
        if twice := next((own for own in names if names.count(own) > 1), None):
            raise InputError(f"{shown(twice)} is mapped twice; map every name once")
        if name in values:
            values[name] = dict(values[name])
    for name in _LISTS:
        if name in values:
            values[name] = tuple(values[name])
    if missing := [option for dest, option in _REQUIRED.items() if dest not in values]:
        raise InputError(f"{', '.join(missing)} must be given", code="missing")
    reading = {name: values.pop(name) for name in _READING & values.keys()}
    area = values.pop("area", None)
    if area == (_FROM_DATA,):
        values["area_from_data"] = True
    elif area is not None:
        values["area"] = _degrees(area)
    if values["inputs"][0] in get_args(Kind):
        kind, *inputs = values["inputs"]
        values |= {"kind": kind, "inputs": tuple(inputs)}
    if "preset" in values:
        values = _as_preset(values, reading)
    else:
        values["reading"] = Reading(**reading)
    if "kind" not in values:
        raise InputError(
            f"what the table holds must come first: {', '.join(get_args(Kind))}",
            remedy="or name a published form (--as)",
            code="kind",
        )
    coarseness = {name: values.pop(name) for name in _COARSENESS & values.keys()}
    return IngestOptions(**values, coarseness=Coarseness(**coarseness))


def _degrees(area: tuple[str, ...]) -> tuple[float, ...]:
    try:
        west, south, east, north = map(float, area)
    except ValueError:
        raise InputError(
            "the area is four numbers: west south east north, or 'data'", settings=("area",)
        ) from None
    return west, south, east, north


def _as_preset(values: dict[str, Any], reading: dict[str, Any]) -> dict[str, Any]:
    """Return what was typed over what a published form stands for."""
    name = values.pop("preset")
    first = next(one for one in presets.PRESETS if one.name == name)
    how = replace(first.reading, **reading)
    source = sources.inspect(sources.find(values["inputs"])[0], how)
    preset = presets.chosen(name, source.columns)
    given = presets.settings(preset, source.columns)
    given["reading"] = how
    given["mapping"] = {**given["mapping"], **values.pop("mapping", {})}
    if values.get("zones") is not None:
        columns = zones.read_shapes(values["zones"], values.get("layer", "")).columns
        own = presets.found(preset.zones, [str(column) for column in columns])
        values["zones_mapping"] = {**own, **values.get("zones_mapping", {})}
    return {**given, **values}


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code: 0, 2 for bad input, 130 if interrupted."""
    reader = parser()
    values = vars(reader.parse_args(arguments))
    bar = ProgressBar(sys.stderr)
    stopped = threading.Event()
    if threading.current_thread() is threading.main_thread():
        _clean_up_on_signals(stopped)
    previous = os.umask(0o077)  # what is spilled are raw rows
    try:
        dataset, report = ingest(options_of(values), bar.show)
    except (Exception, KeyboardInterrupt) as error:
        bar.end()
        # a library that a signal cuts short may raise an error of its own instead
        if stopped.is_set() or isinstance(error, (KeyboardInterrupt, Cancelled)):
            print("stopped; nothing was written", file=sys.stderr)
            return EXIT_CANCELLED
        if not isinstance(error, ExplorerError):
            raise
        print(f"error: {worded(error, reader)}", file=sys.stderr)
        return EXIT_BAD_INPUT
    finally:
        os.umask(previous)
    bar.end()
    return _print_summary(
        [
            *report.summary(),
            f"dataset '{dataset.id}' written to {dataset.folder} in {report.seconds:.1f} s",
            "It holds true counts: confidential, for the data's custodians, not for publication.",
        ]
    )


def _print_summary(lines: Sequence[str]) -> int:
    """Print the end of a run; whoever reads it may have gone."""
    try:
        for line in lines:
            print("".join(c if c.isprintable() else "?" for c in line))
        if sys.stdout is not None:  # closed by whoever started this
            sys.stdout.flush()
    except BrokenPipeError:
        assert sys.stdout is not None
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _clean_up_on_signals(stopped: threading.Event) -> None:
    """End as after Ctrl-C on a termination or a closed terminal, unless that is to be ignored."""

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()
        signal.default_int_handler(number, frame)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)


def worded(error: ExplorerError, reader: argparse.ArgumentParser) -> str:
    """Return the message of an error with the options that mend it."""
    options = {action.dest: action.option_strings for action in reader._actions}
    named = [options[name][0] for name in error.settings if options.get(name)]
    return str(error) + (f" ({', '.join(dict.fromkeys(named))})" if named else "")


class ProgressBar:
    """One line on a terminal: bar, stage, rows, time left. Silent where there is no terminal."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None

    def show(self, progress: Progress) -> None:
        """Draw `progress` over the line drawn before."""
        if self._stream is None:
            return
        full = round(_BAR * progress.fraction)
        parts = [f"{'█' * full}{'·' * (_BAR - full)} {progress.fraction:4.0%} {progress.stage}"]
        if progress.seconds_left is not None:
            parts.append(f"about {progress.seconds_left:,.0f} s left")
        self._stream.write("\r\x1b[2K" + " · ".join(parts))
        self._stream.flush()

    def end(self) -> None:
        """Clear the line."""
        if self._stream is not None:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
