"""The privacy ledger: input, noise and privacy loss of every stage, and the totals."""

from dataclasses import dataclass
from enum import Enum, StrEnum

_ROUNDING = 1e-9


class Norm(StrEnum):
    """Norms of a stage's sensitivity."""

    L1 = "L1"
    L2 = "L2"
    NONE = "–"


class PrivacyDefinition(StrEnum):
    """Definitions of privacy of a total.

    Probabilistic DP (P1, Definition 2) is ε-DP except on a set of outputs of probability at most δ
    and therefore stronger than (ε, δ)-DP.
    """

    PURE = "ε-DP"
    APPROXIMATE = "(ε, δ)-DP"
    PROBABILISTIC = "(ε, δ)-probabilistic DP"


class PrivacyUnit(StrEnum):
    """The difference of two neighbouring datasets, in words."""

    TRIP = "one trip"
    PERSON_DAY = "one person's trips of one day"
    PERSON_TRIPS = "one person's trips of the whole period"
    PERSON_WEEK = "one person, the whole week"


_SCALED_NOISE = "each person's scaled down to the clip"


class Query(Enum):
    """Queries of a stage: name, and the data used. Code takes the member alone."""

    ZONE_COUNTS = "counts", "pre-sampled counts of the zones"
    TOWER_COUNTS = "counts", "pre-sampled counts of the towers"
    COVER_COUNTS = "counts", "pre-sampled counts of the cover"
    COVER_TOTALS = "totals of the cells", "pre-sampled totals of the cover"
    TOWER_SHARES = "shares of the towers", "one visit of each person, counted by tower"
    ALL_VISITS = "number of visits", "all visits, at most Kₘₐₓ a person"
    CHOICE_BY_CLUSTER = (
        "number of coefficients",
        "coefficients of each cluster, for one choice a cluster",
    )
    JOINT_CHOICE = "number of coefficients", "Fourier coefficients of all clusters, for one choice"
    COEFFICIENTS = "coefficients", "the first k Fourier coefficients of each cluster"
    ZOOM_TOWERS = "towers × hours", f"visits by tower and hour, {_SCALED_NOISE}"
    ZOOM_DISTRICTS = "districts × hours", "visits by district and hour, scaled down likewise"
    ZOOM_CITY = (
        "city × hours",
        "visits by hour, scaled down likewise; the clip is chosen from the number of visits, "
        "and the largest is stated: a smaller one has less noise",
    )
    ZOOM_WEEKS = "towers, whole week", "visits by tower, scaled down likewise"
    ZOOM_VISITS = (
        "number of visits",
        "all visits, at most K_max a person; what this tells of those with many visits is taken "
        "off their weight above",
    )
    FLOWS = "trips between zones", "kept trips of every origin and destination"
    TRIPS_BEYOND = "trips beyond the bound", "number of trips beyond it, at most {} of each"
    REPORT_COUNTS = "{}", "counts by bins fixed in advance"
    REPORT_RANKS = "{}: five numbers", "ranks of the edges of the bins"


class Noise(StrEnum):
    """Noise of a stage, in plain words."""

    LAPLACE = "Laplace"
    ROUNDED_LAPLACE = "Laplace, rounded"
    DISCRETE_LAPLACE = "discrete Laplace"
    ROOT_K_LAPLACE = "Laplace, scale times √k"
    CLASSICAL_GAUSSIAN = "Gaussian, classical"
    ANALYTIC_GAUSSIAN = "Gaussian, analytic"
    SHARED_GAUSSIAN = "Gaussian; the shares are parts of μ²"
    EXPONENTIAL = "exponential mechanism"


@dataclass(frozen=True)
class Stage:
    """One step of a mechanism, with the share of the budget that its paper charges for it.

    `noise_scale` is the scale of Laplace noise or the standard deviation of Gaussian noise in the
    units of the query, None where it is not fixed; `subject` distinguishes several stages of one
    kind in words.
    """

    kind: Query
    noise: Noise
    sensitivity: float
    norm: Norm
    noise_scale: float | None
    epsilon: float
    delta: float = 0.0
    subject: str = ""

    @property
    def name(self) -> str:
        """Name of the stage, in plain words."""
        return self.kind.value[0].format(self.subject)

    @property
    def reads(self) -> str:
        """Data that the stage uses, in plain words."""
        return self.kind.value[1].format(f"{self.sensitivity:g}")


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """All stages of a release and its three totals at `delta` (erratum D1), each with its notion.

    The totals are the paper's charge, the setting ε; the loss by simple composition, the paper's
    own argument; and the best loss that is proved here.
    """

    stages: tuple[Stage, ...]
    published_epsilon: float
    pure_epsilon: float
    proved_epsilon: float
    delta: float
    published_notion: PrivacyDefinition
    pure_notion: PrivacyDefinition
    proved_notion: PrivacyDefinition
    unit: PrivacyUnit


def stage_noise_scale(stages: tuple[Stage, ...], kind: Query) -> float:
    """Return the noise scale that the only stage of a kind states, as it is drawn."""
    (scale,) = (stage.noise_scale for stage in stages if stage.kind is kind and stage.noise_scale)
    return scale


def is_above(total: float, epsilon: float) -> bool:
    """Return whether a total is above `epsilon`, beyond rounding."""
    return total > epsilon * (1 + _ROUNDING)


def simple_ledger(
    stages: tuple[Stage, ...], *, unit: PrivacyUnit, total: tuple[float, float] | None = None
) -> Ledger:
    """Return the ledger of stages whose three totals are one: their sum, or the given ε and δ."""
    summed = sum(stage.epsilon for stage in stages), sum(stage.delta for stage in stages)
    epsilon, delta = total or summed
    notion = PrivacyDefinition.APPROXIMATE if delta else PrivacyDefinition.PURE
    return Ledger(
        stages=stages,
        published_epsilon=epsilon,
        pure_epsilon=epsilon,
        proved_epsilon=epsilon,
        delta=delta,
        published_notion=notion,
        pure_notion=notion,
        proved_notion=notion,
        unit=unit,
    )
