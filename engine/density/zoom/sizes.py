"""Sizes of towers from the noisy table of their weeks, level by level down the tree."""

import numpy as np

from engine.arrays import Floats
from engine.density.zoom.basis import shares
from engine.density.zoom.constants import ZoomConstants
from engine.density.zoom.measure import NoisyTable
from engine.density.zoom.signal import signal_variance
from engine.density.zoom.tree import Tree, hand_down


def tower_sizes(weeks: NoisyTable, tree: Tree, constants: ZoomConstants) -> tuple[Floats, float]:
    """Return the towers' shares of all visits, and the noise of one share as measured.

    At each split the difference of the halves' mean counts is shrunk by s/(s + v): v its noise, s
    the signal variance of that level. Last, n ← n³/(n² + noise²) draws what is within the noise
    to 0, and every region gets back what that takes from it.

    Returns
    -------
    array, shape (towers,), and float
        At least 0, of sum 1; above 0.
    """
    towers = len(weeks.values)
    counts, noise = weeks.values / weeks.total, weeks.sigma / weeks.total
    first, second = tree.first.sum(axis=1), tree.second.sum(axis=1)
    differences = tree.first @ counts / first - tree.second @ counts / second
    variances = noise**2 * (1 / first + 1 / second)
    for level in np.unique(tree.level):
        at_level = tree.level == level
        squares = differences[at_level, None] ** 2
        signal = signal_variance(
            squares, variances[at_level], np.ones(1), errors=0.0, constants=constants
        )
        differences[at_level] *= signal / (signal + variances[at_level])
    sizes = np.maximum(1 / towers + hand_down(tree, np.ones(towers)) @ differences, 0.0)
    drawn = sizes**3 / (sizes**2 + noise**2)
    region = tree.nodes[min(constants.region_level, len(tree.nodes) - 1)]
    before, after = (np.bincount(region, weights=values) for values in (sizes, drawn))
    back = np.divide(before, after, out=np.zeros_like(before), where=after > 0)
    return shares(drawn * back[region]), noise
