"""How the settings were chosen: filled in where the explorer knows, and always to be corrected."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from engine.release import Plan
from engine.synthetic.twininputs import in_words
from pages._ui.release.words import JUDGED, TUNED
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
    """Draw how the settings were chosen; return it, one of `TUNED`, with the custodian's words."""
    twin = recommended_on(plan, entry)
    filled = ("twin", "") if twin else suggestion(session().tuned_on, plan, entry.name)
    if entry.name in session().judged:  # more is known of the data than of the settings
        filled = None
    how, note = filled or _WORST
    fresh = filled != state(Tuning).filled  # a record came, or no longer holds
    state(Tuning).filled = filled
    # Streamlit forgets what a widget held while another page was shown
    set_widget("release_tuned", how if fresh else widget_value("release_tuned", how))
    set_widget("release_note", note if fresh else widget_value("release_note", note))
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
    return str(tuned), note


def recommended_on(plan: Plan, entry: Entry) -> str:
    """Return the twin whose recommendation the whole setting is; nothing where any part differs."""
    twin, taken = session().on_twin or ("", None)
    seen = getattr(taken, "seen", None)
    if seen is None or twin not in catalogue.entries() or entry.is_twin:
        return ""
    here = replace(taken, seen=replace(seen, dataset=plan.setting.dataset))
    return twin if here == plan.setting else ""


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
    days = plan.metadata.days
    released = [days[day].isoformat() for day in plan.setting.when.positions(len(days))]
    first, last = record["period"]
    if record["dataset"] == dataset and first <= released[-1] and released[0] <= last:
        return "these data", words
    if record["simulated"] and record["dataset"] != dataset:
        return "simulated", words
    how = {"yes": "same people", "no": "other period"}.get(record["same_people"], "these data")
    return how, words
