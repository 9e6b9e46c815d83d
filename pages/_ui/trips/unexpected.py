"""Origin–destination page: flows named certain although the model does not expect them."""

import numpy as np
import streamlit as st

from engine.origin_destination.estimate import FALSE_DISCOVERIES, may_all_be_noise
from pages._ui.drawing import marks, tables
from pages._ui.drawing.tables import Column
from pages._ui.trips import look as trips_look
from pages._ui.views.context import Flows
from pages._ui.wording.numbers import percent

_ROWS = 300


def draw(context: Flows) -> None:
    """Draw the list, the clearest first."""
    release = context.release
    origins, destinations = np.nonzero(release.unexpected[0])
    certain = int(release.certain[0].sum())
    empty = max(round(FALSE_DISCOVERIES * certain), 1)
    if not len(origins):
        st.success(f"None in this draw: the model expects all of the {certain:,} certain flows.")
        return
    st.markdown(
        f"On average at most {FALSE_DISCOVERIES:.0%} of the {certain:,} certain flows are empty, "
        f"that is up to about {empty:,}; most of those that are stand "
        "in this list. Its flows clearly exceed the noise, but the model puts the chance that they "
        "are empty at 5% or more. Either something new happens there, or the noise was unusually "
        "large: ask somebody who knows the place before you use one."
    )
    if may_all_be_noise(certain):
        st.markdown(
            "So few are named that all of them may be noise: the 5% are an average over releases, "
            "those that name none included."
        )
    noisy = release.measurement.cells[0][origins, destinations]
    order = np.argsort(-noisy, kind="stable")[:_ROWS]
    pairs = origins[order], destinations[order]
    names = trips_look.zone_labels(context.key)
    one_by_one, at_once = marks.ranges(release, pairs)
    tables.draw(
        {
            "From": Column([names[zone] for zone in pairs[0]]),
            "To": Column([names[zone] for zone in pairs[1]]),
            "Noisy count (trips)": Column(noisy[order].tolist(), "{:,}".format),
            "Ours (trips)": Column(release.typical[0][pairs].tolist(), marks.estimate),
            marks.ONE_BY_ONE: Column(one_by_one),
            marks.ALL_AT_ONCE: Column(at_once),
            "Empty, by the model": Column(release.empty[0][pairs].tolist(), percent),
            "True (trips)": Column(context.truth[pairs].tolist(), "{:,}".format),
        },
        key="od_unexpected",
    )
    rest = len(origins) - len(order)
    st.caption(
        f"{len(origins):,} of {certain:,} certain flows"
        + (f"; the {rest:,} with smaller counts are not listed." if rest else ".")
        + " In 95 of 100 releases the 95% ranges of all flows hold their kept trips, whatever the "
        "model."
    )
