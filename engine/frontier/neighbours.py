"""Why a setting: what each lever costs or brings on both axes when it alone moves by one step."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from engine.frontier.candidate import Candidate


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
    the better use is taken.
    """
    place = _place(candidate)
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
