"""Origin–destination page: arrows between groups of zones, where zones lie too close for arrows."""

import streamlit as st

from engine.arrays import Floats, Integers
from engine.resolution import Groups, flows_between
from pages._ui.cache import datasets as cached_datasets
from pages._ui.drawing import groups as drawn_groups
from pages._ui.drawing import maps
from pages._ui.shell import setting
from pages._ui.shell.session import map_size
from pages._ui.trips import look as trips_look

AUTOMATIC, ZONES, GROUPS = "Automatic", "Zones", "Groups"
_DETAIL = setting.choice("od_flows_detail", (AUTOMATIC, ZONES, GROUPS), AUTOMATIC)
HEIGHT = 520


def choose(key: str, *, off: bool) -> int | None:
    """Draw the switch where the dataset has groups, and return the level drawn; None for zones.

    Parameters
    ----------
    key : str
        Of the dataset.
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
        required=True,
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


def draw(
    key: str,
    level: int,
    true: Integers,
    private: Integers | Floats,
    *,
    shown_true: bool,
    most: int,
    map_key: str,
    turn: int,
    added_up: str,
) -> None:
    """Draw the largest flows between groups.

    Parameters
    ----------
    true, private : arrays, shape (zones, zones)
        Between zones; what is not shown of the private ones reads 0.
    shown_true : bool
        Whether the arrows are of the true flows.
    most : int
        Arrows at most.
    map_key, turn : str and int
        As of `maps.flow_map`.
    added_up : str
        What the private sums are.
    """
    group: Groups = cached_datasets.groups(key)[level]
    truly, privately = (flows_between(one, group.labels) for one in (true, private))
    matrix = truly if shown_true else privately
    pairs = maps.largest_flows(matrix, most)
    values = matrix[pairs]
    largest = float(max(truly.max(initial=0), 1))
    scale = maps.Scale(0.0, largest)
    colours = scale.colours(values)
    phantom = truly[pairs] == 0
    colours[phantom] = trips_look.rgb(trips_look.PHANTOM)
    names = "true" if shown_true else "private"
    maps.flow_map(
        cached_datasets.group_outlines(key)[level],
        *pairs,
        values,
        scale,
        key=map_key,
        alt=f"Arrows of the {most} largest flows between groups of zones: {names}",
        tooltip={
            "true": [f"{value:,.0f}" for value in truly[pairs]],
            "private, added up": [f"{value:,.0f}" for value in privately[pairs]],
            "error": [trips_look.signed(round(value)) for value in privately[pairs] - truly[pairs]],
        },
        colours=colours,
        wrong=phantom,
        on_zone=_to_zones,
        hint="Click: each zone's own flows",
        turn=turn,
        **map_size(trips_look.MAP_WIDTH, HEIGHT),
    )
    scale.legend("trips of a flow between groups", "0", f"{largest:,.0f} or more")
    if phantom.any():
        trips_look.key(trips_look.PHANTOM, hollow=True)
    count = len(group.zones)
    st.caption(f"{added_up} {count} groups of the {len(group.labels)} zones.")


def _to_zones(_: str) -> None:
    """Draw the zones' own flows after a click on a group (a callback)."""
    setting.put(_DETAIL, ZONES)
