"""What a release is expected to do to every flow, every zone and the whole: exact, no draw.

A released cell has a known law (`engine.origin_destination.laws`), so the expectation over a whole
matrix, or 305 of them, is a weighted sum over the distinct counts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import metrics, validation
from ..arrays import Floats
from ..datasets import Dataset
from ..parameters import ODParameters
from . import laws
from .laws import LawName, NoiseLaw
from .matrices import CountHistogram, Days, histogram, histogram_of_matrix
from .mechanism import require_published
from .sums import Totals

Population = Literal["all", "travelled", "large"]
"""Which cells are averaged over: all off-diagonal cells; those with a true trip; those whose true
count is at least τ′ = max(τ, 1), which would be shown without noise."""

POPULATIONS: tuple[Population, ...] = ("all", "travelled", "large")
SANITY_BOUND = 1.0
"""Relative errors are relative to at least this many trips."""
RELATIVE_STEP = 1e-5
"""Median relative errors are found to within this."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """Cells of one outcome and the true trips in them; of phantoms, the trips that are invented."""

    cells: Floats
    trips: Floats


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """What becomes of cells whose true count is below τ′ = max(τ, 1), and of the others.

    The first four add up to all cells; `empty` (no trip, reads 0) is a part of the first, `phantom`
    (no trip, and shown) of the second.
    """

    kept_suppressed: Share
    revealed: Share
    lost: Share
    kept: Share
    empty: Share
    phantom: Share


@dataclass(frozen=True, kw_only=True)
class ErrorSplit:
    """The expected sum of absolute errors by its causes, each added to the ones before.

    `suppression` is below 0 where it spares more than it costs: most cells are empty and 0 is
    right.
    """

    trimmed: float
    noise: float
    suppression: float
    total: float


class Expectation:
    """Exact expectation of one release, from the histogram of (kept, true) counts.

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
        self._threshold = float(parameters.suppression_threshold)
        values, place = counted.by_kept
        self._hidden = laws.suppressed_probability(self.law, values, self._threshold)[place]
        self._absolute = laws.absolute_error(self.law, counted.kept, counted.true, self._threshold)

    @cached_property
    def outcomes(self) -> Outcomes:
        """Expected cells, and the trips in them, that are kept, lost, suppressed or revealed."""
        counted = self.histogram
        small = counted.true < self.parameters.least_shown
        hidden, shown = counted.cells * self._hidden, counted.cells * (1 - self._hidden)

        def share(cells: Floats) -> Share:
            return Share(cells=np.asarray(cells.sum()), trips=np.asarray(cells @ counted.true))

        # pair 0 is the empty cell
        invented = counted.cells[0] * laws.mean_shift(self.law, 0.0, self._threshold)
        return Outcomes(
            kept_suppressed=share(hidden * small),
            revealed=share(shown * small),
            lost=share(hidden * ~small),
            kept=share(shown * ~small),
            empty=Share(cells=hidden[0], trips=np.zeros(())),
            phantom=Share(cells=shown[0], trips=invented),
        )

    @cached_property
    def split(self) -> ErrorSplit:
        """The expected absolute error by its causes: trimming, noise, suppression."""
        counted = self.histogram
        trimmed = counted.trimmed_trips
        noisy = counted.cells @ laws.unsuppressed_error(self.law, counted.kept, counted.true)
        total = counted.cells @ self._absolute
        return ErrorSplit(
            trimmed=trimmed,
            noise=float(noisy - trimmed),
            suppression=float(total - noisy),
            total=float(total),
        )

    @cached_property
    def common_part(self) -> float:
        """Common part of truth and release, 1 − ΣE|X − t| / Σ(t + E X); NaN without any trip."""
        true = self.histogram.true_trips
        return float(metrics.common_part(self.split.total, self.grand.expected, true))

    @cached_property
    def outgoing(self) -> Totals:
        """Totals by origin, shape (zones,), summed over the matrices."""
        return self._totals(self.histogram.by_origin)

    @cached_property
    def incoming(self) -> Totals:
        """Totals by destination."""
        return self._totals(self.histogram.by_destination)

    @cached_property
    def grand(self) -> Totals:
        """Total of everything, shape ()."""
        return self._totals(self.histogram.cells)

    def _totals(self, cells: Any) -> Totals:
        return Totals.of_cells(
            self.law,
            self.histogram.kept,
            cells,
            true=np.asarray(cells @ self.histogram.true),
            threshold=self._threshold,
        )

    def weights(self, population: Population) -> Floats:
        """Return the number of cells of each pair that belong to `population`."""
        validation.one_of("population", population, POPULATIONS, "'all' is every flow")
        least = {"all": 0, "travelled": 1, "large": self.parameters.least_shown}[population]
        return np.where(self.histogram.true >= least, self.histogram.cells, 0.0)

    def mean_error(self, population: Population = "all") -> float:
        """Return the mean of |out − t| over the cells of `population`, in trips."""
        return float(_average(self._absolute, self.weights(population)))

    def relative_error(self, population: Population = "all") -> float:
        """Return the mean of |out − t|/max(t, 1)."""
        bounded = self._absolute / np.maximum(self.histogram.true, SANITY_BOUND)
        return float(_average(bounded, self.weights(population)))

    def median_error(self, population: Population = "all") -> float:
        """Return the median of |out − t| over all cells and draws together."""
        high = 1.0
        while self.absolute_error_within(high, population) < 0.5:
            high = 2 * high + 1
        half = _first_half(lambda x: self.absolute_error_within(np.floor(x), population), high, 0.5)
        return float(np.floor(half))

    def median_relative_error(self, population: Population = "all") -> float:
        """Return the median of 2|out − t|/(out + t), from above to within `RELATIVE_STEP`."""
        return _first_half(lambda x: self.relative_error_within(x, population), 2.0, RELATIVE_STEP)

    def absolute_error_within(self, errors: ArrayLike, population: Population = "all") -> Floats:
        """Return P(|out − t| ≤ x), whole x in trips, over the cells (P2, figure 2, left).

        NaN where the population is empty.
        """
        x = np.asarray(errors, dtype=np.float64)[..., None]
        return _average(self._within(x, x), self.weights(population))

    def relative_error_within(self, errors: ArrayLike, population: Population = "all") -> Floats:
        """Return P(2|out − t|/(out + t) ≤ x), x from 0 to 2, as `absolute_error_within` (right)."""
        # t − o ≤ 2tx/(2 + x) and o − t ≤ 2tx/(2 − x); every o for x = 2. Bounds that should be
        # whole are met in spite of rounding.
        x = np.asarray(errors, dtype=np.float64)[..., None]
        reach = self.histogram.true * (2 * x * (1 + 1e-12))
        with np.errstate(divide="ignore", invalid="ignore"):
            above = np.where(x < 2, np.floor(reach / (2 - x)), np.inf)
        return _average(self._within(np.floor(reach / (2 + x)), above), self.weights(population))

    def share_below(self, count: int = 15) -> tuple[float, float]:
        """Return the true and the expected released share of cells below `count` (Table S2)."""
        whole = validation.whole_number("count", count, 1, remedy="P2 uses 15")
        # out < count if the noise stays below what count, or τ′ if that is more, demands
        limit = max(whole, self._threshold)
        below = laws.suppressed_probability(self.law, self.histogram.kept, limit)
        true = np.where(self.histogram.true < whole, 1.0, 0.0)
        shares = _average(np.stack([true, below]), self.histogram.cells)
        return float(shares[0]), float(shares[1])

    def _within(self, below: Floats, above: Floats) -> Floats:
        """Return P(−below ≤ out − t ≤ above) of every pair for whole numbers of at least 0."""
        # in terms of the noise, out − t is Z − d: no count is added to a small number
        counted = self.histogram
        trimmed = counted.true - counted.kept
        lowest = np.maximum(self.parameters.least_shown - counted.kept, trimmed - below)
        released = self.law.tail(lowest) - self.law.tail(trimmed + above + 1)
        return np.maximum(released, 0.0) + np.where(counted.true <= below, self._hidden, 0.0)


