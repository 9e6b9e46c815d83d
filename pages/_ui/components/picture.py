"""True beside private as one picture that the server makes: for home and for print, no script."""

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import shapely
import streamlit as st

from engine.arrays import Booleans, Floats, Integers
from engine.text.numbers import number
from pages._ui.components import colours
from pages._ui.components.arrows import arrows
from pages._ui.components.maps import Scale, largest_flows, outlines, to_plane

MAX_FLOWS = 120
"""Flows that each side draws."""

_SIZE = 1000.0
_UNITS_A_PIXEL = 2.4
UNCERTAIN = "too uncertain to draw"
"""Of a flow that a method estimates, and does not show by itself: it does not read 0."""
KINDS = {"phantom": colours.PHANTOM, "inflated": colours.INFLATED, "lost": colours.LOST}

STYLE = """
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 8px; }
.sides figure { margin: 0; border-radius: .5rem; background: color-mix(in srgb, currentColor 4%, transparent); }
.sides figcaption { font-size: .9rem; font-weight: 600; padding: .3rem .6rem 0; }
.sides svg { display: block; width: 100%; max-height: var(--tall, 60vh); }
.sides .zone { stroke: color-mix(in srgb, currentColor 25%, transparent); stroke-width: .5px; vector-effect: non-scaling-stroke; }
.sides .ground { fill: color-mix(in srgb, currentColor 6%, transparent); stroke: color-mix(in srgb, currentColor 28%, transparent); stroke-width: .6px; vector-effect: non-scaling-stroke; }
.sides .flow { stroke: color-mix(in srgb, currentColor 45%, transparent); stroke-width: .4px; vector-effect: non-scaling-stroke; fill: var(--c); }
.flow.lost { fill: none; stroke: var(--c); stroke-width: 1.2px; stroke-dasharray: 4 3; }
.flow.phantom { fill-opacity: .25; stroke: var(--c); stroke-width: 1.3px; }
.flow.untold { fill: url(#untold); stroke: var(--c); stroke-width: .8px; }
.flow.inflated { stroke: var(--c); stroke-width: 2.2px; stroke-dasharray: 1.5 2.5; }
.sides :is(.zone, .flow):hover { stroke: currentColor; stroke-width: 1.6px; }
.sides-key { display: flex; flex-wrap: wrap; align-items: center; gap: .15rem 1.1rem; font-size: .78rem; line-height: 1.4; padding: .35rem 0 .3rem; }
.sides-key .bar { display: inline-block; width: 8rem; height: .5rem; border-radius: .25rem; }
.sides-key svg { width: 26px; height: 10px; }
"""  # noqa: E501


@dataclass(frozen=True, eq=False)
class Shapes:
    """Zones in the drawing's own units: one path each, their middles and their names."""

    view_box: str
    zones: tuple[str, ...]
    centres: Floats
    names: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """Both sides as figures, and their key below."""

    sides: str
    key: str

    def html(self) -> str:
        """Return both as they stand on the page and in a file; `STYLE` is their style."""
        return f'<div class="sides">{self.sides}</div><div class="sides-key">{self.key}</div>'


def draw(picture: Picture) -> None:
    """Draw a picture."""
    st.html(f"<style>{STYLE}</style>")
    st.markdown(picture.html(), unsafe_allow_html=True)  # `st.html` drops every SVG


def draw_key(*parts: str) -> None:
    """Draw what the colours and marks of another map mean: `ramp_html` and swatches."""
    draw(Picture("", "".join(parts)))


def shapes(place: Any) -> Shapes:
    """Return the zones of a dataset or a level ready to draw."""
    zones = outlines(place)
    placed, view_box = fit_plane(zones.bounds)
    return Shapes(
        view_box=view_box,
        zones=tuple(polygon(zone) for zone in shapely.transform(zones.shapes, placed)),
        centres=placed(zones.centres),
        names=zones.names,
    )


def fit_plane(bounds: Sequence[float] | Floats) -> tuple[Callable[[Floats], Floats], str]:
    """Return a function from degrees to units of the drawing, and the view box of the bounds."""
    low, high = to_plane(np.array(bounds).reshape(2, 2))
    scale = _SIZE / max((high - low).max(), 1e-11)

    def to_units(coordinates: Floats) -> Floats:
        return (to_plane(coordinates) - (low[0], high[1])) * (scale, -scale)

    (wide, tall), margin = (high - low) * scale, 0.02 * _SIZE
    return to_units, f"{-margin:.0f} {-margin:.0f} {wide + 2 * margin:.0f} {tall + 2 * margin:.0f}"


