"""One recommendation for what is not known: settings judged on several twins at once.

A twin's own level of use is no promise; that a setting does well on all of them is. Recommended is
the setting whose worst regret over the twins is least (``docs/twin.md``).
"""

import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ..datasets import Dataset
from ..errors import ParameterError
from ..risk import STRONG_GUESS
from ..synthetic import twin, twininputs
from . import flows
from .candidate import Candidate
from .need import Need
from .search import Frontier

CLOSE = 0.05
"""A setting holds in a twin where it gives up at most so much use against the best one there."""

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
    holds, twins : int
        Number of twins in which it gives up at most `CLOSE`, and of all.
    """

    candidate: Candidate
    least: float
    most: float
    regret: float
    excess: float
    holds: int
    twins: int

    @property
    def in_most(self) -> bool:
        """Whether it holds in more than half of the twins."""
        return 2 * self.holds > self.twins


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Frontiers of several twins of the same place, one at least, under the same need.

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


def judged_twins(dataset: Dataset) -> Iterator[tuple[float, tuple[Candidate, ...]]]:
    """Make the eight twins of what is not known of one, and judge every setting of flows on each.

    Yields the share that is done, and the settings of a twin when all of them are judged.

    Raises
    ------
    InputError
        If the dataset is no twin.
    """
    zones, inputs, public = twin.made_of(dataset)
    corners = twininputs.ensemble(replace(inputs, visits_a_week=0.0))
    with tempfile.TemporaryDirectory() as folder:
        for number, corner in enumerate(corners):
            place = Path(folder) / f"twin-{number}"
            one = twin.twin(zones, corner, place, flows=public, report=False)
            yield (number + 0.5) / len(corners), ()
            judged: list[Candidate] = []
            for done, batch in flows.judged(one, Need(time="period")):
                judged.extend(batch)
                yield (number + (1 + done) / 2) / len(corners), ()
            yield (number + 1) / len(corners), tuple(judged)


def _robust(each: Sequence[Candidate], bests: Sequence[Candidate | None]) -> Robust:
    pairs = [(one, best) for one, best in zip(each, bests, strict=True) if best is not None]
    lost = [best.use - one.use for one, best in pairs]
    return Robust(
        candidate=each[0],
        least=min(one.use for one in each),
        most=max(one.use for one in each),
        regret=max(lost),
        excess=max(one.error / best.error - 1 if best.error else 0.0 for one, best in pairs),
        holds=sum(one <= CLOSE for one in lost),
        twins=len(each),
    )


def _preference(one: Robust) -> tuple[object, ...]:
    return round(one.regret + ERROR_WEIGHT * math.log1p(one.excess), 6), one.candidate.ties
