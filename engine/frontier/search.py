"""The frontier of a dataset under a need: what is recommended, why, and the nearest way out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from .. import privacy
from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..parameters import ODParameters
from ..privacy import STRONG_GUESS
from ..validation import as_real
from . import flows, visits
from .candidate import Candidate, Neighbours, best, neighbours, undominated
from .need import Need

Lever = Literal["zones", "time", "days", "unit", "risk"]
"""What a way out gives up: finer zones, shorter time, days, a person's protection, a lower risk."""

Progress = Callable[[float, Sequence[Candidate]], None]
"""Takes the share that is done and the candidates of the last step that meet the need."""


@dataclass(frozen=True, kw_only=True)
class WayOut:
    """What giving way in one thing would bring, with all else as needed.

    Attributes
    ----------
    lever : str
        One of `Lever`.
    candidate : Candidate
        The nearest with a better verdict; where none has one, that with most use.
    gain : float
        Its use beyond that of the recommended setting.
    """

    lever: Lever
    candidate: Candidate
    gain: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Frontier:
    """All settings of a dataset, judged; confidential like the data they were judged on.

    ``dataclasses.replace(judged, least_zones=100)`` asks another need of the same settings.

    Attributes
    ----------
    least_zones, least_matrices : int
        The need in numbers.
    judged : tuple of Candidate
        Every setting, whether it meets the need or not.
    confidential : bool
        Whether choosing by it tells of real people: then a release names it as tuned on its data.
    """

    need: Need
    least_zones: int
    least_matrices: int
    judged: tuple[Candidate, ...]
    confidential: bool

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The settings that meet the need."""
        return tuple(one for one in self.judged if self.meets(one))

    @cached_property
    def frontier(self) -> tuple[Candidate, ...]:
        """The candidates that no other one dominates, by ascending risk."""
        return undominated(self.candidates)

    def meets(self, one: Candidate, *, but: Lever | None = None) -> bool:
        """Return whether a setting meets the need, but for what a lever gives up."""
        return (
            (but == "zones" or one.zones >= self.least_zones)
            and (but == "time" or one.matrices >= self.least_matrices)
            and (but == "unit" or self.need.unit == "person-day" or one.unit == "person")
        )

    def recommended(self, risk: float = STRONG_GUESS) -> Candidate | None:
        """Return the candidate with most use whose best guess is at most `risk`, None without one.

        Within half a point of use the smaller error decides. It is on the frontier. Whether it is
        usable is another question: see `Candidate.usable` and `way_out`.
        """
        return best(self.candidates, _limit(risk))

    def way_out(self, risk: float = STRONG_GUESS) -> tuple[WayOut, ...]:
        """Return what giving way in one thing would bring where `recommended` is not usable.

        For each lever the smallest step is taken that reaches a better verdict than that of the
        recommended setting, else the one with most use if that is more. Where the verdict is the
        best already there is nothing to give way for.

        Examples
        --------
        >>> from engine import datasets
        >>> demo = frontier(datasets.load("demo-city"), Need(time="whole", zones=100))
        >>> [(way.lever, way.candidate.zones, round(way.gain, 2)) for way in demo.way_out()][:1]
        [('zones', 30, 0.56)]
        """
        limit = _limit(risk)
        now = self.recommended(limit)
        use, level = (now.use, now.level) if now else (0.0, "noisy")
        if level == "good":
            return ()
        ways: list[WayOut] = []
        for lever, ladder in self._ladders(limit):
            rungs = [one for one in ladder if one is not None and one.use > use]
            better = (one for one in rungs if one.level == "good" or level != one.level)
            chosen = next(better, max(rungs, key=lambda one: one.use, default=None))
            if chosen is not None:
                ways.append(WayOut(lever=lever, candidate=chosen, gain=chosen.use - use))
        return tuple(ways)

    def levers(self, candidate: Candidate) -> Neighbours:
        """Return what each lever costs or brings when it alone is moved by one step."""
        return neighbours(candidate, self.judged)

    def _ladders(self, risk: float) -> Iterator[tuple[Lever, list[Candidate | None]]]:
        """Yield, for each lever, what it brings: the smallest step first."""
        without_zones = [one for one in self.judged if self.meets(one, but="zones")]
        coarser = sorted({one.zones for one in without_zones if one.zones < self.least_zones})
        at = ([one for one in without_zones if one.zones == zones] for zones in reversed(coarser))
        yield "zones", [best(some, risk) for some in at]
        without_time = [one for one in self.judged if self.meets(one, but="time")]
        longer = sorted({one.matrices for one in without_time} & set(range(self.least_matrices)))
        cuts = ([one for one in without_time if one.matrices == cut] for cut in reversed(longer))
        yield "time", [best(some, risk) for some in cuts]
        daily = [one for one in self.candidates if one.matrices == one.days > 1]
        most = max((one.days for one in daily), default=1)
        stops = [days for days in (182, 91, 61, 30, 14, 7, 5, 3, 2, 1) if days < most]
        yield "days", [best(_over(daily, days), risk) for days in stops]
        yield "unit", [best((one for one in self.judged if self.meets(one, but="unit")), risk)]
        riskier = sorted({one.risk for one in self.candidates if not one.within(risk)})
        yield "risk", [best(self.candidates, more) for more in riskier]


def candidates(
    dataset: Dataset, need: Need, *, rng: np.random.Generator | None = None
) -> Iterator[tuple[float, tuple[Candidate, ...]]]:
    """Judge settings step by step: yield the share that is done and what was judged in a step.

    Those that meet the need come first; the settings of all steps together are
    `Frontier.judged`. Arguments and errors as `frontier`.

    Examples
    --------
    >>> from engine import datasets
    >>> done, first = next(candidates(datasets.load("demo-city"), Need(time="whole")))
    >>> done < 0.1, {one.zones for one in first}
    (True, {10})
    """
    if rng is None:
        rng = np.random.default_rng(0 if dataset.metadata.simulated else None)
    if need.read != "flows":
        yield from visits.judged(dataset, need, rng)
        return
    _check(dataset, need)
    yield from flows.judged(dataset, need)


def frontier(
    dataset: Dataset,
    need: Need,
    *,
    progress: Progress | None = None,
    rng: np.random.Generator | None = None,
) -> Frontier:
    """Judge every setting of a dataset, those that meet the need first; flows exactly.

    Parameters
    ----------
    dataset : Dataset
        As it was ingested, with trips of people (or visits, where these are read).
    progress : callable, optional
        Called after each step.
    rng : numpy.random.Generator, optional
        Source of the noise where use is judged by draws. Left out, it is the same every time for
        simulated people only.

    Raises
    ------
    ParameterError
        If no setting can meet the need.
    DatasetError
        If the dataset has nothing to judge: no trips, none of people, none between zones, no
        visits.

    Examples
    --------
    >>> from engine import datasets
    >>> need = Need(time="whole", zones=30, unit="person")
    >>> best = frontier(datasets.load("demo-city"), need).recommended()
    >>> best.parameters.max_trips_per_user, best.parameters.epsilon, round(best.use, 3)
    (30, 1.0, 0.725)
    """
    exact = need.read == "flows"
    shell = Frontier(
        need=need,
        least_zones=need.least_zones(dataset),
        least_matrices=need.least_matrices(dataset) if exact else visits.least_blocks(need),
        judged=(),
        confidential=not dataset.metadata.simulated,
    )
    judged: list[Candidate] = []
    for done, batch in candidates(dataset, need, rng=rng):
        judged.extend(batch)
        if progress is not None:
            progress(done, tuple(one for one in batch if shell.meets(one)))
    result = replace(shell, judged=tuple(judged))
    if not result.candidates:
        raise DatasetError(
            f"dataset '{dataset.id}' has no {'trip between zones' if exact else 'visit'} at the "
            "detail that is needed; nothing can be judged: ask for finer zones, or build it of a "
            "period with data"
        )
    return result


def _check(dataset: Dataset, need: Need) -> None:
    if flows.meeting(dataset, need):
        return
    if not dataset.has_trips_by_person:
        raise DatasetError(
            f"dataset '{dataset.id}' does not rank trips within a person over the whole period, "
            "so unit='person' cannot be met; choose unit='person-day', or build it again"
        )
    raise ParameterError(
        f"no setting meets the need: unit='person' with time={need.time!r}; a person is protected "
        "over the whole period by one matrix only: choose time='whole' or unit='person-day'"
    )


def _limit(risk: float) -> float:
    limit = as_real(risk)
    if limit is None or not 0.5 < limit <= 1:
        raise ParameterError(
            f"risk must be a best guess above 0.5 and at most 1, got {risk!r}; half is guessed by "
            "a coin, 0.75 is strong"
        )
    return limit


def _over(daily: Sequence[Candidate], days: int) -> list[Candidate]:
    """Return daily candidates of which only so many days are released: less risk, same use."""
    risks = {
        epsilon: privacy.risk_of_trips(
            ODParameters(epsilon=epsilon, unit="person-day"), [1] * days
        ).best_guess
        for epsilon in {one.parameters.epsilon for one in daily}
    }
    return [
        replace(one, matrices=days, days=days, risk=risks[one.parameters.epsilon]) for one in daily
    ]
