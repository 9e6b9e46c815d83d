"""What is expected of a day's cells: from the day's own noisy cells, or from those of other days.

Reads noisy cells and public distances only; nothing here can see a count.
"""

from collections.abc import Callable

import numpy as np

from ...arrays import Booleans, Floats, Integers
from .law import Expected
from .prediction import predict
from .reading import beyond_noise, from_flow_back, intensity
from .statements import noise_variance

Expect = Callable[[Booleans | None], Expected]
"""Given the cells that may be read, the expectation of all; None for all cells."""


def expectation(
    day: Integers, rest: Integers, other_days: int, rate: float, distances_m: Floats
) -> Expect:
    """Return what gives the expectation of a day.

    Parameters
    ----------
    day : array of int64, shape (zones, zones)
        Its noisy cells.
    rest : array of int64, same shape
        The noisy cells of the other days, summed; not read where there is none.
    other_days : int
    rate : float
        a of the noise of one cell.
    distances_m : array, same shape

    Examples
    --------
    >>> day = 10 * (1 - np.eye(4, dtype=np.int64))
    >>> expectation(day, 0 * day, 0, 1.0, np.ones((4, 4)))(None).trips[0].round().tolist()
    [0.0, 10.0, 10.0, 10.0]
    """
    variance = noise_variance(rate)
    if other_days == 0:
        return lambda taught: from_flow_back(
            day, rate, predict(day, variance, distances_m, taught), taught
        )
    # the sum of the other days has the noise of several cells: read it as if it were one wide
    # discrete Laplace noise of the same variance, 1/(cosh a − 1)
    rest_rate = float(np.arccosh(1 + 1 / max(other_days * variance, 1e-12)))
    predicted = predict(rest, other_days * variance, distances_m)
    known = intensity(rest, rest_rate, from_flow_back(rest, rest_rate, predicted))

    def expect(taught: Booleans | None) -> Expected:
        # the day's volume differs from that of the others as far as it does so beyond its noise
        pairs = ~np.eye(len(day), dtype=np.bool_) if taught is None else taught
        usual = max(float(known.trips[pairs].sum()) / other_days, 1e-3)
        apart = beyond_noise(float(day[pairs].sum()) - usual, float(pairs.sum()) * variance)
        volume = max(1 + apart / usual, 0.05)
        return Expected(known.trips * volume / other_days, known.uncertainty)

    return expect
