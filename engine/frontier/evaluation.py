"""Evaluation of a grid of settings of a dataset: the recommended one and its alternatives.

A method that `has_flow_distribution` is evaluated exactly; others and densities by a few draws
(`engine.utility`). `engine.frontier` explains the terms.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
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
from ..utility import RACE_MARGINS, drawn_utilities, exact_utilities
from ..validation import to_real
from .candidate import COMMON_PART_STEP, Candidate, best_candidate, pareto_front
from .requirements import (
    ProtectedUnit,
    Requirements,
    check_requirements,
    evaluated_unit,
    list_aggregations,
    list_zone_levels,
)

EXACT_TRIP_LIMITS = (1, 2, 4, 10, 30, 100)
"""Contribution limits T that are evaluated exactly, with each ε of `EPSILON_STOPS`."""

DRAWN_TRIP_LIMITS = (1, 4, 10, 30)
"""Contribution limits T that race at each ε where flows are drawn."""

DRAWN_RISKS = (0.75, 0.9)
"""Flows are drawn at the largest ε within each of these risks."""

DENSITY_EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)

NEGLIGIBLE_COMMON_PART = 0.05
"""Common part below which a setting is practically noise."""

Control = Literal["zones", "time", "threshold", "risk"]
"""What one alternative changes: zone level, aggregation, suppression threshold, or more risk."""


class Alternative(NamedTuple):
    """The best candidate after a change of one control, all others as required."""

    control: Control
    candidate: Candidate


@dataclass(frozen=True, eq=False, kw_only=True)
class EvaluatedSettings:
    """All evaluated settings of a dataset, also those that do not meet `requirements`.

    If `is_confidential`, a choice among them reveals a little about real people, so a release must
    state that its setting was chosen on their data.
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
        """The Pareto front of all zones, times and units of privacy, at the required τ."""
        return pareto_front(filter(self._has_required_threshold, self.candidates))

    @property
    def are_all_negligible(self) -> bool:
        """Whether every eligible candidate has a negligible common part."""
        common_parts = (candidate.utility.common_part for candidate in self.eligible_candidates)
        return not any(part >= NEGLIGIBLE_COMMON_PART for part in common_parts)

    def meets(self, candidate: Candidate, *, ignoring: Control | None = None) -> bool:
        """Return whether a candidate meets the requirements, apart from that on `ignoring`."""
        required, selection = self.requirements.selection, candidate.setting.selection
        has_required_time = (
            self.requirements.product == "density"  # always one week
            or selection.time.aggregation == required.time.aggregation
        )
        return (
            (ignoring == "zones" or selection.zone_level == required.zone_level)
            and (ignoring == "time" or has_required_time)
            and (self.requirements.unit == "person-day" or candidate.unit == "person")
            and (ignoring == "threshold" or self._has_required_threshold(candidate))
        )

    def recommend(self, max_risk: float = STRONG_GUESS) -> Candidate | None:
        """Return the best eligible candidate with at most `max_risk` (above 0.5 to 1), or None."""
        return best_candidate(self.eligible_candidates, check_max_risk(max_risk))

    def find_alternatives(self, max_risk: float = STRONG_GUESS) -> tuple[Alternative, ...]:
        """Return the best candidate after a change of each single control, where one helps.

        If the recommended candidate has good utility: finer zones or shorter time that stay usable.
        If not, or if there is none: coarser zones, longer time, no suppression (τ 0) or more risk,
        each by the smallest change to a better verdict, or else by the highest common part.
        """
        recommended = self.recommend(max_risk)
        is_good = recommended is not None and recommended.utility.verdict == "good"
        return tuple(
            Alternative(control, improvement)
            for control, candidates in self._iterate_controls(max_risk, finer=is_good)
            if (improvement := _nearest_improvement(candidates, recommended, finer=is_good))
        )

    def _has_required_threshold(self, candidate: Candidate) -> bool:
        """Return whether τ is the required one, or the candidate has none."""
        parameters = candidate.setting.parameters
        if self.requirements.product != "flows" or not od.has_suppression(parameters):
            return True
        return parameters.suppression_threshold == self.requirements.suppression_threshold

    def _iterate_controls(
        self, max_risk: float, *, finer: bool
    ) -> Iterator[tuple[Control, list[Candidate | None]]]:
        """Yield each control with the best candidate at each other value, nearest value first.

        If `finer`, these are more zones and matrices; else fewer, any τ, and more risk.
        """
        count_names: dict[Control, str] = {"zones": "zone_count", "time": "matrix_count"}
        for control, count_name in count_names.items():
            groups: defaultdict[int, list[Candidate]] = defaultdict(list)
            for candidate in self.candidates:
                if self.meets(candidate, ignoring=control):
                    groups[getattr(candidate, count_name)].append(candidate)
            required = max((getattr(c, count_name) for c in self.eligible_candidates), default=0)
            others = [n for n in groups if (n > required if finer else n < required)]
            nearest = sorted(others, reverse=not finer)
            yield control, [best_candidate(groups[count], max_risk) for count in nearest]
        if finer:
            return
        any_threshold = [c for c in self.candidates if self.meets(c, ignoring="threshold")]
        yield "threshold", [best_candidate(any_threshold, max_risk)]
        eligible = self.eligible_candidates
        risks = sorted({c.risk for c in eligible if not c.is_within_risk(max_risk)})
        yield "risk", [best_candidate(eligible, risk) for risk in risks]


