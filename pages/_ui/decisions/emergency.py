"""Which shock: the affected area, its days, and how many destinations are helped."""

from functools import partial

import streamlit as st

from engine import decisions
from engine.errors import ExplorerError
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache.decisions import Emergency
from pages._ui.decisions import fields, places
from pages._ui.shell import dates, setting
from pages._ui.shell.catalogue import Entry

MOST = 20
"""Most destinations that are ranked."""

_WEEK = 7


def ask(entry: Entry) -> tuple[Emergency, int] | None:
    """Draw the question; return the shock and k, or None where something is missing."""
    names = places.names(entry.key)
    described, first, last = _described(entry)
    area, period, number = st.columns([2, 1.6, 1], gap="medium", vertical_alignment="bottom")
    zones = fields.several_zones(
        area,
        "Affected zones",
        "decisions_area",
        entry,
        described,
        placeholder="Where did the shock happen?",
        help="Trips that leave these zones are counted; trips between them are not.",
    )
    days = dates.day_range(
        period, "Days after the shock", "decisions_shock_days", entry, (first, last)
    )
    left = len(names) - len(zones)
    if not zones:
        st.info(
            "Choose the affected zones: this dataset names none.", icon=":material/location_on:"
        )
        return None
    if left < 1:
        st.error("The affected area must leave a zone to go to; choose fewer zones.")
        return None
    most = min(MOST, left)
    about = setting.whole_number("decisions_k", min(3, most), 1, MOST)
    if setting.value(about) > most:  # set for another area
        setting.put(about, most)
    k = setting.draw(
        partial(number.number_input, min_value=1, max_value=most, step=1),
        "Destinations helped (k)",
        about,
        help="Every day the k zones that received most people from the area are helped. Ties go "
        "by the order of the zones.",
    )
    return Emergency(tuple(sorted(zones)), days), int(k)


def _described(entry: Entry) -> tuple[list[str], int, int]:
    try:
        event = decisions.shock(cached_datasets.dataset(entry.key))
    except ExplorerError:
        return [], 0, min(_WEEK, len(entry.metadata.days)) - 1
    ids = places.ids(entry.key)
    return [ids[zone] for zone in event.zones], event.days[0], event.days[-1]
