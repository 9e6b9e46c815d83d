"""Write what P2 reports in its figure 2 beside what was measured."""

import itertools
import math
from dataclasses import dataclass

from benchmarks.reproduction import trips as measured
from benchmarks.reproduction.published import (
    P2_MEDIAN_ABSOLUTE,
    P2_MEDIAN_RELATIVE,
    P2_THRESHOLD,
    Published,
)
from benchmarks.reproduction.tables import Line, Spread, lines_table, number, percent, table
from benchmarks.reproduction.trips import (
    ABSOLUTE_SHOWN,
    RELATIVE_SHOWN,
    CutErrors,
    MedianErrors,
    SizesOfFlows,
    TripsPlan,
)
from engine import origin_destination as od
from engine.arrays import Floats
from engine.datasets import Dataset

POPULATION_WORDS: dict[od.Population, str] = {
    "all": "all pairs",
    "travelled": "pairs with a trip",
    "large": f"pairs of at least {P2_THRESHOLD} trips",
}


@dataclass(frozen=True)
class FigureTwo:
    """What was measured for P2's figure 2 on one dataset."""

    name: str
    days: int
    plan: TripsPlan
    medians: dict[float, dict[od.Population, MedianErrors]]
    cut: dict[float, CutErrors]
    within: dict[float, tuple[Floats, Floats]]
    by_size: dict[float, list[tuple[str, int, Spread, Spread]]]
    sizes: SizesOfFlows

    @property
    def lines(self) -> list[Line]:
        """The numbers that P2's text gives of the figure, beside ours."""
        absolute = ((e, p) for e, p in P2_MEDIAN_ABSOLUTE.items() if e in self.medians)
        relative = ((e, p) for e, p in P2_MEDIAN_RELATIVE.items() if e in self.medians)
        return [
            *(_absolute(self, epsilon, printed) for epsilon, printed in absolute),
            *(_relative(self, epsilon, printed) for epsilon, printed in relative),
        ]


def figure_two(dataset: Dataset, plan: TripsPlan) -> FigureTwo:
    """Measure figure 2 on a dataset's days."""
    return FigureTwo(
        name=dataset.id,
        days=len(dataset.metadata.days),
        plan=plan,
        medians=measured.median_errors(dataset, plan),
        cut=measured.median_errors_cut(dataset, plan),
        within=measured.distributions(dataset, plan),
        by_size={e: measured.median_errors_by_size(dataset, e, plan) for e in plan.epsilons},
        sizes=measured.sizes_of_flows(dataset),
    )


def figure_text(result: FigureTwo) -> list[str]:
    """Return the part of the report on figure 2."""
    return [
        f"### Figure 2: errors of daily flows between provinces, `{result.name}`, "
        f"{result.days} days",
        "",
        "P2's caption takes all days and all pairs of provinces; so do ours here. Expected values "
        f"are exact (no draw); drawn ones are of {result.plan.repeats} draws of all days.",
        "",
        *lines_table(result.lines),
        *_populations(result),
        *_distributions(result),
        *_sizes(result),
    ]


def _absolute(result: FigureTwo, epsilon: float, printed: Published) -> Line:
    ours = result.medians[epsilon]["all"]
    large, cut = result.medians[epsilon]["large"], result.cut[epsilon]
    return Line(
        f"median absolute error in trips, ε = {epsilon:g}",
        number(printed.value),
        f"{number(ours.absolute)} expected, {ours.drawn_absolute.text()} drawn",
        abs(ours.absolute - printed.value) <= printed.half_unit,
        printed.source,
        f"{percent(result.sizes.empty)} of our pairs are empty and mostly stay so, which lowers "
        f"the median of all; flows of at least {P2_THRESHOLD} have {number(large.absolute)}, as "
        f"the noise has a median of {number(measured.median_noise(epsilon))} before rounding; were "
        f"it cut instead, the flows shown in both matrices would have {cut.absolute.text()}.",
    )


