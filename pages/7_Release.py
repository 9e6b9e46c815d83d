"""Release: draw once, enter the cost in the ledger, pack what a reader must know."""

import streamlit as st

from pages._ui.release import choose, confirm, work
from pages._ui.release.allowed import releases_allowed
from pages._ui.release.wording import LEAD, NOT_HERE
from pages._ui.shell import frame, sidebar


def draw() -> None:
    """Draw the page."""
    if not releases_allowed():
        sidebar.draw(density=False, trips=False)
        st.error(NOT_HERE, icon=":material/lock:")
        return

    from engine.release import Ledger

    kind = choose.pick()
    settings = sidebar.draw(
        density=("density_data", "max_visits") if kind == choose.DENSITY else False,
        trips=False
        if kind == choose.DENSITY
        else ("od_data",)
        if kind == choose.REPORT
        else ("od_data", "unit", "max_trips", "threshold"),
        epsilon=True,
        noise=False,
    )
    ledger = Ledger()
    confirm.draw_work()
    entry = choose.entry_of(kind, settings)
    if work.latest() is None and choose.ready(kind, entry):
        st.caption(
            f"Dataset **{entry.name}**"
            + (" · simulated people: every file says so" if entry.metadata.simulated else "")
        )
        product = choose.product_of(kind, settings)
        plan = choose.planned(product, entry)
        if plan is not None:
            choose.draw_plan(plan)
            st.subheader("Cost and confirmation", anchor=False)
            confirm.draw(plan, product, entry, choose.default_name(plan, entry), ledger)
    confirm.history(ledger)


frame.show(draw, "Release", LEAD)
