"""Which dataset the report is about where the one picked has none."""

import streamlit as st

from pages._ui.cache import report as cached_report
from pages._ui.report.wording import INSTEAD, NO_REPORT
from pages._ui.shell import catalogue
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.settings import use_settings
from pages._ui.wording.numbers import inert


def instead(entry: Entry) -> Entry | None:
    """Say that a dataset has no report and return a shipped one to show; None if it must stop.

    Simulated people of another place stand in for simulated people, and the page says so; the
    numbers of one's own data are never replaced by others.
    """
    able = [
        other
        for other in catalogue.entries().values()
        if other.has_trips and cached_report.available(other.key)
    ]
    offer = next((other for other in able if other.shipped), able[0] if able else None)
    stands_in = offer is not None and entry.metadata.simulated and offer.metadata.simulated
    text = NO_REPORT.format(name=inert(entry.name))
    if offer is not None and stands_in:
        text += INSTEAD.format(name=inert(offer.name))
    st.info(text)
    if offer is not None:
        st.button(
            f"Use {offer.name} on every page",
            key="report_use_offer",
            on_click=use_settings,
            kwargs={"od_data": offer.name},
        )
    if offer is None or not stands_in:
        return None
    session().stands_in = offer.name
    return offer
