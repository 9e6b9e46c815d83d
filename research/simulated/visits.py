"""People of a city and their visits in one week, counted at once and then forgotten.

A person has a home, a work place, a few favourite places and a heavy-tailed number of visits; the
hour of a visit decides what kind of place it is made at. People are simulated in chunks, each
with a generator of its own, so that memory stays bounded and the outcome depends on nothing else.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Integers
from engine.parameters import HOURS_PER_WEEK
from engine.synthetic import sampling
from engine.synthetic.sampling import (
    RowDistributions,
    draw_distinct_visits,
    draw_indices,
    to_cumulative,
)

from .landuse import LandUse, place_shares

CHUNK = 100_000
FAVOURITES = 3
_HEAVY = 60
_WORKERS = 0.68


@dataclass(frozen=True)
class Visits:
    """Distinct visits of a chunk of people, by person and hour; `home` is each person's tower."""

    person: Integers
    hour: Integers
    tower: Integers
    home: Integers


@dataclass(frozen=True)
class Activity:
    """How many visits people make."""

    mean: float
    standard_deviation: float
    maximum: int


class City:
    """Where people of a city can be: gravity between towers, weights of land use."""

    def __init__(self, towers_m: Floats, land_use: LandUse, reach_m: float) -> None:
        offset = towers_m[:, None, :] - towers_m[None, :, :]
        distance_m = np.hypot(offset[..., 0], offset[..., 1])
        self.home = to_cumulative(land_use.residential)
        self.nightlife = to_cumulative(land_use.nightlife)
        self.anywhere = to_cumulative(land_use.leisure)
        self.work = RowDistributions(land_use.offices * np.exp(-distance_m / reach_m))
        self.nearby = RowDistributions(land_use.leisure * np.exp(-distance_m / (0.5 * reach_m)))
        self.towers = len(towers_m)


def simulate(city: City, people: int, activity: Activity, seed: int) -> Iterator[Visits]:
    """Simulate the visits of `people`, chunk by chunk."""
    numbers = sampling.heavy_tailed_distribution(
        activity.mean, activity.standard_deviation, activity.maximum
    )
    chunks = -(-people // CHUNK)
    for index, sequence in enumerate(np.random.SeedSequence(seed).spawn(chunks)):
        size = min(CHUNK, people - index * CHUNK)
        yield _simulate_chunk(city, size, numbers, np.random.default_rng(sequence))


def _simulate_chunk(city: City, people: int, numbers: Floats, rng: np.random.Generator) -> Visits:
    home = draw_indices(city.home, rng, people)
    works = rng.random(people) < _WORKERS
    work = np.where(works, city.work.draw(home, rng), city.nearby.draw(home, rng))
    favourites = np.stack([city.nearby.draw(home, rng) for _ in range(FAVOURITES)], axis=1)
    wanted = draw_indices(numbers, rng, people) + 1
    # Drawn with repetition, so more are drawn than wanted and the repeated ones dropped.
    heavy = wanted > _HEAVY
    drawn = np.where(heavy, 3 * wanted, (1.4 * wanted).astype(np.int64) + 5)
    person = np.repeat(np.arange(people), drawn)
    hour = draw_indices(to_cumulative(sampling.week_rhythm()), rng, len(person))
    awake = heavy[person] & (rng.random(len(person)) < 0.3)
    hour = np.where(awake, rng.integers(0, HOURS_PER_WEEK, len(person)), hour)
    tower = _towers(city, person, hour, home, work, favourites, rng)
    person, tower, hour = draw_distinct_visits(person, hour, tower, wanted, rng)
    return Visits(person, hour, tower, home)


def _towers(
    city: City,
    person: Integers,
    hour: Integers,
    home: Integers,
    work: Integers,
    favourites: Integers,
    rng: np.random.Generator,
) -> Integers:
    """Choose where each visit is made: home, work, a favourite place or somewhere new."""
    shares = np.cumsum(place_shares(), axis=1)
    choice = rng.random(len(person))
    at_home = choice < shares[hour, 0]
    at_work = ~at_home & (choice < shares[hour, 1])
    tower = np.where(at_home, home[person], work[person])
    elsewhere = np.flatnonzero(~at_home & ~at_work)
    who = person[elsewhere]
    place = favourites[who, rng.integers(0, FAVOURITES, len(who))]
    kind = rng.random(len(who))
    near = np.flatnonzero(kind < 0.35)
    place[near] = city.nearby.draw(home[who[near]], rng)
    far = np.flatnonzero((kind >= 0.35) & (kind < 0.55))
    clock = hour[elsewhere[far]] % 24
    place[far] = np.where(
        (clock >= 20) | (clock < 5),
        draw_indices(city.nightlife, rng, len(far)),
        draw_indices(city.anywhere, rng, len(far)),
    )
    tower[elsewhere] = place
    return tower
