"""Measuring: the only step that sees counts. One Gaussian mechanism over five tables.

Every constant of the method stands here; all are public, none is read off data. What halving and
doubling each of them does is measured by ``python -m research methods``.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ... import noise as samplers
from ...arrays import Floats, Integers
from ...datasets.zoomtables import SUM_SHARE, WEIGHT_UNITS, ZoomTables
from ...parameters import HOURS_PER_WEEK

TABLES = ("towers", "districts", "city", "weeks", "visits")
"""The five tables that are measured; the first four in the order of `ZoomConstants.shares`."""


@dataclass(frozen=True, kw_only=True)
class ZoomConstants:
    """Constants of measuring and reading.

    Attributes
    ----------
    shares : tuple of four floats
        Shares of μ² of the first four of `TABLES`; they sum to 1.
    city_noise : float
        The largest noise of the city's table, as a share of the visits in a mean hour, at which
        a larger clip is taken.
    city_errors : float
        Standard errors by which a group of the city's week must exceed the noise.
    tower_errors : float
        The same for differences between the weeks of halves, and for single cells.
    region_level : int
        Level of the tree whose totals the last shrinkage of sizes keeps; 3 gives 8 regions.
    least_weight : float
        Least weight of a tower where weeks are compared, in noises of one tower's size.
    least_hour : float
        Least share of an hour in the week that the towers' weeks are compared with, as a part of
        an even hour's.
    """

    shares: tuple[float, float, float, float] = (0.32, 0.29, 0.11, 0.28)
    city_noise: float = 0.02
    city_errors: float = 2.0
    tower_errors: float = 3.5
    region_level: int = 3
    least_weight: float = 0.3
    least_hour: float = 0.1


DEFAULTS = ZoomConstants()

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
    """All that is measured; private, so that what follows is free.

    City is the one row that was chosen, shape (168,), and `city_clip` its c; `visits` is K̂, all
    visits, which can be negative.
    """

    towers: NoisyTable
    districts: NoisyTable
    city: NoisyTable
    weeks: NoisyTable
    visits: float
    city_clip: float


def measure(tables: ZoomTables, strength: float, add: Add, constants: ZoomConstants) -> NoisyTables:
    """Add Gaussian noise to the five tables: together one μ-GDP mechanism.

    The visits come first and the city's clip is chosen from them: Gaussian mechanisms also compose
    so (Dong, Roth & Su 2022, Theorem 4). What a person changes, each table in units of its σ, is
    at most μ in L₂ whatever the clip.

    Parameters
    ----------
    strength : float
        μ, see `engine.density.gaussian.gaussian_strength`.
    add : callable
        Given the name of a table, its whole numbers and σ in the same unit, returns them with
        Gaussian noise: `ZoomNoise.add`, or that of a release. All but ``visits`` are in units of
        1/1024.
    """

    def noisy(name: str, clip_squared: float, counts: Integers) -> NoisyTable:
        sigma = noise_scale(name, math.sqrt(clip_squared), strength, constants)
        return NoisyTable(add(name, counts, sigma * WEIGHT_UNITS) / WEIGHT_UNITS, sigma)

    sigma = noise_scale("visits", tables.max_visits_cap, strength, constants)
    visits = float(add("visits", np.array([tables.visits]), sigma)[0])
    bearable, clips = constants.city_noise * visits / HOURS_PER_WEEK, tables.city_clips_squared
    fits = [noise_scale("city", math.sqrt(c), strength, constants) <= bearable for c in clips]
    row = max(sum(fits) - 1, 0)
    return NoisyTables(
        towers=noisy("towers", tables.clip_squared, tables.towers),
        districts=noisy("districts", tables.clip_squared, tables.districts),
        city=noisy("city", clips[row], tables.city[row]),
        weeks=noisy("weeks", tables.clip_squared, tables.weeks),
        visits=visits,
        city_clip=math.sqrt(clips[row]),
    )


def noise_scale(name: str, clip: float, strength: float, constants: ZoomConstants) -> float:
    """Return σ = c/(μ·√share) of a table; of the visits c is K_max and the share 63/64.

    The shares of the other four add up to 1 without it: whoever has so many visits that their sum
    tells of him weighs less in them.

    Examples
    --------
    >>> round(noise_scale("towers", 10**0.5, 0.2082, DEFAULTS), 2)
    26.85
    """
    share = SUM_SHARE if name == "visits" else constants.shares[TABLES.index(name)]
    return float(clip) / (strength * math.sqrt(share))
