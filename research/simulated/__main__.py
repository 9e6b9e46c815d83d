"""Make what is shipped in data/: ``python -m research.simulated demo-city``, or ``all``."""

import argparse
import sys
import time
from pathlib import Path

from engine import datasets
from engine.errors import run_command

from .catalogue import CITIES, COMMUTES, COUNTRIES
from .city import make_city
from .country import make_country

SHIPPED = (*CITIES, *COMMUTES, *COUNTRIES)


def make(name: str, root: Path | None = None) -> datasets.Dataset:
    """Make a shipped dataset in the folder of that name below `root`."""
    folder = (root or datasets.data_root()) / name
    if name in COMMUTES:
        return make_city(CITIES[COMMUTES[name]], folder, commutes=True)
    if name in CITIES:
        return make_city(CITIES[name], folder)
    return make_country(*COUNTRIES[name], folder)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m research.simulated", description=__doc__)
    parser.add_argument("names", nargs="+", choices=(*SHIPPED, "all"))
    parser.add_argument("--root", type=Path, help="folder of all datasets; data/ by default")
    options = parser.parse_args(arguments)
    names = SHIPPED if "all" in options.names else options.names
    return run_command(lambda: [_make(name, options.root) for name in names], "interrupted")


def _make(name: str, root: Path | None) -> None:
    start = time.perf_counter()
    dataset = make(name, root)
    seconds = time.perf_counter() - start
    print(f"{name}: {dataset.size_bytes / 1e6:.1f} MB, {seconds:.0f} s, {dataset.folder.name}")


if __name__ == "__main__":
    sys.exit(main())
