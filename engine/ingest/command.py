"""The command line of the ingest."""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import TextIO, get_args

from engine.errors import ExplorerError
from engine.ingest.build import ingest
from engine.ingest.coarseness import Coarseness, Zoning
from engine.ingest.inputs.sources import shown
from engine.ingest.options import IngestOptions, Kind
from engine.ingest.progress import Cancelled, Progress
from engine.ingest.reading import (
    EPOCH,
    THOUSANDS,
    DateOrder,
    Encoding,
    NumberTimes,
    Reading,
)
from engine.parameters import DEFAULT_MAX_VISITS_CAP

EXIT_BAD_INPUT = 2
EXIT_CANCELLED = 130
_BAR = 30
_COARSENESS = tuple(field.name for field in fields(Coarseness))
_READING = tuple(field.name for field in fields(Reading))
_EXAMPLE = """example:
  python -m engine.ingest trips trips_*.csv --locations stations.csv
      --map uid=User datetime=Start end_datetime=End origin=From destination=To
      --timezone America/Mexico_City --from 2015-09-01 --to 2015-09-30
      --week 2015-09-07 --out data/local/guadalajara"""


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code: 0, 2 for bad input, 130 if interrupted."""
    parser = _parser()
    values = vars(parser.parse_args(arguments))
    reading = {name: values.pop(name) for name in _READING}
    zones = {name: values.pop(name) for name in _COARSENESS}
    zones["area"] = tuple(zones["area"]) if zones["area"] else None
    for name in ("mapping", "locations_mapping", "zones_mapping"):
        if twice := _repeated(values[name]):
            print(f"error: {twice} is mapped twice; map every name once", file=sys.stderr)
            return EXIT_BAD_INPUT
        values[name] = dict(values[name])
    for name in ("inputs", "parts"):
        values[name] = tuple(values[name])
    if values["parents"] is not None:
        values["parents"] = tuple(values["parents"])
    bar = ProgressBar(sys.stderr)
    if threading.current_thread() is threading.main_thread():
        _clean_up_on_signals()
    previous = os.umask(0o077)  # what is spilled are raw rows
    try:
        options = IngestOptions(
            **values, reading=Reading(**reading), coarseness=Coarseness(**zones)
        )
        dataset, report = ingest(options, bar.show)
    except (KeyboardInterrupt, Cancelled):
        bar.end()
        print("stopped; nothing was written", file=sys.stderr)
        return EXIT_CANCELLED
    except ExplorerError as error:
        bar.end()
        print(f"error: {worded(error)}", file=sys.stderr)
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


def _clean_up_on_signals() -> None:
    """End as after Ctrl-C on a termination or a closed terminal, unless that is to be ignored."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


