"""Contents, cost and error bars of a release, before any count is read.

Costs are exact decimal fractions, rounded up to the next float; error bars follow from the noise
distribution alone. ``docs/release.md`` proves every figure.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri

from .. import privacy_cost, validation
from ..contract import Setting
from ..datasets import Dataset, Metadata
from ..origin_destination.cell_noise import NoiseDistribution
from .budget_ledger import BudgetUnit, release_error, to_decimal_fraction
from .opendp_noise import zcdp_epsilon

CONFIDENCE = 0.95
"""Share of draws within the error bars of a release."""

ROUNDING_MARGIN = 1 + 1e-12
"""Factor on noise scales that covers float rounding: shares sum to at most ε, ρ to the stated ρ."""

Product = Literal["od", "od-estimate", "density", "density-fourier", "density-zoom", "report"]
MAX_CSV_ROWS = 2_000_000
"""Number of flows above which they are written as Parquet only."""

Progress = Callable[[float], None]
_COST_MARGIN = 1 + Fraction(1, 10**9)  # covers float rounding in e^ε and in ε of ρ


@dataclass(frozen=True, kw_only=True)
class PrivacyLoss:
    """Privacy loss of a release for its own unit, with the facts that finer units need.

    `truncation_limit` is T if only trips are counted, the first T of each `unit` in random order,
    and ε is that of T trips. `rho` is ρ if all noise is Gaussian, on nonnegative tables in which
    each `unit` has a bounded L₂ norm.
    """

    unit: BudgetUnit
    epsilon: float
    delta: float = 0.0
    days: int = 1
    truncation_limit: int | None = None
    rho: float | None = None


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Cost of a release for one unit of a budget; each number is at least the proved one."""

    epsilon: float
    delta: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One set of counts with noise of one scale, and its cost: pure ε, or ρ of zCDP.

    Noise is drawn in whole numbers, `step` of them to one count, at `step` times the scale.
    """

    name: str
    noise: Literal["discrete Laplace", "discrete Gaussian", "noisy maximum"] = "discrete Laplace"
    sensitivity: float
    norm: Literal["L₁", "L₂"] = "L₁"
    scale: float
    epsilon: float | None = None
    rho: float | None = None
    step: int = 1

    @classmethod
    def from_ledger_stage(cls, stated: privacy_cost.Stage, **fields: Any) -> "Stage":
        """Return a release's stage from the explorer's ledger stage and fields of its own."""
        values: dict[str, Any] = {"sensitivity": stated.sensitivity, **fields}
        return cls(name=f"{stated.name}: {stated.reads}", **values)

    @classmethod
    def from_laplace(cls, stated: privacy_cost.Stage) -> "Stage":
        """Return a stage that costs its ε in discrete Laplace noise."""
        scale = safe_scale(stated.sensitivity, stated.epsilon)
        return cls.from_ledger_stage(stated, scale=scale, epsilon=stated.epsilon)

    @property
    def drawn_scale(self) -> float:
        """Scale of the drawn whole numbers."""
        return self.scale * self.step


@dataclass(frozen=True, kw_only=True)
class ErrorBar:
    """Half-width of a number; shares of draws that show a truncated `size`, and that it covers."""

    what: str
    half_width: float
    size: int | None = None
    shown: float = 1.0
    holds: float = CONFIDENCE


@dataclass(frozen=True, kw_only=True)
class ReleasePlan(PrivacyLoss):
    """Statement of a release from settings and public facts alone.

    `metadata` are of the released days; `limit` bounds one unit's counts; `matrices` counts
    matrices of flows, districts or cells of the cover; `total_bar` is the half-width of a zone's
    total. Of flows, `min_shown_count` is the least shown number and `mean_phantom_trips` E[X | 0],
    the mean of an empty flow. `min_detected_alone` is the least measured count that detects a flow
    by itself in empirical Bayes; `trips` is the custodian's number. `has_sums` tells whether files
    hold sums before suppression. `mean_lift` bounds the mean of an empty count once negative noise
    is 0.
    """

    product: Product
    setting: Setting
    metadata: Metadata
    limit: int
    stages: tuple[Stage, ...]
    composition: str
    cells: int
    zones: int
    towers: int = 0
    matrices: int = 1
    error_bars: tuple[ErrorBar, ...]
    total_bar: float = 0.0
    min_shown_count: int = 1
    mean_phantom_trips: float = 0.0
    mean_lift: float = 0.0
    min_detected_alone: int = 0
    trips: int | None = None
    has_sums: bool = True

    @classmethod
    def from_setting(cls, setting: Setting, view: Dataset, **fields: Any) -> "ReleasePlan":
        """Return the plan of a setting on a view, with the product's own fields."""
        epsilon, zones = float(setting.parameters.epsilon), len(view.zones)
        return cls(setting=setting, metadata=view.metadata, epsilon=epsilon, zones=zones, **fields)

    @property
    def parameters(self) -> Any:
        """Parameters of the mechanism."""
        return self.setting.parameters

    @property
    def bar(self) -> float:
        """Half-width of one number, the first of `error_bars`."""
        return self.error_bars[0].half_width

    @property
    def is_flows(self) -> bool:
        """Whether the product is an origin–destination matrix."""
        return self.product.startswith("od")

    @property
    def is_own_method(self) -> bool:
        """Whether the method is of this project: empirical Bayes or multiscale Gaussian."""
        return self.product in ("od-estimate", "density-zoom")

    @property
    def flow_count(self) -> int:
        """Number of ordered pairs of different zones, in all matrices."""
        return self.matrices * self.zones * (self.zones - 1)

    @property
    def flows_file(self) -> str:
        """Name of the file of all flows."""
        return "flows.csv" if self.flow_count <= MAX_CSV_ROWS else "flows.parquet"

    @property
    def suppresses(self) -> bool:
        """Whether positive counts are suppressed, which sums of all flows could reveal."""
        return self.product == "od" and self.min_shown_count > 1

    def without_sums(self) -> "ReleasePlan":
        """Return the plan of files from which no suppressed count can be recomputed."""
        *others, _zone_totals = self.error_bars
        return replace(self, has_sums=False, total_bar=0.0, error_bars=tuple(others))

    @property
    def compares_spans(self) -> bool:
        """Whether flows are of two spans of equally many days, whose changes are written too."""
        days, starts = self.metadata.days, self.metadata.periods
        return self.is_flows and len(starts) == 2 and 2 * days.index(starts[1]) == len(days)

    @property
    def phantom_trips(self) -> float:
        """Expected trips of the release if every flow were empty."""
        return self.flow_count * self.mean_phantom_trips

    @property
    def is_mostly_noise(self) -> bool:
        """Whether phantom trips are at least one and exceed the custodian's number of trips."""
        return self.phantom_trips >= 1 and self.phantom_trips > (self.trips or 0)


