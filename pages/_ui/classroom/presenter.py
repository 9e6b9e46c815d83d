"""The presenter's page: the code on the wall, the votes as they come, what came out."""

from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st
from streamlit.net_util import get_internal_ip

from pages._ui.classroom import question, wording
from pages._ui.classroom.question import EPSILONS, About, Vote
from pages._ui.classroom.rooms import RoomError, Round
from pages._ui.drawing import cards, charts, tables
from pages._ui.drawing.charts import Axis, Mark
from pages._ui.drawing.colours import OTHER, PRIVATE
from pages._ui.shell import local
from pages._ui.shell.problems import guarded
from pages._ui.shell.session import state
from pages._ui.shell.settings import use_settings
from pages._ui.wording.numbers import counted, percent
from pages._ui.wording.privacy import guess

LOOK_S = 1.5
"""How often the picture on the wall looks for new votes."""


@dataclass
class Led:
    """The room that this session leads, and its secret key; empty where it leads none."""

    code: str = ""
    key: str = ""


def leads() -> bool:
    """Whether this session leads a room that is still there."""
    led = state(Led)
    return bool(led.code) and question.rooms().leads(led.code, led.key)


def start(about: About) -> None:
    """Open a room in this session, in place of the one it led (a callback)."""
    if leads():
        close()
    led = state(Led)
    led.code, led.key = question.rooms().open(about)


def take(code: str, key: str) -> bool:
    """Lead the room of that code again, by its key; whether it is the key."""
    code, key = code.strip().upper(), key.strip().upper()
    right = question.rooms().leads(code, key)
    if right:
        state(Led).code, state(Led).key = code, key
    return right


def close() -> None:
    """End the room (a callback)."""
    led = state(Led)
    question.rooms().close(led.code, led.key)
    led.code = led.key = ""


def draw() -> None:
    """Draw the page of whoever leads a room."""
    led, rooms = state(Led), question.rooms()
    about = rooms.about(led.code)
    st.caption(f"The class decides on {about.words}.")
    left, right = st.columns([1, 2.4], gap="large")
    with left:
        _door(led)
    with right:
        st.fragment(guarded(_live), run_every=LOOK_S)(led.code)
        _buttons(led, rooms.round(led.code))
    now = rooms.round(led.code)
    if now.revealed:
        _outcome(about, now)


def _door(led: Led) -> None:
    """Draw how to come in: the code, the link as text and as a picture that phones read."""
    base = st.text_input(
        "Address that phones reach",
        _address(),
        key="class_address",
        help="Change it where phones come by another name, such as that of a proxy.",
    )
    link = f"{base.rstrip('/')}/Class?{urlencode({'class_code': led.code})}"
    drawn = segno.make(link, error="m").svg_data_uri(scale=8, border=2, light="#fff")
    st.html(
        f'<div class="class-door"><img alt="QR code of {link}" src="{drawn}">'
        f'<div class="class-code">{led.code}</div></div>'
    )
    st.code(link, language=None, wrap_lines=True)
    if local.listens_here_only():
        st.warning(wording.THIS_COMPUTER)
    with st.popover("If this page is lost"):
        st.caption("On the page Class, under *Lead a room again*: the code, and this key.")
        st.code(led.key, language=None)


def _address() -> str:
    """Return where this server is reached: as the browser says, or by its place in the network."""
    at = urlsplit(st.context.url or "http://localhost:8501")
    if local.loopback(at.hostname) and not local.listens_here_only():
        port = f":{at.port}" if at.port else ""
        return f"{at.scheme}://{get_internal_ip() or at.hostname}{port}"
    return f"{at.scheme}://{at.netloc}"


