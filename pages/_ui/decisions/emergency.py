"""Which shock: the affected area, its days, and how many destinations are helped."""

from datetime import timedelta

import streamlit as st

from engine import decisions
from engine.errors import ExplorerError
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache.decisions import Emergency
from pages._ui.decisions import places
from pages._ui.shell.catalogue import Entry

MOST = 20
"""Most destinations that are ranked."""

_WEEK = 7


def ask(entry: Entry) -> tuple[Emergency, int] | None:
    """Draw the question; return the shock and k, or None where something is missing."""
    names = places.names(entry.key)
    described, first, last = _described(entry)
    area, period, number = st.columns([2, 1.6, 1], gap="medium", vertical_alignment="bottom")
    zones = area.multiselect(
        "Affected zones",
        list(names),
        described,
        format_func=names.__getitem__,
        key=f"decisions_area_{entry.name}",
        placeholder="Where did the shock happen?",
        help="Trips that leave these zones are counted; trips between them are not.",
        persist_state="session",
    )
    every = entry.metadata.days
    if len(every) > 1:
        start, end = period.slider(
            "Days after the shock",
            every[0],
            every[-1],
            (every[first], every[last]),
            step=timedelta(days=1),
            format="D MMM YYYY" if len(every) > 31 else "D MMM",
            key=f"decisions_shock_days_{entry.name}",
        )
        first, last = every.index(start), every.index(end)
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
    k = number.number_input(
        "Destinations helped (k)",
        1,
        most,
        min(3, most),
        key="decisions_k",
        help="Every day the k zones that received most people from the area are helped. Ties go "
        "by the order of the zones.",
    )
    return Emergency(tuple(sorted(zones)), (first, last)), int(k)


def _described(entry: Entry) -> tuple[list[str], int, int]:
    try:
        event = decisions.shock(cached_datasets.dataset(entry.key))
    except ExplorerError:
        return [], 0, min(_WEEK, len(entry.metadata.days)) - 1
    ids = places.ids(entry.key)
    return [ids[zone] for zone in event.zones], event.days[0], event.days[-1]
