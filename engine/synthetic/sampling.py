"""Vectorised draws shared by all simulated places."""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from ..arrays import Floats, Integers
from ..parameters import HOURS_PER_WEEK

_RANDOM_BITS = 32
_WEEKDAY = (
    .30, .19, .12, .075, .05, .09, .23, .50, .85, 1.05, 1.15, 1.25,
    1.30, 1.25, 1.20, 1.20, 1.30, 1.50, 1.65, 1.55, 1.30, 1.05, .80, .50,
)  # fmt: skip
_WEEKEND = (
    .42, .29, .19, .115, .075, .10, .15, .24, .40, .60, .80, .95,
    1.05, 1.05, 1.00, 1.00, 1.05, 1.10, 1.15, 1.10, 1.00, .85, .70, .55,
)  # fmt: skip


def to_cumulative(weights: Floats) -> Floats:
    """Return the cumulative distribution along the last axis, ending at exactly 1."""
    total = np.cumsum(weights, axis=-1)
    return total / total[..., -1:]


def draw_indices(distribution: Floats, rng: np.random.Generator, count: int) -> Integers:
    """Draw `count` indices from one cumulative distribution."""
    return np.searchsorted(distribution, rng.random(count), side="right").astype(np.int64)


class RowDistributions:
    """Distributions by row, drawn from many rows at once: the destinations of each place."""

    def __init__(self, weights: Floats) -> None:
        self._width = weights.shape[1]
        self._steps = (to_cumulative(weights) + np.arange(len(weights))[:, None]).ravel()

    def draw(self, rows: Integers, rng: np.random.Generator) -> Integers:
        """Draw one column for each entry of `rows` from that row's distribution."""
        positions = np.searchsorted(self._steps, rows + rng.random(len(rows)), side="right")
        return np.minimum(positions - rows * self._width, self._width - 1)


def simulate_walk(
    home: Integers, trip_counts: Integers, choose: Callable[[Integers, Integers], Integers]
) -> tuple[Integers, Integers]:
    """Return walks of `trip_counts` trips from `home`, each from the end of the trip before."""
    start = np.cumsum(trip_counts) - trip_counts
    origin, destination = (np.empty(int(trip_counts.sum()), dtype=np.int64) for _ in range(2))
    current, out = home.copy(), np.arange(len(home))
    for step in range(int(trip_counts.max(initial=0))):
        there = choose(out, current[out])
        origin[start[out] + step], destination[start[out] + step] = current[out], there
        current[out] = there
        out = out[trip_counts[out] > step + 1]
    return origin, destination


def random_order_within(groups: Integers, rng: np.random.Generator) -> Integers:
    """Return the order that sorts by group and, within a group, at random."""
    random = rng.integers(0, 2**_RANDOM_BITS, len(groups), dtype=np.uint64)
    return np.argsort((groups.astype(np.uint64) << np.uint64(_RANDOM_BITS)) | random, kind="stable")


def position_within(sorted_groups: Integers) -> Integers:
    """Return 0, 1, 2, … within each run of equal values of `sorted_groups`."""
    if len(sorted_groups) == 0:
        return np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.r_[True, sorted_groups[1:] != sorted_groups[:-1]])
    lengths = np.diff(np.r_[starts, len(sorted_groups)])
    return np.arange(len(sorted_groups)) - np.repeat(starts, lengths)


def heavy_tailed_distribution(mean: float, standard_deviation: float, maximum: int) -> Floats:
    """Return the cumulative distribution of a lognormal rounded up, 1 … `maximum`."""
    from scipy.optimize import root  # slow to load: a command prints its help without it

    numbers = np.arange(1, maximum + 1)

    def distribution(location: float, spread: float) -> Floats:
        below = ndtr((np.log(numbers) - location) / spread)
        below[-1] = 1.0
        return below

    def misfit(guess: Floats) -> list[float]:
        mass = np.diff(distribution(guess[0], np.exp(guess[1])), prepend=0.0)
        got = float(mass @ numbers)
        spread = float(np.sqrt(mass @ numbers.astype(np.float64) ** 2 - got**2))
        return [got / mean - 1.0, spread / standard_deviation - 1.0]

    variance = np.log1p((standard_deviation / mean) ** 2)
    start = np.array([np.log(mean) - variance / 2, np.log(variance) / 2])
    solution = root(misfit, start)
    return distribution(solution.x[0], float(np.exp(solution.x[1])))


def week_rhythm() -> Floats:
    """Return the relative activity in each of the 168 hours, Monday 00:00 first; sums to 1."""
    week = np.array(_WEEKDAY * 5 + _WEEKEND * 2)
    return week / week.sum()


def draw_distinct_visits(
    person: Integers,
    hour: Integers,
    place: Integers,
    visit_counts: Integers,
    rng: np.random.Generator,
) -> tuple[Integers, Integers, Integers]:
    """Return person, place and hour of `visit_counts` distinct random records of each person."""
    places = int(place.max(initial=0)) + 1
    keys = np.sort((person * HOURS_PER_WEEK + hour) * places + place)
    keys = keys[np.diff(keys, prepend=-1) != 0]  # np.unique takes eighty times as long
    person = keys // (HOURS_PER_WEEK * places)
    order = random_order_within(person, rng)
    chosen_keys = keys[order[position_within(person) < visit_counts[person]]]
    slot = chosen_keys // places
    slot_order = random_order_within(slot, rng)
    slot, place = slot[slot_order], (chosen_keys % places)[slot_order]
    return slot // HOURS_PER_WEEK, place, slot % HOURS_PER_WEEK
