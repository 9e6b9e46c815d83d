"""What holds of a measurement whatever the world is like: no model, only the law of the noise.

With q = e^(−a) the noise of a cell has P(|Z| > z) = 2q^(z+1)/(1 + q). All statements are about
kept counts, that is after trimming.
"""

import numpy as np

from ...arrays import Booleans, Integers

FALSE_DISCOVERIES = 0.05
"""On average at most this share of the flows named certain is empty."""


def certain_flows(cells: Integers, rate: float) -> Booleans:
    """Return which flows are named certain, shape of `cells`: one release, (…, zones, zones).

    Benjamini–Hochberg at 5% over all flows of the release, all its days together, on
    P(Z ≥ y) = q^y/(1 + q) for y ≥ 1: the noise of cells is independent, so on average at most 5%
    of the named flows are empty (Benjamini and Hochberg 1995, theorem 1). Day by day it would not
    hold of the list of all days: each day adds false ones, also where it has nothing to name.

    Examples
    --------
    >>> certain_flows(np.array([[0, 90], [12, 0]]), 0.1)
    array([[False,  True],
           [False, False]])
    """
    off = ~np.eye(cells.shape[-1], dtype=bool)
    return (cells >= least_certain(cells.reshape(-1, *off.shape), rate)) & off


def least_certain(days: Integers, rate: float) -> int:
    """Return the least noisy count that `certain_flows` names, one day in memory after another."""
    off, none = ~np.eye(days.shape[-1], dtype=bool), np.log1p(np.exp(-rate))
    flows = days.size - days.size // days.shape[-1]
    # no rank names a flow that the 5% would not name by itself
    least = max(1, int(np.ceil((-np.log(FALSE_DISCOVERIES) - none) / rate - 1e-9)))
    ordered = np.sort(np.concatenate([day[(day >= least) & off] for day in days]))[::-1]
    ranks = np.arange(1, len(ordered) + 1)
    below = np.flatnonzero(-rate * ordered - none <= np.log(FALSE_DISCOVERIES * ranks / flows))
    return int(ordered[below[-1]]) if len(below) else int(np.iinfo(np.int64).max)
