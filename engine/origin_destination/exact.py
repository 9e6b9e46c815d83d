"""What a release is expected to do to every flow, every zone and the whole: exact, no draw.

A released cell has a known law (`laws`), so the expectation over any number of matrices is a
weighted sum over the distinct pairs of a kept and a true count.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import metrics, validation
from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..errors import ParameterError
from ..parameters import ODParameters
from . import laws
from .laws import LawName, NoiseLaw
from .matrices import CountHistogram, Days, histogram
from .mechanism import require_published
from .sums import interval_of_sums

Side = Literal["outgoing", "incoming"]
Population = Literal["all", "travelled", "large"]
"""All off-diagonal cells; those with a true trip; those of at least τ′ = max(τ, 1) true trips."""

POPULATIONS: tuple[Population, ...] = ("all", "travelled", "large")
DEFAULT_LIMITS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)


class Share(NamedTuple):
    """Cells of one outcome and the true trips in them; of phantoms, the trips that are invented."""

    cells: float
    trips: float


class Outcomes(NamedTuple):
    """What becomes of cells below τ′ and of the others; `phantom` is the empty part of revealed."""

    kept_suppressed: Share
    revealed: Share
    lost: Share
    kept: Share
    phantom: Share


class ErrorSplit(NamedTuple):
    """The expected sum of absolute errors; each cause is what it adds to the ones before."""

    trimmed: float
    noise: float
    suppression: float
    total: float


class Totals(NamedTuple):
    """Released totals: true, expected, and their standard deviation."""

    true: Floats
    expected: Floats
    standard_deviation: Floats

    @property
    def bias(self) -> Floats:
        """Expected minus true."""
        return self.expected - self.true


class Expectation:
    """Exact expectation of one release, from the histogram of (kept, true) counts."""

    def __init__(
        self, counted: CountHistogram, parameters: ODParameters, law: LawName = "rounded_laplace"
    ) -> None:
        require_published(parameters)
        self.parameters = parameters
        self.histogram = counted
        self.law = NoiseLaw(1 / parameters.noise_scale, law)
        self._threshold = threshold = float(parameters.suppression_threshold)
        self._hidden = laws.suppressed_probability(self.law, counted.kept, threshold)
        self._absolute = laws.absolute_error(self.law, counted.kept, counted.true, threshold)

    @cached_property
    def outcomes(self) -> Outcomes:
        """Expected cells, and the trips in them, that are kept, lost, suppressed or revealed."""
        counted = self.histogram
        small = counted.true < self.parameters.least_shown
        hidden, shown = counted.cells * self._hidden, counted.cells * (1 - self._hidden)

        def share(cells: Floats) -> Share:
            return Share(float(cells.sum()), float(cells @ counted.true))

        # pair 0 is the empty cell
        invented = counted.cells[0] * laws.mean_shift(self.law, 0.0, self._threshold)
        return Outcomes(
            kept_suppressed=share(hidden * small),
            revealed=share(shown * small),
            lost=share(hidden * ~small),
            kept=share(shown * ~small),
            phantom=Share(float(shown[0]), float(invented)),
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

    def interval_of_totals(self, side: Side, zones: Sequence[int]) -> tuple[Floats, Floats]:
        """Return low and high that hold the released total of each zone in 95% of releases."""
        counted = self.histogram
        cells = counted.by_origin if side == "outgoing" else counted.by_destination
        some = cells[np.asarray(zones, dtype=np.int64)].toarray()
        used = some.any(axis=0)
        return interval_of_sums(self.law, counted.kept[used], self._threshold, some[:, used])

    def _totals(self, cells: Any) -> Totals:
        """Return totals that add up so many cells of each pair: means and variances add up."""
        kept, true = self.histogram.kept, self.histogram.true
        shift, variance = laws.bias_and_variance(self.law, kept, self._threshold)
        return Totals(
            true=np.asarray(cells @ true),
            expected=np.asarray(cells @ (kept + shift)),
            standard_deviation=np.sqrt(np.maximum(np.asarray(cells @ variance), 0.0)),
        )

    def weights(self, population: Population) -> Floats:
        """Return the number of cells of each pair that belong to `population`."""
        validation.one_of("population", population, POPULATIONS, "'all' is every flow")
        least = {"all": 0, "travelled": 1, "large": self.parameters.least_shown}[population]
        return np.where(self.histogram.true >= least, self.histogram.cells, 0.0)

    def _average(self, values: Floats, population: Population) -> Floats:
        weights = self.weights(population)
        return _ratio(values @ weights, weights.sum())

    def mean_error(self, population: Population = "all") -> float:
        """Return the mean of |out − t| over the cells of `population`, in trips."""
        return float(self._average(self._absolute, population))

    def relative_error(self, population: Population = "all") -> float:
        """Return the mean of |out − t|/max(t, 1)."""
        bounded = self._absolute / np.maximum(self.histogram.true, 1.0)
        return float(self._average(bounded, population))

    def median_error(self, population: Population = "all") -> float:
        """Return the median of |out − t| over all cells and draws together."""
        low, high = -1, 1
        if not self.weights(population).any():
            return float("nan")
        while self.absolute_error_within(high, population) < 0.5:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            enough = self.absolute_error_within(middle, population) >= 0.5
            low, high = (low, middle) if enough else (middle, high)
        return float(high)

    def absolute_error_within(self, errors: ArrayLike, population: Population = "all") -> Floats:
        """Return P(|out − t| ≤ x), whole x in trips, NaN of no cell (P2, figure 2, left)."""
        # in terms of the noise, out − t is Z − d: no count is added to a small number
        x, counted = np.asarray(errors, dtype=np.float64)[..., None], self.histogram
        trimmed = counted.true - counted.kept
        lowest = np.maximum(self.parameters.least_shown - counted.kept, trimmed - x)
        released = self.law.tail(lowest) - self.law.tail(trimmed + x + 1)
        within = np.maximum(released, 0.0) + np.where(counted.true <= x, self._hidden, 0.0)
        return self._average(within, population)

    def share_below(self, count: int = 15) -> tuple[float, float]:
        """Return the true and the expected released share of cells below `count` (Table S2)."""
        whole = validation.whole_number("count", count, 1, remedy="P2 uses 15")
        # out < count if the noise stays below what count, or τ′ if that is more, demands
        limit = max(whole, self._threshold)
        below = laws.suppressed_probability(self.law, self.histogram.kept, limit)
        true = np.where(self.histogram.true < whole, 1.0, 0.0)
        cells = self.histogram.cells
        shares = _ratio(np.stack([true, below]) @ cells, cells.sum())
        return float(shares[0]), float(shares[1])


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
    counted = histogram(dataset, unit, limit, days=days, sum_days=sum_days)
    return Expectation(counted, parameters, law)


class HeatMap(NamedTuple):
    """Exact measures for every pair of settings; arrays have shape (epsilons, thresholds).

    The errors are means of |out − t| and of |out − t|/max(t, 1), `common` is Σ E min(out, t) in
    trips, `retained` and `genuine` its shares of the true and of the released trips; `zero_share`
    is of all pairs of zones, `lost_share` of the flows of at least τ′, `revealed_flows` are those
    below it.
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


