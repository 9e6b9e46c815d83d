"""Fit the distribution of θ = trips/expected from noisy cells, empty flows included.

Cells of like expectation and equal noisy count are pooled: their likelihood is one row of a table.
A distribution is a list of shares over a grid of log θ and over θ = 0, flows that do not exist. It
is learnt by expectation–maximisation from one broad log-normal distribution.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ...arrays import Booleans, Floats, Integers

STEP = 0.2
"""Step of the grids of log θ and of log expectation."""
HALF_WIDTH = 30
"""θ runs over 0 and e^(0.2·k), k from −30 to 30."""
EXPECTATIONS = (-60, 80)
"""Expectations run over e^(0.2·k)."""
STEP_SHAPE = 100.0
"""Gamma shape that spreads the intensity by a tenth around every step of θ."""
START: tuple[float, float] = 1.4, 0.3
"""Start of the learning: the spread of log θ, and the share of empty flows."""
PSEUDO_CELLS, ROUNDS = 5.0, 60
"""Weight of the start in cells, which keeps a prior from being surer than its cells; rounds."""
LARGE_SCALES = 7.0
"""A cell closer than this to the end of the nodes is taken as it is; it is far above the noise."""

_LOG_THETA = STEP * np.arange(-HALF_WIDTH, HALF_WIDTH + 1)
THETA: Floats = np.append(0.0, np.exp(_LOG_THETA))
_LOG_EXPECTATIONS = STEP * np.arange(EXPECTATIONS[0] - HALF_WIDTH, EXPECTATIONS[1] + HALF_WIDTH + 1)


class CountGrid(NamedTuple):
    """Counts 0, u, 2u, … of packets of u trips, u = 1 unless the noise (`rate` a packet) is wide.

    Noisy counts below 0 are treated as 0, up to a factor. The posterior of m is p(m)·q^|y −
    m|/N(y); A = Σ_{m ≤ y} p(m) q^(y − m) and B = Σ_{m > y} p(m) q^(m − y) follow by one recursion
    each.
    """

    rate: float
    packet: int
    nodes: int

    @classmethod
    def from_cells(cls, cells: Integers, rate: float) -> "CountGrid":
        """Return the grid up to 12 scales of the noise above all counts, at most 2048 nodes."""
        packet = max(1, int(np.ceil(1 / rate / 32)))
        node_count = int(cells.max(initial=0) / packet + 12 / (rate * packet)) + 32
        # a multiple of 64, so that matrices of like noise share their tables
        return cls(rate * packet, packet, min(2048, -(-node_count // 64) * 64))

    def contains(self, cells: Integers) -> Booleans:
        """Return whether each noisy count is within the grid."""
        return cells <= self.packet * (self.nodes - LARGE_SCALES / self.rate)

    def node_of(self, cells: Integers) -> Integers:
        """Return the node nearest to each noisy count; 0 for those below 0."""
        return (np.maximum(cells, 0) + self.packet // 2) // self.packet

    def negative_binomial(self, mean: Floats, shape: float) -> Floats:
        """Return P(m packets), shape (means, nodes): Poisson with a gamma intensity."""
        of_packets = (self.packet - 1) / mean if self.packet > 1 else np.zeros(1)
        kappa = 1 / np.maximum(1 / shape - of_packets, 1e-6)[:, None]
        m, share = np.arange(self.nodes), mean[:, None] / (mean[:, None] + kappa * self.packet)
        of_count = special.gammaln(m + kappa) - special.gammaln(kappa) - special.gammaln(m + 1)
        return np.exp(np.maximum(m * np.log(share) + kappa * np.log1p(-share) + of_count, -700.0))

    def likelihood(self, priors: Floats) -> Floats:
        """Return N(y) = Σ_m p(m) q^|y − m| at every node, up to the noise's constant."""
        below, above = self._pieces(priors)
        return below + above

    def posterior(
        self, priors: Floats, zero_prior: Floats, row: Integers, node: Integers
    ) -> Floats:
        """Return mean, median and variance in trips and P(M = 0), shape (4, pairs)."""
        below, above = self._pieces(priors)
        evidence = (below + above)[row, node]
        m = np.arange(self.nodes)
        weighted = (self.likelihood(priors * m**power)[row, node] for power in (1, 2))
        mean, square = (moment / evidence for moment in weighted)
        empty = np.minimum(zero_prior[row] * np.exp(-self.rate * node) / evidence, 1.0)
        half_mass = 0.5 * evidence * (1 - 1e-9)
        low = np.full(half_mass.shape, -1, dtype=np.int64)
        high = np.full(half_mass.shape, self.nodes - 1, dtype=np.int64)
        while (high - low > 1).any():
            middle = (low + high) // 2
            away = np.exp(-self.rate * np.abs(node - middle))
            upper = evidence - away * above[row, middle]
            chance = np.where(middle <= node, away * below[row, middle], upper)
            low = np.where(chance < half_mass, middle, low)
            high = np.where(chance < half_mass, high, middle)
        variance = np.maximum(square - mean**2, 0.0) * self.packet**2
        median = (self.packet * high).astype(np.float64)
        return np.stack([self.packet * mean, median, variance, empty])

    def _pieces(self, priors: Floats) -> tuple[Floats, Floats]:
        from scipy import signal

        recursion = [1.0, -np.exp(-self.rate)]
        below: Floats = np.asarray(signal.lfilter([1.0], recursion, priors, axis=-1))
        backwards: Floats = np.asarray(signal.lfilter([1.0], recursion, priors[:, ::-1], axis=-1))
        return below, backwards[:, ::-1] - priors


