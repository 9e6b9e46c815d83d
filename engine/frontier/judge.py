"""All settings of a dataset, judged under a need: what is recommended, and the way out.

Published flows are judged exactly, our reading of them and densities by draws (`engine.use`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import Literal, NamedTuple, cast

from .. import density, origin_destination as od, privacy
from ..contract import Seen, Setting
from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..parameters import (
    EPSILON_STOPS,
    DensityMethod,
    DensityParameters,
    ODMethod,
    ODParameters,
    ODUnit,
    gaussian_for,
)
from ..privacy import STRONG_GUESS
from ..resolution import look_at
from ..use import Use, drawn_uses, exact_uses
from ..validation import as_real
from .candidate import Candidate, best, undominated
from .need import Need, Protected, check, levels, protected, steps

LIMITS = (1, 2, 4, 10, 30, 100)
"""T of the published flows."""
DRAWN_RISKS, DRAWN_LIMITS, DRAWN_ZONES = (0.75, 0.9), {"day": 4, "week": 10, "whole": 30}, 30
"""Fewer of flows are judged by draws, since releases are behind each: the largest ε within each of
these risks, one T, and so many zones at least; coarser ones are read well without."""
DENSITY_EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
VISITS: dict[DensityMethod, tuple[int, ...]] = {"efpag_joint": (14, 30, 100), "zoom": (30,)}
"""ℓ of each method of a density; `zoom` samples nobody."""
ALIKE = 0.05
"""Below that no setting holds anything, and they cannot be told apart."""

Lever = Literal["zones", "time", "threshold", "risk"]


class WayOut(NamedTuple):
    """What one other thing would bring, with all else as asked."""

    lever: Lever
    candidate: Candidate


@dataclass(frozen=True, eq=False, kw_only=True)
class Frontier:
    """All settings of a dataset, judged; confidential like the data they were judged on.

    `judged` are those that do not meet the need, too: ``replace`` asks another one of them. Where
    `confidential`, choosing by it tells of real people, and a release names it as tuned on them.
    """

    need: Need
    judged: tuple[Candidate, ...]
    confidential: bool

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The settings that are as asked; they may protect more."""
        return tuple(one for one in self.judged if self.meets(one))

    @cached_property
    def frontier(self) -> tuple[Candidate, ...]:
        """Those of all settings with the τ that is set which no other one dominates."""
        return undominated(one for one in self.judged if self._keeps_threshold(one))

    @property
    def alike(self) -> bool:
        """Whether no setting as asked holds anything, so that they cannot be told apart."""
        return not any(one.use.share >= ALIKE for one in self.candidates)

    def meets(self, one: Candidate, *, but: Lever | None = None) -> bool:
        """Return whether a setting is as asked, whatever one lever says."""
        need, asked, seen = self.need, self.need.seen, one.setting.seen
        flows = need.read == "flows"
        return (
            (but == "zones" or seen.zones == asked.zones)
            and (but == "time" or not flows or seen.when.step == asked.when.step)
            and (need.unit == "person-day" or one.unit == "person")
            and (but == "threshold" or self._keeps_threshold(one))
        )

    def recommended(self, risk: float = STRONG_GUESS) -> Candidate | None:
        """Return the setting as asked that holds most within a limit of risk, None without one."""
        return best(self.candidates, risk_limit(risk))

    def way_out(self, risk: float = STRONG_GUESS) -> tuple[WayOut, ...]:
        """Return what one other thing would bring, what helps most first.

        Where the recommended setting is not good: coarser zones, a longer time or more risk,
        each by the smallest step to a better verdict. Where it is: finer zones and a
        shorter time that are of use. Another τ is an alternative only.
        """
        limit = risk_limit(risk)
        now = self.recommended(limit)
        good = now is not None and now.use.level == "good"
        return tuple(
            WayOut(lever, chosen)
            for lever, ladder in self._ladders(limit, good=good)
            if (chosen := _first(ladder, now, finer=good))
        )

    def _keeps_threshold(self, one: Candidate) -> bool:
        parameters = one.setting.parameters
        if self.need.read != "flows" or not od.suppresses(parameters):
            return True
        return parameters.suppression_threshold == self.need.threshold

    def _ladders(
        self, risk: float, *, good: bool
    ) -> Iterator[tuple[Lever, list[Candidate | None]]]:
        """Yield, for each lever, what it brings: the smallest step first."""
        places: tuple[tuple[Lever, str], ...] = (("zones", "zones"), ("time", "matrices"))
        for lever, name in places:
            free = [one for one in self.judged if self.meets(one, but=lever)]
            asked = next((getattr(one, name) for one in self.candidates), 0)
            stops = {getattr(one, name) for one in free}
            other = [stop for stop in stops if (stop > asked if good else stop < asked)]
            order = sorted(other, reverse=not good)
            yield lever, [best([o for o in free if getattr(o, name) == n], risk) for n in order]
        if good:
            return
        free = [one for one in self.judged if self.meets(one, but="threshold")]
        yield "threshold", [best(free, risk)]
        riskier = sorted({one.risk for one in self.candidates if not one.within(risk)})
        yield "risk", [best(self.candidates, more) for more in riskier]


