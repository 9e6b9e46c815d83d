"""Random density worlds: made-up cities and a week of visits, none of them a dataset.

What rules of the density are chosen by. World k is always the same; every quantity is drawn from a
range that holds most published tables of visits (phones, check-ins, bikes, taxis), from a village
of thirty towers to a city of three hundred, from a thousand people to a hundred thousand.
"""

from collections.abc import Iterator

import geopandas as gpd
import numpy as np
from scipy.spatial.distance import cdist

from engine.arrays import Floats, Integers
from engine.geography import hull_region, projected_crs, voronoi_cells
from engine.parameters import HOURS_PER_WEEK
from engine.synthetic.sampling import Rows, cumulative, draw
from engine.synthetic.visits import Visits
from research.methods.density_cases import CAP, Case, in_memory
from research.worlds import log_uniform

WORLDS = 40
TOWERS = (30, 300)
ZONES = (0.3, 1.5)
"""Zones for each tower."""

PEOPLE = (1e3, 1e5)
VISITS = (2.0, 40.0)
"""Mean visits of a person in the week; fewer where that would be more than `MOST_VISITS` in all."""

MOST_VISITS = 1e6
HEAVY = (0.3, 1.4)
"""Spread of the log of people's numbers of visits."""

SIZES = (0.2, 1.5)
"""Spread of the log of towers' sizes."""

SMOOTH = (0.0, 1.0)
"""How much of that, and of how weeks differ, neighbouring towers have in common."""

RHYTHM = (0.2, 1.5)
"""Spread of the log of the city's hours, daily and weekly."""

APART = (0.0, 1.0)
"""The same of a tower's week beside the city's."""

AT_HOME = (0.1, 0.8)
REACH = (0.1, 2.0)
"""How far people go, in extents of the city."""


def world(number: int) -> Case:
    """Return the world of that number: towers, zones and counted visits, in memory."""
    rng = np.random.default_rng([number, 2])
    towers = round(log_uniform(rng, TOWERS))
    extent = log_uniform(rng, (5e3, 1e5))
    zones = max(10, round(rng.uniform(*ZONES) * towers))
    towns = rng.random((rng.integers(1, 5), 2))
    places, seeds = (
        extent * (towns[rng.integers(0, len(towns), n)] + rng.normal(0, 0.2, (n, 2)))
        for n in (towers, zones)
    )
    smooth = rng.uniform(*SMOOTH)

    def field(columns: int) -> Floats:
        """Return random values of the towers, of variance 1, some of it shared by neighbours."""
        waves = rng.normal(0, 4 / extent, (2, 12))
        shared = np.cos(places @ waves + rng.uniform(0, 2 * np.pi, 12)) @ rng.normal(
            0, 6**-0.5, (12, columns)
        )
        own = rng.normal(size=(towers, columns))
        return np.sqrt(smooth) * shared + np.sqrt(1 - smooth) * own

    size = np.exp(rng.uniform(*SIZES) * field(1)[:, 0])
    hours = np.arange(HOURS_PER_WEEK)
    beats = np.array([7, 14, 21, 1, 2, 28])
    phase = rng.uniform(0, 2 * np.pi, len(beats))
    waves = np.cos(2 * np.pi * beats[:, None] * hours / HOURS_PER_WEEK + phase[:, None])
    waves = np.vstack([waves, np.where(hours >= 120, 1.0, -0.4)])
    city = rng.uniform(*RHYTHM) * (rng.normal(0, 0.7, len(waves)) @ waves)
    weeks = np.exp(city + rng.uniform(*APART) * (field(len(waves)) @ waves) / 2)
    people = round(log_uniform(rng, PEOPLE))
    mean = min(log_uniform(rng, VISITS), MOST_VISITS / people)
    spread = rng.uniform(*HEAVY)
    number_of = rng.lognormal(np.log(mean) - spread**2 / 2, spread, people)
    visits = _visits(
        rng, number_of, size, weeks, np.asarray(cdist(places, places)) / extent, towers
    )
    geometry = gpd.GeoSeries(gpd.points_from_xy(*(places / 111_195).T), crs=4326)
    projected = geometry.to_crs(projected_crs(geometry))
    around = gpd.GeoSeries(gpd.points_from_xy(*(seeds / 111_195).T), crs=4326)
    cells = voronoi_cells(around.to_crs(projected.crs), hull_region(projected)).to_crs(4326)
    whole = ~(cells.is_empty | cells.isna())
    return in_memory(
        f"world {number}",
        gpd.GeoDataFrame(geometry=geometry.to_numpy(), crs=4326),
        gpd.GeoDataFrame(geometry=cells[whole].to_numpy(), crs=4326),
        [visits],
        people,
    )


def worlds(number: int = WORLDS) -> Iterator[Case]:
    """Yield the first worlds."""
    return map(world, range(number))


def _visits(
    rng: np.random.Generator,
    number_of: Floats,
    size: Floats,
    weeks: Floats,
    distance: Floats,
    towers: int,
) -> Visits:
    """Return the visits of people, each with a home, a work place and a place now and then."""
    near = Rows(size * np.exp(-distance / log_uniform(rng, REACH)))
    home = draw(cumulative(size), rng, len(number_of))
    work = near.draw(home, rng)
    drawn = np.minimum(rng.poisson(number_of), CAP)
    person = np.repeat(np.arange(len(number_of)), drawn)
    chance, stays = rng.random(len(person)), rng.uniform(*AT_HOME)
    tower = np.where(chance < stays, home[person], work[person])
    else_ = chance > stays + (1 - stays) * rng.uniform(0.1, 0.9)
    tower[else_] = near.draw(home[person[else_]], rng)
    hour = Rows(weeks).draw(tower, rng)
    keys: Integers = np.unique((person * HOURS_PER_WEEK + hour) * towers + tower)
    return Visits(
        person=keys // (HOURS_PER_WEEK * towers),
        hour=keys // towers % HOURS_PER_WEEK,
        tower=keys % towers,
        home=home,
    )
