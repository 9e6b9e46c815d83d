"""The eight analyses of a report, their sensitivities, and the report's parameters (P3)."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from ..arrays import Floats, Integers
from ..errors import ParameterError
from ..parameters import check_epsilon
from ..validation import check_above, check_one_of, check_whole_number
from .measures import FINE_EDGES, STOPS, Measure

ReportUnit = Literal["user", "item"]
"""A person with all trips of the period, truncated to M; or a single trip."""
CountedItem = Literal["user", "trip", "point"]
ReportMethod = Literal["derived", "package"]
"""``derived`` queries nothing twice (R6): trips are the sum of noisy days, five numbers follow from
noisy bins. ``package`` queries all, with 5/6 of a histogram's share for draws of five numbers, as
P3's package."""

QUANTILE_LEVELS = (0.01, 0.25, 0.5, 0.75, 0.99)
"""The five numbers; 1% and 99% stand for minimum and maximum, whose utility is flat (R4)."""
MILLION = 1_000_000
"""Shares are whole millionths of ε, rounded down, so their sum is at most 1."""


class Analysis(StrEnum):
    """Analyses of a report in the order of display; a trip has two points."""

    label: str
    counted_item: CountedItem

    def __new__(cls, value: str, label: str, item: CountedItem) -> "Analysis":
        """Return the member of that value."""
        member = str.__new__(cls, value)
        member._value_, member.label, member.counted_item = value, label, item
        return member

    SIZE = "size", "Trips and people", "trip"
    DAYS = "days", "Trips over time", "trip"
    HOURS = "hours", "Trips by hour", "point"
    VISITS = "visits", "Visits by zone", "point"
    FLOWS = "flows", "Flows between zones", "trip"
    TRAVEL_TIME = "travel_time", "Travel time", "trip"
    JUMP_LENGTH = "jump_length", "Jump length", "trip"
    GYRATION = "gyration", "Radius of gyration", "user"

    @property
    def is_histogram(self) -> bool:
        """Whether it is a histogram of a quantity, with five numbers."""
        return self in BINS


@dataclass(frozen=True)
class Bins:
    """Public bins of equal width of one histogram: sums of the cached bins."""

    measure: Measure
    unit: str
    maximum: float
    width: float

    @property
    def edges(self) -> Floats:
        """Edges from 0, shape (bins + 1,)."""
        return self.width * np.arange(round(self.maximum / self.width) + 1.0)

    def coarsen(self, fine: Integers) -> Integers:
        """Return counts below, of every bin and above, from cached counts in the same order."""
        edge_positions = np.searchsorted(FINE_EDGES[self.measure], self.edges - 1e-9)
        return np.add.reduceat(fine, np.concatenate([[0], edge_positions + 1]))


BINS: Mapping[Analysis, Bins] = {
    Analysis.TRAVEL_TIME: Bins(Measure.TRAVEL_TIME, "minutes", 120, 5),
    Analysis.JUMP_LENGTH: Bins(Measure.JUMP_LENGTH, "km", 20, 0.5),
    Analysis.GYRATION: Bins(Measure.GYRATION, "km", 10, 0.2),
}


