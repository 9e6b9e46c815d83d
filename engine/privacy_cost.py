"""The cost of a mechanism: input, noise and privacy loss of every stage, and the totals."""

from dataclasses import dataclass
from enum import Enum, StrEnum


class Norm(StrEnum):
    """Norms of a stage's sensitivity."""

    L1 = "L1"
    L2 = "L2"
    NONE = "–"


class PrivacyDefinition(StrEnum):
    """Definition of privacy that a total holds for.

    Probabilistic DP (Acs & Castelluccia 2014, Definition 2) is ε-DP except on a set of outputs of
    probability at most δ and therefore stronger than (ε, δ)-DP.
    """

    PURE = "ε-DP"
    APPROXIMATE = "(ε, δ)-DP"
    PROBABILISTIC = "(ε, δ)-probabilistic DP"


class PrivacyUnit(StrEnum):
    """What one of two neighbouring datasets has more than the other, in words."""

    TRIP = "one trip"
    PERSON_DAY = "one person's trips of one day"
    PERSON_TRIPS = "one person's trips of the whole period"
    PERSON_WEEK = "one person, the whole week"


class Query(Enum):
    """What a stage asks of the data. A value is words for readers: the query's name, the data used.

    Code compares members alone; ``{}`` is filled by `Stage`. Terms are those of `engine.density`.
    """

    ZONE_COUNTS = "counts", "pre-sampled counts of the zones"
    TOWER_COUNTS = "counts", "pre-sampled counts of the towers"
    COVER_COUNTS = "counts", "pre-sampled counts of the cover"
    COVER_TOTALS = "totals of the cells", "pre-sampled totals of the cover"
    SINGLE_VISITS = "shares of the towers", "one visit of each person, counted by tower"
    ALL_VISITS = "number of visits", "all visits, at most a public number per person"
    CHOICE_BY_CLUSTER = (
        "number of coefficients",
        "coefficients of each cluster, for one choice a cluster",
    )
    JOINT_CHOICE = "number of coefficients", "Fourier coefficients of all clusters, for one choice"
    COEFFICIENTS = "coefficients", "the first k Fourier coefficients of each cluster"
    MULTISCALE_TOWERS = "towers × hours", "visits by tower and hour, scaled down to a limit"
    MULTISCALE_DISTRICTS = "districts × hours", "visits by district and hour, scaled down likewise"
    MULTISCALE_CITY = (
        "city × hours",
        "visits by hour, scaled down likewise; the limit follows from the noisy number of visits",
    )
    MULTISCALE_TOWER_TOTALS = "towers, whole week", "visits by tower, scaled down likewise"
    MULTISCALE_VISIT_TOTAL = (
        "number of visits",
        "all visits, at most a public number per person; in return, people with many visits count "
        "less in the other tables. It is drawn first, and the other tables' shares of ε and the "
        "city's limit follow from it. Until then, those for the most visits are stated",
    )
    FLOWS = "trips between zones", "counted trips of every origin and destination"
    TRIPS_BEYOND = "trips beyond the limit", "number of trips beyond it, at most {} per unit"
    REPORT_COUNTS = "{}", "counts by bins fixed in advance"
    REPORT_RANKS = "{}: five numbers", "ranks of the edges of the bins"


class Noise(StrEnum):
    """Noise of a stage, in words; stages of `SHARED_GAUSSIAN` share the ε of one mechanism."""

    LAPLACE = "Laplace"
    ROUNDED_LAPLACE = "Laplace, rounded"
    DISCRETE_LAPLACE = "discrete Laplace"
    ROOT_K_LAPLACE = "Laplace, scale times √k"
    CLASSICAL_GAUSSIAN = "Gaussian, classical"
    ANALYTIC_GAUSSIAN = "Gaussian, analytic"
    SHARED_GAUSSIAN = "Gaussian; one mechanism, ε is divided only for display"
    EXPONENTIAL = "exponential mechanism"


@dataclass(frozen=True)
class Stage:
    """One step of a mechanism, with the ε and δ that its paper charges for it.

    `noise_scale` is the scale of Laplace noise or the standard deviation of Gaussian noise in the
    units of the query, None where it is not fixed; `subject` tells stages of equal queries apart.
    """

    query: Query
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
        return self.query.value[0].format(self.subject)

    @property
    def reads(self) -> str:
        """Data that the stage uses, in plain words."""
        return self.query.value[1].format(f"{self.sensitivity:g}")


@dataclass(frozen=True, kw_only=True)
class PrivacyCost:
    """All stages of a release and three totals of its privacy loss at `delta`.

    `paper_epsilon` is what the paper charges, the setting ε. `composed_epsilon`, of the same
    definition, adds up what the stages can really lose, more than `Stage.epsilon` where a person is
    in several clusters. `proved_epsilon` is the least that ``docs/density.md`` proves. Totals in
    ε-DP hold at δ = 0.
    """

    stages: tuple[Stage, ...]
    paper_epsilon: float
    composed_epsilon: float
    proved_epsilon: float
    delta: float
    paper_definition: PrivacyDefinition
    proved_definition: PrivacyDefinition
    unit: PrivacyUnit


def stage_noise_scale(stages: tuple[Stage, ...], query: Query) -> float:
    """Return the noise scale of the only stage with this query."""
    (scale,) = (stage.noise_scale for stage in stages if stage.query is query and stage.noise_scale)
    return scale


def is_above(total: float, epsilon: float) -> bool:
    """Return whether a total is above `epsilon` by more than floating point rounds."""
    return total > epsilon * (1 + 1e-9)


def simple_cost(
    stages: tuple[Stage, ...], *, unit: PrivacyUnit, total: tuple[float, float] | None = None
) -> PrivacyCost:
    """Return a cost with three equal totals: `total` (ε, δ), by default the sum of the stages."""
    summed = sum(stage.epsilon for stage in stages), sum(stage.delta for stage in stages)
    epsilon, delta = total or summed
    definition = PrivacyDefinition.APPROXIMATE if delta else PrivacyDefinition.PURE
    return PrivacyCost(
        stages=stages,
        paper_epsilon=epsilon,
        composed_epsilon=epsilon,
        proved_epsilon=epsilon,
        delta=delta,
        paper_definition=definition,
        proved_definition=definition,
        unit=unit,
    )
