"""Names of the numbers of each analysis, from public settings."""

from collections.abc import Sequence
from itertools import pairwise, product

from .aggregates import group_days
from .measures import Extent
from .settings import BINS, Analysis, ReportParameters


def labels(
    analysis: Analysis, parameters: ReportParameters, extent: Extent, zones: Sequence[str]
) -> list[str]:
    """Return the name of every number of an analysis; `zones` are ids or names, in order.

    Examples
    --------
    >>> from datetime import date
    >>> labels(Analysis.FLOWS, ReportParameters(epsilon=1.0),
    ...        Extent(first_day=date(2026, 6, 1), day_count=7, zone_count=2), ["A", "B"])
    ['A > A', 'A > B', 'B > A', 'B > B']
    """
    if analysis.is_histogram:
        edges = BINS[analysis].edges
        inner = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
        return [f"below {edges[0]:g}", *inner, f"{edges[-1]:g} and above"]
    if analysis is Analysis.SIZE:
        return ["people", "trips"] if parameters.unit == "user" else ["trips"]
    if analysis is Analysis.DAYS:
        return [*(day.isoformat() for day in group_days(extent).first_days), "outside the period"]
    if analysis is Analysis.HOURS:
        of_hours = product(("start", "end"), ("weekday", "weekend"), range(24))
        return [f"{end}, {day}, {hour} h" for end, day, hour in of_hours]
    if analysis is Analysis.VISITS:
        return [*zones, "outside"]
    return [f"{a} > {b}" for a, b in product(zones, zones)]
