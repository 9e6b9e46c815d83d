"""One setting with its two axes, which of two settings is better, and what stands beside it."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..contract import Seen
from ..parameters import DensityParameters, ODParameters
from ..privacy import STRONG_GUESS
from ..steps import Level, level_of, step

USE_STEP = 0.005
"""Half a point: use is compared in steps of that, within which the smaller error decides."""
_ERROR_DIGITS = 6


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A setting, what it risks and what can be used of it.

    Attributes
    ----------
    zones, matrices : int
        Detail: how many zones, and into how many matrices the declared period (for visits: into
        how many blocks of hours the week) is cut.
    days : int
        Declared days that are released.
    risk : float
        Best guess of membership over everything declared to be released, from public facts only.
    use : float
        Share of all trips of the first matrix that lies in usable flows, or of zones with visits
        that are usable (confidential).
    use_error : float
        Standard error of `use`; 0 where it is exact.
    error : float
        Expected absolute error per trip over all pairs of zones, or per visit over all zones and
        blocks of hours (confidential).
    """

    parameters: ODParameters | DensityParameters
    seen: Seen
    zones: int
    matrices: int
    days: int
    risk: float
    use: float
    use_error: float = 0.0
    error: float

    @property
    def level(self) -> Level:
        """The verdict on `use`, the same as everywhere."""
        return level_of(self.use)

    @property
    def usable(self) -> bool:
        """Whether at least half of all trips can be used."""
        return self.level != "noisy"

    @property
    def rank(self) -> tuple[int, float]:
        """Use in steps of half a point, turned round, then the error: smaller is better."""
        return -int(self.use / USE_STEP + 1e-9), round(self.error, _ERROR_DIGITS)

    @property
    def unit(self) -> str:
        """What is protected: a density protects a person in its one week."""
        return self.parameters.unit if isinstance(self.parameters, ODParameters) else "person"

    @property
    def levers(self) -> dict[str, Any]:
        """The settings of the method by their symbols; a larger ε is the last."""
        if isinstance(self.parameters, DensityParameters):
            density = self.parameters
            bound = {"method": density.method, "ℓ": density.max_visits_per_user}
            return {**bound, "ε": density.epsilon}
        flows = self.parameters
        bound = {"T": flows.max_trips_per_user, "τ": flows.suppression_threshold}
        return {"unit": flows.unit, **bound, "ε": flows.epsilon}

    @property
    def ties(self) -> tuple[float, float, int, int, str]:
        """What decides where nothing else does: smaller ε, larger τ, smaller T (ℓ), the person."""
        levers = self.levers
        method = levers.get("unit", levers.get("method"))
        return (
            self.risk,
            levers["ε"],
            -levers.get("τ", 0),
            levers["T"] if "T" in levers else levers["ℓ"],
            f"{method} {self.seen.zones},{self.seen.when.step} {self.parameters.method}",
        )

    def within(self, risk: float) -> bool:
        """Return whether the best guess is at most `risk`, as both are written."""
        return step(self.risk, good=risk, partly=1.0) == "good"


def best(candidates: Iterable[Candidate], risk: float = STRONG_GUESS) -> Candidate | None:
    """Return the candidate with most use among those within a limit of risk, None without one.

    Ties of use go to the smaller error, finer zones, shorter time, less risk, then `ties`.
    """
    return min((one for one in candidates if one.within(risk)), key=_preference, default=None)


def undominated(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates that no other one dominates, by ascending risk.

    Another one dominates if it has no more risk, no worse use, then error, and at least
    the same detail, and comes first by `ties` where all of that is the same.

    In this order a candidate can only be dominated by one before it, and of those before it only
    the best of each detail counts.
    """
    order = sorted(candidates, key=lambda one: (one.risk, *_preference(one)))
    kept: list[Candidate] = []
    leading: dict[tuple[int, int], tuple[int, float]] = {}
    for one in order:
        zones, matrices = one.zones, one.matrices
        if any(
            finer[0] >= zones and finer[1] >= matrices and rank <= one.rank
            for finer, rank in leading.items()
        ):
            continue
        leading[zones, matrices] = one.rank
        kept.append(one)
    return tuple(kept)


def _preference(one: Candidate) -> tuple[object, ...]:
    return (*one.rank, -one.zones, -one.matrices, one.ties)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One lever moved by one step either way.

    Attributes
    ----------
    lever : str
        ``zones``, ``time`` or one of `Candidate.levers`.
    less, more : Candidate or None
        With the next smaller and the next larger value; None where there is none. Larger are more
        zones, more matrices, a person rather than a person's day, and larger T, τ and ε.
    """

    lever: str
    less: Candidate | None
    more: Candidate | None


Neighbours = tuple[Step, ...]


def neighbours(candidate: Candidate, judged: Sequence[Candidate]) -> Neighbours:
    """Return the settings that differ from `candidate` in one lever, by one step.

    Levels of zones are stepped through by their number; of two with as many zones, the one with
    the better use is taken. Flows of another method are no step of a lever.
    """
    place = _place(candidate)
    if "method" not in place:
        judged = [one for one in judged if one.parameters.method == candidate.parameters.method]
    known: dict[tuple[Hashable, ...], Candidate] = {}
    for one in judged:
        at = tuple(_place(one).values())
        if at not in known or one.use > known[at].use:
            known[at] = one
    return tuple(_step(name, place, known, judged) for name in place)


def _place(one: Candidate) -> dict[str, Any]:
    # "person" comes before "person-day", and protects more: turned round
    turned = {"unit": one.unit == "person"} if "unit" in one.levers else {}
    return {"zones": one.zones, "time": one.matrices, **one.levers, **turned}


def _step(
    name: str,
    place: Mapping[str, Any],
    known: Mapping[tuple[Hashable, ...], Candidate],
    judged: Sequence[Candidate],
) -> Step:
    stops = sorted({_place(one)[name] for one in judged})
    around = dict(pairwise(stops))

    def at(value: Any) -> Candidate | None:
        return None if value is None else known.get(tuple({**place, name: value}.values()))

    before = {after: value for value, after in around.items()}
    return Step(lever=name, less=at(before.get(place[name])), more=at(around.get(place[name])))
