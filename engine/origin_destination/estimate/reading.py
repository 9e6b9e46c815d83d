"""Read noisy cells by statistics: the law of the count behind each, given a prediction.

M ~ Poisson(μθη), y = M + noise. μ is the prediction, θ what a flow has in common with the flow back
(log-normal of mean 1) and η what is its own (gamma of mean 1). All that is known of θ from one
direction goes into the reading of the other. How far θ and η spread is learnt from all cells
(empirical Bayes). Reads noisy cells and predictions only; nothing here can see a count.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Integers
from .grid import CountGrid
from .statements import cell_reach, noise_variance

LOG_STEP = 0.2
"""Step of the grids of log θ and log μ."""

HALF_WIDTH = 30
"""θ runs over e^(0.2·k), k from −30 to 30."""

SPREADS = 15
"""The spread of log θ is one of 0, 0.2, … 2.8."""

STEP_SHAPE = 100.0
"""Around every step of θ the intensity spreads by a tenth (gamma), so that counts between two
steps are as believable as those on them."""

SHAPE_STEP = 4.0
SHAPE_LIMITS = (1 / 16, 1024.0)
"""The shape of what is expected of a cell, 1/(relative variance), is read as a power of 4 from
1/16 (four times its mean) to 1,024 (3% of it)."""

OWN_ROUNDS = 5
"""Rounds of weighing by which the spread of η is found."""

MODEL_CONFIDENCE = 0.90
_LOG_LIMITS = (-12.0, 16.0)


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of every cell before its own noisy count is read; shape (zones, zones).

    Attributes
    ----------
    trips : array
        Mean of the intensity, above 0 off the diagonal.
    uncertainty : array
        Its relative variance, Var/mean².
    """

    trips: Floats
    uncertainty: Floats


@dataclass(frozen=True, eq=False)
class Reading:
    """The law of the kept count of every cell; arrays of shape (zones, zones), diagonal 0.

    Mean, median and range are clipped to what the noise allows for all cells at once (95%): no
    flow is so unexpected that a clear count is not believed.

    Attributes
    ----------
    mean : array
        Posterior mean: what a flow adds to a sum.
    typical : array
        Posterior median: as likely too low as too high, the least expected absolute error.
    low, high : arrays
        The middle 90% of the posterior, whole numbers.
    empty : array
        Posterior probability that the flow is empty; 1 on the diagonal.
    """

    mean: Floats
    typical: Floats
    low: Floats
    high: Floats
    empty: Floats


def read(cells: Integers, rate: float, prediction: Floats) -> Reading:
    """Return the reading of one matrix, every flow in the light of the flow back.

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
    >>> read(noisy, 1.0, 10.0 * (1 - np.eye(3))).typical.round(0).astype(int)[0].tolist()
    [0, 40, 0]
    """
    return read_expected(cells, rate, from_flow_back(cells, rate, prediction))


def from_flow_back(cells: Integers, rate: float, prediction: Floats) -> Expected:
    """Return what the prediction and the noisy flow back say of every cell."""
    known = intensity(cells, rate, prediction)
    back = known.trips.T * prediction / np.where(prediction.T > 0, prediction.T, 1.0)
    return Expected(trips=back, uncertainty=known.uncertainty.T)


def intensity(cells: Integers, rate: float, prediction: Floats) -> Expected:
    """Return the intensity μθ behind every cell, given its own noisy count and a prediction μ."""
    off = ~np.eye(len(cells), dtype=bool)
    noisy = cells[off]
    held = CountGrid.of_cells(noisy, rate).holds(noisy)
    # far above the noise the count is known
    known = np.maximum(noisy, 1).astype(np.float64)
    moments = np.stack([known, (noise_variance(rate) + known) / known**2])
    if held.any():
        moments[:, held] = _intensity(noisy[held], rate, prediction[off][held])
    filled = np.zeros((2, *cells.shape))
    filled[:, off] = moments
    return Expected(filled[0], filled[1])


def read_expected(cells: Integers, rate: float, expected: Expected) -> Reading:
    """Return the reading of one matrix, given what is expected of every cell."""
    off = ~np.eye(len(cells), dtype=bool)
    noisy = cells[off]
    held = CountGrid.of_cells(noisy, rate).holds(noisy)
    # far above the noise a cell is read as it is
    side = cell_reach(rate, confidence=MODEL_CONFIDENCE)
    readings = np.stack([noisy, noisy, noisy - side, noisy + side, 0 * noisy]).astype(np.float64)
    if held.any():
        trips, uncertainty = expected.trips[off][held], expected.uncertainty[off][held]
        own = own_variance(noisy[held], noise_variance(rate), trips, uncertainty)
        both = uncertainty + own + uncertainty * own
        readings[:, held] = _read_held(noisy[held], rate, trips, both)
    # what the means lack of the noisy sum goes to the cells of which least is known
    apart = float(noisy.sum() - readings[0].sum())
    lacking = beyond_noise(apart, len(noisy) * noise_variance(rate))
    squares = (readings[3] - readings[2]) ** 2
    readings[0] += lacking * squares / max(float(squares.sum()), 1.0)
    reach, above = cell_reach(rate, cells=max(len(noisy), 1)), np.maximum(noisy, 0)
    readings[:4] = np.clip(readings[:4], np.maximum(above - reach, 0), above + reach)
    filled = np.zeros((5, *cells.shape))
    filled[4] = 1.0
    filled[:, off] = readings
    return Reading(filled[0], filled[1], filled[2], filled[3], filled[4])


