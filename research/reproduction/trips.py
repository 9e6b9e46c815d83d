"""P2's figure 2 and Table S2 beside ours, on simulated people."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine import metrics, origin_destination as od
from engine.arrays import Floats, Integers
from engine.datasets import Dataset
from engine.origin_destination.drawn import drawn_errors
from engine.origin_destination.exact.expected import Expectation, Population
from engine.origin_destination.laws import NoiseLaw, suppressed_probability
from engine.origin_destination.mechanism import standard_noise
from research.reproduction.published import (
    P2_EPSILONS,
    P2_MEDIAN_ABSOLUTE,
    P2_MEDIAN_RELATIVE,
    P2_THRESHOLD,
    TABLE_S2,
    SmallShares,
)
from research.rows import Published, Row, row

WEEK = slice(0, 7)
DAYS_AT_ONCE = 61
"""Days drawn together: 11 million cells of 421 zones."""

SIZE_CLASSES = {
    "0": (0, 0),
    "1 to 14": (1, 14),
    "15 to 29": (15, 29),
    "30 to 99": (30, 99),
    "100 to 999": (100, 999),
    "1,000 or more": (1000, math.inf),
}
"""True counts of the cells whose errors are shown apart: P2 says that larger ones fare better."""

POPULATIONS: dict[Population, tuple[str, int]] = {
    "all": ("all pairs", 0),
    "travelled": ("pairs with a trip", 1),
    "large": (f"pairs of at least {P2_THRESHOLD} trips", P2_THRESHOLD),
}
"""In words, and the least true count."""

ABSOLUTE_SHOWN = (0, 1, 2, 5, 10, 20)
RELATIVE_SHOWN = (0.0, 0.01, 0.05, 0.2, 1.0)
BOUND = 3.0
"""Points: what the generator was allowed at the share of the data that are not private."""


@dataclass(frozen=True)
class TripsPlan:
    """How many seeds are drawn, and at which ε (P2's, at trip level)."""

    repeats: int = 10
    epsilons: tuple[float, ...] = P2_EPSILONS
    seed: int = 2024

    def generators(self) -> Iterator[np.random.Generator]:
        """Yield the generator of every repeat."""
        return (np.random.default_rng([self.seed, repeat]) for repeat in range(self.repeats))


def settings(epsilon: float) -> od.ODParameters:
    """Return P2's setting: trip level, T = 1, τ = 15."""
    return od.ODParameters(epsilon=epsilon, unit="trip", suppression_threshold=P2_THRESHOLD)


# -- Figure 2 --------------------------------------------------------------------------------------


def figure_2(dataset: Dataset, plan: TripsPlan) -> Iterator[Row]:
    """Yield the median errors of figure 2, its distributions, and the reading nearest to P2's."""
    table = "P2, figure 2"
    laws = {epsilon: od.expected(dataset, settings(epsilon)) for epsilon in plan.epsilons}
    for epsilon, law in laws.items():
        yield from _medians(table, dataset, law, epsilon, plan)
    counts = off_diagonal(od.truth(dataset))
    for epsilon in plan.epsilons:
        yield from _cut(table, counts, epsilon, plan)
    for epsilon, law in laws.items():
        setting = f"ε = {epsilon:g}"
        within = law.absolute_error_within(ABSOLUTE_SHOWN)
        for most, share in zip(ABSOLUTE_SHOWN, within, strict=True):
            yield row(table, f"share of pairs off by ≤ {most} trips", setting, share)
        within = law.relative_error_within(RELATIVE_SHOWN)
        for most, share in zip(RELATIVE_SHOWN, within, strict=True):
            yield row(table, f"share of pairs off by ≤ {100 * most:g}%", setting, share)
    for epsilon in plan.epsilons:
        yield from _by_size(table, dataset, counts, epsilon, plan)
    yield row(table, "share of pairs without a trip", "true", float((counts == 0).mean()))
    large = _median(counts[counts >= P2_THRESHOLD])
    yield row(table, f"median flow of at least {P2_THRESHOLD}", "true", large)


def _medians(
    table: str, dataset: Dataset, law: Expectation, epsilon: float, plan: TripsPlan
) -> Iterator[Row]:
    """Yield medians over all days, as in the caption, 2|x̂ − x|/(x̂ + x), and in the text, /x."""
    true = od.truth(dataset)
    drawn: dict[Population, list[tuple[float, ...]]] = {
        population: [] for population in POPULATIONS
    }
    for rng in plan.generators():
        released = od.release(dataset, settings(epsilon), rng=rng).counts
        x, out = off_diagonal(true), off_diagonal(released)
        to_truth = np.abs(out - x) / np.maximum(x, 1)
        for population, (_, least) in POPULATIONS.items():
            errors = drawn_errors(true, released, P2_THRESHOLD, population)
            medians = errors.median_absolute, errors.median_relative, _median(to_truth[x >= least])
            drawn[population].append(medians)
    for population, (words, _) in POPULATIONS.items():
        setting, exact = f"{words}, ε = {epsilon:g}", law.errors[population]
        absolute, relative, of_truth = np.transpose(drawn[population])
        printed = (P2_MEDIAN_ABSOLUTE, P2_MEDIAN_RELATIVE) if population == "all" else ({}, {})
        trips, share = (figures.get(epsilon) for figures in printed)
        yield row(table, "median error, trips, exact law", setting, exact.median_absolute, trips)
        yield row(table, "median error, trips, drawn", setting, absolute)
        yield row(table, "median relative error, exact law", setting, exact.median_relative, share)
        yield row(table, "median relative error, drawn", setting, relative)
        yield row(table, "median error of the true count, drawn", setting, of_truth)


def _cut(table: str, counts: Integers, epsilon: float, plan: TripsPlan) -> Iterator[Row]:
    """Yield medians if noise were cut towards 0, over flows of at least τ in both matrices.

    Not what Algorithm 1 says: the reading of figure 2 that comes nearest to its text.
    """
    drawn: list[tuple[float, ...]] = []
    for rng in plan.generators():
        noise = standard_noise(rng, counts.shape) * settings(epsilon).noise_scale
        released = counts + np.trunc(noise).astype(np.int64)
        shown = (counts >= P2_THRESHOLD) & (released >= P2_THRESHOLD)
        true, private = counts[shown], released[shown]
        relative = _median(metrics.flow_relative_errors(true, private))
        drawn.append((_median(np.abs(private - true)), relative, shown.sum()))
    setting = f"at least {P2_THRESHOLD} in both, noise cut to whole trips, ε = {epsilon:g}"
    names = ("median error, trips, drawn", "median relative error, drawn", "flows")
    for what, values in zip(names, np.transpose(drawn), strict=True):
        yield row(table, what, setting, values)


def _by_size(
    table: str, dataset: Dataset, counts: Integers, epsilon: float, plan: TripsPlan
) -> Iterator[Row]:
    medians: dict[str, list[tuple[float, float]]] = {label: [] for label in SIZE_CLASSES}
    for rng in plan.generators():
        released = off_diagonal(od.release(dataset, settings(epsilon), rng=rng).counts)
        absolute = np.abs(released - counts)
        relative = metrics.flow_relative_errors(counts, released)
        for label, (low, high) in SIZE_CLASSES.items():
            cells = (counts >= low) & (counts <= high)
            medians[label].append((_median(absolute[cells]), _median(relative[cells])))
    for label, values in medians.items():
        absolute, relative = np.transpose(values)
        setting = f"flows of {label}, ε = {epsilon:g}"
        yield row(table, "median error, trips, drawn", setting, absolute)
        yield row(table, "median relative error, drawn", setting, relative)


def off_diagonal(counts: Integers) -> Integers:
    """Return the cells between different zones, in one row."""
    return counts[..., ~np.eye(counts.shape[-1], dtype=bool)].ravel()


def _median(values: NDArray[np.generic]) -> float:
    return float(np.median(values)) if len(values) else float("nan")


# -- Table S2 --------------------------------------------------------------------------------------


def table_s2(loaded: Mapping[str, Dataset], plan: TripsPlan) -> Iterator[Row]:
    """Yield the shares of counts below 15, by every reading of "O–D matrix counts"."""
    for name, dataset in loaded.items():
        yield from small_shares(TABLE_S2[name], dataset, plan)


def small_shares(column: SmallShares, dataset: Dataset, plan: TripsPlan) -> Iterator[Row]:
    """Yield the shares below 15 of one dataset and its releases, and what they come of."""
    params = [settings(epsilon) for epsilon in plan.epsilons]
    daily = [od.expected(dataset, each) for each in params]
    week = [od.expected(dataset, each, days=WEEK, sum_days=True) for each in params]
    what = "% of counts below 15"
    for words, shares in {
        "daily, all pairs": [exact.share_below(P2_THRESHOLD) for exact in daily],
        "daily, pairs with a trip": [_travelled_below(exact) for exact in daily],
        "first seven days added up, all pairs": [exact.share_below(P2_THRESHOLD) for exact in week],
    }.items():
        table, setting = f"P2, Table S2, {words}", f"{column.label}, not private"
        printed = Published(column.not_private, BOUND, "P2, Table S2")
        yield row(table, what, setting, 100 * shares[0][0], printed)
        for epsilon, share, (_, private) in zip(plan.epsilons, column.private, shares, strict=True):
            printed = Published(share, BOUND, "P2, Table S2")
            yield row(table, what, f"{column.label}, ε = {epsilon:g}", 100 * private, printed)
    cells, causes = daily[0].weights("all").sum(), "P2, Table S2, causes"
    for epsilon, exact, drawn in zip(
        plan.epsilons, daily, _drawn_shares(dataset, plan), strict=True
    ):
        setting = f"{column.label}, ε = {epsilon:g}"
        yield row("P2, Table S2, drawn", "share of counts below 15", setting, drawn)
        table = "P2, Table S2, what Algorithm 1 can make of the printed share"
        for which, share in zip(
            ("least", "most"), possible_shares(column.not_private, epsilon), strict=True
        ):
            yield row(table, f"% below 15, {which}", setting, share)
        lifted, pushed = (
            part.cells / cells for part in (exact.outcomes.revealed, exact.outcomes.lost)
        )
        yield row(causes, "share lifted over τ", setting, float(lifted))
        yield row(causes, "share pushed below τ", setting, float(pushed))
    mean, least = least_share_by_mean(column)
    yield row(causes, "mean trips a daily pair", column.label, mean)
    yield row(causes, "% below 15 at least (Markov)", column.label, least)
    empty = float(1 - daily[0].weights("travelled").sum() / cells)
    yield row(causes, "share of empty pairs", column.label, empty)


def _travelled_below(exact: Expectation) -> tuple[float, float]:
    """Return the share below τ of the cells with a trip, true and as expected of a release."""
    travelled, large = (float(exact.weights(which).sum()) for which in ("travelled", "large"))
    of = exact.outcomes
    hidden = of.kept_suppressed.cells + of.lost.cells - of.empty.cells
    shown = of.revealed.cells + of.kept.cells - of.phantom.cells
    return 1 - large / travelled, float(hidden / (hidden + shown))


def _drawn_shares(dataset: Dataset, plan: TripsPlan) -> Floats:
    """Return the drawn shares of daily matrices, shape (ε, repeats); days in blocks that fit."""
    days = len(dataset.metadata.days)
    generators = [list(plan.generators()) for _ in plan.epsilons]
    below = np.zeros((len(plan.epsilons), plan.repeats))
    for first in range(0, days, DAYS_AT_ONCE):
        true = od.truth(dataset, days=slice(first, first + DAYS_AT_ONCE))
        for place, epsilon in enumerate(plan.epsilons):
            for repeat, rng in enumerate(generators[place]):
                released = od.release_matrix(true, settings(epsilon), rng=rng)
                below[place, repeat] += len(true) * metrics.share_below(released, P2_THRESHOLD)
    return below / days


def possible_shares(not_private: float, epsilon: float) -> tuple[float, float]:
    """Return the least and the largest expected share that Algorithm 1 can turn a share into.

    Of the cells below τ those with 14 trips are suppressed least and empty ones most; of the
    others those with 15 trips most, and large ones never (erratum O6).
    """
    law = NoiseLaw(1 / settings(epsilon).noise_scale)
    counts = (0, P2_THRESHOLD - 1, P2_THRESHOLD)
    empty, almost, just = suppressed_probability(law, counts, P2_THRESHOLD).tolist()
    small = not_private / 100
    return 100 * small * almost, 100 * (small * empty + (1 - small) * just)


def least_share_by_mean(column: SmallShares) -> tuple[float, float]:
    """Return the mean trips of a daily cell and the least share below 15 that it allows (Markov).

    With the k² cells of a matrix; without its diagonal the mean is larger by 1/(k − 1).
    """
    mean = column.people * column.mean_trips / (column.days * column.zones**2)
    return mean, 100 * max(0.0, 1 - mean / P2_THRESHOLD)
