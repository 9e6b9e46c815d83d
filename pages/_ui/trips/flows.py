"""Origin–destination page: arrows of the largest flows, true, private, or phantom and lost."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from engine.arrays import Integers
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache.trips import Drawn
from pages._ui.drawing import maps
from pages._ui.drawing.groups import ADDED_UP
from pages._ui.shell import setting
from pages._ui.shell.session import map_size, session
from pages._ui.trips import groups as trips_groups
from pages._ui.trips import look as trips_look

TRUE, PRIVATE, WRONG = "True", "Private", "Phantom and lost"
_SCOPES = ("All zones", "Leaving a zone", "Arriving in a zone", "Leaving or arriving")
_SCOPE = setting.choice("od_flows_scope", _SCOPES, _SCOPES[0])
_ZONE = "od_flows_zone"


class Chosen(NamedTuple):
    """What the controls of a map of flows say."""

    shown: str
    inside: NDArray[np.bool_]
    most: int
    marked: int | None
    group_level: int | None
    take_zone: Callable[[str], None]
    turn: int


def controls(key: str, true: Integers, shows: Sequence[str]) -> Chosen:
    """Draw what is shown, of which zones and how many flows; the same for every method."""
    # in a row where there is room, else wrapped: nothing is cut off in a small window
    first = second = third = fourth = fifth = st.container(
        horizontal=True, vertical_alignment="bottom", gap="medium"
    )
    shown = setting.draw(
        first.segmented_control,
        "Show",
        setting.choice("od_flows_show", [TRUE, PRIVATE, WRONG], PRIVATE),
        shows,
        required=True,
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
        fourth.slider,
        "Largest flows",
        setting.whole_number("od_flows_most", 60, 10, 300),
        min_value=10,
        max_value=300,
        step=10,
    )
    with fifth:
        group_level = trips_groups.choose(key, off=not off or shown == WRONG)
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


def _turn(of: str) -> int:
    """Return how often the map has drawn the flows of something else."""
    now = session()
    if of != now.flows_of:
        now.flows_of, now.flows_turn = of, now.flows_turn + 1
    return now.flows_turn


def draw(key: str, true: Integers, release: Drawn, several: bool) -> None:
    """Draw the switch, the scope and one large map on a scale that no setting moves."""
    chosen = controls(key, true, [TRUE, PRIVATE, WRONG])
    shown, inside, most = chosen.shown, chosen.inside, chosen.most
    if chosen.group_level is not None:
        trips_groups.draw(
            key,
            chosen.group_level,
            true,
            release.counts,
            shown_true=shown == TRUE,
            most=most,
            map_key="od_flows",
            turn=chosen.turn,
            added_up=ADDED_UP,
        )
        return
    largest = float(max(true.max(initial=0), 1))
    scale = maps.Scale(0.0, largest)
    true, private = np.where(inside, true, 0), np.where(inside, release.counts, 0)
    phantom, lost = inside & release.phantom, inside & release.lost
    if shown == WRONG:
        marked = np.where(lost, true, np.where(phantom, private, 0))
        origins, destinations = maps.largest_flows(marked, most)
        values = marked[origins, destinations]
    else:
        matrix = true if shown == TRUE else private
        origins, destinations = maps.largest_flows(matrix, most)
        values = matrix[origins, destinations]
    pairs = (origins, destinations)
    colours = scale.colours(values.astype(float))
    wrong = (phantom | lost)[pairs] & (shown != TRUE)
    if shown != TRUE:
        colours[phantom[pairs]] = trips_look.rgb(trips_look.PHANTOM)
        colours[lost[pairs]] = trips_look.rgb(trips_look.LOST)
    maps.flow_map(
        cached_datasets.outlines(key),
        origins,
        destinations,
        values.astype(float),
        scale,
        key="od_flows",
        alt=f"Arrows of the {most} largest flows: {shown.lower()}",
        tooltip={
            "true": [f"{value:,}" for value in true[pairs]],
            "private": [f"{value:,}" for value in private[pairs]],
            "error": [trips_look.signed(int(value)) for value in private[pairs] - true[pairs]],
        },
        colours=colours,
        wrong=wrong,
        marked=chosen.marked,
        on_zone=chosen.take_zone,
        turn=chosen.turn,
        **map_size(trips_look.MAP_WIDTH, trips_groups.HEIGHT),
    )
    if shown != WRONG:
        scale.legend("trips of a flow", "0", f"{largest:,.0f} or more")
    if shown != TRUE:
        # only what is drawn: a flow that reads 0 has no arrow, unless other days show it
        marks = ((trips_look.PHANTOM, phantom), (trips_look.LOST, lost))
        trips_look.key(*(each for each, where in marks if where[pairs].any()), hollow=True)
        if several:
            st.caption(
                "Each day is a release of its own: a flow is marked where that happened to it on "
                "at least one day."
            )
    st.caption(_words(shown, phantom, lost, pairs, several))


def _scope(zones: int, scope: str, zone: int) -> NDArray[np.bool_]:
    inside = np.zeros((zones, zones), dtype=bool)
    if scope == _SCOPES[0]:
        inside[:] = True
    if scope in (_SCOPES[1], _SCOPES[3]):
        inside[zone, :] = True
    if scope in (_SCOPES[2], _SCOPES[3]):
        inside[:, zone] = True
    return inside


def _words(
    shown: str,
    phantom: NDArray[np.bool_],
    lost: NDArray[np.bool_],
    pairs: tuple[Integers, Integers],
    several: bool,
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
