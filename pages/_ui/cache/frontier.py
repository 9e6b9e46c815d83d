"""Every setting of a dataset, judged beside the page: once for all needs and all sessions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.contract import Seen
from engine.errors import ExplorerError
from engine.frontier import Candidate, Frontier, Need, Neighbours, WayOut, flows, visits
from engine.parameters import HOURS_PER_WEEK
from pages._ui.cache import scope as cached_scope
from pages._ui.cache.datasets import dataset
from pages._ui.jobs.work import Step

_PARTS = 100
_CELL = 0.01
"""Dots closer than this on both axes are drawn as one."""

Line = tuple[str, str]
"""A level of zones and a span of time."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A need as the page states it: scalars only, so that it can be remembered.

    Attributes
    ----------
    flows : bool
        Whether flows are read; else visits.
    at : Seen
        The longest span and the coarsest zones that are enough.
    unit : str
        The least that is protected: ``person-day`` or ``person``.
    risk : float
        The most that an attacker may guess right.
    """

    flows: bool
    at: Seen
    unit: str
    risk: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Advice:
    """What to choose under a need, and what giving way or asking for more would bring.

    Attributes
    ----------
    frontier : Frontier
    recommended : Candidate or None
        None where nothing keeps the limit of risk.
    ways : tuple of WayOut
        What giving way in one thing brings where the recommended one is not good.
    finer : tuple of Candidate
        The best with one step more zones, and with one step shorter time.
    """

    frontier: Frontier
    recommended: Candidate | None
    ways: tuple[WayOut, ...]
    finer: tuple[Candidate, ...]

    @cached_property
    def levers(self) -> Neighbours:
        """What each lever costs or brings by one step from the recommended one."""
        return () if self.recommended is None else self.frontier.levers(self.recommended)

    @cached_property
    def lines(self) -> dict[Line, list[Candidate]]:
        """The frontier of each level of zones and span of time: ever more use for more risk.

        Where a person must be protected, the line of the whole period holds only settings that do.
        """
        lines: dict[Line, list[Candidate]] = {}
        person = self.frontier.need.unit == "person"
        for one in sorted(self.frontier.judged, key=lambda one: (one.risk, -one.use)):
            if person and one.seen.when.step == "whole" and one.unit != "person":
                continue
            line = lines.setdefault((one.seen.zones, span_of(one)), [])
            if not line or one.use > line[-1].use:
                line.append(one)
        return lines

    @cached_property
    def dots(self) -> list[Candidate]:
        """The settings to draw: all of the lines, and one of those that lie as good as together.

        Of settings that share a place the one that meets the need stays.
        """
        cells: dict[tuple[object, ...], Candidate] = {}
        for one in sorted(self.frontier.judged, key=lambda one: not self.frontier.meets(one)):
            place = round(one.risk / _CELL), round(one.use / _CELL)
            cells.setdefault((one.zones, span_of(one), *place), one)
        edge = [one for line in self.lines.values() for one in line]
        edge += [] if self.recommended is None else [self.recommended]
        kept = {id(one) for one in edge}
        return [*(one for one in cells.values() if id(one) not in kept), *edge]


def span_of(one: Candidate) -> str:
    """Return the span of a setting as the picture knows it: the longest is ``whole``."""
    return one.seen.when.step


def judged(whole: Seen, of_flows: bool) -> Iterator[Step]:
    """Yield all settings judged so far, coarse zones first (long work; see `engine.frontier`).

    Parameters
    ----------
    whole : Seen
        The dataset as it was ingested.
    """
    source = dataset(whole)
    if of_flows:
        work = flows.judged(source, Need(time="whole"))
    else:
        rng = np.random.default_rng(0 if source.metadata.simulated else None)
        work = visits.judged(source, Need(time="whole", read="zones"), rng)
    known: list[Candidate] = []
    for done, batch in work:
        known.extend(batch)
        yield Step(round(_PARTS * done), _PARTS, tuple(known))


def advise(whole: Seen, asked: Asked, candidates: Sequence[Candidate]) -> Advice | None:
    """Return what to choose among the settings judged so far; None where none meets the need."""
    return _advise(whole, asked, len(candidates), candidates)


@cached_scope.resource(max_entries=128, show_spinner=False, hash_funcs={Asked: repr, Seen: repr})
def _advise(
    whole: Seen, asked: Asked, count: int, _candidates: Sequence[Candidate]
) -> Advice | None:
    try:
        result = _frontier(whole, asked, _candidates[:count])
    except ExplorerError:
        return None
    if not result.candidates:
        return None
    best = result.recommended(asked.risk)
    return Advice(
        frontier=result,
        recommended=best,
        ways=result.way_out(asked.risk),
        finer=tuple(_finer(result, asked.risk)),
    )


def _frontier(whole: Seen, asked: Asked, candidates: Sequence[Candidate]) -> Frontier:
    source, at = dataset(whole), asked.at
    if asked.flows:
        unit = "person" if asked.unit == "person" else "person-day"
        need = Need(time=at.when.step, zones=at.zones, unit=unit)
        matrices = need.least_matrices(source)
    else:
        need = Need(zones=at.zones, read="density")
        matrices = HOURS_PER_WEEK
    return Frontier(
        need=need,
        least_zones=need.least_zones(source),
        least_matrices=matrices,
        judged=tuple(candidates),
        confidential=not source.metadata.simulated,
    )


def _finer(now: Frontier, risk: float) -> Iterator[Candidate]:
    """Yield the best setting with one step more of each detail than is needed.

    A person is protected by one matrix only: with more of them, each of her days is.
    """
    zones = sorted({one.zones for one in now.judged if one.zones > now.least_zones})
    shorter = sorted({one.matrices for one in now.judged if one.matrices > now.least_matrices})
    asked = [replace(now, least_zones=zones[0])] if zones else []
    if shorter:
        need = replace(now.need, time="day", unit="person-day")
        asked.append(replace(now, need=need, least_matrices=shorter[0]))
    for more in asked:
        best = more.recommended(risk)
        if best is not None:
            yield best
