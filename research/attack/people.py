"""Simulated countries for the attack: flows that follow their zone's rhythm, and targets in them.

Every zone is busy on some days and quiet on others: a weekly pattern and a slow wave of its own.
All its residents' travel follows that rhythm. A target is one of them; or, for comparison, somebody
who travels on days drawn at random.
"""

from typing import Literal, NamedTuple

import numpy as np

from engine.arrays import Floats, Integers

Habit = Literal["rhythm", "random"]

DAYS, TRAINING_DAYS = 305, 152
ZONES = 20
MEAN_FLOW = 300.0
"""Trips a day in a cell, about P2's between provinces: 7.12 million × 14 / (305 · 34 · 33)."""
LEAST_DAYS = 10
"""Days with trips that P2 asks of a target in either half."""


class Target(NamedTuple):
    """One target: the cells of his way there and back, and his trips in each of them by day.

    Cells are positions in the flattened matrix, shape (2,); `trips` are 0 on days out of the data.
    """

    cells: Integers
    trips: Integers


class Country(NamedTuple):
    """Daily matrices with all targets' trips in them, shape (days, zones²), and the targets."""

    counts: Integers
    targets: tuple[Target, ...]


def make_country(rng: np.random.Generator, targets: int, habit: Habit) -> Country:
    """Simulate a country with so many targets.

    A target travels on 20 to 150 days (P2: mean 47, median 32), one to three times in each of two
    directions, between his home and one other zone.
    """
    activity = _rhythms(rng)
    mass = rng.lognormal(0.0, 1.0, ZONES)
    usual = np.outer(mass, mass)
    np.fill_diagonal(usual, 0)
    usual *= MEAN_FLOW / usual[usual > 0].mean()
    counts = rng.poisson(activity[:, :, None] * usual).reshape(DAYS, ZONES**2)
    people = tuple(_target(rng, activity, usual, habit) for _ in range(targets))
    for person in people:
        counts[:, person.cells] += person.trips[:, None]
    return Country(counts=counts, targets=people)


def _rhythms(rng: np.random.Generator) -> Floats:
    """Return how busy each zone is by day, shape (days, zones), about 1 on average."""
    day = np.arange(DAYS)[:, None]
    week = rng.normal(0, 0.25, (7, ZONES))[np.arange(DAYS) % 7]
    season = 0.15 * np.sin(2 * np.pi * (day / DAYS + rng.random(ZONES)))
    wave = np.zeros((DAYS, ZONES))
    for today in range(1, DAYS):
        wave[today] = 0.7 * wave[today - 1] + rng.normal(0, 0.12, ZONES)
    return np.exp(week + season + wave)


def _target(rng: np.random.Generator, activity: Floats, usual: Floats, habit: Habit) -> Target:
    while True:
        # where most people travel, most targets do
        home, other = divmod(int(rng.choice(ZONES**2, p=usual.ravel() / usual.sum())), ZONES)
        wanted = np.clip(rng.lognormal(np.log(34), 0.7), 20, 150)
        chance = np.full(DAYS, wanted / DAYS)
        if habit == "rhythm":
            busy = activity[:, home] ** 3
            chance = chance * busy / busy.mean()
        out = rng.random(DAYS) < np.minimum(chance, 0.95)
        if min(out[:TRAINING_DAYS].sum(), out[TRAINING_DAYS:].sum()) >= LEAST_DAYS:
            trips = np.where(out, rng.integers(1, 4, DAYS), 0)
            cells = np.array([home * ZONES + other, other * ZONES + home])
            return Target(cells=cells, trips=trips)
