"""The card beside the picture: what to choose for the need stated above, why, and the next best."""

from importlib import import_module
from typing import Any

import streamlit as st

from engine.frontier import Candidate
from pages._ui import jobs
from pages._ui.cache.frontier import Advice
from pages._ui.drawing import cards
from pages._ui.home import handout as home_handout, verdict as home_verdict
from pages._ui.home.side import Side
from pages._ui.jobs import Job
from pages._ui.shell import frame, setting
from pages._ui.views import way_out
from pages._ui.views.context import Context
from pages._ui.wording import frontier as wording

OPEN = setting.switch("frontier", default=False)
"""Whether all settings are drawn under the picture."""


def draw(side: Side) -> None:
    """Draw the recommendation; it follows the page when every setting has been judged."""
    context = side.context
    work = way_out.job(context, delay_s=jobs.RESTED_S)

    def show(work: Job) -> None:
        known = None if work.running else way_out.advice(context, work)
        if known is not None and way_out.open_recommended(known, context):
            st.rerun()
        st.html(_verdict(side, known, work))
        if known is not None:
            way_out.buttons(known, context, key="home", finer=True)

    jobs.follow("home_card", work, show)
    opened = setting.value(OPEN)
    with st.container(horizontal=True, gap=None, key="home_next", vertical_alignment="center"):
        st.button(
            "Close settings" if opened else "All settings",
            key="home_all_settings",
            on_click=setting.put,
            args=(OPEN, not opened),
            type="tertiary",
            help="Every setting of this dataset by what it risks and what can be used of it.",
        )
        frame.link("pages/7_Release.py", "Release")
        home_handout.button(side)


def draw_all(side: Side) -> None:
    """Draw every setting where that is asked for; its charts are loaded only then."""
    if setting.value(OPEN):
        frontier = import_module("pages._ui.views.frontier")
        frontier.draw(side.context, at=(side.risk.best_guess, side.usable))


def _verdict(side: Side, known: Advice | None, work: Job) -> str:
    context = side.context
    level, standing = home_verdict.standing(side)
    best = None if known is None else known.recommended
    if best is None:
        words = _nothing(known, work)
    elif way_out.is_set(best, context):
        standing = f"{standing} · recommended, as you have it ✓"
        words = f"{_named(best, context)}. Usable at which best guess: {wording.axes_words(best)}."
    else:
        limit = setting.value(way_out.RISK)
        reason = wording.because(best, use=side.usable, risk=side.risk.best_guess, limit=limit)
        head = "Recommended" if best.usable else "Best for this need, and still too noisy"
        words = f"{head}: {_named(best, context)}, {reason}"
    return cards.verdict_html(
        level,
        words,
        of=context.entry.name,
        title=standing,
        rule=f"{home_verdict.sentence(side)} {home_verdict.CONVENTIONS}",
    )


def _named(best: Candidate, context: Context[Any]) -> str:
    """Return a setting by what its need does not say already."""
    asked = way_out.asked(context)
    finer = [
        *([wording.zones_words(best)] if best.seen.zones != asked.at.zones else []),
        *([wording.span_words(best)] if best.seen.when.step != asked.at.when.step else []),
        *([wording.UNITS[best.unit]] if best.unit != asked.unit else []),
    ]
    return ", ".join([*finer, wording.levers_words(best)])


def _nothing(known: Advice | None, work: Job) -> str:
    """Say why nothing is recommended."""
    if work.state == "failed":
        return f"Nothing can be recommended: {work.error}"
    if work.running:
        return "Judging every setting of these data …"
    if known is None:
        return "No setting meets this need: ask for coarser zones, or a longer time."
    return "No setting keeps the best guess below your limit: give way in one thing."
