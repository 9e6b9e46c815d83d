"""What a release is expected to do to every flow, every zone and the whole: exact, no draw.

A released cell has a known law (`engine.origin_destination.laws`), so the expectation over a
whole matrix, or 305 of them, is a weighted sum over the distinct counts.
"""

from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ... import validation
from ...arrays import Floats
from ...datasets import Dataset
from ...parameters import ODParameters
from .. import laws
from ..algorithm import require_published
from ..laws import LawName, NoiseLaw
from ..matrices import Days
from . import medians, relative
from .histogram import CountHistogram, ZoneCounts, histogram, histogram_of_matrix
from .medians import Deviations
from .outcomes import Errors, ErrorSplit, Outcomes, expected_outcomes
from .tabulated import fast_law
from .totals import Totals

Population = Literal["all", "travelled", "large"]
"""Which cells are averaged over: all off-diagonal cells; those with a true trip; those whose true
count is at least τ′ = max(τ, 1), which would be shown without noise."""

POPULATIONS: tuple[Population, ...] = ("all", "travelled", "large")
SANITY_BOUND = 1.0
"""Errors relative to a bound are relative to at least this many trips."""


class Expectation:
    """Exact expectation of one release, from the histogram of (kept, true) counts.

    Attributes
    ----------
    law : NoiseLaw
        Of the noise in each cell, rate ε/T.
    histogram : CountHistogram
        Confidential; everything here derives from it.
    outcomes : Outcomes
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
    >>> round(float(exact.outcomes.kept.cells), 4)
    1.0
    """

    def __init__(
        self, counted: CountHistogram, parameters: ODParameters, law: LawName = "rounded_laplace"
    ) -> None:
        require_published(parameters)
        self.parameters = parameters
        self.histogram = counted
        self.law = NoiseLaw(1 / parameters.noise_scale, law)
        self._threshold = np.asarray(float(parameters.suppression_threshold))
        kept, true = counted.kept, counted.true
        quick = fast_law(self.law, len(true))
        self._deviations = Deviations(quick, kept, true, self._threshold)
        self._absolute = laws.absolute_error(quick, kept, true, self._threshold)
        sums = relative.ReciprocalSums(
            float(self.law.rate), relative.largest_argument(true, float(self._threshold))
        )
        self._relative = relative.mean_relative_error(quick, sums, kept, true, self._threshold)
        self._bounded = self._absolute / np.maximum(true, SANITY_BOUND)
        self.outcomes: Outcomes = expected_outcomes(self.law, counted, self._threshold)
        self.split: ErrorSplit = self._error_split()
        self.errors: dict[Population, Errors] = {
            population: self._errors(population) for population in POPULATIONS
        }

    @cached_property
    def outgoing(self) -> Totals:
        """Totals by origin."""
        return self._totals(self.histogram.outgoing)

    @cached_property
    def incoming(self) -> Totals:
        """Totals by destination."""
        return self._totals(self.histogram.incoming)

    @cached_property
    def grand(self) -> Totals:
        """Total of everything."""
        return self._totals(self.histogram.grand)

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

        Returns
        -------
        array, shape of `errors`
            From 0 to 1; NaN where the population is empty.
        """
        x = np.asarray(errors, dtype=np.float64)[..., None]
        return _average(self._deviations.within(x, x), self.weights(population))

    def relative_error_within(self, errors: ArrayLike, population: Population = "all") -> Floats:
        """Return P(2|out − t|/(out + t) ≤ x), x from 0 to 2, as `absolute_error_within` (right)."""
        x = np.asarray(errors, dtype=np.float64)
        below, above = medians.relative_reach(self.histogram.true, x[..., None])
        return _average(self._deviations.within(below, above), self.weights(population))

    def error_above(self, alpha: int) -> Floats:
        """Return P(|out − t| > α) for every pair of `histogram`, suppression included."""
        whole = np.asarray(
            validation.whole_number("alpha", alpha, 0, remedy="released counts are whole")
        )
        return 1 - self._deviations.within(whole, whole)

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
        return float(true), float(laws.total(cells, below) / all_cells)

    def _error_split(self) -> ErrorSplit:
        counted = self.histogram
        trimmed = counted.trimmed_trips
        without = laws.unsuppressed_error(self._deviations.law, counted.kept, counted.true)
        noisy = float(laws.total(counted.cells, without))
        total = float(laws.total(counted.cells, self._absolute))
        return ErrorSplit(
            trimmed=trimmed, noise=noisy - trimmed, suppression=total - noisy, total=total
        )

    def _errors(self, population: Population) -> Errors:
        weights = self.weights(population)
        chosen, nan = weights > 0, float("nan")
        nothing, cells = not chosen.any(), self._deviations[chosen]
        return Errors(
            cells=float(weights.sum()),
            mean_absolute=float(_average(self._absolute, weights)),
            median_absolute=nan if nothing else medians.median_absolute(cells, weights[chosen]),
            mean_relative=float(_average(self._relative, weights)),
            median_relative=nan if nothing else medians.median_relative(cells, weights[chosen]),
            mean_bounded_relative=float(_average(self._bounded, weights)),
        )

    def _totals(self, counts: ZoneCounts) -> Totals:
        return Totals.of_cells(
            self.law,
            self.histogram.by_kept.values,
            counts.cells,
            true=counts.true,
            threshold=float(self._threshold),
        )


def expectation(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    days: Days = None,
    sum_days: bool = False,
    law: LawName = "rounded_laplace",
) -> Expectation:
    """Return what Algorithm 1 is expected to do; see `engine.origin_destination.expected`.

    Bounded relative errors are |out − t|/max(t, 1). Nothing is refused for its size.
    """
    counted = histogram(
        dataset, parameters.unit, parameters.max_trips_per_user, days=days, sum_days=sum_days
    )
    return Expectation(counted, parameters, law)


def expectation_of_matrix(
    true: Any, parameters: ODParameters, *, kept: Any = None, law: LawName = "rounded_laplace"
) -> Expectation:
    """Return the expectation of a release of one matrix, or a stack of daily matrices.

    `kept` holds the counts after trimming, None where nothing is trimmed; see
    `histogram_of_matrix` for the demands on both.
    """
    return Expectation(histogram_of_matrix(true, kept), parameters, law)


def _average(values: Floats, weights: Floats) -> Floats:
    all_cells = weights.sum()
    nothing = np.full(values.shape[:-1], np.nan)
    return laws.total(weights, values) / all_cells if all_cells > 0 else nothing