def zones_picture(
    shapes: Shapes, true: Floats, private: Floats, *, topic: str, epsilon: float
) -> Picture:
    """Return zones in colour; `what` is shown, such as ``visits, Wednesday 18:00–19:00``."""
    scale = Scale(float(true.max(initial=1.0)))
    titles = [
        f"{name}\ntrue: {number(t)}\nprivate: {number(p)}\nerror: {_format_signed(p - t)}"
        for name, t, p in zip(shapes.names, true.tolist(), private.tolist(), strict=True)
    ]

    def side(title: str, values: Floats, kinds: Sequence[str] = ()) -> str:
        shades = [_format_colour(colour) for colour in scale.colours(values).tolist()]
        paths = zone_paths(shapes, shades, titles, kinds)
        return figure_html(shapes.view_box, title, f"{title}: {topic} by zone", paths)

    wrong = wrong_visits(true, private)
    kinds = np.select(list(wrong.values()), list(wrong), "").tolist()
    sides = side("True", true) + side(f"Private, ε = {epsilon:g}", private, kinds)
    return Picture(sides, ramp_html(scale, topic) + wrong_key_html(wrong))


def zone_paths(
    shapes: Shapes, fills: Sequence[str], titles: Sequence[str], kinds: Sequence[str] = ()
) -> str:
    """Return zones in colours with what is said of each, and an edge where `kinds` names one."""
    zones = list(zip(shapes.zones, titles, strict=True))
    return "".join(
        f'<path class="zone" fill="{fill}" d="{path}">{_title(words)}</path>'
        for fill, (path, words) in zip(fills, zones, strict=True)
    ) + "".join(
        f'<path class="flow {kind}" style="--c:{KINDS[kind]}" d="{path}">{_title(words)}</path>'
        for kind, (path, words) in zip(kinds, zones, strict=False)
        if kind in KINDS
    )


def wrong_visits(true: Floats, private: Floats) -> dict[str, Booleans]:
    """Return which zones are shown with visits that nobody made, and which read 0 instead."""
    reads = private >= 0.5  # as a whole number
    return {"phantom": (true == 0) & reads, "lost": (true > 0) & ~reads}


def wrong_key_html(wrong: Mapping[str, Booleans]) -> str:
    """Return the key of the marks of wrong zones, with their number."""
    meanings = {"phantom": "phantom, nobody was there", "lost": "lost, shown as 0"}
    return "".join(
        swatch_html(kind, f"{meanings[kind]}: {zones.sum()} of {len(zones)} zones")
        for kind, zones in wrong.items()
    )


def flows_picture(
    shapes: Shapes,
    true: Integers,
    private: Integers | Floats,
    *,
    floor: int,
    epsilon: float,
    when: str = "",
    words: Mapping[tuple[int, int], str] = MappingProxyType({}),
    estimated: bool = False,
) -> Picture:
    """Return the largest flows of each side as arrows, those that are wrong marked on the right.

    Where flows are `estimated`, one that is not shown is too uncertain; else it reads 0.
    """
    scale = Scale(float(true.max(initial=1)))

    def describe(o: int, d: int) -> str:
        t, p = true[o, d], private[o, d]
        reads = words.get((o, d), f"{p:,.0f}")
        route = f"{shapes.names[o]} → {shapes.names[d]}"
        if estimated and not p:
            return f"{route}\ntrue: {t:,}\nprivate: {UNCERTAIN}"
        return f"{route}\ntrue: {t:,}\nprivate: {reads}\nerror: {_format_signed(float(p - t))}"

    def flow_paths(pairs: tuple[Integers, Integers], values: Floats, kinds: Sequence[str]) -> str:
        shades = [_format_colour(colour) for colour in scale.colours(values).tolist()]
        start, end = shapes.centres[pairs[0]], shapes.centres[pairs[1]]
        outlines = arrows(start, end, scale.widths(values), unit=_UNITS_A_PIXEL)
        return "".join(
            f'<path class="flow {kind}" style="--c:{KINDS.get(kind, shade)}" d="{path(outline)}">'
            f"{_title(describe(int(o), int(d)))}</path>"
            for outline, shade, kind, o, d in zip(outlines, shades, kinds, *pairs, strict=True)
        )

    busy, top = largest_flows(true, MAX_FLOWS), largest_flows(private, MAX_FLOWS)
    gone = (true[busy] >= floor) & (private[busy] == 0)
    lost = busy[0][gone], busy[1][gone]
    phantom = true[top] == 0
    inflated = ~phantom & (private[top] > 2 * true[top])
    kinds = np.where(phantom, "phantom", np.where(inflated, "inflated", "shown")).tolist()
    truly = flow_paths(busy, true[busy].astype(float), ["shown"] * len(busy[0]))
    privately = flow_paths(lost, true[lost].astype(float), ["lost"] * len(lost[0]))
    privately += flow_paths(top, private[top].astype(float), kinds)
    ground = "".join(f'<path class="ground" d="{path}"/>' for path in shapes.zones)
    which = "all" if true.size - len(true) <= MAX_FLOWS else f"the {MAX_FLOWS} largest"
    topic = f"trips{when}, {which} flows"
    titles = {"True": truly, f"Private, ε = {epsilon:g}": privately}
    sides = "".join(
        figure_html(shapes.view_box, title, f"{title}: {topic}", ground + paths)
        for title, paths in titles.items()
    )
    lost_count = f"{gone.sum()} of the {len(gone)} largest true"
    count = f"of {len(phantom)}"
    marks = {
        "phantom": f"phantom, nobody travelled: {phantom.sum()} {count}",
        "inflated": f"over twice the truth: {inflated.sum()} {count}",
        "lost": describe_lost(true, floor, lost_count, estimated=estimated),
    }
    key = ramp_html(scale, topic)
    key += "".join(swatch_html(kind, text) for kind, text in marks.items())
    return Picture(sides, key)


