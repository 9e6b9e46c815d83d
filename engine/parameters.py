"""Parameters of the mechanisms for densities and flows: frozen, checked at construction.

Their limits are public constants, so that sliders and tests use the same numbers as the checks. P1
is Acs & Castelluccia 2014, P2 is Kohli et al. 2024; ``docs/density.md`` lists P1's errata (D1 …).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

from .errors import ParameterError
from .validation import check_at_least, check_inside, check_one_of, check_whole_number, check_within

DensityMethod = Literal[
    "zones_laplace", "towers_laplace", "lpa", "efpa", "efpag", "efpag_joint", "multiscale"
]
"""Methods of the density; ``efpag_joint`` is the default.

Two naive baselines (P1 §5.2); Laplace noise on a minimum cover of towers and zones (lpa); Fourier
perturbation with Laplace noise (efpa), Gaussian noise (efpag), or Gaussian noise and one joint
choice of the number of coefficients (erratum D1); Multiscale Gaussian (``docs/density.md``).
"""

GaussianCalibration = Literal["classical", "analytic"]
"""``classical`` is P1's Theorem 3 (probabilistic DP, total ε ≤ 4); ``analytic`` is Balle & Wang
2018 ((ε, δ)-DP for every ε)."""

ODMethod = Literal["laplace_suppression", "empirical_bayes"]
"""Methods of flows: P2's Algorithm 1, or this project's estimates from noisy counts."""

RENAMED_METHODS: Mapping[str, str] = {
    "published": "laplace_suppression",
    "estimate": "empirical_bayes",
    "zoom": "multiscale",
}
"""Methods by their earlier keys, which links and commands of earlier versions still hold."""

ODUnit = Literal["trip", "person-day", "person"]
"""The unit of privacy: a trip, a person's day, or a person over all days."""

HOURS_PER_WEEK = 168

# values at which sliders stop; `engine.frontier` evaluates those of ε
EPSILON_STOPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
MAX_TRIPS_STOPS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 256)
DELTA_STOPS = (1e-9, 1e-8, 1e-7, 5e-7, 1e-6, 2e-6, 1e-5, 1e-4)

CLASSICAL_GAUSSIAN_MAX_EPSILON = 4.0
MAX_VISITS_LIMIT = HOURS_PER_WEEK  # largest ℓ
MAX_TRIPS_LIMIT = 256  # largest T
MAX_SUPPRESSION_THRESHOLD = 10**6
DEFAULT_MAX_VISITS_CAP = 840  # K_max: a person's visits beyond it are not counted at all

FOURIER_METHODS: frozenset[str] = frozenset({"efpa", "efpag", "efpag_joint"})
GAUSSIAN_METHODS: frozenset[str] = frozenset({"efpag", "efpag_joint"})
"""Methods of P1 with Gaussian noise, whose σ depends on `GaussianCalibration`."""

EPSILON_RANGE = (1e-6, 1e6)
"""Valid ε: outside it a release is all noise or has none, and floats overflow."""

_SAMPLED_FIELDS = frozenset({"max_visits_per_user"})
_FOURIER_FIELDS = _SAMPLED_FIELDS | {"delta", "cluster_minimum", "scaling", "smoothing"}
_TRUNCATION_FIELDS = frozenset({"unit", "max_trips_per_user"})
USED_FIELDS: Mapping[str, frozenset[str]] = {
    "zones_laplace": _SAMPLED_FIELDS,
    "towers_laplace": _SAMPLED_FIELDS,
    "lpa": _SAMPLED_FIELDS,
    "efpa": _FOURIER_FIELDS,
    "efpag": _FOURIER_FIELDS | {"gaussian"},
    "efpag_joint": _FOURIER_FIELDS | {"gaussian"},
    "multiscale": frozenset({"delta"}),
    "laplace_suppression": _TRUNCATION_FIELDS | {"suppression_threshold"},
    "empirical_bayes": _TRUNCATION_FIELDS,
}
"""Fields of the parameters, beside ε, that change a method's release or privacy loss."""

ParametersT = TypeVar("ParametersT")