def budget_cost(loss: PrivacyLoss, budget_unit: BudgetUnit) -> Cost:
    """Return the cost of a release for one unit of a budget.

    A person pays for each released day of a release that protects person-days. For a finer unit:
    remove the person (ε), add her without that day (ε), so 2ε and (1 + e^ε)δ, or less if proved:
    2ε/T, or ε of 2ρ. Raises `ReleaseError` for a trip-level release charged to people.
    """
    validation.check_whole_number("days", loss.days, 1, remedy="a release covers at least one day")
    if loss.unit == budget_unit:
        return Cost(epsilon=float(loss.epsilon), delta=float(loss.delta))
    if loss.unit == "trip":
        raise release_error(
            f"a release at trip level cannot be charged to a budget per {budget_unit}",
            "unit 'trip'",
            "it bounds nobody's trips, so no ε per person can be stated: release at unit "
            "'person-day' or 'person', or declare a budget per trip",
            "unit",
        )
    epsilon, delta = to_decimal_fraction(loss.epsilon), to_decimal_fraction(loss.delta)
    if budget_unit == "person":
        return _round_cost_up(epsilon * loss.days, delta * loss.days, budget_unit)
    if budget_unit == "trip" and loss.truncation_limit is not None and not delta:
        return _round_cost_up(2 * epsilon / loss.truncation_limit, delta, budget_unit)
    if loss.rho is not None:
        of_twice_rho = Fraction(zcdp_epsilon(2 * loss.rho, loss.delta)) * _COST_MARGIN
        if of_twice_rho <= 2 * epsilon:
            return _round_cost_up(of_twice_rho, delta, budget_unit)
    return _round_cost_up(2 * epsilon, _substitution_delta(loss.epsilon, delta), budget_unit)


def _round_up(number: Fraction) -> float:
    """Return the least float that, as written, is at least a fraction."""
    nearest = float(number)
    while to_decimal_fraction(nearest) < number:
        nearest = math.nextafter(nearest, math.inf)
    return nearest


def _substitution_delta(epsilon: float, delta: Fraction) -> Fraction:
    """Return an upper bound on (1 + e^ε)δ, at most 1."""
    if delta and epsilon >= -math.log(delta):
        return Fraction(1)
    return (1 + Fraction(math.exp(epsilon))) * _COST_MARGIN * delta if delta else delta


def _round_cost_up(epsilon: Fraction, delta: Fraction, unit: BudgetUnit) -> Cost:
    if delta >= 1:
        rule = f"a release must cost a budget per {unit} a δ below 1"
        remedy = "choose a smaller δ, or a budget in the unit that the release protects"
        raise release_error(rule, f"{float(delta):g}", remedy, "unit")
    return Cost(epsilon=_round_up(epsilon), delta=_round_up(delta))


def safe_scale(sensitivity: float, epsilon: float) -> float:
    """Return a scale whose loss sensitivity/scale is below ε, as a float and as written."""
    return sensitivity / epsilon * ROUNDING_MARGIN


def laplace_distribution(scale: float) -> NoiseDistribution:
    """Return the distribution of discrete Laplace noise."""
    return NoiseDistribution(1 / scale, "discrete_laplace")


def laplace_bar(scale: float) -> int:
    """Return the least whole z with P(|Z| > z) = 2 q^(z+1)/(1 + q) ≤ 1 − 95%; q = e^(−1/b)."""
    return int(laplace_distribution(scale).half_width(1 - CONFIDENCE))


def coverage_where_shown(scale: float, bar: int, size: int, min_shown_count: int) -> float:
    """Return P(|Z| ≤ bar | size + Z ≥ min_shown_count): the coverage of shown numbers."""
    law, lowest = laplace_distribution(scale), max(min_shown_count - size, -bar)
    within = float(law.upper_tail(lowest) - law.upper_tail(bar + 1)) if lowest <= bar else 0.0
    return within / float(law.upper_tail(min_shown_count - size)) if within else 0.0


def laplace_sd(scale: float) -> float:
    """Return the standard deviation √(2q)/(1 − q) of discrete Laplace noise."""
    return float(np.sqrt(2 * np.exp(-1 / scale)) / -np.expm1(-1 / scale))


def normal_bar(standard_deviation: float) -> float:
    """Return the normal error bar of a sum of many noisy counts."""
    return float(ndtri((1 + CONFIDENCE) / 2) * standard_deviation)
