"""Plan of a release: its contents, cost and error bars, before any count is read.

Costs are exact decimal fractions, rounded up to the next float. Error bars follow from the noise
distribution alone; a *bar* in a name is the half-width of one. ``docs/release.md`` proves every
figure.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass
from fractions import Fraction
from typing import Any, Literal

from .. import privacy_cost, validation
from ..contract import Setting
from ..datasets import Dataset, Metadata
from ..origin_destination.empirical_bayes import ScaleUp
from .budget_ledger import BudgetUnit, release_error, to_decimal_fraction
from .opendp_noise import zcdp_epsilon

CONFIDENCE = 0.95
"""Probability over the noise that an error bar holds the number without noise."""

ROUNDING_MARGIN = 1 + 1e-12
"""Factor on noise scales that covers float rounding, so that no proved cost exceeds the stated."""

Product = Literal["od", "od-estimate", "density", "density-fourier", "density-zoom", "report"]
"""What a release holds, as ledger and statement call it: flows (``od``) by Laplace with suppression
or by empirical Bayes; density by towers, Fourier perturbation or multiscale; a mobility report."""

MAX_CSV_ROWS = 2_000_000  # beyond it flows are written as Parquet only

Progress = Callable[[float], None]  # is called with the share of the work that is done
_COST_MARGIN = 1 + Fraction(1, 10**9)  # covers float rounding in e^ε and in ε of ρ


@dataclass(frozen=True, kw_only=True)
class PrivacyLoss:
    """Privacy loss (ε, δ) of a release for its own unit, and what other units' costs follow from.

    `days` is the number of released days of flows, which multiplies the cost of a person-day for a
    person; it is 1 for other products. `trip_cost_divisor` is T if one trip is proved to cost at
    most 2ε/T, and None otherwise. `rho` is the ρ of zCDP (zero-concentrated differential privacy)
    if all noise is Gaussian and each `unit` adds to every table a nonnegative vector of L₂ norm at
    most c, and None otherwise. Replacing such a vector changes at most √2·c, so it costs 2ρ.
    """

    unit: BudgetUnit
    epsilon: float
    delta: float = 0.0
    days: int = 1
    trip_cost_divisor: int | None = None
    rho: float | None = None


@dataclass(frozen=True, kw_only=True)
class BudgetCost:
    """What a release takes from a budget, ε and δ per unit of that budget, rounded up."""

    epsilon: float
    delta: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ReleaseStage:
    """One set of counts with noise of one scale, and its cost: pure ε, or ρ of zCDP.

    `scale` is σ of Gaussian noise. Noise is drawn in whole units of 1/`units_per_count` count.
    "noisy maximum" stands in files for a noisy minimum (permute-and-flip).
    """

    name: str
    noise: Literal["discrete Laplace", "discrete Gaussian", "noisy maximum"] = "discrete Laplace"
    sensitivity: float
    norm: Literal["L₁", "L₂"] = "L₁"
    scale: float
    epsilon: float | None = None
    rho: float | None = None
    units_per_count: int = 1

    @classmethod
    def from_cost_stage(cls, cost_stage: privacy_cost.Stage, **fields: Any) -> "ReleaseStage":
        """Return a release's version of a stage of the mechanism's `PrivacyCost`, with `fields`."""
        fields.setdefault("sensitivity", cost_stage.sensitivity)
        return cls(name=f"{cost_stage.name}: {cost_stage.reads}", **fields)

    @classmethod
    def from_laplace(cls, cost_stage: privacy_cost.Stage) -> "ReleaseStage":
        """Return the stage that spends the ε of `cost_stage` on discrete Laplace noise."""
        scale = safe_scale(cost_stage.sensitivity, cost_stage.epsilon)
        return cls.from_cost_stage(cost_stage, scale=scale, epsilon=cost_stage.epsilon)

    @property
    def drawn_scale(self) -> float:
        """Scale of the drawn whole numbers."""
        return self.scale * self.units_per_count

    def to_json(self) -> dict[str, Any]:
        """Return the stage as ``statement.json`` has it; ``step`` holds `units_per_count`."""
        fields = asdict(self)
        fields["step"] = fields.pop("units_per_count")
        return fields


@dataclass(frozen=True, kw_only=True)
class ErrorBar:
    """95% error bar of a `quantity` of the release, such as one flow.

    Flows with suppression have one for each of several truncated true counts (`truncated_count`),
    with the probability that it is shown and, if so, that the bar holds it.
    """

    quantity: str
    half_width: float
    truncated_count: int | None = None
    shown_probability: float = 1.0
    coverage: float = CONFIDENCE

    def to_json(self) -> dict[str, Any]:
        """Return the error bar with the keys of ``statement.json``."""
        keys = "what", "half_width", "size", "shown", "holds"
        return dict(zip(keys, astuple(self), strict=True))


@dataclass(frozen=True, kw_only=True)
class ReleasePlan(PrivacyLoss):
    """What a release will hold and cost, from its setting and public facts alone.

    `metadata` describe the released days. `contribution_limit` is the largest number of trips or
    visits that are counted of one unit. `cell_count` is the largest possible number of noisy
    numbers. `composition` names the rule that adds the stages up, if there are several.

    Places: `zone_count` and `tower_count`; multiscale groups towers into `district_count`
    districts, the Fourier method maps them to the `cover_cell_count` cells of the cover.

    Flows come as `matrix_count` matrices, one a day, week or period. A noisy count below
    `min_shown_count` is suppressed. `mean_phantom_trips` is what an empty flow shows on average.
    `trips` is the number of trips made, as the custodian states it; `signal_warning` says if they
    are too few for single flows. `has_sums` is whether files
    hold sums before suppression. Of empirical Bayes, `detection_threshold` is the least noisy count
    that marks a flow as detected whatever the others are.

    `zone_total_bar` is the bar of a zone's total. `empty_count_bias` is an upper bound on the mean
    of an empty count after negative noisy counts are set to 0: of the median zone in one hour
    (density by towers) or of the bin with the most noise (report).

    A draw adds what follows from its noisy numbers: `scale_up`, the factor by which empirical Bayes
    scaled its estimates up for trips beyond the contribution limit; of multiscale the `stages` that
    were measured, with their error bars. Before, those are of the most visits and the largest bars.
    """

    product: Product
    setting: Setting
    metadata: Metadata
    contribution_limit: int
    stages: tuple[ReleaseStage, ...]
    composition: str
    cell_count: int
    zone_count: int
    tower_count: int = 0
    district_count: int = 0
    cover_cell_count: int = 0
    matrix_count: int = 1
    error_bars: tuple[ErrorBar, ...]
    zone_total_bar: float = 0.0
    min_shown_count: int = 1
    mean_phantom_trips: float = 0.0
    empty_count_bias: float = 0.0
    detection_threshold: int = 0
    trips: int | None = None
    signal_warning: str = ""
    has_sums: bool = True
    scale_up: ScaleUp | None = None

    @classmethod
    def from_setting(cls, setting: Setting, view: Dataset, **fields: Any) -> "ReleasePlan":
        """Return the plan of a setting on its view of a dataset, with the product's own fields."""
        fields |= {"epsilon": float(setting.parameters.epsilon), "zone_count": len(view.zones)}
        return cls(setting=setting, metadata=view.metadata, **fields)

    @property
    def parameters(self) -> Any:
        """Parameters of the mechanism."""
        return self.setting.parameters

    @property
    def bar(self) -> float:
        """Bar of a flow, zone and hour, or bin; by Fourier perturbation, of all visits together."""
        return self.error_bars[0].half_width

    @property
    def is_flows(self) -> bool:
        """Whether the product is flows, as origin–destination matrices."""
        return self.product.startswith("od")

    @property
    def has_estimates(self) -> bool:
        """Whether noisy counts (*measured*) come with estimates from them, the numbers to use."""
        return self.product in ("od-estimate", "density-zoom")

    @property
    def flow_count(self) -> int:
        """Number of flows, ordered pairs of different zones, in all matrices together."""
        return self.matrix_count * self.zone_count * (self.zone_count - 1)

    @property
    def flows_file(self) -> str:
        """Name of the file of all flows."""
        return "flows.csv" if self.flow_count <= MAX_CSV_ROWS else "flows.parquet"

    @property
    def suppresses(self) -> bool:
        """Whether small positive noisy counts are suppressed, which sums let readers recompute."""
        return self.product == "od" and self.min_shown_count > 1

    @property
    def compares_periods(self) -> bool:
        """Whether flows are of two periods of equally many days, which ``change.csv`` compares."""
        days, first_days = self.metadata.days, self.metadata.periods
        return self.is_flows and len(first_days) == 2 and 2 * days.index(first_days[1]) == len(days)

    @property
    def phantom_trips(self) -> float:
        """Expected number of shown trips if every flow were empty."""
        return self.flow_count * self.mean_phantom_trips

    @property
    def needs_noise_consent(self) -> bool:
        """Whether empty flows alone would show more than `trips`, or any where that is unknown."""
        return self.phantom_trips >= 1 and self.phantom_trips > (self.trips or 0)


