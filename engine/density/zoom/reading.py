"""Reading: from the noisy tables and public geometry to a week of every tower. No counts here.

Noise can explain small differences between neighbouring places; those are evened out, the others
are kept.
"""

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.density.zoom.basis import city_week
from engine.density.zoom.constants import ZoomConstants
from engine.density.zoom.measure import NoisyTables, estimate_visits
from engine.density.zoom.sizes import tower_sizes
from engine.density.zoom.tree import Tree
from engine.density.zoom.weeks import tower_weeks, with_single_cells


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """What the noisy tables say.

    Attributes
    ----------
    visits : float
        K̂, all visits; can be negative.
    sizes : array, shape (towers,)
        The towers' shares of all visits, at least 0, of sum 1.
    city : array, shape (168,)
        The city's week, at least 0, of sum 1.
    weeks : array, shape (towers, 168)
        The week of every tower, at least 0, of sum 1.
    """

    visits: float
    sizes: Floats
    city: Floats
    weeks: Floats

    @property
    def by_tower(self) -> Floats:
        """Visits of every tower and hour, shape (towers, 168), at least 0."""
        return max(self.visits, 0.0) * self.sizes[:, None] * self.weeks


def read(noisy: NoisyTables, tree: Tree, constants: ZoomConstants) -> Reading:
    """Read the noisy tables. A pure function of private results, so it costs no privacy."""
    sizes, size_noise = tower_sizes(noisy.weeks, tree, constants)
    city = city_week(*_city_hours(noisy), constants)
    weights = np.maximum(sizes, constants.least_weight * size_noise)
    weeks = tower_weeks(noisy, tree, weights, city, constants)
    return Reading(
        visits=estimate_visits(noisy.visits, noisy.sigma_visits, constants),
        sizes=sizes,
        city=city,
        weeks=with_single_cells(noisy.towers, sizes, weeks, constants),
    )


def _city_hours(noisy: NoisyTables) -> tuple[Floats, float]:
    """Return the city's noisy hours and their noise.

    Where the noise left it the clip of the finer tables, their sums say the same of a person as it
    does: all three are averaged by precision. Under a larger clip it alone knows those who move
    much.
    """
    if noisy.city_clip > noisy.clip:
        return noisy.city.values, noisy.city.sigma
    tables = [(noisy.city.values[None], noisy.city.sigma)]
    tables += [(table.values, table.sigma) for table in (noisy.districts, noisy.towers)]
    precisions = np.array([1 / (len(values) * sigma**2) for values, sigma in tables])
    sums = np.stack([values.sum(axis=0) for values, _ in tables])
    return precisions @ sums / precisions.sum(), float(precisions.sum() ** -0.5)
