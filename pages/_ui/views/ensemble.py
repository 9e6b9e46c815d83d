"""A twin's settings over eight twins of what is not known: one that holds, its use as a range."""

from typing import Any

import streamlit as st

from engine.frontier.ensemble import CLOSE, Robust
from engine.parameters import ODParameters
from engine.steps import Level, level_of
from pages._ui import jobs
from pages._ui.cache import frontier as cached_frontier
from pages._ui.drawing import cards, charts, tables
from pages._ui.jobs import Job
from pages._ui.shell import setting
from pages._ui.views import way_out
from pages._ui.views.context import Context
from pages._ui.wording import frontier as wording
from pages._ui.wording.numbers import percent

OPEN = setting.switch("twins", default=False)
"""Whether the eight twins have been asked for."""
LEAD = (
    "A twin's own use is no promise: how concentrated trips are, no public source says. Eight "
    "twins at the ends of what is known of other places show which setting holds, and its use as "
    "a range."
)


def draw(context: Context[Any]) -> None:
    """Draw what is recommended over the eight twins; nothing for other data, or for visits."""
    if not context.entry.is_twin or not isinstance(context.parameters, ODParameters):
        return
    st.subheader("Over eight twins", anchor=False)
    st.caption(LEAD)
    if not setting.value(OPEN):
        st.button(
            "Make and judge eight twins",
            icon=":material/groups:",
            key="ensemble_start",
            on_click=setting.put,
            args=(OPEN, True),
            help="About eight times as long as the twin itself took; it can be stopped.",
        )
        return
    work = jobs.job("twins", cached_frontier.judged_over, context.key.finest)

    def show(work: Job) -> None:
        jobs.progress(work, "Making and judging eight twins", "ensemble")
        if work.result and not work.running:
            _recommended(context, work)

    jobs.follow("ensemble", work, show)


def judged(one: Robust) -> tuple[Level, str]:
    """Return the level and the title of a recommendation: no setting is good that gives no use."""
    if level_of(one.most) == "noisy":
        return "noisy", "Too little is usable in every twin"
    if not one.in_most:
        return "partly", "Gives up least where it is worst"
    good = level_of(one.least) == "good"
    return "good" if good else "partly", "Holds in most twins"


def _recommended(context: Context[Any], work: Job) -> None:
    asked, twins = way_out.asked(context), work.result
    known = cached_frontier.robust(context.key.finest, asked, way_out.RISKS, twins)
    one = known.get(asked.risk)
    if one is None:
        st.info("No setting that meets this need keeps the limit of risk in all of them.")
    else:
        words = (
            f"{wording.setting_words(one.candidate)}: {_range(one)} of trips usable. It comes "
            f"within {CLOSE:.0%} of the best setting in {one.holds} of {one.twins} twins, and "
            f"gives up {percent(one.regret)} at most."
        )
        level, title = judged(one)
        st.html(cards.verdict_html(level, words, of=context.entry.name, title=title))
        if way_out.is_set(one.candidate, context):
            st.caption("As you have it ✓")
        else:
            st.button(
                "Use it",
                key="ensemble_use",
                type="primary",
                on_click=way_out.take,
                args=(one.candidate, context.entry),
            )
    if known:
        _picture(known)


def _picture(known: dict[float, Robust]) -> None:
    """Draw the range of use of what is recommended at each limit of risk, and the settings."""
    rows = list(known.items())
    low, high = ([getattr(one, end) for _, one in rows] for end in ("least", "most"))
    middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    charts.curve(
        [charts.Line(name="Use over the twins", y=middle, low=low, high=high)],
        x=[risk for risk, _ in rows],
        at=charts.share(
            "Limit of risk: an attacker's best guess over everything released",
            domain=(way_out.RISKS[0], way_out.RISKS[-1]),
        ),
        of=charts.share("Trips usable: middle and range"),
        current=setting.value(way_out.RISK),
        dots=True,
        key="ensemble_chart",
        alt="Use of the recommended setting over the twins, by the limit of risk",
    )
    tables.draw(
        {
            "Limit of risk": [f"{risk:.0%}" for risk, _ in rows],
            "Recommended": [wording.setting_words(one.candidate) for _, one in rows],
            "Use": [_range(one) for _, one in rows],
            "Holds in": [f"{one.holds} of {one.twins} twins" for _, one in rows],
            "Gives up at most": [percent(one.regret) for _, one in rows],
        },
        key="ensemble_table",
    )


def _range(one: Robust) -> str:
    low, high = percent(one.least), percent(one.most)
    return low if low == high else f"{low} to {high}"
