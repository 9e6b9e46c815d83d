"""Exact measures over a whole grid of ε × τ, fast enough to follow a slider.

For one threshold, every closed-form measure is linear in the probability of the rarer of a
cell's two fates, h·q^(u − 1), u = s if s ≥ 1 and 1 − s otherwise: one matrix product over the
distinct counts gives it for all ε at once.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine import validation
from engine.errors import ParameterError
from engine.origin_destination import laws, relative, solving
from engine.origin_destination.expected import SANITY_BOUND, Population
from engine.origin_destination.histogram import CountHistogram
from engine.origin_destination.laws import LawName, NoiseLaw
from engine.origin_destination.outcomes import Fates, Share
from engine.origin_destination.settings import rates
from engine.parameters import MAX_SUPPRESSION_THRESHOLD

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """Exact measures for every pair of settings; arrays have shape (epsilons, thresholds).

    Attributes
    ----------
    epsilons, thresholds : arrays
        The settings.
    fates : Fates
        Cells and trips of each fate.
    bias : array
        Expected minus true total, in trips.
    mean_absolute : array
        Mean of |out − t| over the population, in trips.
    mean_bounded_relative : array
        Mean of |out − t|/max(t, sanity bound) over the population.
    """

    epsilons: Floats
    thresholds: Floats
    fates: Fates
    bias: Floats
    mean_absolute: Floats
    mean_bounded_relative: Floats


def heat_map(
    counted: CountHistogram,
    epsilons: ArrayLike,
    thresholds: ArrayLike,
    max_trips_per_user: int = 1,
    *,
    law: LawName = "rounded_laplace",
    population: Population = "all",
    sanity_bound: float = SANITY_BOUND,
) -> HeatMap:
    """Return the closed-form measures over a grid of ε × τ.

    Parameters
    ----------
    counted : CountHistogram
        Trimmed with the same T.
    epsilons, thresholds : array-like, shapes (epsilons,) and (thresholds,)
        ε above 0; τ whole numbers from 0.
    max_trips_per_user : int
        T; the noise scale is T/ε.
    law : str
    population : str
        Cells over which errors are averaged: ``all`` or ``travelled``.
    sanity_bound : float
        Trips.

    Raises
    ------
    ParameterError
        If a setting is outside its domain.

    Examples
    --------
    >>> from engine.origin_destination import histogram_of_matrix
    >>> grid = heat_map(histogram_of_matrix([[0, 9], [0, 0]]), [0.1, 1.0], [0, 15])
    >>> grid.fates.phantom.cells.round(4)
    array([[0.4756, 0.1173],
           [0.3033, 0.    ]])
    """
    settings = _Settings(epsilons, thresholds, max_trips_per_user, population)
    validation.finite_above("sanity_bound", sanity_bound, 0, "1 trip is usual")
    noise = NoiseLaw(settings.rates[:, None], law)
    averaged = settings.weights(counted)
    trimmed = counted.true - counted.kept
    # E[(Z − d)⁺] does not depend on the threshold
    above = noise.mean_above(trimmed)

    def column(threshold: float) -> dict[str, Floats]:
        return _column(counted, noise, threshold, averaged, above, sanity_bound)

    with ThreadPoolExecutor() as pool:  # NumPy works outside the interpreter's lock
        columns = list(pool.map(column, settings.thresholds.tolist()))
    stacked = {name: np.stack([c[name] for c in columns], axis=1) for name in columns[0]}
    shares = {
        fate: Share(cells=stacked[f"{fate}_cells"], trips=stacked[f"{fate}_trips"])
        for fate in ("kept_suppressed", "revealed", "lost", "kept", "empty", "phantom")
    }
    return HeatMap(
        epsilons=settings.epsilons,
        thresholds=settings.thresholds,
        fates=Fates(**shares),
        bias=stacked["bias"],
        mean_absolute=stacked["mean_absolute"],
        mean_bounded_relative=stacked["mean_bounded_relative"],
    )


def relative_error_rows(
    counted: CountHistogram,
    epsilons: ArrayLike,
    thresholds: ArrayLike,
    max_trips_per_user: int = 1,
    *,
    law: LawName = "rounded_laplace",
    population: Population = "all",
) -> Iterator[tuple[int, Floats]]:
    """Yield the mean of 2|out − t|/(out + t) row by row: the index of ε and its thresholds' values.

    Arguments as for `heat_map`. Rows come as they are computed, so that a page can fill in.

    Examples
    --------
    >>> from engine.origin_destination import histogram_of_matrix
    >>> rows = relative_error_rows(histogram_of_matrix([[0, 9], [0, 0]]), [1.0], [15])
    >>> [(index, row.round(3).tolist()) for index, row in rows]
    [(0, [0.999])]
    """
    settings = _Settings(epsilons, thresholds, max_trips_per_user, population)
    weights = settings.weights(counted)
    chosen = weights > 0
    kept, true, weights = counted.kept[chosen], counted.true[chosen], weights[chosen]
    column = settings.thresholds[:, None]
    largest = relative.largest_argument(true, float(column.max()))
    for index, rate in enumerate(settings.rates):
        if not weights.any():
            yield index, np.full(len(column), np.nan)
            continue
        sums = relative.ReciprocalSums(float(rate), largest)
        means = relative.mean_relative_error(NoiseLaw(rate, law), sums, kept, true, column)
        yield index, means @ weights / weights.sum()


class _Settings:
    """The checked settings of a grid."""

    def __init__(
        self,
        epsilons: ArrayLike,
        thresholds: ArrayLike,
        max_trips_per_user: int,
        population: Population,
    ) -> None:
        self.rates = np.atleast_1d(rates(epsilons, max_trips_per_user))
        self.epsilons = self.rates * max_trips_per_user
        self.thresholds = np.atleast_1d(
            solving.whole_numbers("suppression_threshold", thresholds, 0, "15 is usual")
        )
        if self.rates.ndim > 1 or self.thresholds.ndim > 1 or 0 in self.thresholds.shape:
            raise ParameterError(
                "epsilons and thresholds must be two lists of numbers, got shapes "
                f"{np.shape(epsilons)} and {np.shape(thresholds)}; the grid crosses them"
            )
        if self.thresholds.max() > MAX_SUPPRESSION_THRESHOLD:
            raise ParameterError(
                f"suppression_threshold must be at most {MAX_SUPPRESSION_THRESHOLD}, got "
                f"{self.thresholds.max():g}; 15 is usual"
            )
        # "large" would change its members along the axis of τ
        validation.one_of("population", population, ("all", "travelled"), "'all' is every flow")
        self.population = population

    def weights(self, counted: CountHistogram) -> Floats:
        if self.population == "all":
            return counted.cells
        return np.where(counted.true > 0, counted.cells, 0.0)


def _column(
    counted: CountHistogram,
    noise: NoiseLaw,
    threshold: float,
    averaged: Floats,
    above: Floats,
    sanity_bound: float,
) -> dict[str, Floats]:
    """Return every measure for one threshold and all rates, by name."""
    cells, kept, true = counted.cells, counted.kept, counted.true
    least = float(laws.effective_threshold(threshold))
    trimmed, bound = true - kept, least - kept
    hidden = bound >= 1  # mostly suppressed: P(out = 0) = 1 − rare, else rare
    outer = np.where(hidden, bound, 1 - bound)
    rare = laws.quick_exp(noise.log_first - noise.rate * (outer - 1))
    sign = np.where(hidden, -1.0, 1.0)
    small = true < least
    excess = noise.excess[:, 0]
    bounded = averaged / np.maximum(true, sanity_bound)

    # Terms that are linear in rare; then, for each weighting of cells, what does not depend on it.
    suppressed = np.stack(
        [cells * small, cells * ~small, cells * true * small, cells * true * ~small], axis=1
    )
    moved = np.stack([cells * hidden, cells * ~hidden], axis=1)
    errors = [_error_terms(w, sign, outer, trimmed, true, bound) for w in (averaged, bounded)]
    linear = rare @ np.concatenate([sign[:, None] * suppressed, moved, *errors], axis=1)
    fixed = hidden @ suppressed

    small_cells, large_cells, small_trips, large_trips = (fixed + linear[:, :4]).T
    bias = (
        linear[:, 4] * (least + excess)
        + linear[:, 5] * (1 + excess - least)
        - (cells * hidden) @ kept
        - cells @ trimmed
    )
    turned = bound < trimmed
    flips = np.where(turned, -1.0, 1.0)
    means = [
        linear[:, 6 + 2 * i]
        + excess * linear[:, 7 + 2 * i]
        - float((w * flips * trimmed) @ ~hidden)
        + float((w * true) @ hidden)
        + 2 * above @ (w * turned)
        for i, w in enumerate((averaged, bounded))
    ]
    members = averaged.sum()
    scale = 1 / members if members > 0 else np.nan
    phantom = cells[0] * rare[:, 0]
    return {
        "kept_suppressed_cells": small_cells,
        "revealed_cells": (cells @ small) - small_cells,
        "lost_cells": large_cells,
        "kept_cells": (cells @ ~small) - large_cells,
        "empty_cells": cells[0] - phantom,
        "phantom_cells": phantom,
        "kept_suppressed_trips": small_trips,
        "revealed_trips": (cells * true) @ small - small_trips,
        "lost_trips": large_trips,
        "kept_trips": (cells * true) @ ~small - large_trips,
        "empty_trips": np.zeros_like(phantom),
        "phantom_trips": phantom * (least + excess),
        "bias": bias,
        "mean_absolute": means[0] * scale,
        "mean_bounded_relative": means[1] * scale,
    }


def _error_terms(
    weights: Floats,
    sign: Floats,
    outer: Floats,
    trimmed: Floats,
    true: Floats,
    bound: Floats,
) -> Floats:
    """Return the two columns by which rare enters E|out − t|: alone, and times q/(1 − q).

    E[|Z − d|; Z ≥ s] is rare·(u + q/(1 − q)) − d·P(Z ≥ s) if s ≥ d, and 2·E[(Z − d)⁺] minus that
    otherwise; a suppressed cell adds t·P(Z < s).
    """
    flips = np.where(bound < trimmed, -1.0, 1.0)
    alone = flips * (outer + sign * trimmed) + sign * true
    return np.stack([weights * alone, weights * flips], axis=1)