class ExpectedTrips(NamedTuple):
    """Expectation of every cell before its noisy count is used, and its relative variance."""

    trips: Floats
    relative_variance: Floats


class PriorFit(NamedTuple):
    """Fitted priors of θ of all cells on the grid; the other cells are far above the noise."""

    cell_positions: Integers  # positions of the cells in the flattened matrix
    pair: NDArray[np.int32]  # by cell
    grid: CountGrid
    row: Integers  # by pair
    node: Integers
    evidence: Floats  # P(noisy count | θ) up to a factor of the noise, shape (pairs, θ)
    theta_shares: Floats  # shares of θ, first of θ = 0, shape (rows, θ)
    priors: Floats  # prior P(m), shape (rows, nodes)
    zero_prior: Floats  # prior P(0), shape (rows,)

    def posterior_intensity(self) -> tuple[Floats, Floats]:
        """Return mean and relative variance of θ behind every cell, given its own noisy count."""
        powers = np.stack([THETA**0, THETA, THETA**2], axis=1)
        moments = self.evidence * self.theta_shares[self.row] @ powers
        zeroth_moment, first_moment, second_moment = moments.T
        spread = np.maximum(second_moment / first_moment * (zeroth_moment / first_moment) - 1, 0.0)
        return (first_moment / zeroth_moment)[self.pair], spread[self.pair]

    def posterior(self) -> Floats:
        """Return mean, median, variance and P(0) of every pair, shape (4, pairs)."""
        return self.grid.posterior(self.priors, self.zero_prior, self.row, self.node)


def fit_priors(
    cells: Integers, rate: float, expected: ExpectedTrips, training_cells: Booleans | None = None
) -> PriorFit:
    """Return priors fitted to noisy cells, one for all cells of like uncertainty."""
    off = ~np.eye(len(cells), dtype=np.bool_)
    learnt = off if training_cells is None else training_cells
    grid = CountGrid.from_cells(cells[learnt], rate)
    positions = np.flatnonzero(off & grid.contains(cells))
    levels = EXPECTATIONS[1] - EXPECTATIONS[0] + 1
    level = _nearest_step(expected.trips.flat[positions], STEP, EXPECTATIONS)
    # cells of like uncertainty share a prior: relative variance 4^−5, 4^−4, … 4^2
    power = _nearest_step(expected.relative_variance.flat[positions], np.log(4.0), (-5, 2))
    kinds, row_of_cell = _unique_keys(power * levels + level)
    group, level = np.divmod(kinds, levels)
    row_of_cell *= grid.nodes
    row_of_cell += grid.node_of(cells.flat[positions]).astype(np.int32)
    pairs, pair = _unique_keys(row_of_cell)
    row, node = np.divmod(pairs, grid.nodes)
    number = np.bincount(pair, weights=learnt.flat[positions]).astype(np.float64)
    # intensities μθ of every row, the first 0
    intensity = level[:, None] + np.arange(len(THETA))
    intensity[:, 0] = 0
    counts, likelihood = _count_tables(grid)
    evidence = likelihood[intensity[row], node[:, None]]
    law = np.zeros(intensity.shape)
    for group_number in np.unique(group):
        mine = (group[row] == group_number) & (number > 0)
        law[group == group_number] = _fit_prior(evidence[mine], number[mine])
    shares = np.zeros((len(law), len(counts)))
    np.put_along_axis(shares, intensity, law, axis=1)
    no_trip = np.exp(-STEP_SHAPE * np.log1p(np.exp(_LOG_EXPECTATIONS) / STEP_SHAPE))
    none = shares @ np.append(1.0, no_trip)
    return PriorFit(positions, pair, grid, row, node, evidence, law, shares @ counts, none)


@lru_cache(maxsize=8)
def _count_tables(grid: CountGrid) -> tuple[Floats, Floats]:
    """Return P(m) and N(y) by intensity, the first 0, at every node."""
    positive = grid.negative_binomial(np.exp(_LOG_EXPECTATIONS), STEP_SHAPE)
    counts = np.vstack([np.eye(1, grid.nodes), positive])
    return counts, grid.likelihood(counts)


def _unique_keys(keys: NDArray[np.int32]) -> tuple[Integers, NDArray[np.int32]]:
    occurs = np.bincount(keys) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs, dtype=np.int32) - 1)[keys]


def _nearest_step(values: Floats, width: float, ends: tuple[int, int]) -> NDArray[np.int32]:
    step = np.round(np.log(np.maximum(values, 1e-300)) / width)
    return step.clip(*ends).astype(np.int32) - ends[0]


def log_normal_prior(spread: float, empty_share: float) -> Floats:
    """Return a prior of θ with mean 1: log-normal, and a share of empty flows."""
    centre = -np.log1p(-empty_share) - spread**2 / 2
    law = np.exp(-((_LOG_THETA - centre) ** 2) / (2 * spread**2))
    return np.append(empty_share, (1 - empty_share) * law / law.sum())


def _fit_prior(evidence: Floats, cells: Floats) -> Floats:
    start = law = log_normal_prior(*START)
    for _ in range(ROUNDS):
        share = (cells / np.maximum(evidence @ law, 1e-300)) @ evidence
        law = (law * share + PSEUDO_CELLS * start) / (cells.sum() + PSEUDO_CELLS)
    return law
