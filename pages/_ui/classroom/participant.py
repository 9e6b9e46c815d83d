"""A participant's page: one form, then what came out; light enough for sixty phones."""

import streamlit as st

from pages._ui.classroom import question, wording
from pages._ui.classroom.question import EPSILONS, TRIPS, About, Choice, Vote
from pages._ui.classroom.rooms import RoomError, Round
from pages._ui.drawing import cards
from pages._ui.shell import setting
from pages._ui.shell.problems import guarded

LOOK_S = 4.0
"""How often a phone asks whether something has come out."""

CODE = setting.Setting(key="class_code", default="", read=lambda text: text.strip().upper())
SEAT = setting.Setting(key="class_seat", default="", read=str)
"""A random text: a page that is loaded anew sits where it sat."""


def draw(code: str) -> None:
    """Draw the page of whoever came by the room's code."""
    rooms = question.rooms()
    about = rooms.about(code)
    seat, number = rooms.join(code, setting.value(SEAT))
    setting.put(SEAT, seat)
    now = rooms.round(code)
    st.html(f'<div class="class-head">Room <b>{code}</b> · round {now.number}</div>')
    if now.revealed:
        _outcome(code, about, seat, now)
    else:
        _form(code, about, seat, number, now)
        _voted(rooms.voted(code, seat), about)
    st.fragment(guarded(_wait), run_every=LOOK_S)(code, now.number, now.revealed)


def _form(code: str, about: About, seat: str, number: int, now: Round[Vote]) -> None:
    zones = question.levels(question.entry(about))
    role = list(wording.ROLES)[number % len(wording.ROLES)]
    st.markdown(f"**You are {wording.ROLES[role].lower()}.** {wording.TASKS[role]}")
    st.caption(f"Decide on {about.words}.")
    with st.form(f"class_vote_{now.number}", border=False):
        epsilon = st.pills(
            f"Privacy loss (ε): {wording.SHORT}", EPSILONS, format_func="{:g}".format
        )
        trips = st.pills("Trips kept per person (T): more of the data · more noise", TRIPS)
        level = st.pills(
            "Zones: finer · coarser, with more trips each",
            list(zones),
            format_func=zones.__getitem__,
        )
        reason = st.radio(
            "Why?", list(wording.REASONS), index=None, format_func=wording.REASONS.__getitem__
        )
        sent = st.form_submit_button("Vote", type="primary", width="stretch")
    if not sent:
        return
    if epsilon is None or trips is None or level is None or reason is None:
        st.warning("Choose ε, T, zones and a reason, then vote.")
        return
    choice = Choice(epsilon=epsilon, max_trips=trips, zones=level)
    question.rooms().vote(code, seat, Vote(role=role, reason=reason, choice=choice))


def _voted(vote: Vote | None, about: About) -> None:
    if vote is not None:
        zones = question.levels(question.entry(about))
        st.success(
            f"Your vote: {wording.choice(vote.choice, zones)}. You may vote again until the "
            "presenter reveals the result.",
            icon=":material/how_to_vote:",
        )


def _wait(code: str, number: int, revealed: bool) -> None:
    """Draw the page anew when the presenter goes on, or closes the room."""
    try:
        now = question.rooms().round(code)
    except RoomError:
        st.rerun()
    if (now.number, now.revealed) != (number, revealed):
        st.rerun()
    if revealed:
        st.caption("Wait for the presenter: there may be another round.")


def _outcome(code: str, about: About, seat: str, now: Round[Vote]) -> None:
    zones = question.levels(question.entry(about))
    if not now.votes:
        st.info("Nobody has voted in this round.")
        return
    middle = question.middle(now.votes, list(zones))
    st.markdown(f"**The class, in the middle:** {wording.choice(middle, zones)}")
    cards.draw(wording.cards("the class", question.outcome(about, middle)))
    vote = question.rooms().voted(code, seat)
    if vote is not None:
        st.markdown(f"**You:** {wording.choice(vote.choice, zones)}")
        cards.draw(wording.cards("you", question.outcome(about, vote.choice)))
