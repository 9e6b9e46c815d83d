"""Release of one mobility report: every analysis is drawn once, or derived from others (P3)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from scipy.special import gammainc, gammaln

from ..arrays import Floats, Integers
from ..contract import Method, resolve_noise
from ..datasets import Dataset
from ..errors import ParameterError
from ..privacy_cost import Noise, Norm, PrivacyCost, PrivacyUnit, Query, Stage, simple_cost
from . import quantiles
from .aggregates import ReportTable, count_analysis, group_days, report_extent, truth
from .measures import Measure
from .settings import BINS, QUANTILE_LEVELS, Analysis, ReportMethod, ReportParameters


@dataclass(frozen=True)
class ReportNoise:
    """Standard variates of one report, scaled by the mechanism; `entropy` fixes them.

    Each analysis has its own stream, so the same noise (common random numbers) serves any ε, M and
    shares, and a longer series starts like a shorter one. Laplace noise is rounded half up to whole
    numbers (exploration; erratum O5).
    """

    entropy: tuple[int, ...]

    @classmethod
    def draw(cls, rng: np.random.Generator) -> "ReportNoise":
        """Return the noise of one report; equal states of `rng` give equal noise."""
        return cls(tuple(int(word) for word in rng.integers(0, 2**32, size=4)))

    def counts(self, analysis: Analysis, scales: Floats, /) -> Integers:
        """Return whole-number noise, one for each Laplace scale."""
        scaled = np.floor(self._generator(analysis, 0).laplace(size=len(scales)) * scales + 0.5)
        return np.clip(scaled, -(2.0**62), 2.0**62).astype(np.int64)

    def gumbels(self, analysis: Analysis, shape: tuple[int, int], /) -> Floats:
        """Return standard Gumbel variates for draws of the five numbers."""
        return self._generator(analysis, 1).gumbel(size=shape)

    def _generator(self, analysis: Analysis, stream: int) -> np.random.Generator:
        words = [*self.entropy, list(Analysis).index(analysis), stream]
        return np.random.default_rng(np.random.SeedSequence(words))


@dataclass(frozen=True, eq=False, kw_only=True)
class AnalysisResult:
    """Noisy numbers of one analysis, possibly negative, and their noise distribution.

    Each number has the noise of `variates` independent Laplace variates of its scale; arrays have
    one shape. `drawn_five_numbers` is None if none were drawn.
    """

    analysis: Analysis
    epsilon: float
    noisy: Integers
    scales: Floats
    variates: Integers
    drawn_five_numbers: Floats | None = None

    @property
    def shown_numbers(self) -> Integers:
        """Private numbers as shown, at least 0."""
        return np.maximum(self.noisy, 0)

    @property
    def total(self) -> int:
        """Sum of the private numbers before clipping: unbiased for the truncated trips."""
        return int(self.noisy.sum())

    @property
    def five_numbers(self) -> Floats:
        """Five numbers of a histogram, drawn or derived from its noisy bins."""
        if self.drawn_five_numbers is not None:
            return self.drawn_five_numbers
        return quantiles.quantiles_from_bins(self.noisy, BINS[self.analysis].edges)

    def half_widths(self) -> Floats:
        """Return the exact half-width of each number's noise with probability 95%."""
        return np.array([half_width(k, 0.95) for k in self.variates.tolist()]) * self.scales

    def mean_absolute_noise(self) -> Floats:
        """Return the mean of the absolute noise in each number."""
        return np.array([mean_absolute(k) for k in self.variates.tolist()]) * self.scales


@dataclass(frozen=True, eq=False, kw_only=True)
class ReportRelease:
    """One private report: the results of its analyses, and its cost."""

    results: Mapping[Analysis, AnalysisResult]
    cost: PrivacyCost
    parameters: ReportParameters

    @property
    def counts(self) -> dict[Analysis, Integers]:
        """Private numbers of every analysis as shown: whole and at least 0."""
        return {analysis: result.shown_numbers for analysis, result in self.results.items()}


def release(
    dataset: Dataset,
    parameters: ReportParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: ReportNoise | None = None,
) -> ReportRelease:
    """Return one private mobility report.

    Noise comes from exactly one of `rng`, whose equal states give equal reports, and `noise`, of
    `draw_noise` or a library. Raises `ParameterError` otherwise, or if trips lack required travel
    times.
    """
    return release_table(truth(dataset), parameters, rng=rng, noise=noise)


def release_table(
    table: ReportTable,
    parameters: ReportParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: ReportNoise | None = None,
) -> ReportRelease:
    """Return one private mobility report of given true counts; else as `release`."""
    source = resolve_noise(rng, noise, ReportNoise.draw)
    require_travel_times(table, parameters)
    results: dict[Analysis, AnalysisResult] = {}
    for analysis in reversed(parameters.analyses):  # the number of trips may follow from days
        results[analysis] = _draw_analysis(table, analysis, parameters, source, results)
    ordered = {analysis: results[analysis] for analysis in parameters.analyses}
    return ReportRelease(results=ordered, cost=report_cost(parameters), parameters=parameters)


def require_travel_times(table: ReportTable, parameters: ReportParameters) -> None:
    """Raise `ParameterError` if travel times are on and trips have no ends."""
    if Analysis.TRAVEL_TIME in parameters.analyses and not table.has_travel_times:
        rule = "travel_time needs trips with start and end times"
        remedy = "leave it out: parameters.without(['travel_time'])"
        raise ParameterError(rule, value="trips that were found between sightings", remedy=remedy)


