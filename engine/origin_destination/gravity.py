"""Flows spread over a map by the totals of its zones: what distance alone says of them."""

import numpy as np

from ..arrays import Floats, Numbers

_TINY = 1e-30


def spread(outgoing: Numbers, incoming: Numbers, near: Floats) -> Floats:
    """Return flows in proportion to `near`, balanced to totals of zones (Furness 1965).

    `near`, shape (zones, zones), says how readily one travels and is 0 on the diagonal. Negative
    totals are read as 0, and both sides are brought to the mean of their sums.

    >>> spread(np.array([6, 0, 0]), np.array([-1, 4, 2]), 1.0 - np.eye(3)).round(6)
    array([[0., 4., 2.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    out, into = (np.maximum(side, 0).astype(np.float64) for side in (outgoing, incoming))
    if min(out.sum(), into.sum()) <= 0:
        return np.zeros(near.shape)
    whole = (out.sum() + into.sum()) / 2
    rows, columns = balance(out * whole / out.sum(), into * whole / into.sum(), near, 60)
    return rows[:, None] * near * columns


def balance(out: Floats, into: Floats, near: Floats, rounds: int) -> tuple[Floats, Floats]:
    """Return factors of rows and of columns by which `near` adds up to totals of zones."""
    rows = columns = np.ones(len(out))
    for _ in range(rounds):
        rows = out / np.maximum(near @ columns, _TINY)
        columns = into / np.maximum(rows @ near, _TINY)
    return rows, columns
