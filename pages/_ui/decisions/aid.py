"""The view Aid: how large the movement seems, where help would go, and both over ε."""

import math
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from engine import decisions
from engine.contract import Aggregation, Setting
from engine.decisions import AidDraws, Outflow, Shock, ShockTotals
from engine.decisions.decision_evaluation import GOOD_TOTAL_ERROR, AidEvaluation, meets_aid_target
from engine.decisions.rules import first_zones
from engine.parameters import EPSILON_STOPS
from engine.verdict import FAIR_SHARE, GOOD_SHARE
from pages._ui import state
from pages._ui.decisions import question, work
from pages._ui.drawing import cards, charts
from pages._ui.drawing.charts import DASHED, EPSILON, Line, Mark, Note
from pages._ui.drawing.colours import OTHER, PRIVATE, TRUE
from pages._ui.jobs import pieces
from pages._ui.jobs.pieces import Job
from pages._ui.shell.catalogue import Entry
from pages._ui.wording.numbers import inert, joined, number, percent

_CAUSES = {
    "trimming": "because trips beyond T are trimmed",
    "suppression": "because small flows are suppressed",
    "noise": "because of noise on flows that exist",
    "phantoms": "because of phantom flows, which noise invents",
}
_SHOWN = 8


class _Matrices(NamedTuple):
    """What is said of several matrices: on average, of a share of them, and of each in truth."""

    average: str
    share: str
    some: str
    truly: str


_SAID: dict[Aggregation, _Matrices] = {
    "day": _Matrices("on an average day", "days", "On {} of days", "Days truly among them"),
    "week": _Matrices("in an average week", "weeks", "In {} of weeks", "Weeks truly among them"),
    "whole": _Matrices("on average", "releases", "In {} of releases", "Truly among them"),
}