def _draw_analysis(
    table: ReportTable,
    analysis: Analysis,
    parameters: ReportParameters,
    source: ReportNoise,
    results: Mapping[Analysis, AnalysisResult],
) -> AnalysisResult:
    """Return one analysis with noise of scale Δ/ε on each part, or derived from days."""
    truncated_counts = count_analysis(table, analysis, parameters, is_truncated=True)
    stages = _count_stages(analysis, parameters)
    scales = np.array([stage.sensitivity / stage.epsilon for stage in stages])
    queried_counts = truncated_counts
    if analysis is Analysis.SIZE:
        queried_counts = truncated_counts[: len(stages)]
    scales = np.repeat(scales, len(queried_counts) // max(len(stages), 1))
    noisy = queried_counts + source.counts(analysis, scales)
    variates = np.ones(len(queried_counts), dtype=np.int64)
    if len(queried_counts) < len(truncated_counts):  # trips of all noisy days in the period
        days = results[Analysis.DAYS]
        noisy = np.append(noisy, days.noisy[:-1].sum())
        scales = np.append(scales, days.scales[0])
        variates = np.append(variates, len(days.noisy) - 1)
    five = None
    if parameters.five_numbers_epsilon(analysis):
        gumbels = source.gumbels(analysis, (len(QUANTILE_LEVELS), len(BINS[analysis].edges)))
        five = quantiles.draw_five_numbers(truncated_counts, analysis, parameters, gumbels)
    return AnalysisResult(
        analysis=analysis,
        epsilon=parameters.analysis_epsilon(analysis),
        noisy=noisy,
        scales=scales,
        variates=variates,
        drawn_five_numbers=five,
    )


def _count_stages(analysis: Analysis, parameters: ReportParameters) -> list[Stage]:
    queries = parameters.queries(analysis)
    count_epsilon = parameters.analysis_epsilon(analysis)
    count_epsilon -= parameters.five_numbers_epsilon(analysis)
    stages: list[Stage] = []
    for name, counted_item in queries:
        epsilon, change = count_epsilon / len(queries), float(parameters.sensitivity(counted_item))
        law = (Noise.ROUNDED_LAPLACE, change, Norm.L1, change / epsilon)
        subject = name if name == analysis.label else f"{analysis.label}, {name}"
        stages.append(Stage(Query.REPORT_COUNTS, *law, epsilon, subject=subject))
    return stages


def report_cost(parameters: ReportParameters) -> PrivacyCost:
    """Return the stages and totals of a report: the shares of all analyses add up to ε."""
    stages: list[Stage] = []
    for analysis in parameters.charged_shares:
        stages += _count_stages(analysis, parameters)
        if five := parameters.five_numbers_epsilon(analysis):
            change = float(parameters.sensitivity(analysis.counted_item))
            law = (Noise.EXPONENTIAL, change, Norm.NONE, None)
            stages.append(Stage(Query.REPORT_RANKS, *law, five, subject=analysis.label))
    unit = PrivacyUnit.PERSON_TRIPS if parameters.unit == "user" else PrivacyUnit.TRIP
    return simple_cost(tuple(stages), unit=unit)


def compute_cost(dataset: Dataset, parameters: ReportParameters) -> PrivacyCost:
    """Return the cost of a report, from its settings alone."""
    del dataset
    return report_cost(parameters)


def draw_noise(
    dataset: Dataset, parameters: ReportParameters, *, rng: np.random.Generator
) -> ReportNoise:
    """Return the noise of one report, for any of its settings."""
    del dataset, parameters
    return ReportNoise.draw(rng)


def count_noisy_numbers(dataset: Dataset, parameters: ReportParameters) -> int:
    """Return how many numbers get noise, from public facts."""
    extent = report_extent(dataset)
    counts = {
        Analysis.SIZE: len(parameters.queries(Analysis.SIZE)),
        Analysis.DAYS: len(group_days(extent).first_days) + 1,
        Analysis.HOURS: extent.bins(Measure.HOUR)[1],
        Analysis.VISITS: extent.bins(Measure.ZONE)[1],
        Analysis.FLOWS: extent.bins(Measure.FLOW)[1],
        **{analysis: len(bins.edges) + 1 for analysis, bins in BINS.items()},
    }
    return sum(counts[analysis] for analysis in parameters.charged_shares)


@lru_cache(maxsize=1024)
def mean_absolute(variates: int) -> float:
    """Return the mean of |sum of `variates` standard Laplace variates|: 2k·C(2k, k)/4^k."""
    if variates == 0:
        return 0.0
    halves = (math.log((2 * i - 1) / (2 * i)) for i in range(1, variates + 1))
    return 2 * variates * math.exp(math.fsum(halves))


@lru_cache(maxsize=1024)
def half_width(variates: int, level: float) -> float:
    """Return x with P(|sum of `variates` standard Laplace variates| ≤ x) = `level`.

    The absolute sum of k variates has a Gamma(k − j) distribution with probability C(k − 1 + j,
    j)/2^(k − 1 + j), for j from 0 to k − 1; for one variate x = −ln(1 − level).
    """
    if variates <= 1:
        return -math.log1p(-level) * variates
    from scipy.optimize import brentq  # loads slowly, and an ingest does not use it

    j = np.arange(variates)
    log_ways = gammaln(variates + j) - gammaln(j + 1) - gammaln(variates)
    shares = np.exp(log_ways - (variates - 1 + j) * math.log(2))
    root: Any = brentq(lambda x: level - shares @ gammainc(variates - j, x), 0, 40 * variates)
    return float(root)


_report_method = partial(
    Method[ReportRelease],
    used_fields=frozenset({"unit", "max_trips_per_user", "shares"}),
    release=release,
    cost=report_cost,
)
METHODS: dict[ReportMethod, Method[ReportRelease]] = {
    "derived": _report_method(name="Derive what follows", short_name="Derived"),
    "package": _report_method(name="As DpMobilityReport", short_name="Package"),
}