def _live(code: str) -> None:
    """Draw the votes of the round by ε, as they are now."""
    try:
        now = question.rooms().round(code)
    except RoomError:  # closed, or ended by time
        st.rerun()
    counts = Counter(vote.choice.epsilon for vote in now.votes)
    st.html(
        f'<div class="class-count"><b>{len(now.votes)}</b> of '
        f"{counted(now.seats, 'participant')} voted · round {now.number}</div>"
    )
    middle = sorted(vote.choice.epsilon for vote in now.votes)
    at = middle[(len(middle) - 1) // 2] if now.revealed and middle else None
    charts.bars(
        [f"{one:g}" for one in EPSILONS],
        [
            Mark(
                name="Votes",
                values=[counts[one] for one in EPSILONS],
                colour=[OTHER if one == at else PRIVATE for one in EPSILONS],
                written=[f"{counts[one]}" for one in EPSILONS],
            )
        ],
        of=Axis(title="Votes", form="d", domain=(0, max(4, *counts.values(), 0)), ticks=4),
        title="Privacy loss (ε): ← more private · more accurate →"
        + ("" if at is None else f" · in the middle {at:g}"),
        key="class_votes",
        alt=f"{len(now.votes)} votes by epsilon",
        height=250,
        upright=True,
        legend=False,
    )


def _buttons(led: Led, now: Round[Vote]) -> None:
    rooms = question.rooms()
    with st.container(horizontal=True, gap="small"):
        if now.revealed:
            st.button("Vote again", on_click=rooms.again, args=(led.code, led.key), type="primary")
        else:
            st.button("Reveal", on_click=rooms.reveal, args=(led.code, led.key), type="primary")
        st.button("Close the room", on_click=close)


def _outcome(about: About, now: Round[Vote]) -> None:
    """Draw what the choice of the middle means, role by role, and the reasons."""
    if not now.votes:
        st.info("Nobody has voted in this round.")
        return
    zones = question.levels(question.entry(about))
    middle = question.middle(now.votes, list(zones))
    st.subheader(f"In the middle: {wording.choice(middle, zones)}", anchor=False)
    drawn = wording.cards("in the middle", question.outcome(about, middle))
    if now.before:
        last = question.middle(now.before[-1], list(zones))
        drawn += wording.cards(
            f"the round before (ε = {last.epsilon:g})", question.outcome(about, last)
        )
    cards.row(drawn)
    _roles(about, now, zones)
    reasons = Counter(vote.reason for vote in now.votes)
    order = sorted(wording.REASONS, key=lambda one: -reasons[one])
    st.html(
        tables.table_html(
            {
                "Why": [wording.REASONS[one] for one in order],
                "Votes": [reasons[one] for one in order],
            }
        )
    )
    if st.button("See it on the map"):
        use_settings(
            od_data=about.dataset,
            od_zones=middle.zones,
            od_time=about.time,
            unit=about.unit,
            threshold=about.threshold,
            max_trips=middle.max_trips,
            epsilon=middle.epsilon,
            od_method="published",
        )
        st.switch_page("app.py")


def _roles(about: About, now: Round[Vote], zones: dict[str, str]) -> None:
    """Compare the roles: their votes on the axis of ε, and what each middle would mean."""
    by_role = {
        words: [vote for vote in now.votes if vote.role == role]
        for role, words in wording.ROLES.items()
    }
    by_role = {words: votes for words, votes in by_role.items() if votes}
    middles = {words: question.middle(votes, list(zones)) for words, votes in by_role.items()}
    outcomes = {words: question.outcome(about, one) for words, one in middles.items()}
    at = [words for words, votes in by_role.items() for _ in votes]
    each = [vote.choice.epsilon for votes in by_role.values() for vote in votes]
    written = [f"ε = {one:g}" for one in each]
    charts.bars(
        list(by_role),
        [
            Mark(
                name="In the middle",
                values=[one.epsilon for one in middles.values()],
                colour=OTHER,
                kind="tick",
            ),
            Mark(name="A vote", values=each, at=at, written=written, kind="dot"),
        ],
        of=charts.EPSILON,
        key="class_roles",
        alt="Votes on epsilon by role",
    )
    tables.draw(
        {
            "Role": list(by_role),
            "Votes": [len(votes) for votes in by_role.values()],
            "In the middle": [wording.choice(one, zones) for one in middles.values()],
            "Best guess": [guess(one.worth.best_guess, 1) for one in outcomes.values()],
            "Usable trips": [percent(one.use) for one in outcomes.values()],
        }
    )