class Batch(NamedTuple):
    """Settings that are evaluated together; they differ in ε, τ and the contribution limit.

    A method that suppresses is evaluated at τ 0 and at `suppression_threshold`. Of drawn flows only
    the limits T that may be the best at their ε become candidates.
    """

    selection: Selection
    zone_count: int
    method: ODMethod | DensityMethod
    unit: ProtectedUnit
    contribution_limits: tuple[int, ...]
    suppression_threshold: int


def plan_batches(dataset: Dataset, requirements: Requirements) -> list[Batch]:
    """Return the batches to evaluate: the required selection first, exact ones, then long ones."""
    check_requirements(dataset, requirements)
    plan = _plan_flows if requirements.product == "flows" else _plan_density

    def order(batch: Batch) -> tuple[bool, bool, int]:
        is_other = batch.selection != requirements.selection
        return is_other, not _is_exact(batch.method), -batch.zone_count

    return sorted(plan(dataset, requirements), key=order)


def evaluate_batch(
    dataset: Dataset, batch: Batch, *, seed: int | None = 0
) -> tuple[Candidate, ...]:
    """Return the candidates of a batch; none if its data hold no trip or visit."""
    evaluate = _evaluate_flows if batch.method in od.METHODS else _evaluate_density
    candidates = evaluate(dataset, batch, seed)
    return tuple(c for c in candidates if not math.isnan(c.utility.common_part))


def evaluate_settings(
    dataset: Dataset,
    requirements: Requirements,
    progress: Callable[[float], None] = lambda _share: None,
) -> EvaluatedSettings:
    """Return all evaluated settings of a dataset as `datasets.load` returns it, not a view.

    `progress` is called with the share of batches that are done.

    Raises `ParameterError` or `DatasetError` if no setting can meet the requirements, or the
    dataset has no data to evaluate: trips that name their person, or for a density visits.
    """
    batches = plan_batches(dataset, requirements)
    candidates: list[Candidate] = []
    for done, batch in enumerate(batches, start=1):
        candidates += evaluate_batch(dataset, batch)
        progress(done / len(batches))
    evaluated = EvaluatedSettings(
        requirements=requirements,
        candidates=tuple(candidates),
        is_confidential=not dataset.metadata.simulated,
    )
    if not evaluated.eligible_candidates:
        item = "trip between zones" if requirements.product == "flows" else "visit"
        raise DatasetError(
            f"dataset '{dataset.id}' has no {item} at the required zones and time, so nothing can "
            "be evaluated",
            remedy="require finer zones, or build the dataset of a period with data",
        )
    return evaluated


def check_max_risk(max_risk: float) -> float:
    """Return the valid limit on risk as a float; raise `ParameterError` otherwise."""
    limit = to_real(max_risk)
    if limit is None or not 0.5 < limit <= 1:
        rule = "max_risk, a share of right guesses, must be above 0.5 (a coin's) and at most 1"
        remedy = f"{STRONG_GUESS} is the limit of strong privacy"
        raise ParameterError(rule, value=repr(max_risk), remedy=remedy)
    return limit


def _nearest_improvement(
    candidates: Sequence[Candidate | None], recommended: Candidate | None, *, finer: bool
) -> Candidate | None:
    """Return the first candidate of a better verdict, else that of the highest common part.

    None if that gains less than a step. If `finer`, the first usable candidate.
    """
    new = [c for c in candidates if c is not None and c is not recommended]
    if finer:
        return next((c for c in new if c.is_usable), None)
    utility = recommended and recommended.utility
    share, verdict = (utility.common_part, utility.verdict) if utility else (0.0, "noisy")
    minimum = max(share + COMMON_PART_STEP, NEGLIGIBLE_COMMON_PART)  # a smaller gain is no gain
    higher = [c for c in new if c.utility.common_part >= minimum]
    better = (c for c in higher if c.utility.verdict not in (verdict, "noisy"))
    return next(better, max(higher, key=lambda c: c.utility.common_part, default=None))


def _is_exact(method: str) -> bool:
    """Return whether the utility of a method is computed exactly, without draws."""
    return method in od.METHODS and od.METHODS[method].has_flow_distribution


