"""A dataset seen at a coarser resolution: a view made of the cached counts alone.

Trips. Zones are joined and days are added up after trips were ranked and counted. A trip inside
one coarse zone is dropped like every trip inside one zone; its rank is not used again, so a person
keeps at most T trips and often fewer than a dataset ingested at the coarse level would keep. One
unit of protection still changes the kept counts by at most T in L₁ (1 at trip level).

Density. Towers stay as they are; zones are joined before the cover is found, so that the mechanism
counts in fewer, larger cells. A person's visits change the counts by at most ℓ in L₁ as before;
hours that are counted together are bounded in `engine.resolution.hours`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import geopandas as gpd
import numpy as np
import shapely

from ..arrays import Geometries, Integers
from ..datasets import Dataset, Metadata, TripCounts, Trips, remembered
from ..datasets.tripcounts import added_up, together
from ..errors import ParameterError
from ..geography import Tessellation, tessellate
from .hours import hour_blocks
from .levels import FINEST, Resolution, TimeStep, labels_of

DAYS_PER_WEEK = 7


@dataclass(frozen=True, kw_only=True)
class CoarseMetadata(Metadata):
    """Metadata whose matrices span several days each.

    Attributes
    ----------
    starts : tuple of date
        First day of every matrix. `days` are still the declared days, by which a person pays.
    """

    starts: tuple[date, ...] = ()

    @property
    def periods(self) -> tuple[date, ...]:
        """First day of every matrix."""
        return self.starts


def _of_base(name: str) -> property:
    return property(lambda view: getattr(view.base, name))


class CoarseDataset(Dataset):
    """A view of `base` at a coarser resolution; see `coarsen`.

    Attributes
    ----------
    base : Dataset
        The dataset as it was ingested.
    labels : int array, shape (zones of `base`,)
        Coarse zone of every zone.
    """

    # what is known by towers is the same at every resolution
    towers: Any = _of_base("towers")
    truth_by_tower: Any = _of_base("truth_by_tower")
    single_visit_by_tower: Any = _of_base("single_visit_by_tower")
    presampled_by_tower: Any = _of_base("presampled_by_tower")
    zoom_tables: Any = _of_base("zoom_tables")

    def __init__(self, base: Dataset, resolution: Resolution) -> None:
        self.base = base
        self.resolution = resolution
        self.folder = base.folder
        self.id = base.id
        level = resolution.zones
        # public, and the same at every span of time
        labels, self._ids, self._names = remembered(
            base, ("labels", level), lambda: labels_of(base.zones, level)
        )
        self.labels: Integers = labels
        self.metadata = coarse_metadata(base.metadata, resolution)

    @cached_property
    def zones(self) -> gpd.GeoDataFrame:
        """Coarse zones in the order in which their first zone stands: zone_id, name, geometry."""
        if self.resolution.zones == FINEST:
            return self.base.zones
        base, labels, ids, names = self.base, self.labels, self._ids, self._names
        return remembered(
            base,
            ("zones", self.resolution.zones),
            lambda: joined_zones(base.zones, labels, ids, names),
        )

    @cached_property
    def hour_blocks(self) -> Integers:
        """Which hours of the week are counted together, shape (168,)."""
        return hour_blocks(self.resolution.hours)

    @cached_property
    def tessellation(self) -> Tessellation:
        """Overlaps and minimum cover of the towers and the coarse zones."""
        if self.resolution.zones == FINEST:
            return self.base.tessellation
        return remembered(
            self.base,
            ("tessellation", self.resolution.zones),
            lambda: tessellate(self.base.towers, self.zones),
        )

    @cached_property
    def trips(self) -> Trips:
        """Trips between coarse zones by period, ranked as they were within the person-day."""
        return self._view("trips", self.base.trips)

    @cached_property
    def trips_by_person(self) -> Trips:
        """The same, ranked within the person."""
        return self._view("trips by person", self.base.trips_by_person)

    @cached_property
    def homes(self) -> Integers | None:
        """People by coarse home zone."""
        homes = self.base.homes
        if homes is None:
            return None
        return np.bincount(self.labels, weights=homes, minlength=len(self._ids)).astype(np.int64)

    def _view(self, what: str, fine: Trips) -> Trips:
        """Return the trips of every period, joined when they are asked for."""
        period = period_of(fine.days, self.resolution.time)
        every = range(fine.days)

        def summed(days: Sequence[int], number: int) -> TripCounts:
            if len(days) == fine.days:
                return added_up(self._joined(fine.summed(days)), number)
            return added_up(together([self._joined(fine.day(day)) for day in days]), number)

        def day(number: int) -> TripCounts:
            days = np.flatnonzero(period == number).tolist()
            return remembered(self, (what, number), lambda: summed(days, number))

        def total() -> TripCounts:
            return remembered(self, (what,), lambda: summed(every, 0))

        return Trips(len(set(period.tolist())), fine.rows, day, total)

    def _joined(self, fine: TripCounts) -> TripCounts:
        """Return trips between coarse zones, in the order of the fine ones."""
        origin, destination = self.labels[fine.origin], self.labels[fine.destination]
        out = origin != destination
        return TripCounts(fine.day[out], origin[out], destination[out], fine.rank[out], fine.n[out])


def coarse_metadata(metadata: Metadata, resolution: Resolution) -> Metadata:
    """Return what a view's metadata say: the same declared days, fewer matrices.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city").metadata
    >>> week = coarse_metadata(demo, Resolution(time="week"))
    >>> len(week.days), len(week.periods)
    (7, 1)
    """
    fields = {name: value for name, value in vars(metadata).items() if name != "starts"}
    if resolution.time == "day":
        return Metadata(**fields)
    return CoarseMetadata(**fields, starts=period_starts(metadata.days, resolution.time))


def coarsen(dataset: Dataset, resolution: Resolution) -> Dataset:
    """Return `dataset` at `resolution`; itself where nothing is made coarser.

    Parameters
    ----------
    dataset : Dataset
        As it was ingested.

    Raises
    ------
    ParameterError
        If the dataset has no such level of zones, or is a coarse view already.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city")
    >>> len(coarsen(demo, Resolution(zones="clusters-20")).zones)
    20
    """
    if isinstance(dataset, CoarseDataset):
        raise ParameterError(
            "dataset must be as it was ingested, got a coarse view; coarsen its base instead"
        )
    return dataset if resolution.finest else CoarseDataset(dataset, resolution)


def joined_zones(
    zones: gpd.GeoDataFrame, labels: Integers, ids: Sequence[str], names: Sequence[str]
) -> gpd.GeoDataFrame:
    """Return zones joined by their labels 0 … k − 1: zone_id, name and geometry, shape (k, …)."""
    polygons = zones.geometry.to_numpy()
    smallest = float(shapely.area(polygons).min())
    order = np.argsort(labels, kind="stable")
    parts = np.split(polygons[order], np.flatnonzero(np.diff(labels[order])) + 1)
    return gpd.GeoDataFrame(
        {"zone_id": ids, "name": names},
        geometry=[_joined_shape(part, smallest) for part in parts],
        crs=zones.crs,
    )


def _joined_shape(parts: Geometries, smallest: float) -> shapely.Geometry:
    """Return the union of zones without the gaps that rounding left between them.

    What another zone fills is no gap: it has at least the area of the smallest zone.
    """
    pieces = shapely.get_parts(shapely.union_all(parts))
    whole: list[shapely.Polygon] = []
    for piece in pieces:
        holes = [shapely.Polygon(ring) for ring in shapely.get_rings(piece)[1:]]
        kept = [hole.exterior for hole in holes if shapely.area(hole) >= smallest / 2]
        whole.append(shapely.Polygon(shapely.get_exterior_ring(piece), kept))
    return whole[0] if len(whole) == 1 else shapely.MultiPolygon(whole)


def period_starts(days: tuple[date, ...], time: TimeStep) -> tuple[date, ...]:
    """Return the first day of every period; weeks count from the first declared day.

    Examples
    --------
    >>> period_starts((date(2024, 1, 1), date(2024, 1, 2)), "period")
    (datetime.date(2024, 1, 1),)
    """
    if time == "day":
        return days
    step = len(days) if time == "period" else DAYS_PER_WEEK
    return tuple(days[0] + timedelta(days=i) for i in range(0, len(days), step))


def period_of(days: int, time: TimeStep) -> Any:
    """Return the period of every day, shape (days,); the last week may be a shorter one."""
    step = {"day": 1, "week": DAYS_PER_WEEK, "period": max(days, 1)}[time]
    return np.arange(days, dtype=np.int64) // step
