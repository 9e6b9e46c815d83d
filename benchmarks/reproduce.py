"""Hold the papers' figures against ours: ``python -m benchmarks.reproduce`` writes the report.

P1's figures 6 to 11 and the numbers of its §5 and §6; P2's figures 2 and S1 to S3 and Tables 2, 3,
S2 and S3. Everything is computed in the run, on the shipped simulated datasets; only the published
figures are constants.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from benchmarks.reproduction import decisions_text as decisions_text
from benchmarks.reproduction import density_text as density_text
from benchmarks.reproduction import trips as trips
from benchmarks.reproduction import trips_text as trips_text
from benchmarks.reproduction.causes import FARTHER, farther
from benchmarks.reproduction.decisions import DecisionsPlan
from benchmarks.reproduction.density import DensityPlan
from benchmarks.reproduction.density_lines import At
from benchmarks.reproduction.density_text import DensityResults
from benchmarks.reproduction.published import P1, TABLE_S2
from benchmarks.reproduction.shares_text import BOUND, is_possible, shares_text, within_reach
from benchmarks.reproduction.trips import Shares, TripsPlan
from benchmarks.reproduction.trips_text import FigureTwo
from engine import datasets
from engine.datasets import Dataset

REPORT = Path(__file__).parents[1] / "docs" / "reproduction.md"
DENSITY, FIGURE_2 = "paris", "afghanistan-2020"
ON_FIRST_USE = "afghanistan-2020-districts"

Load = Callable[[str], Dataset | None]


def installed(name: str) -> Dataset | None:
    """Load a dataset; return None for the one that is not shipped where it was not made."""
    if name == ON_FIRST_USE and name not in datasets.available():
        return None
    return datasets.load(name)


def report(
    load: Load,
    density_plan: DensityPlan,
    trips_plan: TripsPlan,
    decisions_plan: DecisionsPlan | None = None,
) -> list[str]:
    """Measure everything and return the lines of the report; `load` must find all but Table S2."""
    paris, year = (load(name) for name in (DENSITY, FIGURE_2))
    assert paris is not None
    assert year is not None
    density = density_text.gather(paris, density_plan)
    figure = trips_text.figure_two(year, trips_plan)
    loaded = {name: load(name) for name in TABLE_S2}
    shares = {
        name: trips.small_shares(dataset, trips_plan)
        for name, dataset in loaded.items()
        if dataset is not None
    }
    missing = [name for name, dataset in loaded.items() if dataset is None]
    return [
        *_introduction(missing),
        *_summary(density, figure, shares, trips_plan),
        *density_text.text(density),
        "## Origin–destination (P2)",
        "",
        "Trip level (T = 1), τ = 15, as in P2's simulations.",
        "",
        *trips_text.figure_text(figure),
        *shares_text(shares, missing, trips_plan),
        *decisions_text.text(load, decisions_plan or DecisionsPlan()),
    ]


def _introduction(missing: list[str]) -> Iterator[str]:
    yield "# The papers' figures beside ours"
    yield ""
    yield "Written by `python -m benchmarks.reproduce`; do not edit."
    yield ""
    yield (
        "P1 is Acs & Castelluccia (KDD 2014), P2 is Kohli, Aiken & Blumenstock. Their data are "
        "confidential; ours are simulated people, calibrated to published marginals and never to "
        "the result of a mechanism ([calibration.md](calibration.md)). So a figure below is a "
        "witness of how like the data are, and of what the papers leave open; it is not a target. "
        "Errata (D1 to D7, O1 to O6) are explained in [density.md](density.md) and "
        "[origin_destination.md](origin_destination.md)."
    )
    yield ""
    yield (
        "“a ± b” is mean and standard deviation over the seeds of the mechanism's noise; every "
        "dataset is one simulation, so the spread between cities or countries is not in it. Where "
        "no ± stands, the deviation is below 0.00005 in the unit shown, or the value exact. "
        "“Within reach” means: the printed figure is within two standard deviations of ours and "
        "its own rounding, or the ± printed with it."
    )
    yield ""
    if ON_FIRST_USE not in missing:
        yield (
            f"All datasets are shipped but `{ON_FIRST_USE}`, which was made before the run by "
            f"`python -m engine.synthetic {ON_FIRST_USE}` and lies in `data/local`."
        )
        yield ""


def _summary(
    density: DensityResults, figure: FigureTwo, shares: dict[str, Shares], plan: TripsPlan
) -> list[str]:
    printed = density.lines
    near = [reached for name, each in shares.items() for reached in within_reach(name, each)]
    possible = [
        is_possible(TABLE_S2[name], place, epsilon)
        for name in shares
        for place, epsilon in enumerate(plan.epsilons)
    ]
    return [
        "## In short",
        "",
        f"- P1: {sum(line.agrees for line in printed)} of {len(printed)} printed numbers are "
        f"within reach. {_schemes(density)}",
        f"- P2, figure 2: {sum(line.agrees for line in figure.lines)} of {len(figure.lines)} "
        "medians are within reach, read as its caption and Algorithm 1 say. With noise cut to "
        "whole trips, not rounded, flows of at least 15 in both matrices have median errors of "
        f"{_in_turn(cut.absolute.text() for cut in figure.cut.values())} trips and "
        f"{_in_turn(cut.relative.text(100, '%') for cut in figure.cut.values())} at ε = "
        f"{_in_turn(f'{epsilon:g}' for epsilon in figure.cut)}, which is nearest to P2's text.",
        f"- P2, Table S2: {sum(near)} of {len(near)} private shares are within {BOUND:g} points; "
        f"{len(possible) - sum(possible)} of the printed ones cannot come from Algorithm 1.",
        "",
    ]


def _schemes(density: DensityResults) -> str:
    at = At(density.curves, density.plan)
    ours = ", ".join(
        f"{name} {at.mre(name).text()} and {at.pearson(name).text()}{printed}"
        for name, printed in (("EFPAG", _printed("efpag")), ("EFPA", ""), ("LPA", _printed("lpa")))
    )
    apart = farther(FARTHER[0])
    weeks = density.evidence.weeks[apart]
    return (
        f"Mean relative error and correlation at ε = {density.plan.epsilon:g}: {ours}. If the "
        f"weeks of our towers lay {apart}, EFPAG would have {weeks.mre.text()} and "
        f"{weeks.pearson.text()}."
    )


def _in_turn(values: Iterable[str]) -> str:
    return ", ".join(values)


def _printed(scheme: str) -> str:
    return f" (P1: {P1[f'{scheme}_mre'].value:g} and {P1[f'{scheme}_pearson'].value:g})"


def main(arguments: list[str] | None = None) -> int:
    """Write the report and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproduce", description=__doc__)
    parser.add_argument("--output", type=Path, default=REPORT, help="docs/reproduction.md")
    output: Path = parser.parse_args(arguments).output
    start = time.perf_counter()
    lines = report(installed, DensityPlan(), TripsPlan())
    output.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    minutes = (time.perf_counter() - start) / 60
    print(f"{output.name}: {len(lines)} lines; took {minutes:.1f} min on {os.cpu_count()} cores")
    return 0


if __name__ == "__main__":
    sys.exit(main())
