"""Exact measures over a whole grid of ε × τ, fast enough to follow a slider.

For one threshold, every closed-form measure is linear in the probability of the rarer of a
cell's two outcomes, h·q^(u − 1), u = s if s ≥ 1 and 1 − s otherwise, which the kept count decides:
one matrix product over the distinct kept counts gives it for all ε at once.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ... import validation
from ...arrays import Floats
from ...errors import ParameterError
from ...parameters import MAX_SUPPRESSION_THRESHOLD
from .. import laws, solving
from ..laws import LawName, NoiseLaw
from .expected import SANITY_BOUND, Population
from .histogram import CountHistogram
from .outcomes import Outcomes, Share


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """Exact measures for every pair of settings; arrays have shape (epsilons, thresholds).

    Attributes
    ----------
    epsilons, thresholds : arrays
        The settings.
    outcomes : Outcomes
        Cells and trips of each outcome.
    bias : array
        Expected minus true total, in trips.
    mean_absolute : array
        Mean of |out − t| over the population, in trips.
    mean_bounded_relative : array
        Mean of |out − t|/max(t, 1) over the population.
    """

    epsilons: Floats
    thresholds: Floats
    outcomes: Outcomes
    bias: Floats
    mean_absolute: Floats
    mean_bounded_relative: Floats

    @property
    def zero_share(self) -> Floats:
        """Share of all ordered pairs of zones that read 0."""
        hidden = self.outcomes.lost.cells + self.outcomes.kept_suppressed.cells
        return _ratio(hidden, self._all("cells"))

    @property
    def visible_share(self) -> Floats:
        """Share of all true trips, trimmed ones too, in flows of at least τ′ that are shown."""
        return _ratio(self.outcomes.kept.trips, self._all("trips"))

    @property
    def lost_share(self) -> Floats:
        """Share of the flows of at least τ′ trips that read 0; NaN where there is none."""
        lost = self.outcomes.lost.cells
        return _ratio(lost, lost + self.outcomes.kept.cells)

    @property
    def lost_trips_share(self) -> Floats:
        """Share of all true trips in flows of at least τ′ that read 0."""
        return _ratio(self.outcomes.lost.trips, self._all("trips"))

    @property
    def revealed_flows(self) -> Floats:
        """Flows below τ′ that are shown; pairs on which nobody travelled are phantoms instead."""
        return np.asarray(self.outcomes.revealed.cells - self.outcomes.phantom.cells)

    @property
    def bias_share(self) -> Floats:
        """Expected minus true total, as a share of all true trips."""
        return _ratio(self.bias, self._all("trips"))

    def _all(self, measure: str) -> Floats:
        parts = ("kept", "lost", "kept_suppressed", "revealed")
        return np.sum([getattr(getattr(self.outcomes, part), measure) for part in parts], axis=0)


def _ratio(part: ArrayLike, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)


def heat_map(
    counted: CountHistogram,
    epsilons: ArrayLike,
    thresholds: ArrayLike,
    max_trips_per_user: int = 1,
    *,
    law: LawName = "rounded_laplace",
    population: Population = "all",
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
    population : str
        Cells over which errors are averaged: ``all`` or ``travelled``.

    Examples
    --------
    >>> from engine.origin_destination.exact.histogram import histogram_of_matrix
    >>> grid = heat_map(histogram_of_matrix([[0, 9], [0, 0]]), [0.1, 1.0], [0, 15])
    >>> grid.outcomes.phantom.cells.round(4)
    array([[0.4756, 0.1173],
           [0.3033, 0.    ]])
    """
    rates, taus, averaged = checked_grid(
        counted, epsilons, thresholds, max_trips_per_user, population
    )
    noise = NoiseLaw(rates[:, None], law)
    # E[(Z − d)⁺] does not depend on the threshold
    above = noise.mean_above(counted.by_trimmed.values)
    weights = [averaged, averaged / np.maximum(counted.true, SANITY_BOUND)]
    members = averaged.sum()

    def column(threshold: float) -> dict[str, Floats]:
        return _column(counted, noise, threshold, weights, above)

    with ThreadPoolExecutor() as pool:  # NumPy works outside the interpreter's lock
        columns = list(pool.map(column, taus.tolist()))
    stacked = {name: np.stack([c[name] for c in columns], axis=1) for name in columns[0]}
    shares = {
        outcome: Share(cells=stacked[f"{outcome}_cells"], trips=stacked[f"{outcome}_trips"])
        for outcome in ("kept_suppressed", "revealed", "lost", "kept", "empty", "phantom")
    }
    return HeatMap(
        epsilons=rates * max_trips_per_user,
        thresholds=taus,
        outcomes=Outcomes(**shares),
        bias=stacked["bias"],
        mean_absolute=_over(stacked["mean_absolute"], members),
        mean_bounded_relative=_over(stacked["mean_bounded_relative"], members),
    )


def _over(sums: Floats, members: float) -> Floats:
    return sums / members if members > 0 else np.full_like(sums, np.nan)


