"""Origin–destination page: one origin's row as a map (P2, figure 1D)."""

import numpy as np
import streamlit as st

from pages._ui.cache import datasets as cached_datasets, trips as cached_trips
from pages._ui.drawing import maps
from pages._ui.shell import setting
from pages._ui.shell.session import map_size
from pages._ui.trips import look as trips_look
from pages._ui.views.context import Flows

TRUE, PRIVATE, ERROR = "True", "Private", "Error"


def draw(context: Flows) -> None:
    """Draw where the trips of one zone go: true, private, or the difference."""
    key, true, drawn = context.key, context.truth, cached_trips.drawn(*context.asked)
    left = middle = right = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    shown = setting.draw(
        left.segmented_control,
        "Show",
        setting.choice("od_origin_show", [TRUE, PRIVATE, ERROR], PRIVATE),
        [TRUE, PRIVATE, ERROR],
    )
    with middle:
        origin = trips_look.zone_choice("Trips from", key, true.sum(axis=1), key="od_origin_zone")
    before, after = true[origin], drawn.shown[origin]
    leaving, released = before.sum(), drawn.counts[origin].sum()
    right.markdown(
        f"**{leaving:,.0f}** trips leave; the release adds up to **{released:,.0f}** "
        f"({trips_look.signed(released - leaving)})."
    )
    error = (after - before).astype(float)
    reach = float(max(np.abs(error).max(initial=0), 1))
    largest = float(max(before.max(initial=0), 1))
    scale = maps.Scale(-reach, reach, "diverging") if shown == ERROR else maps.Scale(0.0, largest)
    values = {TRUE: before, PRIVATE: after, ERROR: error}[shown].astype(float)
    values[origin] = np.nan
    maps.zone_map(
        cached_datasets.outlines(key),
        values,
        scale,
        key="od_origin",
        alt=f"Trips from {trips_look.zone_labels(key)[origin]} to every zone: {shown.lower()}",
        tooltip={
            "true": [f"{value:,}" for value in before],
            "private": [trips_look.written(value) for value in after],
            "error": [trips_look.signed(value) for value in error],
        },
        **map_size(trips_look.MAP_WIDTH, 560),
        marked=origin,
    )
    if shown == ERROR:
        scale.legend(
            "private minus true trips (purple: too few, green: too many)",
            f"−{reach:,.0f}",
            f"+{reach:,.0f}",
        )
    else:
        scale.legend("trips to a zone", "0", f"{largest:,.0f} or more")
    st.caption(
        "The outlined zone is the origin. "
        + (
            "Look for far zones in purple: small flows are suppressed first; green ones gained "
            "trips that nobody made."
            if shown == ERROR
            else "Compare True and Private: near zones keep their colour, far ones turn dark, "
            "because small flows are suppressed first."
        )
    )