def budget_cost(loss: PrivacyLoss, budget_unit: BudgetUnit) -> BudgetCost:
    """Return the cost of a release per unit of a budget, which may differ from the release's unit.

    - A budget per person pays ε and δ of a person-day release for each released day.
    - A budget in a finer unit than the release's: the data without one of its units are two steps
      of the release's unit away, *remove* the person and *add* the person without, say, one day.
      Two steps cost 2ε and (1 + e^ε)δ.
    - This is less where `trip_cost_divisor` is T (2ε/T per trip) or `rho` is ρ (the ε of 2ρ at δ).

    Raises `ReleaseError` if a release at trip level is charged per person or person-day.
    """
    validation.check_whole_number("days", loss.days, 1, remedy="a release covers at least one day")
    if loss.unit == budget_unit:
        return BudgetCost(epsilon=float(loss.epsilon), delta=float(loss.delta))
    if loss.unit == "trip":
        raise release_error(
            f"a release at trip level cannot be charged to a budget per {budget_unit}",
            "unit 'trip'",
            "a person may make any number of trips, so no ε per person can be stated. Release at "
            "unit 'person-day' or 'person', or declare a budget per trip",
            "unit",
        )
    epsilon, delta = to_decimal_fraction(loss.epsilon), to_decimal_fraction(loss.delta)
    if budget_unit == "person":
        return _round_cost_up(epsilon * loss.days, delta * loss.days, budget_unit)
    if budget_unit == "trip" and loss.trip_cost_divisor is not None and not delta:
        return _round_cost_up(2 * epsilon / loss.trip_cost_divisor, delta, budget_unit)
    if loss.rho is not None:
        gaussian_epsilon = Fraction(zcdp_epsilon(2 * loss.rho, loss.delta)) * _COST_MARGIN
        if gaussian_epsilon <= 2 * epsilon:
            return _round_cost_up(gaussian_epsilon, delta, budget_unit)
    if delta and loss.epsilon >= -math.log(delta):
        delta = Fraction(1)  # at most, also where e^ε overflows
    elif delta:
        delta *= (1 + Fraction(math.exp(loss.epsilon))) * _COST_MARGIN
    return _round_cost_up(2 * epsilon, delta, budget_unit)


def _round_up(number: Fraction) -> float:
    """Return the least float whose decimal representation is at least `number`."""
    nearest = float(number)
    while to_decimal_fraction(nearest) < number:
        nearest = math.nextafter(nearest, math.inf)
    return nearest


def _round_cost_up(epsilon: Fraction, delta: Fraction, unit: BudgetUnit) -> BudgetCost:
    if delta >= 1:
        rule = f"the δ that a release costs a budget per {unit} must be below 1"
        remedy = "choose a smaller δ, or a budget in the unit that the release protects"
        raise release_error(rule, f"{float(delta):g}", remedy, "unit")
    return BudgetCost(epsilon=_round_up(epsilon), delta=_round_up(delta))


def safe_scale(sensitivity: float, epsilon: float) -> float:
    """Return the noise scale sensitivity/ε, a little larger so that rounding cannot exceed ε."""
    return sensitivity / epsilon * ROUNDING_MARGIN
