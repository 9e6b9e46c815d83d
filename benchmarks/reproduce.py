"""Hold the papers' figures against ours: ``python -m benchmarks.reproduce`` writes the report.

P1's figures 6 to 11 and the numbers of its §5 and §6; P2's figure 2 and Table S2. Everything is
computed in the run, on the shipped simulated datasets; only the published figures are constants.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import _reproduce_density_text as density_text
from benchmarks import _reproduce_trips as trips
from benchmarks import _reproduce_trips_text as trips_text
from benchmarks._reproduce_density import DensityPlan
from benchmarks._reproduce_published import TABLE_S2
from benchmarks._reproduce_trips import TripsPlan
from engine import datasets
from engine.datasets import Dataset
from engine.errors import DatasetError

REPORT = Path(__file__).parents[1] / "docs" / "reproduction.md"
DENSITY, FIGURE_2 = "paris", "afghanistan-2020"
ON_FIRST_USE = ("afghanistan-2020-districts",)

Load = Callable[[str], Dataset]


def report(load: Load, density_plan: DensityPlan, trips_plan: TripsPlan) -> Iterator[str]:
    """Yield the lines of the report."""
    yield from _introduction()
    yield from density_text.text(density_text.gather(load(DENSITY), density_plan))
    yield from _trips(load, trips_plan)


def _introduction() -> Iterator[str]:
    yield "# The papers' figures beside ours"
    yield ""
    yield "Written by `python -m benchmarks.reproduce`; do not edit."
    yield ""
    yield (
        "The papers' data are confidential; ours are simulated people, calibrated to published "
        "marginals and never to the result of a mechanism (`docs/calibration.md`). So figures "
        "below are witnesses, not targets. The spread is over the seeds of the mechanism's noise; "
        "each simulated dataset is one. “Within reach” means: the printed figure is within two "
        "standard deviations of ours, and its rounding."
    )
    yield ""


def _trips(load: Load, plan: TripsPlan) -> Iterator[str]:
    yield "## Origin–destination (P2)"
    yield ""
    yield "Trip level (T = 1), τ = 15, as P2's simulations."
    yield ""
    yield from trips_text.figure_text(trips_text.figure_two(load(FIGURE_2), plan), plan)
    found, missing = {}, []
    for name in TABLE_S2:
        try:
            dataset = load(name)
        except DatasetError:
            if name not in ON_FIRST_USE:
                raise
            missing.append(name)
            continue
        found[name] = trips.small_shares(dataset, plan)
    yield from trips_text.small_shares_text(found, missing, plan)


def main(arguments: list[str] | None = None) -> int:
    """Write the report and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproduce", description=__doc__)
    parser.add_argument("--output", type=Path, default=REPORT, help="docs/reproduction.md")
    output: Path = parser.parse_args(arguments).output
    lines = list(report(datasets.load, DensityPlan(), TripsPlan()))
    output.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    print(f"{output.name}: {len(lines)} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
