"""Measure anew and write ``research/results``: ``python -m research NAME``."""

import argparse
import importlib
import sys
import time
from pathlib import Path

from research.rows import RESULTS, write

STUDIES = ("papers", "methods")


def main(arguments: list[str] | None = None) -> int:
    """Run one study and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m research", description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the CSV file")
    options = parser.parse_args(arguments)
    study = importlib.import_module(f"research.{options.study}")
    start = time.perf_counter()
    path = write(options.study, study.rows(), options.out)
    print(f"{path.name}: {(time.perf_counter() - start) / 60:.1f} min")
    return 0


if __name__ == "__main__":
    sys.exit(main())
