"""Reading ``report.parquet``: every count of a report at any M, without a look at a person."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .. import validation
from ..arrays import Floats, Integers
from ..datasets import Dataset, remembered
from ..errors import DatasetError, ParameterError
from .measures import BEYOND, HOUR_CLASSES, STOPS, UNKNOWN_TIME, WINDOWS, Extent, Measure

FILE = "report.parquet"


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of one measure, sorted by cap; `ends` is where those of each stop end."""

    position: Integers
    n: Floats
    ends: Integers


class ReportTable:
    """The cached counts behind a mobility report (confidential).

    `hourly` says whether points were counted by the hour, so that any windows can be asked for.

    Parameters
    ----------
    table : pyarrow.Table
        ``measure, cap, bin, n`` as described in `engine.report.measures`.
    extent : Extent
        The declared period, and zones.

    Raises
    ------
    DatasetError
        If a row names an unknown measure, stop or bin.

    Examples
    --------
    >>> from datetime import date
    >>> table = pa.table({"measure": ["no_end", "no_end"], "cap": [1, 3], "bin": [0, 0],
    ...                   "n": [4, 2]})
    >>> rows = ReportTable(table, Extent(first_day=date(2026, 6, 1), days=1, zones=1))
    >>> int(rows.counts(Measure.NO_END, 1)[0]), int(rows.counts(Measure.NO_END, None)[0])
    (4, 6)
    """

    def __init__(self, table: pa.Table, extent: Extent) -> None:
        self.extent = extent
        table, self.hourly = _hourly(table)
        known = [str(measure) for measure in Measure]
        code = pc.index_in(table["measure"].cast(pa.string()), value_set=pa.array(known))
        measure = code.fill_null(-1).to_numpy()
        cap = np.searchsorted(np.array((*STOPS, BEYOND)), table["cap"].to_numpy())
        caps = np.array((*STOPS, BEYOND, -1))[cap]
        if (measure < 0).any() or (caps != table["cap"].to_numpy()).any():
            raise _damaged()
        order = np.lexsort((cap, measure))
        bins = table["bin"].to_numpy()[order].astype(np.int64)
        n = table["n"].to_numpy()[order].astype(np.float64)
        cap, measure = cap[order], measure[order]
        self._rows: dict[Measure, _Rows] = {}
        self._whole: dict[Measure, Integers] = {}
        for number, name in enumerate(Measure):
            rows = slice(*np.searchsorted(measure, [number, number + 1]))
            lowest, size = extent.bins(name)
            position = bins[rows] - lowest
            if len(position) and not (position.min() >= 0 and position.max() < size):
                raise _damaged()
            ends = np.searchsorted(cap[rows], np.arange(len(STOPS) + 1), side="right")
            self._rows[name] = _Rows(position, n[rows], ends.astype(np.int64))

    @property
    def has_travel_times(self) -> bool:
        """Whether trips come with end times; those found between sightings do not."""
        return len(self._rows[Measure.TRAVEL_TIME].n) > 0

    def counts(self, measure: Measure, max_trips_per_user: int | None) -> Integers:
        """Return the counts of all bins of `measure`, the ones below and above included.

        Parameters
        ----------
        measure : Measure
            What is counted.
        max_trips_per_user : int or None
            M, one of `STOPS`; None counts all trips.

        Returns
        -------
        array of int64, shape (bins,)
            At least 0. Removing one person changes it by at most `sensitivity` in L₁.
        """
        if max_trips_per_user is None:  # the truth is the same for every setting
            if measure not in self._whole:
                self._whole[measure] = self._counted(measure, None)
                self._whole[measure].flags.writeable = False
            return self._whole[measure]
        return self._counted(measure, max_trips_per_user)

    def _counted(self, measure: Measure, max_trips_per_user: int | None) -> Integers:
        rows = self._rows[measure]
        last = len(STOPS) if max_trips_per_user is None else stop_index(max_trips_per_user)
        end = int(rows.ends[last])
        size = self.extent.bins(measure)[1]
        counted = np.bincount(rows.position[:end], weights=rows.n[:end], minlength=size)
        return counted.astype(np.int64)


def _hourly(table: pa.Table) -> tuple[pa.Table, bool]:
    """Return a table with points by hour, and whether they were counted so.

    Older tables have points by the usual windows (``zone_window``): each stands at the first hour
    of its window, so that sums over these windows are the same.
    """
    older = pc.equal(table["measure"].cast(pa.string()), "zone_window")
    if not pc.any(older).as_py():
        return table, True
    starts = np.array([*WINDOWS[:-1], *(24 + hour for hour in WINDOWS[:-1]), UNKNOWN_TIME])
    numbers = table["bin"].to_numpy().astype(np.int64)
    zone, window = np.divmod(numbers, len(starts))
    moved = np.where(older.to_numpy(), zone * HOUR_CLASSES + starts[window], numbers)
    names = pc.if_else(older, str(Measure.ZONE_HOUR), table["measure"].cast(pa.string()))
    caps, n = table["cap"], table["n"]
    return pa.table({"measure": names, "cap": caps, "bin": moved, "n": n}), False


def stop_index(max_trips_per_user: int) -> int:
    """Return the position of M among `STOPS`.

    Raises
    ------
    ParameterError
        If it is no whole number from 1 to 256, or no stop.
    """
    remedy = f"the counts are kept for {', '.join(map(str, STOPS))}"
    value = validation.whole_number(
        "max_trips_per_user", max_trips_per_user, 1, STOPS[-1], remedy=remedy
    )
    if value not in STOPS:
        raise ParameterError(
            f"max_trips_per_user must be one of the stops, got {max_trips_per_user!r}; {remedy}"
        )
    return STOPS.index(value)


def available(dataset: Dataset) -> bool:
    """Whether a dataset has the tables of a mobility report."""
    return (dataset.folder / FILE).is_file()


def truth(dataset: Dataset) -> ReportTable:
    """Return the counts behind a dataset's mobility report (confidential), read once.

    They answer for every M and all bins; `numbers` are those of one analysis.

    Raises
    ------
    DatasetError
        If it has none, saying how to get them, or the file is damaged.
    """
    if not available(dataset):
        raise DatasetError(
            f"dataset '{dataset.id}' has no mobility report ({FILE}); build it again from its "
            "table of trips or visits: the report is made with the trips of people"
        )

    def build() -> ReportTable:
        try:
            table = pq.read_table(dataset.folder / FILE)
        except (pa.ArrowInvalid, OSError) as error:
            raise _damaged(dataset.id) from error
        return ReportTable(table, extent_of(dataset))

    return remembered(dataset, "report", build)


def extent_of(dataset: Dataset) -> Extent:
    """Return the declared period and the number of zones; no count is read."""
    metadata = dataset.metadata
    return Extent(first_day=metadata.first_day, days=len(metadata.days), zones=len(dataset.zones))


def _damaged(name: str = "") -> DatasetError:
    of = f"dataset '{name}': " if name else ""
    return DatasetError(f"{of}{FILE} is not as expected; build the dataset again")
