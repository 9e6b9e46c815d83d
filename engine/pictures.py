"""Pictures for documents that stand alone: SVG by hand, without a front end or a plotting library.

Every picture is a string that an HTML page can hold as it is. What is named in one is escaped;
nothing is told by colour alone: a second series is narrower and outlined, a range is a line.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import geopandas as gpd
import numpy as np
import shapely

from . import geography
from .arrays import Floats, Integers, Numbers

WIDTH = 720
FIRST, SECOND, INK = "#2a6f97", "#d1711f", "#1c2733"
_RAMP = ((238, 243, 247), (122, 172, 201), (42, 111, 151), (9, 38, 58))
_LEFT, _BOTTOM, _TOP = 64, 34, 12
_SIGN = 7
"""Pixels of a sign of a label."""
_TICKS = 4
_PRECISION = 700
"""Pixels across a map, to which outlines are simplified."""


@dataclass(frozen=True)
class Series:
    """Bars of one name; `reach` is how far a range goes to both sides, or None."""

    name: str
    values: Numbers
    reach: Floats | None = None


def ticks(most: float) -> list[float]:
    """Return round numbers from 0 to at least `most`.

    Examples
    --------
    >>> ticks(37), ticks(0.9)
    ([0.0, 10.0, 20.0, 30.0, 40.0], [0.0, 0.25, 0.5, 0.75, 1.0])
    """
    if not most > 0:
        return [0.0, 1.0]
    rough = most / _TICKS
    unit = 10.0 ** np.floor(np.log10(rough))
    step = next(unit * one for one in (1, 2, 2.5, 5, 10) if unit * one >= rough * (1 - 1e-9))
    return [float(step * i) for i in range(int(np.ceil(most / step - 1e-9)) + 1)]


def bars(
    labels: Sequence[str],
    series: Sequence[Series],
    *,
    title: str,
    width: int = WIDTH,
    height: int = 210,
) -> str:
    """Return upright bars over `labels`, one or two series, each with its ranges.

    Examples
    --------
    >>> bars(["Monday"], [Series("trips", np.array([3]))], title="Trips").count("<rect")
    1
    """
    ends = [s.values + (0 if s.reach is None else s.reach) for s in series]
    scale = ticks(max(float(np.max(one, initial=0.0)) for one in ends))
    step = (width - _LEFT) / max(len(labels), 1)
    foot = height - _BOTTOM
    high = foot - _TOP - (14 if len(series) > 1 else 0)

    def y(value: float) -> float:
        return foot - high * value / scale[-1]

    parts = [
        f'<line x1="{_LEFT}" x2="{width}" y1="{y(t):.1f}" y2="{y(t):.1f}" class="grid"/>'
        f'<text x="{_LEFT - 6}" y="{y(t) + 4:.1f}" text-anchor="end">{number(t)}</text>'
        for t in scale
    ]
    looks = ((0.78, f'fill="{FIRST}"'), (0.38, f'fill="{SECOND}" stroke="{INK}"'))
    for one, (share, look) in zip(series, looks, strict=False):
        reach = np.zeros(len(labels)) if one.reach is None else one.reach
        for i, (value, far) in enumerate(zip(one.values.tolist(), reach.tolist(), strict=True)):
            middle, top = _LEFT + (i + 0.5) * step, y(max(value, 0))
            tip = html.escape(f"{labels[i]}, {one.name}: {number(value)}", quote=True)
            parts.append(
                f'<rect x="{middle - share * step / 2:.1f}" y="{top:.1f}" '
                f'width="{share * step:.1f}" height="{foot - top:.1f}" {look}>'
                f"<title>{tip}</title></rect>"
            )
            if far > 0:
                low, up = y(max(value - far, 0)), y(max(value + far, 0))
                parts.append(
                    f'<line x1="{middle:.1f}" x2="{middle:.1f}" y1="{low:.1f}" y2="{up:.1f}" '
                    'class="reach"/>'
                )
    widest = max(map(len, labels), default=1) * _SIGN + 8
    every = -(-len(labels) * widest // (width - _LEFT))
    for i in range(0, len(labels), every):
        x = _LEFT + (i + 0.5) * step
        text = html.escape(labels[i])
        parts.append(f'<text x="{x:.1f}" y="{foot + 16}" text-anchor="middle">{text}</text>')
    if len(series) > 1:
        names = (f'<tspan fill="{c}">■</tspan> {html.escape(s.name)}' for s, c in _coloured(series))
        parts.append(f'<text x="{_LEFT}" y="10">{"&#160;&#160; ".join(names)}</text>')
    return svg(parts, height, title, width)


def _coloured(series: Sequence[Series]) -> list[tuple[Series, str]]:
    return list(zip(series, (FIRST, SECOND), strict=False))


def svg(parts: Sequence[str], height: float, title: str, width: float = WIDTH) -> str:
    """Return a picture of these parts, named for those who hear the page."""
    name = html.escape(title, quote=True)
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{name}">'
        f"{''.join(parts)}</svg>"
    )


def number(value: float) -> str:
    """Write a number of a picture in a few signs.

    Examples
    --------
    >>> number(1234567.0), number(0.25), number(12.0), number(float("nan"))
    ('1,234,567', '0.25', '12', '–')
    """
    if not np.isfinite(value):
        return "–" if np.isnan(value) else "∞"
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


class Map:
    """Outlines of zones, defined once in a document and filled as often as is wanted.

    Parameters
    ----------
    zones : geopandas.GeoDataFrame
        With ``name``, in EPSG:4326.
    identity : str
        What tells the outlines of two maps in one document apart.
    """

    def __init__(self, zones: gpd.GeoDataFrame, identity: str = "z") -> None:
        plane: Any = zones.geometry.to_crs(geography.projected_crs(zones))
        west, south, east, north = (float(x) for x in plane.total_bounds)
        self._scale = _PRECISION / max(east - west, north - south, 1.0)
        self._corner = (west, north)
        self.size = ((east - west) * self._scale + 2, (north - south) * self._scale + 2)
        self._names = [html.escape(str(name), quote=True) for name in zones["name"]]
        self._identity = identity
        shapes: Any = shapely.simplify(plane.to_numpy(), 0.5 / self._scale)
        self._paths = [self._path(shape) for shape in shapes]
        inside = shapely.get_coordinates(shapely.point_on_surface(plane.to_numpy()))
        self._points = self._pixels(inside)

    @property
    def outlines(self) -> str:
        """The definitions, to stand once and before the first picture."""
        paths = (
            f'<path id="{self._identity}{i}" d="{path}"/>' for i, path in enumerate(self._paths)
        )
        return f'<svg width="0" height="0" class="defs"><defs>{"".join(paths)}</defs></svg>'

    def shaded(self, values: Numbers, *, title: str, most: float | None = None) -> str:
        """Return the zones filled by `values`, from 0 to the largest or `most`."""
        top = float(np.max(values, initial=0)) if most is None else most
        shares = np.clip(values / top, 0, 1) if top > 0 else np.zeros(len(values))
        parts = [
            f'<use href="#{self._identity}{i}" fill="{_colour(float(share))}">'
            f"<title>{name}: {number(float(value))}</title></use>"
            for i, (share, value, name) in enumerate(zip(shares, values, self._names, strict=True))
        ]
        return svg([f'<g class="zones">{"".join(parts)}</g>'], self.size[1], title, self.size[0])

    def flows(
        self, origins: Integers, destinations: Integers, values: Numbers, *, title: str
    ) -> str:
        """Return flows as wedges that start wide and end in a point, there and back apart."""
        fills = [f'<use href="#{self._identity}{i}"/>' for i in range(len(self._paths))]
        parts = [f'<g class="zones plain">{"".join(fills)}</g>']
        top = float(np.max(values, initial=0)) or 1.0
        order = np.argsort(values, kind="stable")
        for i in order:
            a, b = self._points[origins[i]], self._points[destinations[i]]
            along = b - a
            length = float(np.hypot(*along))
            name = f"{self._names[origins[i]]} to {self._names[destinations[i]]}"
            tip = f"<title>{name}: {number(float(values[i]))}</title>"
            wide = 1.0 + 8.0 * float(values[i]) / top
            if length < 1:
                parts.append(
                    f'<circle cx="{a[0]:.0f}" cy="{a[1]:.0f}" r="{wide:.1f}" class="flow">'
                    f"{tip}</circle>"
                )
                continue
            side = np.array([-along[1], along[0]]) / length * wide
            corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (a, a + side, b))
            parts.append(f'<polygon points="{corners}" class="flow">{tip}</polygon>')
        return svg(parts, self.size[1], title, self.size[0])

    def _pixels(self, coordinates: Any) -> Floats:
        west, north = self._corner
        shifted = np.column_stack([coordinates[:, 0] - west, north - coordinates[:, 1]])
        return shifted * self._scale + 1

    def _path(self, shape: Any) -> str:
        rings = (
            ring
            for part in shapely.get_parts(shape)
            if part.geom_type == "Polygon"
            for ring in shapely.get_rings(part)
        )
        return "".join(
            "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in self._pixels(ring)) + "Z"
            for ring in (shapely.get_coordinates(one)[:-1] for one in rings)
        )


def scale_of(most: float, unit: str) -> str:
    """Return the legend of shaded zones, from 0 to `most`."""
    stops = (f'<stop offset="{i / 6:.2f}" stop-color="{_colour(i / 6)}"/>' for i in range(7))
    words = html.escape(f"{number(most)} {unit}")
    return (
        '<svg viewBox="0 0 720 26" role="img" aria-label="Scale of colours"><defs>'
        f'<linearGradient id="scale">{"".join(stops)}</linearGradient></defs>'
        '<text x="0" y="16">0</text>'
        '<rect x="14" y="5" width="180" height="13" fill="url(#scale)" stroke="#8595a3"/>'
        f'<text x="202" y="16">{words}</text></svg>'
    )


def _colour(share: float) -> str:
    place = share * (len(_RAMP) - 1)
    low = min(int(place), len(_RAMP) - 2)
    mix = place - low
    mixed = (a + (b - a) * mix for a, b in zip(_RAMP[low], _RAMP[low + 1], strict=True))
    return "#" + "".join(f"{round(value):02x}" for value in mixed)
