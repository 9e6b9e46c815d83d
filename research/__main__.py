"""Measure anew and write ``research/results``: ``python -m research papers`` (or methods)."""

import argparse
import importlib

from research.rows import write


def main() -> None:
    """Run one study."""
    parser = argparse.ArgumentParser(prog="python -m research", description=__doc__)
    parser.add_argument("study", choices=("papers", "methods"))
    name = parser.parse_args().study
    print(write(name, importlib.import_module(f"research.{name}").rows()))


if __name__ == "__main__":
    main()
