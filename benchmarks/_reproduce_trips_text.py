"""Write what P2 reports beside what was measured."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks import _reproduce_trips as measured
from benchmarks._reproduce_published import (
    P2_MEDIAN_ABSOLUTE,
    P2_MEDIAN_RELATIVE,
    P2_THRESHOLD,
    TABLE_S2,
    SmallShares,
)
from benchmarks._reproduce_tables import Line, Spread, lines_table, number, percent, table
from benchmarks._reproduce_trips import READINGS, MedianErrors, Share, SizesOfFlows, TripsPlan
from engine import origin_destination as od
from engine.datasets import Dataset

POPULATION_WORDS: dict[od.Population, str] = {
    "all": "all off-diagonal cells",
    "travelled": "cells with a trip",
    "large": f"cells of at least {P2_THRESHOLD} trips",
}


@dataclass(frozen=True)
class FigureTwo:
    """What was measured for P2's figure 2 on one dataset."""

    name: str
    days: int
    medians: dict[float, dict[od.Population, MedianErrors]]
    by_size: dict[float, list[tuple[str, int, Spread, Spread]]]
    sizes: SizesOfFlows


def figure_two(dataset: Dataset, plan: TripsPlan) -> FigureTwo:
    """Measure figure 2 on a dataset's days."""
    return FigureTwo(
        name=dataset.id,
        days=len(dataset.metadata.days),
        medians=measured.median_errors(dataset, plan),
        by_size={e: measured.median_errors_by_size(dataset, e, plan) for e in plan.epsilons},
        sizes=measured.sizes_of_flows(dataset),
    )


def figure_text(found: FigureTwo, plan: TripsPlan) -> list[str]:
    """Return the part of the report on figure 2."""
    rows = [
        [
            f"{epsilon:g}",
            POPULATION_WORDS[population],
            number(errors.cells),
            number(errors.absolute),
            errors.drawn_absolute.text(),
            percent(errors.relative, 2),
            errors.drawn_relative.text(100, "%"),
            errors.drawn_to_truth.text(100, "%"),
        ]
        for epsilon, medians in found.medians.items()
        for population, errors in medians.items()
    ]
    header = [
        "ε",
        "cells",
        "number",
        "absolute, expected",
        "drawn",
        "relative, expected",
        "drawn",
        "of the true count, drawn",
    ]
    return [
        f"### Figure 2: errors of cells, `{found.name}`, {found.days} days",
        "",
        *lines_table(list(_lines(found))),
        "Medians over cells and days, in trips. “Relative” is the caption's 2|x̂ − x|/(x̂ + x), "
        "“of the true count” the text's |x̂ − x|/x (x of at least 1). "
        f"{plan.repeats} draws; expected values are exact and of all draws together.",
        "",
        *table(header, rows),
        "",
        *_sizes(found),
    ]


def _lines(found: FigureTwo) -> Iterator[Line]:
    for epsilon, printed in P2_MEDIAN_ABSOLUTE.items():
        if epsilon not in found.medians:
            continue
        populations = found.medians[epsilon]
        trips = {name: errors.absolute for name, errors in populations.items()}
        noise = measured.median_noise(epsilon)
        yield Line(
            f"median absolute error, ε = {epsilon:g}",
            f"{number(printed.value)} trips",
            _each(f"{number(value)}" for value in trips.values()),
            printed.value in trips.values(),
            printed.source,
            f"the noise before rounding has a median of {number(noise)} trips, which cut to whole "
            f"trips is {math.floor(noise)} and rounded half up as in Algorithm 1, for cells of at "
            f"least τ, {number(trips['large'])}; all cells together have less, because "
            f"{percent(found.sizes.empty)} of them are empty and mostly stay so.",
        )
    for epsilon, printed in P2_MEDIAN_RELATIVE.items():
        if epsilon not in found.medians:
            continue
        relative = {n: errors.relative for n, errors in found.medians[epsilon].items()}
        least = min(relative.values())
        below = printed.half_unit == 0
        agrees = least < printed.value if below else any(
            abs(value - printed.value) <= printed.half_unit for value in relative.values()
        )  # fmt: skip
        noise = measured.median_noise(epsilon)
        why = (
            f"our median flow of at least τ has {number(found.sizes.median_large)} trips a day; "
            f"noise of {number(noise)} trips is {percent(printed.value, 2)} of "
            f"{number(noise / printed.value)} (P2 prints the same 2.54% as the smallest error of "
            "its Table 3)."
        )
        under = (
            f"so small a median needs an exact 0 in half of the cells; the rounded noise is 0 with "
            f"probability {number(1 - math.exp(-epsilon / 2))}, cut to whole trips it would be "
            f"with {number(1 - math.exp(-epsilon))}."
        )
        yield Line(
            f"median relative error, ε = {epsilon:g}",
            f"{'under ' if below else ''}{percent(printed.value, 2)}",
            _each(percent(value, 2) for value in relative.values()),
            agrees,
            printed.source,
            under if below else why,
        )


