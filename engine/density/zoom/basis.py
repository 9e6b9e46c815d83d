"""The week as rhythms: patterns of days times harmonics of a day, in 28 groups."""

from functools import cache

import numpy as np

from engine.arrays import Floats, Integers
from engine.density.zoom.constants import ZoomConstants
from engine.density.zoom.signal import largest_noise

BANDS = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (6, 8), (9, 12))
"""First and last harmonic of a day in each frequency band."""


@cache
def week_basis() -> tuple[Floats, Integers]:
    """Return an orthonormal basis of the week, shape (168, 168), and the group of each column.

    Group 7·(pattern of days) + (band), ascending; the patterns are all days, weekend, Saturday–
    Sunday and weekdays. Hour 0 is Monday 00:00. All columns of a group are shrunk alike, so it
    does not matter which basis of a group is taken.

    Examples
    --------
    >>> basis, groups = week_basis()
    >>> bool(np.allclose(basis.T @ basis, np.eye(168))), len(set(groups.tolist()))
    (True, 28)
    """
    weekend, contrast = np.array([-2.0] * 5 + [5.0] * 2), np.array([0.0] * 5 + [1.0, -1.0])
    five = np.arange(5) + 0.5
    weekdays = [[*np.cos(np.pi * k * five / 5), 0.0, 0.0] for k in range(1, 5)]
    days = np.array([np.ones(7), weekend, contrast, *weekdays])
    hours = 2 * np.pi * np.arange(24) / 24
    waves = [(k, wave(k * hours)) for k in range(13) for wave in (np.cos, np.sin)]
    waves = [(k, values) for k, values in waves if np.abs(values).max() > 1e-9]
    columns = np.array([np.outer(day, wave).ravel() for day in days for _, wave in waves])
    pattern = np.repeat([0, 1, 2, 3, 3, 3, 3], len(waves))
    band = [next(i for i, (_, last) in enumerate(BANDS) if k <= last) for k, _ in waves]
    basis = (columns / np.linalg.norm(columns, axis=1, keepdims=True)).T
    groups = len(BANDS) * pattern + np.tile(band, len(days))
    order = np.argsort(groups, kind="stable")
    basis, groups = basis[:, order], groups[order]
    basis.flags.writeable = groups.flags.writeable = False
    return basis, groups


def city_week(noisy: Floats, sigma: float, constants: ZoomConstants) -> Floats:
    """Return the city's week, shape (168,), at least 0 and of sum 1, from its noisy hours.

    A group of rhythms is kept if its mean square exceeds the noise's by 2 standard errors, and
    shrunk (James & Stein 1961); the constant stays as it is.
    """
    basis, groups = week_basis()
    coefficients = basis.T @ noisy
    sizes = np.bincount(groups).astype(np.float64)
    sums = np.bincount(groups, weights=coefficients**2)
    kept = sums / sizes > sigma**2 * largest_noise(sizes, constants.city_errors)
    left = 1.0 - np.maximum(sizes - 2, 0.0) * sigma**2 / np.maximum(sums, sigma**2)
    factors = np.where(kept, np.maximum(left, 0.0), 0.0)
    factors[0] = 1.0
    return shares(basis @ (coefficients * factors[groups]))


def relative_basis(week: Floats, constants: ZoomConstants) -> tuple[Floats, Integers]:
    """Return the basis for the towers' weeks: the same groups of rhythms times the city's week.

    Relative to the city's week a night's rhythms are as small as its traffic. QR makes the columns
    orthonormal again, so that the noise stays even.
    """
    basis, groups = week_basis()
    factors = np.maximum(week, constants.least_hour / len(week))
    return np.linalg.qr(basis * factors[:, None])[0], groups


def shares(series: Floats) -> Floats:
    """Clip at 0 and divide by the sum over the last axis; nothing left becomes even."""
    positive = np.maximum(series, 0.0)
    sums = positive.sum(axis=-1, keepdims=True)
    even = np.full_like(positive, 1.0 / positive.shape[-1])
    return np.divide(positive, sums, out=even, where=sums > 0)
