"""A view of inhabited zones, as confidential as the homes: for exploring, never released."""

from functools import cached_property

import geopandas as gpd
import numpy as np

from ..arrays import Integers
from ..contract import TimeSelection
from ..datasets import Dataset, TripCounts
from ..errors import DatasetError
from ..geography import Tessellation, tessellate
from .levels import FINEST
from .views import DatasetView

INHABITED_LEVEL = "inhabited"
"""The level of inhabited zones, as `Selection.zone_level` names it."""

_MIN_RESIDENTS = 2


class InhabitedDataset(DatasetView):
    """A view of the inhabited zones of `base`, at `inhabited_positions`.

    Trips were ranked before: removing one unit of privacy changes the truncated counts by at most T
    in L₁, as in `base`. `DatasetError` where people live in fewer than two zones.
    """

    def __init__(self, base: Dataset) -> None:
        homes = base.homes
        self.inhabited_positions: Integers = np.flatnonzero(
            np.zeros(0) if homes is None else homes > 0
        )
        if len(self.inhabited_positions) < _MIN_RESIDENTS:
            raise DatasetError(
                f"at least {_MIN_RESIDENTS} zones of dataset '{base.id}' must be somebody's home",
                value=f"{len(self.inhabited_positions)}",
                remedy="choose a dataset that tells where people live",
            )
        super().__init__(base, FINEST, TimeSelection())

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
        place = np.full(len(self.base.zones), -1, dtype=np.int32)
        place[self.inhabited_positions] = np.arange(len(self.inhabited_positions), dtype=np.int32)
        origin, destination = place[fine.origin], place[fine.destination]
        rows = (origin >= 0) & (destination >= 0)
        return TripCounts(
            fine.day[rows], origin[rows], destination[rows], fine.rank[rows], fine.trip_count[rows]
        )