def worded(error: ExplorerError) -> str:
    """Return the message of an error with the options that mend it.

    Examples
    --------
    >>> worded(ExplorerError("no row is used", remedy="check the days", settings=("first_day",)))
    'no row is used; check the days (--from)'
    """
    options = {action.dest: action.option_strings for action in _parser()._actions}
    named = [options[name][0] for name in error.settings if options.get(name)]
    return str(error) + (f" ({', '.join(named)})" if named else "")


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
        if progress.rows is not None:
            parts.append(f"{progress.rows:,} rows")
        parts.append(f"{progress.bytes_total / 1e6:,.0f} MB")
        if progress.seconds_left is not None:
            parts.append(f"about {progress.seconds_left:,.0f} s left")
        self._stream.write("\r\x1b[2K" + " · ".join(parts))
        self._stream.flush()

    def end(self) -> None:
        """Clear the line."""
        if self._stream is not None:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m engine.ingest",
        description="Count raw trips or visits into a dataset of the explorer.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("kind", choices=get_args(Kind), help="what the table holds")
    add("inputs", nargs="+", help="files, folders or patterns: CSV, CSV.gz, Parquet")
    add("--out", type=Path, required=True, help="folder of the dataset; its name is the name")
    add("--from", dest="first_day", type=_day, required=True, help="first local day")
    add("--to", dest="last_day", type=_day, required=True, help="last local day, included")
    add("--timezone", dest="time_zone", required=True, help="such as America/Mexico_City")
    add("--week", type=_day, help="Monday of the density week; default: first full week")
    add("--locations", type=Path, help="table of stations or towers with coordinates")
    add("--zones", type=Path, help="GeoJSON, GeoPackage, zipped Shapefile or GeoParquet")
    for option, dest in (
        ("--map", "mapping"),
        ("--map-locations", "locations_mapping"),
        ("--map-zones", "zones_mapping"),
    ):
        text = "columns of the table of " + option.removeprefix("--map-").replace("--map", "rows")
        text += "; others are guessed and named in the summary"
        add(option, dest=dest, nargs="+", default=(), type=_pair, metavar="NAME=COLUMN", help=text)
    add(
        "--parts",
        nargs="+",
        choices=("density", "trips"),
        default=("density", "trips"),
        help="what to build; default: both",
    )
    add(
        "--cap",
        dest="max_visits_cap",
        type=int,
        default=DEFAULT_MAX_VISITS_CAP,
        help="visits counted of one person at most (K_max)",
    )
    add(
        "--max-distance",
        dest="max_distance_m",
        type=float,
        default=1000.0,
        metavar="METRES",
        help="how far a point outside all zones may lie from the nearest tower",
    )
    add("--people", dest="people_public", type=int, help="public estimate of the number of people")
    add(
        "--period-from-data",
        action="store_true",
        help="the two days were read off the data; a release states it",
    )
    add(
        "--public-places",
        dest="places_public",
        action=argparse.BooleanOptionalAction,
        help="whether the places are public; a release states it, also where neither is said",
    )
    add("--salt", help="for reproducible ranks; default: the dataset's own, or a new one")
    add("--skip-unparsable", action="store_true", help="count rows that cannot be read")
    add("--zoning", choices=get_args(Zoning), default="given", help="which zones to build")
    add("--zone-size", dest="size_m", type=float, default=2_000.0, metavar="METRES")
    add("--clusters", type=int, default=30, help="number of clusters of places")
    add("--parent", default="", help="column that names the coarser zones of '--zoning parents'")
    add(
        "--parents",
        nargs="*",
        metavar="COLUMN",
        help="columns of the zones file (without one: of the locations) that name coarser zones, "
        "kept for looking at the dataset at those; default: those of usual names; none: nothing "
        "is kept",
    )
    add(
        "--area",
        nargs=4,
        type=float,
        metavar=("WEST", "SOUTH", "EAST", "NORTH"),
        help="area of a grid in degrees, where neither places nor zones are given",
    )
    add("--encoding", choices=get_args(Encoding), help="of all CSV files; default: auto-detect")
    add("--delimiter", type=_delimiter, help="between columns: , ; | or tab; default: auto-detect")
    add("--decimal", choices=(".", ","), help="decimal mark of numbers; default: auto-detect")
    add("--thousands", choices=THOUSANDS, default="", help="mark between thousands; default: none")
    add(
        "--date-format",
        dest="date_order",
        choices=get_args(DateOrder),
        help="order of year, month and day; default: auto-detect, refused where it is in doubt",
    )
    add(
        "--number-times",
        choices=get_args(NumberTimes),
        help="what times that are numbers count; default: auto-detect",
    )
    add("--epoch", type=_day, default=EPOCH, help="day from which they count; default: 1970-01-01")
    add("--text-timezone", dest="text_time_zone", help="zone that times in the text are written in")
    add("--engine", choices=("duckdb", "spark"), default="duckdb")
    add("--memory", default="3GB", help="memory limit of the embedded engine")
    add("--threads", type=int, help="threads of the embedded engine")
    add("--spill", type=Path, help="folder for what does not fit in memory")
    add(
        "--spill-limit",
        default="200GB",
        help="largest spill folder of the embedded engine",
    )
    add("--master", default="local[2]", help="address of the Spark cluster")
    for text in ("description", "source", "licence"):
        add(f"--{text}", default="")
    return parser


def _repeated(pairs: Sequence[tuple[str, str]]) -> str | None:
    names = [name for name, _ in pairs]
    return next((shown(name) for name in names if names.count(name) > 1), None)


def _pair(text: str) -> tuple[str, str]:
    name, equals, column = text.partition("=")
    if not equals or not name or not column:
        raise argparse.ArgumentTypeError(f"columns are mapped as NAME=COLUMN, got {text!r}")
    return name, column


def _delimiter(text: str) -> str:
    return {"tab": "\t", "\\t": "\t"}.get(text, text)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a day is written 2015-09-07, got {text!r}") from None
