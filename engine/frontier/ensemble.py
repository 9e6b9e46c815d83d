"""One recommendation for what is not known: settings judged on several twins at once.

A twin's own level of use is no promise; that a setting does well on all of them is. Recommended is
the setting whose worst regret over the twins is least (``docs/twin.md``).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..errors import ParameterError
from ..risk import STRONG_GUESS
from .candidate import Candidate
from .search import Frontier

ERROR_WEIGHT = 0.1
"""Use that is given up for an error smaller by a factor e: where hardly anything is usable, the
error decides; elsewhere use does (tried in ``research/twin.py``)."""
Key = tuple[str, tuple[tuple[str, object], ...]]


def setting(one: Candidate) -> Key:
    """Return what makes two candidates of different data the same setting."""
    return one.resolution.text, tuple(one.levers.items())


@dataclass(frozen=True, kw_only=True)
class Robust:
    """A setting over an ensemble.

    Attributes
    ----------
    candidate : Candidate
        As the first twin has it; its parameters, resolution and risk are those of all.
    least, most : float
        Use over the twins: a range to show, never a promise.
    regret : float
        Largest use given up, over the twins, against the best setting of each.
    excess : float
        Largest expected absolute error over the twins, as a multiple of the best setting's, less 1.
    """

    candidate: Candidate
    least: float
    most: float
    regret: float
    excess: float


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Frontiers of several twins of the same place, under the same need.

    Raises
    ------
    ParameterError
        If there is none.

    Examples
    --------
    >>> from engine import datasets
    >>> from engine.frontier import Need, frontier
    >>> one = frontier(datasets.load("demo-city"), Need(time="period", zones=30, unit="person"))
    >>> Ensemble((one,)).recommended().candidate == one.recommended()
    True
    """

    twins: tuple[Frontier, ...]

    def __post_init__(self) -> None:
        if not self.twins:
            raise ParameterError("an ensemble needs at least one twin", remedy="make some")

    @cached_property
    def _settings(self) -> dict[Key, tuple[Candidate, ...]]:
        """Candidates of every setting that all twins have."""
        tables = [{setting(one): one for one in twin.candidates} for twin in self.twins]
        shared = (key for key in tables[0] if all(key in table for table in tables[1:]))
        return {key: tuple(table[key] for table in tables) for key in shared}

    def judged(self, risk: float = STRONG_GUESS) -> tuple[Robust, ...]:
        """Return every setting within a limit of risk, the one with the least regret first."""
        bests = [twin.recommended(risk) for twin in self.twins]
        settings = [
            _robust(each, bests) for each in self._settings.values() if each[0].within(risk)
        ]
        return tuple(sorted(settings, key=_preference))

    def recommended(self, risk: float = STRONG_GUESS) -> Robust | None:
        """Return the setting with the least worst regret, of use and of error; None without one."""
        return next(iter(self.judged(risk)), None)


def _robust(each: Sequence[Candidate], bests: Sequence[Candidate | None]) -> Robust:
    pairs = [(one, best) for one, best in zip(each, bests, strict=True) if best is not None]
    return Robust(
        candidate=each[0],
        least=min(one.use for one in each),
        most=max(one.use for one in each),
        regret=max(best.use - one.use for one, best in pairs),
        excess=max(one.error / best.error - 1 if best.error else 0.0 for one, best in pairs),
    )


def _preference(one: Robust) -> tuple[object, ...]:
    return round(one.regret + ERROR_WEIGHT * math.log1p(one.excess), 6), one.candidate.ties
