"""Origin–destination page: arrows of the largest flows, true, private, or phantom and lost."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import streamlit as st

from engine.arrays import Booleans, Integers, Numbers
from engine.contract import Setting
from engine.datasets import Dataset
from engine.resolution import flows_between, group_levels
from engine.resolution.groups import Groups
from pages._ui import cached, state
from pages._ui.drawing import groups as drawn_groups, maps, marks, tables
from pages._ui.drawing.tables import Column
from pages._ui.shell.session import map_size, state as kept
from pages._ui.trips import look as trips_look
from pages._ui.trips.drawn import Drawn, drawn as draw_of, released_between
from pages._ui.wording.numbers import RANGE, between

TRUE, PRIVATE, WRONG = "True", "Private", "Phantom and lost"
AUTOMATIC, ZONES, GROUPS = "Automatic", "Zones", "Groups"
HEIGHT = 520
_SHOWS = (TRUE, PRIVATE, WRONG)
_SCOPES = ("All zones", "Leaving a zone", "Arriving in a zone", "Leaving or arriving")
_SCOPE, _DETAIL, _ZONE = "od_flows_scope", "od_flows_detail", "od_flows_zone"
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


def draw(setting: Setting, day: int | None) -> None:
    """Draw the switch, the scope, one large map on a scale that no setting moves, and a list."""
    seed, several = state.seed_of(setting), day is None
    true, drawn = cached.truth(setting, day), draw_of(setting, seed, day)
    chosen = _controls(setting, true)
    if chosen.group_level is not None:
        _between_groups(setting, true, drawn, chosen)
        return
    release = cached.release(setting, seed, day=day or 0)
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
    banded = not several and marks.has(release)
    colours = scale.colours(values)
    words = [trips_look.written(value) for value in drawn.shown[pairs]]
    if banded:
        words = marks.words(release, pairs)
        if shown == PRIVATE:
            colours = marks.colours(release, pairs, scale, values)
    if shown != TRUE:
        colours[phantom[pairs]] = trips_look.rgb(trips_look.PHANTOM)
        colours[lost[pairs]] = trips_look.rgb(trips_look.LOST)
    said = {
        "true": [trips_look.written(value) for value in true[pairs]],
        "private": words,
        "error": [trips_look.signed(value) for value in (drawn.shown - true)[pairs]],
    }
    if day is not None and cached.method_of(setting).expected is not None:
        ends = (end[pairs] for end in released_between(setting, day))
        said[RANGE] = [between(*each) for each in zip(*ends, strict=True)]
    maps.flow_map(
        cached.of(maps.outlines, cached.view(setting)),
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
        if several:
            st.caption(
                "Each day is a release of its own: a flow is marked where that happened to it on "
                "at least one day."
            )
    st.caption(_words(shown, phantom, lost, pairs, several))
    if banded:
        marks.key()
        rest = float(np.where(inside & (drawn.shown == 0), drawn.counts, 0).sum())
        st.caption(f"The flows that are not drawn hold about {rest:,.0f} trips. {_BANDS}")
    if day is not None:
        _list(setting, day, true, (origins[::-1], destinations[::-1]))  # the largest first


def _controls(setting: Setting, true: Integers) -> Chosen:
    """Draw what is shown, of which zones and how many flows."""
    # in a row where there is room, else wrapped: nothing is cut off in a small window
    first = second = third = fourth = fifth = st.container(
        horizontal=True, vertical_alignment="bottom", gap="medium"
    )
    shown = first.segmented_control(
        "Show", _SHOWS, default=PRIVATE, required=True, key="od_flows_show", **state.KEPT
    )
    scope = second.selectbox(
        "Flows",
        _SCOPES,
        key=_SCOPE,
        help="Or click a zone on the map; click it again to see all.",
        **state.KEPT,
    )
    busy, off = true.sum(axis=0) + true.sum(axis=1), scope == _SCOPES[0]
    with third:
        zone = trips_look.zone_choice("Zone", setting, busy, key=_ZONE, off=off)
    most = fourth.slider(
        "Largest flows", 10, 300, value=60, step=10, key="od_flows_most", **state.KEPT
    )
    with fifth:
        group_level = _group_level(setting, off=not off or shown == WRONG)
    ids = list(trips_look.zone_names(setting))

    def take_zone(clicked: str) -> None:
        """Keep the pickers in step with a click on the map (a callback)."""
        if not off and clicked == ids[zone]:
            st.session_state[_SCOPE] = _SCOPES[0]
            return
        if scope == _SCOPES[0]:
            st.session_state[_SCOPE] = _SCOPES[3]
        st.session_state[_ZONE] = clicked

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
    now = kept(Drawing)
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


def _list(setting: Setting, day: int, true: Integers, pairs: tuple[Integers, Integers]) -> None:
    """Draw the flows on the map as a table: true, by this method and by those with a law."""
    if not len(pairs[0]):
        return
    names, seed = trips_look.zone_labels(setting), state.seed_of(setting)
    columns = {
        "From": Column([names[zone] for zone in pairs[0]]),
        "To": Column([names[zone] for zone in pairs[1]]),
        "True (trips)": Column(true[pairs].tolist(), "{:,}".format),
    }
    for one in trips_look.beside(setting):
        shown = cached.release(one, seed, day=day).as_shown[0][pairs].tolist()
        columns[f"{cached.method_of(one).short} (trips)"] = Column(shown, trips_look.written)
    release = cached.release(setting, seed, day=day)
    if marks.has(release):
        one_by_one, at_once = marks.ranges(release, pairs)
        columns[marks.ONE_BY_ONE] = Column(one_by_one)
        columns[marks.ALL_AT_ONCE] = Column(at_once)
        flows = zip(*(one.tolist() for one in pairs), strict=True)
        columns["Mark"] = Column([marks.mark(release, a, b) for a, b in flows])
    tables.draw(columns, key="od_flows_list")


def groups(setting: Setting) -> tuple[Groups, ...]:
    """Return groups of neighbouring zones for maps seen from far away, finest first."""
    return cached.of(_groups, cached.view(setting))


def _groups(dataset: Dataset) -> tuple[Groups, ...]:
    return group_levels(dataset.zones)


def _group_outlines(dataset: Dataset) -> tuple[maps.Outlines, ...]:
    return tuple(maps.outlines_of(one.zones) for one in _groups(dataset))


def _group_level(setting: Setting, *, off: bool) -> int | None:
    """Draw the switch where the dataset has groups, and return the level drawn; None for zones."""
    if not groups(setting):
        return None
    wanted = st.segmented_control(
        "Arrows between",
        (AUTOMATIC, ZONES, GROUPS),
        default=AUTOMATIC,
        required=True,
        key=_DETAIL,
        disabled=off,
        help="Automatic: groups of neighbouring zones, made from the map alone, where zones lie "
        f"closer than {drawn_groups.CLOSE_PX} pixels on the whole map. Flows of one zone, and "
        "phantom and lost ones, are always of zones.",
        **state.KEPT,
    )
    if off or wanted == ZONES:
        return None
    size = map_size(trips_look.MAP_WIDTH, HEIGHT)
    at = cached.view(setting)
    levels = (cached.of(maps.outlines, at), *cached.of(_group_outlines, at))
    spacings = [drawn_groups.spacing_px(one, **size) for one in levels]
    if wanted == GROUPS:
        return drawn_groups.level(spacings[1:])
    level = drawn_groups.level(spacings)
    return level - 1 if level else None


def _between_groups(setting: Setting, truth: Integers, drawn: Drawn, chosen: Chosen) -> None:
    """Draw the largest flows between groups of zones, where zones lie too close for arrows."""
    assert chosen.group_level is not None  # else there are arrows between zones
    group = groups(setting)[chosen.group_level]
    shown: Numbers = np.where(drawn.shown > 0, drawn.counts, 0)
    true, private = (flows_between(one, group.labels) for one in (truth, shown))
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
        cached.of(_group_outlines, cached.view(setting))[chosen.group_level],
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
        on_zone=_zones,
        hint="Click: each zone's own flows",
        turn=chosen.turn,
        **map_size(trips_look.MAP_WIDTH, HEIGHT),
    )
    scale.legend("trips of a flow between groups", "0", f"{largest:,.0f} or more")
    if phantom.any():
        trips_look.key(trips_look.PHANTOM, hollow=True)
    ours = cached.method_of(setting).ours
    added_up = drawn_groups.OURS_ADDED_UP if ours else drawn_groups.ADDED_UP
    st.caption(f"{added_up} {len(group.zones)} groups of the {len(group.labels)} zones.")


def _zones(_: str) -> None:
    """Draw the zones' own flows (a callback)."""
    st.session_state[_DETAIL] = ZONES
