"""Places as whole metres in space, so that lengths come out alike on every machine."""

import numpy as np

from ..arrays import Floats, Integers
from .measures import FINE_KM

EARTH_RADIUS_M = 6_371_009
"""Mean radius of the earth."""
_METRES_A_BIN = 100
_METRES_A_COARSE_BIN = 100_000
LOGARITHM_SCALE = 2**20
"""Fixed point of n·ln n: sums of whole numbers do not depend on their order."""


def metres_in_space(lat: Floats, lng: Floats) -> Integers:
    """Return coordinates x, y, z from the earth's centre in whole metres, shape (places, 3).

    `lat` and `lng` are degrees. Straight lines between places are within a metre or two, and a
    jump's great circle follows from its chord; a radius of gyration needs sums only.

    Examples
    --------
    >>> metres_in_space(np.array([0.0]), np.array([90.0])).tolist()
    [[0, 6371009, 0]]
    """
    phi, theta = np.radians(lat), np.radians(lng)
    along = np.cos(phi)
    unit = np.column_stack([along * np.cos(theta), along * np.sin(theta), np.sin(phi)])
    return np.round(EARTH_RADIUS_M * unit).astype(np.int64)


def great_circle_m(squared_chord: Integers) -> Floats:
    """Return the great circle in metres for squared straight lines in square metres.

    Examples
    --------
    >>> great_circle_m(np.array([100**2])).round(6).tolist()
    [100.0]
    """
    half = np.sqrt(squared_chord.astype(np.float64)) / (2.0 * EARTH_RADIUS_M)
    return 2.0 * EARTH_RADIUS_M * np.arcsin(np.minimum(half, 1.0))


def length_bin(metres: Floats) -> Integers:
    """Return the fine bin of a length: 100 m each up to 1,000 km, 100 km each beyond.

    Examples
    --------
    >>> length_bin(np.array([0.0, 250.0, 1_150_000.0])).tolist()
    [0, 2, 10001]
    """
    fine = np.floor(metres / _METRES_A_BIN)
    farther = np.floor((metres - FINE_KM * _METRES_A_BIN) / _METRES_A_COARSE_BIN) + FINE_KM
    return np.where(fine < FINE_KM, fine, farther).astype(np.int64)


def logarithm_table(largest: int) -> Integers:
    """Return n·ln n in fixed point for n from 0 to `largest`.

    Examples
    --------
    >>> logarithm_table(2).tolist() == [0, 0, round(2 * np.log(2) * LOGARITHM_SCALE)]
    True
    """
    n = np.arange(largest + 1, dtype=np.float64)
    return np.round(n * np.log(np.maximum(n, 1.0)) * LOGARITHM_SCALE).astype(np.int64)


def entropy_bin(
    points: Integers, logarithms: Integers, zones: Integers, table: Integers
) -> Integers:
    """Return the fine bin, 0 to 99, of the entropy of a person's zones as a share of its most.

    H / ln Z = (N·ln N − Σ n·ln n)/N / ln Z for N `points`, at least 1, in Z `zones`; 0 where all
    are in one zone. `logarithms` are Σ n·ln n over the person's zones in fixed point, `table` is
    from `logarithm_table` and reaches as far as N.

    Examples
    --------
    >>> table = logarithm_table(4)
    >>> entropy_bin(np.array([4, 4]), np.array([2 * table[2], table[3]]), np.array([2, 2]), table)
    array([99, 81])
    """
    most = np.where(zones > 1, table[zones], 1).astype(np.float64)
    share = (table[points] - logarithms).astype(np.float64) * zones / (points * most)
    return np.clip(np.floor(share * 100.0), 0, 99).astype(np.int64) * (zones > 1)
