"""The view Aid: how large the movement seems, and where help would go, by the exact law."""

import streamlit as st

from engine import decisions
from engine.decisions import Selection
from engine.decisions.judgement import GOOD_OVERLAP, GOOD_TOTAL_ERROR, AidJudgement
from engine.parameters import ODParameters
from pages._ui import jobs
from pages._ui.cache import decided
from pages._ui.decisions import outflow, question, table, wording
from pages._ui.decisions.work import Aid
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.jobs import Job
from pages._ui.views.context import Context
from pages._ui.wording.numbers import number, percent, signed_percent

_FINE_ZONES, _FINE_MOST = 100, 10
"""With many zones only so many destinations are ranked: the law costs k² for each zone."""


def draw(context: Context[ODParameters]) -> None:
    """Draw the view."""
    st.subheader(wording.title("Where help goes after a shock", context.entry.name), anchor=False)
    asked = question.shock(context.entry)
    if asked is None:
        return
    aid = Aid(context, *asked)
    with st.spinner("Reading the trips out of the area …"):
        zones = aid.leaving.kept.shape[2]
    most = min(zones, max(aid.k, question.MOST if zones <= _FINE_ZONES else _FINE_MOST))
    law = jobs.job(
        "decisions_law", decided.chosen, context.key, aid.shock, context.parameters, most
    )

    def show(running: Job) -> None:
        jobs.progress(running, "Days of the exact law", "decisions_law")
        if running.result is None:
            st.html(cards.pending_html("The law of the main destinations is being computed."))
            return
        _figures(aid, running.result)

    jobs.live("decisions_law", law, show)
    left, right = st.columns(2, gap="large")
    with left:
        outflow.causes(aid.totals)
    with right:
        outflow.by_day(aid)
    outflow.slope(aid)
    _notes(context)
    table.migration()


def _figures(aid: Aid, selection: Selection) -> None:
    judged = decisions.judge_aid(aid.totals, selection.overlap[aid.k - 1])
    st.html(
        cards.verdict_html(
            judged.level,
            wording.aid_verdict(judged, aid.context.epsilon, aid.k),
            "Exact, by the law of the release: no noise is drawn. Usable means that "
            f"{GOOD_OVERLAP:.0%} of the destinations are named and the total is within "
            f"{GOOD_TOTAL_ERROR:.0%}.",
            of=aid.context.entry.name,
        )
    )
    cards.row(_cards(aid, judged, selection))
    left, right = st.columns([1.3, 1], gap="large")
    with left:
        outflow.ranked(aid, selection)
    with right:
        outflow.overlap(selection, aid.k)


def _cards(aid: Aid, judged: AidJudgement, selection: Selection) -> list[Card]:
    exact, k = aid.totals, aid.k
    together = exact.together
    low, high = (number(float(value)) for value in (together.low, together.high))
    fewer = float(selection.fewer[k - 1].mean())
    return [
        Card(
            "Trips out of the area, truly",
            number(float(together.true)),
            "true total",
            f"Trips within the affected area ({number(float(exact.inside_by_day.sum()))}) are not "
            "counted.",
        ),
        Card(
            "Trips out, as released",
            number(float(together.expected)),
            f"{low} to {high}",
            f"Expected value and 95% interval; {signed_percent(judged.total_error)} off the truth.",
        ),
        Card(
            f"Right destinations (k = {k})",
            percent(judged.overlap),
            "expected overlap",
            f"On an average day, of the {k} that truly received most.",
        ),
        Card(
            "Too few destinations left",
            percent(fewer),
            "mean over days",
            f"Probability that fewer than {k} zones read above 0; missing ones count as misses.",
        ),
    ]


def _notes(context: Context[ODParameters]) -> None:
    parameters = context.parameters
    named = context.entry.metadata.scenario.get("marginals", {}).get("daily_trips_percentiles", {})
    percentile = next(
        (p for p, trips in named.items() if trips == parameters.max_trips_per_user), None
    )
    if percentile and parameters.unit == "person-day":
        st.caption(
            f"For the data's custodians: T = {parameters.max_trips_per_user} is percentile "
            f"{percentile} of the daily trips in these data. Choosing T by it reads the data "
            "(erratum O4)."
        )