class Part(NamedTuple):
    """Settings that are judged together: they differ in ε, τ and, of published flows, T (ℓ)."""

    seen: Seen
    zones: int
    method: ODMethod | DensityMethod
    unit: Protected
    limits: tuple[int, ...]
    threshold: int


def parts(dataset: Dataset, need: Need) -> list[Part]:
    """Return what is to be judged, what is as asked first, the exact before the drawn.

    Errors as `frontier`.
    """
    check(dataset, need)
    found = _flows(dataset, need) if need.read == "flows" else _visits(dataset, need)

    def later(one: Part) -> tuple[bool, bool]:
        return one.seen != need.seen, one.method != "published"

    return sorted(found, key=later)


def judged(dataset: Dataset, part: Part, *, seed: int | None = 0) -> tuple[Candidate, ...]:
    """Judge the settings of a part; those that hold nothing for want of trips are left out."""
    judge = _judged_flows if part.method in od.METHODS else _judged_visits
    return tuple(one for one in judge(dataset, part, seed) if not math.isnan(one.use.share))


def frontier(dataset: Dataset, need: Need, *, seed: int | None = 0) -> Frontier:
    """Judge every setting of a dataset.

    Parameters
    ----------
    dataset : Dataset
        As it was ingested, with trips of people, or visits where these are read.
    seed : int or None
        Of the draws, as of `engine.use.use`.

    Raises
    ------
    ParameterError
        If no setting can meet the need.
    DatasetError
        If the dataset has nothing to judge.
    """
    every = tuple(one for part in parts(dataset, need) for one in judged(dataset, part, seed=seed))
    known = Frontier(need=need, judged=every, confidential=not dataset.metadata.simulated)
    if not known.candidates:
        what = "trip between zones" if need.read == "flows" else "visit"
        raise DatasetError(
            f"dataset '{dataset.id}' has no {what} at the detail that is needed; nothing can be "
            "judged: ask for finer zones, or build it of a period with data"
        )
    return known


def _first(
    ladder: Sequence[Candidate | None], now: Candidate | None, *, finer: bool
) -> Candidate | None:
    """Return the nearest rung that is better than what is recommended; for more detail, of use."""
    rungs = [one for one in ladder if one is not None and one is not now]
    if finer:
        return next((one for one in rungs if one.usable), None)
    share, level = (now.use.share, now.use.level) if now else (0.0, "noisy")
    higher = [one for one in rungs if one.use.share > share]
    better = (one for one in higher if one.use.level not in (level, "noisy"))
    return next(better, max(higher, key=lambda one: one.use.share, default=None))