def beyond_noise(apart: float, variance: float) -> float:
    """Return a difference as far as it exceeds its noise (positive part of James and Stein)."""
    return max(0.0, 1 - variance / max(apart**2, 1.0)) * apart


def own_variance(noisy: Integers, variance: float, trips: Floats, uncertainty: Floats) -> float:
    """Return the variance of η by moments: what noise, chance and uncertainty do not explain.

    E(y − μ)² = v + μ + μ²(u + s); s is found by least squares, weighed by the variance under s.
    """
    square = trips * trips
    known = variance + trips + uncertainty * square
    left = ((noisy - trips) ** 2 - known) * square
    own = 0.0
    for _ in range(OWN_ROUNDS):
        weight = 1 / (known + own * square) ** 2
        own = max(float(weight @ left / max(float(weight @ (square * square)), 1e-300)), 0.0)
    return own


def _intensity(noisy: Integers, rate: float, prediction: Floats) -> tuple[Floats, Floats]:
    """Mean and relative variance of μθ, θ on its grid, for every cell."""
    grid = CountGrid.of_cells(noisy, rate)
    level, node, cells, pair_of_cell = _pairs(grid, noisy, prediction)
    k = np.arange(-HALF_WIDTH, HALF_WIDTH + 1)
    steps = np.arange(level.min() - HALF_WIDTH, level.max() + HALF_WIDTH + 1)
    likelihood = grid.likelihood(grid.negative_binomial(np.exp(LOG_STEP * steps), STEP_SHAPE))
    of_theta = likelihood[(level - steps[0])[:, None] + k, node[:, None]]
    # the law of θ under which all cells are likeliest
    laws = np.stack([_log_normal(spread) for spread in range(SPREADS)], axis=1)
    law = laws[:, int(np.argmax(cells @ np.log(of_theta @ laws)))]
    none, one, two = (of_theta @ (law * np.exp(LOG_STEP * r * k)) for r in (0, 1, 2))
    mean, uncertainty = one / none, np.maximum(two * none / one**2 - 1, 0.0)
    return mean[pair_of_cell] * prediction, uncertainty[pair_of_cell]


def _read_held(noisy: Integers, rate: float, trips: Floats, uncertainty: Floats) -> Floats:
    """Return mean, typical, low, high and empty, shape (5, cells)."""
    shapes = np.clip(1 / np.maximum(uncertainty, 1e-12), *SHAPE_LIMITS)
    power = np.round(np.log(shapes) / np.log(SHAPE_STEP))
    readings = np.empty((5, len(noisy)))
    for one in np.unique(power):
        at, shape = np.flatnonzero(power == one), SHAPE_STEP**one
        grid = CountGrid.of_cells(noisy[at], rate)
        level, node, _, pair_of_cell = _pairs(grid, noisy[at], trips[at])
        steps = np.arange(level.min(), level.max() + 1)
        mean = np.exp(LOG_STEP * steps)
        none = np.exp(-shape * np.log1p(mean / shape))
        laws = grid.posterior(grid.negative_binomial(mean, shape), none, MODEL_CONFIDENCE)
        readings[:, at] = laws[:, level - steps[0], node][:, pair_of_cell]
    return readings


def _log_normal(spread: int) -> Floats:
    """Return the log-normal law of mean 1 on the grid of θ; spread in steps of log θ."""
    steps = np.arange(-HALF_WIDTH, HALF_WIDTH + 1)
    if spread == 0:
        return (steps == 0).astype(np.float64)
    variance = (LOG_STEP * spread) ** 2
    law = np.exp(-((LOG_STEP * steps + variance / 2) ** 2) / (2 * variance))
    return law / law.sum()


def _pairs(
    grid: CountGrid, noisy: Integers, prediction: Floats
) -> tuple[Integers, Integers, Integers, Integers]:
    """Group cells of like prediction and equal node, to read them together.

    Returns log μ in whole steps, node and number of cells of every pair, and the pair of every
    cell.
    """
    log_prediction = np.clip(np.log(np.maximum(prediction, 1e-300)), *_LOG_LIMITS)
    level = np.round(log_prediction / LOG_STEP).astype(np.int64)
    key = (level - level.min()) * grid.nodes + grid.node_of(noisy)
    counts = np.bincount(key)
    present, position = np.flatnonzero(counts), np.cumsum(counts > 0) - 1
    step, node = np.divmod(present, grid.nodes)
    return step + level.min(), node, counts[present], position[key]
