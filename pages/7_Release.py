"""Release: draw once, enter the cost in the ledger, pack what a reader must know."""

import streamlit as st

from engine.release import Ledger
from pages._ui.cache import datasets as cached_datasets
from pages._ui.release import choose, confirm, outlook, work
from pages._ui.release.allowed import releases_allowed
from pages._ui.release.wording import LEAD, NOT_HERE
from pages._ui.shell import frame, sidebar


def draw() -> None:
    """Draw the page."""
    if not releases_allowed():
        sidebar.draw(density=False, trips=False)
        st.error(NOT_HERE, icon=":material/lock:")
        return
    kind, method = choose.pick()
    settings = sidebar.draw(**choose.SLIDERS[kind, method], epsilon=True, noise=False)
    ledger = Ledger()
    latest = work.latest()
    confirm.draw_work(latest)
    entry = choose.entry_of(kind, settings)
    if latest is None and entry is not None and choose.ready(kind, method, entry):
        product = choose.product_of(kind, method, settings, entry)
        plan = choose.planned(product, entry)
        if plan is not None:
            choose.draw_plan(plan)
            st.subheader("Cost and confirmation", anchor=False)
            left, right = st.columns([1.6, 1], gap="large")
            with left:
                confirm.draw(plan, product, entry, choose.default_name(plan, entry), ledger)
            with right:
                outlooks = product.outlook(cached_datasets.dataset(entry.key))
                outlook.draw(plan, outlooks, settings, entry, ledger)
    confirm.history(ledger)
    if work.latest() is not latest:  # another session has begun one, or put it away, meanwhile
        st.rerun()


frame.show(draw, "Release", LEAD)
