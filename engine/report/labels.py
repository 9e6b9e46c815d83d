"""What the numbers of each analysis stand for, in their order; fixed by public settings."""

from collections.abc import Sequence
from itertools import pairwise, product

from .analyses import Analysis, parts
from .measures import Extent, windows_between
from .settings import ReportParameters
from .vectors import periods

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def windows_in_words(edges: tuple[int, ...]) -> list[str]:
    """Return the names of the windows of known time, weekdays first.

    Examples
    --------
    >>> windows_in_words((0, 12, 24))[1:3]
    ['weekdays 12-24 h', 'weekends 0-12 h']
    """
    hours = [f"{low}-{high} h" for low, high in windows_between(edges)]
    return [f"{day} {hour}" for day, hour in product(("weekdays", "weekends"), hours)]


def labels(
    analysis: Analysis, parameters: ReportParameters, extent: Extent, zones: Sequence[str]
) -> list[str]:
    """Return the name of every number of an analysis; `zones` are ids or names, in their order.

    Examples
    --------
    >>> from datetime import date
    >>> labels(Analysis.FLOWS, ReportParameters(epsilon=1.0),
    ...        Extent(first_day=date(2026, 6, 1), days=7, zones=2), ["A", "B"])
    ['A > A', 'A > B', 'B > A', 'B > B']
    """
    if analysis.is_histogram:
        edges = parameters.bins_of(analysis).edges
        inner = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
        return [f"below {edges[0]:g}", *inner, f"{edges[-1]:g} and above"]
    if analysis in (Analysis.STATISTICS, Analysis.MISSING):
        return [name for name, _ in parts(analysis, parameters.unit)]
    places = [*zones, "outside"]
    when = [*windows_in_words(parameters.windows), "time unknown"]
    of_hours = product(("start", "end"), ("weekday", "weekend"), range(24))
    return {
        Analysis.DAYS: lambda: [
            *(day.isoformat() for day in periods(extent).starts),
            "outside the period",
        ],
        Analysis.WEEKDAYS: lambda: list[str](DAYS),
        Analysis.HOURS: lambda: [f"{end}, {day}, {hour} h" for end, day, hour in of_hours],
        Analysis.ZONES: lambda: places,
        Analysis.ZONE_WINDOWS: lambda: [f"{zone} / {time}" for zone, time in product(places, when)],
        Analysis.FLOWS: lambda: [f"{a} > {b}" for a, b in product(zones, zones)],
    }[analysis]()
