"""Measure anew and write ``research/results``: ``python -m research papers`` (or methods)."""

import argparse
import importlib

from research.rows import write


def main() -> None:
    """Run one study."""
    parser = argparse.ArgumentParser(prog="python -m research", description=__doc__)
    parser.add_argument("study", choices=("papers", "methods"))
    options = parser.parse_args()
    study = importlib.import_module(f"research.{options.study}")
    print(write(options.study, study.rows()))


if __name__ == "__main__":
    main()
