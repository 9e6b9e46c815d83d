"""Another period: which days ε is tuned on, and whether the same people are in them."""

import streamlit as st

from pages._ui.shell.catalogue import Entry

PEOPLE = {"": "Not known", "yes": "Yes, or some of them", "no": "No, other people"}
_SAME_PEOPLE = (
    "The same people: what the choice tells about them belongs to their budget, and no theorem "
    "here counts it. The statement of a release will say so."
)


def whose(entry: Entry, source: Entry, days: tuple[int, int]) -> str:
    """Ask of another period whether the same people are in it; return a key of `PEOPLE`.

    Another period is a dataset that is not simulated, or some days of these data, where others
    are released.
    """
    own = source.name == entry.name
    some_days = own and days != (0, len(source.metadata.days) - 1)
    if not some_days and (own or source.metadata.simulated):
        return ""
    released = "the other days of these data" if some_days else entry.name
    answer = st.radio(
        f"Another period: are the people of {released}, which would be released, in it as well?",
        list(PEOPLE),
        format_func=PEOPLE.__getitem__,
        key="decisions_same_people",
        horizontal=True,
    )
    if answer == "yes":
        st.caption(_SAME_PEOPLE)
    return str(answer)


def words(source: Entry, days: tuple[int, int]) -> str:
    """Write a range of days, given by the positions of its ends."""
    first, last = (source.metadata.days[day] for day in days)
    return f"{first:%d %b %Y} to {last:%d %b %Y}"