def expectation(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    days: Days = None,
    sum_days: bool = False,
    law: LawName = "rounded_laplace",
) -> Expectation:
    """Return what Algorithm 1 is expected to do; nothing is refused for its size."""
    unit, limit = parameters.unit, parameters.max_trips_per_user
    return Expectation(
        histogram(dataset, unit, limit, days=days, sum_days=sum_days), parameters, law
    )


def expectation_of_matrix(
    true: Any, parameters: ODParameters, *, kept: Any = None, law: LawName = "rounded_laplace"
) -> Expectation:
    """Return the expectation of a release of one matrix, or a stack of daily matrices."""
    return Expectation(histogram_of_matrix(true, kept), parameters, law)


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """Exact measures for every pair of settings; arrays have shape (epsilons, thresholds).

    Attributes
    ----------
    mean_absolute, mean_bounded_relative : array
        Means over the population of |out − t|, in trips, and of |out − t|/max(t, 1).
    common_part : array
        1 − ΣE|X − t| / Σ(t + E X), over all pairs.
    zero_share : array
        Share of all ordered pairs of zones that read 0.
    visible_share : array
        Share of all true trips, trimmed ones too, in flows of at least τ′ that are shown.
    lost_share : array
        Share of the flows of at least τ′ trips that read 0; NaN where there is none.
    revealed_flows, phantom_flows : array
        Flows below τ′ that are shown, with a trip and without.
    bias : array
        Expected minus true total, in trips.
    """

    mean_absolute: Floats
    mean_bounded_relative: Floats
    common_part: Floats
    zero_share: Floats
    visible_share: Floats
    lost_share: Floats
    revealed_flows: Floats
    phantom_flows: Floats
    bias: Floats


