"""Intervals that hold a kept count in 90 of 100 releases whatever the world is like.

For every count m a set A(m) = [m − d, m + u] holds the noisy count with 90%: the noise is below −d
in at most s·10%, above u in at most (1 − s)·10%. Any s will do; that is taken for which A(m) is the
least likely by the model, so that few noisy counts lead to counts the model disbelieves. The
interval of a noisy count is the hull of all m whose A(m) holds it (Pratt 1961; Yu and Hoff 2018).
It holds because what chooses s has not read the cell: pairs of zones are dealt into folds, and the
model of a fold is learnt from the others and from the flow back alone.
"""

import numpy as np

from ...arrays import Floats, Integers
from .expectation import Expect
from .grid import CountGrid
from .law import Expected, groups

CONFIDENCE = 0.90
FOLDS = 3
SPLITS: Floats = (np.arange(21) + 0.5) / 21
"""What s is chosen from."""

_EVEN = len(SPLITS) // 2
_FEWEST_ZONES = 4
"""With fewer, nothing is left to learn from: s = 1/2."""


def of_day(cells: Integers, rate: float, expect: Expect) -> tuple[Integers, Integers]:
    """Return the 90% interval of every kept count, the model of a cell having not read its pair.

    Parameters
    ----------
    cells : array of int64, shape (zones, zones)
        Noisy counts of one day.
    rate : float
        a of the discrete Laplace noise.
    expect : callable
        What is expected of all cells, given those that may be read.

    Returns
    -------
    low, high : arrays, shape (zones, zones)
        Kept trips, at least 0. Diagonal 0.
    """
    zones = len(cells)
    below, above = tails(rate)
    low, high = cells - above[_EVEN], cells + below[_EVEN]
    fold = np.add.outer(np.arange(zones), np.arange(zones)) % FOLDS
    off = ~np.eye(zones, dtype=np.bool_)
    for one in range(FOLDS if zones >= _FEWEST_ZONES else 0):
        taught, own = off & (fold != one), off & (fold == one)
        expected = expect(taught)
        inside = Expected(expected.trips[off], expected.uncertainty[off])
        ends = np.stack([low[off], high[off]])
        for group in groups(cells[off], rate, inside, taught[off]):
            priors, _, row = group.priors()
            mine = own[off][group.at]
            at = group.at[mine]
            ends[:, at] = hull(group.grid, priors, row[mine], cells[off][at], rate)
        low[off], high[off] = ends
    return np.where(off, np.maximum(low, 0), 0), np.where(off, np.maximum(high, 0), 0)


def tails(rate: float) -> tuple[Integers, Integers]:
    """Return the least d and u with P(Z < −d) ≤ s·10% and P(Z > u) ≤ (1 − s)·10%, for every s."""
    # P(Z > z) = P(Z < −z) = q^(z+1)/(1 + q)
    levels = (1 - CONFIDENCE) * np.stack([SPLITS, 1 - SPLITS]) * (1 + np.exp(-rate))
    least = np.maximum(np.ceil(-np.log(levels) / rate - 1 - 1e-12), 0).astype(np.int64)
    return least[0], least[1]


def hull(
    grid: CountGrid, priors: Floats, row: Integers, noisy: Integers, rate: float
) -> tuple[Integers, Integers]:
    """Return low and high of noisy counts, each under the prior of its row."""
    below, above = tails(rate)
    packet, most = grid.packet, int(below.max())
    wide = -(-most // packet) + 1  # nodes that the noise reaches
    likely = grid.likelihood(priors)
    # noisy counts below 0 are less and less likely by q
    negative = likely[:, :1] * np.exp(-grid.rate * np.arange(wide, 0, -1))
    every = np.concatenate([negative, likely], axis=1)
    total = np.cumsum(every, axis=1)
    # far above what the model expects only sums from the other end are precise
    rest = np.cumsum(every[:, ::-1], axis=1)[:, ::-1] - every
    node = np.arange(grid.nodes + wide)
    least, split = (
        np.full((len(priors), len(node)), np.inf),
        np.full((len(priors), len(node)), _EVEN),
    )
    inner = max(grid.nodes - wide, 0)  # the others stay even: their A(m) may leave the grid
    for s in np.argsort(np.abs(SPLITS - 0.5)):
        end = node[:inner] + wide - (-above[s] // packet)
        start = node[:inner] + wide - below[s] // packet - 1
        end = np.minimum(end, total.shape[1] - 1)
        below_half = total[:, end] < rest[:, start]
        mass = np.where(below_half, total[:, end] - total[:, start], rest[:, start] - rest[:, end])
        better = mass < least[:, :inner] * (1 - 1e-9)
        least[:, :inner][better] = mass[better]
        split[:, :inner][better] = s
    reach_up = np.maximum.accumulate((node + 1) * packet - 1 + above[split], axis=1)
    reach_down = np.minimum.accumulate((node * packet - below[split])[:, ::-1], axis=1)[:, ::-1]
    # one search for all rows: each row's numbers lie beyond those of the row before
    apart = (int(reach_up.max()) + most + 1) * 2
    shift, offset = row * apart, row * len(node)
    ladder = np.arange(len(priors))[:, None] * apart
    up, down = (reach_up + ladder).ravel(), (reach_down + ladder).ravel()
    bounded = np.clip(noisy, -most, packet * grid.nodes)
    first = np.searchsorted(up, bounded + shift) - offset
    last = np.searchsorted(down, bounded + shift, side="right") - 1 - offset
    inside = np.maximum(last, 0)
    low = np.maximum(first * packet, bounded - above[split[row, first]])
    high = np.minimum((inside + 1) * packet - 1, bounded + below[split[row, inside]])
    high = np.where(last >= 0, high, 0)
    # beyond the grid every A(m) is even
    beyond = noisy > packet * grid.nodes
    low, high = (
        np.where(beyond, even, end)
        for end, even in ((low, noisy - above[_EVEN]), (high, noisy + below[_EVEN]))
    )
    return low, high
