"""One large picture of home: true beside private on one scale, drawn and zoomed in the browser."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.arrays import Floats, Integers
from engine.resolution import flows_between
from pages._ui.drawing import colours, groups as groups_said
from pages._ui.drawing.arrows import arrows
from pages._ui.drawing.maps import Scale, largest_flows
from pages._ui.drawing.svg import sketches
from pages._ui.wording.numbers import RANGE, between, number

LARGEST = 120
"""Flows that each side draws."""
_UNITS_A_PIXEL = 2.4
_THIN, _THICK = 0.8, 5.0

Ends = Callable[[Any], tuple[Floats, Floats]]
"""The least and the most that 90% of draws show, at the places asked for; ``...`` for all."""

Picture = dict[str, Any]
"""What the browser draws: plain texts and numbers, made once and kept."""

_WIDER = f"{RANGE} span more than the true number"

WIDE_PX = 306
"""The least width of a map, in pixels, where true and private stand side by side (`stage.js`)."""


@dataclass(frozen=True, eq=False)
class Group:
    """Zones joined to groups, ready to draw where the zones lie too close.

    Attributes
    ----------
    drawn : Shapes
    labels : int array, shape (zones,)
        Group of every zone.
    """

    drawn: sketches.Shapes
    labels: Integers


def zone_picture(
    drawn: sketches.Shapes,
    true: Floats,
    private: Floats,
    *,
    what: str,
    epsilon: float,
    ends: Ends | None = None,
    wide: bool = False,
) -> Picture:
    """Return zones in colour.

    Parameters
    ----------
    drawn : Shapes
    true, private : arrays, shape (zones,)
    what : str
        What the colour shows, such as ``visits, Wednesday 18:00–19:00``.
    epsilon : float
        For the title.
    ends : Ends, optional
        To be said of each zone.
    wide : bool
        Whether the private side shows how far the ends are apart.
    """
    scale = Scale(0.0, float(true.max(initial=1.0)))
    picture = _picture(drawn, what, scale, epsilon, wide=wide)
    words = [
        f"{name}\ntrue: {number(t)}\nprivate: {number(p)}\nerror: {_signed(p - t)}{_range(ends, i)}"
        for i, (name, t, p) in enumerate(
            zip(drawn.names, true.tolist(), private.tolist(), strict=True)
        )
    ]
    if wide and ends is not None:
        low, high = ends(...)
        private = high - low
        unsure, some = int((private > true)[true > 0].sum()), int((true > 0).sum())
        picture["marks"] = [[colours.INFLATED, f"{_WIDER}: {unsure} of {some} zones", "needless"]]
        picture["private"]["over"] = np.where((private > true) & (true > 0), "unsure", "").tolist()
    for side, values in (("true", true), ("private", private)):
        fills = [_hex(colour) for colour in scale.colours(values).tolist()]
        picture[side] |= {
            "fills": fills,
            "words": words,
            "alt": f"Map of {side} {what.split(',')[0]} by zone",
        }
    return picture


def flow_picture(
    drawn: sketches.Shapes,
    true: Integers,
    private: Integers | Floats,
    *,
    least: int,
    epsilon: float,
    words: Mapping[tuple[int, int], str] = MappingProxyType({}),
    zone: int | None = None,
    names: str = "",
    ends: Ends | None = None,
    wide: bool = False,
) -> Picture:
    """Return the largest flows of each side as arrows over grey zones.

    A phantom is shown where nobody travelled, an inflated flow reads more than twice the truth; a
    lost one is among the largest true flows, should be shown and reads 0.

    Parameters
    ----------
    drawn : Shapes
    true, private : arrays, shape (zones, zones)
    least : int
        Flows of so many trips should be shown, max(τ, 1).
    epsilon : float
        For the title.
    words : mapping, optional
        How private flows read, by origin and destination, where that is more than a number.
    zone : int, optional
        Draw the flows from and to this zone only; the scale stays.
    names : str, optional
        What the ends of the flows are, where they are no zones.
    ends, wide
        As of `zone_picture`.
    """
    scale = Scale(0.0, float(true.max(initial=1)))
    between = f" between {names}" if names else ""
    what = f"trips, the {LARGEST} largest flows{between}"
    if zone is not None:
        what = f"trips from and to {drawn.names[zone]}"
        inside = np.zeros(true.shape, dtype=bool)
        inside[zone, :] = inside[:, zone] = True
        true, private = np.where(inside, true, 0), np.where(inside, private, 0)
    picture = _picture(drawn, what, scale, epsilon, wide=wide)
    picture |= {"marked": zone, "spacing": round(groups_said.spacing(drawn.centres), 1)}
    label = "private, added up" if names else "private"

    def said(o: int, d: int) -> str:
        t, p = true[o, d], private[o, d]
        reads = words.get((o, d), f"{p:,.0f}")
        return (
            f"{drawn.names[o]} → {drawn.names[d]}\ntrue: {t:,}\n{label}: {reads}\n"
            f"error: {_signed(float(p - t))}{_range(ends, (o, d))}"
        )

    def side(
        pairs: tuple[Integers, Integers], values: Floats, kinds: Sequence[str]
    ) -> list[list[str]]:
        """Return path, colour, kind and words of each flow."""
        shades = [_hex(colour) for colour in scale.colours(values).tolist()]
        marked = {"phantom": colours.PHANTOM, "inflated": colours.INFLATED, "lost": colours.LOST}
        return [
            [path, marked.get(kind, shade), kind, said(int(o), int(d))]
            for path, shade, kind, o, d in zip(
                _paths(drawn, pairs, scale.positions(values)), shades, kinds, *pairs, strict=True
            )
        ]

    busy = largest_flows(true, LARGEST)
    shown = largest_flows(np.asarray(private), LARGEST)
    gone = (true[busy] >= least) & (private[busy] == 0)
    lost = (busy[0][gone], busy[1][gone])
    phantom = true[shown] == 0
    inflated = ~phantom & (private[shown] > 2 * true[shown])
    truly = side(busy, true[busy].astype(float), ["shown"] * len(busy[0]))
    kinds = np.select([phantom, inflated], ["phantom", "inflated"], "shown").tolist()
    drawn_as = private[shown].astype(float)
    if wide and ends is not None:
        low, high = ends(shown)
        drawn_as = high - low
        unsure = drawn_as > true[shown]
        kinds = np.where(unsure, "inflated", "shown").tolist()
    privately = [
        *([] if wide else side(lost, true[lost].astype(float), ["lost"] * len(lost[0]))),
        *side(shown, drawn_as, kinds),
    ]
    picture["true"] |= {"flows": truly, "alt": f"Map of the {LARGEST} largest true flows{between}"}
    picture["private"] |= {
        "flows": privately,
        "alt": f"Map of the {LARGEST} largest private flows{between}",
    }
    arrows_drawn = f"of {len(phantom)}"
    reads_0 = f"lost, {least}+ trips but reads 0" if least > 1 else "lost, reads 0"
    if wide:
        unsure = f"{_WIDER}: {kinds.count('inflated')} {arrows_drawn}"
        picture["marks"] = [[colours.INFLATED, unsure, "inflated"]]
        return picture
    picture["marks"] = [
        [colours.PHANTOM, f"phantom, nobody travelled: {phantom.sum()} {arrows_drawn}", "phantom"],
        [colours.INFLATED, f"over twice the truth: {inflated.sum()} {arrows_drawn}", "inflated"],
        [colours.LOST, f"{reads_0}: {gone.sum()} of the {len(gone)} largest true", "lost"],
    ]
    return picture


def grouped(
    picture: Picture,
    true: Integers,
    private: Integers | Floats,
    groups: Sequence[Group],
    *,
    least: int,
    epsilon: float,
    note: str = groups_said.ADDED_UP,
) -> Picture:
    """Return a picture of flows with those between groups of zones, for where the zones lie close.

    Parameters
    ----------
    picture : Picture
        From `flow_picture`, of all zones.
    true, private : arrays, shape (zones, zones)
        What is added up; a flow between groups is judged by the sums.
    groups : sequence of Group
        Finest first: what is drawn where the zones lie closer than `groups.CLOSE_PX`.
    least, epsilon : int, float
        As of `flow_picture`.
    note : str
        What the sums between groups are.
    """
    if not groups:
        return picture
    coarser = [
        flow_picture(
            one.drawn,
            flows_between(true, one.labels).astype(np.int64),
            flows_between(private, one.labels),
            least=least,
            epsilon=epsilon,
            names="groups of zones",
        )
        | {"note": note}
        for one in groups
    ]
    return picture | {"note": groups_said.OWN, "close": groups_said.CLOSE_PX, "coarser": coarser}


def for_screen(picture: Picture, *, narrow: bool) -> Picture:
    """Return the picture without groups of zones where no wide screen would show them.

    They double what is sent at every move, and a browser then shows some moves half a second late.
    """
    if narrow or "coarser" not in picture:
        return picture
    width = float(picture["viewBox"].split()[2])
    if picture["spacing"] * WIDE_PX / width < groups_said.CLOSE_PX:
        return picture
    return {
        name: part for name, part in picture.items() if name not in ("coarser", "note", "close")
    }


def beside(published: Picture, ours: Picture, *, epsilon: float) -> Picture:
    """Return the private sides of two pictures of one truth as one, both on the true scale.

    Parameters
    ----------
    epsilon : float
        For the titles.
    """
    if "coarser" in published:
        coarser = [
            beside(one, other, epsilon=epsilon) | {"note": f"{one['note']} {other['note']}"}
            for one, other in zip(published["coarser"], ours["coarser"], strict=True)
        ]
        published = {**published, "coarser": coarser}
    sides = {"Published": published, "Ours": ours}
    left, right = (
        {
            **one["private"],
            "title": f"{name}, ε = {epsilon:g}",
            "alt": f"{one['private']['alt']}, {name.lower()}",
        }
        for name, one in sides.items()
    )
    both = {**published, "true": left, "private": right}
    if "marks" in published:
        both["marks"] = [
            [colour, f"{words} published, {others.rpartition(': ')[2]} ours", kind]
            for (colour, words, kind), (_, others, _) in zip(
                published["marks"], ours["marks"], strict=True
            )
        ]
    return both


def draw(
    picture: Picture, *, key: str, around: int, presenting: bool = False, clickable: bool = False
) -> int | None:
    """Draw a picture.

    Parameters
    ----------
    picture : Picture
        From `zone_picture` or `flow_picture`.
    around : int
        Pixels of the window's height that stand around it on the first screen.
    presenting : bool
        Whether the arrow keys move ε wherever the focus is.
    clickable : bool
        Whether zones can be chosen by a click.

    Returns
    -------
    int or None
        Number of the zone that has just been clicked.
    """
    asks: dict[str, Any] = {"on_zone_change": lambda: None} if clickable else {}
    result = sketches.component("stage", "stage", "stage")(
        key=key,
        data={**picture, "around": around, "presenting": presenting, "clickable": clickable},
        **asks,
    )
    return result.get("zone") if clickable else None


def _range(ends: Ends | None, at: Any) -> str:
    if ends is None:
        return ""
    return f"\n{RANGE}: {between(*map(float, ends(at)))}"


def _picture(
    drawn: sketches.Shapes, what: str, scale: Scale, epsilon: float, *, wide: bool = False
) -> Picture:
    title = "Width of the range" if wide else "Private"
    return {
        "viewBox": drawn.view_box,
        "zones": drawn.zones,
        "names": drawn.names,
        "true": {"title": "True"},
        "private": {"title": f"{title}, ε = {epsilon:g}"},
        "scale": {
            "what": f"{what} (square-root scale)",
            "high": f"{scale.high:,.0f}",
            "gradient": f"linear-gradient(90deg, {scale.gradient()})",
        },
    }


def _paths(
    drawn: sketches.Shapes, pairs: tuple[Integers, Integers], positions: Floats
) -> list[str]:
    start, end = drawn.centres[pairs[0]], drawn.centres[pairs[1]]
    widths = _THIN + (_THICK - _THIN) * positions
    return [
        sketches.path_of(outline) for outline in arrows(start, end, widths, unit=_UNITS_A_PIXEL)
    ]


def _hex(colour: Sequence[int]) -> str:
    red, green, blue, opacity = colour
    return f"#{red:02x}{green:02x}{blue:02x}" + ("" if opacity > 230 else f"{opacity:02x}")


def _signed(value: float) -> str:
    return ("−" if value < 0 else "+") + number(abs(value))
