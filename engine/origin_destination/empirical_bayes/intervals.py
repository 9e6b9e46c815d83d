"""Intervals that contain a truncated count in 95 of 100 releases, whatever the model.

For every count m a set A(m) = [m − d, m + u] contains the noisy count with 95%: the noise is below
−d in at most s·5%, above u in at most (1 − s)·5%. Any s is valid; the s with the least likely A(m)
by the model is used, so that few noisy counts lead to counts that the model finds unlikely. The
interval of a noisy count is the hull of all m whose A(m) contains it (Pratt 1961; Yu and Hoff
2018). Coverage needs an s chosen without the cell: pairs of zones are dealt into folds, and the
model of a fold is learnt from the other folds and from the flow back alone.
"""

import numpy as np

from ...arrays import Floats, Integers
from .posterior import ExpectationFunction
from .prior_fit import LARGE_SCALES, CountGrid, fit_priors

CONFIDENCE = 0.95
FOLDS = 3
SPLITS: Floats = 0.5 + np.array([k // 2 * (-1) ** k for k in range(1, 22)]) / 21
"""Candidates for s; the even split first."""


def day_intervals(
    cells: Integers, rate: float, expect: ExpectationFunction
) -> tuple[Integers, Integers]:
    """Return low and high of all truncated counts of a day, shape (zones, zones); diagonal 0."""
    zones = np.arange(len(cells))
    off, fold = ~np.eye(len(cells), dtype=np.bool_), np.add.outer(zones, zones) % FOLDS
    below, above = noise_tails(rate)
    low, high = cells - above[0], cells + below[0]  # flows too large for the grid
    # of fewer zones nothing is left to learn from: s = 1/2
    for fold_number in range(FOLDS if len(cells) >= 4 else 0):
        taught = off & (fold != fold_number)
        laws = fit_priors(cells, rate, expect(taught), taught)
        in_fold, row = fold.flat[laws.cell_positions] == fold_number, laws.row[laws.pair]
        for kind in np.unique(row[in_fold]):
            positions = laws.cell_positions[in_fold & (row == kind)]
            hull = interval_hull(laws.grid, laws.priors[kind], cells.flat[positions], rate)
            low.flat[positions], high.flat[positions] = hull
    return np.maximum(low, 0) * off, np.maximum(high, 0) * off


def noise_tails(rate: float) -> tuple[Integers, Integers]:
    """Return the least d and u with P(Z < −d) ≤ s·5% and P(Z > u) ≤ (1 − s)·5%, for every s."""
    # P(Z > z) = P(Z < −z) = q^(z+1)/(1 + q)
    levels = (1 - CONFIDENCE) * np.stack([SPLITS, 1 - SPLITS]) * (1 + np.exp(-rate))
    distances = np.maximum(np.ceil(-np.log(levels) / rate - 1 - 1e-12), 0).astype(np.int64)
    return distances[0], distances[1]


def interval_hull(
    grid: CountGrid, prior: Floats, noisy: Integers, rate: float
) -> tuple[Integers, Integers]:
    """Return low and high of noisy counts on the grid, under one prior."""
    below, above = noise_tails(rate)
    packet, node = grid.packet, np.arange(grid.nodes)
    wide = -(-int(below.max()) // packet) + 1  # nodes that the noise reaches
    likely = grid.likelihood(prior[None])[0]
    # noisy counts below 0 are less and less likely by q
    negative = likely[0] * np.exp(-grid.rate * np.arange(wide, 0, -1))
    nodes = np.concatenate([negative, likely])
    # far above the model's expectation only sums from the other end are precise
    total, rest = np.cumsum(np.append(0.0, nodes)), np.cumsum(np.append(0.0, nodes[::-1]))[::-1]
    start = node + wide - below[:, None] // packet
    end = np.minimum(node + wide + 1 - (-above[:, None] // packet), len(nodes))
    mass = np.where(total[end] < rest[start], total[end] - total[start], rest[start] - rest[end])
    split = np.argmax(mass <= mass.min(axis=0) * (1 + 1e-9), axis=0)
    # counts beyond the grid keep the even split
    split[node > grid.nodes - LARGE_SCALES / grid.rate - wide] = 0
    up = np.maximum.accumulate((node + 1) * packet - 1 + above[split])
    down = np.minimum.accumulate((node * packet - below[split])[::-1])[::-1]
    noisy = np.maximum(noisy, -below.max())
    first, last = np.searchsorted(up, noisy), np.searchsorted(down, noisy, side="right") - 1
    low = np.maximum(first * packet, noisy - above[split[first]])
    high = np.minimum((last + 1) * packet - 1, noisy + below[split[last]])
    return low, np.where(last >= 0, high, 0)
