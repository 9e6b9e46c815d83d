"""Make simulated datasets: ``python -m engine.synthetic demo-city``, ``all`` or ``calibrate``."""

import argparse
import sys
import time
from pathlib import Path

from engine import datasets, synthetic
from engine.datasets import Dataset
from engine.errors import ExplorerError
from engine.synthetic import calibration

PROJECT = Path(__file__).parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m engine.synthetic", description=__doc__)
    parser.add_argument(
        "names",
        nargs="+",
        metavar="name",
        help=f"{', '.join(synthetic.names())}; 'all' makes the shipped ones; 'calibrate' holds "
        "them against published figures",
    )
    parser.add_argument("--root", type=Path, help="folder of all datasets; data/ by default")
    parser.add_argument(
        "--report", type=Path, default=PROJECT / "docs" / "calibration.md", help="file to write"
    )
    parser.add_argument(
        "--boundaries", type=Path, help="folder of real boundaries to compare shapes with"
    )
    options = parser.parse_args(arguments)
    try:
        if options.names == ["calibrate"]:
            return _calibrate(options.root, options.report, options.boundaries)
        for name in synthetic.shipped() if options.names == ["all"] else options.names:
            _make(name, options.root)
    except ExplorerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ninterrupted; finished days are kept for the next start", file=sys.stderr)
        return 130
    return 0


def _make(name: str, root: Path | None) -> None:
    start = time.perf_counter()

    def show(done: float) -> None:
        print(f"\r{name}: {done:4.0%}", end="", file=sys.stderr, flush=True)

    dataset = synthetic.make(name, root, show)
    print(file=sys.stderr)
    seconds = time.perf_counter() - start
    print(f"{name}: {dataset.size_bytes / 1e6:.1f} MB, {seconds:.0f} s, {dataset.folder.name}")


def _calibrate(root: Path | None, report: Path, boundaries: Path | None) -> int:
    def load(name: str) -> Dataset:
        return datasets.load(name if root is None else root / name)

    found = calibration.write(report, load, boundaries)
    missed = [figure for figure in found if figure.met is False]
    for figure in missed:
        print(f"{figure.dataset}: {figure.what}: {figure.got:g} instead of {figure.target:g}")
    print(f"{report.name}: {len(found)} figures, {len(missed)} outside their bounds")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