def checked_grid(
    counted: CountHistogram,
    epsilons: ArrayLike,
    thresholds: ArrayLike,
    max_trips_per_user: int,
    population: Population,
) -> tuple[Floats, Floats, Floats]:
    """Return ε/T, τ and how much each pair counts in means: its cells, or 0 where left out."""
    rates = np.atleast_1d(solving.rates(epsilons, max_trips_per_user))
    checked = solving.whole_numbers("suppression_threshold", thresholds, 0, "15 is usual")
    taus = np.atleast_1d(checked)
    if max(rates.ndim, taus.ndim) > 1 or 0 in rates.shape + taus.shape:
        raise ParameterError(
            "epsilons and thresholds must be two lists of numbers, got shapes "
            f"{np.shape(epsilons)} and {np.shape(thresholds)}; the grid crosses them"
        )
    if taus.max() > MAX_SUPPRESSION_THRESHOLD:
        raise ParameterError(
            f"suppression_threshold must be at most {MAX_SUPPRESSION_THRESHOLD}, got "
            f"{taus.max():g}; 15 is usual"
        )
    # "large" would change its members along the axis of τ
    validation.one_of("population", population, ("all", "travelled"), "'all' is every flow")
    least = 0 if population == "all" else 1
    return rates, taus, np.where(counted.true >= least, counted.cells, 0.0)


def _column(
    counted: CountHistogram,
    noise: NoiseLaw,
    threshold: float,
    weights: Sequence[Floats],
    above: Floats,
) -> dict[str, Floats]:
    """Return every measure for one threshold and all rates, by name."""
    cells, true = counted.cells, counted.true
    kept, members = counted.by_kept
    least = float(laws.effective_threshold(threshold))
    bound = least - kept
    hidden = bound >= 1  # mostly suppressed: P(out = 0) = 1 − rare, else rare
    outer = np.where(hidden, bound, 1 - bound)
    rare = laws.quick_exp(noise.log_first - noise.rate * (outer - 1))
    sign = np.where(hidden, -1.0, 1.0)[:, None]
    small = true < least
    excess = noise.excess[:, 0]

    def grouped(*columns: Floats) -> Floats:
        """Return columns over pairs summed over the pairs of each kept count."""
        return np.asarray(members @ np.stack(columns, axis=1))

    # Terms that are linear in rare; then, for each weighting of cells, what does not depend on it.
    trips = cells * true
    suppressed = grouped(cells * small, cells * ~small, trips * small, trips * ~small)
    alike = suppressed[:, 0] + suppressed[:, 1]
    moved = np.stack([alike * hidden, alike * ~hidden], axis=1)
    errors = [_Errors.of(grouped, counted, w, least) for w in weights]
    linear = rare @ np.concatenate(
        [sign * suppressed, moved, *(e.terms(outer, sign[:, 0]) for e in errors)], axis=1
    )
    fixed = hidden @ suppressed
    everything = suppressed.sum(axis=0)

    small_cells, large_cells, small_trips, large_trips = (fixed + linear[:, :4]).T
    bias = (
        linear[:, 4] * (least + excess)
        + linear[:, 5] * (1 + excess - least)
        - laws.total(moved[:, 0], kept)
        - counted.trimmed_trips
    )
    turned = [counted.by_trimmed.members @ (w * (true > least)) for w in weights]
    mean_absolute, mean_bounded_relative = (
        linear[:, 6 + 2 * i]
        + excess * linear[:, 7 + 2 * i]
        - e.flipped_trimmed @ ~hidden
        + e.true @ hidden
        + 2 * above @ turned[i]
        for i, e in enumerate(errors)
    )
    phantom = cells[0] * rare[:, 0]
    return {
        "kept_suppressed_cells": small_cells,
        "revealed_cells": everything[0] - small_cells,
        "lost_cells": large_cells,
        "kept_cells": everything[1] - large_cells,
        "empty_cells": cells[0] - phantom,
        "phantom_cells": phantom,
        "kept_suppressed_trips": small_trips,
        "revealed_trips": everything[2] - small_trips,
        "lost_trips": large_trips,
        "kept_trips": everything[3] - large_trips,
        "empty_trips": np.zeros_like(phantom),
        "phantom_trips": phantom * (least + excess),
        "bias": bias,
        "mean_absolute": mean_absolute,
        "mean_bounded_relative": mean_bounded_relative,
    }


class _Errors(NamedTuple):
    """Weighted sums over the pairs of each kept count m, for one threshold.

    E[|Z − d|; Z ≥ s] is rare·(u + q/(1 − q)) − d·P(Z ≥ s) if s ≥ d, and 2·E[(Z − d)⁺] minus that
    otherwise, which is where t > τ′; a suppressed cell adds t·P(Z < s).
    """

    flipped: Floats  # ±1, − where t > τ′
    flipped_trimmed: Floats  # ±d
    true: Floats  # t

    @classmethod
    def of(
        cls, grouped: Callable[..., Floats], counted: CountHistogram, weights: Floats, least: float
    ) -> "_Errors":
        flipped = np.where(counted.true > least, -weights, weights)
        trimmed = counted.true - counted.kept
        return cls(*grouped(flipped, flipped * trimmed, weights * counted.true).T)

    def terms(self, outer: Floats, sign: Floats) -> Floats:
        """Return the two columns by which rare enters E|out − t|: alone, and times q/(1 − q)."""
        alone = self.flipped * outer + sign * (self.flipped_trimmed + self.true)
        return np.stack([alone, self.flipped], axis=1)
