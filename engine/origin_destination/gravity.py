"""Flows spread over a map by the totals of its zones: what distance alone says of them."""

import numpy as np

from ..arrays import Floats, Numbers

_ROUNDS = 60


def spread(outgoing: Numbers, incoming: Numbers, near: Floats) -> Floats:
    """Return flows in proportion to `near`, balanced to totals of zones (Furness 1965).

    `near`, shape (zones, zones), says how readily one travels and is 0 on the diagonal. Negative
    totals are read as 0, and both sides are brought to the mean of their sums.

    >>> spread(np.array([6, 0, 0]), np.array([-1, 4, 2]), 1.0 - np.eye(3)).round(6)
    array([[0., 4., 2.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    sides = [np.maximum(side, 0).astype(np.float64) for side in (outgoing, incoming)]
    if min(side.sum() for side in sides) <= 0:
        return np.zeros(near.shape)
    whole = sum(float(side.sum()) for side in sides) / 2
    out, into = (side * (whole / side.sum()) for side in sides)
    flows = out[:, None] * near * into
    for _ in range(_ROUNDS):
        flows *= _ratio(out, flows.sum(axis=1))[:, None]
        flows *= _ratio(into, flows.sum(axis=0))
    return flows


def _ratio(wanted: Floats, have: Floats) -> Floats:
    return np.divide(wanted, have, out=np.zeros_like(wanted), where=have > 0)
