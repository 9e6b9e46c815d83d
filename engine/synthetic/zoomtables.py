"""The clipped sums of the density method `zoom`, counted chunk by chunk of people."""

import numpy as np

from ..arrays import Integers
from ..datasets.zoomtables import (
    CITY_CLIPS_SQUARED,
    CLIP_SQUARED,
    ZoomTables,
    room_units,
    weight_units,
)
from ..parameters import HOURS_PER_WEEK
from .visits import Visits


class ZoomCounts:
    """Sums over people of their visits, each person's scaled down to the table's clip.

    `districts` is the district of every tower, from the public tree; no simulated person exceeds
    `max_visits_cap`. Other clips than the public constants are there to see what those do.
    """

    def __init__(
        self,
        districts: Integers,
        max_visits_cap: int,
        *,
        clip_squared: float = CLIP_SQUARED,
        city_clips_squared: tuple[float, ...] = CITY_CLIPS_SQUARED,
    ) -> None:
        self._clip_squared, self._city_clips_squared = clip_squared, city_clips_squared
        towers = len(districts)
        self._districts = districts
        self._towers = np.zeros((towers, HOURS_PER_WEEK), dtype=np.int64)
        self._coarse = np.zeros((int(districts.max()) + 1, HOURS_PER_WEEK), dtype=np.int64)
        self._city = np.zeros((len(city_clips_squared), HOURS_PER_WEEK), dtype=np.int64)
        self._weeks = np.zeros(towers, dtype=np.int64)
        self._cap, self._visits = max_visits_cap, 0

    def add(self, visits: Visits) -> None:
        """Count one chunk of people."""
        person, hour, tower = visits.person, visits.hour, visits.tower
        room = room_units(np.bincount(person), self._cap)
        self._visits += len(person)
        self._add(self._towers, person, tower * HOURS_PER_WEEK + hour, self._clip_squared, room)
        cell = self._districts[tower] * HOURS_PER_WEEK + hour
        self._add(self._coarse, person, cell, self._clip_squared, room)
        self._add(self._weeks, person, tower, self._clip_squared, room)
        for row, clip_squared in zip(self._city, self._city_clips_squared, strict=True):
            self._add(row, person, hour, clip_squared, room)

    def tables(self) -> ZoomTables:
        """Return the sums so far."""
        return ZoomTables(
            towers=self._towers,
            districts=self._coarse,
            city=self._city,
            weeks=self._weeks,
            visits=self._visits,
            max_visits_cap=self._cap,
            clip_squared=self._clip_squared,
            city_clips_squared=self._city_clips_squared,
        )

    @staticmethod
    def _add(
        table: Integers, person: Integers, cell: Integers, clip_squared: float, room: Integers
    ) -> None:
        """Add v·weight of every person, v the person's counts in the cells of `table`."""
        keys, counts = np.unique(person * table.size + cell, return_counts=True)
        owner, cells = np.divmod(keys, table.size)
        squares = np.bincount(owner, weights=counts**2).astype(np.int64)
        weights = weight_units(np.maximum(squares, 1), clip_squared, room)[owner]
        sums = np.bincount(cells, weights=counts * weights, minlength=table.size)
        table += sums.astype(np.int64).reshape(table.shape)