def _flows(dataset: Dataset, need: Need) -> Iterator[Part]:
    days = len(dataset.metadata.days)
    for level, step, (method, row) in product(
        levels(dataset, need.seen.zones), steps(need.seen.when, days), od.METHODS.items()
    ):
        exact = row.expected is not None
        if exact or level.zones >= DRAWN_ZONES or level.name == need.seen.zones:
            limits = LIMITS if exact else (DRAWN_LIMITS[step],)
            unit = protected(dataset, step)
            seen = need.look(level.name, step)
            yield Part(seen, level.zones, method, unit, limits, need.threshold)


def _visits(dataset: Dataset, need: Need) -> Iterator[Part]:
    for level, method in product(levels(dataset, need.seen.zones), VISITS):
        seen = need.look(level.name, need.seen.when.step)
        yield Part(seen, level.zones, method, "person", VISITS[method], need.threshold)


def _judged_flows(dataset: Dataset, part: Part, seed: int | None) -> Iterator[Candidate]:
    seen, method = part.seen, cast(ODMethod, part.method)
    days = seen.when.lengths(len(dataset.metadata.days))

    def parameters(epsilon: float, limit: int, threshold: int = 15) -> ODParameters:
        return ODParameters(
            epsilon=epsilon,
            max_trips_per_user=limit,
            suppression_threshold=threshold,
            unit=part.unit,
            method=method,
        )

    def risk(epsilon: float) -> float:
        return _risk(epsilon, part.unit, days)

    def candidate(one: ODParameters, use: Use) -> Candidate:
        setting = Setting(seen=seen, parameters=one)
        at, matrices = risk(one.epsilon), len(days)
        return Candidate(setting=setting, zones=part.zones, matrices=matrices, risk=at, use=use)

    if od.METHODS[method].expected is None:
        largest = [[e for e in EPSILON_STOPS if risk(e) <= most][-1:] for most in DRAWN_RISKS]
        epsilons = sorted({epsilon for stops in largest for epsilon in stops})
        some = [parameters(epsilon, limit) for limit in part.limits for epsilon in epsilons]
        if some:
            yield from map(candidate, some, drawn_uses(dataset, seen, some, seed=seed))
        return
    thresholds = sorted({0, part.threshold})
    every = exact_uses(dataset, seen, part.unit, part.limits, EPSILON_STOPS, thresholds)
    for limit, grid in zip(part.limits, every, strict=True):
        for epsilon, row in zip(EPSILON_STOPS, grid, strict=True):
            for hidden, use in zip(thresholds, row, strict=True):
                yield candidate(parameters(epsilon, limit, hidden), use)


@cache
def _risk(epsilon: float, unit: ODUnit, days: tuple[int, ...]) -> float:
    return privacy.risk_of_trips(ODParameters(epsilon=epsilon, unit=unit), days).best_guess


def _judged_visits(dataset: Dataset, part: Part, seed: int | None) -> Iterator[Candidate]:
    method = cast(DensityMethod, part.method)
    view = look_at(dataset, part.seen.zones)
    some = [
        DensityParameters(
            epsilon=epsilon,
            max_visits_per_user=kept,
            method=method,
            gaussian=gaussian_for(method, epsilon),
        )
        for kept, epsilon in product(part.limits, DENSITY_EPSILONS)
    ]
    for one, use in zip(some, drawn_uses(dataset, part.seen, some, seed=seed), strict=True):
        risk = privacy.risk_of_ledger(density.plan(view, one).ledger, one.epsilon).best_guess
        setting = Setting(seen=part.seen, parameters=one)
        yield Candidate(setting=setting, zones=part.zones, matrices=1, risk=risk, use=use)


def risk_limit(risk: float) -> float:
    """Return a limit of risk as a share; `ParameterError` where it is none."""
    limit = as_real(risk)
    if limit is None or not 0.5 < limit <= 1:
        raise ParameterError(
            f"risk must be a best guess above 0.5 and at most 1, got {risk!r}; half is guessed by "
            "a coin, 0.75 is strong"
        )
    return limit
