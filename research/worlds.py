"""Random worlds: many made-up maps of zones with trips between them, none of them a dataset.

What a method's constants are chosen by. World k is always the same; every quantity is drawn from a
range that holds most published tables of trips (commuting, bikes, phones, flights), from a village
of ten zones to 300, from one trip a month between two zones to a hundred a day.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist

from engine.arrays import Booleans, Floats, Integers

WORLDS = 500
ZONES = (10, 300)
TRIPS = (0.03, 100.0)
"""Mean trips of a day between two zones, one direction."""

EXTENT_M = (5e3, 5e5)
TOWNS = (1, 6)
SIZES = (0.1, 1.5)
"""Spread of the log of zones' sizes; in a third of the worlds a Pareto tail instead."""

TAIL = (1.5, 4.0)
IDLE = (0.0, 0.5)
"""Share of zones without any traffic, in half of the worlds."""

TILT = (0.0, 1.0)
"""Spread of the log of arrivals against departures."""

POWER = (0.0, 2.0)
"""Decay with distance: a power in half of the worlds, an exponential in the others."""

REACH = (0.1, 2.0)
SPOKES = (0.001, 1.0)
"""Factor of pairs without a hub, in a third of the worlds."""

SHARED = (0.0, 1.2)
"""Spread of the log of what both directions of a pair have in common and distance does not say."""

OWN = (0.0, 0.6)
"""The same of one direction alone."""

ABSENT = (0.0, 0.9)
"""Share of pairs between which nobody travels, in half of the worlds."""


@dataclass(frozen=True, eq=False)
class World:
    """Places of zones in metres, shape (zones, 2), and expected trips a day, diagonal 0."""

    number: int
    places_m: Floats
    expected: Floats

    @cached_property
    def distances_m(self) -> Floats:
        """Metres between zones."""
        return np.asarray(cdist(self.places_m, self.places_m), dtype=np.float64)

    def days(self, days: int = 1) -> Integers:
        """Return whole trips of some days, shape (days, zones, zones); always the same."""
        rng = np.random.default_rng([self.number, 1])
        return rng.poisson(self.expected, (days, *self.expected.shape)).astype(np.int64)


def world(number: int) -> World:
    """Return the world of that number.

    Examples
    --------
    >>> world(3).expected.shape == world(3).days(2).shape[1:]
    True
    """
    rng = np.random.default_rng([number, 0])
    zones = round(log_uniform(rng, ZONES))
    extent = log_uniform(rng, EXTENT_M)
    towns = rng.random((rng.integers(TOWNS[0], TOWNS[1] + 1), 2))
    at = towns[rng.integers(0, len(towns), zones)]
    places = extent * (at + rng.normal(0, rng.uniform(0.05, 0.5), (zones, 2)))

    def spread(range_: tuple[float, float], shape: tuple[int, ...]) -> Floats:
        return rng.normal(0, rng.uniform(*range_), shape)

    tail = rng.uniform(*TAIL)
    pareto = np.log1p(rng.pareto(tail, zones))
    size = pareto if rng.random() < 1 / 3 else spread(SIZES, (zones,))
    tilt = spread(TILT, (zones,))
    distance = np.asarray(cdist(places, places)) / extent
    power, reach = rng.uniform(*POWER), log_uniform(rng, REACH)
    near = -power * np.log(distance + 0.02) if rng.random() < 0.5 else -distance / reach
    log = size[:, None] + (size + tilt) + near
    hub = rng.random(zones).argsort() < rng.integers(1, max(2, zones // 15) + 1)
    if rng.random() < 1 / 3:
        log += np.where(hub[:, None] | hub, 0.0, np.log(log_uniform(rng, SPOKES)))
    shared = np.triu(spread(SHARED, (zones, zones)), 1)
    log += shared + shared.T + spread(OWN, (zones, zones))
    absent = rng.uniform(*ABSENT) if rng.random() < 0.5 else 0.0
    expected = np.exp(np.minimum(log - log.max(), 0.0))
    expected *= ~_absent(rng, log, absent)
    idle = rng.uniform(*IDLE) if rng.random() < 0.5 else 0.0
    quiet = rng.random(zones).argsort() < min(round(idle * zones), zones - 4)
    expected *= ~(quiet[:, None] | quiet) & ~np.eye(zones, dtype=bool)
    expected *= log_uniform(rng, TRIPS) * zones * (zones - 1) / expected.sum()
    return World(number, places, expected)


def worlds(number: int = WORLDS) -> Iterator[World]:
    """Yield the first worlds."""
    return map(world, range(number))


def _absent(rng: np.random.Generator, log: Floats, share: float) -> Booleans:
    """Return which pairs do not exist, in both directions: more often where less is expected."""
    both = log + log.T
    weight = rng.uniform(0, 1)
    chance = np.triu(rng.normal(size=log.shape), 1)
    score = weight * (both - both.mean()) / max(float(both.std()), 1e-9)
    score += np.sqrt(1 - weight**2) * (chance + chance.T)
    upper = score[np.triu_indices(len(log), 1)]
    return score < np.quantile(upper, share) if share > 0 else np.zeros(log.shape, dtype=bool)


def log_uniform(rng: np.random.Generator, range_: tuple[float, float]) -> float:
    """Draw a number whose logarithm is uniform between two ends."""
    return float(np.exp(rng.uniform(np.log(range_[0]), np.log(range_[1]))))
