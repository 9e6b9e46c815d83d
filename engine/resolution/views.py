"""A dataset as it is looked at (`engine.contract.Seen`): made of the cached counts alone.

Trips. Zones are joined and days are added up after trips were ranked and counted. A trip inside
one coarse zone is dropped like every trip inside one zone; its rank is not used again, so a person
keeps at most T trips and often fewer than a dataset ingested at the coarse level would keep. One
unit of protection still changes the kept counts by at most T in L₁ (1 at trip level), whichever
days are seen: a unit's trips are the same trips, some of them left out or added up.

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
from ..contract import Seen, When
from ..datasets import Dataset, Metadata, TripCounts, Trips, load, remembered
from ..datasets.tripcounts import added_up, together
from ..errors import ParameterError
from ..geography import Tessellation, tessellate
from .levels import FINEST, joined_zones, labels_of

ALL_DAYS = When()


@dataclass(frozen=True, kw_only=True)
class SeenMetadata(Metadata):
    """Metadata of the days that are seen; `days` are those a person pays for, whatever `starts`."""

    starts: tuple[date, ...] = ()
    seen: tuple[date, ...] = ()

    @property
    def days(self) -> tuple[date, ...]:
        """Every day that is seen, also those without a single trip."""
        return self.seen

    @property
    def periods(self) -> tuple[date, ...]:
        """First day of every matrix."""
        return self.starts


def _of_base(name: str) -> property:
    return property(lambda view: getattr(view.base, name))


class View(Dataset):
    """`base` at coarser zones, or at some of its days, or both; see `look_at`."""

    # what is known by towers is the same at every level of zones
    towers: Any = _of_base("towers")
    truth_by_tower: Any = _of_base("truth_by_tower")
    single_visit_by_tower: Any = _of_base("single_visit_by_tower")
    presampled_by_tower: Any = _of_base("presampled_by_tower")
    zoom_tables: Any = _of_base("zoom_tables")

    def __init__(self, base: Dataset, level: str, when: When) -> None:
        self.base, self.level, self.when = base, level, when
        self.folder, self.id = base.folder, base.id
        # public, and the same at every span of time
        labels, self._ids, self._names = remembered(
            base, ("labels", level), lambda: labels_of(base.zones, level)
        )
        self.labels: Integers = labels
        self.metadata = seen_metadata(base.metadata, when)

    @cached_property
    def zones(self) -> gpd.GeoDataFrame:
        """Coarse zones in the order in which their first zone stands: zone_id, name, geometry."""
        if self.level == FINEST:
            return self.base.zones
        base, labels, ids, names = self.base, self.labels, self._ids, self._names
        return remembered(
            base, ("zones", self.level), lambda: joined_zones(base.zones, labels, ids, names)
        )

    @cached_property
    def tessellation(self) -> Tessellation:
        """Overlaps and minimum cover of the towers and the coarse zones."""
        if self.level == FINEST:
            return self.base.tessellation
        return remembered(
            self.base,
            ("tessellation", self.level),
            lambda: tessellate(self.base.towers, self.zones),
        )

    @cached_property
    def trips(self) -> Trips:
        """Trips between coarse zones by period, ranked as they were within the person-day."""
        return self._view("trips", self.base.trips)

    @cached_property
    def trips_by_person(self) -> Trips:
        """The same, ranked within the person over all declared days."""
        return self._view("trips by person", self.base.trips_by_person)

    @cached_property
    def homes(self) -> Integers | None:
        """People by coarse home zone."""
        homes = self.base.homes
        if homes is None:
            return None
        return np.bincount(self.labels, weights=homes, minlength=len(self._ids)).astype(np.int64)

    def _view(self, what: str, fine: Trips) -> Trips:
        seen = self.when.positions(fine.days)
        matrices = self.when.groups(fine.days)

        def summed(days: Sequence[int], number: int) -> TripCounts:
            if len(days) == fine.days:
                return added_up(self._joined(fine.summed(days)), number)
            return added_up(together([self._joined(fine.day(day)) for day in days]), number)

        def day(number: int) -> TripCounts:
            days = matrices[number]
            return remembered(self, (what, number), lambda: summed(days, number))

        def total() -> TripCounts:
            return remembered(self, (what,), lambda: summed(seen, 0))

        return Trips(len(matrices), day, total)

    def _joined(self, fine: TripCounts) -> TripCounts:
        """Return trips between coarse zones, in the order of the fine ones."""
        origin, destination = self.labels[fine.origin], self.labels[fine.destination]
        out = origin != destination
        return TripCounts(fine.day[out], origin[out], destination[out], fine.rank[out], fine.n[out])


def look_at(dataset: Dataset, zones: str = FINEST, when: When = ALL_DAYS) -> Dataset:
    """Return `dataset` as it is looked at; itself at its own zones, day by day.

    `zones` is one of its levels (`labels_of`), `when` the days that are seen and how long one
    matrix of flows collects. `ParameterError` where it has no such level or day, or is a view.

    Examples
    --------
    >>> demo = load("demo-city")
    >>> seen = look_at(demo, "clusters-20", When(step="whole", first=2, last=4))
    >>> len(seen.zones), len(seen.metadata.days), len(seen.metadata.periods)
    (20, 3, 1)
    """
    if isinstance(dataset, View):
        raise ParameterError("dataset must be as it was ingested, got a view; look at its base")
    days, last = len(dataset.metadata.days), when.last
    if when.first >= days or (last is not None and last >= days):
        raise ParameterError(
            f"the days that are seen must be among the {days} declared ones (0 to {days - 1})",
            value=f"{when.first} to {'the last' if last is None else last}",
            remedy="leave first and last out to see all days",
        )
    whole = when.step == "day" and len(when.positions(days)) == days
    return dataset if zones == FINEST and whole else View(dataset, zones, when)


def open_seen(seen: Seen, opened: Callable[[str], Dataset] | None = None) -> Dataset:
    """Open a dataset as it is looked at; errors are those of `load` and `look_at`.

    `opened` opens a dataset by its id: give one that keeps it, so that views share their base.

    Examples
    --------
    >>> len(open_seen(Seen(dataset="demo-city", zones="clusters-20")).zones)
    20
    """
    from .inhabited import INHABITED, InhabitedDataset  # a view itself

    base = (opened or _opened)(seen.dataset)
    return (
        InhabitedDataset(base) if seen.zones == INHABITED else look_at(base, seen.zones, seen.when)
    )


def _opened(dataset: str) -> Dataset:
    folder = Path(dataset)
    return Dataset(folder) if (folder / "dataset.json").is_file() else load(dataset)


def seen_metadata(metadata: Metadata, when: When) -> Metadata:
    """Return what a view's metadata say: the days that are seen, and the first of every matrix.

    Examples
    --------
    >>> week = seen_metadata(load("demo-city").metadata, When(step="week"))
    >>> len(week.days), len(week.periods)
    (7, 1)
    """
    declared = metadata.days
    seen = when.positions(len(declared))
    ends = {"first_day": declared[seen[0]], "last_day": declared[seen[-1]]}
    fields: dict[str, Any] = {**vars(metadata), **ends}
    if when.step == "day":
        return Metadata(**fields)
    starts = tuple(declared[days[0]] for days in when.groups(len(declared)))
    return SeenMetadata(**fields, starts=starts, seen=tuple(declared[day] for day in seen))


def finest(seen: Seen) -> Seen:
    """Return the same dataset as it was ingested."""
    return replace(seen, zones=FINEST, when=ALL_DAYS)