class Shown(NamedTuple):
    """What every figure needs: the setting, its dataset, the question and the trips."""

    setting: Setting
    entry: Entry
    shock: Shock
    k: int
    leaving: Outflow
    exact: ShockTotals | None

    @property
    def total(self) -> float:
        """True trips out of the area."""
        return float(self.leaving.true_trips.sum())

    def job(self, name: str, epsilons: tuple[float, ...], draws: int, **named: Any) -> Job:
        """Return the draws at some ε."""
        settings = tuple(self.setting.parameters.with_epsilon(epsilon) for epsilon in epsilons)
        asked = self.setting.selection, self.shock, self.k, settings, state.seed(self.entry)
        parts = [(*asked, at) for at in range(draws // work.PIECE)]
        return pieces.ask(name, work.aid, parts, **named)


def draw(setting: Setting, entry: Entry) -> None:
    """Draw the view."""
    sums = {"day": "", "week": ", by sums of a week", "whole": ", by the sum of the whole period"}
    title = f"Where help goes after a shock: {inert(entry.name)}{sums[setting.time.aggregation]}"
    st.subheader(title, anchor=False)
    key, parameters = setting.selection, setting.parameters
    with st.container(key="decisions_question"):
        asked = question.shock(key)
    if asked is None:
        return
    leaving = work.outflow(key, asked[0], parameters.with_epsilon(1.0))
    exact, draws = None, work.OURS
    if parameters.method == "laplace_suppression":
        exact, draws = decisions.compute_shock_totals(leaving, parameters), work.AID_DRAWS
    seen = Shown(setting, entry, *asked, leaving, exact)
    drawn = seen.job("decisions_aid", (parameters.epsilon,), draws)
    question.live("decisions_aid", drawn, lambda known, _: _figures(seen, work.together(known)))
    _over_epsilon(seen)


def _figures(seen: Shown, drawn: AidDraws) -> None:
    k, totals = seen.k, drawn.totals[0]
    names, zones = list(work.names(seen.setting.selection).values()), seen.shock.zones
    area = joined([names[one] for one in zones]) if len(zones) < 4 else f"{len(zones)} zones"
    judged = decisions.evaluate_aid(seen.total, totals, drawn.overlap[0, :, k - 1], seen.exact)
    st.html(
        cards.verdict_html(
            judged.verdict,
            verdict(judged, seen.setting.parameters.epsilon, k, seen.setting.time.aggregation),
            f"Mean over {len(totals)} releases. Usable means that {GOOD_SHARE:.0%} of the "
            f"destinations are named and the total is within {GOOD_TOTAL_ERROR:.0%}; in part, "
            f"{FAIR_SHARE:.0%} each.",
        )
    )
    released = number(seen.total * (1 + judged.total_error))
    inside = number(float(seen.leaving.internal_trips.sum()))
    shortfall = percent(float(drawn.shortfall_rate[0]))
    low, high = (number(float(end)) for end in np.quantile(totals, [0.025, 0.975]))
    st.caption(
        f"Truly {number(seen.total)} trips left {inert(area)}; {inside} within are not counted. As "
        f"released {released}, mean; {low} to {high} in 95% of releases. "
        f"{_SAID[seen.setting.time.aggregation].some.format(shortfall)} fewer "
        f"than {k} zones read above 0; missing ones count as misses."
    )
    _ranked(seen, drawn)


def _ranked(seen: Shown, drawn: AidDraws) -> None:
    """Draw how often each destination is among the first k, in truth and in releases."""
    k, by_matrix = seen.k, seen.leaving.true_trips.sum(axis=1)
    said = _SAID[seen.setting.time.aggregation]
    st.subheader(f"Who is among the first {k}", anchor=False)
    truly, chance = first_zones(by_matrix, k).mean(axis=0), drawn.targeting_rate[0]
    received = by_matrix.sum(axis=0)
    order = np.lexsort((-received, -chance, -truly))[: max(_SHOWN, 2 * k)]
    order = order[(received[order] > 0) | (chance[order] >= 0.005)]
    if not len(order):
        st.caption("Nobody left the area, and no release names a destination.")
        return
    names = list(work.names(seen.setting.selection).values())
    charts.bars(
        [names[seen.leaving.destinations[at]] for at in order],
        [
            Mark(name="Chosen in releases", values=chance[order]),
            Mark(name=said.truly, values=truly[order], colour=TRUE, kind="tick"),
        ],
        of=charts.share(f"Share of {said.share}"),
        key="decisions_ranked",
        alt="How often each destination is chosen, and how often it truly is among the first",
    )


def _over_epsilon(seen: Shown) -> None:
    if seen.exact is None:
        st.caption(question.NO_CURVE)
        return
    st.subheader("How it depends on ε", anchor=False)
    curve = seen.job("decisions_aid_curve", EPSILON_STOPS, work.AID_CURVE, delay_s=0.5)
    left, right = st.columns(2, gap="medium")
    least = question.kept(left, "Keep right destinations at … %", "decisions_overlap_at", 90.0)
    error = question.kept(right, "and the total within … %", "decisions_error_at", 10.0)

    def show(known: list[AidDraws], done: bool) -> None:
        drawn = work.together(known)
        overlap = drawn.overlap[:, :, seen.k - 1]
        if seen.total == 0 or not np.isfinite(overlap).any():
            st.caption("Nobody left the area, so there is nothing to keep right.")
            return
        near = 1 - np.minimum(np.abs(drawn.totals / seen.total - 1).mean(axis=1), 1)
        charts.curve(
            [
                Line(name="right destinations", y=np.nanmean(overlap, axis=1), colour=PRIVATE),
                Line(name="total, 1 less its error", y=near, colour=OTHER, dash=DASHED),
            ],
            x=EPSILON_STOPS,
            at=EPSILON,
            of=charts.share("Share right"),
            current=seen.setting.parameters.epsilon,
            notes=[Note(y=least, words=f"to keep, {least:.0%}")],
            key="decisions_aid_epsilon",
            alt="Share of right destinations and nearness of the total over the privacy loss",
        )
        if done:
            met = meets_aid_target(seen.total, drawn.totals, overlap, least, error)
            promise = f"{least:.0%} of destinations and the total within {error:.0%}"
            question.offer(met, promise, seen.entry.name)

    question.live("decisions_aid_curve", curve, show)


def verdict(judged: AidEvaluation, epsilon: float, k: int, step: Aggregation) -> str:
    """Say where help would go and how large the movement would seem."""
    if math.isnan(judged.overlap):
        return "Nobody left the affected area in this time, so there is nothing to decide."
    direction, off = "high" if judged.total_error > 0 else "low", abs(judged.total_error)
    size = "the total reads right"
    if off >= 0.0005:
        size = f"the total reads {percent(off)} too {direction}"
    cause = _CAUSES.get(judged.main_cause, "") if off >= 0.005 else ""
    said, named = _SAID[step], percent(judged.overlap)
    chosen = f"{named} of the {k} main destinations are named {said.average}"
    if k == 1:
        often = said.some.format(named)
        chosen = f"the first destination is named {often[0].lower()}{often[1:]}"
    return f"At ε = {epsilon:g}, {chosen}; {size}{', mainly ' if cause else ''}{cause}."
