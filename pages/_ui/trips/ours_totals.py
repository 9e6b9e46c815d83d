"""Origin–destination page: our totals of zones beside the sums of noisy flows, which are exact."""

import numpy as np
import pandas as pd
import streamlit as st

from pages._ui.cache import estimates as cached_estimates
from pages._ui.shell import setting
from pages._ui.trips import look as trips_look
from pages._ui.trips import ranges
from pages._ui.trips.view import View
from pages._ui.wording.numbers import percent

LEAVING, ARRIVING = "Leaving", "Arriving"
_ZONES = 18


def draw(view: View) -> None:
    """Draw the totals of the busiest zones: true, ours, and the range that needs no model."""
    release = view.release
    way = setting.draw(
        st.segmented_control,
        "Trips",
        setting.choice("od_ours_way", [LEAVING, ARRIVING], LEAVING),
        [LEAVING, ARRIVING],
        required=True,
    )
    axis = -1 if way == LEAVING else -2
    noisy, reach = release.exact_totals(axis, at_once=True)
    true, ours = view.true.sum(axis=axis), release.counts[0].sum(axis=axis)
    published = view.published.sum(axis=axis)
    names = np.array(trips_look.zone_labels(view.entry.key))
    order = np.argsort(-ours, kind="stable")[:_ZONES]
    table = pd.DataFrame(
        {
            "zone": names[order],
            "true": true[order],
            "ours": ours[order].round(),
            "published": published[order],
            "low": np.maximum(noisy[0][order] - reach, 0),
            "high": np.maximum(noisy[0][order] + reach, 0),
        }
    )
    ranges.draw(
        table,
        {"ours": "Ours", "published": "Published"},
        title=f"Trips {way.lower()} (bar: 95% for all zones at once, whatever the model)",
        low="All zones at once, 95% from",
        key="od_ours_totals",
        alt_text=f"Trips {way.lower()} the busiest zones: true, ours, published, exact range",
        height=430,
    )
    both = cached_estimates.compared(view.entry.key, view.parameters, view.seed, view.window, 0)
    off, old = (
        one.outgoing_error if way == LEAVING else one.incoming_error
        for one in (both.ours, both.published)
    )
    trimmed = (
        ""
        if view.parameters.unit == "trip"
        else " The bar is of trips kept by trimming: tick and dot, of all trips, may lie beyond it."
    )
    st.caption(
        "Grey tick: true; blue dot: ours; orange diamond: published, same noise. Bar: the sum of "
        f"all noisy flows of the zone ± {reach:,}: in 95 of 100 releases the bars of all zones "
        f"hold their kept trips, whatever the model.{trimmed} In this draw totals are off by "
        f"{percent(off)} of all trips with ours and by {percent(old)} with the published method."
    )
