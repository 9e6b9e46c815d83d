"""Origin–destination page: arrows of the largest flows, true, private, or phantom and lost."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import streamlit as st

from engine.arrays import Booleans, Integers, Numbers
from engine.contract import Seen
from engine.resolution import flows_between
from pages._ui.cache import (
    datasets as cached_datasets,
    pictures as cached_pictures,
    trips as cached_trips,
)
from pages._ui.cache.trips import Drawn
from pages._ui.drawing import groups as drawn_groups, maps, marks, tables
from pages._ui.drawing.tables import Column
from pages._ui.shell import setting
from pages._ui.shell.session import map_size, state
from pages._ui.trips import look as trips_look
from pages._ui.views.context import Flows
from pages._ui.wording.numbers import RANGE, between

TRUE, PRIVATE, WRONG = "True", "Private", "Phantom and lost"
AUTOMATIC, ZONES, GROUPS = "Automatic", "Zones", "Groups"
HEIGHT = 520
_SHOWS = (TRUE, PRIVATE, WRONG)
_SCOPES = ("All zones", "Leaving a zone", "Arriving in a zone", "Leaving or arriving")
_SCOPE = setting.choice("od_flows_scope", _SCOPES, _SCOPES[0])
_DETAIL = setting.choice("od_flows_detail", (AUTOMATIC, ZONES, GROUPS), AUTOMATIC)
_ZONE = "od_flows_zone"
_BANDS = (
    "A reading such as 42 (95%: 31–55; 12–72 for all flows at once) gives the estimate, as likely "
    "too high as too low, and two ranges of the trips kept by trimming that hold whatever the "
    "model: the first for a flow you had in mind before you looked, in at least 95 of 100 "
    "releases; the second for all flows together in 95 of 100, so also for flows that are shown "
    "because they came out large. Sums add up what is expected of every flow."
)


class Chosen(NamedTuple):
    """What the controls of the map say."""

    shown: str
    inside: Booleans
    most: int
    marked: int | None
    group_level: int | None
    take_zone: Callable[[str], None]
    turn: int


def draw(context: Flows) -> None:
    """Draw the switch, the scope, one large map on a scale that no setting moves, and a list."""
    true, drawn = context.truth, cached_trips.drawn(*context.asked)
    chosen = _controls(context.key, true)
    if chosen.group_level is not None:
        _between_groups(context, drawn, chosen)
        return
    shown, inside = chosen.shown, chosen.inside
    phantom, lost = inside & drawn.phantom, inside & drawn.lost
    mapped = {
        TRUE: np.where(inside, true, 0),
        PRIVATE: np.where(inside, drawn.shown, 0),
        WRONG: np.where(lost, true, np.where(phantom, drawn.shown, 0)),
    }[shown]
    pairs = origins, destinations = maps.largest_flows(mapped, chosen.most)
    values = mapped[pairs].astype(float)
    largest = float(max(true.max(initial=0), 1))
    scale = maps.Scale(0.0, largest)
    banded = not context.several and marks.has(context.release)
    colours = scale.colours(values)
    words = [trips_look.written(value) for value in drawn.shown[pairs]]
    if banded:
        words = marks.words(context.release, pairs)
        if shown == PRIVATE:
            colours = marks.colours(context.release, pairs, scale, values)
    if shown != TRUE:
        colours[phantom[pairs]] = trips_look.rgb(trips_look.PHANTOM)
        colours[lost[pairs]] = trips_look.rgb(trips_look.LOST)
    said = {
        "true": [trips_look.written(value) for value in true[pairs]],
        "private": words,
        "error": [trips_look.signed(value) for value in (drawn.shown - true)[pairs]],
    }
    if context.method.expected is not None and context.window and not context.several:
        ends = cached_pictures.flow_ends(context.key, context.parameters, context.window)(pairs)
        said[RANGE] = [between(*each) for each in zip(*ends, strict=True)]
    maps.flow_map(
        cached_datasets.outlines(context.key),
        origins,
        destinations,
        values,
        scale,
        key="od_flows",
        alt=f"Arrows of the {chosen.most} largest flows: {shown.lower()}",
        tooltip=said,
        colours=colours,
        wrong=(phantom | lost)[pairs] & (shown != TRUE),
        marked=chosen.marked,
        on_zone=chosen.take_zone,
        turn=chosen.turn,
        **map_size(trips_look.MAP_WIDTH, HEIGHT),
    )
    if shown != WRONG:
        scale.legend("trips of a flow", "0", f"{largest:,.0f} or more")
    if shown != TRUE:
        # only what is drawn: a flow that reads 0 has no arrow, unless other days show it
        wrong = ((trips_look.PHANTOM, phantom), (trips_look.LOST, lost))
        trips_look.key(*(each for each, where in wrong if where[pairs].any()), hollow=True)
        if context.several:
            st.caption(
                "Each day is a release of its own: a flow is marked where that happened to it on "
                "at least one day."
            )
    st.caption(_words(shown, phantom, lost, pairs, context.several))
    if banded:
        marks.key()
        rest = float(np.where(inside & (drawn.shown == 0), drawn.counts, 0).sum())
        st.caption(f"The flows that are not drawn hold about {rest:,.0f} trips. {_BANDS}")
    if not context.several:
        _list(context, true, (origins[::-1], destinations[::-1]))  # the largest first


def _controls(key: Seen, true: Integers) -> Chosen:
    """Draw what is shown, of which zones and how many flows."""
    # in a row where there is room, else wrapped: nothing is cut off in a small window
    first = second = third = fourth = fifth = st.container(
        horizontal=True, vertical_alignment="bottom", gap="medium"
    )
    shown = setting.draw(
        first.segmented_control, "Show", setting.choice("od_flows_show", _SHOWS, PRIVATE), _SHOWS
    )
    scope = setting.draw(
        second.selectbox,
        "Flows",
        _SCOPE,
        _SCOPES,
        help="Or click a zone on the map; click it again to see all.",
    )
    busy, off = true.sum(axis=0) + true.sum(axis=1), scope == _SCOPES[0]
    with third:
        zone = trips_look.zone_choice("Zone", key, busy, key=_ZONE, off=off)
    most = setting.draw(
        fourth.slider, "Largest flows", setting.whole_number("od_flows_most", 60, 10, 300), step=10
    )
    with fifth:
        group_level = _group_level(key, off=not off or shown == WRONG)
    ids = trips_look.zone_ids(key)

    def take_zone(clicked: str) -> None:
        """Keep the pickers in step with a click on the map (a callback)."""
        if not off and clicked == ids[zone]:
            setting.put(_SCOPE, _SCOPES[0])
            return
        if scope == _SCOPES[0]:
            setting.put(_SCOPE, _SCOPES[3])
        setting.put(trips_look.zone_setting(key, busy, _ZONE), clicked)

    inside = _scope(len(true), scope, zone)
    turn = _turn(f"groups {group_level}" if off else ids[zone])
    return Chosen(shown, inside, most, None if off else zone, group_level, take_zone, turn)


@dataclass
class Drawing:
    """Whose flows the map drew last, and how often that has changed."""

    of: str | None = None
    turn: int = 0


def _turn(of: str) -> int:
    """Return how often the map has drawn the flows of something else."""
    now = state(Drawing)
    if of != now.of:
        now.of, now.turn = of, now.turn + 1
    return now.turn


def _scope(zones: int, scope: str, zone: int) -> Booleans:
    inside = np.zeros((zones, zones), dtype=bool)
    if scope == _SCOPES[0]:
        inside[:] = True
    if scope in (_SCOPES[1], _SCOPES[3]):
        inside[zone, :] = True
    if scope in (_SCOPES[2], _SCOPES[3]):
        inside[:, zone] = True
    return inside


def _words(
    shown: str, phantom: Booleans, lost: Booleans, pairs: tuple[Integers, Integers], several: bool
) -> str:
    days = ", on one day or more" if several else ""
    counted = (
        f"In this draw {int(phantom.sum()):,} phantom flows and {int(lost.sum()):,} lost ones{days}"
    )
    if shown == TRUE:
        return "Look for the corridors that must survive; switch to Private to see which do."
    if shown == PRIVATE:
        count = int(phantom[pairs].sum())
        are = "is a phantom" if count == 1 else "are phantoms"
        return f"{counted}; {count} of the {len(pairs[0])} arrows drawn here {are}."
    return f"{counted}; the {len(pairs[0])} largest are drawn; an arrow's width shows its trips."


def _list(context: Flows, true: Integers, pairs: tuple[Integers, Integers]) -> None:
    """Draw the flows on the map as a table: true, by this method and by those with a law."""
    if not len(pairs[0]):
        return
    names = trips_look.zone_labels(context.key)
    columns = {
        "From": Column([names[zone] for zone in pairs[0]]),
        "To": Column([names[zone] for zone in pairs[1]]),
        "True (trips)": Column(true[pairs].tolist(), "{:,}".format),
    }
    for one in trips_look.beside(context):
        shown = one.release.as_shown[0][pairs].tolist()
        columns[f"{one.method.short} (trips)"] = Column(shown, trips_look.written)
    if marks.has(context.release):
        one_by_one, at_once = marks.ranges(context.release, pairs)
        columns[marks.ONE_BY_ONE] = Column(one_by_one)
        columns[marks.ALL_AT_ONCE] = Column(at_once)
        flows = zip(*(one.tolist() for one in pairs), strict=True)
        columns["Mark"] = Column([marks.mark(context.release, a, b) for a, b in flows])
    tables.draw(columns, key="od_flows_list")


def _group_level(key: Seen, *, off: bool) -> int | None:
    """Draw the switch where the dataset has groups, and return the level drawn; None for zones.

    Parameters
    ----------
    off : bool
        Whether only zones can be drawn.
    """
    if not cached_datasets.groups(key):
        return None
    wanted = setting.draw(
        st.segmented_control,
        "Arrows between",
        _DETAIL,
        (AUTOMATIC, ZONES, GROUPS),
        disabled=off,
        help="Automatic: groups of neighbouring zones, made from the map alone, where zones lie "
        f"closer than {drawn_groups.CLOSE_PX} pixels on the whole map. Flows of one zone, and "
        "phantom and lost ones, are always of zones.",
    )
    if off or wanted == ZONES:
        return None
    size = map_size(trips_look.MAP_WIDTH, HEIGHT)
    levels = (cached_datasets.outlines(key), *cached_datasets.group_outlines(key))
    spacings = [drawn_groups.spacing_px(one, **size) for one in levels]
    if wanted == GROUPS:
        return drawn_groups.level(spacings[1:])
    level = drawn_groups.level(spacings)
    return level - 1 if level else None


def _between_groups(context: Flows, drawn: Drawn, chosen: Chosen) -> None:
    """Draw the largest flows between groups of zones, where zones lie too close for arrows."""
    assert chosen.group_level is not None  # else there are arrows between zones
    group = cached_datasets.groups(context.key)[chosen.group_level]
    shown: Numbers = np.where(drawn.shown > 0, drawn.counts, 0)
    true, private = (flows_between(one, group.labels) for one in (context.truth, shown))
    matrix = true if chosen.shown == TRUE else private
    pairs = maps.largest_flows(matrix, chosen.most)
    values = matrix[pairs]
    largest = float(max(true.max(initial=0), 1))
    scale = maps.Scale(0.0, largest)
    colours = scale.colours(values)
    phantom = true[pairs] == 0
    colours[phantom] = trips_look.rgb(trips_look.PHANTOM)
    names = "true" if chosen.shown == TRUE else "private"
    maps.flow_map(
        cached_datasets.group_outlines(context.key)[chosen.group_level],
        *pairs,
        values,
        scale,
        key="od_flows",
        alt=f"Arrows of the {chosen.most} largest flows between groups of zones: {names}",
        tooltip={
            "true": [f"{value:,.0f}" for value in true[pairs]],
            "private, added up": [f"{value:,.0f}" for value in private[pairs]],
            "error": [trips_look.signed(value) for value in private[pairs] - true[pairs]],
        },
        colours=colours,
        wrong=phantom,
        on_zone=lambda _: setting.put(_DETAIL, ZONES),  # a click: the zones' own flows
        hint="Click: each zone's own flows",
        turn=chosen.turn,
        **map_size(trips_look.MAP_WIDTH, HEIGHT),
    )
    scale.legend("trips of a flow between groups", "0", f"{largest:,.0f} or more")
    if phantom.any():
        trips_look.key(trips_look.PHANTOM, hollow=True)
    banded = not context.several and marks.has(context.release)
    added_up = drawn_groups.OURS_ADDED_UP if banded else drawn_groups.ADDED_UP
    st.caption(f"{added_up} {len(group.zones)} groups of the {len(group.labels)} zones.")
