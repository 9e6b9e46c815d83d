"""How much of a set of noisy differences is signal: one variance for many of them."""

import numpy as np

from engine.arrays import Floats
from engine.density.zoom.constants import ZoomConstants


def largest_noise(components: Floats, errors: float) -> Floats:
    """Return what the mean square of this many noises stays below, by `errors` standard errors.

    The cube-root approximation of χ²/f (Wilson & Hilferty 1931); the noise's variance is 1.
    """
    spread = 2.0 / (9.0 * components)
    return (1.0 - spread + errors * np.sqrt(spread)) ** 3


def signal_variance(
    squares: Floats, noise: Floats, components: Floats, *, errors: float, constants: ZoomConstants
) -> Floats:
    """Estimate the variance of the signal under noisy differences, group by group.

    Parameters
    ----------
    squares : array, shape (differences, groups)
        Mean square of the components of each difference.
    noise : array, shape (differences,)
        Variance of the noise in each component, above 0.
    components : array, shape (groups,)
        Components in each group.
    errors : float
        Standard errors by which a group must stand clear of the noise to have any signal.

    Returns
    -------
    array, shape (groups,)
        0 where noise explains the differences.
    """
    if len(noise) == 0:
        return np.zeros(len(components))
    root = np.sqrt(noise)
    freedom = components * (1 / root).sum() ** 2 / (1 / noise).sum()
    weighted = (squares / (noise * root)[:, None]).sum(axis=0)
    clear = weighted > (1 / root).sum() * largest_noise(freedom, errors)
    signal = np.zeros(len(components))
    weights = np.repeat(1 / (noise * root)[:, None], len(components), axis=1)
    for _ in range(constants.rounds):
        excess = (weights * (squares - noise[:, None])).sum(axis=0) / weights.sum(axis=0)
        signal = np.maximum(excess, 0.0)
        weights = 1 / (signal + noise[:, None]) ** 2
    return np.where(clear, signal, 0.0)
