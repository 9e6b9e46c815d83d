"""Print the benchmark table: ``python -m benchmarks [part …]``.

Parts are the modules of this folder that have ``rows()``; without a name all of them run. Ratios
are taken against a reference in the same run, since machines are shared and noisy.
"""

import argparse
import importlib
import os
import pkgutil
import platform
import sys
from collections.abc import Iterator

import benchmarks
from benchmarks import load
from benchmarks.measure import Row

NOT_PARTS = {"__main__", "measure"}


def parts() -> list[str]:
    """Return the names of the modules that measure something."""
    names = [module.name for module in pkgutil.iter_modules(benchmarks.__path__)]
    return [name for name in names if name not in NOT_PARTS and not name.startswith("_")]


def table(rows: Iterator[Row]) -> Iterator[str]:
    """Yield the lines of a Markdown table, one as soon as its row is measured."""
    yield "| work | ours | reference | ratio | must reach | met | note |"
    yield "| --- | ---: | ---: | ---: | --- | --- | --- |"
    for row in rows:
        ratio = "–" if row.ratio is None else f"{row.ratio:.2f}"
        ratio = f"{row.ratio:.1g}" if row.ratio is not None and row.ratio < 0.01 else ratio
        met = {None: "–", True: "yes", False: "**no**"}[row.met]
        cells = [row.work, seconds(row.ours), seconds(row.reference), ratio, row.limit, met]
        yield "| " + " | ".join([*cells, row.note]) + " |"


def seconds(value: float | None) -> str:
    """Write a time with three significant figures in s or ms."""
    if value is None:
        return "–"
    return f"{value:.3g} s" if value >= 1 else f"{value * 1000:.3g} ms"


def main() -> int:
    """Run the parts named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(parts()))
    chosen = parser.parse_args().parts or parts()
    if chosen[0] == "load" and all(more.isdecimal() for more in chosen[1:]):
        return _load(*map(int, chosen[1:4]))
    if unknown := set(chosen) - set(parts()):
        parser.error(f"unknown part {', '.join(unknown)}; known are {', '.join(parts())}")
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.machine()}\n")
    for name in chosen:
        print(f"## {name}\n")
        module = importlib.import_module(f"benchmarks.{name}")
        for line in table(module.rows()):
            print(line, flush=True)
        print()
    return 0


def _load(sessions: int = load.SESSIONS, moves: int = load.MOVES, explorers: int = 1) -> int:
    """Measure many people at once; the exit code says whether every bound was kept."""
    rows = list(load.measure(sessions, moves, explorers))
    for line in table(iter(rows)):
        print(line)
    met = all(row.met is not False for row in rows)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
