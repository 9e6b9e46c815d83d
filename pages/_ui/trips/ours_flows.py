"""Origin–destination page: our flows on one large map, in three marks."""

import numpy as np
import streamlit as st

from pages._ui.cache import datasets as cached_datasets
from pages._ui.drawing import long_table, maps, marks
from pages._ui.drawing.groups import OURS_ADDED_UP
from pages._ui.drawing.long_table import Column
from pages._ui.shell.session import map_size
from pages._ui.trips import flows as trips_flows
from pages._ui.trips import groups as trips_groups
from pages._ui.trips import look as trips_look
from pages._ui.trips.view import View


def draw(view: View) -> None:
    """Draw the switch, the scope, the map and how the largest flows read."""
    release, key = view.release, view.entry.key
    chosen = trips_flows.controls(key, view.true, [trips_flows.TRUE, trips_flows.PRIVATE])
    shown, inside, most = chosen.shown, chosen.inside, chosen.most
    drawn = inside & marks.shown(release)
    true = shown == trips_flows.TRUE
    if chosen.group_level is not None:
        trips_groups.draw(
            key,
            chosen.group_level,
            view.true,
            np.where(drawn, release.counts[0], 0.0),
            shown_true=true,
            most=most,
            map_key="od_ours_flows",
            turn=chosen.turn,
            added_up=OURS_ADDED_UP,
        )
        return
    matrix = np.where(inside, view.true, 0) if true else np.where(drawn, release.typical[0], 0)
    pairs = origins, destinations = maps.largest_flows(matrix, most)
    values = matrix[pairs].astype(float)
    largest = float(max(view.true.max(initial=0), 1))
    scale = maps.Scale(0.0, largest)
    words = marks.words(release, pairs)
    maps.flow_map(
        cached_datasets.outlines(key),
        origins,
        destinations,
        values,
        scale,
        key="od_ours_flows",
        alt=f"Arcs of the {most} largest flows: {shown.lower()}",
        tooltip={
            "true": [f"{value:,}" for value in view.true[pairs]],
            "published": [f"{value:,}" for value in view.published[pairs]],
            "ours": words,
        },
        marked=chosen.marked,
        on_zone=chosen.take_zone,
        turn=chosen.turn,
        colours=None if true else marks.colours(release, pairs, scale, values),
        **map_size(trips_look.MAP_WIDTH, trips_groups.HEIGHT),
    )
    scale.legend("trips of a flow", "0", f"{largest:,.0f} or more")
    marks.key()
    rest = float(release.counts[0][inside & ~drawn].sum())
    st.caption(
        f"{int((drawn & release.certain[0]).sum()):,} certain and "
        f"{int((drawn & release.likely[0]).sum()):,} likely flows; the others together hold about "
        f"{rest:,.0f} trips. A reading such as 42 (31–55 by the model; 12–72 whatever the model, "
        "all flows at once) gives the estimate, as likely too high as too low, the middle 90% by "
        "the model, and the range of the trips kept by trimming that needs no model: in 95 of 100 "
        "releases the ranges of all flows hold together, so also those of flows that are shown "
        "because they came out large. Sums add up what is expected of every flow."
    )
    names = trips_look.zone_labels(key)
    pairs = origins[::-1], destinations[::-1]  # the largest first
    flows = list(zip(*(one.tolist() for one in pairs), strict=True))
    by_model, whatever = marks.ranges(release, pairs)
    long_table.draw(
        {
            "From": Column([names[a] for a, _ in flows]),
            "To": Column([names[b] for _, b in flows]),
            "True (trips)": Column(view.true[pairs].tolist(), "{:,}".format),
            "Published (trips)": Column(view.published[pairs].tolist(), "{:,}".format),
            "Ours (trips)": Column(release.typical[0][pairs].tolist(), marks.estimate),
            marks.BY_THE_MODEL: Column(by_model),
            marks.WHATEVER_THE_MODEL: Column(whatever),
            "Mark": Column([marks.mark(release, a, b) for a, b in flows]),
        },
        key="od_ours_list",
    )