def _plan_flows(dataset: Dataset, requirements: Requirements) -> Iterator[Batch]:
    required, threshold = requirements.selection, requirements.suppression_threshold
    levels = list_zone_levels(dataset, required.zone_level)
    aggregations = list_aggregations(required.time, len(dataset.metadata.days))
    for level, aggregation, method in product(levels, aggregations, od.METHODS):
        is_exact, is_required = _is_exact(method), level.name == required.zone_level
        # with fewer zones methods that are evaluated exactly do as well
        if is_exact or is_required or level.zone_count >= 30:
            limits = EXACT_TRIP_LIMITS if is_exact else DRAWN_TRIP_LIMITS
            if dataset.metadata.people_once:
                limits = (1,)
            selection = requirements.selection_at(level.name, aggregation)
            unit = evaluated_unit(dataset, aggregation)
            yield Batch(selection, level.zone_count, method, unit, limits, threshold)


def _plan_density(dataset: Dataset, requirements: Requirements) -> Iterator[Batch]:
    required, threshold = requirements.selection, requirements.suppression_threshold
    levels = list_zone_levels(dataset, required.zone_level)
    for level, (method, row) in product(levels, density.METHODS.items()):
        if row.visit_limits:
            selection = requirements.selection_at(level.name, required.time.aggregation)
            yield Batch(selection, level.zone_count, method, "person", row.visit_limits, threshold)


def _evaluate_flows(dataset: Dataset, batch: Batch, seed: int | None) -> Iterator[Candidate]:
    selection, unit, limits = batch.selection, batch.unit, batch.contribution_limits
    method, is_exact = cast(ODMethod, batch.method), _is_exact(batch.method)
    days = selection.time.days_per_matrix(len(dataset.metadata.days))
    thresholds = [ODParameters.suppression_threshold]  # the default, without effect
    if "suppression_threshold" in od.METHODS[method].used_fields:
        thresholds = sorted({0, batch.suppression_threshold})
    epsilons = list(EPSILON_STOPS)
    if not is_exact:
        view = make_view(dataset, selection.zone_level, selection.time)
        dropped = [od.compute_histogram(view, unit, limit).dropped_trips for limit in limits]
        # where T drops nothing, a larger one only adds noise
        limits = limits[: 1 + sum(trips > 0 for trips in dropped)]
        allowed = [
            [epsilon for epsilon in EPSILON_STOPS if _flow_risk(epsilon, unit, days) <= max_risk]
            for max_risk in DRAWN_RISKS
        ]
        epsilons = sorted({stops[-1] for stops in allowed if stops})
    parameter_sets = [
        ODParameters(
            epsilon=epsilon,
            max_trips_per_user=limit,
            suppression_threshold=threshold,
            unit=unit,
            method=method,
        )
        for limit, epsilon, threshold in product(limits, epsilons, thresholds)
    ]
    if not parameter_sets:
        return
    if is_exact:
        exact = exact_utilities(dataset, selection, unit, limits, epsilons, thresholds)
        utilities = dict(zip(parameter_sets, exact, strict=True))
    else:
        utilities = drawn_utilities(
            dataset, selection, parameter_sets, seed=seed, race_margins=RACE_MARGINS
        )
    for parameters, utility in utilities.items():
        yield Candidate(
            setting=Setting(selection=selection, parameters=parameters),
            zone_count=batch.zone_count,
            matrix_count=len(days),
            risk=_flow_risk(parameters.epsilon, unit, days),
            utility=utility,
        )


@cache
def _flow_risk(epsilon: float, unit: ODUnit, days: tuple[int, ...]) -> float:
    """Return the risk of matrices that add up so many days each."""
    return privacy.flow_release_risk(ODParameters(epsilon=epsilon, unit=unit), days).max_guess_rate


def _evaluate_density(dataset: Dataset, batch: Batch, seed: int | None) -> Iterator[Candidate]:
    method, selection = cast(DensityMethod, batch.method), batch.selection
    view = make_view(dataset, selection.zone_level)
    parameter_sets = [
        DensityParameters(
            epsilon=epsilon,
            max_visits_per_user=limit,
            method=method,
            gaussian=choose_calibration(method, epsilon),
        )
        for limit, epsilon in product(batch.contribution_limits, DENSITY_EPSILONS)
    ]
    utilities = drawn_utilities(dataset, selection, parameter_sets, seed=seed)
    for parameters, utility in utilities.items():
        cost = density.compute_cost(view, parameters)
        yield Candidate(
            setting=Setting(selection=selection, parameters=parameters),
            zone_count=batch.zone_count,
            matrix_count=1,
            risk=privacy.cost_risk(cost, parameters.epsilon).max_guess_rate,
            utility=utility,
        )
