# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
"""What a release is expected to do to every flow, every zone and the whole: exact, no draw.

A released cell has a known law (`engine.origin_destination.laws`), so the expectation over a
whole matrix, or 305 of them, is a weighted sum over the distinct counts.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine import validation
from engine.datasets import Dataset
from engine.origin_destination import laws, relative
from engine.origin_destination.histogram import (
    CountHistogram,
    histogram,
    histogram_of_matrix,
)
from engine.origin_destination.laws import LawName, NoiseLaw
from engine.origin_destination.matrices import Days
from engine.origin_destination.outcomes import (
    Errors,
    ErrorSplit,
    Fates,
    Totals,
    expected_fates,
)
from engine.parameters import ODParameters

Floats = NDArray[np.float64]
Population = Literal["all", "travelled", "large"]
"""Which cells are averaged over: all off-diagonal cells; those with a true trip; those whose true
count is at least τ′ = max(τ, 1), which would be shown without noise."""

POPULATIONS: tuple[Population, ...] = ("all", "travelled", "large")
SANITY_BOUND = 1.0
"""Errors relative to a bound are relative to at least this many trips."""

_RELATIVE_STEP = 1e-5


class Expectation:
    """Exact expectation of one release, from the histogram of (kept, true) counts.

    Attributes
    ----------
    params : ODParameters
    law : NoiseLaw
        Of the noise in each cell, rate ε/T.
    histogram : CountHistogram
        Confidential; everything here derives from it.
    fates : Fates
        Expected cells, and the trips in them, that are kept, lost, suppressed or revealed.
    errors : dict of Population to Errors
        Mean and median errors over all cells, cells with a true trip, and large cells.
    split : ErrorSplit
        The expected absolute error by its causes: trimming, noise, suppression.
    outgoing, incoming : Totals
        Totals by origin and by destination, shape (zones,), summed over the matrices.
    grand : Totals
        Total of everything, shape ().

    Examples
    --------
    >>> exact = expectation_of_matrix([[0, 40], [0, 0]], ODParameters(epsilon=0.5, unit="trip"))
    >>> round(float(exact.fates.kept.cells), 4)
    1.0
    """

    def __init__(
        self,
        counted: CountHistogram,
        params: ODParameters,
        law: LawName = "rounded_laplace",
        sanity_bound: float = SANITY_BOUND,
    ) -> None:
        validation.finite_above("sanity_bound", sanity_bound, 0, "1 trip is usual")
        self.params = params
        self.histogram = counted
        self.law = NoiseLaw(1 / params.noise_scale, law)
        self._threshold = np.asarray(float(params.suppression_threshold))
        kept, true = counted.kept, counted.true
        self._absolute = laws.absolute_error(self.law, kept, true, self._threshold)
        sums = relative.ReciprocalSums(
            float(self.law.rate), relative.largest_argument(true, float(self._threshold))
        )
        self._relative = relative.mean_relative_error(self.law, sums, kept, true, self._threshold)
        self._bounded = self._absolute / np.maximum(true, sanity_bound)
        self._cumulants = laws.cumulants(self.law, kept, self._threshold)
        self.fates: Fates = expected_fates(self.law, counted, self._threshold)
        self.split: ErrorSplit = self._error_split()
        self.errors: dict[Population, Errors] = {
            population: self._errors(population) for population in POPULATIONS
        }
        self.outgoing: Totals = self._totals(counted.by_origin)
        self.incoming: Totals = self._totals(counted.by_destination)
        self.grand: Totals = self._totals(counted.cells)

    def weights(self, population: Population) -> Floats:
        """Return the number of cells of each pair that belong to `population`."""
        validation.one_of("population", population, POPULATIONS, "'all' is every flow")
        least = {"all": 0.0, "travelled": 1.0, "large": max(float(self._threshold), 1.0)}
        return np.where(self.histogram.true >= least[population], self.histogram.cells, 0.0)

    def absolute_error_within(self, errors: ArrayLike, population: Population = "all") -> Floats:
        """Return P(|out − t| ≤ x) over the cells of `population` (P2, figure 2, left).

        Parameters
        ----------
        errors : array-like of whole numbers
            x, in trips.
        population : str

        Returns
        -------
        array, shape of `errors`
            From 0 to 1; NaN where the population is empty.
        """
        x = np.asarray(errors, dtype=np.float64)[..., None]
        return _average(self._deviation_within(x, x), self.weights(population))

    def relative_error_within(self, errors: ArrayLike, population: Population = "all") -> Floats:
        """Return P(2|out − t|/(out + t) ≤ x) over the cells of `population` (figure 2, right).

        Parameters
        ----------
        errors : array-like
            x, from 0 to 2.
        population : str

        Returns
        -------
        array, shape of `errors`
            From 0 to 1; NaN where the population is empty.
        """
        x = np.asarray(errors, dtype=np.float64)
        below, above = _relative_reach(self.histogram.true, x[..., None])
        return _average(self._deviation_within(below, above), self.weights(population))

    def error_above(self, alpha: int) -> Floats:
        """Return P(|out − t| > α) for every pair of `histogram`, suppression included."""
        whole = np.asarray(
            validation.whole_number("alpha", alpha, 0, remedy="released counts are whole")
        )
        return 1 - self._deviation_within(whole, whole)

    def share_below(self, count: int = 15) -> tuple[float, float]:
        """Return the true and the expected released share of cells below `count` (Table S2)."""
        whole = validation.whole_number("count", count, 1, remedy="P2 uses 15")
        cells, all_cells = self.histogram.cells, self.histogram.cells.sum()
        # out < count if the noise stays below what count, or τ′ if that is more, demands
        threshold = max(whole, float(self._threshold))
        below = laws.suppressed_probability(self.law, self.histogram.kept, threshold)
        if all_cells == 0:
            return float("nan"), float("nan")
        true = cells[self.histogram.true < whole].sum() / all_cells
        return float(true), float(cells @ below / all_cells)

    def _error_split(self) -> ErrorSplit:
        counted = self.histogram
        trimmed = counted.trimmed_trips
        noisy = float(counted.cells @ laws.unsuppressed_error(self.law, counted.kept, counted.true))
        total = float(counted.cells @ self._absolute)
        return ErrorSplit(
            trimmed=trimmed, noise=noisy - trimmed, suppression=total - noisy, total=total
        )

    def _errors(self, population: Population) -> Errors:
        weights = self.weights(population)
        nothing = not weights.any()
        return Errors(
            cells=float(weights.sum()),
            mean_absolute=float(_average(self._absolute, weights)),
            median_absolute=float("nan") if nothing else self._median_absolute(weights),
            mean_relative=float(_average(self._relative, weights)),
            median_relative=float("nan") if nothing else self._median_relative(weights),
            mean_bounded_relative=float(_average(self._bounded, weights)),
        )

    def _median_absolute(self, weights: Floats) -> float:
        chosen = weights > 0
        kept, true, share = (
            self.histogram.kept[chosen],
            self.histogram.true[chosen],
            weights[chosen],
        )

        def enough(x: float) -> bool:
            within = laws.deviation_within(self.law, kept, true, self._threshold, x, x)
            return 2 * float(share @ within) >= float(share.sum())

        high = 0.0
        while not enough(high):
            high = 2 * high + 1
        low = np.floor((high - 1) / 2) if high else -1.0
        while high - low > 1:
            middle = np.floor((low + high) / 2)
            low, high = (low, middle) if enough(middle) else (middle, high)
        return float(high)

    def _median_relative(self, weights: Floats) -> float:
        chosen = weights > 0
        true, share = self.histogram.true[chosen], weights[chosen]
        kept, half = self.histogram.kept[chosen], float(share.sum()) / 2

        def enough(x: float) -> bool:
            below, above = _relative_reach(true, np.asarray(x))
            within = laws.deviation_within(self.law, kept, true, self._threshold, below, above)
            return float(share @ within) >= half

        low, high = 0.0, 2.0 - _RELATIVE_STEP
        # often it is one of the ends: an empty cell that stays empty, a flow that is suppressed
        if enough(low):
            return low
        if not enough(high):
            return 2.0
        while high - low > _RELATIVE_STEP:
            middle = (low + high) / 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high

    def _deviation_within(self, below: Floats, above: Floats) -> Floats:
        return laws.deviation_within(
            self.law, self.histogram.kept, self.histogram.true, self._threshold, below, above
        )

    def _totals(self, cells: Any) -> Totals:
        counted = self.histogram
        return Totals.of_cumulants(
            true=np.asarray(cells @ counted.true),
            kept=np.asarray(cells @ counted.kept),
            cumulants=np.asarray(cells @ self._cumulants),
        )


def expectation(
    dataset: Dataset,
    params: ODParameters,
    *,
    days: Days = None,
    sum_days: bool = False,
    law: LawName = "rounded_laplace",
    sanity_bound: float = SANITY_BOUND,
) -> Expectation:
    """Return what a release of a dataset's days is expected to do, exactly.

    Parameters
    ----------
    dataset : Dataset
        With trips.
    params : ODParameters
    days : int, slice, sequence of int or None
        Positions in the declared period; None takes all days.
    sum_days : bool
        The sum of the days is released as one matrix.
    law : str
        ``rounded_laplace`` (P2) or ``discrete_laplace`` (a release that leaves the building).
    sanity_bound : float
        Trips; bounded relative errors are |out − t|/max(t, sanity_bound).

    Raises
    ------
    ParameterError, DatasetError
        As `release`, but nothing is refused for its size.

    Examples
    --------
    >>> from engine import datasets
    >>> exact = expectation(datasets.load("demo-city"), ODParameters(epsilon=0.5), days=0)
    >>> bool(exact.fates.lost.cells >= 0)
    True
    """
    counted = histogram(
        dataset, params.unit, params.max_trips_per_user, days=days, sum_days=sum_days
    )
    return Expectation(counted, params, law, sanity_bound)


def expectation_of_matrix(
    true: Any,
    params: ODParameters,
    *,
    kept: Any = None,
    law: LawName = "rounded_laplace",
    sanity_bound: float = SANITY_BOUND,
) -> Expectation:
    """Return the expectation of a release of one matrix, or a stack of daily matrices.

    `kept` holds the counts after trimming, None where nothing is trimmed; see
    `histogram_of_matrix` for the demands on both.

    Examples
    --------
    >>> exact = expectation_of_matrix([[0, 0], [0, 0]], ODParameters(epsilon=0.1, unit="trip"))
    >>> round(float(exact.fates.kept_suppressed.cells) / 2, 4)
    0.8827
    """
    return Expectation(histogram_of_matrix(true, kept), params, law, sanity_bound)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a flow of a given size will read in a release.

    Attributes
    ----------
    low, high : int
        The released count lies between them with at least the given confidence; 0 reads
        "suppressed".
    suppressed : float
        Probability that it is suppressed.
    """

    low: int
    high: int
    suppressed: float


