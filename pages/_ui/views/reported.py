"""Which datasets have a mobility report, and which of them a page about one takes."""

import streamlit as st

from engine import report
from pages._ui import cached, state
from pages._ui.shell import catalogue, frame
from pages._ui.shell.catalogue import Entry
from pages._ui.wording.numbers import inert


def dataset() -> Entry | None:
    """Return the dataset of trips; one that has a report where nobody has chosen another."""
    usual, offered = state.entry("trips"), able()
    if usual is None or not offered or has_report(usual) or not state.is_usual("od_data"):
        return usual
    st.caption(f"The report is on {offered[0].name}: {usual.name} has none.")
    return offered[0]


def able() -> list[Entry]:
    """Return the datasets with a report, shipped ones first."""
    every = sorted(catalogue.entries().values(), key=lambda one: not one.shipped)
    return [one for one in every if has_report(one)]


def has_report(entry: Entry) -> bool:
    """Whether a dataset has the tables of a report."""
    return "trips" in entry.parts and cached.of(report.has_report, entry.key)


def missing(entry: Entry) -> None:
    """Say that a dataset has no report, and offer one that has."""
    st.info(
        f"“{inert(entry.name)}” was made without the tables of a report. Build it again from its "
        "table of trips or visits: the report is made with the trips of people."
    )
    for one in able()[:1]:
        frame.offer("trips", one)
