"""Read noisy cells by statistics: the law of the count behind each, given what is expected of it.

M ~ Poisson(μθ), y = M + noise. μ is the prediction. What the flow back says of θ goes into what is
expected of a cell, or what the other days say; how far θ is from that is learnt from all cells
(`law`). Reads noisy cells, predictions and public distances only; nothing here can see a count.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...arrays import Booleans, Floats, Integers
from ...errors import ParameterError
from .law import Expected, groups
from .prediction import predict
from .statements import cell_reach, noise_variance

MODEL_CONFIDENCE = 0.90

Expect = Callable[[Booleans | None], Expected]
"""Given the cells that may be read, the expectation of all; None for all cells."""


class Reading(NamedTuple):
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


def expectations(days: Integers, rate: float, distances_m: Floats) -> Iterator[Expect]:
    """Yield what gives the expectation of every day: from its own cells, or from other days'.

    Parameters
    ----------
    days : array of int64, shape (days, zones, zones)
        Noisy cells.
    rate : float
        a of their noise.
    distances_m : array, shape (zones, zones)

    Examples
    --------
    >>> day = 10 * (1 - np.eye(4, dtype=np.int64))
    >>> (expect,) = expectations(day[None], 1.0, np.ones((4, 4)))
    >>> expect(None).trips[0].round().tolist()
    [0.0, 10.0, 10.0, 10.0]
    """
    if distances_m.shape != days.shape[1:] or not np.isfinite(distances_m).all():
        raise ParameterError(
            f"distances_m must hold finite metres for each pair of {days.shape[-1]} zones, got "
            f"shape {distances_m.shape}; take centre_distances_m(dataset.zones)"
        )
    variance, whole, others = noise_variance(rate), days.sum(axis=0), len(days) - 1
    # the sum of the other days has the noise of several cells: read it as if it were one wide
    # discrete Laplace noise of the same variance, 1/(cosh a − 1)
    rest_rate = float(np.arccosh(1 + 1 / max(others * variance, 1e-12)))
    for day in days:

        def of_day(taught: Booleans | None, day: Integers = day) -> Expected:
            predicted = predict(day, variance, distances_m, taught)
            return from_flow_back(day, rate, predicted, taught)

        if not others:
            yield of_day
            continue
        rest = whole - day
        predicted = predict(rest, others * variance, distances_m)
        known = intensity(rest, rest_rate, from_flow_back(rest, rest_rate, predicted))

        def of_others(
            taught: Booleans | None, day: Integers = day, known: Expected = known
        ) -> Expected:
            # the day's volume differs from that of the others as far as it does so beyond noise
            pairs = ~np.eye(len(day), dtype=np.bool_) if taught is None else taught
            usual = max(float(known.trips[pairs].sum()) / others, 1e-3)
            apart = beyond_noise(float(day[pairs].sum()) - usual, float(pairs.sum()) * variance)
            volume = max(1 + apart / usual, 0.05)
            return Expected(known.trips * volume / others, known.uncertainty)

        yield of_others


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
    return Expected(back, known.uncertainty.T)


def intensity(
    cells: Integers, rate: float, expected: Expected, taught: Booleans | None = None
) -> Expected:
    """Return the intensity behind every cell, given its own noisy count and what was expected."""
    # far above the noise the count is known
    trips = np.maximum(cells, 1) * (1.0 - np.eye(len(cells)))
    uncertainty = (noise_variance(rate) + trips) / np.maximum(trips, 1.0) ** 2
    for group in groups(cells, rate, expected, taught):
        mean, uncertainty.flat[group.at] = group.intensity()
        trips.flat[group.at] = mean * expected.trips.flat[group.at]
    return Expected(trips, uncertainty)


def read_expected(cells: Integers, rate: float, expected: Expected) -> Reading:
    """Return the reading of one matrix, given what is expected of every cell."""
    off = ~np.eye(len(cells), dtype=np.bool_)
    # far above the noise a cell is read as it is
    side = cell_reach(rate, confidence=MODEL_CONFIDENCE)
    readings = np.stack([cells, cells, cells - side, cells + side, ~off]).astype(np.float64)
    of_cells = readings.reshape(5, -1)
    for group in groups(cells, rate, expected):
        priors, none, row = group.priors()
        laws = group.grid.posterior(priors, none, MODEL_CONFIDENCE)
        of_cells[:, group.at] = laws[:, row, group.node[group.pair]]
    # what the means lack of the noisy sum goes to the cells of which least is known
    flows = cells.size - len(cells)
    apart = float(cells[off].sum() - readings[0, off].sum())
    squares = (readings[3] - readings[2]) ** 2 * off
    lacking = beyond_noise(apart, flows * noise_variance(rate))
    readings[0] += lacking * squares / max(float(squares.sum()), 1.0)
    reach, above = cell_reach(rate, cells=max(flows, 1)), np.maximum(cells, 0)
    readings[:4] = off * np.clip(readings[:4], np.maximum(above - reach, 0), above + reach)
    return Reading(*readings)


def beyond_noise(apart: float, variance: float) -> float:
    """Return a difference as far as it exceeds its noise (positive part of James and Stein)."""
    return max(0.0, 1 - variance / max(apart**2, 1.0)) * apart
