"""Views of a dataset by `engine.contract.Selection`, made of the cached counts alone.

Trips. Zones are joined and days are added up after trips were ranked and counted. A trip inside one
coarse zone is dropped like every trip inside one zone; its rank is not used again, so a person has
at most T trips and often fewer than in a dataset ingested at the coarse level. One unit of privacy
still changes the truncated counts by at most T in L₁ (1 at trip level), whichever days are
selected: a unit's trips are the same trips, some of them left out or added up.

Density. Towers stay as they are; zones are joined before the cover is found, so that the mechanism
counts in fewer, larger cells. A person's visits change the counts by at most ℓ in L₁ as before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np

from ..arrays import Integers
from ..contract import Selection, TimeSelection
from ..datasets import Dataset, Metadata, TripCounts, Trips, load, memoise
from ..datasets.trip_counts import concatenate_trips, sum_over_days
from ..errors import DatasetError, ParameterError
from ..geography import Tessellation, tessellate
from .levels import FINEST, join_zones, zone_labels

EVERY_DAY = TimeSelection()
INHABITED_LEVEL = "inhabited"
_MIN_RESIDENTS = 2


@dataclass(frozen=True, kw_only=True)
class ViewMetadata(Metadata):
    """Metadata of the selected days, for which a person pays, whatever `matrix_starts`."""

    matrix_starts: tuple[date, ...] = ()
    viewed_days: tuple[date, ...] = ()

    @property
    def days(self) -> tuple[date, ...]:
        """Every selected day, also those without a single trip."""
        return self.viewed_days

    @property
    def periods(self) -> tuple[date, ...]:
        """First day of every matrix."""
        return self.matrix_starts


def _delegate_to_base(name: str) -> property:
    return property(lambda view: getattr(view.base, name))


class DatasetView(Dataset):
    """`base` at coarser zones, or at some of its days, or both; see `make_view`."""

    # values by tower are the same at every level of zones
    towers: Any = _delegate_to_base("towers")
    truth_by_tower: Any = _delegate_to_base("truth_by_tower")
    single_visit_by_tower: Any = _delegate_to_base("single_visit_by_tower")
    presampled_by_tower: Any = _delegate_to_base("presampled_by_tower")
    multiscale_tables: Any = _delegate_to_base("multiscale_tables")

    def __init__(self, base: Dataset, level: str, time: TimeSelection) -> None:
        self.base, self.level, self.time = base, level, time
        self.folder, self.id = base.folder, base.id
        # public, and the same for every selection of days
        labels, self._ids, self._names = memoise(
            base, ("labels", level), lambda: zone_labels(base.zones, level)
        )
        self.labels: Integers = labels
        self.metadata = view_metadata(base.metadata, time)

    @cached_property
    def zones(self) -> gpd.GeoDataFrame:
        """Coarse zones in the order in which their first zone stands: zone_id, name, geometry."""
        if self.level == FINEST:
            return self.base.zones
        base, labels, ids, names = self.base, self.labels, self._ids, self._names
        return memoise(
            base, ("zones", self.level), lambda: join_zones(base.zones, labels, ids, names)
        )

    @cached_property
    def tessellation(self) -> Tessellation:
        """Overlaps and minimum cover of the towers and the coarse zones."""
        if self.level == FINEST:
            return self.base.tessellation
        return memoise(
            self.base,
            ("tessellation", self.level),
            lambda: tessellate(self.base.towers, self.zones),
        )

    @cached_property
    def trips(self) -> Trips:
        """Trips between coarse zones by period, ranked as they were within the person-day."""
        return self._view_trips("trips", self.base.trips)

    @cached_property
    def trips_by_person(self) -> Trips:
        """Trips between coarse zones, ranked within the person over all declared days."""
        return self._view_trips("trips by person", self.base.trips_by_person)

    @cached_property
    def homes(self) -> Integers | None:
        """People by coarse home zone."""
        homes = self.base.homes
        if homes is None:
            return None
        return np.bincount(self.labels, weights=homes, minlength=len(self._ids)).astype(np.int64)

    def _view_trips(self, table_name: str, base_trips: Trips) -> Trips:
        positions = self.time.day_positions(base_trips.days)
        matrices = self.time.days_by_matrix(base_trips.days)

        def sum_days(days: Sequence[int], number: int) -> TripCounts:
            if len(days) == base_trips.days:
                return sum_over_days(self._map_trips(base_trips.sum_days(days)), number)
            return sum_over_days(
                concatenate_trips([self._map_trips(base_trips.day(day)) for day in days]), number
            )

        def day(number: int) -> TripCounts:
            days = matrices[number]
            return memoise(self, (table_name, number), lambda: sum_days(days, number))

        def total() -> TripCounts:
            return memoise(self, (table_name,), lambda: sum_days(positions, 0))

        return Trips(len(matrices), day, total)

    def _map_trips(self, fine: TripCounts) -> TripCounts:
        origin, destination = self.labels[fine.origin], self.labels[fine.destination]
        out = origin != destination
        return TripCounts(
            fine.day[out], origin[out], destination[out], fine.rank[out], fine.trip_count[out]
        )


class InhabitedDataset(DatasetView):
    """A view of the inhabited zones of `base`, as confidential as the homes: never released.

    Trips were ranked before: removing one unit of privacy changes the truncated counts by at most T
    in L₁, as in `base`. `DatasetError` where people live in fewer than two zones.
    """

    def __init__(self, base: Dataset) -> None:
        homes = np.zeros(0) if base.homes is None else base.homes
        self.inhabited_positions: Integers = np.flatnonzero(homes > 0)
        if (count := len(self.inhabited_positions)) < _MIN_RESIDENTS:
            raise DatasetError(
                f"at least {_MIN_RESIDENTS} zones of dataset '{base.id}' must have residents",
                value=f"{count}",
                remedy="choose a dataset that tells where people live",
            )
        super().__init__(base, FINEST, EVERY_DAY)
        self.labels = np.full(len(base.zones), -1)
        self.labels[self.inhabited_positions] = np.arange(count)

    @cached_property
    def zones(self) -> gpd.GeoDataFrame:
        """Inhabited zones, in the order of `base`."""
        return self.base.zones.iloc[self.inhabited_positions].reset_index(drop=True)

    @cached_property
    def tessellation(self) -> Tessellation:
        """Overlaps and minimum cover of the towers and the inhabited zones."""
        return tessellate(self.base.towers, self.zones)

    @cached_property
    def homes(self) -> Integers | None:
        """People by home zone, above 0."""
        homes = self.base.homes
        return None if homes is None else homes[self.inhabited_positions]

    def _map_trips(self, fine: TripCounts) -> TripCounts:
        rows = (self.labels[fine.origin] >= 0) & (self.labels[fine.destination] >= 0)
        return super()._map_trips(TripCounts(*(column[rows] for column in vars(fine).values())))


def make_view(
    dataset: Dataset, zone_level: str = FINEST, time: TimeSelection = EVERY_DAY
) -> Dataset:
    """Return `dataset` at a zone level and a time selection; itself at its own zones, day by day.

    `zone_level` is one of its levels (`zone_labels`), `time` the selected days and their
    aggregation to matrices of flows. `ParameterError` for an unknown level or day, or a view of a
    view.
    """
    if isinstance(dataset, DatasetView):
        raise ParameterError(
            "dataset must be as it was ingested", value="a view", remedy="look at its base"
        )
    days, last = len(dataset.metadata.days), time.last_position
    if time.first_position >= days or (last is not None and last >= days):
        raise ParameterError(
            f"the days that are seen must be among the {days} declared ones (0 to {days - 1})",
            value=f"{time.first_position} to {'the last' if last is None else last}",
            remedy="leave first and last out to see all days",
        )
    is_unchanged = time.aggregation == "day" and len(time.day_positions(days)) == days
    return (
        dataset if zone_level == FINEST and is_unchanged else DatasetView(dataset, zone_level, time)
    )


def open_view(
    selection: Selection, open_dataset: Callable[[str], Dataset] | None = None
) -> Dataset:
    """Return the view of a selection; a caching `open_dataset` lets views share their base."""
    folder = Path(selection.dataset_id)
    if open_dataset is not None:
        base = open_dataset(selection.dataset_id)
    else:
        is_version = (folder / "dataset.json").is_file()
        base = Dataset(folder) if is_version else load(selection.dataset_id)
    if selection.zone_level == INHABITED_LEVEL:
        return InhabitedDataset(base)
    return make_view(base, selection.zone_level, selection.time)


def view_metadata(metadata: Metadata, time: TimeSelection) -> Metadata:
    """Return a view's metadata: the selected days, and the first of every matrix."""
    declared = metadata.days
    positions = time.day_positions(len(declared))
    fields: dict[str, Any] = dict(vars(metadata))
    if not metadata.people_once:
        fields |= {"first_day": declared[positions[0]], "last_day": declared[positions[-1]]}
    if time.aggregation == "day":
        return Metadata(**fields)
    starts = tuple(declared[days[0]] for days in time.days_by_matrix(len(declared)))
    return ViewMetadata(
        **fields, matrix_starts=starts, viewed_days=tuple(declared[day] for day in positions)
    )


def finest_selection(selection: Selection) -> Selection:
    """Return the selection of the same dataset as it was ingested."""
    return replace(selection, zone_level=FINEST, time=EVERY_DAY)