def heat_map(
    counted: CountHistogram,
    epsilons: ArrayLike,
    thresholds: ArrayLike,
    max_trips_per_user: int = 1,
    *,
    law: LawName = "rounded_laplace",
    population: Literal["all", "travelled"] = "all",
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
    >>> grid = heat_map(histogram_of_matrix([[0, 9], [0, 0]]), [0.1, 1.0], [0, 15])
    >>> grid.phantom_flows.round(4)
    array([[0.4756, 0.1173],
           [0.3033, 0.    ]])
    """
    validation.one_of("population", population, POPULATIONS[:2], "'all' is every flow")
    noises = [NoiseLaw(epsilon / max_trips_per_user, law) for epsilon in np.atleast_1d(epsilons)]
    taus = np.atleast_1d(thresholds)
    names = list(HeatMap.__dataclass_fields__)
    values = np.full((len(names), len(noises), len(taus)), np.nan)
    weights = np.where(counted.true >= (population == "travelled"), counted.cells, 0.0)
    relative = weights / np.maximum(counted.true, SANITY_BOUND)
    for column, threshold in enumerate(taus.tolist()):
        every, mean, bounded = (
            _Weighted(counted, some, threshold) for some in (counted.cells, weights, relative)
        )
        for row, noise in enumerate(noises):
            values[:, row, column] = _measures(
                counted, noise, threshold, every, (mean, bounded), weights.sum()
            )
    return HeatMap(**dict(zip(names, values, strict=True)))


class _Weighted:
    """Weighted sums of the pairs of each kept count, for one threshold.

    E|out − t| is E[Z − d; Z ≥ s] where t ≤ τ′ and 2E[(Z − d)⁺] minus that above, d = t − m, and
    t·P(Z < s) more for what is suppressed: a law of m alone times sums over the pairs.
    """

    def __init__(self, counted: CountHistogram, weights: Floats, threshold: float) -> None:
        above = counted.true > max(threshold, 1)
        signed = np.where(above, -weights, weights)
        self.signed = counted.by_kept.sums(signed)
        self.signed_trimmed = counted.by_kept.sums(signed * (counted.true - counted.kept))
        self.trips = counted.by_kept.sums(weights * counted.true)
        self.turned = counted.by_trimmed.sums(weights * above)
        large = counted.true >= max(threshold, 1)
        self.large = counted.by_kept.sums(weights * large)
        self.large_trips = counted.by_kept.sums(weights * large * counted.true)

    def error(self, beyond: Floats, shown: Floats, hidden: Floats, mean_above: Floats) -> float:
        """Return the sum of absolute errors."""
        return float(
            self.signed @ beyond
            - self.signed_trimmed @ shown
            + self.trips @ hidden
            + 2 * self.turned @ mean_above
        )


def _measures(
    counted: CountHistogram,
    noise: NoiseLaw,
    threshold: float,
    every: _Weighted,
    averaged: tuple[_Weighted, _Weighted],
    members: float,
) -> list[float]:
    kept = counted.by_kept.values
    bound = max(threshold, 1) - kept
    hidden, shown = noise.tail(1 - bound), noise.tail(bound)
    parts = noise.mean_beyond(bound), shown, hidden, noise.mean_above(counted.by_trimmed.values)
    cells = counted.by_kept.sums(counted.cells)
    out = float(cells @ (kept + laws.mean_shift(noise, kept, threshold)))
    trips, large = counted.true_trips, every.large.sum()
    phantom = float(counted.cells[0] * shown[0])
    total = every.error(*parts)
    return [
        *(_ratio(one.error(*parts), members) for one in averaged),
        float(metrics.common_part(total, out, trips)),
        _ratio(cells @ hidden, cells.sum()),
        _ratio(every.large_trips @ shown, trips),
        _ratio(every.large @ hidden, large),
        float((cells - every.large) @ shown) - phantom,
        phantom,
        out - trips,
    ]


def _ratio(part: Any, whole: float) -> float:
    return float(part / whole) if whole > 0 else float("nan")


def _average(values: Floats, weights: Floats) -> Floats:
    members = weights.sum()
    nothing = np.full(np.shape(values)[:-1], np.nan)
    return np.asarray(values @ weights / members) if members > 0 else nothing


def _first_half(probability: Callable[[float], Any], high: float, step: float) -> float:
    """Return the least x, from above to within `step`, at which a probability reaches a half."""
    low = 0.0
    if np.isnan(probability(high)):
        return float("nan")
    if probability(low) >= 0.5:
        return low
    while high - low > step:
        middle = (low + high) / 2
        low, high = (low, middle) if probability(middle) >= 0.5 else (middle, high)
    return high
