"""The cached aggregates of simulated people: visits and clipped sums, chunk by chunk of people."""

from dataclasses import dataclass

import numpy as np

from engine.arrays import Integers
from engine.datasets.zoomtables import USUAL, ZoomClips, ZoomTables, room_units, weight_units
from engine.parameters import HOURS_PER_WEEK
from engine.synthetic.sampling import position_within, random_order_within, random_rank_within


@dataclass(frozen=True)
class Visits:
    """Visits of one chunk of people, unique by (person, hour, tower), sorted by person and hour."""

    person: Integers
    hour: Integers
    tower: Integers
    home: Integers


class VisitCounts:
    """The cached aggregates of density, summed over chunks of people."""

    def __init__(self, towers: int, seed: int) -> None:
        self.truth = np.zeros((towers, HOURS_PER_WEEK), dtype=np.int64)
        self.presampled = np.zeros((towers, HOURS_PER_WEEK, HOURS_PER_WEEK), dtype=np.int32)
        self.single_visit = np.zeros(towers, dtype=np.int64)
        self._rng = np.random.default_rng(seed)
        self._people, self._squares, self._most = 0, 0, 0

    @property
    def marginals(self) -> dict[str, float]:
        """Mean, standard deviation and maximum of visits per person, and how many people."""
        mean = self.truth.sum() / self._people
        return {
            "people": self._people,
            "visits_mean": float(mean),
            "visits_standard_deviation": float(np.sqrt(self._squares / self._people - mean**2)),
            "visits_maximum": self._most,
        }

    def add(self, visits: Visits) -> None:
        """Count one chunk. Each purpose draws randomness of its own."""
        towers = len(self.single_visit)
        cell = visits.tower * HOURS_PER_WEEK + visits.hour
        self.truth += np.bincount(cell, minlength=self.truth.size).reshape(self.truth.shape)
        lengths = np.bincount(visits.person, minlength=len(visits.home))
        starts = np.cumsum(lengths) - lengths
        self._people += len(lengths)
        self._squares += int((lengths**2).sum())
        self._most = max(self._most, int(lengths.max()))
        present = lengths > 0
        where = self._rng.random(int(present.sum())) * lengths[present]
        pick = starts[present] + np.floor(where).astype(np.int64)
        self.single_visit += np.bincount(visits.tower[pick], minlength=towers)
        self._add_presampled(visits, cell)

    def _add_presampled(self, visits: Visits, cell: Integers) -> None:
        slot = visits.person * HOURS_PER_WEEK + visits.hour
        order = random_order_within(slot, self._rng)
        first = order[position_within(slot[order]) == 0]
        rank = random_rank_within(visits.person[first], self._rng)
        keys, counts = np.unique(cell[first] * HOURS_PER_WEEK + rank - 1, return_counts=True)
        self.presampled.reshape(-1)[keys] += counts.astype(np.int32)


class ZoomCounts:
    """Sums over people of their visits, each person's scaled down to the table's clip."""

    def __init__(
        self, districts: Integers, max_visits_cap: int, *, clips: ZoomClips = USUAL
    ) -> None:
        self._clips = clips
        towers = len(districts)
        self._districts = districts
        self._towers = np.zeros((towers, HOURS_PER_WEEK), dtype=np.int64)
        self._coarse = np.zeros((int(districts.max()) + 1, HOURS_PER_WEEK), dtype=np.int64)
        self._city = np.zeros((len(clips.city), HOURS_PER_WEEK), dtype=np.int64)
        self._weeks = np.zeros(towers, dtype=np.int64)
        self._cap, self._visits = max_visits_cap, 0

    def add(self, visits: Visits) -> None:
        """Count one chunk of people."""
        person, hour, tower = visits.person, visits.hour, visits.tower
        room = room_units(np.bincount(person), self._cap, self._clips)
        self._visits += len(person)
        self._add(self._towers, person, tower * HOURS_PER_WEEK + hour, self._clips.squared, room)
        cell = self._districts[tower] * HOURS_PER_WEEK + hour
        self._add(self._coarse, person, cell, self._clips.squared, room)
        self._add(self._weeks, person, tower, self._clips.squared, room)
        for row, clip_squared in zip(self._city, self._clips.city, strict=True):
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
            clips=self._clips,
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
