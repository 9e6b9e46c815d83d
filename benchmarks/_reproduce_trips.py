"""Measure what P2 reports in its figure 2 and Table S2, on simulated people."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks._reproduce_published import P2_EPSILONS, P2_THRESHOLD, SmallShares
from benchmarks._reproduce_tables import Spread
from engine import metrics
from engine import origin_destination as od
from engine.datasets import Dataset

Floats = NDArray[np.float64]

WEEK = slice(0, 7)
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
class Share:
    """Share of counts below 15: of the truth, or of a release as expected and as drawn."""

    expected: float
    drawn: Spread | None = None


READINGS = {
    "daily": "daily matrices, all off-diagonal cells",
    "travelled": "daily matrices, cells with a trip",
    "week": "seven days added up, all off-diagonal cells",
}
"""What "O–D matrix counts" may mean in Table S2."""


def small_shares(dataset: Dataset, plan: TripsPlan) -> dict[str, list[Share]]:
    """Return for every reading the shares of the truth and at each ε, in that order."""
    found: dict[str, list[Share]] = {reading: [] for reading in READINGS}
    for place, epsilon in enumerate(plan.epsilons):
        params = settings(epsilon)
        daily = od.expectation(dataset, params)
        week = od.expectation(dataset, params, days=WEEK, sum_days=True)
        if place == 0:
            found["daily"].append(Share(daily.share_below(P2_THRESHOLD)[0]))
            found["travelled"].append(Share(_true_share_of_travelled(daily)))
            found["week"].append(Share(week.share_below(P2_THRESHOLD)[0]))
        drawn_daily, drawn_travelled, drawn_week = _drawn_shares(dataset, params, plan)
        found["daily"].append(Share(daily.share_below(P2_THRESHOLD)[1], Spread.of(drawn_daily)))
        found["travelled"].append(
            Share(suppressed_of_travelled(daily.fates), Spread.of(drawn_travelled))
        )
        found["week"].append(Share(week.share_below(P2_THRESHOLD)[1], Spread.of(drawn_week)))
    return found


def suppressed_of_travelled(fates: od.Fates) -> float:
    """Return the share of cells with a true trip that are released as 0, that is, below τ."""
    hidden = fates.kept_suppressed.cells + fates.lost.cells - fates.empty.cells
    shown = fates.revealed.cells + fates.kept.cells - fates.phantom.cells
    together = float(hidden + shown)
    return float(hidden) / together if together > 0 else float("nan")


def _true_share_of_travelled(exact: od.Expectation) -> float:
    travelled, large = (float(exact.weights(which).sum()) for which in ("travelled", "large"))
    return 1 - large / travelled if travelled > 0 else float("nan")


def _drawn_shares(
    dataset: Dataset, params: od.ODParameters, plan: TripsPlan
) -> tuple[list[float], list[float], list[float]]:
    true = od.truth(dataset)
    daily, travelled, week = [], [], []
    for rng in _generators(plan):
        released = od.release(dataset, params, rng=rng).counts
        daily.append(metrics.share_below(released, P2_THRESHOLD))
        fates = od.drawn_fates(true, released, P2_THRESHOLD)
        travelled.append(suppressed_of_travelled(fates))
        summed = od.release(dataset, params, rng=rng, days=WEEK, sum_days=True).counts
        week.append(metrics.share_below(summed, P2_THRESHOLD))
    return daily, travelled, week


def distance_from(column: SmallShares, shares: list[Share]) -> float:
    """Return the mean difference of a reading from a printed column, in points."""
    printed = (column.not_private, *column.private)
    differences = [
        abs(100 * ours.expected - theirs) for ours, theirs in zip(shares, printed, strict=True)
    ]
    return float(np.mean(differences))


def possible_shares(not_private: float, epsilon: float) -> tuple[float, float]:
    """Return the least and the largest expected share that Algorithm 1 can turn a share into.

    Of the cells below τ those with 14 trips are suppressed least and empty ones most; of the
    others those with 15 trips most, and large ones never (erratum O6).
    """
    params = settings(epsilon)
    empty, almost, just = (
        od.reading(count, params).suppressed for count in (0, P2_THRESHOLD - 1, P2_THRESHOLD)
    )
    small = not_private / 100
    return 100 * small * almost, 100 * (small * empty + (1 - small) * just)


def least_share_by_mean(column: SmallShares) -> tuple[float, float]:
    """Return the mean trips of a daily cell and the least share below 15 that it allows (Markov).

    With the k² cells of a matrix; without its diagonal the mean is larger by 1/(k − 1).
    """
    mean = column.people * column.mean_trips / (column.days * column.zones**2)
    return mean, 100 * max(0.0, 1 - mean / P2_THRESHOLD)


def verdict(readings: Mapping[str, list[Share]], column: SmallShares) -> tuple[str, float]:
    """Return the reading that lies nearest to a printed column, and how near, in points."""
    far = {name: distance_from(column, shares) for name, shares in readings.items()}
    nearest = min(far, key=lambda name: far[name])
    return nearest, far[nearest]


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


def median_errors(
    dataset: Dataset, plan: TripsPlan
) -> dict[float, dict[od.Population, MedianErrors]]:
    """Return the median errors over all days, for every ε and population."""
    true = od.truth(dataset)
    found: dict[float, dict[od.Population, MedianErrors]] = {}
    for epsilon in plan.epsilons:
        params = settings(epsilon)
        exact = od.expectation(dataset, params)
        drawn = {population: ([], [], []) for population in od.POPULATIONS}
        for rng in _generators(plan):
            released = od.release(dataset, params, rng=rng).counts
            for population, (absolute, relative, to_truth) in drawn.items():
                errors = od.drawn_errors(true, released, P2_THRESHOLD, population)
                absolute.append(errors.median_absolute)
                relative.append(errors.median_relative)
                least = {"all": 0, "travelled": 1, "large": P2_THRESHOLD}[population]
                to_truth.append(_median_to_truth(true, released, least))
        found[epsilon] = {
            population: MedianErrors(
                exact.errors[population].median_absolute,
                exact.errors[population].median_relative,
                *(Spread.of(values) for values in drawn[population]),
                cells=exact.errors[population].cells,
            )
            for population in od.POPULATIONS
        }
    return found


def median_errors_by_size(
    dataset: Dataset, epsilon: float, plan: TripsPlan
) -> list[tuple[str, int, Spread, Spread]]:
    """Return label, cells and drawn median errors (absolute, relative) of each size of cell."""
    true = od.truth(dataset)
    off = ~np.eye(true.shape[-1], dtype=bool)
    counts = true[..., off].ravel()
    chosen = [
        (counts >= low) & (counts <= (math.inf if high is None else high))
        for low, high in SIZE_CLASSES
    ]
    medians: list[list[tuple[float, float]]] = [[] for _ in SIZE_CLASSES]
    for rng in _generators(plan):
        released = od.release(dataset, settings(epsilon), rng=rng).counts[..., off].ravel()
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
    true = od.truth(dataset)
    counts = true[..., ~np.eye(true.shape[-1], dtype=bool)]
    return SizesOfFlows(
        float((counts == 0).mean()), _median(counts[counts >= P2_THRESHOLD]), float(counts.mean())
    )


def median_noise(epsilon: float) -> float:
    """Return the median of |η| before rounding, ln 2·T/ε."""
    return math.log(2) * settings(epsilon).noise_scale


def _median_to_truth(true: NDArray[np.int64], released: NDArray[np.int64], least: int) -> float:
    off = ~np.eye(true.shape[-1], dtype=bool)
    x, out = true[..., off].ravel(), released[..., off].ravel()
    chosen = x >= least
    return _median(np.abs(out - x)[chosen] / np.maximum(x[chosen], 1))


def _median(values: NDArray[np.generic]) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def _generators(plan: TripsPlan) -> Iterator[np.random.Generator]:
    return (np.random.default_rng([plan.seed, repeat]) for repeat in range(plan.repeats))


def _size_words(low: int, high: int | None) -> str:
    if high is None:
        return f"{low:,} or more"
    return f"{low}" if low == high else f"{low} to {high}"
