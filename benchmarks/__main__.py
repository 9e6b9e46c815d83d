"""Print the benchmark table: ``python -m benchmarks [part …]``; without a part, all of them."""

import argparse
import importlib
import os
import platform
import sys
from collections.abc import Iterator

from benchmarks import load
from benchmarks.measure import Row

PARTS = ("browser", "engine", "ingest", "load")
"""Modules that measure something."""


def table(rows: Iterator[Row]) -> Iterator[str]:
    """Yield the lines of a Markdown table, one as soon as its row is measured."""
    yield "| work | measured, of at most | note |"
    yield "| --- | ---: | --- |"
    for row in rows:
        bound = "" if row.bound is None else f" of {format_figure(row.bound, row.unit)}"
        missed = "" if row.is_met else " **missed**"
        yield f"| {row.work} | {format_figure(row.value, row.unit)}{bound}{missed} | {row.note} |"


def format_figure(value: float, unit: str) -> str:
    """Return a figure with three significant digits and its unit; times below a second in ms."""
    if unit == "s" and value < 1:
        value, unit = 1000 * value, "ms"
    return f"{value:,.0f} {unit}".strip() if value >= 100 else f"{value:.3g} {unit}".strip()


def main() -> int:
    """Run the parts named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    chosen = parser.parse_args().parts or PARTS
    if chosen[0] == "load" and all(more.isdecimal() for more in chosen[1:]):
        return _load(*map(int, chosen[1:3]))
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"unknown part {', '.join(unknown)}; known are {', '.join(PARTS)}")
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.machine()}\n")
    for name in chosen:
        print(f"## {name}\n")
        module = importlib.import_module(f"benchmarks.{name}")
        for line in table(module.rows()):
            print(line, flush=True)
        print()
    return 0


def _load(sessions: int = load.SESSIONS, moves: int = load.MOVES) -> int:
    """Measure many people at once; the exit code says whether every bound was kept."""
    rows = list(load.measure(sessions, moves))
    for line in table(iter(rows)):
        print(line)
    return 0 if all(row.is_met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
