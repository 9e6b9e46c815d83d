"""The law of θ = trips/expected, learnt from noisy cells, flows that do not exist included.

Cells of like expectation and equal noisy count are read together: what the noise says of them is
one row of a table. A law is a list of shares over a grid of log θ and over θ = 0, flows that do not
exist. It is learnt by expectation–maximisation from the likeliest of a few log-normal laws with a
share of empty flows, mixed with one broad law that has both tails and empty flows, so that no law
is surer than its cells can tell.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Booleans, Floats, Integers
from .grid import CountGrid

STEP = 0.2
"""Step of the grids of log θ and log of what is expected."""

HALF_WIDTH = 30
"""θ runs over 0 and e^(0.2·k), k from −30 to 30."""

EXPECTATIONS = (-60, 80)
"""What is expected runs over e^(0.2·k)."""

STEP_SHAPE = 100.0
"""Around every step of θ the intensity spreads by a tenth (gamma), so that counts between two
steps are as believable as those on them."""

SPREADS = (0.0, 0.2, 0.4, 0.7, 1.0, 1.4, 1.9, 2.5)
"""The likeliest log-normal has one of these spreads …"""

NONE = (0.0, 0.1, 0.3, 0.6, 0.9)
"""… and one of these shares of empty flows."""

BROAD = (1.4, 0.3)
"""Spread and share of empty flows of the broad law."""

BROAD_SHARE = 0.5
PSEUDO_CELLS = 60.0
"""The law that learning starts from counts as so many cells."""

ROUNDS = 10
UNCERTAINTY_STEP = 4.0
UNCERTAINTIES = (-5, 2)
"""Cells share a law whose expectation is as uncertain: relative variance 4^−5, 4^−4, … 4^2."""

_LOG_THETA = STEP * np.arange(-HALF_WIDTH, HALF_WIDTH + 1)
THETA: Floats = np.append(0.0, np.exp(_LOG_THETA))
_LOG_MEANS = STEP * np.arange(EXPECTATIONS[0] - HALF_WIDTH, EXPECTATIONS[1] + HALF_WIDTH + 1)


class Expected(NamedTuple):
    """What is expected of every cell before its own noisy count is read, shape (zones, zones).

    Attributes
    ----------
    trips : array
        Expected intensity, above 0 off the diagonal.
    uncertainty : array
        Its relative variance, Var/mean²; any number that orders cells by how well it is known.
    """

    trips: Floats
    uncertainty: Floats


class Laws(NamedTuple):
    """The laws of θ of all cells that the grid holds; the others stand far above the noise.

    Cells differ by what is expected and by how uncertain that is (`row`), then by their noisy
    count (`pair`).
    """

    at: Integers  # the cells, as positions in the flattened matrix
    pair: NDArray[np.int32]  # of each cell
    grid: CountGrid
    row: Integers  # of each pair
    node: Integers
    evidence: Floats  # P(noisy count | θ) up to a factor of the noise, shape (pairs, θ)
    law: Floats  # shares of θ, the first of 0, shape (rows, θ)
    priors: Floats  # P(m) before a cell is read, shape (rows, nodes)
    none: Floats  # P(0) before a cell is read, shape (rows,)

    def intensity(self) -> tuple[Floats, Floats]:
        """Return mean and relative variance of θ behind every cell, its own noisy count read."""
        moments = self.evidence * self.law[self.row] @ np.stack([THETA**0, THETA, THETA**2], axis=1)
        none, one, two = moments.T
        spread = np.maximum(two / one * (none / one) - 1, 0.0)
        return (one / none)[self.pair], spread[self.pair]

    def posterior(self, confidence: float) -> Floats:
        """Return mean, median, the middle `confidence` and P(0) of every pair, shape (5, pairs)."""
        return self.grid.posterior(self.priors, self.none, self.row, self.node, confidence)


def learn(cells: Integers, rate: float, expected: Expected, taught: Booleans | None = None) -> Laws:
    """Return the laws of cells, one for all whose expectation is about as uncertain.

    Parameters
    ----------
    cells : array of int64, shape (zones, zones)
        Noisy counts.
    rate : float
        a of the discrete Laplace noise.
    taught : bool array, same shape, optional
        Cells whose noisy counts the laws are learnt from and that choose how large the grid is;
        none on the diagonal. All where None.
    """
    off = ~np.eye(len(cells), dtype=np.bool_)
    learnt = off if taught is None else taught
    grid = CountGrid.of_cells(cells[learnt], rate)
    at = np.flatnonzero(off & grid.holds(cells))
    levels = EXPECTATIONS[1] - EXPECTATIONS[0] + 1
    level = _step(expected.trips.flat[at], STEP, EXPECTATIONS)
    power = _step(expected.uncertainty.flat[at], np.log(UNCERTAINTY_STEP), UNCERTAINTIES)
    kinds, row_of_cell = _occurring(power * levels + level)
    group, level = np.divmod(kinds, levels)
    row_of_cell *= grid.nodes
    row_of_cell += grid.node_of(cells.flat[at]).astype(np.int32)
    pairs, pair = _occurring(row_of_cell)
    row, node = np.divmod(pairs, grid.nodes)
    number = np.bincount(pair, weights=learnt.flat[at]).astype(np.float64)
    # of every row the intensities μθ, the first 0
    intensity = level[:, None] + np.arange(len(THETA))
    intensity[:, 0] = 0
    counts = np.vstack(
        [np.eye(1, grid.nodes), grid.negative_binomial(np.exp(_LOG_MEANS), STEP_SHAPE)]
    )
    evidence = grid.likelihood(counts)[intensity[row], node[:, None]]
    law = np.zeros(intensity.shape)
    for one in np.unique(group):
        mine = (group[row] == one) & (number > 0)
        law[group == one] = _learn(evidence[mine], number[mine])
    shares = np.zeros((len(law), len(counts)))
    np.put_along_axis(shares, intensity, law, axis=1)
    none = shares @ np.append(1.0, np.exp(-STEP_SHAPE * np.log1p(np.exp(_LOG_MEANS) / STEP_SHAPE)))
    return Laws(at, pair, grid, row, node, evidence, law, shares @ counts, none)


def _occurring(keys: NDArray[np.int32]) -> tuple[Integers, NDArray[np.int32]]:
    """Return the keys that occur, ascending, and the place of each key among them."""
    occurs = np.bincount(keys) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs, dtype=np.int32) - 1)[keys]


def _step(values: Floats, width: float, ends: tuple[int, int]) -> NDArray[np.int32]:
    """Return the nearest step of log values, from the lowest."""
    step = np.maximum(values, 1e-300)
    np.log(step, out=step)
    step /= width
    np.round(step, out=step)
    return step.clip(*ends, out=step).astype(np.int32) - ends[0]


def log_normal(spread: float, none: float) -> Floats:
    """Return a law of θ with mean 1: log-normal, and a share of empty flows."""
    centre = -np.log1p(-none) - spread**2 / 2
    away = (_LOG_THETA - centre) ** 2 / (2 * max(spread, STEP / 4) ** 2)
    law = np.exp(away.min() - away)
    return np.append(none, (1 - none) * law / law.sum())


_LAWS = np.stack([log_normal(spread, none) for none in NONE for spread in SPREADS], axis=1)


def _learn(evidence: Floats, cells: Floats) -> Floats:
    """Return the law of θ of these cells."""
    likeliest = int(np.argmax(cells @ np.log(np.maximum(evidence @ _LAWS, 1e-300))))
    start = (1 - BROAD_SHARE) * _LAWS[:, likeliest] + BROAD_SHARE * log_normal(*BROAD)
    law = start
    for _ in range(ROUNDS):
        share = (cells / np.maximum(evidence @ law, 1e-300)) @ evidence
        law = (law * share + PSEUDO_CELLS * start) / (cells.sum() + PSEUDO_CELLS)
    return law
