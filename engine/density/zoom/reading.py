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
    city = city_week(noisy.city.values, noisy.city.sigma, constants)
    weights = np.maximum(sizes, constants.least_weight * size_noise)
    weeks = tower_weeks(noisy, tree, weights, city, constants)
    return Reading(
        visits=estimate_visits(noisy.visits, noisy.sigma_visits, constants),
        sizes=sizes,
        city=city,
        weeks=with_single_cells(noisy.towers, sizes, weeks, constants),
    )
