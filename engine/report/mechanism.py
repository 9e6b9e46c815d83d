"""One private mobility report: every analysis drawn once, or derived from what was drawn (P3)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Integers
from ..contract import Method, Plan
from ..datasets import Dataset
from ..errors import ParameterError
from ..ledger import Kind, Ledger, Noise, Norm, Stage, Unit, simple_ledger
from ..noise import given_or_drawn
from . import vectors
from .aggregates import ReportTable, extent_of, truth
from .analyses import Analysis, parts
from .budget import ReportMethod
from .derived import derive
from .draws import NoiseSource, ReportNoise
from .fivenumbers import FiveNumbers, five_numbers
from .measures import Extent, Measure, classes_of
from .results import Result
from .settings import ReportParameters


@dataclass(frozen=True, eq=False, kw_only=True)
class ReportRelease:
    """One private report and what it costs.

    Attributes
    ----------
    results : mapping of Analysis to Result
        The private numbers of every analysis that is on and not empty.
    five_numbers : mapping of Analysis to FiveNumbers
        Of every histogram.
    ledger : Ledger
        What one unit of protection pays.
    parameters : ReportParameters
        The settings.
    """

    results: Mapping[Analysis, Result]
    five_numbers: Mapping[Analysis, FiveNumbers]
    ledger: Ledger
    parameters: ReportParameters

    @property
    def counts(self) -> dict[Analysis, Integers]:
        """Private numbers of every analysis as shown: whole and not below 0."""
        return {analysis: result.shown for analysis, result in self.results.items()}


def release(
    dataset: Dataset,
    parameters: ReportParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: NoiseSource | None = None,
) -> ReportRelease:
    """Draw one private mobility report.

    Parameters
    ----------
    dataset : Dataset
        With a report's tables.
    parameters : ReportParameters
        ε and its shares, M, unit, bins.
    rng : numpy.random.Generator
        Source of the noise; same state, same report. Exactly one of `rng` and `noise`.
    noise : NoiseSource
        Noise that follows a slider (`ReportNoise`), or of another kind.

    Raises
    ------
    ParameterError
        If not exactly one of `rng` and `noise` is given, or travel times are asked of trips that
        have none.

    Examples
    --------
    >>> from engine import datasets, report
    >>> private = report.release(datasets.load("demo-city"),
    ...     report.ReportParameters(epsilon=1.0), rng=np.random.default_rng(0))
    >>> private.results[Analysis.WEEKDAYS].epsilon, round(private.ledger.proved_epsilon, 4)
    (0.0, 1.0)
    """
    return release_table(truth(dataset), parameters, rng=rng, noise=noise)


def release_table(
    table: ReportTable,
    parameters: ReportParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: NoiseSource | None = None,
) -> ReportRelease:
    """Draw one private mobility report of counts at hand; else as `release`."""
    source: NoiseSource = given_or_drawn(rng, noise, ReportNoise.draw)
    plan = parameters.plan
    if Analysis.TRAVEL_TIME in plan.asked and not table.has_travel_times:
        raise ParameterError(
            "travel_time needs trips with their ends, got trips found between sightings; give "
            "travel_time the weight 0, as Budget.fitting does"
        )
    kept = {one: vectors.numbers(table, one, parameters, kept=True) for one in plan.asked}
    asked = {one: _asked(table, one, kept[one], parameters, source) for one in plan.asked}
    derived = {
        analysis: derive(table, analysis, asked, origins)
        for analysis, origins in plan.derived.items()
    }
    if parameters.method == "derived" and Analysis.DAYS in asked:
        asked[Analysis.DAYS] = _grouped(table, asked[Analysis.DAYS])
    available = asked | derived
    results = {analysis: available[analysis] for analysis in Analysis if analysis in available}
    five = {
        analysis: five_numbers(result, kept[analysis], parameters, source)
        for analysis, result in results.items()
        if analysis.is_histogram
    }
    return ReportRelease(
        results=results, five_numbers=five, ledger=ledger(parameters), parameters=parameters
    )


def ledger(parameters: ReportParameters) -> Ledger:
    """Return what one unit of protection pays: the shares of all analyses add up to ε.

    Examples
    --------
    >>> stated = ledger(ReportParameters(epsilon=1.0, method="package"))
    >>> len(stated.stages), round(stated.proved_epsilon, 4)
    (25, 1.0)
    """
    stages: list[Stage] = []
    for analysis in parameters.plan.asked:
        whole = parameters.epsilon_of(analysis)
        for part, epsilon, change in _questions(analysis, parameters):
            law = (Noise.ROUNDED_LAPLACE, float(change), Norm.L1, change / epsilon)
            stages.append(Stage(Kind.REPORT_COUNTS, *law, epsilon, subject=part))
        if analysis.is_histogram and parameters.five_numbers_share:
            change = float(parameters.sensitivity(analysis.counted))
            law = (Noise.EXPONENTIAL, change, Norm.NONE, None)
            share = whole * parameters.five_numbers_share
            stages.append(Stage(Kind.REPORT_RANKS, *law, share, subject=analysis.label))
    unit = Unit.PERSON_TRIPS if parameters.unit == "user" else Unit.TRIP
    return simple_ledger(tuple(stages), unit=unit)


def draw_noise(
    dataset: Dataset, parameters: ReportParameters, *, rng: np.random.Generator
) -> ReportNoise:
    """Draw the noise of one report, which follows its settings."""
    del dataset, parameters
    return ReportNoise.draw(rng)


def plan(dataset: Dataset, parameters: ReportParameters) -> Plan:
    """Return what gets noise and what it costs, from public facts: no count is read.

    Examples
    --------
    >>> from engine import datasets
    >>> planned = plan(datasets.load("demo-city"), ReportParameters(epsilon=1.0))
    >>> planned.cells > 20_000, round(planned.ledger.proved_epsilon, 4)
    (True, 1.0)
    """
    cells = noisy_numbers(parameters, extent_of(dataset))
    return Plan(cells=cells, ledger=ledger(parameters))


def noisy_numbers(parameters: ReportParameters, extent: Extent) -> int:
    """Return how many numbers get noise of their own, by public facts; no count is read.

    Examples
    --------
    >>> from datetime import date
    >>> from engine.report import Budget
    >>> one = ReportParameters(epsilon=1.0, budget=Budget.of(
    ...     weights={str(a): float(a is Analysis.HOURS) for a in Analysis}))
    >>> noisy_numbers(one, Extent(first_day=date(2026, 6, 1), days=7, zones=3))
    96
    """
    return sum(_size(analysis, parameters, extent) for analysis in parameters.plan.asked)


_USES = frozenset({"unit", "max_trips_per_user", "budget", "bins", "ends"})
METHODS: dict[ReportMethod, Method[ReportRelease]] = {
    "derived": Method(
        name="Reuse noisy counts",
        short="Derived",
        source="docs/report.md, R6",
        uses=_USES,
        release=release,
        ledger=ledger,
        ours=True,
    ),
    "package": Method(
        name="Fifteen shares, as DpMobilityReport",
        short="Package",
        source="DpMobilityReport 0.2.11, with R1 to R5 of docs/report.md",
        uses=_USES,
        release=release,
        ledger=ledger,
    ),
}


def _size(analysis: Analysis, parameters: ReportParameters, extent: Extent) -> int:
    if analysis.is_histogram:
        return parameters.bins_of(analysis).count + 2
    if analysis in (Analysis.STATISTICS, Analysis.MISSING):
        return len(parts(analysis, parameters.unit))
    daily = extent.days if parameters.method == "derived" else len(vectors.periods(extent).starts)
    return {
        Analysis.DAYS: daily + 1,
        Analysis.WEEKDAYS: vectors.DAYS_PER_WEEK,
        Analysis.HOURS: extent.bins(Measure.HOUR)[1],
        Analysis.ZONES: extent.zones + 1,
        Analysis.ZONE_WINDOWS: (extent.zones + 1) * (int(classes_of(parameters.windows)[-1]) + 1),
        Analysis.FLOWS: extent.bins(Measure.FLOW)[1],
    }[analysis]


def _questions(analysis: Analysis, parameters: ReportParameters) -> list[tuple[str, float, int]]:
    """Return name, privacy loss and sensitivity of each part of an analysis."""
    asked = parts(analysis, parameters.unit)
    share = 1.0 - (parameters.five_numbers_share if analysis.is_histogram else 0.0)
    each = parameters.epsilon_of(analysis) * share / len(asked)
    alone = len(asked) == 1
    return [
        (
            analysis.label if alone else f"{analysis.label}, {name}",
            each,
            parameters.sensitivity(counted),
        )
        for name, counted in asked
    ]


def _asked(
    table: ReportTable,
    analysis: Analysis,
    kept: Integers,
    parameters: ReportParameters,
    source: NoiseSource,
) -> Result:
    if analysis is Analysis.DAYS and parameters.method == "derived":
        # weekdays and totals are sums of noisy days, so days are what is asked
        kept = table.counts(Measure.DAY, parameters.kept)
    scales = np.array([change / epsilon for _, epsilon, change in _questions(analysis, parameters)])
    each = np.repeat(scales, len(kept) // len(scales))
    if len(scales) == 1:  # one law for all, seen by its strides
        each = np.broadcast_to(scales, len(kept))
    return Result(
        analysis=analysis,
        epsilon=parameters.epsilon_of(analysis),
        sources=(),
        noisy=kept + source.counts(analysis, each),
        terms=((each, np.broadcast_to(np.int64(1), len(each))),),
    )


def _grouped(table: ReportTable, daily: Result) -> Result:
    """Return noisy days as the periods in which they are shown."""
    groups = vectors.by_period(np.ones(len(daily.noisy), dtype=np.int64), table.extent)
    scale = daily.terms[0][0][0]
    return replace(
        daily,
        noisy=vectors.by_period(daily.noisy, table.extent),
        terms=((np.full(len(groups), scale), groups),),
    )
