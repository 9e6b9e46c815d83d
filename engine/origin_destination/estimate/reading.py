"""Read noisy cells by statistics: the law of the count behind each, given a prediction.

M ~ Poisson(μθ), y = M + noise. μ is the prediction. What the flow back says of θ goes into what is
expected of a cell; how far θ is from that is learnt from all cells (`law`). Reads noisy cells and
predictions only; nothing here can see a count.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Booleans, Floats, Integers
from .grid import CountGrid
from .law import Expected, groups
from .statements import cell_reach, noise_variance

MODEL_CONFIDENCE = 0.90


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


def from_flow_back(
    cells: Integers, rate: float, prediction: Floats, taught: Booleans | None = None
) -> Expected:
    """Return what the prediction and the noisy flow back say of every cell."""
    flat = Expected(prediction, np.ones_like(prediction))  # one law for all
    known = intensity(cells, rate, flat, taught)
    back = known.trips.T * prediction / np.where(prediction.T > 0, prediction.T, 1.0)
    return Expected(trips=back, uncertainty=known.uncertainty.T)


def intensity(
    cells: Integers, rate: float, expected: Expected, taught: Booleans | None = None
) -> Expected:
    """Return the intensity behind every cell, given its own noisy count and what was expected."""
    off, noisy, held = off_diagonal(cells, rate)
    # far above the noise the count is known
    known = np.maximum(noisy, 1).astype(np.float64)
    moments = np.stack([known, (noise_variance(rate) + known) / known**2])
    inside = held_of(expected, off, held)
    for group in groups(noisy[held], rate, inside, None if taught is None else taught[off][held]):
        at = np.flatnonzero(held)[group.at]
        mean, uncertainty = group.intensity()
        moments[:, at] = mean * inside.trips[group.at], uncertainty
    filled = np.zeros((2, *cells.shape))
    filled[:, off] = moments
    return Expected(filled[0], filled[1])


def read_expected(cells: Integers, rate: float, expected: Expected) -> Reading:
    """Return the reading of one matrix, given what is expected of every cell."""
    off, noisy, held = off_diagonal(cells, rate)
    # far above the noise a cell is read as it is
    side = cell_reach(rate, confidence=MODEL_CONFIDENCE)
    readings = np.stack([noisy, noisy, noisy - side, noisy + side, 0 * noisy]).astype(np.float64)
    for group in groups(noisy[held], rate, held_of(expected, off, held)):
        priors, none, row = group.priors()
        laws = group.grid.posterior(priors, none, MODEL_CONFIDENCE)
        at = np.flatnonzero(held)[group.at]
        readings[:, at] = laws[:, row, group.node[group.pair]]
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


def off_diagonal(cells: Integers, rate: float) -> tuple[Booleans, Integers, Booleans]:
    """Return which cells are flows, their noisy counts, and which of those the grid holds."""
    off = ~np.eye(len(cells), dtype=np.bool_)
    return off, cells[off], CountGrid.of_cells(cells[off], rate).holds(cells[off])


def held_of(expected: Expected, off: Booleans, held: Booleans) -> Expected:
    """Return what is expected of the cells that the grid holds."""
    return Expected(expected.trips[off][held], expected.uncertainty[off][held])
