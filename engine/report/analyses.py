"""The fifteen analyses of a mobility report: what they count, and what one unit can change (P3).

A unit of protection is a person with all trips of the period (``user``, of whom at most M trips
are kept) or a single trip (``item``). A trip has two points, its start and its end.
"""

from enum import StrEnum
from typing import Literal

from ..errors import ParameterError

Unit = Literal["user", "item"]
Counted = Literal["user", "trip", "point", "gap"]


class Analysis(StrEnum):
    """What a report can hold, in the order in which it is shown.

    Each has a name in words, and what its bins count; `STATISTICS` and `MISSING` count several
    things, see `parts`.
    """

    label: str
    counted: Counted

    def __new__(cls, value: str, label: str, counted: Counted = "trip") -> "Analysis":
        """Return the member of that value."""
        member = str.__new__(cls, value)
        member._value_, member.label, member.counted = value, label, counted
        return member

    STATISTICS = "statistics", "Size of the data"
    MISSING = "missing", "Missing parts"
    DAYS = "days", "Trips over time"
    WEEKDAYS = "weekdays", "Trips by weekday"
    HOURS = "hours", "Trips by hour", "point"
    ZONES = "zones", "Visits by zone", "point"
    ZONE_WINDOWS = "zone_windows", "Visits by zone and time of day", "point"
    FLOWS = "flows", "Flows between zones"
    TRAVEL_TIME = "travel_time", "Travel time"
    JUMP_LENGTH = "jump_length", "Jump length"
    TRIPS_PER_USER = "trips_per_user", "Trips per person", "user"
    TIME_BETWEEN = "time_between", "Time between a person's trips", "gap"
    GYRATION = "gyration", "Radius of gyration", "user"
    ZONES_PER_USER = "zones_per_user", "Zones per person", "user"
    ENTROPY = "entropy", "Entropy of a person's zones", "user"

    @property
    def is_histogram(self) -> bool:
        """Whether it is a histogram of a quantity, with five numbers beside it."""
        return self in HISTOGRAMS


HISTOGRAMS = (
    Analysis.TRAVEL_TIME,
    Analysis.JUMP_LENGTH,
    Analysis.TRIPS_PER_USER,
    Analysis.TIME_BETWEEN,
    Analysis.GYRATION,
    Analysis.ZONES_PER_USER,
    Analysis.ENTROPY,
)
"""Analyses of a quantity, shown as a histogram with five numbers."""

USER_ANALYSES = frozenset(a for a in Analysis if a.counted == "user")
"""Analyses that count people: without a bound at item level, where they are refused."""


def parts(analysis: Analysis, unit: Unit) -> tuple[tuple[str, Counted], ...]:
    """Return the separately asked parts of an analysis, each with what it counts.

    Most analyses are one question about disjoint bins. The size of the data and its missing parts
    are several numbers, each asked with an equal share of the analysis's budget. The number of
    people is not asked at item level.

    Examples
    --------
    >>> parts(Analysis.STATISTICS, "user")
    (('people', 'user'), ('trips', 'trip'), ('points', 'point'))
    """
    if analysis is Analysis.STATISTICS:
        people: tuple[tuple[str, Counted], ...] = (("people", "user"),) if unit == "user" else ()
        return (*people, ("trips", "trip"), ("points", "point"))
    if analysis is Analysis.MISSING:
        return (("trips without an end time", "trip"), ("points at no known place", "point"))
    return ((analysis.label, analysis.counted),)


def sensitivity(counted: Counted, unit: Unit, max_trips_per_user: int) -> int:
    """Return by how much one unit of protection can change disjoint counts in all (L₁; P3).

    Parameters
    ----------
    counted : str
        What is counted: a person, a trip, a point, or the gap between two trips of a person.
    unit : str
        ``user`` (all of a person's kept trips) or ``item`` (one trip).
    max_trips_per_user : int
        M, trips kept per person; without effect at item level.

    Returns
    -------
    int
        1, M, 2M and M − 1 for users, trips, points and gaps; at item level 1 for trips, 2 for
        points and 3 for gaps: without a trip its two gaps go and the one around it comes.

    Raises
    ------
    ParameterError
        For people at item level. One trip would move one person between two bins, but such counts
        describe people, about whom item level promises nothing: the contribution of a person with
        many trips has no bound there.

    Examples
    --------
    >>> sensitivity("point", "user", 5), sensitivity("gap", "item", 5)
    (10, 3)
    """
    if unit == "item":
        if counted == "user":
            raise people_refused("unit='item'")
        return {"trip": 1, "point": 2, "gap": 3}[counted]
    most = max_trips_per_user
    return {"user": 1, "trip": most, "point": 2 * most, "gap": most - 1}[counted]


def people_refused(got: str) -> ParameterError:
    """Return the error of counts of people where single trips are protected."""
    return ParameterError(
        f"counts of people need unit='user', got {got}; protecting single trips puts no bound on "
        "what a person with many trips reveals: choose unit='user' or give these analyses the "
        "weight 0"
    )


def quantile_sensitivity(
    counted: Counted, unit: Unit, max_trips_per_user: int, quantile: float
) -> float:
    """Return by how much one unit can change −|C(x) − q·n| for any candidate x (R3).

    One unit with k ≤ c items, j of them at most x, moves C(x) − q·n by j − q·k, which lies from
    −q·c to (1 − q)·c: c·max(q, 1 − q). A trip taken away at item level replaces two gaps by one:
    C(x) then moves by −2 to 1 and n by −1, which gives max(2 − q, 1 + q).

    Examples
    --------
    >>> quantile_sensitivity("trip", "user", 10, 0.25)
    7.5
    """
    if counted == "gap" and unit == "item":
        return max(2 - quantile, 1 + quantile)
    return sensitivity(counted, unit, max_trips_per_user) * max(quantile, 1 - quantile)
