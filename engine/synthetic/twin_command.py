"""``mobility-privacy-explorer twin``: simulated people in one's own zones, from public facts."""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from ..datasets import storage
from ..errors import parse_number, run_command
from .twin import twin
from .twin_files import read_twin_zones
from .twin_inputs import FIRST_DAY, TwinInputs

EPILOG = "Take every number from a public source, such as a census or a press kit, never the data."


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
        dataset = twin(zones, inputs, out, progress=_print_progress)
    seconds = time.perf_counter() - start
    print(f"\n{out}: {dataset.size_bytes / 1e6:.1f} MB, {seconds:.0f} s", file=sys.stderr)


def _print_progress(done: float) -> None:
    print(f"\r{done:4.0%}", end="", file=sys.stderr, flush=True)


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
    add("--residents", help="their column of residents; guessed by its name if left out")
    add("--people", type=int, required=True, help="people in the data to come")
    default = "; default: %(default)s"
    text = f"trips between zones per person and day{default}"
    add("--trips", dest="trips_a_day", type=parse_number, default=0.8, help=text)
    add("--one-trip", action="store_true", help="everybody makes one trip in the whole period")
    add("--travellers", type=parse_number, help="share of people who ever travel in the period")
    add("--days", type=int, default=7, help=f"days of the period{default}")
    text = f"first day, as YYYY-MM-DD{default}"
    add("--first-day", type=date.fromisoformat, default=FIRST_DAY, help=text)
    text = f"local time zone, such as Africa/Kigali{default}"
    add("--timezone", dest="time_zone", default="UTC", help=text)
    text = "km over which flows fall by a factor e"
    add("--friction", dest="friction_km", type=parse_number, help=text)
    text = f"records per person and week; 0 for none{default}"
    add("--visits", dest="visits_a_week", type=parse_number, default=15.0, help=text)
    add("--seed", type=int, default=1, help=f"another one makes other people{default}")
    text = "where a fact is printed, such as people='annual report'; more than once for more"
    how: dict[str, Any] = {"action": "append", "default": [], "metavar": "FACT=WHERE"}
    add("--source", dest="sources", type=_parse_source, help=text, **how)
    add("--out", type=Path, required=True, help="folder of the dataset")
    return parser
