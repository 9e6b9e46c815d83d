"""What stands on every map: where degrees lie, names that do not overlap, a scale bar, north."""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats

MAX_LABELS = 5
_SIZE = 1000.0
MARGIN = 20.0
"""Units around a region, of which the longer side has a thousand."""

_SMALL_PX = 300.0
"""Pixels of the longer side of a small map: names that are apart there are so on larger ones."""

_LETTER_PX, _LINE_PX, _BAR_PX = 6.6, 16.0, 34.0
_EQUATOR_KM, _ECCENTRICITY_SQUARED = 40_075.0167, 0.00669438
"""Of the ellipsoid WGS 84."""

_LONGEST_BAR = 0.3
"""Of the width of a map."""


@dataclass(frozen=True)
class MapFrame:
    """A map's place in the Mercator plane, its size, and units per world and kilometre."""

    west: float
    north: float
    units: float
    width: float
    height: float
    units_per_km: float

    def to_units(self, degrees: Floats) -> Floats:
        """Return longitudes and latitudes in the drawing's own units, shape (…, 2)."""
        return (to_plane(degrees) - (self.west, self.north)) * (self.units, -self.units)

    def to_degrees(self, units: Floats) -> Floats:
        """Return the longitudes and latitudes of units, shape (…, 2)."""
        plane = units / (self.units, -self.units) + (self.west, self.north)
        latitude = np.degrees(np.arctan(np.sinh(2 * np.pi * plane[..., 1])))
        return np.stack([360 * plane[..., 0], latitude], axis=-1)

    def to_share(self, x: float, y: float) -> tuple[float, float]:
        """Return where units lie, from 0 to 1 of the map's width and height."""
        return (x + MARGIN) / self.width, (y + MARGIN) / self.height


def to_plane(degrees: Floats) -> Floats:
    """Return longitudes and latitudes as shares of the world, Mercator, shape (…, 2)."""
    sine = np.sin(np.radians(np.clip(degrees[..., 1], -85.0, 85.0)))
    return np.stack([degrees[..., 0] / 360, np.arctanh(sine) / (2 * np.pi)], axis=-1)


def fit_frame(bounds: Sequence[float] | Floats) -> MapFrame:
    """Return the frame of west, south, east and north in degrees, with a margin.

    A kilometre is that of the parallel in the middle: Mercator draws others longer or shorter.
    """
    low, high = to_plane(np.array(bounds, dtype=float).reshape(2, 2))
    units = _SIZE / max((high - low).max(), 1e-11)
    width, height = (high - low) * units + 2 * MARGIN
    latitude = math.atan(math.sinh(math.pi * (low[1] + high[1])))
    return MapFrame(low[0], high[1], units, width, height, units / parallel_km(latitude))


def parallel_km(latitude: float) -> float:
    """Return the length of the parallel of a latitude in radians."""
    flattened = math.sqrt(1 - _ECCENTRICITY_SQUARED * math.sin(latitude) ** 2)
    return _EQUATOR_KM * math.cos(latitude) / flattened


def scale_bar(frame: MapFrame) -> tuple[float, float]:
    """Return a scale bar's kilometres, 1, 2 or 5 of a power of ten, and its share of a width."""
    longest = _LONGEST_BAR * frame.width / frame.units_per_km
    power = 10.0 ** math.floor(math.log10(longest))
    km = max(digit * power for digit in (1, 2, 5) if digit * power <= longest)
    return km, km * frame.units_per_km / frame.width


def format_length(km: float) -> str:
    return f"{km:g} km" if km >= 1 else f"{1000 * km:g} m"


def place_labels(
    frame: MapFrame, names: Sequence[str], points: Floats, weights: Floats, *, is_bar_left: bool
) -> list[tuple[str, float, float]]:
    """Return up to five names and their middles in units, the heaviest first; none overlap.

    A name that has no room at its point moves up or down by a line, else the next one comes.
    """
    per_px = max(frame.width, frame.height) / _SMALL_PX
    line, width, height = _LINE_PX * per_px, frame.width - 2 * MARGIN, frame.height - 2 * MARGIN
    bar_width, bar_height = _LONGEST_BAR * frame.width + 2 * line, _BAR_PX * per_px
    bar_x = bar_width / 2 if is_bar_left else frame.width - bar_width / 2
    boxes = [(bar_x - MARGIN, frame.height - bar_height / 2 - MARGIN, bar_width, bar_height)]
    labels: list[tuple[str, float, float]] = []
    for place in np.argsort(-weights, kind="stable").tolist():
        if len(labels) == MAX_LABELS:
            break
        wide = (len(names[place]) + 1) * _LETTER_PX * per_px
        x = min(max(float(points[place, 0]), wide / 2), max(width - wide / 2, wide / 2))
        for move in (0.0, -line, line):
            y = min(max(float(points[place, 1]) + move, line / 2), height - line / 2)
            if all(
                abs(x - other_x) >= (wide + other_wide) / 2 or abs(y - other_y) >= (line + tall) / 2
                for other_x, other_y, other_wide, tall in boxes
            ):
                boxes.append((x, y, wide, line))
                labels.append((str(names[place]), x, y))
                break
    return labels


def map_html(
    frame: MapFrame,
    title: str,
    alt: str,
    inside: str,
    labels: Sequence[tuple[str, float, float]],
    *,
    is_bar_left: bool,
) -> str:
    """Return a drawing under its title, with names over it, a scale bar, and where north is."""
    box = f"{-MARGIN:.0f} {-MARGIN:.0f} {frame.width:.0f} {frame.height:.0f}"
    drawing = f'<svg viewBox="{box}" role="img" aria-label="{html.escape(alt)}">'
    names = ""
    for name, x, y in labels:
        left, top = frame.to_share(x, y)
        names += f'<span class="place" style="left:{left:.1%};top:{top:.1%}">'
        names += f"{html.escape(name)}</span>"
    km, share = scale_bar(frame)
    bar = f'<span style="width:{share:.2%}">{format_length(km)}</span>'
    side = "left" if is_bar_left else "right"
    return (
        f"<figure><figcaption>{html.escape(title)}</figcaption>"
        f'<div class="map" style="--ratio:{frame.width / frame.height:.3f}">'
        f"{drawing}{inside}</svg>{names}"
        f'<div class="ruler {side}">{bar}<b title="North is up">N ↑</b></div></div></figure>'
    )