def reading(
    count: int,
    params: ODParameters,
    *,
    confidence: float = 0.95,
    law: LawName = "rounded_laplace",
) -> Reading:
    """Return how a flow of `count` (kept) trips will usually read.

    Examples
    --------
    >>> usual = reading(40, ODParameters(epsilon=0.3, unit="trip"))
    >>> usual.low, usual.high
    (30, 50)
    """
    m = validation.whole_number("count", count, 0, remedy="it is a number of trips")
    validation.inside_open_interval("confidence", confidence, 0, 1, "0.95 is usual")
    noise = NoiseLaw(1 / params.noise_scale, law)
    side = (1 - confidence) / 2
    # the least y with P(Z ≥ y + 1) ≤ side: h·qʸ ≤ side
    reach = max(0, int(np.ceil((noise.log_first - np.log(side)) / noise.rate)))
    least = max(params.suppression_threshold, 1)
    low, high = (value if value >= least else 0 for value in (m - reach, m + reach))
    return Reading(
        low=low,
        high=high,
        suppressed=float(laws.suppressed_probability(noise, m, params.suppression_threshold)),
    )


def _relative_reach(true: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Return how far out may lie below and above t for 2|out − t|/(out + t) ≤ x."""
    # t − o ≤ 2tx/(2 + x) and o − t ≤ 2tx/(2 − x); every o for x = 2. Bounds that should be whole
    # are met in spite of rounding.
    reach = 2 * true * x * (1 + 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.where(x < 2, np.floor(reach / (2 - x)), np.inf)
    return np.floor(reach / (2 + x)), above


def _average(values: Floats, weights: Floats) -> Floats:
    total = weights.sum()
    return values @ weights / total if total > 0 else np.full(values.shape[:-1], np.nan)