@dataclass(frozen=True, kw_only=True)
class DensityParameters:
    """Parameters of one density release (P1). Its unit of privacy is a person's whole week.

    - `epsilon`: total privacy loss of the release.
    - `delta`, in (0, 1): added success probability of an attack beyond ε; P1 used 2e-6. ``efpa``
      adds no δ, but its ``proved_epsilon`` is stated at this δ. Unused by Laplace methods.
    - `max_visits_per_user`: ℓ, the contribution limit per person: so many visits are sampled, 1 to
      168. Unused by ``multiscale``, which samples none.
    - `cluster_minimum`: τ of P1's Algorithm 3 (not the suppression threshold), the least noisy
      total of a cluster of cells. None takes P1's formula, 0 makes every cell its own cluster.
    - `scaling`, `smoothing`: improved scaling of totals (P1 §5.4.1) and smoothing of the night
      hours (P1 §5.4.2); Fourier methods only.
    - `gaussian`: ``classical`` is refused above a total ε of 4 (erratum D4). Unused by
      ``multiscale``, whose noise is calibrated exactly.

    Raises `ParameterError` if a setting is outside its domain.
    """

    epsilon: float
    delta: float = 1e-7
    max_visits_per_user: int = 30
    method: DensityMethod = "efpag_joint"
    cluster_minimum: float | None = None
    scaling: bool = True
    smoothing: bool = True
    gaussian: GaussianCalibration = "classical"

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        remedy = "choose δ below 1 / number of people, such as 1e-7"
        check_inside("delta", self.delta, 0, 1, remedy)
        visits, remedy = self.max_visits_per_user, "one visit an hour is counted; 30 is usual"
        check_whole_number("max_visits_per_user", visits, 1, MAX_VISITS_LIMIT, remedy=remedy)
        remedy = "'efpag_joint' is recommended"
        check_one_of("method", self.method, get_args(DensityMethod), remedy)
        remedy = "'analytic' holds for every epsilon"
        check_one_of("gaussian", self.gaussian, get_args(GaussianCalibration), remedy)
        if self.cluster_minimum is not None:
            remedy = "None takes the formula of Acs & Castelluccia 2014"
            check_at_least("cluster_minimum", self.cluster_minimum, 0, remedy)
        if choose_calibration(self.method, self.epsilon, self.gaussian) != self.gaussian:
            rule = "epsilon must be at most 4 with gaussian='classical'"
            remedy = "its proof holds for ε/4 ≤ 1: choose gaussian='analytic'"
            raise ParameterError(rule, value=repr(self.epsilon), remedy=remedy)

    def with_epsilon(self, epsilon: float) -> "DensityParameters":
        """Return the parameters at another ε, analytic where the classical ends.

        >>> DensityParameters(epsilon=0.3).with_epsilon(5.0).gaussian
        'analytic'
        """
        gaussian = choose_calibration(self.method, epsilon, self.gaussian)
        return replace(self, epsilon=epsilon, gaussian=gaussian)

    @property
    def canonical_form(self) -> "DensityParameters":
        """The same parameters, with fields that the method does not use at their defaults."""
        return _to_canonical_form(self, self.method)


def choose_calibration(
    method: str, epsilon: float, calibration: GaussianCalibration = "classical"
) -> GaussianCalibration:
    """Return the calibration of a method at a total ε: `calibration` where it is valid.

    P1's Theorem 3 ends at a total ε of 4 (erratum D4): beyond it Gaussian noise is analytic, and a
    page must state this beside the result. Methods without Gaussian noise return `calibration`.
    """
    beyond = method in GAUSSIAN_METHODS and epsilon > CLASSICAL_GAUSSIAN_MAX_EPSILON
    return "analytic" if beyond else calibration


@dataclass(frozen=True, kw_only=True)
class ODParameters:
    """Parameters of one release of flows (P2).

    - `epsilon`: privacy loss per unit of privacy. A person pays D·ε for D daily matrices at unit
      ``person-day``.
    - `max_trips_per_user`: T, the contribution limit per person-day or person, 1 to 256; 1 if the
      unit is a trip.
    - `suppression_threshold`: τ, a whole number; noisy flows below it are released as 0. P2 uses
      15. Unused by ``empirical_bayes``, which suppresses nothing.

    Raises `ParameterError` if a setting is outside its domain.
    """

    epsilon: float
    max_trips_per_user: int = 1
    suppression_threshold: int = 15
    unit: ODUnit = "person-day"
    method: ODMethod = "laplace_suppression"

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        remedy = "'person-day' protects a day's trips"
        check_one_of("unit", self.unit, get_args(ODUnit), remedy)
        remedy = "'laplace_suppression' is the method of Kohli et al. 2024"
        check_one_of("method", self.method, get_args(ODMethod), remedy)
        trips, remedy = self.max_trips_per_user, "1 to 20 is usual"
        check_whole_number("max_trips_per_user", trips, 1, MAX_TRIPS_LIMIT, remedy=remedy)
        threshold, max_threshold = self.suppression_threshold, MAX_SUPPRESSION_THRESHOLD
        remedy = "0 suppresses only negative counts; health agencies use 15"
        check_whole_number("suppression_threshold", threshold, 0, max_threshold, remedy=remedy)
        if self.unit == "trip" and self.max_trips_per_user != 1:
            rule = "max_trips_per_user must be 1 at unit='trip'"
            remedy = "it protects single trips: choose unit='person-day' to limit a person's"
            raise ParameterError(rule, value=repr(self.max_trips_per_user), remedy=remedy)

    def with_epsilon(self, epsilon: float) -> "ODParameters":
        """Return the parameters at another ε."""
        return replace(self, epsilon=epsilon)

    @property
    def canonical_form(self) -> "ODParameters":
        """The same parameters, with fields that the method does not use at their defaults."""
        return _to_canonical_form(self, self.method)

    @property
    def noise_scale(self) -> float:
        """Scale T/ε of the Laplace noise in every off-diagonal cell, in trips."""
        return self.max_trips_per_user / self.epsilon

    @property
    def min_shown_count(self) -> int:
        """τ′ = max(τ, 1), the least noisy count that Laplace with suppression shows."""
        return max(self.suppression_threshold, 1)


def _to_canonical_form(parameters: ParametersT, method: str) -> ParametersT:
    used_fields = {"epsilon", "method", *USED_FIELDS[method]}
    return type(parameters)(**{name: getattr(parameters, name) for name in used_fields})


def check_epsilon(value: object, usual_range: str = "0.1 to 2 is usual") -> None:
    """Raise `ParameterError` unless `value` is a valid ε."""
    check_within("epsilon", value, EPSILON_RANGE, f"smaller means more private, {usual_range}")
