"""Flows as arrows: which way people travel, with there and back apart, as flowmap.gl draws them."""

import numpy as np

from engine.arrays import Floats

BEND = 0.18
"""How far an arrow swings out, as a share of its length: always to the same side of its way."""

_STEPS = 9
_TAIL = 0.5
"""Width at the origin, as a share of the width before the head."""
_MAX_HEAD = 0.45
_MAX_THICKNESS = 0.2
"""As a share of the length: a short arrow stays an arrow."""


def arrows(start: Floats, end: Floats, widths: Floats, *, unit: float = 1.0) -> Floats:
    """Return the outlines of bent arrows with a head at the destination."""
    step = end - start
    length = np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-9)[:, None]
    aside = np.stack([step[:, 1], -step[:, 0]], axis=1)
    bend = (start + end) / 2 + BEND * aside
    thick = np.minimum(unit * widths[:, None], _MAX_THICKNESS * length)
    head = np.minimum(1.6 * thick + 6 * unit, _MAX_HEAD * length)
    wing = np.minimum(thick / 2 + 2.5 * unit, 0.7 * head)
    t = np.linspace(0.0, 1.0, _STEPS) * (1 - head / length)  # the head follows after the last
    middle, across = _curve(start, bend, end, t)
    half = thick / 2 * np.linspace(_TAIL, 1.0, _STEPS)
    half = np.minimum(half, wing)[..., None]
    upper, lower = middle + half * across, middle - half * across
    base, side = middle[:, -1], across[:, -1]
    left_tip, right_tip = (base + wing * side)[:, None], (base - wing * side)[:, None]
    return np.concatenate([upper, left_tip, end[:, None], right_tip, lower[:, ::-1]], axis=1)


def _curve(start: Floats, bend: Floats, end: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Return points of a quadratic curve and the unit vectors across it, (flows, steps, 2)."""
    a, b, c = start[:, None], bend[:, None], end[:, None]
    s = t[..., None]
    along = 2 * (1 - s) * (b - a) + 2 * s * (c - b)
    along /= np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-9)
    across = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    return (1 - s) ** 2 * a + 2 * s * (1 - s) * b + s**2 * c, across
