"""Analyses that follow from others already asked, at no further cost (R6)."""

from collections.abc import Mapping

import numpy as np

from ..arrays import Floats, Integers
from . import vectors
from .aggregates import ReportTable
from .analyses import Analysis
from .results import Result

Terms = tuple[tuple[Floats, Integers], ...]


def derive(
    table: ReportTable,
    analysis: Analysis,
    asked: Mapping[Analysis, Result],
    origins: tuple[Analysis, ...],
) -> Result:
    """Return an analysis computed from noisy numbers alone.

    Weekdays are sums of noisy days; zones sums of their time windows; people the sum of trips per
    person; trips the sum of days, and points twice that; trips without an end what travel times
    leave of all trips; points outside the outside of the windows. `asked` has days by day, the
    first one outside the period; `origins` is what the analysis is computed from.
    """
    noisy, terms = _COMPUTE[analysis](table, asked)
    return Result(analysis=analysis, epsilon=0.0, sources=origins, noisy=noisy, terms=terms)


def _weekdays(table: ReportTable, asked: Mapping[Analysis, Result]) -> tuple[Integers, Terms]:
    days = asked[Analysis.DAYS]
    counts = vectors.by_weekday(np.ones(len(days.noisy), dtype=np.int64), table.extent)
    scales = np.full(len(counts), _scale(days))
    return vectors.by_weekday(days.noisy, table.extent), ((scales, counts),)


def _zones(table: ReportTable, asked: Mapping[Analysis, Result]) -> tuple[Integers, Terms]:
    windows = asked[Analysis.ZONE_WINDOWS]
    noisy = vectors.by_zone(windows.noisy, table.extent)
    scales = np.full(len(noisy), _scale(windows))
    return noisy, ((scales, np.full(len(noisy), len(windows.noisy) // len(noisy))),)


def _statistics(table: ReportTable, asked: Mapping[Analysis, Result]) -> tuple[Integers, Terms]:
    days = asked[Analysis.DAYS]
    trips = int(days.noisy[1:].sum())
    number, scale = table.extent.days, _scale(days)
    if Analysis.TRIPS_PER_USER not in asked:
        counts = np.full(2, number)
        return np.array([trips, 2 * trips]), ((np.array([scale, 2 * scale]), counts),)
    people = asked[Analysis.TRIPS_PER_USER]
    noisy = np.array([people.total, trips, 2 * trips])
    scales = np.array([_scale(people), scale, 2 * scale])
    return noisy, ((scales, np.array([len(people.noisy), number, number])),)


def _missing(table: ReportTable, asked: Mapping[Analysis, Result]) -> tuple[Integers, Terms]:
    days, times = asked[Analysis.DAYS], asked[Analysis.TRAVEL_TIME]
    windows = asked[Analysis.ZONE_WINDOWS]
    trips = int(days.noisy[1:].sum())
    zones, ((_, classes),) = _zones(table, asked)
    first = (np.array([_scale(days), _scale(windows)]), np.array([table.extent.days, classes[-1]]))
    second = (np.array([_scale(times), 0.0]), np.array([len(times.noisy), 0]))
    return np.array([trips - times.total, zones[-1]]), (first, second)


def _scale(result: Result) -> float:
    return float(result.terms[0][0][0])


_COMPUTE = {
    Analysis.WEEKDAYS: _weekdays,
    Analysis.ZONES: _zones,
    Analysis.STATISTICS: _statistics,
    Analysis.MISSING: _missing,
}
