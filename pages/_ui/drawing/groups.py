"""When a map of flows draws groups of zones, and what it says of them."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import KDTree

from engine.arrays import Floats

CLOSE_PX = 13
"""Zones whose next one lies nearer than an arrow's head is long, in pixels, are drawn in groups."""

ADDED_UP = (
    "Zoomed out: flows between groups of zones, added up from the released flows; suppressed flows "
    "are not in them, nor are flows within a group."
)
OURS_ADDED_UP = (
    "Zoomed out: flows between groups of zones, added up from the flows of our method that are "
    "certain or likely; the others are not in them, nor are flows within a group."
)


def spacing(centres: Floats) -> float:
    """Return how far from a zone's middle the next one lies: the median, in the plane's units.

    Examples
    --------
    >>> spacing(np.array([[0.0, 0.0], [3.0, 0.0], [10.0, 0.0]]))
    3.0
    """
    if len(centres) < 2:
        return float("inf")
    return float(np.median(KDTree(centres).query(centres, k=2)[0][:, 1]))


def level(spacings_px: Sequence[float]) -> int:
    """Return the finest level whose zones do not lie too close, else the coarsest.

    Examples
    --------
    >>> level([8.0, 18.0, 34.0])
    1
    """
    apart = (i for i, one in enumerate(spacings_px) if one >= CLOSE_PX)
    return next(apart, len(spacings_px) - 1)