def describe_lost(true: Integers, floor: int, count: str, *, estimated: bool = False) -> str:
    """Return how many true flows of at least τ′ = `least` are not shown, if one is so large.

    >>> true = np.array([[0, 20], [3, 0]])
    >>> describe_lost(true, 15, "1 of the 2 largest true")
    'lost, 15+ trips but shown as 0: 1 of the 2 largest true'
    >>> describe_lost(true, 21, "0 of the 2 largest true")
    'no true flow has 21+ trips, so none is lost'
    """
    size = f"{floor}+ trips" if floor > 1 else "trips"
    if not (true >= floor).any():
        return f"no true flow has {size}, so none is lost"
    fate = f"{size}, {UNCERTAIN}" if estimated else f"lost, {size} but shown as 0"
    return f"{fate}: {count}"


def figure_html(view_box: str, title: str, alt: str, inside: str) -> str:
    """Return one side of a picture with its title."""
    return (
        f'<figure><figcaption>{html.escape(title)}</figcaption><svg viewBox="{view_box}" '
        f'role="img" aria-label="{html.escape(alt)}">{inside}</svg></figure>'
    )


def swatch_html(kind: str, text: str, colour: str = "") -> str:
    """Return the look and the meaning of a kind of mark, for the key of a picture."""
    colour = colour or KINDS[kind]
    return (
        f'<span><svg viewBox="0 0 52 20" aria-hidden="true"><path class="flow {kind}" '
        f'fill="{colour}" style="--c:{colour}" d="M2 5H50V15H2Z"/></svg> {html.escape(text)}</span>'
    )


def ramp_html(scale: Scale, topic: str, low: str = "0", high: str = "") -> str:
    """Return the colours of a scale between its ends in words, and what they show, for a key."""
    bar = f'<i class="bar" style="background:linear-gradient(90deg, {scale.gradient()})"></i>'
    root = "" if scale.kind == "linear" else " (square-root scale)"
    high = high or f"{scale.high:,.0f} or more"
    return f"<span>{low} {bar} {high}: {html.escape(topic)}{root}</span>"


def _title(words: str) -> str:
    return f"<title>{html.escape(words)}</title>"


def polygon(zone: Any) -> str:
    """Return the rings of a polygon or several as one path of whole units."""
    rings = [
        ring
        for part in shapely.get_parts(zone)
        if isinstance(part, shapely.Polygon)
        for ring in (part.exterior, *part.interiors)
    ]
    return "".join(path(shapely.get_coordinates(ring)[:-1]) for ring in rings)


def path(outline: Floats) -> str:
    return "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in outline) + "Z"


def _format_colour(colour: Sequence[int]) -> str:
    red, green, blue, opacity = colour
    return f"#{red:02x}{green:02x}{blue:02x}" + ("" if opacity > 230 else f"{opacity:02x}")


def _format_signed(value: float) -> str:
    return ("−" if value < 0 else "+") + number(abs(value))
