"""Exact expected errors of every flow, zone and total of a release, without any draw.

A released cell has a known distribution (`noise_distribution`), so the expectation over any number
of matrices is a weighted sum over the distinct pairs of a truncated and a true count.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import metrics, validation
from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..parameters import ODParameters
from . import noise_distribution
from .matrices import CountHistogram, Days, compute_histogram
from .mechanism import require_laplace_suppression
from .noise_distribution import NoiseDistribution, NoiseName
from .sums import interval_of_sums

Side = Literal["outgoing", "incoming"]
Population = Literal["all", "travelled", "large"]
"""All off-diagonal cells; those with a true trip; those of at least τ′ = max(τ, 1) true trips."""

CURVE_TRIP_LIMITS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)


class OutcomeCount(NamedTuple):
    """Cells of one outcome and the true trips in them; for phantoms the invented trips."""

    cells: float
    trips: float


class Outcomes(NamedTuple):
    """Outcomes of small cells, below τ′, and of others; `phantom` is the empty part of revealed."""

    rightly_suppressed: OutcomeCount
    revealed: OutcomeCount
    lost: OutcomeCount
    rightly_released: OutcomeCount
    phantom: OutcomeCount


class ErrorDecomposition(NamedTuple):
    """Expected sum of absolute errors, in trips; each cause is added to the ones before."""

    truncation_error: float
    noise_error: float
    suppression_error: float
    total: float


class ReleaseExpectation:
    """Exact expectation of one release, from the histogram of (truncated, true) counts."""

    def __init__(
        self,
        histogram: CountHistogram,
        parameters: ODParameters,
        law: NoiseName = "rounded_laplace",
    ) -> None:
        require_laplace_suppression(parameters)
        self.parameters = parameters
        self.histogram = histogram
        self.law = NoiseDistribution(1 / parameters.noise_scale, law)
        self._threshold = threshold = float(parameters.suppression_threshold)
        truncated, true = histogram.truncated_counts, histogram.true_counts
        self._hidden = noise_distribution.suppressed_probability(self.law, truncated, threshold)
        self._absolute = noise_distribution.absolute_error(self.law, truncated, true, threshold)

    @cached_property
    def outcomes(self) -> Outcomes:
        """Expected cells, and the trips in them, by outcome."""
        return self.count_outcomes(self.parameters.min_shown_count)

    def count_outcomes(self, min_large: int) -> Outcomes:
        """Return the expected outcomes where flows are large from `min_large` true trips."""
        pairs = self.histogram
        small = pairs.true_counts < min_large
        hidden_cells = pairs.cell_counts * self._hidden
        shown_cells = pairs.cell_counts * (1 - self._hidden)

        def share(cells: Floats) -> OutcomeCount:
            return OutcomeCount(float(cells.sum()), float(cells @ pairs.true_counts))

        # pair 0 is the empty cell
        bias, _ = noise_distribution.bias_and_variance(self.law, 0.0, self._threshold)
        return Outcomes(
            rightly_suppressed=share(hidden_cells * small),
            revealed=share(shown_cells * small),
            lost=share(hidden_cells * ~small),
            rightly_released=share(shown_cells * ~small),
            phantom=OutcomeCount(float(shown_cells[0]), float(pairs.cell_counts[0] * bias)),
        )

    @cached_property
    def error_decomposition(self) -> ErrorDecomposition:
        """Expected absolute error by cause: truncation, noise, suppression."""
        pairs = self.histogram
        trimmed = pairs.dropped_trips
        trimmed_counts = pairs.true_counts - pairs.truncated_counts
        # E|m + Z − t|, of truncation and noise
        noise_errors = trimmed_counts + 2 * self.law.expected_excess(trimmed_counts)
        noisy = pairs.cell_counts @ noise_errors
        total = pairs.cell_counts @ self._absolute
        return ErrorDecomposition(
            truncation_error=trimmed,
            noise_error=float(noisy - trimmed),
            suppression_error=float(total - noisy),
            total=float(total),
        )

    @cached_property
    def common_part(self) -> float:
        """Common part of truth and release, 1 − ΣE|X − t| / Σ(t + E X); NaN without any trip."""
        true, released = self.histogram.total_trips, self.released_trips
        return float(metrics.common_part(self.error_decomposition.total, released, true))

    @cached_property
    def released_trips(self) -> float:
        """Expected trips of all flows together in the release."""
        truncated = self.histogram.truncated_counts
        shift, _ = noise_distribution.bias_and_variance(self.law, truncated, self._threshold)
        return float(self.histogram.cell_counts @ (truncated + shift))

    def interval_of_totals(self, side: Side, zones: Sequence[int]) -> tuple[Floats, Floats]:
        """Return low and high that contain the released total of each zone in 95% of releases."""
        counted = self.histogram
        cells = counted.by_origin if side == "outgoing" else counted.by_destination
        some = cells[np.asarray(zones, dtype=np.int64)].toarray()
        used = some.any(axis=0)
        truncated = counted.truncated_counts[used]
        return interval_of_sums(self.law, truncated, self._threshold, some[:, used])

    def cell_weights(self, population: Population | int) -> Floats:
        """Return the number of cells of each pair in `population`, or of at least so many trips."""
        names = {"all": 0, "travelled": 1, "large": self.parameters.min_shown_count}
        min_trips = population if isinstance(population, int) else names[population]
        return np.where(self.histogram.true_counts >= min_trips, self.histogram.cell_counts, 0.0)

    def _average(self, values: Floats, population: Population | int) -> Floats:
        weights = self.cell_weights(population)
        return _divide_or_nan(values @ weights, weights.sum())

    def mean_error(self, population: Population = "all") -> float:
        """Return the mean of |out − t| over the cells of `population`, in trips."""
        return float(self._average(self._absolute, population))

    def relative_error(self, population: Population | int = "all") -> float:
        """Return the mean of |out − t|/max(t, 1)."""
        bounded = self._absolute / np.maximum(self.histogram.true_counts, 1.0)
        return float(self._average(bounded, population))

    def median_error(self, population: Population = "all") -> float:
        """Return the median of |out − t| over all cells and draws together."""
        low, high = -1, 1
        if not self.cell_weights(population).any():
            return float("nan")
        while self.absolute_error_within(high, population) < 0.5:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            enough = self.absolute_error_within(middle, population) >= 0.5
            low, high = (low, middle) if enough else (middle, high)
        return float(high)

    def absolute_error_within(self, errors: ArrayLike, population: Population = "all") -> Floats:
        """Return P(|out − t| ≤ x), whole x in trips, NaN without cells (P2, figure 2, left)."""
        # out − t is Z − d: in terms of the noise no count is added to a small number
        x, pairs = np.asarray(errors, dtype=np.float64)[..., None], self.histogram
        trimmed = pairs.true_counts - pairs.truncated_counts
        lowest = np.maximum(self.parameters.min_shown_count - pairs.truncated_counts, trimmed - x)
        released = self.law.upper_tail(lowest) - self.law.upper_tail(trimmed + x + 1)
        within = np.maximum(released, 0.0) + np.where(pairs.true_counts <= x, self._hidden, 0.0)
        return self._average(within, population)

    def share_below(self, count: int = 15) -> tuple[float, float]:
        """Return the true and the expected released share of cells below `count` (Table S2)."""
        bound = validation.check_whole_number("count", count, 1, remedy="P2 uses 15")
        # out < count if the noise stays below the least shown value
        limit = max(bound, self._threshold)
        below = noise_distribution.suppressed_probability(
            self.law, self.histogram.truncated_counts, limit
        )
        true = np.where(self.histogram.true_counts < bound, 1.0, 0.0)
        cells = self.histogram.cell_counts
        shares = _divide_or_nan(np.stack([true, below]) @ cells, cells.sum())
        return float(shares[0]), float(shares[1])


def compute_expectation(
    dataset: Dataset, parameters: ODParameters, *, days: Days = None, sum_days: bool = False
) -> ReleaseExpectation:
    """Return the exact expectation of Algorithm 1 for matrices of any size."""
    unit, limit = parameters.unit, parameters.max_trips_per_user
    histogram = compute_histogram(dataset, unit, limit, days=days, sum_days=sum_days)
    return ReleaseExpectation(histogram, parameters)


class ErrorGrid(NamedTuple):
    """Exact measures for every pair of settings; arrays have shape (epsilons, thresholds).

    The errors are means of |out − t| and of |out − t|/max(t, 1) over flows with a true trip,
    `common` is Σ E min(out, t) in trips, `retained` and `genuine` its shares of the true and of the
    released trips; `zero_share` is of all pairs of zones, `lost_share` of the flows of at least τ′,
    `revealed_flows` are those below it.
    """

    mean_absolute: Floats
    mean_bounded_relative: Floats
    common: Floats
    retained: Floats
    genuine: Floats
    zero_share: Floats
    lost_share: Floats
    revealed_flows: Floats
    phantom_flows: Floats
    bias: Floats


def compute_error_grid(
    histogram: CountHistogram,
    epsilons: ArrayLike,
    thresholds: ArrayLike,
    max_trips_per_user: int = 1,
) -> ErrorGrid:
    """Return the exact measures over a grid of ε × τ; NaN without cells.

    `histogram` must be truncated with the same T, `max_trips_per_user`; the noise scale is T/ε.
    `epsilons`, shape (epsilons,), are above 0; `thresholds`, shape (thresholds,), whole numbers
    from 0.
    """
    truncated = histogram.truncated_counts
    true = histogram.true_counts
    cells = histogram.cell_counts
    tau = np.atleast_1d(thresholds)[:, None]
    some = np.where(true > 0, cells, 0.0)
    threshold, trimmed = noise_distribution.effective_threshold(tau), true - truncated
    large = np.where(true >= threshold, cells, 0.0)
    rows: list[list[Floats]] = []
    for epsilon in np.atleast_1d(epsilons):
        noise = NoiseDistribution(epsilon / max_trips_per_user)
        hidden = noise_distribution.suppressed_probability(noise, truncated, tau)
        error = noise_distribution.absolute_error(noise, truncated, true, tau)
        expected = noise.partial_expectation(threshold - truncated) - truncated * hidden
        bias = (expected - trimmed) @ cells
        phantom = cells[0] * (1 - hidden[:, 0])
        true_trips = np.asarray(float(histogram.total_trips))
        released = true_trips + bias
        # min(out, t) = (out + t − |out − t|)/2
        common = np.maximum(released + true_trips - error @ cells, 0.0) / 2
        shown_trips = np.where(released < metrics.NOTHING_SHOWN, np.nan, released)
        rows.append(
            [
                _divide_or_nan(error @ some, some.sum()),
                _divide_or_nan(error / np.maximum(true, 1.0) @ some, some.sum()),
                common,
                _divide_or_nan(common, true_trips),
                _divide_or_nan(common, shown_trips),
                _divide_or_nan(hidden @ cells, cells.sum()),
                _divide_or_nan((hidden * large).sum(axis=1), large.sum(axis=1)),
                ((1 - hidden) * (cells - large)).sum(axis=1) - phantom,
                phantom,
                bias,
            ]
        )
    return ErrorGrid(*np.array(rows).swapaxes(0, 1))


def _divide_or_nan(part: Floats, total: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, part / total, np.nan)


class TruncationCurve(NamedTuple):
    """Expected sum of absolute errors over T, in trips, by cause (`ErrorDecomposition`)."""

    trip_limits: Integers
    truncation_error: Floats
    noise_error: Floats
    suppression_error: Floats
    total_error: Floats
    share_within_limit: Floats

    @property
    def best_limit(self) -> int:
        """The T of least total error, from confidential data, which a release must state (O4)."""
        return int(self.trip_limits[self.total_error.argmin()])


def compute_truncation_curve(
    dataset: Dataset, parameters: ODParameters, *, days: Days = None, sum_days: bool = False
) -> TruncationCurve:
    """Return the exact error for each of `CURVE_TRIP_LIMITS` at the ε, τ and unit of `parameters`.

    The unit is ``person-day`` or ``person`` (trip level truncates nothing); the T of `parameters`
    is not used. The rest is as for `expected`.
    """
    rows: list[list[float]] = []
    for limit in CURVE_TRIP_LIMITS:
        settings = replace(parameters, max_trips_per_user=limit)
        exact = compute_expectation(dataset, settings, days=days, sum_days=sum_days)
        trips = exact.histogram.total_trips
        share = 1 - exact.error_decomposition.truncation_error / trips if trips else float("nan")
        rows.append([*exact.error_decomposition, share])
    return TruncationCurve(np.array(CURVE_TRIP_LIMITS), *np.array(rows).T)
