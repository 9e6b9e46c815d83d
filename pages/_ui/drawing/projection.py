"""Web Mercator: the view that holds a region, and its points on the plane."""

import math

import numpy as np
import pydeck as pdk

from engine.arrays import Floats

_FARTHER, _NEARER = 1.0, 7.0
"""How many zoom steps one can leave the whole region by, and go into it."""
WORLD = 512.0
"""Pixels of the whole world at zoom 0."""


def view_of(bounds: tuple[float, float, float, float], width: int, height: int) -> pdk.ViewState:
    """Return the view that holds the bounds; it depends on nothing that a slider changes."""
    corners = to_plane(np.array(bounds).reshape(2, 2))
    wide, tall = np.maximum(np.abs(corners[1] - corners[0]), 1e-6)
    zoom = math.log2(0.94 * min(width / (WORLD * wide), height / (WORLD * tall)))
    longitude, latitude = from_plane(corners.mean(axis=0)).tolist()
    return pdk.ViewState(
        longitude=round(longitude, 5),
        latitude=round(latitude, 5),
        zoom=round(zoom, 2),
        min_zoom=round(zoom - _FARTHER, 2),
        max_zoom=round(zoom + _NEARER, 2),
    )


def to_plane(degrees: Floats) -> Floats:
    """Return longitudes and latitudes as shares of the world, Mercator, shape (…, 2)."""
    sine = np.sin(np.radians(np.clip(degrees[..., 1], -85.0, 85.0)))
    return np.stack([degrees[..., 0] / 360, np.arctanh(sine) / (2 * np.pi)], axis=-1)


def from_plane(shares: Floats) -> Floats:
    """Return shares of the world as longitudes and latitudes in degrees."""
    latitude = np.degrees(np.arctan(np.sinh(2 * np.pi * shares[..., 1])))
    return np.stack([360 * shares[..., 0], latitude], axis=-1)
