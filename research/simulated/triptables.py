"""Tables of simulated people: trips by random rank, homes; and what is said of them."""

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from engine.arrays import Integers
from engine.datasets import RANK_BUCKET
from engine.synthetic.sampling import random_rank_within


class TripTable:
    """Counts of trips under a rank within a group (a person-day, or a person)."""

    def __init__(self, zones: int, seed: int | list[int]) -> None:
        self._zones = zones
        self._rng = np.random.default_rng(seed)
        self._parts: list[tuple[Integers, Integers]] = []

    def add(self, group: Integers, day: Integers, origin: Integers, destination: Integers) -> None:
        """Rank the trips of each group at random and count them; all trips of a group at once."""
        rank = np.minimum(random_rank_within(group, self._rng), RANK_BUCKET)
        pair = (day * self._zones + origin) * self._zones + destination
        keys, counts = np.unique(pair * (RANK_BUCKET + 1) + rank, return_counts=True)
        self.add_counts(keys, counts)

    def add_counts(self, keys: Integers, counts: Integers) -> None:
        """Add what `counts` of another table of the same zones returned."""
        self._parts.append((keys, counts))

    def counts(self) -> tuple[Integers, Integers]:
        """Return keys of (day, origin, destination, rank), ascending, and how many trips each."""
        keys, inverse = np.unique(np.concatenate([k for k, _ in self._parts]), return_inverse=True)
        n = np.bincount(inverse, weights=np.concatenate([c for _, c in self._parts]))
        return keys, n.astype(np.int64)

    def table(self, first_day: date, zone_ids: Sequence[str]) -> pa.Table:
        """Return ``date, origin, destination, rank, n``."""
        keys, n = self.counts()
        pair, rank = np.divmod(keys, RANK_BUCKET + 1)
        day_origin, destination = np.divmod(pair, self._zones)
        day, origin = np.divmod(day_origin, self._zones)
        days = [first_day + timedelta(days=i) for i in range(int(day.max(initial=0)) + 1)]
        ids = pa.array(zone_ids, pa.string())
        day_values = pa.array(days, pa.date32())
        return pa.table(
            {
                "date": day_values.take(pa.array(day)),
                "origin": ids.take(pa.array(origin)),
                "destination": ids.take(pa.array(destination)),
                "rank": pa.array(rank.astype(np.int16)),
                "n": pa.array(n.astype(np.int32)),
            }
        )
