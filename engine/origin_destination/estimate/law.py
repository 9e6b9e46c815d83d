"""The law of θ = trips/expected, learnt from noisy cells, flows that do not exist included.

Cells of like expectation and equal noisy count are read together: what the noise says of them is
one row of a table. A law is a share of cells without any trip and a list of shares over a grid of
log θ. It is learnt by expectation–maximisation from the likeliest of a few log-normal laws with a
share of empty flows, mixed with one broad law that has both tails and empty flows, so that no law
is surer than its cells can tell.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...arrays import Booleans, Floats, Integers
from .grid import CountGrid

STEP = 0.2
"""Step of the grids of log θ and log of what is expected."""

HALF_WIDTH = 30
"""θ runs over e^(0.2·k), k from −30 to 30, and 0."""

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
MOST_PAIRS = 2000
"""Laws are learnt from so many pairs of expectation and noisy count at least; beyond, every
second, third … is enough."""

UNCERTAINTY_STEP = 4.0
UNCERTAINTIES = (-5, 2)
"""Cells share a law whose expectation is as uncertain: relative variance 4^−5, 4^−4, … 4^2."""

_LOG_LIMITS = (-12.0, 16.0)
_K = np.arange(-HALF_WIDTH, HALF_WIDTH + 1)
THETA: Floats = np.concatenate([[0.0], np.exp(STEP * _K)])


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


class Group(NamedTuple):
    """Cells that share a law of θ.

    Attributes
    ----------
    at : array of int
        Its cells, as positions in the flattened matrix.
    grid : CountGrid
    level, node : arrays of int
        Step of log expectation and node of every pair of both that occurs.
    pair : array of int
        The pair of every cell.
    evidence : array, shape (pairs, 1 + steps of θ)
        P(noisy count | θ) up to a factor of the noise.
    law : array
        Shares of θ, the first of 0.
    counts : array, shape (steps, nodes)
        P(m) for every step of the intensity that the group needs.
    means : array, shape (steps,)
        Those intensities.
    """

    at: Integers
    grid: CountGrid
    level: Integers
    node: Integers
    pair: Integers
    evidence: Floats
    law: Floats
    counts: Floats
    means: Floats

    def intensity(self) -> tuple[Floats, Floats]:
        """Return mean and relative variance of θ behind every cell, its own noisy count read."""
        none, one, two = ((self.evidence * self.law) @ THETA**power for power in (0, 1, 2))
        return (one / none)[self.pair], np.maximum(two / one * (none / one) - 1, 0.0)[self.pair]

    def priors(self) -> tuple[Floats, Floats, Integers]:
        """Return P(m) before the cell is read and P(0), by level; the row of every cell."""
        levels = np.arange(self.level.max() + 1)[:, None]
        band = np.zeros((len(levels), len(self.counts)))
        band[levels, levels + HALF_WIDTH + _K] = self.law[1:]
        priors = band @ self.counts
        priors[:, 0] += self.law[0]
        none = band @ np.exp(-STEP_SHAPE * np.log1p(self.means / STEP_SHAPE)) + self.law[0]
        return priors, none, self.level[self.pair]


def groups(
    cells: Integers, rate: float, expected: Expected, taught: Booleans | None = None
) -> Iterator[Group]:
    """Yield the cells by how uncertain their expectation is, each group with the law learnt.

    Cells too large for the grid are in none: they stand far above the noise.

    Parameters
    ----------
    cells : array of int64, shape (zones, zones)
        Noisy counts.
    rate : float
        a of the discrete Laplace noise.
    expected : Expected
    taught : bool array, same shape, optional
        Cells whose noisy counts the laws are learnt from and that choose how large the grid is;
        none on the diagonal. All where None.
    """
    off = ~np.eye(len(cells), dtype=np.bool_)
    learnt = off if taught is None else taught
    whole = CountGrid.of_cells(cells[learnt], rate)
    held = off & whole.holds(cells)
    if not held.any():
        return
    at, noisy, learnt = np.flatnonzero(held), cells[held], learnt[held]
    level = np.log(np.maximum(expected.trips[held], 1e-300)).clip(*_LOG_LIMITS) / STEP
    level = np.round(level).astype(np.int64)
    first = int(level.min()) - HALF_WIDTH
    means = np.exp(STEP * np.arange(first, level.max() + HALF_WIDTH + 1))
    counts = whole.negative_binomial(means, STEP_SHAPE)
    likelihood = whole.likelihood(counts)
    power = np.log(np.maximum(expected.uncertainty[held], 1e-12)) / np.log(UNCERTAINTY_STEP)
    power = np.round(power.clip(*UNCERTAINTIES))
    for one in np.unique(power):
        grid = CountGrid.of_cells(noisy[learnt & (power == one)], rate)
        mine = np.flatnonzero((power == one) & grid.holds(noisy))
        key = (level[mine] - first) * grid.nodes + grid.node_of(noisy[mine])
        present, pair = np.unique(key, return_inverse=True)
        if not len(present):
            continue
        step, node = np.divmod(present, grid.nodes)
        evidence = np.empty((len(present), len(THETA)))
        evidence[:, 0] = np.exp(-grid.rate * node)
        evidence[:, 1:] = likelihood[step[:, None] + _K, node[:, None]]
        number = np.bincount(pair, weights=learnt[mine]).astype(np.float64)
        some = np.flatnonzero(number)
        some = some[:: 1 + len(some) // MOST_PAIRS]
        law, low = _learn(evidence[some], number[some]), int(step.min())
        rows = slice(low - HALF_WIDTH, int(step.max()) + HALF_WIDTH + 1)
        held_counts = counts[rows, : grid.nodes]
        yield Group(at[mine], grid, step - low, node, pair, evidence, law, held_counts, means[rows])


def log_normal(spread: float, none: float) -> Floats:
    """Return a law of θ with mean 1: log-normal, and a share of empty flows.

    Examples
    --------
    >>> law = log_normal(0.6, 0.3)
    >>> float(law[0]), float((law @ THETA).round(2))
    (0.3, 1.0)
    """
    centre = -np.log1p(-none) - spread**2 / 2
    away = (STEP * _K - centre) ** 2 / (2 * max(spread, STEP / 4) ** 2)
    law = np.exp(away.min() - away)
    return np.concatenate([[none], (1 - none) * law / law.sum()])


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
