"""Small sets of people with trips, counted by rank as the cached aggregates count them."""

from collections import Counter
from datetime import date, timedelta
from types import SimpleNamespace

import numpy as np

from engine.datasets import RANK_BUCKET, TripCounts, Trips
from engine.origin_destination import compute_histogram
from engine.origin_destination.exact import ReleaseExpectation
from engine.origin_destination.mechanism import perturb_and_suppress
from engine.origin_destination.noise_bounds import min_detected_count


class Counted:
    """A dataset in memory of people [[(day, origin, destination), …], …], trips in random order."""

    def __init__(self, people, zones, days, *, have_people=True):
        self.id = "in-memory"
        self.zones = range(zones)
        first = date(2024, 1, 1)
        dates = tuple(first + timedelta(days=i) for i in range(days))
        self.metadata = SimpleNamespace(
            days=dates, periods=dates, trips_have_people=have_people, people_once=False
        )
        self.has_person_ranks = True
        self.trips = in_memory(counted(people, per_day=True), days)
        self.trips_by_person = in_memory(counted(people, per_day=False), days)


def in_memory(counts, days):
    """Return trips, sorted by day, as a dataset's."""
    starts = np.searchsorted(counts.day, np.arange(days + 1))

    def day(one):
        return TripCounts(
            *(values[starts[one] : starts[one + 1]] for values in vars(counts).values())
        )

    return Trips(days, day)


def counted(people, *, per_day):
    rows = Counter()
    for trips in people:
        used = Counter()
        for day, origin, destination in trips:
            key = day if per_day else "all"
            used[key] += 1
            rows[day, origin, destination, min(used[key], RANK_BUCKET)] += 1
    keys = np.array(sorted(rows), dtype=np.int64).reshape(-1, 4)
    return TripCounts(
        day=keys[:, 0].astype(np.int32),
        origin=keys[:, 1].astype(np.int32),
        destination=keys[:, 2].astype(np.int32),
        rank=keys[:, 3].astype(np.int16),
        trip_count=np.array([rows[tuple(key)] for key in keys.tolist()], dtype=np.int64),
    )


def random_people(rng, people, zones, days, mean):
    """Heavy and light travellers; destinations near 0 are popular."""
    travellers = []
    for _ in range(people):
        trips = []
        for day in range(days):
            for _ in range(rng.poisson(mean * rng.gamma(0.5, 2))):
                origin, destination = (rng.integers(zones, size=2) * rng.random(2)).astype(int)
                if origin != destination:
                    trips.append((day, int(origin), int(destination)))
        order = rng.permutation(len(trips))
        travellers.append([trips[i] for i in order])
    return travellers


def release_matrix(counts, parameters, *, rng=None, noise=None):
    """Return the engine's release of a matrix of trimmed counts, or a stack of daily matrices."""
    counts = np.asarray(counts, dtype=np.int64)
    standard = rng.laplace(size=counts.shape) if noise is None else noise
    return perturb_and_suppress(counts, parameters, standard)


def histogram_of_matrix(true, kept=None):
    """Return the engine's histogram of matrices; kept trips are of rank 1, dropped ones beyond."""
    true = np.asarray(true, dtype=np.int64)
    true = true.reshape(-1, *true.shape[-2:])
    kept = true if kept is None else np.asarray(kept, dtype=np.int64).reshape(true.shape)
    counts = np.stack([kept, true - kept], axis=-1)
    day, origin, destination, dropped = np.nonzero(counts)
    rows = TripCounts(
        day=day.astype(np.int32),
        origin=origin.astype(np.int32),
        destination=destination.astype(np.int32),
        rank=np.where(dropped, RANK_BUCKET, 1).astype(np.int16),
        trip_count=counts[counts > 0],
    )
    dataset = Counted([], true.shape[-1], len(true))
    dataset.trips = in_memory(rows, len(true))
    return compute_histogram(dataset, "person-day", 1)


def expectation_of_matrix(true, parameters, *, kept=None, law="rounded_laplace"):
    """Return the engine's expectation of a release of one matrix, or a stack of daily matrices."""
    return ReleaseExpectation(histogram_of_matrix(true, kept), parameters, law)


def certain_flows(cells, rate):
    """Return which flows of one release, (…, zones, zones), the engine names certain."""
    off = ~np.eye(cells.shape[-1], dtype=bool)
    return (cells >= min_detected_count(cells.reshape(-1, *off.shape), rate)) & off
