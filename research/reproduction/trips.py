"""Measure what P2 reports in its figure 2 and Table S2, on simulated people."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine import metrics
from engine import origin_destination as od
from engine.arrays import Floats
from engine.datasets import Dataset
from engine.origin_destination.drawn import drawn_errors
from engine.origin_destination.exact import expected
from engine.origin_destination.exact.expected import POPULATIONS, Expectation, Population
from engine.origin_destination.exact.outcomes import Outcomes
from engine.origin_destination.mechanism import standard_noise
from research.reproduction.published import P2_EPSILONS, P2_THRESHOLD, SmallShares
from research.rows import Spread

WEEK = slice(0, 7)
DAYS_AT_ONCE = 61
"""Days drawn together: 11 million cells of 421 zones."""

SIZE_CLASSES = ((0, 0), (1, 14), (15, 29), (30, 99), (100, 999), (1000, None))
"""True counts of the cells whose errors are shown apart: P2 says that larger ones fare better."""


@dataclass(frozen=True)
class TripsPlan:
    """How many seeds are drawn, and at which ε (P2's, at trip level)."""

    repeats: int = 10
    epsilons: tuple[float, ...] = P2_EPSILONS
    seed: int = 2024


def settings(epsilon: float) -> od.ODParameters:
    """Return P2's setting: trip level, T = 1, τ = 15."""
    return od.ODParameters(epsilon=epsilon, unit="trip", suppression_threshold=P2_THRESHOLD)


# -- Table S2 --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shares:
    """Shares of counts below 15 in one dataset; of releases one value for every ε of the plan.

    Attributes
    ----------
    true : dict of reading to float
    expected : dict of reading to tuple of float
        By the exact law.
    drawn : tuple of Spread
        Of daily matrices, all off-diagonal cells.
    revealed, lost : tuple of float
        Expected share of all cells that noise lifts over τ, and that it pushes below.
    empty : float
        Share of cells without a trip.
    """

    true: dict[str, float]
    expected: dict[str, tuple[float, ...]]
    drawn: tuple[Spread, ...]
    revealed: tuple[float, ...]
    lost: tuple[float, ...]
    empty: float


READINGS = {
    "daily": "daily, all pairs",
    "travelled": "daily, pairs with a trip",
    "week": "first seven days added up, all pairs",
}
"""What "O–D matrix counts" may mean in Table S2."""


def small_shares(dataset: Dataset, plan: TripsPlan) -> Shares:
    """Return the shares below 15 of the truth and of releases, by every reading."""
    params = [settings(epsilon) for epsilon in plan.epsilons]
    daily = [od.expected(dataset, each) for each in params]
    week = [od.expected(dataset, each, days=WEEK, sum_days=True) for each in params]
    cells = daily[0].weights("all").sum()
    return Shares(
        true={
            "daily": daily[0].share_below(P2_THRESHOLD)[0],
            "travelled": _true_share_of_travelled(daily[0]),
            "week": week[0].share_below(P2_THRESHOLD)[0],
        },
        expected={
            "daily": tuple(exact.share_below(P2_THRESHOLD)[1] for exact in daily),
            "travelled": tuple(suppressed_of_travelled(exact.outcomes) for exact in daily),
            "week": tuple(exact.share_below(P2_THRESHOLD)[1] for exact in week),
        },
        drawn=tuple(Spread.of(shares) for shares in _drawn_shares(dataset, plan)),
        revealed=tuple(float(exact.outcomes.revealed.cells / cells) for exact in daily),
        lost=tuple(float(exact.outcomes.lost.cells / cells) for exact in daily),
        empty=float(1 - daily[0].weights("travelled").sum() / cells),
    )


def suppressed_of_travelled(outcomes: Outcomes) -> float:
    """Return the share of cells with a true trip that are released as 0, that is, below τ."""
    hidden = outcomes.kept_suppressed.cells + outcomes.lost.cells - outcomes.empty.cells
    shown = outcomes.revealed.cells + outcomes.kept.cells - outcomes.phantom.cells
    together = float(hidden + shown)
    return float(hidden) / together if together > 0 else float("nan")


def _true_share_of_travelled(exact: Expectation) -> float:
    travelled, large = (float(exact.weights(which).sum()) for which in ("travelled", "large"))
    return 1 - large / travelled if travelled > 0 else float("nan")


def _drawn_shares(dataset: Dataset, plan: TripsPlan) -> Floats:
    """Return the drawn shares of daily matrices, shape (ε, repeats); days in blocks that fit."""
    days = len(dataset.metadata.days)
    generators = [list(_generators(plan)) for _ in plan.epsilons]
    below = np.zeros((len(plan.epsilons), plan.repeats))
    for first in range(0, days, DAYS_AT_ONCE):
        true = od.truth(dataset, days=slice(first, first + DAYS_AT_ONCE))
        for row, epsilon in enumerate(plan.epsilons):
            for repeat, rng in enumerate(generators[row]):
                released = od.release_matrix(true, settings(epsilon), rng=rng)
                below[row, repeat] += len(true) * metrics.share_below(released, P2_THRESHOLD)
    return below / days


def possible_shares(not_private: float, epsilon: float) -> tuple[float, float]:
    """Return the least and the largest expected share that Algorithm 1 can turn a share into.

    Of the cells below τ those with 14 trips are suppressed least and empty ones most; of the
    others those with 15 trips most, and large ones never (erratum O6).
    """
    params = settings(epsilon)
    empty, almost, just = (
        expected.reading(count, params).suppressed for count in (0, P2_THRESHOLD - 1, P2_THRESHOLD)
    )
    small = not_private / 100
    return 100 * small * almost, 100 * (small * empty + (1 - small) * just)


def least_share_by_mean(column: SmallShares) -> tuple[float, float]:
    """Return the mean trips of a daily cell and the least share below 15 that it allows (Markov).

    With the k² cells of a matrix; without its diagonal the mean is larger by 1/(k − 1).
    """
    mean = column.people * column.mean_trips / (column.days * column.zones**2)
    return mean, 100 * max(0.0, 1 - mean / P2_THRESHOLD)


# -- Figure 2 --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MedianErrors:
    """Median errors over one population of cells at one ε.

    Attributes
    ----------
    absolute, relative : float
        Expected; relative as in the caption of figure 2, 2|x̂ − x|/(x̂ + x).
    drawn_absolute, drawn_relative, drawn_to_truth : Spread
        As drawn; the last one as in P2's text, |x̂ − x|/x, with x at least 1.
    cells : float
    """

    absolute: float
    relative: float
    drawn_absolute: Spread
    drawn_relative: Spread
    drawn_to_truth: Spread
    cells: float


def median_errors(dataset: Dataset, plan: TripsPlan) -> dict[float, dict[Population, MedianErrors]]:
    """Return the median errors over all days, for every ε and population."""
    true = od.truth(dataset)
    medians: dict[float, dict[Population, MedianErrors]] = {}
    for epsilon in plan.epsilons:
        params = settings(epsilon)
        exact = od.expected(dataset, params)
        drawn = {population: ([], [], []) for population in POPULATIONS}
        for rng in _generators(plan):
            released = od.release(dataset, params, rng=rng).counts
            for population, (absolute, relative, to_truth) in drawn.items():
                errors = drawn_errors(true, released, P2_THRESHOLD, population)
                absolute.append(errors.median_absolute)
                relative.append(errors.median_relative)
                least = {"all": 0, "travelled": 1, "large": P2_THRESHOLD}[population]
                to_truth.append(_median_to_truth(true, released, least))
        medians[epsilon] = {
            population: MedianErrors(
                exact.errors[population].median_absolute,
                exact.errors[population].median_relative,
                *(Spread.of(values) for values in drawn[population]),
                cells=exact.errors[population].cells,
            )
            for population in POPULATIONS
        }
    return medians


@dataclass(frozen=True)
class CutErrors:
    """Drawn medians with noise cut to whole trips, over flows of at least τ in both matrices."""

    absolute: Spread
    relative: Spread
    flows: Spread


def median_errors_cut(dataset: Dataset, plan: TripsPlan) -> dict[float, CutErrors]:
    """Return median errors if noise were cut towards 0, not rounded half up as in Algorithm 1.

    Not what Algorithm 1 says: the reading of figure 2 that comes nearest to its text.
    """
    counts = _off_diagonal(od.truth(dataset))
    medians: dict[float, CutErrors] = {}
    for epsilon in plan.epsilons:
        absolute: list[float] = []
        relative: list[float] = []
        flows: list[float] = []
        for rng in _generators(plan):
            noise = standard_noise(rng, counts.shape) * settings(epsilon).noise_scale
            released = counts + np.trunc(noise).astype(np.int64)
            shown = (counts >= P2_THRESHOLD) & (released >= P2_THRESHOLD)
            true, private = counts[shown], released[shown]
            absolute.append(_median(np.abs(private - true)))
            relative.append(_median(metrics.flow_relative_errors(true, private)))
            flows.append(float(shown.sum()))
        medians[epsilon] = CutErrors(*(Spread.of(values) for values in (absolute, relative, flows)))
    return medians


ABSOLUTE_SHOWN = (0, 1, 2, 5, 10, 20)
RELATIVE_SHOWN = (0.0, 0.01, 0.05, 0.2, 1.0)


def distributions(dataset: Dataset, plan: TripsPlan) -> dict[float, tuple[Floats, Floats]]:
    """Return the exact shares of pairs with at most the errors shown (figure 2 itself)."""
    exact = {epsilon: od.expected(dataset, settings(epsilon)) for epsilon in plan.epsilons}
    return {
        epsilon: (
            each.absolute_error_within(ABSOLUTE_SHOWN),
            each.relative_error_within(RELATIVE_SHOWN),
        )
        for epsilon, each in exact.items()
    }


def median_errors_by_size(
    dataset: Dataset, epsilon: float, plan: TripsPlan
) -> list[tuple[str, int, Spread, Spread]]:
    """Return label, cells and drawn median errors (absolute, relative) of each size of cell."""
    counts = _off_diagonal(od.truth(dataset))
    chosen = [
        (counts >= low) & (counts <= (math.inf if high is None else high))
        for low, high in SIZE_CLASSES
    ]
    medians: list[list[tuple[float, float]]] = [[] for _ in SIZE_CLASSES]
    for rng in _generators(plan):
        released = _off_diagonal(od.release(dataset, settings(epsilon), rng=rng).counts)
        absolute = np.abs(released - counts)
        relative = metrics.flow_relative_errors(counts, released)
        for cells, values in zip(chosen, medians, strict=True):
            values.append((_median(absolute[cells]), _median(relative[cells])))
    return [
        (_size_words(low, high), int(cells.sum()), Spread.of(a), Spread.of(r))
        for (low, high), cells, values in zip(SIZE_CLASSES, chosen, medians, strict=True)
        for a, r in [np.transpose(values)]
    ]


@dataclass(frozen=True)
class SizesOfFlows:
    """What the medians depend on: how many cells are empty, and how large the others are."""

    empty: float
    median_large: float
    mean: float


def sizes_of_flows(dataset: Dataset) -> SizesOfFlows:
    """Return the share of empty cells, the median count of cells of at least τ, and the mean."""
    counts = _off_diagonal(od.truth(dataset))
    return SizesOfFlows(
        float((counts == 0).mean()), _median(counts[counts >= P2_THRESHOLD]), float(counts.mean())
    )


def _median_to_truth(true: NDArray[np.int64], released: NDArray[np.int64], least: int) -> float:
    x, out = _off_diagonal(true), _off_diagonal(released)
    chosen = x >= least
    return _median(np.abs(out - x)[chosen] / np.maximum(x[chosen], 1))


def _off_diagonal(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return counts[..., ~np.eye(counts.shape[-1], dtype=bool)].ravel()


def _median(values: NDArray[np.generic]) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def _generators(plan: TripsPlan) -> Iterator[np.random.Generator]:
    return (np.random.default_rng([plan.seed, repeat]) for repeat in range(plan.repeats))


def _size_words(low: int, high: int | None) -> str:
    if high is None:
        return f"{low:,} or more"
    return f"{low}" if low == high else f"{low} to {high}"