def _each(values: Iterator[str]) -> str:
    """Write all populations in one cell: all, with a trip, of at least τ."""
    return " / ".join(values) + " (all / with a trip / ≥ τ)"


def _sizes(found: FigureTwo) -> list[str]:
    epsilons = list(found.by_size)
    rows = []
    for place, (label, cells, _, _) in enumerate(found.by_size[epsilons[0]]):
        errors = [found.by_size[epsilon][place][2:] for epsilon in epsilons]
        rows.append([label, number(cells), *(f"{a.text()}; {r.text(100, '%')}" for a, r in errors)])
    header = ["true trips", "cells", *(f"ε = {epsilon:g}" for epsilon in epsilons)]
    return [
        "P2's text: larger flows are relatively more accurate. Drawn medians, absolute in trips "
        "and relative:",
        "",
        *table(header, rows),
        "",
    ]


def small_shares_text(
    found: dict[str, dict[str, list[Share]]], missing: Sequence[str], plan: TripsPlan
) -> list[str]:
    """Return the part of the report on Table S2."""
    parts = [
        f"### Table S2: share of counts below {P2_THRESHOLD}",
        "",
        "P2 does not say which counts. Three readings, each exact (truth), expected (exact law) "
        f"and drawn (mean ± standard deviation of {plan.repeats} draws), in percent. “Possible” is "
        "what Algorithm 1 can make, in expectation, of the share printed for the data that are not "
        "private.",
        "",
        f"The generator was set to the first row of “{READINGS['daily']}”, so that row is no test.",
        "",
    ]
    for name, readings in found.items():
        parts += _column(name, TABLE_S2[name], readings, plan)
    parts += [f"`{name}`: skipped, it is made on first use and was not there." for name in missing]
    return [*parts, "", *_fits(found)]


def _column(
    name: str, column: SmallShares, readings: dict[str, list[Share]], plan: TripsPlan
) -> list[str]:
    rows = []
    for place, printed in enumerate((column.not_private, *column.private)):
        possible = "–"
        if place:
            low, high = measured.possible_shares(column.not_private, plan.epsilons[place - 1])
            mark = "" if low - 0.05 <= printed <= high + 0.05 else " **no**"
            possible = f"{low:.1f} to {high:.1f}{mark}"
        label = f"ε = {plan.epsilons[place - 1]:g}" if place else "not private"
        cells = [_share(readings[reading][place]) for reading in READINGS]
        rows.append([label, f"{printed:.1f}", possible, *cells])
    mean, least = measured.least_share_by_mean(column)
    distances = [measured.distance_from(column, readings[reading]) for reading in READINGS]
    rows.append(["mean difference", "", "", *(f"{points:.1f} points" for points in distances)])
    return [
        f"**{column.label}** (`{name}`)",
        "",
        *table(["", "printed", "possible", *READINGS.values()], rows),
        "",
        f"P2's Table 1 means {number(mean)} trips a daily cell, so at least {least:.1f}% of daily "
        f"cells lie below {P2_THRESHOLD}"
        + (
            f": the printed {column.not_private}% cannot be of daily matrices (O6)."
            if column.not_private < least - 0.05
            else f", which the printed {column.not_private}% allows."
        ),
        "",
    ]


def _share(share: Share) -> str:
    exact = f"{100 * share.expected:.2f}"
    return exact if share.drawn is None else f"{exact}; {share.drawn.text(100)}"


def _fits(found: dict[str, dict[str, list[Share]]]) -> list[str]:
    """Say for each column which reading lies nearest, and how large the largest misses are."""
    sentences = ["Which reading fits:", ""]
    for name, readings in found.items():
        column = TABLE_S2[name]
        nearest, points = measured.verdict(readings, column)
        printed = (column.not_private, *column.private)
        misses = [
            abs(100 * ours.expected - theirs)
            for ours, theirs in zip(readings[nearest], printed, strict=True)
        ]
        fit = "fits" if max(misses) <= 3 else "is nearest but does not fit"
        sentences.append(
            f"- **{column.label}**: “{READINGS[nearest]}” {fit}: {points:.1f} points off on "
            f"average, {max(misses):.1f} at most."
        )
    return [*sentences, ""]
