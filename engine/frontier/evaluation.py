"""Evaluation of all settings of a dataset against requirements; recommendation and alternatives.

Laplace with suppression is evaluated exactly, empirical Bayes and densities by draws.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import Literal, NamedTuple, cast

from .. import density, origin_destination as od, privacy
from ..contract import Selection, Setting
from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..parameters import (
    EPSILON_STOPS,
    DensityMethod,
    DensityParameters,
    ODMethod,
    ODParameters,
    ODUnit,
    choose_calibration,
)
from ..privacy import STRONG_GUESS
from ..resolution import make_view
from ..utility import Utility, drawn_utilities, exact_utilities
from ..validation import to_real
from .candidate import UTILITY_STEP, Candidate, best_candidate, pareto_front
from .requirements import (
    ProtectedUnit,
    Requirements,
    check_requirements,
    list_aggregations,
    list_zone_levels,
    protectable_unit,
)

EXACT_LIMITS = (1, 2, 4, 10, 30, 100)
"""Contribution limits T that are tested with Laplace and suppression."""
SIMULATED_RISKS, SIMULATED_LIMITS, MIN_SIMULATED_ZONES = (
    (0.75, 0.9),
    {"day": 4, "week": 10, "whole": 30},
    30,
)
"""Grid of empirical Bayes, whose draws are slow: the largest ε within each risk, one T by
aggregation, and at least so many zones. Coarser zones do well without it."""
DENSITY_EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
VISIT_LIMITS: dict[DensityMethod, tuple[int, ...]] = {
    "efpag_joint": (14, 30, 100),
    "multiscale": (30,),
}
"""Tested ℓ of each density method; `multiscale` does not sample visits."""
NEGLIGIBLE_COMMON_PART = 0.05
"""Common part below which a setting retains nothing useful."""

Control = Literal["zones", "time", "threshold", "risk"]


class Alternative(NamedTuple):
    """The best candidate after a change of one control, all others as required."""

    control: Control
    candidate: Candidate


@dataclass(frozen=True, eq=False, kw_only=True)
class Frontier:
    """All evaluated settings of a dataset; `pareto_front` are those that none dominates.

    `candidates` include settings that do not meet `requirements`. If `is_confidential`, a choice
    among them reveals a little about real people, so a release must state that it was tuned on
    them.
    """

    requirements: Requirements
    candidates: tuple[Candidate, ...]
    is_confidential: bool

    @cached_property
    def eligible_candidates(self) -> tuple[Candidate, ...]:
        """The candidates that meet the requirements; some protect more than required."""
        return tuple(candidate for candidate in self.candidates if self.meets(candidate))

    @cached_property
    def pareto_front(self) -> tuple[Candidate, ...]:
        """The Pareto front of all candidates with the required τ."""
        return pareto_front(
            candidate for candidate in self.candidates if self._has_required_threshold(candidate)
        )

    @property
    def are_all_negligible(self) -> bool:
        """Whether every eligible candidate has a negligible common part."""
        return not any(
            candidate.utility.common_part >= NEGLIGIBLE_COMMON_PART
            for candidate in self.eligible_candidates
        )

    def meets(self, candidate: Candidate, *, ignoring: Control | None = None) -> bool:
        """Return whether a candidate meets the requirements, apart from the control `ignoring`."""
        requirements, required, selection = (
            self.requirements,
            self.requirements.selection,
            candidate.setting.selection,
        )
        flows = requirements.product == "flows"
        return (
            (ignoring == "zones" or selection.zone_level == required.zone_level)
            and (
                ignoring == "time"
                or not flows
                or selection.time.aggregation == required.time.aggregation
            )
            and (requirements.unit == "person-day" or candidate.unit == "person")
            and (ignoring == "threshold" or self._has_required_threshold(candidate))
        )

    def recommend(self, risk: float = STRONG_GUESS) -> Candidate | None:
        """Return the eligible candidate of the best rank with at most `risk`, or None."""
        return best_candidate(self.eligible_candidates, check_risk_limit(risk))

    def find_alternatives(self, risk: float = STRONG_GUESS) -> tuple[Alternative, ...]:
        """Return the best candidate after a change of each single control, where one helps.

        If the recommended utility is not good: coarser zones, longer time, another τ or more risk,
        each by the smallest step to a better verdict, or else by the highest common part. If it is
        good: finer zones or shorter time that stay usable.
        """
        limit = check_risk_limit(risk)
        current = self.recommend(limit)
        is_good = current is not None and current.utility.verdict == "good"
        return tuple(
            Alternative(control, improvement)
            for control, ladder in self._iterate_ladders(limit, good=is_good)
            if (improvement := _nearest_improvement(ladder, current, finer=is_good))
        )

    def _has_required_threshold(self, candidate: Candidate) -> bool:
        parameters = candidate.setting.parameters
        if self.requirements.product != "flows" or not od.has_suppression(parameters):
            return True
        return parameters.suppression_threshold == self.requirements.threshold

    def _iterate_ladders(
        self, risk: float, *, good: bool
    ) -> Iterator[tuple[Control, list[Candidate | None]]]:
        """Yield each control with the best candidate at each value, smallest change first."""
        details: tuple[tuple[Control, str], ...] = (
            ("zones", "zone_count"),
            ("time", "matrix_count"),
        )
        for control, name in details:
            free = [
                candidate
                for candidate in self.candidates
                if self.meets(candidate, ignoring=control)
            ]
            required = next((getattr(candidate, name) for candidate in self.eligible_candidates), 0)
            values = {getattr(candidate, name) for candidate in free}
            other_values = [
                value for value in values if (value > required if good else value < required)
            ]
            order = sorted(other_values, reverse=not good)
            yield (
                control,
                [
                    best_candidate([option for option in free if getattr(option, name) == n], risk)
                    for n in order
                ],
            )
        if good:
            return
        free = [
            candidate
            for candidate in self.candidates
            if self.meets(candidate, ignoring="threshold")
        ]
        yield "threshold", [best_candidate(free, risk)]
        riskier = sorted(
            {
                candidate.risk
                for candidate in self.eligible_candidates
                if not candidate.is_within_risk(risk)
            }
        )
        yield (
            "risk",
            [best_candidate(self.eligible_candidates, higher_risk) for higher_risk in riskier],
        )


class Batch(NamedTuple):
    """Settings that are evaluated together; they differ in ε, τ and the contribution limit."""

    selection: Selection
    zone_count: int
    method: ODMethod | DensityMethod
    unit: ProtectedUnit
    limits: tuple[int, ...]
    threshold: int


def plan_batches(dataset: Dataset, requirements: Requirements) -> list[Batch]:
    """Return the batches to evaluate: the required selection first, the exact method before draws.

    Raises as `evaluate_all`.
    """
    check_requirements(dataset, requirements)
    batches = (
        _plan_flows(dataset, requirements)
        if requirements.product == "flows"
        else _plan_density(dataset, requirements)
    )

    def later(batch: Batch) -> tuple[bool, bool]:
        return batch.selection != requirements.selection, batch.method != "laplace_suppression"

    return sorted(batches, key=later)


def evaluate_batch(
    dataset: Dataset, batch: Batch, *, seed: int | None = 0
) -> tuple[Candidate, ...]:
    """Return the candidates of a batch, without those whose data hold no trip or visit."""
    evaluate = _evaluate_flows if batch.method in od.METHODS else _evaluate_density
    return tuple(
        candidate
        for candidate in evaluate(dataset, batch, seed)
        if not math.isnan(candidate.utility.common_part)
    )


def evaluate_all(dataset: Dataset, requirements: Requirements, *, seed: int | None = 0) -> Frontier:
    """Return the frontier of a dataset as it was ingested.

    Parameters
    ----------
    dataset : Dataset
        With trips of people, or with visits if the product is a density.
    seed : int or None
        Seed of the draws, see `engine.utility.compute_utility`.

    Raises
    ------
    ParameterError
        If no setting can meet the requirements.
    DatasetError
        If the dataset has no data to evaluate.
    """
    candidates = tuple(
        candidate
        for batch in plan_batches(dataset, requirements)
        for candidate in evaluate_batch(dataset, batch, seed=seed)
    )
    frontier = Frontier(
        requirements=requirements,
        candidates=candidates,
        is_confidential=not dataset.metadata.simulated,
    )
    if not frontier.eligible_candidates:
        item = "trip between zones" if requirements.product == "flows" else "visit"
        raise DatasetError(
            f"dataset '{dataset.id}' has no {item} at the detail that is needed; nothing can be "
            "judged: ask for finer zones, or build it of a period with data"
        )
    return frontier


def _nearest_improvement(
    ladder: Sequence[Candidate | None], current: Candidate | None, *, finer: bool
) -> Candidate | None:
    """Return the nearest candidate that improves on `current`; if `finer`, a usable one."""
    rungs = [rung for rung in ladder if rung is not None and rung is not current]
    if finer:
        return next((rung for rung in rungs if rung.is_usable), None)
    share, verdict = (
        (current.utility.common_part, current.utility.verdict) if current else (0.0, "noisy")
    )
    least = max(share + UTILITY_STEP, NEGLIGIBLE_COMMON_PART)  # a smaller gain does not count
    higher = [rung for rung in rungs if rung.utility.common_part >= least]
    better = (rung for rung in higher if rung.utility.verdict not in (verdict, "noisy"))
    return next(better, max(higher, key=lambda rung: rung.utility.common_part, default=None))


def _plan_flows(dataset: Dataset, requirements: Requirements) -> Iterator[Batch]:
    days = len(dataset.metadata.days)
    for level, step, (method, row) in product(
        list_zone_levels(dataset, requirements.selection.zone_level),
        list_aggregations(requirements.selection.time, days),
        od.METHODS.items(),
    ):
        exact = row.expected is not None
        if (
            exact
            or level.zone_count >= MIN_SIMULATED_ZONES
            or level.name == requirements.selection.zone_level
        ):
            limits = EXACT_LIMITS if exact else (SIMULATED_LIMITS[step],)
            unit = protectable_unit(dataset, step)
            selection = requirements.selection_at(level.name, step)
            yield Batch(selection, level.zone_count, method, unit, limits, requirements.threshold)


def _plan_density(dataset: Dataset, requirements: Requirements) -> Iterator[Batch]:
    for level, method in product(
        list_zone_levels(dataset, requirements.selection.zone_level), VISIT_LIMITS
    ):
        selection = requirements.selection_at(level.name, requirements.selection.time.aggregation)
        yield Batch(
            selection,
            level.zone_count,
            method,
            "person",
            VISIT_LIMITS[method],
            requirements.threshold,
        )


def _evaluate_flows(dataset: Dataset, batch: Batch, seed: int | None) -> Iterator[Candidate]:
    selection, method = batch.selection, cast(ODMethod, batch.method)
    days = selection.time.days_per_matrix(len(dataset.metadata.days))

    def parameters(epsilon: float, limit: int, threshold: int = 15) -> ODParameters:
        return ODParameters(
            epsilon=epsilon,
            max_trips_per_user=limit,
            suppression_threshold=threshold,
            unit=batch.unit,
            method=method,
        )

    def risk(epsilon: float) -> float:
        return _flow_risk(epsilon, batch.unit, days)

    def candidate(setting_parameters: ODParameters, utility: Utility) -> Candidate:
        setting = Setting(selection=selection, parameters=setting_parameters)
        guess_rate, matrices = risk(setting_parameters.epsilon), len(days)
        return Candidate(
            setting=setting,
            zone_count=batch.zone_count,
            matrix_count=matrices,
            risk=guess_rate,
            utility=utility,
        )

    if od.METHODS[method].expected is None:
        largest = [
            [e for e in EPSILON_STOPS if risk(e) <= risk_limit][-1:]
            for risk_limit in SIMULATED_RISKS
        ]
        epsilons = sorted({epsilon for stops in largest for epsilon in stops})
        settings = [parameters(epsilon, limit) for limit in batch.limits for epsilon in epsilons]
        if settings:
            yield from map(
                candidate, settings, drawn_utilities(dataset, selection, settings, seed=seed)
            )
        return
    thresholds = sorted({0, batch.threshold})
    grids = exact_utilities(dataset, selection, batch.unit, batch.limits, EPSILON_STOPS, thresholds)
    for limit, grid in zip(batch.limits, grids, strict=True):
        for epsilon, row in zip(EPSILON_STOPS, grid, strict=True):
            for threshold, utility in zip(thresholds, row, strict=True):
                yield candidate(parameters(epsilon, limit, threshold), utility)


@cache
def _flow_risk(epsilon: float, unit: ODUnit, days: tuple[int, ...]) -> float:
    return privacy.flow_release_risk(ODParameters(epsilon=epsilon, unit=unit), days).max_guess_rate


def _evaluate_density(dataset: Dataset, batch: Batch, seed: int | None) -> Iterator[Candidate]:
    method = cast(DensityMethod, batch.method)
    view = make_view(dataset, batch.selection.zone_level)
    settings = [
        DensityParameters(
            epsilon=epsilon,
            max_visits_per_user=limit,
            method=method,
            gaussian=choose_calibration(method, epsilon),
        )
        for limit, epsilon in product(batch.limits, DENSITY_EPSILONS)
    ]
    for parameters, utility in zip(
        settings, drawn_utilities(dataset, batch.selection, settings, seed=seed), strict=True
    ):
        risk = privacy.cost_risk(
            density.compute_cost(view, parameters), parameters.epsilon
        ).max_guess_rate
        setting = Setting(selection=batch.selection, parameters=parameters)
        yield Candidate(
            setting=setting, zone_count=batch.zone_count, matrix_count=1, risk=risk, utility=utility
        )


def check_risk_limit(risk: float) -> float:
    """Return a valid risk limit as a share; raise `ParameterError` otherwise."""
    limit = to_real(risk)
    if limit is None or not 0.5 < limit <= 1:
        raise ParameterError(
            f"risk must be a best guess above 0.5 and at most 1, got {risk!r}; half is guessed by "
            "a coin, 0.75 is strong"
        )
    return limit
