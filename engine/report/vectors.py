"""From cached counts to the numbers of each analysis, in the order in which they are released."""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

import numpy as np

from ..arrays import Integers
from ..errors import ParameterError
from .aggregates import ReportTable
from .analyses import Analysis
from .bins import coarsen, fine_positions, measure_of
from .measures import HOUR_CLASSES, WINDOWS, Extent, Measure, classes_of, windows_between
from .settings import ReportParameters

LONGEST_BY_DAY = 90
"""Days of a period up to which trips are shown by day; by week up to the next, then by month."""
LONGEST_BY_WEEK = 712
DAYS_PER_WEEK = 7


@dataclass(frozen=True, eq=False)
class Periods:
    """How the declared days are grouped to be shown.

    `of_day` is the number of the period that each day lies in, shape (days,), `starts` the first
    declared day of each period; the `name` of one is ``day``, ``week`` or ``month``.
    """

    of_day: Integers
    starts: tuple[date, ...]
    name: str


def periods(extent: Extent) -> Periods:
    """Group the declared days by day, week (from Monday) or month, by their number alone.

    Examples
    --------
    >>> periods(Extent(first_day=date(2026, 6, 3), days=100, zones=1)).starts[1]
    datetime.date(2026, 6, 8)
    """
    days = [extent.first_day + timedelta(days=i) for i in range(extent.days)]
    if extent.days <= LONGEST_BY_DAY:
        name, keys = "day", [(day.toordinal(),) for day in days]
    elif extent.days <= LONGEST_BY_WEEK:
        name, keys = "week", [(day.toordinal() - day.weekday(),) for day in days]
    else:
        name, keys = "month", [(day.year, day.month) for day in days]
    numbers: dict[tuple[int, ...], int] = {}
    of_day = [numbers.setdefault(key, len(numbers)) for key in keys]
    starts = tuple(days[of_day.index(number)] for number in range(len(numbers)))
    return Periods(np.array(of_day, dtype=np.int64), starts, name)


def weekdays(extent: Extent) -> Integers:
    """Return the weekday (0 is Monday) of every declared day."""
    return (extent.first_day.weekday() + np.arange(extent.days)) % DAYS_PER_WEEK


def by_period(days: Integers, extent: Extent) -> Integers:
    """Return trips by period, and last those outside the declared days.

    Parameters
    ----------
    days : array, shape (days + 1,)
        Trips outside, then by day.
    """
    grouped = periods(extent)
    inside = np.bincount(grouped.of_day, weights=days[1:], minlength=len(grouped.starts))
    return np.append(inside, days[0]).astype(np.int64)


def by_weekday(days: Integers, extent: Extent) -> Integers:
    """Return trips by weekday from trips outside and by day."""
    counted = np.bincount(weekdays(extent), weights=days[1:], minlength=DAYS_PER_WEEK)
    return counted.astype(np.int64)


def by_zone(points: Integers, extent: Extent) -> Integers:
    """Return points by zone, the last outside, from points by zone and window or hour."""
    return points.reshape(extent.zones + 1, -1).sum(axis=1)


def numbers(
    truth: ReportTable, analysis: Analysis, parameters: ReportParameters, *, kept: bool = False
) -> Integers:
    """Return the numbers of one analysis before any noise (confidential).

    Parameters
    ----------
    truth : ReportTable
        A dataset's counts, see `engine.report.truth`.
    analysis : Analysis
        Size and missing parts give one number each, see `parts`; trips over time end with those
        outside the period, zones with the points outside; histograms start with what lies below
        and end with what lies above.
    parameters : ReportParameters
        Unit and bins are used, and M where `kept` is asked.
    kept : bool
        Count the trips that are kept, at most M a person, instead of all. The difference is the
        bounding error; what the noise adds is the rest.
    """
    count = partial(truth.counts, max_trips_per_user=parameters.kept if kept else None)

    def zones() -> Integers:
        return by_zone(count(Measure.ZONE_HOUR), truth.extent)

    if analysis is Analysis.STATISTICS:
        trips = int(count(Measure.DAY)[1:].sum())
        people = int(count(Measure.TRIPS_PER_USER).sum())
        return np.array([*([people] if parameters.unit == "user" else []), trips, 2 * trips])
    if analysis is Analysis.MISSING:
        return np.array([count(Measure.NO_END)[0], zones()[-1]])
    if analysis is Analysis.DAYS:
        return by_period(count(Measure.DAY), truth.extent)
    if analysis is Analysis.WEEKDAYS:
        return by_weekday(count(Measure.DAY), truth.extent)
    if analysis is Analysis.HOURS:
        return count(Measure.HOUR)
    if analysis is Analysis.ZONES:
        return zones()
    if analysis is Analysis.ZONE_WINDOWS:
        return by_window(truth, count(Measure.ZONE_HOUR), parameters.windows)
    if analysis is Analysis.FLOWS:
        return count(Measure.FLOW)
    fine = count(measure_of(analysis))
    return coarsen(fine, fine_positions(analysis, parameters.bins_of(analysis)))


def by_window(table: ReportTable, hours: Integers, windows: tuple[int, ...]) -> Integers:
    """Return points by zone and window from points by zone and hour.

    Raises
    ------
    ParameterError
        If the table was counted by the usual windows and these are no sums of them.
    """
    if not table.hourly and not set(windows) <= set(WINDOWS):
        raise ParameterError(
            "windows must be sums of the counted ones",
            value=", ".join(map(str, windows)),
            remedy=f"use edges out of {', '.join(map(str, WINDOWS))}, or build the dataset again "
            "to have every hour counted",
            settings=("windows",),
        )
    classes = classes_of(windows)
    starts = np.eye(classes.max() + 1, dtype=np.int64)[classes]
    return (hours.reshape(-1, HOUR_CLASSES) @ starts).reshape(-1)


def known_windows(points: Integers, windows: tuple[int, ...]) -> Integers:
    """Return points by zone and window of known time, those of weekends after weekdays."""
    return points.reshape(-1, 2 * len(windows_between(windows)) + 1)[:, :-1]
