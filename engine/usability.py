"""For what private numbers can be used: the judgements that pages, sweeps and reports share.

A zone is *usable* when its hourly counts are off by at most 30% on average and its rhythm is kept
(correlation of at least 0.8). A flow is *usable* when the release is off by at most a quarter in
95% of draws – trimming, noise and suppression together – and shows it. All verdicts have the same
three steps (`engine.steps.level_of`). These limits are conventions, not theorems; whoever shows a
judgement states them. Judgements are made of the truth: they are confidential like it, unless the
people are simulated.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from .arrays import Booleans, Floats, Integers
from .density import DensityScores
from .origin_destination import NoiseLaw
from .origin_destination.laws import effective_threshold
from .origin_destination.matrices import CountHistogram
from .parameters import EPSILON_STOPS, ODParameters
from .steps import SOME_SHARE, Level, level_of

Rhythm = Literal["kept", "blurred", "faint", "lost", "flat"]

USABLE_ERROR = 0.3
"""Largest mean relative error of a usable zone."""
USABLE_CORRELATION = 0.8
"""Least correlation of a usable zone with the truth over the hours of the week."""
_CLOSE_CORRELATION, _FAINT_CORRELATION = 0.95, 0.4
USABLE_FLOW_ERROR = 0.25
"""Largest error of a usable flow, as a share of its true trips …"""
CONFIDENCE = 0.95
"""… in this share of draws."""
NEARLY_ALL = 0.9
"""Flows from a size on are called usable where this share of them, and of their trips, is."""

_EPSILONS = (*EPSILON_STOPS, 15.0, 20.0, 30.0, 50.0, 100.0, 300.0, 1000.0, 1e6)
"""Where ε is looked for; at the last one noise is gone, whatever T is."""
_MOST_PEOPLE = 10_000.0
_FACTOR_STEP = 1.01
_ROUNDING = 1e-9


def rhythm(correlation: float) -> Rhythm:
    """Return how much of the zones' week is left at a mean correlation with the truth.

    ``kept`` from 0.95, ``blurred`` from what a usable zone needs, ``faint`` from 0.4, else
    ``lost``; ``flat`` where the private series do not vary.

    Examples
    --------
    >>> [rhythm(r) for r in (0.97, 0.8, 0.5, 0.1, float("nan"))]
    ['kept', 'blurred', 'faint', 'lost', 'flat']
    """
    if not math.isfinite(correlation):
        return "flat"
    if correlation >= _CLOSE_CORRELATION:
        return "kept"
    if correlation >= USABLE_CORRELATION:
        return "blurred"
    return "faint" if correlation >= _FAINT_CORRELATION else "lost"


@dataclass(frozen=True, kw_only=True)
class DensityUsability:
    """How many zones of one density release are usable.

    Attributes
    ----------
    level : str
        Of the share of usable zones, by `engine.steps.level_of`.
    usable_zones, zones, empty_zones : int
        Usable zones, of how many with visits, and the zones without any, which are not judged.
    exceeded : bool
        Whether the noise exceeds the data: every private count reads 0.
    busy_limit : float or None
        Visits an hour from which on nearly all zones are usable, where busyness describes which
        are and some are not.
    """

    level: Level
    usable_zones: int
    zones: int
    empty_zones: int
    exceeded: bool
    busy_limit: float | None

    @property
    def usable_share(self) -> float:
        """Usable zones among those with visits; NaN where there are none."""
        return self.usable_zones / self.zones if self.zones else math.nan


def judge_density(scores: DensityScores, visits_an_hour: Floats) -> DensityUsability:
    """Judge one density release.

    Parameters
    ----------
    scores : DensityScores
        From `engine.density.scores`.
    visits_an_hour : array, shape (zones,)
        Mean true visits an hour of each zone.

    Examples
    --------
    >>> scores = DensityScores(error=np.array([0.1, 0.9]), correlation=np.array([0.95, 0.9]),
    ...                        total_error=0.01, exceeded=False)
    >>> judgement = judge_density(scores, np.array([50.0, 2.0]))
    >>> judgement.level, judgement.usable_zones, judgement.zones, judgement.busy_limit
    ('partly', 1, 2, 50.0)
    """
    known = np.isfinite(scores.error) & (visits_an_hour > 0)
    usable = known & usable_zones(scores)
    zones, count = int(known.sum()), int(usable.sum())
    share = count / zones if zones else 0.0
    return DensityUsability(
        level="noisy" if scores.exceeded else level_of(share),
        usable_zones=0 if scores.exceeded else count,
        zones=zones,
        empty_zones=int((visits_an_hour <= 0).sum()),
        exceeded=scores.exceeded,
        busy_limit=None if scores.exceeded else _busy_limit(visits_an_hour[known], usable[known]),
    )


def usable_zones(scores: DensityScores) -> Booleans:
    """Return which zones are usable, shape (zones,); never one without an error or a rhythm.

    Examples
    --------
    >>> scores = DensityScores(error=np.array([0.1, 0.9]), correlation=np.array([0.95, 0.9]),
    ...                        total_error=0.01, exceeded=False)
    >>> usable_zones(scores)
    array([ True, False])
    """
    if scores.exceeded:
        return np.zeros(len(scores.error), dtype=bool)
    near = np.nan_to_num(scores.error, nan=np.inf) <= USABLE_ERROR
    return near & (np.nan_to_num(scores.correlation) >= USABLE_CORRELATION)


class Flows(NamedTuple):
    """Distinct flows with a trip, and how many pairs of zones have each; shape (distinct,)."""

    kept: Floats
    true: Floats
    cells: Floats

    @classmethod
    def of(cls, counted: CountHistogram) -> "Flows":
        """Return the flows of a histogram that have a true trip."""
        some = counted.true > 0
        return cls(counted.kept[some], counted.true[some], counted.cells[some])

    @property
    def trips(self) -> float:
        """All true trips."""
        return float(self.true @ self.cells)

    def times(self, factor: float) -> "Flows":
        """Return the flows of so many times as many people who travel alike, in whole trips."""
        true = np.rint(factor * self.true)
        return Flows(np.minimum(np.rint(factor * self.kept), true), true, self.cells)


@dataclass(frozen=True, kw_only=True)
class ForHalf:
    """What would make half of all trips usable.

    Attributes
    ----------
    epsilon : float or None
        The least ε of those tried, with everything else unchanged; None where none does.
    people : float or None
        The least factor, up to 10,000, by which the number of people who travel alike must grow
        at this ε, T and τ, to within 1%; None where none does.
    below_threshold : bool
        Whether flows below τ alone stand in the way of every ε: then a smaller τ helps.
    """

    epsilon: float | None
    people: float | None
    below_threshold: bool


@dataclass(frozen=True, kw_only=True)
class TripsUsability:
    """How much of all travel lies in usable flows; exact, from the law of the release.

    Attributes
    ----------
    level : str
        Of the share of trips in usable flows, by `engine.steps.level_of`.
    trips : float
        All true trips.
    usable_share : float
        Share of all trips that lies in usable flows, of whatever size; NaN without trips.
    smallest_flow : int or None
        The least size such that nearly all flows of that size or more are usable, by their number
        and by their trips; None where there is none.
    share_from_smallest : float
        Share of all trips that lies in flows of that size or more; 0 where there is none.
    usable_below_smallest : float
        Share of all trips that lies in usable flows below that size.
    trimmed_share : float
        Share of all trips that trimming drops.
    for_half : ForHalf or None
        What would make half of all trips usable; None where they are.
    """

    level: Level
    trips: float
    usable_share: float
    smallest_flow: int | None
    share_from_smallest: float
    usable_below_smallest: float
    trimmed_share: float
    for_half: ForHalf | None


def judge_trips(flows: Flows, parameters: ODParameters) -> TripsUsability:
    """Judge an origin–destination release from its law alone; nothing is drawn.

    Parameters
    ----------
    flows : Flows
        Trimmed as `parameters` say: ``Flows.of(od.histogram(dataset, unit, T, days=…))``.
    parameters : ODParameters

    Examples
    --------
    >>> flows = Flows(*np.array([[1.0, 30.0, 40.0], [1.0, 30.0, 40.0], [20.0, 1.0, 2.0]]))
    >>> judgement = judge_trips(flows, ODParameters(epsilon=2.0, suppression_threshold=15))
    >>> judgement.smallest_flow, round(judgement.share_from_smallest, 3), judgement.level
    (30, 0.846, 'partly')
    """
    if flows.trips == 0:
        return _judged(flows, np.zeros(0, dtype=np.bool_), None)
    good = usable_flows(flows.kept, flows.true, parameters)
    share = float((flows.true * flows.cells)[good].sum()) / flows.trips
    return _judged(flows, good, None if share >= SOME_SHARE else _for_half(flows, parameters))


def judge_drawn_trips(true: Integers, near_share: Floats) -> TripsUsability:
    """Judge a method without an exact law by repeated draws; what would help is not looked for.

    Parameters
    ----------
    true : array, shape (zones, zones)
        True trips, before trimming.
    near_share : array, same shape
        Share of the draws in which `near_flows` holds.

    Examples
    --------
    >>> near_share = np.array([[0.0, 1.0], [0.4, 0.0]])
    >>> judgement = judge_drawn_trips(np.array([[0, 30], [10, 0]]), near_share)
    >>> judgement.smallest_flow, judgement.usable_share
    (30, 0.75)
    """
    some = (true > 0) & ~np.eye(len(true), dtype=bool)
    counts = true[some].astype(np.float64)
    flows = Flows(kept=counts, true=counts, cells=np.ones(len(counts)))
    return _judged(flows, near_share[some] >= CONFIDENCE - _ROUNDING, None)


def near_flows(true: Integers, released: Floats, shown: Booleans) -> Booleans:
    """Return which flows one draw shows and gets within a quarter of the truth.

    Examples
    --------
    >>> near_flows(np.array([100, 100]), np.array([80.0, 70.0]), np.array([True, True]))
    array([ True, False])
    """
    return shown & (np.abs(released - true) <= USABLE_FLOW_ERROR * true) & (true > 0)


def _judged(flows: Flows, good: Booleans, for_half: ForHalf | None) -> TripsUsability:
    trips = flows.trips
    if trips == 0:
        return TripsUsability(
            level="noisy", trips=0.0, usable_share=math.nan, smallest_flow=None, for_half=None,
            share_from_smallest=0.0, usable_below_smallest=0.0, trimmed_share=0.0,
        )  # fmt: skip
    carried = flows.true * flows.cells
    share = float(carried[good].sum()) / trips
    smallest = _smallest(good, flows)
    small = np.ones(len(good), dtype=bool) if smallest is None else flows.true < smallest
    return TripsUsability(
        level=level_of(share),
        trips=trips,
        usable_share=share,
        smallest_flow=smallest,
        share_from_smallest=float(carried[~small].sum()) / trips,
        usable_below_smallest=float(carried[small & good].sum()) / trips,
        trimmed_share=float((flows.true - flows.kept) @ flows.cells) / trips,
        for_half=for_half,
    )


def usable_share(flows: Flows, parameters: ODParameters) -> float:
    """Return the share of all trips that lies in usable flows; NaN without trips.

    Examples
    --------
    >>> flows = Flows(*np.array([[1.0, 30.0], [1.0, 30.0], [70.0, 1.0]]))
    >>> usable_share(flows, ODParameters(epsilon=1.0, suppression_threshold=0))
    0.3
    """
    if flows.trips == 0:
        return math.nan
    good = usable_flows(flows.kept, flows.true, parameters)
    return float((flows.true * flows.cells)[good].sum()) / flows.trips


def usable_flows(kept: Floats, true: Floats, parameters: ODParameters) -> Booleans:
    """Return which flows are usable, exactly: trimming, noise and suppression together.

    Parameters
    ----------
    kept, true : arrays of whole numbers, same shape
        Flows after trimming and before, kept ≤ true, true above 0.
    parameters : ODParameters

    Examples
    --------
    >>> settings = ODParameters(epsilon=1.0, suppression_threshold=15)
    >>> usable_flows(np.array([100.0, 80.0, 70.0]), np.full(3, 100.0), settings)
    array([ True,  True, False])
    """
    law = NoiseLaw(1 / parameters.noise_scale)
    least = effective_threshold(parameters.suppression_threshold)
    low = np.maximum(np.ceil(true * (1 - USABLE_FLOW_ERROR)), least)
    high = np.floor(true * (1 + USABLE_FLOW_ERROR))
    within = law.tail(low - kept) - law.tail(high + 1 - kept)
    return within >= CONFIDENCE - _ROUNDING


def _busy_limit(visits: Floats, usable: Booleans) -> float | None:
    order = np.argsort(-visits)
    good = usable[order]
    share = np.cumsum(good) / np.arange(1, len(good) + 1)
    busy = np.flatnonzero(share >= NEARLY_ALL)
    if not len(busy) or busy[-1] + 1 >= len(good):
        return None
    return float(visits[order][busy[-1]])


def _smallest(good: Booleans, flows: Flows) -> int | None:
    """Return the size from which on nearly all flows, and nearly all their trips, are usable."""
    sizes, size = np.unique(flows.true, return_inverse=True)
    enough = np.ones(len(sizes), dtype=bool)
    for weights in (flows.cells, flows.cells * flows.true):
        every = np.bincount(size, weights=weights)[::-1].cumsum()[::-1]
        fine = np.bincount(size, weights=weights * good)[::-1].cumsum()[::-1]
        enough &= fine >= NEARLY_ALL * every
    from_here = np.flatnonzero(enough)
    return int(sizes[from_here[0]]) if len(from_here) else None


def _for_half(flows: Flows, parameters: ODParameters) -> ForHalf:
    def reached(among: Flows, epsilon: float = parameters.epsilon) -> bool:
        return usable_share(among, replace(parameters, epsilon=epsilon)) >= SOME_SHARE

    larger = [stop for stop in _EPSILONS if stop > parameters.epsilon]
    untrimmed = flows._replace(kept=flows.true)
    return ForHalf(
        epsilon=next((stop for stop in larger if reached(flows, stop)), None),
        people=_least_factor(lambda factor: reached(flows.times(factor))),
        below_threshold=not reached(untrimmed, _EPSILONS[-1]),
    )


def _least_factor(enough: Callable[[float], bool]) -> float | None:
    """Return the least factor above 1 that is enough, to within 1%."""
    low, high = 1.0, 2.0
    while not enough(high):
        if high >= _MOST_PEOPLE:
            return None
        low, high = high, min(2 * high, _MOST_PEOPLE)
    while high / low > _FACTOR_STEP:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
