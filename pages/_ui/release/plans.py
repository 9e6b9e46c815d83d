"""Recurring releases on the page: what is planned and spent, and the next run."""

import streamlit as st

from engine.parameters import DensityParameters
from engine.release import BudgetLedger, ReleaseError, recurring
from engine.release.cost import balances, whole_words
from engine.release.differences import differences
from engine.release.schedule import Series
from pages._ui.cache import datasets as cached_datasets
from pages._ui.drawing.tables import table_html
from pages._ui.release import work
from pages._ui.release.confirm import folder
from pages._ui.release.wording import PLANS, SUBTRACTED
from pages._ui.shell import catalogue


def draw(ledger: BudgetLedger) -> None:
    """List plans with what they cost, offer their next runs, and say what can be subtracted."""
    try:
        entries = ledger.entries()
    except ReleaseError:
        return  # the history says so
    budgets, plans = balances(entries), recurring.series(entries)
    if plans:
        st.subheader("Recurring releases", anchor=False)
        st.caption(PLANS)
        rows, bodies = list(plans.values()), [one.entry.body for one in plans.values()]
        st.html(
            table_html(
                {
                    "Plan": list(plans),
                    "Releases": [f"{body['product']} of {body['dataset']}" for body in bodies],
                    "When": [one.schedule.words for one in rows],
                    "ε spent": [f"{float(one.spent[0]):g}" for one in rows],
                    "ε planned": [f"{float(one.planned[0]):g}" for one in rows],
                    "Runs": [one.state for one in rows],
                }
            )
        )
        for name, one in plans.items():
            st.markdown(f"**{name}**: {whole_words(one, budgets[one.entry.people].unit)}.")
            if one.next is not None:
                _offer(name, one, one.next, ledger)
    ways = [one.words for budget in budgets.values() for one in differences(entries, budget)]
    if ways:
        with st.expander(f"{SUBTRACTED} ({len(ways)})", icon=":material/difference:"):
            for words in ways:
                st.markdown(f"- {words}")


def _offer(name: str, one: Series, number: int, ledger: BudgetLedger) -> None:
    """Offer the next run where its dataset has the days."""
    dataset, days = one.entry.body["dataset"], one.schedule.dates(number)
    entry = catalogue.entries().get(dataset)
    needed, there = {days[0], days[-1]}, entry.metadata.days if entry else ()
    if entry and one.entry.body["kind"] == DensityParameters.__name__:
        needed, there = {days[0]}, entry.weeks
    if entry is None or not needed <= set(there):
        st.caption(f"Run {number} waits for {one.schedule.when(number)} of {dataset}.")
        return
    key, out = entry.key.finest, folder()
    if st.button(
        f"Make run {number} of {one.schedule.runs}",
        key=f"release_run_{name}",
        icon=":material/event_repeat:",
        disabled=work.running(),
    ):
        opened = cached_datasets.dataset(key)
        work.start(
            f"run {number} of {name}",
            lambda report: recurring.run(
                opened, name, out, ledger=ledger, number=number, progress=report
            ),
        )
        st.rerun()
