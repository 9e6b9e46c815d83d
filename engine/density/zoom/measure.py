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
from ...datasets.zoomtables import SUMS_OF_VISITS, WEIGHT_UNITS, ZoomTables
from ...parameters import HOURS_PER_WEEK

TABLES = ("towers", "districts", "city", "weeks", "visits")
"""The five tables that are measured, in the order of `ZoomConstants.shares`."""


@dataclass(frozen=True, kw_only=True)
class ZoomConstants:
    """Constants of measuring and reading.

    Attributes
    ----------
    shares : tuple of five floats
        Shares of μ² of the tables in `TABLES`; they sum to 1.
    lepski_factor : float
        A larger cap's sum must exceed a smaller one's by this many of its σ to be preferred.
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
    rounds : int
        Rounds of re-weighting in the estimate of a signal variance.
    """

    shares: tuple[float, float, float, float, float] = (0.30, 0.28, 0.10, 0.27, 0.05)
    lepski_factor: float = 2.0
    city_noise: float = 0.02
    city_errors: float = 2.0
    tower_errors: float = 3.5
    region_level: int = 3
    least_weight: float = 0.3
    least_hour: float = 0.1
    rounds: int = 3


DEFAULTS = ZoomConstants()

Add = Callable[[str, Integers, float | Floats], Integers | Floats]
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
        shapes = {
            "visits": (SUMS_OF_VISITS,),
            "weeks": (towers,),
            "city": (HOURS_PER_WEEK,),
            "districts": (districts, HOURS_PER_WEEK),
            "towers": (towers, HOURS_PER_WEEK),
        }
        return cls(**{k: samplers.standard_normal(rng, shape) for k, shape in shapes.items()})


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

    Attributes
    ----------
    towers, districts, city, weeks : NoisyTable
        City is the one row that was chosen, shape (168,).
    visits : array, shape (3,)
        Sums of visits for the three caps.
    sigma_visits : array, shape (3,)
        Their standard deviations.
    city_clip : float
        c of the city's table as chosen.
    clip : float
        c of towers, districts and weeks; the smallest that the city's table can have.
    """

    towers: NoisyTable
    districts: NoisyTable
    city: NoisyTable
    weeks: NoisyTable
    visits: Floats
    sigma_visits: Floats
    city_clip: float
    clip: float


def measure(
    tables: ZoomTables, strength: float, noise: ZoomNoise, constants: ZoomConstants
) -> NoisyTables:
    """Add Gaussian noise to the five tables: together one μ-GDP mechanism.

    Each table gets σ = c/(μ·√share). The visits come first and the city's clip is chosen from
    them: Gaussian mechanisms also compose so (Dong, Roth & Su 2022, Theorem 4), Σμ² = μ².

    Parameters
    ----------
    strength : float
        μ, see `engine.density.gaussian.gaussian_strength`.
    """

    def add(name: str, counts: Integers, sigma: float | Floats) -> Floats:
        return counts + sigma * getattr(noise, name)

    return measure_with(tables, strength, add, constants)


def measure_with(
    tables: ZoomTables, strength: float, add: Add, constants: ZoomConstants
) -> NoisyTables:
    """Measure with noise of any Gaussian source; else as `measure`.

    Parameters
    ----------
    add : callable
        Given the name of a table, its whole numbers and σ in the same unit, returns them with
        noise. All but ``visits`` are in units of 1/1024; ``visits`` has a σ for each number.
    """

    def noisy(name: str, clip_squared: float, counts: Integers) -> NoisyTable:
        sigma = noise_scale(name, math.sqrt(clip_squared), strength, constants)
        return NoisyTable(add(name, counts, sigma * WEIGHT_UNITS) / WEIGHT_UNITS, sigma)

    scales = [noise_scale("visits", cap, strength, constants) for cap in tables.caps]
    sigma_visits = np.array(scales)
    visits = np.asarray(add("visits", tables.visits, sigma_visits), dtype=np.float64)
    estimate = estimate_visits(visits, sigma_visits, constants)
    row = city_row(tables.city_clips_squared, estimate, strength, constants)
    return NoisyTables(
        towers=noisy("towers", tables.clip_squared, tables.towers),
        districts=noisy("districts", tables.clip_squared, tables.districts),
        city=noisy("city", tables.city_clips_squared[row], tables.city[row]),
        weeks=noisy("weeks", tables.clip_squared, tables.weeks),
        visits=visits,
        sigma_visits=sigma_visits,
        city_clip=math.sqrt(tables.city_clips_squared[row]),
        clip=math.sqrt(tables.clip_squared),
    )


def noise_scale(name: str, clip: float, strength: float, constants: ZoomConstants) -> float:
    """Return σ = c/(μ·√share) of a table; the three sums of visits have a third of theirs each.

    Examples
    --------
    >>> round(noise_scale("towers", 10**0.5, 0.2082, DEFAULTS), 2)
    27.73
    """
    share = constants.shares[TABLES.index(name)] / (SUMS_OF_VISITS if name == "visits" else 1)
    return float(clip) / (strength * math.sqrt(share))


def estimate_visits(visits: Floats, sigmas: Floats, constants: ZoomConstants) -> float:
    """Return K̂, the noisy number of visits; can be negative (Lepski's rule).

    The smallest cap whose sum no larger cap's exceeds by more than 2 of that one's σ: a larger
    cap loses fewer visits and costs more noise.
    """
    for index in range(len(visits) - 1):
        beyond = visits[index + 1 :] - visits[index]
        if (beyond <= constants.lepski_factor * sigmas[index + 1 :]).all():
            return float(visits[index])
    return float(visits[-1])


def city_row(
    clips_squared: tuple[float, ...], visits: float, strength: float, constants: ZoomConstants
) -> int:
    """Return the row of the largest clip whose noise is small beside the visits of a mean hour."""
    bearable = constants.city_noise * visits / HOURS_PER_WEEK
    clips = np.sqrt(clips_squared)
    fits = [noise_scale("city", clip, strength, constants) <= bearable for clip in clips]
    return max(sum(fits) - 1, 0)
