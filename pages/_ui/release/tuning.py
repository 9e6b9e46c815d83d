"""How the settings were chosen: filled in where the explorer knows, and always to be corrected."""

from dataclasses import dataclass, replace

import streamlit as st

from engine.release import Plan
from engine.synthetic.twininputs import in_words
from pages._ui.release.words import JUDGED, TUNED
from pages._ui.shell import catalogue
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session, state


@dataclass
class Tuning:
    """What was last filled in; until the custodian says otherwise never more than is known."""

    filled: str = "these data"


def ask(plan: Plan, entry: Entry) -> tuple[str, str]:
    """Draw how the settings were chosen; return it, one of `TUNED`, with the custodian's words."""
    twin = recommended_on(plan, entry)
    judged = entry.name in session().judged  # more is known of the data than of the settings
    how = "twin" if twin and not judged else "these data"
    fresh = how != state(Tuning).filled  # a record came, or no longer holds
    state(Tuning).filled = how
    # Streamlit forgets what a widget held while another page was shown
    for key, first in (("release_tuned", how), ("release_note", "")):
        st.session_state[key] = first if fresh else st.session_state.get(key, first)
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
    if judged:
        st.caption(JUDGED)
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
