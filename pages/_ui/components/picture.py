"""True beside a release as one picture that the server makes: for pages and for print."""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import shapely
import streamlit as st
from streamlit.components.v2 import component

from engine.arrays import Floats, Integers
from engine.geography import unwrap
from engine.resolution import FINEST, zone_labels, zone_levels
from engine.text.numbers import number
from pages._ui.components import colours
from pages._ui.components.arrows import arrows
from pages._ui.components.map_frame import MapFrame, fit_frame, map_html, place_labels
from pages._ui.components.maps import Scale, largest_flows, zone_names
from pages._ui.settings import fields, widgets

MAX_FLOWS = 120
"""Flows that each side draws."""

_UNITS_A_PIXEL = 2.4
_SIMPLIFY = 1 / 600
"""Outlines are simplified to this share of the map's extent: about one pixel on a large map."""

UNCERTAIN = "too uncertain to draw"
"""Of a flow that a method estimates, and does not show by itself: it does not read 0."""
KINDS = {
    "phantom": colours.PHANTOM,
    "inflated": colours.INFLATED,
    "lost": colours.LOST,
    "more": colours.MORE,
    "less": colours.LESS,
}
_POINTER = component(
    "map_pointer",
    js=Path(__file__).with_name("map_pointer.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)
"""Says what is pointed at and lights it on both maps: attributes, no element for each flow."""

_PALEST = 0.25
"""Opacity of the smallest difference: which way it goes can be seen."""

_PALE = f"{round(255 * _PALEST):02x}"
_DIFFERENCE_GRADIENT = (
    f"{colours.LESS}, {colours.LESS}{_PALE}, {colours.MORE}{_PALE}, {colours.MORE}"
)
_CLUSTER = re.compile(r" and \d+ more$")
_WORDS = re.compile(r' data-words="([^"]*)"([^>]*)/>')

STYLE = """
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); gap: 8px; }
.sides figure { margin: 0; border-radius: .5rem; background: color-mix(in srgb, currentColor 4%, transparent); }
.sides figcaption { font-size: .9rem; font-weight: 600; padding: .3rem .6rem .2rem; }
.sides .map { position: relative; overflow: hidden; margin: 0 auto; width: min(100%, var(--tall, 60vh) * var(--ratio)); aspect-ratio: var(--ratio); }
.sides svg { display: block; width: 100%; height: 100%; }
.sides .zone { stroke: color-mix(in srgb, currentColor 25%, transparent); stroke-width: .5px; vector-effect: non-scaling-stroke; }
.sides .ground { fill: color-mix(in srgb, currentColor 6%, transparent); stroke: color-mix(in srgb, currentColor 28%, transparent); stroke-width: .6px; vector-effect: non-scaling-stroke; }
.sides .parent { fill: none; stroke: color-mix(in srgb, currentColor 55%, transparent); stroke-width: 1.1px; vector-effect: non-scaling-stroke; pointer-events: none; }
.sides .flow { stroke: color-mix(in srgb, currentColor 45%, transparent); stroke-width: .4px; vector-effect: non-scaling-stroke; fill: var(--c); }
.flow.lost { fill: none; stroke: var(--c); stroke-width: 1.2px; stroke-dasharray: 4 3; pointer-events: all; }
.flow.phantom { fill-opacity: .25; stroke: var(--c); stroke-width: 1.3px; }
.flow.untold { fill: url(#untold); stroke: var(--c); stroke-width: .8px; }
.flow.inflated { stroke: var(--c); stroke-width: 2.2px; stroke-dasharray: 1.5 2.5; }
.flow.less { fill-opacity: .2; stroke: var(--c); stroke-width: 1.2px; stroke-dasharray: 4 3; }
.flow.striped { fill: url(#less); stroke: var(--c); stroke-width: .8px; }
.sides .mark { pointer-events: none; } .sides .here { fill: none; stroke: #d1495b; stroke-width: 3px; vector-effect: non-scaling-stroke; pointer-events: none; }
.sides :is(.zone, .flow):hover, .sides .zone.pointed { stroke: currentColor; stroke-width: 1.6px; }
.sides.pointed .flow:not(.pointed) { opacity: .12; } .sides.pointed .place { opacity: .25; }
.sides .flow.pointed { stroke: currentColor; stroke-width: 1.2px; } .sides .ground.pointed { fill: color-mix(in srgb, currentColor 30%, transparent); }
.sides :is(.place, .ruler) { position: absolute; pointer-events: none; white-space: nowrap; font-size: 11.5px; line-height: 1.15; --halo: light-dark(#f7f7f7, #201f1d); text-shadow: 0 0 2px var(--halo), 0 0 2px var(--halo), 0 0 3px var(--halo), 0 0 3px var(--halo), 0 0 4px var(--halo); }
.sides .place { transform: translate(-50%, -50%); font-weight: 600; }
.sides .ruler { inset: auto 0 0; padding: 0 6px 4px; display: flex; justify-content: flex-end; align-items: flex-end; gap: 8px; } .sides .ruler.left { flex-direction: row-reverse; }
.sides .ruler span { box-sizing: border-box; border: solid currentColor; border-width: 0 1.5px 1.5px; padding-bottom: 2px; text-align: center; }
.map-words { position: fixed; z-index: 999990; pointer-events: none; white-space: pre-line; max-width: min(24rem, 100vw - 8px); padding: .3rem .6rem; border-radius: .4rem; font-size: .85rem; line-height: 1.35; background: #1c1c1c; color: #fff; box-shadow: 0 0 0 1px #8886; } .map-words::first-line { font-weight: 700; }
[class*="st-key-map_"] { position: relative; container-type: inline-size; gap: .3rem; }
[class*="st-key-map_"] > .st-key-second_map { position: absolute; top: .2rem; right: .3rem; z-index: 1; width: auto; }
.st-key-second_map button { min-height: 1.5rem; padding: 0 .5rem; } .st-key-second_map button p { font-size: .78rem; }
@container (max-width: 36rem) { [class*="st-key-map_"] > .st-key-second_map { position: static; } }
.sides-key { display: flex; flex-wrap: wrap; align-items: center; gap: .15rem 1.1rem; font-size: .78rem; line-height: 1.4; padding: .35rem 0 .3rem; }
.sides-key .bar { display: inline-block; width: 8rem; height: .5rem; border-radius: .25rem; }
.sides-key svg { width: 26px; height: 10px; } .sides-key.whole .flow { stroke-dasharray: none; }
"""  # noqa: E501


@dataclass(frozen=True, eq=False)
class Shapes:
    """Zones in the drawing's own units: one path each, their middles, their names; and in degrees.

    The names on a map are those of the coarsest parents, else of the zones: `label_of_zone` is the
    position of each zone's among `label_names`, `label_points` are their middles.
    """

    frame: MapFrame
    zones: tuple[str, ...]
    degrees: Any
    centres: Floats
    names: tuple[str, ...]
    areas: Floats
    borders: str
    label_of_zone: Integers
    label_names: tuple[str, ...]
    label_points: Floats
    is_bar_left: bool


@dataclass(frozen=True)
class Picture:
    """Both sides as figures, their key below, and the names of zones that say nothing else."""

    sides: str
    key: str
    names: tuple[str, ...] = ()

    def page_html(self) -> str:
        """Return both as they stand on a page, where a script says what is pointed at."""
        names = html.escape("\n".join(self.names))
        return (
            f'<div class="sides" data-names="{names}">{self.sides}</div>'
            f'<div class="sides-key">{self.key}</div>'
        )

    def html(self) -> str:
        """Return both as they stand in a file, without a script; `STYLE` is their style."""
        return _WORDS.sub(r"\2><title>\1</title></path>", self.page_html())


def draw(
    picture: Picture,
    key: str = "picture",
    *,
    has_choice: bool = False,
    on_zone: Callable[[int], None] | None = None,
) -> None:
    """Draw a picture, with the choice of its second map above that if it `has_choice`.

    `key` is its own on a page; `on_zone` takes the position of a zone that is clicked.
    """
    name = f"pointer_{key}"
    take = on_zone and (lambda: on_zone(int(st.session_state[name]["zone"])))
    st.html(f"<style>{STYLE}</style>")
    with st.container(key=f"map_{key}"):
        if has_choice:
            look = {"label_visibility": "collapsed", "width": "content"}
            widgets.draw(fields.SECOND_MAP, widget="segmented_control", **look)
        # `st.html` drops every SVG; after an empty line, as in a name, Markdown would begin
        st.markdown(picture.page_html().replace("\n", "&#10;"), unsafe_allow_html=True)
        more: Any = {"on_zone_change": take} if take else {}
        _POINTER(key=name, height=1, data={"takesZones": take is not None}, **more)


def is_difference() -> bool:
    """Whether the second map of a picture shows by how much the release differs."""
    return fields.value(fields.SECOND_MAP) == "difference"


def draw_key(*parts: str) -> None:
    """Draw what the colours and marks of a map mean that is no picture: its edges are whole."""
    st.html(f"<style>{STYLE}</style>")
    st.markdown(f'<div class="sides-key whole">{"".join(parts)}</div>', unsafe_allow_html=True)


def shapes(place: Any) -> Shapes:
    """Return the zones of a dataset or a level ready to draw."""
    whole = unwrap(place.zones.geometry.to_numpy())
    west, south, east, north = bounds = shapely.total_bounds(whole)
    tolerance = max(east - west, north - south) * _SIMPLIFY
    # coverage simplification keeps shared borders shared: no gaps between zones
    simple = shapely.coverage_simplify(whole, tolerance)
    simple = shapely.set_precision(simple, 1e-5, mode="pointwise")
    centres = shapely.get_coordinates(shapely.point_on_surface(whole)).round(5)
    frame, all_names = fit_frame(bounds), tuple(zone_names(place).values())
    regions = placed = shapely.transform(simple, frame.to_units)
    # a coarsest level of one region alone names nothing
    level = next(
        row.name
        for row in zone_levels(place.zones)[::-1]
        if row.zone_count > 1 or row.name == FINEST
    )
    labels, _, names = zone_labels(place.zones, level)
    borders = ""
    if level == FINEST:
        names = all_names
    else:
        regions = np.array([shapely.union_all(placed[labels == i]) for i in range(len(names))])
        borders = "".join(polygon(region) for region in shapely.simplify(regions, 3))
    corners = [
        shapely.box(x, 0.85 * frame.height, x + 0.3 * frame.width, frame.height)
        for x in (0, 0.7 * frame.width)
    ]
    left, right = (shapely.area(shapely.intersection(placed, box)).sum() for box in corners)
    return Shapes(
        frame=frame,
        zones=tuple(polygon(zone) for zone in placed),
        degrees=simple,
        centres=frame.to_units(centres),
        names=all_names,
        areas=shapely.area(placed),
        borders=borders,
        label_of_zone=labels,
        label_names=tuple(_CLUSTER.sub(" …", name) for name in names),
        label_points=shapely.get_coordinates(shapely.point_on_surface(regions)),
        is_bar_left=left < right,
    )


def zones_picture(
    shapes: Shapes,
    true: Floats,
    private: Floats,
    *,
    topic: str,
    epsilon: float,
    is_difference: bool = False,
    high: float | None = None,
    weights: Floats | None = None,
    marked_zone: int | None = None,
) -> Picture:
    """Return zones in colour; `topic` is shown, such as ``visits, Wednesday 18:00–19:00``.

    The second map shows the release, or by how much it differs. `high` ends the scale, by default
    the largest true count; names stand in the zones of the largest `weights`, by default `true`.
    """
    scale = Scale(float(true.max(initial=1.0)) if high is None else high)
    words = [
        f"{name}\ntrue: {number(t)}\nwith noise: {number(p)}\ndifference: {format_signed(p - t)}"
        for name, t, p in zip(shapes.names, true.tolist(), private.tolist(), strict=True)
    ]
    weights = true if weights is None else weights

    def side(title: str, paths: str) -> str:
        paths += mark_zone(shapes, marked_zone)
        return figure_html(shapes, title, f"{title}: {topic} by zone", paths, weights)

    def in_colours(values: Floats, kinds: Sequence[str] = ()) -> str:
        shades = format_colours(scale.colours(values))
        return zone_paths(shapes, shades, words, kinds)

    sides, key = side("True", in_colours(true)), ramp_html(scale, topic)
    if is_difference:
        difference = private - true
        strengths = _PALEST + (1 - _PALEST) * scale.positions(np.abs(difference))
        looks = [
            f'fill="{colours.MORE if is_more else "url(#less)"}" fill-opacity="{strength:.2f}"'
            for strength, is_more in zip(
                strengths.tolist(), (difference >= 0).tolist(), strict=True
            )
        ]
        rows = zip(shapes.zones, words, looks, strict=True)
        paths = hatching_html("less", colours.LESS)
        paths += "".join(_zone_path(path, text, look) for path, text, look in rows)
        ends = f"{scale.high:,.0f} or more too few", f"{scale.high:,.0f} or more too many"
        key += _bar_html(_DIFFERENCE_GRADIENT, *ends, "difference (square-root scale)")
        count = len(difference)
        key += swatch_html("more", f"too many, solid: {(difference > 0).sum()} of {count} zones")
        few = f"too few, striped: {(difference < 0).sum()} of {count} zones"
        key += swatch_html("striped", few, colours.LESS)
        return Picture(sides + side(f"Difference, ε = {epsilon:g}", paths), key)
    reads = private >= 0.5  # as a whole number
    wrong = {"phantom": (true == 0) & reads, "lost": (true > 0) & ~reads}
    kinds = np.select(list(wrong.values()), list(wrong), "").tolist()
    sides += side(f"With noise, ε = {epsilon:g}", in_colours(private, kinds))
    meanings = {"phantom": "phantom, nobody was there", "lost": "lost, shown as 0"}
    for kind, zones in wrong.items():
        key += swatch_html(kind, f"{meanings[kind]}: {zones.sum()} of {len(zones)} zones")
    return Picture(sides, key)


def mark_zone(shapes: Shapes, zone: int | None) -> str:
    """Return the edge of the zone that is looked at; nothing where none is."""
    return "" if zone is None else f'<path class="here" d="{shapes.zones[zone]}"/>'


def zone_paths(
    shapes: Shapes, fills: Sequence[str], words: Sequence[str], kinds: Sequence[str] = ()
) -> str:
    """Return zones in colours with what is said of each, and an edge where `kinds` names one."""
    rows = zip(shapes.zones, words, fills, strict=True)
    return "".join(_zone_path(path, text, f'fill="{fill}"') for path, text, fill in rows) + "".join(
        f'<path class="flow mark {kind}" style="--c:{KINDS[kind]}" d="{path}"/>'
        for kind, path in zip(kinds, shapes.zones, strict=False)
        if kind in KINDS
    )


def _zone_path(path: str, words: str, look: str) -> str:
    return f'<path class="zone" {look} d="{path}"{pointed_html(words)}/>'


def pointed_html(words: str, *zones: int) -> str:
    """Return what a part carries to be said while it is pointed at, and the zones of a flow."""
    ends = f' data-zones="{" ".join(map(str, zones))}"' if zones else ""
    return f' data-words="{html.escape(words)}"{ends}'


def ground_html(shapes: Shapes) -> str:
    """Return the zones under flows; their names are those of the picture."""
    return "".join(f'<path class="ground" d="{path}"/>' for path in shapes.zones)


def hatching_html(name: str, colour: str) -> str:
    """Return the pattern of stripes that `fill: url(#name)` draws."""
    return (
        f'<pattern id="{name}" width="14" height="14" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><path d="M0 0V14" stroke="{colour}" stroke-width="9"/>'
        "</pattern>"
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
    is_difference: bool = False,
    say: Callable[[str], str] = str,
) -> Picture:
    """Return the largest flows of each side as arrows, those that are wrong marked on the second.

    The second map shows the release, or the largest differences. Where flows are `estimated`, one
    that is not shown is too uncertain; else it reads 0.
    """
    scale = Scale(float(true.max(initial=1)))

    def describe(o: int, d: int) -> str:
        text = words.get((o, d), "")
        route = f"{shapes.names[o]} → {shapes.names[d]}"
        return describe_flow(route, true[o, d], private[o, d], text, estimated=estimated)

    def flow_paths(pairs: tuple[Integers, Integers], values: Floats, kinds: Sequence[str]) -> str:
        shades = format_colours(scale.colours(values))
        outlines = arrow_paths(shapes, pairs, scale.widths(values))
        return "".join(
            f'<path class="flow {kind}" style="--c:{KINDS.get(kind, shade)}" d="{outline}"'
            f"{pointed_html(describe(o, d), o, d)}/>"
            for outline, shade, kind, o, d in zip(
                outlines, shades, kinds, *(zones.tolist() for zones in pairs), strict=True
            )
        )

    busy, top = largest_flows(true, MAX_FLOWS), largest_flows(private, MAX_FLOWS)
    ground = ground_html(shapes)
    which = "all" if true.size - len(true) <= MAX_FLOWS else f"the {MAX_FLOWS} largest"
    topic = say(f"trips{when}, {which} flows")
    weights = (true.sum(axis=0) + true.sum(axis=1)).astype(float)

    def side(title: str, topic: str, paths: str) -> str:
        return figure_html(shapes, title, f"{title}: {topic}", ground + paths, weights)

    sides = side(
        "True", topic, flow_paths(busy, true[busy].astype(float), ["shown"] * len(busy[0]))
    )
    key = ramp_html(scale, topic)
    if is_difference:
        difference = flow_differences(true, private, estimated=estimated)
        pairs = largest_flows(np.abs(difference), MAX_FLOWS)
        kinds = np.where(difference[pairs] > 0, "more", "less").tolist()
        title, topic = f"Difference, ε = {epsilon:g}", "the largest differences of flows"
        sides += side(title, topic, flow_paths(pairs, np.abs(difference[pairs]), kinds))
        sizes = np.abs(difference[pairs])
        key += say(difference_key_html(true, private, kinds, sizes, estimated=estimated))
        return Picture(sides, key, shapes.names)
    gone = (true[busy] >= floor) & (private[busy] == 0)
    lost = busy[0][gone], busy[1][gone]
    phantom = true[top] == 0
    inflated = ~phantom & (private[top] > 2 * true[top])
    kinds = np.where(phantom, "phantom", np.where(inflated, "inflated", "shown")).tolist()
    paths = flow_paths(lost, true[lost].astype(float), ["lost"] * len(lost[0]))
    paths += flow_paths(top, private[top].astype(float), kinds)
    sides += side(f"With noise, ε = {epsilon:g}", topic, paths)
    lost_count = f"{gone.sum()} of the {len(gone)} largest true"
    count = f"of {len(phantom)}"
    marks = {
        "phantom": f"phantom, nobody travelled: {phantom.sum()} {count} drawn",
        "inflated": f"more than twice the true count: {inflated.sum()} {count}",
        "lost": describe_lost(true, floor, lost_count, estimated=estimated),
    }
    key += "".join(swatch_html(kind, say(text)) for kind, text in marks.items())
    return Picture(
        sides, f'{key}<span class="hint">Point at a flow for its numbers.</span>', shapes.names
    )


def describe_flow(route: str, true: int, private: float, text: str = "", *, estimated: bool) -> str:
    """Return what is said of a flow that is pointed at; `text` is how the release reads."""
    if estimated and not private:
        return f"{route}\ntrue: {true:,}\nwith noise: {UNCERTAIN}"
    difference = format_signed(float(private - true))
    reads = text or f"{private:,.0f}"
    return f"{route}\ntrue: {true:,}\nwith noise: {reads}\ndifference: {difference}"


def difference_key_html(
    true: Integers,
    private: Integers | Floats,
    kinds: Sequence[str],
    sizes: Floats,
    *,
    estimated: bool,
) -> str:
    """Return the key of the flows that differ most: `kinds` and `sizes` of what is drawn."""
    key = ""
    for kind, text in (("more", "too many trips, solid"), ("less", "too few, hollow")):
        key += swatch_html(kind, f"{text}: {kinds.count(kind)} of {len(kinds)}")
    if len(sizes):
        span = f"{number(sizes.min())} to {number(sizes.max())} trips"
        key += f"<span>the {len(kinds)} largest differences, {span}, as wide as such flows</span>"
    if estimated:
        hidden = np.count_nonzero((true > 0) & (private == 0))
        key += f"<span>left out: {hidden:,} true flows {UNCERTAIN}</span>"
    return key


def flow_differences(true: Integers, private: Integers | Floats, *, estimated: bool) -> Floats:
    """Return by how much flows differ from the truth, 0 where one is too uncertain to draw.

    >>> flow_differences(np.array([5, 5]), np.array([0, 7]), estimated=True).tolist()
    [0.0, 2.0]
    """
    difference = np.asarray(private, dtype=float) - true
    return np.where((private == 0) & estimated, 0.0, difference)


def describe_lost(true: Integers, floor: int, count: str, *, estimated: bool = False) -> str:
    """Return how many true flows of at least `floor` trips are not shown, if one is so large.

    >>> true = np.array([[0, 20], [3, 0]])
    >>> describe_lost(true, 15, "1 of the 2 largest true")
    'lost, 15+ trips but not shown: 1 of the 2 largest true'
    >>> describe_lost(true, 21, "0 of the 2 largest true")
    'no true flow has 21+ trips, so none is lost'
    """
    size = f"{floor}+ trips" if floor > 1 else "a trip"
    if not (true >= floor).any():
        return f"no true flow has {size}, so none is lost"
    fate = f"{size}, {UNCERTAIN}" if estimated else f"lost, {size} but not shown"
    return f"{fate}: {count}"


def figure_html(
    shapes: Shapes, title: str, alt: str, inside: str, weights: Floats | None = None
) -> str:
    """Return one side of a picture with its title, and the names of the heaviest places."""
    is_left, labels = shapes.is_bar_left, label_places(shapes, weights)
    borders = f'<path class="parent" d="{shapes.borders}"/>' if shapes.borders else ""
    return map_html(shapes.frame, title, alt, inside + borders, labels, is_bar_left=is_left)


def label_places(shapes: Shapes, weights: Floats | None) -> list[tuple[str, float, float]]:
    """Return the names of the heaviest places with where they stand on a map, in units.

    Without `weights` the largest areas are named: true counts choose where people explore only.
    """
    sums = np.zeros(len(shapes.label_names))
    np.add.at(sums, shapes.label_of_zone, shapes.areas if weights is None else weights)
    names, points, is_left = shapes.label_names, shapes.label_points, shapes.is_bar_left
    return place_labels(shapes.frame, names, points, sums, is_bar_left=is_left)


def swatch_html(kind: str, text: str, colour: str = "") -> str:
    """Return the look and the meaning of a kind of mark, for the key of a picture."""
    colour = colour or KINDS[kind]
    return (
        f'<span><svg viewBox="0 0 52 20" aria-hidden="true"><path class="flow {kind}" '
        f'fill="{colour}" style="--c:{colour}" d="M2 5H50V15H2Z"/></svg> {html.escape(text)}</span>'
    )


def ramp_html(scale: Scale, topic: str, low: str = "0", high: str = "") -> str:
    """Return the colours of a scale between its ends in words, and what they show, for a key."""
    root = "" if scale.kind == "linear" else " (square-root scale)"
    return _bar_html(scale.gradient(), low, high or f"{scale.high:,.0f} or more", f"{topic}{root}")


def _bar_html(gradient: str, low: str, high: str, topic: str) -> str:
    bar = f'<i class="bar" style="background:linear-gradient(90deg, {gradient})"></i>'
    return f"<span>{low} {bar} {high}: {html.escape(topic)}</span>"


def polygon(zone: Any) -> str:
    """Return the rings of a polygon or several as one path of whole units."""
    rings = shapely.get_rings(shapely.get_parts(zone))
    return "".join(_path(shapely.get_coordinates(ring)[:-1]) for ring in rings)


def arrow_paths(shapes: Shapes, pairs: tuple[Integers, Integers], widths: Floats) -> list[str]:
    """Return flows between zones as one path each, as wide as so many pixels."""
    start, end = (shapes.centres[zones] for zones in pairs)
    return [_path(outline) for outline in arrows(start, end, widths, unit=_UNITS_A_PIXEL)]


def _path(outline: Floats) -> str:
    return "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in outline) + "Z"


def format_colours(colours: Integers) -> list[str]:
    """Return colours, shape (n, 4), as styles take them."""
    return [
        f"#{red:02x}{green:02x}{blue:02x}" + ("" if opacity > 230 else f"{opacity:02x}")
        for red, green, blue, opacity in colours.tolist()
    ]


def format_signed(value: float) -> str:
    return ("−" if value < 0 else "+") + number(abs(value))
