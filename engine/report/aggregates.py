"""True counts of a mobility report, read from ``report.parquet`` at any M, and their names."""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..arrays import Floats, Integers
from ..datasets import Dataset, memoise
from ..errors import DatasetError
from .measures import OVERFLOW_CAP, STOPS, Extent, Measure
from .settings import BINS, Analysis, ReportParameters, stop_index

FILE = "report.parquet"


class ReportTable:
    """The cached counts behind a mobility report (confidential).

    `table` holds ``measure, cap, bin, n`` as described in `engine.report.measures`. Raises
    `DatasetError` if a row has an unknown stop or bin.
    """

    def __init__(self, table: pa.Table, extent: Extent) -> None:
        self.extent = extent
        self._rows: dict[Measure, tuple[Integers, Floats, Integers]] = {}
        names = table["measure"].cast(pa.string())
        for measure in Measure:
            rows = table.filter(pc.equal(names, str(measure))).sort_by("cap")
            lowest, size = extent.bins(measure)
            bins = rows["bin"].to_numpy().astype(np.int64) - lowest
            caps, n = rows["cap"].to_numpy(), rows["n"].to_numpy().astype(np.float64)
            are_caps_known = np.isin(caps, (*STOPS, OVERFLOW_CAP)).all()
            if not are_caps_known or (len(bins) and not 0 <= bins.min() <= bins.max() < size):
                raise corruption_error()
            ends = np.searchsorted(caps, (*STOPS, OVERFLOW_CAP), side="right")
            self._rows[measure] = bins, n, ends

    @property
    def has_travel_times(self) -> bool:
        """Whether trips have measured end times; trips from sightings do not."""
        return len(self._rows[Measure.TRAVEL_TIME][0]) > 0

    def counts(self, measure: Measure, max_trips_per_user: int | None) -> Integers:
        """Return the counts of all bins of `measure`, below and above too, at M (None: all)."""
        bins, n, ends = self._rows[measure]
        end = ends[-1 if max_trips_per_user is None else stop_index(max_trips_per_user)]
        size = self.extent.bins(measure)[1]
        return np.bincount(bins[:end], weights=n[:end], minlength=size).astype(np.int64)


def has_report(dataset: Dataset) -> bool:
    """Return whether a dataset has the tables of a mobility report."""
    return (dataset.folder / FILE).is_file()


def truth(dataset: Dataset) -> ReportTable:
    """Return the counts behind a report at every M (confidential), read once, or `DatasetError`."""
    if not has_report(dataset):
        raise DatasetError(
            f"dataset '{dataset.id}' has no mobility report ({FILE})",
            remedy="build it again from its table of trips or visits",
        )

    def build() -> ReportTable:
        try:
            table = pq.read_table(dataset.folder / FILE)
        except (pa.ArrowInvalid, OSError) as error:
            raise corruption_error(dataset.id) from error
        return ReportTable(table, report_extent(dataset))

    return memoise(dataset, "report", build)


def fit_to_table(parameters: ReportParameters, table: ReportTable) -> ReportParameters:
    """Return the parameters without analyses that the table lacks, such as travel times."""
    if table.has_travel_times or Analysis.TRAVEL_TIME not in parameters.analyses:
        return parameters
    return parameters.without([Analysis.TRAVEL_TIME])


def report_extent(dataset: Dataset) -> Extent:
    """Return the declared period and the number of zones; no count is read."""
    metadata = dataset.metadata
    return Extent(metadata.first_day, len(metadata.days), len(dataset.zones))


def corruption_error(name: str = "") -> DatasetError:
    """Return the error of an inconsistent table."""
    prefix = f"dataset '{name}': " if name else ""
    return DatasetError(f"{prefix}{FILE} is not as expected", remedy="build the dataset again")


class ReportPeriods(NamedTuple):
    """Periods of the declared days: the index of each day's period, and first days."""

    period_of_day: Integers
    first_days: tuple[date, ...]


def group_days(extent: Extent) -> ReportPeriods:
    """Return the declared days by day, week (from Monday) or month, by their number alone.

    >>> group_days(Extent(first_day=date(2026, 6, 3), day_count=100, zone_count=1)).first_days[1]
    datetime.date(2026, 6, 8)
    """
    days = [extent.first_day + timedelta(days=i) for i in range(extent.day_count)]
    if extent.day_count <= 90:
        keys = [day.toordinal() for day in days]
    elif extent.day_count <= 712:
        keys = [day.toordinal() - day.weekday() for day in days]
    else:
        keys = [12 * day.year + day.month for day in days]
    _, first, of_day = np.unique(keys, return_index=True, return_inverse=True)
    return ReportPeriods(of_day, tuple(days[position] for position in first))


def count_analysis(
    table: ReportTable,
    analysis: Analysis,
    parameters: ReportParameters,
    *,
    is_truncated: bool = False,
) -> Integers:
    """Return the true numbers of one analysis, whole, one per bin (confidential).

    `SIZE` gives people (at unit user) and trips; `DAYS` end with trips outside the period, `VISITS`
    with points outside all zones; histograms start with the count below their bins and end with the
    one above. If `is_truncated`, at most M trips a person count, at unit user.
    """
    trip_limit = parameters.trip_limit if is_truncated else None
    days = table.counts(Measure.DAY, trip_limit)
    if analysis is Analysis.SIZE:
        # everybody has one trip of rank 1, in the period if any is
        everybody = table.counts(Measure.DAY, 1)[1:].sum()
        people = [everybody] if parameters.unit == "user" else []
        return np.array([*people, days[1:].sum()], dtype=np.int64)
    if analysis is Analysis.DAYS:
        grouped = group_days(table.extent)
        inside = np.zeros(len(grouped.first_days), dtype=np.int64)
        np.add.at(inside, grouped.period_of_day, days[1:])
        return np.append(inside, days[0])
    if analysis.is_histogram:
        bins = BINS[analysis]
        return bins.coarsen(table.counts(bins.measure, trip_limit))
    plain = {
        Analysis.HOURS: Measure.HOUR,
        Analysis.VISITS: Measure.ZONE,
        Analysis.FLOWS: Measure.FLOW,
    }
    return table.counts(plain[analysis], trip_limit)


def labels(
    analysis: Analysis, parameters: ReportParameters, extent: Extent, zones: Sequence[str]
) -> list[str]:
    """Return the name of every number of an analysis; `zones` are ids or names, in order."""
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
