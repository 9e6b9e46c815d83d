"""Measure anew and write ``research/results``: ``python -m research NAME``."""

import argparse
import importlib
import sys
import time
from pathlib import Path

from research.rows import RESULTS, write

STUDIES = ("calibration", "reproduction", "methods", "report_comparison", "twin")


def main(arguments: list[str] | None = None) -> int:
    """Run one study and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m research", description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--peer", help="report_comparison: Python with dp-mobility-report 0.2.11")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the CSV file")
    options = parser.parse_args(arguments)
    if (options.study == "report_comparison") != (options.peer is not None):
        parser.error("--peer belongs to report_comparison, which needs it")
    study = importlib.import_module(f"research.{options.study}")
    start = time.perf_counter()
    rows = study.rows(options.peer) if options.peer else study.rows()
    path = write(options.study, rows, options.out)
    print(f"{path.name}: {(time.perf_counter() - start) / 60:.1f} min")
    return 0


if __name__ == "__main__":
    sys.exit(main())
