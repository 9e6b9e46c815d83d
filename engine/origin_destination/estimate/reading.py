"""Read noisy cells by statistics: the law of the count behind each, given a prediction.

M ~ Poisson(μθ) with the prediction μ, y = M + noise; the law of θ is learnt from all cells. Reads
noisy cells and predictions only; nothing here can see a count.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Integers
from engine.origin_destination.estimate.grid import CountGrid, none_of
from engine.origin_destination.estimate.statements import cell_reach

LOG_STEP = 0.3
"""Step of the grids of log θ and log μ."""

HALF_WIDTH = 20
"""θ runs over e^(0.3·k), k from −20 to 20."""

FINE_STEPS = 8
"""μ is rounded to an eighth of a step (2%), so that like cells are read together."""

LEARNING_STEPS = 40
STRATA = 8
CELLS_A_STRATUM = 400
TAIL_SHARE = 0.001
"""Share of the heavy tail ∝ (1 + m)^−1.5: no flow is so unexpected that it is not believed."""

MODEL_CONFIDENCE = 0.90
RETURN_SHARE = 0.7
RETURN_LIMITS = (0.05, 20.0)
LARGEST_SHIFT = 3.0
"""Most steps by which all predictions are rescaled (a factor of 2.5)."""

_LOG_LIMITS = (-12.0, 16.0)
_BALANCING_STEPS = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class Reading:
    """The law of the kept count of every cell; arrays of shape (zones, zones), diagonal 0.

    Attributes
    ----------
    mean : array
        Posterior mean, clipped to what the noise allows for all cells at once (95%).
    low, high : arrays
        The middle 90% of the posterior, whole numbers.
    empty : array
        Posterior probability that the flow is empty; 1 on the diagonal.
    """

    mean: Floats
    low: Floats
    high: Floats
    empty: Floats


class _Pairs(NamedTuple):
    """Distinct pairs of a prediction and a noisy count, and the cells that have each."""

    level: Floats  # log μ in steps
    node: Integers
    cells: Integers  # number
    members: list[Integers]  # pairs of each stratum


def read(cells: Integers, rate: float, prediction: Floats) -> Reading:
    """Return the reading of one matrix, with the flow back as part of the second prediction.

    Parameters
    ----------
    cells : array of int64, shape (zones, zones)
        Noisy trips, signed.
    rate : float
        a of the discrete Laplace noise.
    prediction : array, shape (zones, zones)
        Expected trips, above 0 off the diagonal.

    Examples
    --------
    >>> noisy = np.array([[0, 40, -3], [38, 0, 2], [1, 0, 0]])
    >>> read(noisy, 1.0, 10.0 * (1 - np.eye(3))).mean.round(0).astype(int)[0].tolist()
    [0, 39, 0]
    """
    first = read_once(cells, rate, prediction, confidence=None)
    ratio = prediction / np.maximum(prediction.T, 1e-300)
    back = first.mean.T * np.clip(ratio, *RETURN_LIMITS)
    return read_once(cells, rate, RETURN_SHARE * back + (1 - RETURN_SHARE) * prediction)


def read_once(
    cells: Integers,
    rate: float,
    prediction: Floats,
    *,
    confidence: float | None = MODEL_CONFIDENCE,
) -> Reading:
    """Return the reading of one matrix under one prediction; None spares all but the mean."""
    off = ~np.eye(len(cells), dtype=bool)
    noisy = cells[off]
    grid = CountGrid.of_cells(noisy, rate)
    large = grid.is_large(noisy)
    # far above the noise a cell is read as it is
    side = cell_reach(rate, confidence=confidence or MODEL_CONFIDENCE)
    found = np.stack([noisy, noisy - side, noisy + side, np.zeros(len(noisy))])
    if not large.all():
        held = noisy[~large]
        found[:, ~large] = _read_held(held, grid, prediction[off][~large], confidence)
    reach = cell_reach(rate, cells=max(len(noisy), 1))
    above = np.maximum(noisy, 0)
    found[0] = np.clip(found[0], above - reach, above + reach)
    filled = np.zeros((4, *cells.shape))
    filled[3] = 1.0
    filled[:, off] = found
    return Reading(mean=filled[0], low=filled[1], high=filled[2], empty=filled[3])


def _read_held(
    noisy: Integers, grid: CountGrid, prediction: Floats, confidence: float | None
) -> Floats:
    """Return mean, low, high and empty, shape (4, cells)."""
    pairs, pair_of_cell = _group(grid, noisy, prediction)
    laws = _Laws(grid, pairs)
    shift = laws.balance(max(float(noisy.sum()), 1e-3))
    return laws.read(shift, confidence)[:, pair_of_cell]


class _Laws:
    """The law of θ in every stratum of μ, learnt from the cells of one matrix."""

    def __init__(self, grid: CountGrid, pairs: _Pairs) -> None:
        self.grid, self.pairs = grid, pairs
        margin = HALF_WIDTH + int(LARGEST_SHIFT) + 2
        self.first = int(np.floor(pairs.level.min())) - margin
        last = int(np.ceil(pairs.level.max())) + margin
        self.intensity = np.exp(LOG_STEP * np.arange(self.first, last + 1))
        self.counts = grid.spread_poisson(self.intensity)
        self.tail = grid.heavy_tail()
        self.weights = self._learn()
        self.means = [
            self._posterior(weights, members, LARGEST_SHIFT, None)
            for weights, members in zip(self.weights, self.pairs.members, strict=True)
        ]

    def balance(self, target: float) -> float:
        """Return by how many steps all log μ shift so that the means add up to `target`."""

        def gap(shift: float) -> float:
            total = 0.0
            for (low, table), members in zip(self.means, self.pairs.members, strict=True):
                means = self._interpolate(table[:1], low, members, shift)[0]
                total += float(means @ self.pairs.cells[members])
            return float(np.log(max(total, 1e-9) / target))

        shift, before = 0.0, gap(0.0)
        following = -before / LOG_STEP
        for _ in range(_BALANCING_STEPS):
            following = float(np.clip(following, -LARGEST_SHIFT, LARGEST_SHIFT))
            if abs(following - shift) < 1e-3:
                break
            after = gap(following)
            slope = (after - before) / (following - shift)
            shift, before = following, after
            following = shift - before / slope if slope > 1e-3 else shift
        return float(np.clip(following, -LARGEST_SHIFT, LARGEST_SHIFT))

    def read(self, shift: float, confidence: float | None) -> Floats:
        """Return mean, low, high and empty of every pair, shape (4, pairs)."""
        found = np.zeros((4, len(self.pairs.node)))
        for i, members in enumerate(self.pairs.members):
            low, table = self.means[i]
            if confidence is not None:
                low, table = self._posterior(self.weights[i], members, abs(shift), confidence)
            found[:, members] = self._interpolate(table, low, members, shift)
        found[1] = np.floor(found[1] + 1e-9)
        found[2] = np.ceil(found[2] - 1e-9)
        return found

    def _posterior(
        self, weights: Floats, members: Integers, margin: float, confidence: float | None
    ) -> tuple[int, Floats]:
        """Return posteriors (4, steps of log μ, nodes) and the first step."""
        level = self.pairs.level[members]
        low = int(np.floor(level.min() - margin))
        shifts = np.arange(low, int(np.floor(level.max() + margin)) + 2)
        columns = shifts[:, None] - HALF_WIDTH - self.first + np.arange(2 * HALF_WIDTH + 1)
        mixture = np.zeros((len(shifts), len(self.intensity)))
        np.put_along_axis(mixture, columns, (1 - TAIL_SHARE) * weights[None], axis=1)
        priors = mixture @ self.counts + TAIL_SHARE * self.tail
        none = mixture @ none_of(self.intensity) + TAIL_SHARE * self.grid.tail_at_0
        return low, self.grid.posterior(priors, none, confidence)

    def _interpolate(self, table: Floats, low: int, members: Integers, shift: float) -> Floats:
        level = self.pairs.level[members] + shift - low
        step = np.floor(level).astype(np.int64)
        above, node = level - step, self.pairs.node[members]
        return table[:, step, node] * (1 - above) + table[:, step + 1, node] * above

    def _learn(self) -> list[Floats]:
        """Return the weights of θ in every stratum, by expectation–maximisation."""
        likelihood = self.grid.likelihood(self.counts)
        tail = self.grid.likelihood(self.tail[None])[0]
        start = np.round(self.pairs.level).astype(np.int64) - self.first - HALF_WIDTH
        found: list[Floats] = []
        for members in self.pairs.members:
            node, cells = self.pairs.node[members], self.pairs.cells[members]
            columns = start[members][:, None] + np.arange(2 * HALF_WIDTH + 1)
            of_theta = (1 - TAIL_SHARE) * likelihood[columns, node[:, None]]
            of_tail = TAIL_SHARE * tail[node]
            weights = _log_normal_fit(of_theta, of_tail, cells)
            for _ in range(LEARNING_STEPS):
                weights = weights * ((cells / (of_theta @ weights + of_tail)) @ of_theta)
                weights /= weights.sum()
            found.append(weights)
        return found


def _log_normal_fit(of_theta: Floats, of_tail: Floats, cells: Integers) -> Floats:
    """Return the log-normal law of mean 1 that makes the cells most likely: where EM starts."""
    log_theta = LOG_STEP * np.arange(-HALF_WIDTH, HALF_WIDTH + 1)
    spreads = LOG_STEP * np.arange(1, 10)[:, None]
    laws = np.exp(-((log_theta + spreads**2 / 2) ** 2) / (2 * spreads**2))
    laws /= laws.sum(axis=1, keepdims=True)
    fit = cells @ np.log(of_theta @ laws.T + of_tail[:, None])
    return laws[int(np.argmax(fit))]


def _group(grid: CountGrid, noisy: Integers, prediction: Floats) -> tuple[_Pairs, Integers]:
    """Return the distinct pairs and, for every cell, its pair."""
    log_prediction = np.clip(np.log(np.maximum(prediction, 1e-300)), *_LOG_LIMITS)
    fine = np.round(log_prediction * (FINE_STEPS / LOG_STEP)).astype(np.int64)
    least = int(fine.min())
    key = (fine - least) * grid.nodes + grid.node_of(noisy)
    counts = np.bincount(key)
    present = np.flatnonzero(counts)
    position = np.empty(len(counts), dtype=np.int64)
    position[present] = np.arange(len(present))
    level, node = np.divmod(present, grid.nodes)
    cells = counts[present]
    # strata of like prediction, about equal in number of cells; pairs come in order of level
    strata = int(np.clip(len(noisy) // CELLS_A_STRATUM, 1, STRATA))
    before = np.cumsum(cells) - cells
    stratum = before * strata // len(noisy)
    stratum = stratum[np.searchsorted(level, level)]  # one level, one stratum
    members = [np.flatnonzero(stratum == i) for i in np.unique(stratum)]
    pairs = _Pairs((level + least) / FINE_STEPS, node, cells, members)
    return pairs, position[key]
