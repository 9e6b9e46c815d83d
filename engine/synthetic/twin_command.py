"""``mobility-privacy-explorer twin``: simulated people in one's own zones, from public facts."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..datasets import parse_output_folder, storage
from ..errors import parse_day, parse_number, run_command
from ..progress_line import make_progress_line
from .twin import twin
from .twin_files import read_twin_zones
from .twin_inputs import FIRST_DAY, TwinInputs

EPILOG = (
    "Take every number from a public source, such as a census or a press kit, never from the data."
)


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    return run_command(lambda: _run(arguments), "stopped")


def _run(arguments: Sequence[str]) -> None:
    facts = vars(build_parser().parse_args(arguments))
    zones = read_twin_zones(facts.pop("zones"), facts.pop("residents"))
    out = facts.pop("out")
    inputs = TwinInputs(sources=dict(facts.pop("sources")), **facts)
    start = time.perf_counter()
    with storage.lock_for_writing(out):
        dataset = twin(zones, inputs, out, progress=make_progress_line("simulating people"))
    seconds = time.perf_counter() - start
    print(f"{out}: {dataset.size_bytes / 1e6:.1f} MB, {seconds:.0f} s", file=sys.stderr)


def _parse_source(text: str) -> list[str]:
    if "=" not in text:
        raise argparse.ArgumentTypeError("write FACT=WHERE, such as people='annual report'")
    return text.split("=", 1)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = argparse.ArgumentParser(
        prog="mobility-privacy-explorer twin",
        description="Make a dataset of simulated people in your own zones, from public facts.",
        epilog=EPILOG,
    )
    add = parser.add_argument
    add("--zones", type=Path, required=True, help="zones (GeoJSON, GeoPackage …) or places (CSV)")
    add("--residents", help="column of residents in that file; default: guessed by its name")
    add("--people", type=int, required=True, help="number of people in the confidential data")
    default = "; default: %(default)s"
    text = f"mean number of trips between zones per person and day{default}"
    add("--trips", dest="trips_a_day", type=parse_number, default=0.8, help=text)
    add("--one-trip", action="store_true", help="everybody makes one trip in the whole period")
    text = "share of people who ever travel in the period, 0 to 1; default: 0.9"
    add("--travellers", type=parse_number, help=text)
    add("--days", type=int, default=7, help=f"number of days in the period{default}")
    text = f"first day, as YYYY-MM-DD{default}"
    add("--first-day", type=parse_day, default=FIRST_DAY, help=text)
    text = f"local time zone, such as Africa/Kigali{default}"
    add("--timezone", dest="time_zone", default="UTC", help=text)
    text = "distance in km over which flows fall by a factor e; default: from the zones"
    add("--friction", dest="friction_km", type=parse_number, help=text)
    text = f"mean number of records per person and week, for the density; 0 for none{default}"
    add("--visits", dest="visits_a_week", type=parse_number, default=15.0, help=text)
    text = f"whole number; another one makes other people{default}"
    add("--seed", type=int, default=1, help=text)
    text = "public source of a number, such as people='annual report'; repeat it for each fact"
    add(
        "--source",
        dest="sources",
        type=_parse_source,
        action="append",
        default=[],
        metavar="FACT=WHERE",
        help=text,
    )
    text = "name of the new dataset, or path of its folder"
    add("--out", type=parse_output_folder, required=True, help=text)
    return parser
