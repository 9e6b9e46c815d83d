"""Read noisy cells by statistics: the law of the count behind each, given a prediction.

M ~ Poisson(μθ) with the prediction μ, y = M + noise. θ is log-normal with mean 1; how far it
spreads is what makes all cells together most likely (empirical Bayes). Reads noisy cells and
predictions only; nothing here can see a count.
"""

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Integers
from engine.origin_destination.estimate.grid import CountGrid, none_of
from engine.origin_destination.estimate.statements import cell_reach

LOG_STEP = 0.3
"""Step of the grids of log θ and log μ."""

HALF_WIDTH = 20
"""θ runs over e^(0.3·k), k from −20 to 20."""

SPREADS = 10
"""The spread of log θ is one of 0, 0.3, … 2.7."""

FINE_STEPS = 8
"""μ is rounded to an eighth of a step (2%), so that like cells are read together."""

TAIL_SHARE = 0.001
"""Share of the heavy tail ∝ (1 + m)^−1.5: no flow is so unexpected that it is not believed."""

MODEL_CONFIDENCE = 0.90
RETURN_SHARE = 0.7
LARGEST_SHIFT = 3
"""Most steps by which all predictions are rescaled (a factor of 2.5)."""

_LOG_LIMITS = (-12.0, 16.0)
_HALVINGS = 12


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
    [0, 40, 0]
    """
    first = read_once(cells, rate, prediction, confidence=None)
    back = first.mean.T * prediction / np.maximum(prediction.T, 1e-300)
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
    found = found if confidence is not None else found[:1]
    if not large.all():
        found[:, ~large] = _read_held(noisy[~large], grid, prediction[off][~large], confidence)
    reach = cell_reach(rate, cells=max(len(noisy), 1))
    above = np.maximum(noisy, 0)
    found[0] = np.clip(found[0], above - reach, above + reach)
    filled = np.zeros((4, *cells.shape))
    filled[3] = 1.0
    filled[: len(found), off] = found
    return Reading(mean=filled[0], low=filled[1], high=filled[2], empty=filled[3])


def _read_held(
    noisy: Integers, grid: CountGrid, prediction: Floats, confidence: float | None
) -> Floats:
    """Return mean, low, high and empty, shape (4, cells); the mean alone without confidence."""
    level, node, cells, pair_of_cell = _pairs(grid, noisy, prediction)
    margin = LARGEST_SHIFT + 1
    first, last = int(np.floor(level.min())) - margin, int(np.ceil(level.max())) + margin
    steps = last - first + 1  # of log μ
    level = level - first
    wide = np.exp(LOG_STEP * np.arange(first - HALF_WIDTH, last + HALF_WIDTH + 1))
    counts, tail = grid.spread_poisson(wide), grid.heavy_tail()
    # the law of θ under which all cells are likeliest
    laws = np.stack([_log_normal(spread) for spread in range(SPREADS)])
    row = np.round(level).astype(np.int64)[:, None] + np.arange(2 * HALF_WIDTH + 1)
    of_theta = grid.likelihood(counts)[row, node[:, None]]
    of_tail = grid.likelihood(tail[None])[0, node, None]
    fit = cells @ np.log((1 - TAIL_SHARE) * (of_theta @ laws.T) + TAIL_SHARE * of_tail)
    law = laws[int(np.argmax(fit))]
    none = _mixed(law, steps, none_of(wide), np.array(grid.tail_at_0))
    posterior = grid.posterior(_mixed(law, steps, counts, tail), none, confidence)
    shift = _balancing_shift(posterior[:1], level, node, cells, max(float(noisy.sum()), 1e-3))
    found = _between(posterior, level + shift, node)
    if confidence is not None:
        found[1], found[2] = np.floor(found[1] + 1e-9), np.ceil(found[2] - 1e-9)
    return found[:, pair_of_cell]


def _mixed(law: Floats, steps: int, of_intensity: Floats, of_tail: Floats) -> Floats:
    """Mix what holds at every intensity to what holds at every step of μ, with the heavy tail."""
    mixture = np.zeros((steps, steps + 2 * HALF_WIDTH))
    for k, weight in enumerate(law):
        np.fill_diagonal(mixture[:, k:], weight)
    return (1 - TAIL_SHARE) * (mixture @ of_intensity) + TAIL_SHARE * of_tail


def _between(table: Floats, level: Floats, node: Integers) -> Floats:
    """Interpolate a table (…, steps of log μ, nodes) between two steps."""
    step = np.floor(level).astype(np.int64)
    above = level - step
    return table[:, step, node] * (1 - above) + table[:, step + 1, node] * above


def _balancing_shift(
    means: Floats, level: Floats, node: Integers, cells: Integers, target: float
) -> float:
    """Return by how many steps all log μ shift so that the means add up to the noisy sum."""
    low, high = -float(LARGEST_SHIFT), float(LARGEST_SHIFT)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = float(_between(means, level + middle, node)[0] @ cells) >= target
        low, high = (low, middle) if enough else (middle, high)
    return (low + high) / 2


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
) -> tuple[Floats, Integers, Integers, Integers]:
    """Group cells of like prediction and equal node.

    Returns log μ in steps, node and number of cells of every pair, and the pair of every cell.
    """
    log_prediction = np.clip(np.log(np.maximum(prediction, 1e-300)), *_LOG_LIMITS)
    fine = np.round(log_prediction * (FINE_STEPS / LOG_STEP)).astype(np.int64)
    least = int(fine.min())
    key = (fine - least) * grid.nodes + grid.node_of(noisy)
    counts = np.bincount(key)
    present = np.flatnonzero(counts)
    position = np.empty(len(counts), dtype=np.int64)
    position[present] = np.arange(len(present))
    level, node = np.divmod(present, grid.nodes)
    return (level + least) / FINE_STEPS, node, counts[present], position[key]