def heat_map(
    counted: CountHistogram,
    epsilons: ArrayLike,
    thresholds: ArrayLike,
    max_trips_per_user: int = 1,
    *,
    law: LawName = "rounded_laplace",
    population: Literal["all", "travelled"] = "all",
) -> HeatMap:
    """Return the closed-form measures over a grid of ε × τ; NaN of no cell.

    Parameters
    ----------
    counted : CountHistogram
        Trimmed with the same T, `max_trips_per_user`; the noise scale is T/ε.
    epsilons, thresholds : array-like, shapes (epsilons,) and (thresholds,)
        ε above 0; τ whole numbers from 0.
    population : str
        Cells over which errors are averaged: ``all`` or ``travelled``.
    """
    validation.one_of("population", population, POPULATIONS[:2], "'all' is every flow")
    kept, true, cells = counted.kept, counted.true, counted.cells
    tau = np.atleast_1d(thresholds)[:, None]
    some = np.where(true >= (population == "travelled"), cells, 0.0)
    least, trimmed = laws.effective_threshold(tau), true - kept
    large = np.where(true >= least, cells, 0.0)
    rows: list[list[Floats]] = []
    for epsilon in np.atleast_1d(epsilons):
        noise = NoiseLaw(epsilon / max_trips_per_user, law)
        hidden = laws.suppressed_probability(noise, kept, tau)
        error = laws.absolute_error(noise, kept, true, tau)
        bias = (noise.mean_beyond(least - kept) - kept * hidden - trimmed) @ cells
        phantom = cells[0] * (1 - hidden[:, 0])
        true_trips = np.asarray(float(counted.true_trips))
        released = true_trips + bias
        common = np.maximum(released + true_trips - error @ cells, 0.0) / 2
        rows.append(
            [
                _ratio(error @ some, some.sum()),
                _ratio(error / np.maximum(true, 1.0) @ some, some.sum()),
                common,
                _ratio(common, true_trips),
                _ratio(common, np.where(released < metrics.NOTHING_SHOWN, np.nan, released)),
                _ratio(hidden @ cells, cells.sum()),
                _ratio((hidden * large).sum(axis=1), large.sum(axis=1)),
                ((1 - hidden) * (cells - large)).sum(axis=1) - phantom,
                phantom,
                bias,
            ]
        )
    values = np.array(rows).swapaxes(0, 1)
    return HeatMap(*values)


def _ratio(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


class TrimmingCurve(NamedTuple):
    """The expected sum of absolute errors, in trips, over T, and its causes (see `ErrorSplit`)."""

    limits: Integers
    trimmed: Floats
    noise: Floats
    suppression: Floats
    total: Floats
    kept_share: Floats

    @property
    def best(self) -> int:
        """The T of least total error: read from confidential data, a release must say so (O4)."""
        return int(self.limits[self.total.argmin()])


def trimming_curve(
    dataset: Dataset,
    parameters: ODParameters,
    limits: Sequence[int] = DEFAULT_LIMITS,
    *,
    days: Days = None,
    sum_days: bool = False,
) -> TrimmingCurve:
    """Return the exact error for each T at the ε, τ and unit of `parameters`.

    `parameters` are of unit ``person-day`` or ``person`` (trip level trims nobody); their T is not
    used. `limits` are the T to compare, from 1 to 256; the rest is as for `expected`.
    """
    if parameters.unit == "trip" or not limits:
        raise ParameterError(
            "limits must name a T to compare at unit 'person-day' or 'person', got "
            f"{len(limits)} at {parameters.unit!r}; trip level trims nobody and fixes T to 1"
        )
    chosen = sorted(set(limits))
    rows: list[list[float]] = []
    for limit in chosen:
        settings = replace(parameters, max_trips_per_user=limit)
        exact = expectation(dataset, settings, days=days, sum_days=sum_days)
        trips = exact.histogram.true_trips
        share = 1 - exact.split.trimmed / trips if trips else float("nan")
        rows.append([*exact.split, share])
    return TrimmingCurve(np.array(chosen), *np.array(rows).T)
