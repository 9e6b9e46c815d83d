"""Weeks of towers: differences of halves down the tree, then the ups and downs of single cells."""

import numpy as np
from scipy.sparse import csr_array

from engine.arrays import Floats
from engine.density.zoom.basis import relative_basis, shares
from engine.density.zoom.constants import ZoomConstants
from engine.density.zoom.measure import NoisyTable, NoisyTables
from engine.density.zoom.signal import signal_variance
from engine.density.zoom.tree import Tree, hand_down


def tower_weeks(
    noisy: NoisyTables, tree: Tree, weights: Floats, city: Floats, constants: ZoomConstants
) -> Floats:
    """Return the week of every tower, shape (towers, 168), at least 0 and of sum 1.

    Every coefficient of a difference is shrunk by s/(s + its noise), with one signal variance s
    for each group of rhythms over all splits.

    Parameters
    ----------
    weights : array, shape (towers,)
        Above 0; what a tower counts for in a mean of weeks.
    city : array, shape (168,)
        The city's week.
    """
    differences, noise = _differences(noisy.towers, tree.first, tree.second, weights)
    above = np.flatnonzero(tree.level < tree.district_level)
    members = np.eye(tree.districts.max() + 1)[tree.districts]
    first, second = (
        csr_array((half[above] @ members > 0).astype(np.float64))
        for half in (tree.first, tree.second)
    )
    coarse, coarse_noise = _differences(noisy.districts, first, second, members.T @ weights)
    share = noise[above] / (noise[above] + coarse_noise)  # by precision
    differences[above] += share[:, None] * (coarse - differences[above])
    noise[above] = share * coarse_noise
    basis, groups = relative_basis(city, constants)
    coefficients = differences @ basis
    in_group = np.eye(groups.max() + 1)[groups]
    components = in_group.sum(axis=0)
    signal = signal_variance(
        coefficients**2 @ in_group / components,
        noise,
        components,
        errors=constants.tower_errors,
        constants=constants,
    )[groups]
    kept = (coefficients * signal / (signal + noise[:, None])) @ basis.T
    return shares(city + hand_down(tree, weights) @ kept)


def _differences(
    table: NoisyTable, first: csr_array, second: csr_array, weights: Floats
) -> tuple[Floats, Floats]:
    """Return the halves' visits by hour per weight, first less second, and one hour's noise."""
    scaled = table.values / table.total
    one, other = (first @ weights)[:, None], (second @ weights)[:, None]
    noise = first.sum(axis=1) / one[:, 0] ** 2 + second.sum(axis=1) / other[:, 0] ** 2
    return first @ scaled / one - second @ scaled / other, (table.sigma / table.total) ** 2 * noise


def with_single_cells(
    towers: NoisyTable, sizes: Floats, weeks: Floats, constants: ZoomConstants
) -> Floats:
    """Return the weeks with the ups and downs of single cells that stand clear of the noise."""
    fit = towers.total * sizes[:, None] * weeks
    left, noise = towers.values - fit, towers.sigma**2
    excess = (left**2 - noise).sum() / fit.sum()
    if excess <= constants.tower_errors * np.sqrt(2.0 * fit.size) * noise / fit.sum():
        return weeks
    cells = fit + left * excess * fit / (excess * fit + noise)
    seen = cells.max(axis=1, keepdims=True) > 0
    return np.where(seen, shares(cells), weeks)
