"""Settings of a mobility report: frozen, checked at construction; and what they lead to ask."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import get_args

from .. import validation
from ..errors import ParameterError
from ..parameters import check_epsilon
from .aggregates import stop_index
from .analyses import (
    USER_ANALYSES,
    Analysis,
    Counted,
    Unit,
    people_refused,
    quantile_sensitivity,
    sensitivity,
)
from .bins import Bins, default_bins, fine_positions
from .budget import Budget, ReportMethod
from .measures import WINDOWS
from .quantiles import QUANTILES, Ends

EPSILON_REMEDY = "smaller means more private, 0.1 to 10 is usual for a whole report"
FIVE_NUMBERS_SHARE = 5 / 6
"""What the package spends of a histogram's share on the five numbers, R5 aside."""


@dataclass(frozen=True, kw_only=True)
class ReportParameters:
    """Settings of one mobility report (P3).

    Parameters
    ----------
    epsilon : float
        Privacy loss of the whole report per unit of protection, finite and above 0.
    max_trips_per_user : int
        M, trips kept per person over the whole period: a stop from 1 to 256, set by the custodian
        and never read from the data (R1). Without effect at item level, where all are kept.
    unit : str
        ``user`` or ``item``.
    method : str
        One of `ReportMethod`.
    budget : Budget or None
        Weights and locks; None weighs all analyses that the unit allows alike.
    bins : tuple of (Analysis, Bins)
        Bins of histograms; usual ones for those left out.
    ends : str
        ``percentiles`` gives the 1% and 99% points as outer numbers, ``extremes`` minimum and
        maximum (R4).
    windows : tuple of int
        Edges of the time windows of a day in hours, ascending from 0 to 24, for visits by zone and
        time of day; what lies before the first and after the last one is a window past midnight.

    Raises
    ------
    ParameterError
        With rule, value and remedy.

    Examples
    --------
    >>> parameters = ReportParameters(epsilon=1.0, max_trips_per_user=20)
    >>> sorted(parameters.plan.derived)[:2]
    [<Analysis.MISSING: 'missing'>, <Analysis.STATISTICS: 'statistics'>]
    """

    epsilon: float
    max_trips_per_user: int = 20
    unit: Unit = "user"
    method: ReportMethod = "derived"
    budget: Budget | None = None
    bins: tuple[tuple[Analysis, Bins], ...] = ()
    ends: Ends = "percentiles"
    windows: tuple[int, ...] = WINDOWS

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon, EPSILON_REMEDY)
        stop_index(self.max_trips_per_user)
        validation.one_of("unit", self.unit, get_args(Unit), "'user' protects people")
        validation.one_of(
            "method", self.method, get_args(ReportMethod), "'derived' asks nothing twice"
        )
        validation.one_of("ends", self.ends, get_args(Ends), "'percentiles' can be told")
        on = [str(a) for a in Analysis if a in USER_ANALYSES and self.shared.is_on(a)]
        if self.unit == "item" and on:
            raise people_refused(f"unit='item' with {', '.join(on)}")
        self._check_windows()
        for analysis, bins in self.bins:
            fine_positions(analysis, bins)
        _ = self.plan  # a budget that does not work out is refused here and not at the release

    def at(self, epsilon: float) -> "ReportParameters":
        """Return the settings at another ε."""
        return replace(self, epsilon=epsilon)

    @property
    def used(self) -> "ReportParameters":
        """The settings themselves: both methods use every one."""
        return self

    @property
    def kept(self) -> int | None:
        """The M of the counts: None, all trips, at item level."""
        return self.max_trips_per_user if self.unit == "user" else None

    @property
    def shared(self) -> Budget:
        """The budget in force."""
        return self.budget or Budget.usual(self.unit, self.method)

    @property
    def levels(self) -> tuple[float, ...]:
        """The five quantiles."""
        return QUANTILES[self.ends]

    @property
    def five_numbers_share(self) -> float:
        """The part of a histogram's share that goes to draws of the five numbers."""
        return FIVE_NUMBERS_SHARE if self.method == "package" else 0.0

    @cached_property
    def plan(self) -> "Plan":
        """What is asked, with which share, and what is derived from it."""
        budget = self.shared
        on = [analysis for analysis in Analysis if budget.is_on(analysis)]
        one_trip = self.unit == "user" and self.max_trips_per_user == 1
        empty = tuple(a for a in on if a is Analysis.TIME_BETWEEN and one_trip)
        sources = _sources(self.unit) if self.method == "derived" else {}
        derived = {a: sources[a] for a in on if a in sources and set(sources[a]) <= set(on)}
        asked = [a for a in on if a not in derived and a not in empty]
        return Plan(asked=budget.shares(asked), derived=derived, empty=empty)

    def bins_of(self, analysis: Analysis) -> Bins:
        """Return the bins of a histogram."""
        given = dict(self.bins)
        return given.get(analysis) or default_bins(analysis, self.max_trips_per_user)

    def epsilon_of(self, analysis: Analysis) -> float:
        """Return what an analysis costs: 0 where it is derived or off."""
        return self.epsilon * self.plan.asked.get(analysis, 0.0)

    def sensitivity(self, counted: Counted) -> int:
        """Return by how much one unit of protection can change what is counted."""
        return sensitivity(counted, self.unit, self.max_trips_per_user)

    def quantile_sensitivity(self, counted: Counted, quantile: float) -> float:
        """Return by how much it can change the utility of a quantile."""
        return quantile_sensitivity(counted, self.unit, self.max_trips_per_user, quantile)

    def _check_windows(self) -> None:
        hours = [
            validation.whole_number("windows", hour, 0, 24, remedy="hours of the day, such as 6")
            for hour in self.windows
        ]
        if len(hours) < 2 or sorted(set(hours)) != hours:
            raise ParameterError(
                "windows must be two or more hours in ascending order",
                value=", ".join(map(str, hours)),
                remedy=f"such as {', '.join(map(str, WINDOWS))}",
                settings=("windows",),
            )


@dataclass(frozen=True)
class Plan:
    """What a report asks and what follows from the answers.

    Attributes
    ----------
    asked : mapping of Analysis to float
        Shares of ε.
    derived : mapping of Analysis to tuple of Analysis
        What each free analysis is computed from.
    empty : tuple of Analysis
        Analyses that are on but hold nothing at these settings, and cost nothing: with one trip
        per person there is no time between trips.
    """

    asked: Mapping[Analysis, float]
    derived: Mapping[Analysis, tuple[Analysis, ...]]
    empty: tuple[Analysis, ...]

    @property
    def unspent(self) -> float:
        """The share of ε that nobody takes."""
        return 1.0 - sum(self.asked.values())


def _sources(unit: Unit) -> dict[Analysis, tuple[Analysis, ...]]:
    """Return what each analysis can be derived from, where all of it is asked (R6)."""
    people = (Analysis.TRIPS_PER_USER,) if unit == "user" else ()
    return {
        Analysis.STATISTICS: (Analysis.DAYS, *people),
        Analysis.MISSING: (Analysis.DAYS, Analysis.TRAVEL_TIME, Analysis.ZONE_WINDOWS),
        Analysis.WEEKDAYS: (Analysis.DAYS,),
        Analysis.ZONES: (Analysis.ZONE_WINDOWS,),
    }