def _relative(result: FigureTwo, epsilon: float, printed: Published) -> Line:
    ours, cut = result.medians[epsilon]["all"], result.cut[epsilon]
    below = printed.half_unit == 0
    noise = measured.median_noise(epsilon)
    zero = (
        "a median under 0.01% needs an exact 0 in half of the flows, or flows above 10,000; noise "
        f"rounded half up is 0 with probability {number(1 - math.exp(-epsilon / 2))}, cut to whole "
        f"trips with {number(1 - math.exp(-epsilon))}, and then the flows shown in both matrices "
        f"have {cut.relative.text(100, '%')}."
    )
    size = (
        f"the median noise of {number(noise)} trips is {percent(printed.value, 2)} of a flow of "
        f"{number(noise / printed.value)} trips; our median flow of at least {P2_THRESHOLD} has "
        f"{number(result.sizes.median_large)}, and P2 prints no sizes of flows (2.54% also stands "
        "in its Table 3, for Kunduz at ε = 0.5); with noise cut to whole trips the flows shown in "
        f"both matrices have {cut.relative.text(100, '%')}."
    )
    return Line(
        f"median relative error, ε = {epsilon:g}",
        f"{'under ' if below else ''}{percent(printed.value, 2)}",
        f"{percent(ours.relative, 2)} expected, {ours.drawn_relative.text(100, '%')} drawn",
        ours.relative < printed.value
        if below
        else abs(ours.relative - printed.value) <= printed.half_unit,
        printed.source,
        zero if below else size,
    )


def _populations(result: FigureTwo) -> list[str]:
    rows: list[list[str]] = []
    for epsilon, medians in result.medians.items():
        rows += [
            [
                f"{epsilon:g}",
                POPULATION_WORDS[population],
                number(errors.cells),
                f"{number(errors.absolute)}; {errors.drawn_absolute.text()}",
                f"{percent(errors.relative, 2)}; {errors.drawn_relative.text(100, '%')}",
                errors.drawn_to_truth.text(100, "%"),
            ]
            for population, errors in medians.items()
        ]
        cut = result.cut[epsilon]
        rows.append(
            [
                f"{epsilon:g}",
                f"at least {P2_THRESHOLD} in both matrices, noise cut",
                cut.flows.text(),
                f"–; {cut.absolute.text()}",
                f"–; {cut.relative.text(100, '%')}",
                "–",
            ]
        )
    header = [
        "ε",
        "flows",
        "number",
        "absolute, trips: expected; drawn",
        "relative: expected; drawn",
        "of the true count: drawn",
    ]
    return [
        "Median errors over other choices of flows. “Noise cut” is cut towards 0 to whole trips, "
        "which Algorithm 1 does not do: the reading that comes nearest to P2's text. “Relative” is "
        "the caption's 2|x̂ − x|/(x̂ + x), which is 200% for every flow that is suppressed; “of the "
        "true count” is the text's |x̂ − x|/x (x of at least 1).",
        "",
        *table(header, rows, words=(1,)),
        "",
    ]


def _distributions(result: FigureTwo) -> list[str]:
    rows = [
        [f"{epsilon:g}", *(percent(float(share)) for share in (*absolute, *relative))]
        for epsilon, (absolute, relative) in result.within.items()
    ]
    header = [
        "ε",
        *(f"≤ {number(error)} trips" for error in ABSOLUTE_SHOWN),
        *(f"≤ {100 * error:.0f}%" for error in RELATIVE_SHOWN),
    ]
    return [
        "The distributions that figure 2 draws: share of all pairs and days with an absolute and "
        "a relative error of at most … (exact).",
        "",
        *table(header, rows),
        "",
    ]


def _sizes(result: FigureTwo) -> list[str]:
    epsilons = list(result.by_size)
    rows: list[list[str]] = []
    for place, (label, cells, _, _) in enumerate(result.by_size[epsilons[0]]):
        errors = [result.by_size[epsilon][place][2:] for epsilon in epsilons]
        rows.append([label, number(cells), *(f"{a.text()}; {r.text(100, '%')}" for a, r in errors)])
    header = ["true trips", "flows", *(f"ε = {epsilon:g}" for epsilon in epsilons)]
    largest = [
        [result.by_size[e][place][3].mean for e in epsilons]
        for place in range(2, len(rows))  # flows that would be shown without noise
    ]
    holds = all(
        after <= before
        for low, high in itertools.pairwise(largest)
        for before, after in zip(low, high, strict=True)
        if not math.isnan(after)
    )
    return [
        "P2's text: the further a flow lies above τ, the smaller its relative error. Measured: "
        f"{'holds' if holds else '**does not hold**'} (drawn medians, absolute in trips and "
        "relative).",
        "",
        *table(header, rows),
        "",
    ]
