"""How the released ε was chosen: filled in from Decisions where it was chosen there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.release import Plan
from engine.synthetic.twininputs import in_words
from pages._ui.release.wording import JUDGED, TUNED
from pages._ui.shell import catalogue
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session, set_widget, state, widget_value

_WORST = ("these data", "")
"""What a release states until the custodian says otherwise: never more than is known."""


@dataclass
class Tuning:
    """What was last filled in."""

    filled: tuple[str, str] | None = None


def ask(plan: Plan, entry: Entry) -> tuple[str, str]:
    """Draw how ε was chosen; return it, one of `TUNED`, with the custodian's words."""
    record = session().tuned_on
    twin, epsilon = session().on_twin or ("", None)
    on_twin = plan.epsilon == epsilon and twin in catalogue.entries() and not entry.is_twin
    filled = ("twin", "") if on_twin else suggestion(record, plan, entry.name)
    if entry.name in session().judged:  # more is known of the data than of ε
        filled = None
    if filled != state(Tuning).filled:  # a record came, or no longer holds
        how, words = filled or _WORST
        set_widget("release_tuned", how)
        set_widget("release_note", words)
        state(Tuning).filled = filled
    else:
        # Streamlit forgets what a widget held while another page was shown
        how, words = filled or _WORST
        set_widget("release_tuned", widget_value("release_tuned", how))
        set_widget("release_note", widget_value("release_note", words))
    tuned = st.selectbox(
        "How were ε and the other settings chosen?",
        list(TUNED),
        format_func=TUNED.__getitem__,
        key="release_tuned",
    )
    note = st.text_input(
        "In your words", key="release_note", placeholder="such as the days that were looked at"
    )
    if tuned == "twin":
        note = "; ".join(filter(None, (note, _twin(twin))))
    if entry.name in session().judged:
        st.caption(JUDGED)
    elif filled and tuned != "twin":
        st.caption("Filled in from the page Decisions, where this ε was chosen; correct it freely.")
    elif record and plan.product == "od" and tuned != "twin":
        st.caption(
            f"On the page Decisions ε = {record['epsilon']:g} was chosen; it is {plan.epsilon:g} "
            "now. Say how that was chosen."
        )
    return str(tuned), note


def _twin(taken: str) -> str:
    """Ask which twin it was, that whose setting was taken first, and return what it is made of."""
    twins = {
        name: inputs
        for name, entry in catalogue.entries().items()
        if (inputs := entry.metadata.scenario.get("twin"))
    }
    if not twins:
        st.caption("No twin is at hand: say what it was made of.")
        return ""
    first = list(twins).index(taken) if taken in twins else 0
    words = in_words(twins[st.selectbox("Which twin?", list(twins), first, key="release_twin")])
    st.caption(f"Stated with it: {words}")
    return words


def suggestion(
    record: Mapping[str, Any] | None, plan: Plan, dataset: str
) -> tuple[str, str] | None:
    """Return how ε was chosen and in what words, by the record of Decisions; None if it is not.

    Looking at the data that are released is the worst case. Days of the same dataset that are not
    released, and other data, are another period: whose people are in it, the custodian has said.
    """
    if not record or plan.product != "od" or record["epsilon"] != plan.epsilon:
        return None
    words = (
        f"ε = {record['epsilon']:g}: the smallest tried that keeps {record['target']} in "
        f"{record['confidence']:.0%} of releases, tuned on {record['dataset']}, {record['days']}"
    )
    if record["dataset"] == dataset and _overlap(record["period"], plan):
        return "these data", words
    if record["simulated"] and record["dataset"] != dataset:
        return "simulated", words
    how = {"yes": "same people", "no": "other period"}.get(record["same_people"], "these data")
    return how, words


def _overlap(period: tuple[str, str], plan: Plan) -> bool:
    """Whether days that were looked at are among those released."""
    first, last = plan.settings["first_day"], plan.settings["last_day"]
    return period[0] <= last and first <= period[1]
