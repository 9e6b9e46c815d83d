"""Measuring: the only step that sees counts. One Gaussian mechanism over five tables.

All constants are public, none is read off data.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ... import noise as samplers
from ...arrays import Floats, Integers
from ...datasets.zoomtables import WEIGHT_UNITS, ZoomClips, ZoomTables
from ...parameters import HOURS_PER_WEEK

SHARES = {"towers": 0.32, "districts": 0.29, "city": 0.11, "weeks": 0.28}
"""Shares of μ² of the first four tables; they sum to 1. The fifth is ``visits``."""
FEW_SHARES = {"towers": 0.084, "districts": 0.076, "city": 0.12, "weeks": 0.72}
"""Those for people of few visits, below `FEW` (c²): of them little can be told but sizes."""
FEW = 5.0
CITY_NOISE = 0.02
"""The largest noise of the city's table, as a share of the visits in a mean hour, at which a larger
clip is taken."""

Add = Callable[[str, Integers, float], Integers | Floats]
"""Adds Gaussian noise of a standard deviation to the whole numbers of a named table."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ZoomNoise:
    """Standard normal variates in the shapes of the five tables; city in that of one clip."""

    towers: Floats
    districts: Floats
    city: Floats
    weeks: Floats
    visits: Floats

    @classmethod
    def draw(cls, rng: np.random.Generator, towers: int, districts: int) -> "ZoomNoise":
        """Draw the noise of one measurement, the small tables first."""
        week = HOURS_PER_WEEK
        shapes = {"visits": (1,), "weeks": (towers,), "city": (week,)}
        shapes |= {"districts": (districts, week), "towers": (towers, week)}
        return cls(**{k: samplers.standard_normal(rng, shape) for k, shape in shapes.items()})

    def add(self, name: str, counts: Integers, sigma: float) -> Floats:
        """Return the whole numbers of a table with noise of a standard deviation."""
        return counts + sigma * getattr(self, name)


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """One measured table in visits; `sigma` is the standard deviation of every cell's noise."""

    values: Floats
    sigma: float

    @property
    def total(self) -> float:
        """Sum of the table, never below its own noise, so that it can divide."""
        return max(float(self.values.sum()), self.sigma * math.sqrt(self.values.size))


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyTables:
    """All that is measured: private, so that what follows is free. K̂ can be negative."""

    towers: NoisyTable
    districts: NoisyTable
    city: NoisyTable
    weeks: NoisyTable
    visits: float
    city_clip: float


def measure(tables: ZoomTables, strength: float, add: Add) -> NoisyTables:
    """Add Gaussian noise to the five tables: together one μ-GDP mechanism, μ the `strength`.

    The visits come first and the city's clip is chosen from them: Gaussian mechanisms also compose
    so (Dong, Roth & Su 2022, Theorem 4). What a person changes, each table in units of its σ, is
    at most μ in L₂ whatever the clip. All tables but ``visits`` are in units of 1/1024.
    """
    clips = tables.clips

    def noisy(name: str, clip_squared: float, counts: Integers) -> NoisyTable:
        sigma = noise_scale(name, math.sqrt(clip_squared), strength, clips)
        return NoisyTable(add(name, counts, sigma * WEIGHT_UNITS) / WEIGHT_UNITS, sigma)

    sigma = visits_scale(tables.max_visits_cap, strength, clips)
    visits = float(add("visits", np.array([tables.visits]), sigma)[0])
    bearable = CITY_NOISE * visits / HOURS_PER_WEEK
    fits = [noise_scale("city", math.sqrt(c), strength, clips) <= bearable for c in clips.city]
    row = max(sum(fits) - 1, 0)
    return NoisyTables(
        towers=noisy("towers", clips.squared, tables.towers),
        districts=noisy("districts", clips.squared, tables.districts),
        city=noisy("city", clips.city[row], tables.city[row]),
        weeks=noisy("weeks", clips.squared, tables.weeks),
        visits=visits,
        city_clip=math.sqrt(clips.city[row]),
    )


def shares_of(clips: ZoomClips) -> dict[str, float]:
    """Return what part of μ² each of the first four tables gets; public like the clips."""
    return FEW_SHARES if clips.squared < FEW else SHARES


def noise_scale(name: str, clip: float, strength: float, clips: ZoomClips) -> float:
    """Return σ = c/(μ·√share) of one of the first four tables.

    Examples
    --------
    >>> from engine.datasets.zoomtables import USUAL
    >>> round(noise_scale("towers", 10**0.5, 0.2082, USUAL), 2)
    26.85
    """
    return float(clip) / (strength * math.sqrt(shares_of(clips)[name]))


def visits_scale(max_visits_cap: int, strength: float, clips: ZoomClips) -> float:
    """Return σ = K_max/(μ·√s) of the sum of visits: whom it tells of weighs less elsewhere."""
    return max_visits_cap / (strength * math.sqrt(clips.sum_share))
