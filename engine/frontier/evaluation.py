"""All settings of a dataset, judged under a need: what is recommended, and the way out.

Published flows are judged exactly, our reading of them and densities by draws (`engine.utility`).
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
"""T of the published flows."""
SIMULATED_RISKS, SIMULATED_LIMITS, MIN_SIMULATED_ZONES = (
    (0.75, 0.9),
    {"day": 4, "week": 10, "whole": 30},
    30,
)
"""Fewer of flows are judged by draws, since releases are behind each: the largest ε within each of
these risks, one T, and so many zones at least; coarser ones are read well without."""
DENSITY_EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
VISIT_LIMITS: dict[DensityMethod, tuple[int, ...]] = {"efpag_joint": (14, 30, 100), "zoom": (30,)}
"""ℓ of each method of a density; `zoom` samples nobody."""
NEGLIGIBLE_COMMON_PART = 0.05
"""Below that no setting holds anything, and they cannot be told apart."""

Control = Literal["zones", "time", "threshold", "risk"]


class Alternative(NamedTuple):
    """What one other thing would bring, with all else as asked."""

    control: Control
    candidate: Candidate


@dataclass(frozen=True, eq=False, kw_only=True)
class Frontier:
    """All settings of a dataset, judged; confidential like the data they were judged on.

    `judged` are those that do not meet the need, too: ``replace`` asks another one of them. Where
    `confidential`, choosing by it tells of real people, and a release names it as tuned on them.
    """

    requirements: Requirements
    candidates: tuple[Candidate, ...]
    is_confidential: bool

    @cached_property
    def eligible_candidates(self) -> tuple[Candidate, ...]:
        """The settings that are as asked; they may protect more."""
        return tuple(one for one in self.candidates if self.meets(one))

    @cached_property
    def pareto_front(self) -> tuple[Candidate, ...]:
        """Those of all settings with the τ that is set which no other one dominates."""
        return pareto_front(one for one in self.candidates if self._has_required_threshold(one))

    @property
    def are_all_negligible(self) -> bool:
        """Whether no setting as asked holds anything, so that they cannot be told apart."""
        return not any(
            one.utility.common_part >= NEGLIGIBLE_COMMON_PART for one in self.eligible_candidates
        )

    def meets(self, one: Candidate, *, ignoring: Control | None = None) -> bool:
        """Return whether a setting is as asked, whatever one lever says."""
        need, asked, seen = self.requirements, self.requirements.selection, one.setting.selection
        flows = need.product == "flows"
        return (
            (ignoring == "zones" or seen.zone_level == asked.zone_level)
            and (ignoring == "time" or not flows or seen.time.aggregation == asked.time.aggregation)
            and (need.unit == "person-day" or one.unit == "person")
            and (ignoring == "threshold" or self._has_required_threshold(one))
        )

    def recommend(self, risk: float = STRONG_GUESS) -> Candidate | None:
        """Return the setting as asked that holds most within a limit of risk, None without one."""
        return best_candidate(self.eligible_candidates, check_risk_limit(risk))

    def find_alternatives(self, risk: float = STRONG_GUESS) -> tuple[Alternative, ...]:
        """Return what one other thing would bring, what helps most first.

        Where the recommended setting is not good: coarser zones, a longer time or more risk,
        each by the smallest step to a better verdict. Where it is: finer zones and a
        shorter time that are of use. Another τ is an alternative only.
        """
        limit = check_risk_limit(risk)
        now = self.recommend(limit)
        good = now is not None and now.utility.verdict == "good"
        return tuple(
            Alternative(lever, chosen)
            for lever, ladder in self._iterate_ladders(limit, good=good)
            if (chosen := _nearest_improvement(ladder, now, finer=good))
        )

    def _has_required_threshold(self, one: Candidate) -> bool:
        parameters = one.setting.parameters
        if self.requirements.product != "flows" or not od.has_suppression(parameters):
            return True
        return parameters.suppression_threshold == self.requirements.threshold

    def _iterate_ladders(
        self, risk: float, *, good: bool
    ) -> Iterator[tuple[Control, list[Candidate | None]]]:
        """Yield, for each lever, what it brings: the smallest step first."""
        places: tuple[tuple[Control, str], ...] = (
            ("zones", "zone_count"),
            ("time", "matrix_count"),
        )
        for lever, name in places:
            free = [one for one in self.candidates if self.meets(one, ignoring=lever)]
            asked = next((getattr(one, name) for one in self.eligible_candidates), 0)
            stops = {getattr(one, name) for one in free}
            other = [stop for stop in stops if (stop > asked if good else stop < asked)]
            order = sorted(other, reverse=not good)
            yield (
                lever,
                [best_candidate([o for o in free if getattr(o, name) == n], risk) for n in order],
            )
        if good:
            return
        free = [one for one in self.candidates if self.meets(one, ignoring="threshold")]
        yield "threshold", [best_candidate(free, risk)]
        riskier = sorted(
            {one.risk for one in self.eligible_candidates if not one.is_within_risk(risk)}
        )
        yield "risk", [best_candidate(self.eligible_candidates, more) for more in riskier]


class Batch(NamedTuple):
    """Settings that are judged together: they differ in ε, τ and, of published flows, T (ℓ)."""

    selection: Selection
    zone_count: int
    method: ODMethod | DensityMethod
    unit: ProtectedUnit
    limits: tuple[int, ...]
    threshold: int


def plan_batches(dataset: Dataset, need: Requirements) -> list[Batch]:
    """Return what is to be judged, what is as asked first, the exact before the drawn.

    Errors as `frontier`.
    """
    check_requirements(dataset, need)
    found = _plan_flows(dataset, need) if need.product == "flows" else _plan_density(dataset, need)

    def later(one: Batch) -> tuple[bool, bool]:
        return one.selection != need.selection, one.method != "published"

    return sorted(found, key=later)


def evaluate_batch(dataset: Dataset, part: Batch, *, seed: int | None = 0) -> tuple[Candidate, ...]:
    """Judge the settings of a part; those that hold nothing for want of trips are left out."""
    judge = _evaluate_flows if part.method in od.METHODS else _evaluate_density
    return tuple(
        one for one in judge(dataset, part, seed) if not math.isnan(one.utility.common_part)
    )


def evaluate_all(dataset: Dataset, need: Requirements, *, seed: int | None = 0) -> Frontier:
    """Judge every setting of a dataset.

    Parameters
    ----------
    dataset : Dataset
        As it was ingested, with trips of people, or visits where these are read.
    seed : int or None
        Of the draws, as of `engine.utility.compute_utility`.

    Raises
    ------
    ParameterError
        If no setting can meet the need.
    DatasetError
        If the dataset has nothing to judge.
    """
    every = tuple(
        one
        for part in plan_batches(dataset, need)
        for one in evaluate_batch(dataset, part, seed=seed)
    )
    known = Frontier(
        requirements=need, candidates=every, is_confidential=not dataset.metadata.simulated
    )
    if not known.eligible_candidates:
        what = "trip between zones" if need.product == "flows" else "visit"
        raise DatasetError(
            f"dataset '{dataset.id}' has no {what} at the detail that is needed; nothing can be "
            "judged: ask for finer zones, or build it of a period with data"
        )
    return known


def _nearest_improvement(
    ladder: Sequence[Candidate | None], now: Candidate | None, *, finer: bool
) -> Candidate | None:
    """Return the nearest rung that is better than what is recommended; for more detail, of use."""
    rungs = [one for one in ladder if one is not None and one is not now]
    if finer:
        return next((one for one in rungs if one.is_usable), None)
    share, level = (now.utility.common_part, now.utility.verdict) if now else (0.0, "noisy")
    least = max(share + UTILITY_STEP, NEGLIGIBLE_COMMON_PART)  # less brings nothing
    higher = [one for one in rungs if one.utility.common_part >= least]
    better = (one for one in higher if one.utility.verdict not in (level, "noisy"))
    return next(better, max(higher, key=lambda one: one.utility.common_part, default=None))


def _plan_flows(dataset: Dataset, need: Requirements) -> Iterator[Batch]:
    days = len(dataset.metadata.days)
    for level, step, (method, row) in product(
        list_zone_levels(dataset, need.selection.zone_level),
        list_aggregations(need.selection.time, days),
        od.METHODS.items(),
    ):
        exact = row.expected is not None
        if (
            exact
            or level.zone_count >= MIN_SIMULATED_ZONES
            or level.name == need.selection.zone_level
        ):
            limits = EXACT_LIMITS if exact else (SIMULATED_LIMITS[step],)
            unit = protectable_unit(dataset, step)
            seen = need.selection_at(level.name, step)
            yield Batch(seen, level.zone_count, method, unit, limits, need.threshold)


def _plan_density(dataset: Dataset, need: Requirements) -> Iterator[Batch]:
    for level, method in product(
        list_zone_levels(dataset, need.selection.zone_level), VISIT_LIMITS
    ):
        seen = need.selection_at(level.name, need.selection.time.aggregation)
        yield Batch(seen, level.zone_count, method, "person", VISIT_LIMITS[method], need.threshold)


def _evaluate_flows(dataset: Dataset, part: Batch, seed: int | None) -> Iterator[Candidate]:
    seen, method = part.selection, cast(ODMethod, part.method)
    days = seen.time.days_per_matrix(len(dataset.metadata.days))

    def parameters(epsilon: float, limit: int, threshold: int = 15) -> ODParameters:
        return ODParameters(
            epsilon=epsilon,
            max_trips_per_user=limit,
            suppression_threshold=threshold,
            unit=part.unit,
            method=method,
        )

    def risk(epsilon: float) -> float:
        return _flow_risk(epsilon, part.unit, days)

    def candidate(one: ODParameters, utility: Utility) -> Candidate:
        setting = Setting(selection=seen, parameters=one)
        at, matrices = risk(one.epsilon), len(days)
        return Candidate(
            setting=setting,
            zone_count=part.zone_count,
            matrix_count=matrices,
            risk=at,
            utility=utility,
        )

    if od.METHODS[method].expected is None:
        largest = [[e for e in EPSILON_STOPS if risk(e) <= most][-1:] for most in SIMULATED_RISKS]
        epsilons = sorted({epsilon for stops in largest for epsilon in stops})
        some = [parameters(epsilon, limit) for limit in part.limits for epsilon in epsilons]
        if some:
            yield from map(candidate, some, drawn_utilities(dataset, seen, some, seed=seed))
        return
    thresholds = sorted({0, part.threshold})
    every = exact_utilities(dataset, seen, part.unit, part.limits, EPSILON_STOPS, thresholds)
    for limit, grid in zip(part.limits, every, strict=True):
        for epsilon, row in zip(EPSILON_STOPS, grid, strict=True):
            for hidden, utility in zip(thresholds, row, strict=True):
                yield candidate(parameters(epsilon, limit, hidden), utility)


@cache
def _flow_risk(epsilon: float, unit: ODUnit, days: tuple[int, ...]) -> float:
    return privacy.flow_release_risk(ODParameters(epsilon=epsilon, unit=unit), days).max_guess_rate


def _evaluate_density(dataset: Dataset, part: Batch, seed: int | None) -> Iterator[Candidate]:
    method = cast(DensityMethod, part.method)
    view = make_view(dataset, part.selection.zone_level)
    some = [
        DensityParameters(
            epsilon=epsilon,
            max_visits_per_user=kept,
            method=method,
            gaussian=choose_calibration(method, epsilon),
        )
        for kept, epsilon in product(part.limits, DENSITY_EPSILONS)
    ]
    for one, utility in zip(
        some, drawn_utilities(dataset, part.selection, some, seed=seed), strict=True
    ):
        risk = privacy.ledger_risk(density.plan(view, one), one.epsilon).max_guess_rate
        setting = Setting(selection=part.selection, parameters=one)
        yield Candidate(
            setting=setting, zone_count=part.zone_count, matrix_count=1, risk=risk, utility=utility
        )


def check_risk_limit(risk: float) -> float:
    """Return a limit of risk as a share; `ParameterError` where it is none."""
    limit = to_real(risk)
    if limit is None or not 0.5 < limit <= 1:
        raise ParameterError(
            f"risk must be a best guess above 0.5 and at most 1, got {risk!r}; half is guessed by "
            "a coin, 0.75 is strong"
        )
    return limit
