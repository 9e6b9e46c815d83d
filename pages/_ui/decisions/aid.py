"""The view Aid: how large the movement seems, and where help would go, by the exact law."""

import streamlit as st

from engine import decisions
from engine.decisions import AidJudgement, Selection, ShockTotals
from engine.parameters import ODParameters
from pages._ui import jobs
from pages._ui.cache import decided
from pages._ui.cache import decisions as cached_decisions
from pages._ui.decisions import destinations, emergency, published, totals, wording
from pages._ui.drawing import cards, tables
from pages._ui.drawing.cards import Card
from pages._ui.jobs import Job
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed
from pages._ui.wording.numbers import number, percent, signed_percent

_FINE_ZONES, _FINE_MOST = 100, 10
"""With many zones only so many destinations are ranked: the law costs k² for each zone."""


def draw(entry: Entry, parameters: ODParameters, seed: Seed) -> None:
    """Draw the view."""
    st.subheader(wording.title("Where help goes after a shock", entry.name), anchor=False)
    asked = emergency.ask(entry)
    if asked is None:
        return
    shock, k = asked
    with st.spinner("Reading the trips out of the area …"):
        leaving = cached_decisions.leaving(entry.key, shock, parameters)
    exact = cached_decisions.totals(entry.key, shock, parameters)
    zones = leaving.kept.shape[2]
    most = min(zones, max(k, emergency.MOST if zones <= _FINE_ZONES else _FINE_MOST))
    law = jobs.job("decisions_law", decided.chosen, entry.key, shock, parameters, most)

    def show(running: Job) -> None:
        jobs.progress(running, "Days of the exact law", "decisions_law")
        if running.result is None:
            st.html(cards.pending_html("The law of the main destinations is being computed."))
            return
        _figures(entry, parameters, shock, k, exact, running.result)

    jobs.live("decisions_law", law, show)
    left, right = st.columns(2, gap="large")
    with left:
        totals.causes(exact)
    with right:
        totals.by_day(entry, shock, exact)
    destinations.slope(entry, shock, parameters, k, seed)
    _notes(entry, parameters)


def _figures(
    entry: Entry,
    parameters: ODParameters,
    shock: cached_decisions.Emergency,
    k: int,
    exact: ShockTotals,
    selection: Selection,
) -> None:
    judged = decisions.judge_aid(exact, selection.overlap[k - 1])
    st.html(
        cards.verdict_html(
            judged.level,
            wording.aid_verdict(judged, parameters.epsilon, k),
            "Exact, by the law of the release: no noise is drawn. Usable means that "
            f"{decisions.GOOD_OVERLAP:.0%} of the destinations are named and the total is within "
            f"{decisions.GOOD_TOTAL_ERROR:.0%}.",
            of=entry.name,
        )
    )
    cards.row(_cards(exact, judged, selection, k))
    left, right = st.columns([1.3, 1], gap="large")
    with left:
        destinations.ranked(entry, shock, parameters, k, selection)
    with right:
        destinations.overlap(selection, k)


def _cards(exact: ShockTotals, judged: AidJudgement, selection: Selection, k: int) -> list[Card]:
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


def _notes(entry: Entry, parameters: ODParameters) -> None:
    named = entry.metadata.scenario.get("marginals", {}).get("daily_trips_percentiles", {})
    percentile = next(
        (p for p, trips in named.items() if trips == parameters.max_trips_per_user), None
    )
    if percentile and parameters.unit == "person-day":
        st.caption(
            f"For the data's custodians: T = {parameters.max_trips_per_user} is percentile "
            f"{percentile} of the daily trips in these data. Choosing T by it reads the data "
            "(erratum O4)."
        )
    if setting.draw(
        st.toggle,
        "Show what P2 printed (Table 3)",
        setting.switch("decisions_p2_aid", default=False),
    ):
        st.html(tables.table_html(published.table_3().to_dict("list")))
        st.caption(published.TABLE_3_NOTE)