@dataclass(frozen=True, kw_only=True)
class ReportParameters:
    """Parameters of one mobility report (P3); invalid ones raise `ParameterError`.

    - `epsilon`: privacy loss of the whole report per unit of privacy.
    - `max_trips_per_user`: contribution limit M over the whole period: a stop from 1 to 256, set by
      the custodian and never estimated from the data (R1). At item level all trips count.
    - `shares`: analyses that are on, each with its share of ε; together at most 1, and 0 for one
      that follows from others. None shares ε evenly among all that the unit allows; `without` among
      some of them.
    """

    epsilon: float
    max_trips_per_user: int = 20
    unit: ReportUnit = "user"
    method: ReportMethod = "derived"
    shares: tuple[tuple[Analysis, float], ...] | None = None

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon, "0.1 to 10 is usual for a report")
        stop_index(self.max_trips_per_user)
        check_one_of("unit", self.unit, get_args(ReportUnit), "'user' protects people")
        check_one_of("method", self.method, get_args(ReportMethod), "'derived' is advised")
        if self.shares is not None:
            for name, share in self.shares:
                self._check_share(_analysis(name), share)
            total = sum(_millionths(share) for _, share in self.shares)
            if total > MILLION:
                rule, value = "shares must add up to at most 1", f"{total / MILLION:g}"
                raise ParameterError(rule, value=value, remedy="lower a share")
        if self.unit == "item" and Analysis.GYRATION in self.analyses:
            raise _people_error("unit='item' with gyration")
        if not self.charged_shares:
            rule = "at least one analysis must be included"
            raise ParameterError(rule, value="none", remedy="give one a share")

    def _check_share(self, analysis: Analysis, share: float) -> None:
        if self.queries(analysis):
            check_above(f"the share of {analysis}", share, 0, "leave out what is off")
        elif share != 0:
            raise ParameterError(
                f"the share of {analysis} must be 0 where it follows from others and costs nothing",
                value=f"{share!r}",
                remedy="give its share to the others, as `without` does",
            )

    def with_epsilon(self, epsilon: float) -> "ReportParameters":
        """Return the parameters at another ε."""
        return replace(self, epsilon=epsilon)

    def without(self, analyses: Collection[str]) -> "ReportParameters":
        """Return the parameters without some analyses; ε is shared evenly by those with a cost."""
        left_out = {_analysis(name) for name in analyses}
        on = [analysis for analysis in self.analyses if analysis not in left_out]
        is_free = {Analysis.SIZE: not _size_parts(self.unit, self.method, on)}
        paid = sum(not is_free.get(analysis) for analysis in on)
        shares = ((name, 0.0 if is_free.get(name) else 1 / paid) for name in on)
        return replace(self, shares=tuple(shares))

    @property
    def canonical_form(self) -> "ReportParameters":
        """The same parameters, with M at its default if single trips are protected."""
        return self if self.unit == "user" else replace(self, max_trips_per_user=20)

    @property
    def trip_limit(self) -> int | None:
        """The contribution limit M; None, all trips, at item level."""
        return self.max_trips_per_user if self.unit == "user" else None

    @property
    def analyses(self) -> tuple[Analysis, ...]:
        """The analyses of the report, in order."""
        if self.shares is None:
            return tuple(a for a in Analysis if a.counted_item != "user" or self.unit == "user")
        enabled = {_analysis(name) for name, _ in self.shares}
        return tuple(a for a in Analysis if a in enabled)

    @cached_property
    def charged_shares(self) -> Mapping[Analysis, float]:
        """Share of ε of each analysis with a cost."""
        charged = [analysis for analysis in self.analyses if self.queries(analysis)]
        if self.shares is None:
            return {analysis: (MILLION // len(charged)) / MILLION for analysis in charged}
        enabled_shares = {_analysis(name): share for name, share in self.shares}
        return {analysis: _millionths(enabled_shares[analysis]) / MILLION for analysis in charged}

    def queries(self, analysis: Analysis) -> tuple[tuple[str, CountedItem], ...]:
        """Return the separate queries of an analysis, with equal parts of its share."""
        if analysis is not Analysis.SIZE:
            return ((analysis.label, analysis.counted_item),)
        return _size_parts(self.unit, self.method, self.analyses)

    def analysis_epsilon(self, analysis: Analysis) -> float:
        """Return the cost of an analysis: 0 if it follows from others or is off."""
        return self.epsilon * self.charged_shares.get(analysis, 0.0)

    def five_numbers_epsilon(self, analysis: Analysis) -> float:
        """Return the part of its cost that goes to draws of the five numbers."""
        is_drawn = self.method == "package" and analysis.is_histogram
        return self.analysis_epsilon(analysis) * (5 / 6) if is_drawn else 0.0

    def sensitivity(self, counted_item: CountedItem) -> int:
        """Return the L₁ sensitivity of disjoint counts to one unit of privacy (P3).

        1, M and 2M for people, trips and points; at item level 1 for trips and 2 for points. Raises
        `ParameterError` for people at item level: a person with many trips has no bound there.
        """
        if self.unit == "item" and counted_item == "user":
            raise _people_error("unit='item'")
        trip_limit = self.trip_limit or 1
        return {"user": 1, "trip": trip_limit, "point": 2 * trip_limit}[counted_item]

    def quantile_sensitivity(self, counted_item: CountedItem, quantile: float) -> float:
        """Return the sensitivity of −|C(x) − q·n| to one unit, for any candidate x (R3).

        One unit with k ≤ c items, j of them at most x, moves C(x) − q·n by j − q·k, which lies from
        −q·c to (1 − q)·c: c·max(q, 1 − q).
        """
        return self.sensitivity(counted_item) * max(quantile, 1 - quantile)


def _size_parts(
    unit: ReportUnit, method: ReportMethod, on: Collection[Analysis]
) -> tuple[tuple[str, CountedItem], ...]:
    """Return the queries of a report's size: people at unit user, trips unless days give them."""
    people: tuple[tuple[str, CountedItem], ...] = (("people", "user"),) if unit == "user" else ()
    summed = method == "derived" and Analysis.DAYS in on
    return people if summed else (*people, ("trips", "trip"))


def stop_index(max_trips_per_user: int) -> int:
    """Return the position of M among `STOPS`; raise `ParameterError` if it is none of them."""
    remedy = f"the counts are kept for {', '.join(map(str, STOPS))}"
    name = "max_trips_per_user"
    value = check_whole_number(name, max_trips_per_user, 1, STOPS[-1], remedy=remedy)
    if value not in STOPS:
        rule = f"{name} must be one of the stops"
        raise ParameterError(rule, value=str(max_trips_per_user), remedy=remedy)
    return STOPS.index(value)


def _millionths(share: float) -> int:
    return max(math.floor(share * MILLION + 1e-6), 0)


def _analysis(name: str) -> Analysis:
    names = [str(analysis) for analysis in Analysis]
    return Analysis(check_one_of("the name of an analysis", str(name), names, "as listed"))


def _people_error(got: str) -> ParameterError:
    return ParameterError(
        "counts of people need unit='user'",
        value=got,
        remedy="protecting single trips does not limit what a person with many trips reveals; "
        "choose unit='user' or leave these analyses out",
    )
