"""The page where releases are allowed: what is released, what it costs, the ledger."""

import streamlit as st

from engine.release import BudgetLedger
from pages._ui.release import confirm, outlook, question, work
from pages._ui.shell.settings import current


def draw() -> None:
    """Draw settings, plan, cost and history."""
    kind = question.pick()
    settings = current()
    ledger, latest = BudgetLedger(), work.latest()
    confirm.draw_work(latest)
    entry = settings.density_data if kind.part == "density" else settings.od_data
    if latest is None and entry is not None and question.ready(kind, entry):
        product = question.product_of(kind, settings, entry)
        plan = question.planned(product, entry)
        if plan is not None:
            question.draw_plan(plan)
            st.subheader("Cost and confirmation", anchor=False)
            left, right = st.columns([1.6, 1], gap="large")
            with left:
                confirm.draw(plan, product, entry, question.default_name(plan, entry), ledger)
            with right:
                outlook.draw(plan, product, settings, entry, ledger)
    confirm.history(ledger)
    if work.latest() is not latest:  # another session has begun one, or put it away, meanwhile
        st.rerun()
