"""The view Aid: how large the movement seems, where help would go, and both over ε."""

import math
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from engine import decisions
from engine.arrays import Floats
from engine.contract import Aggregation, Setting
from engine.decisions import AidDraws, Outflow, Shock, ShockTotals
from engine.decisions.decision_evaluation import GOOD_TOTAL_ERROR, AidEvaluation, meets_aid_target
from engine.decisions.rules import first_zones
from engine.parameters import EPSILON_STOPS
from engine.text.numbers import join_words, make_inert, number, percent
from engine.verdict import FAIR_SHARE, GOOD_SHARE
from pages._ui.answers import cached
from pages._ui.app import cache, parallel
from pages._ui.app.catalogue import Entry
from pages._ui.app.parallel import Job
from pages._ui.components import cards, charts
from pages._ui.components.charts import Mark, Note
from pages._ui.components.colours import TRUE
from pages._ui.decisions import question, trials
from pages._ui.frame import presenter
from pages._ui.settings import seeds

_CAUSES = {
    "trimming": "because trips beyond T are not counted",
    "suppression": "because small flows are suppressed",
    "noise": "because of noise on flows that exist",
    "phantoms": "because of phantom flows (invented by noise)",
}
_MIN_ZONES, _MAX_NAMED = 8, 8
_MAX_CELLS, _MAX_ESTIMATED_CELLS = 2_000_000, 20_000
"""Of a release in which each zone is judged, by its method: one of many numbers takes long."""


class _TimeWords(NamedTuple):
    """What is said of several matrices: on average, and of a share of them."""

    average: str
    share: str
    some: str


_TIME_WORDS: dict[Aggregation, _TimeWords] = {
    "day": _TimeWords("on an average day", "days", "On {} of days"),
    "week": _TimeWords("in an average week", "weeks", "In {} of weeks"),
    "whole": _TimeWords("on average", "releases", "In {} of releases"),
}


class AidView(NamedTuple):
    """What every figure needs: the setting, its dataset, the question and the trips."""

    setting: Setting
    entry: Entry
    shock: Shock
    k: int
    outflow: Outflow
    exact: ShockTotals | None

    @property
    def total(self) -> float:
        """True trips out of the area."""
        return float(self.outflow.true_trips.sum())

    def job(
        self, name: str, epsilons: tuple[float, ...], draws: int, size: int, **options: Any
    ) -> Job:
        """Return the draws at some ε; a first piece of many small ones is drawn at once."""
        settings = tuple(self.setting.parameters.with_epsilon(epsilon) for epsilon in epsilons)
        args = self.setting.selection, self.shock, self.k, settings, seeds.seed(self.entry)
        parts = [(*args, size, part) for part in range(draws // size)]
        if size == trials.AID_PIECE and self.outflow.true_trips.size <= trials.MAX_AT_ONCE:
            cache.compute(trials.simulate_aid, *parts[0])
        return parallel.submit(name, trials.simulate_aid, parts, **options)


def draw(setting: Setting, entry: Entry) -> None:
    """Draw the view."""
    sums = {"day": "", "week": ", by sums of a week", "whole": ", by the sum of the whole period"}
    title = (
        f"Where help goes after a shock: {make_inert(entry.name)}{sums[setting.time.aggregation]}"
    )
    st.subheader(title, anchor=False)
    key, parameters = setting.selection, setting.parameters
    with st.container(key="decisions_question"):
        answers = question.ask_shock(key)
    if answers is None:
        if presenter.is_presenting():
            st.info("Choose the affected zones under Explore.")
        return
    leaving = trials.outflow(key, answers[0], parameters.with_epsilon(1.0))
    exact, draws, size = None, trials.SLOW_DRAWS, trials.PIECE
    if cached.method_of(setting).has_flow_distribution:
        exact = decisions.compute_shock_totals(leaving, parameters)
        draws, size = trials.AID_DRAWS, trials.AID_PIECE
    view = AidView(setting, entry, *answers, leaving, exact)
    job = view.job("decisions_aid", (parameters.epsilon,), draws, size)

    def show(pieces: list[AidDraws], _: bool) -> None:
        count = question.count_draws(size * len(pieces), job, size)
        _draw_figures(view, trials.join_draws(pieces), count)

    question.draw_live("decisions_aid", job, show, size)
    _draw_other_areas(view)
    if not presenter.is_presenting():
        _draw_epsilon_curve(view)


def _draw_figures(view: AidView, draws: AidDraws, count: str) -> None:
    k, totals = view.k, draws.totals[0]
    names, zones = list(trials.names(view.setting.selection).values()), view.shock.zones
    area = (
        join_words([make_inert(names[zone]) for zone in zones])
        if len(zones) < 4
        else f"{len(zones)} zones"
    )
    result = decisions.evaluate_aid(view.total, totals, draws.overlap[0, :, k - 1], view.exact)
    st.html(
        cards.verdict_html(
            result.verdict,
            describe_verdict(
                result, view.setting.parameters.epsilon, k, view.setting.time.aggregation
            ),
            f"Mean over {count}. Usable: {GOOD_SHARE:.0%} of them named, the total within "
            f"{GOOD_TOTAL_ERROR:.0%}. In part: {FAIR_SHARE:.0%} named, the total within "
            f"{FAIR_SHARE:.0%}.",
        )
    )
    released = number(view.total * (1 + result.total_error))
    inside, shortfall = float(view.outflow.internal_trips.sum()), float(draws.shortfall_rate[0])
    inside_words = f"; {number(inside)} within are not counted" if inside else ""
    few_words = (
        f" {_TIME_WORDS[view.setting.time.aggregation].some.format(percent(shortfall))} fewer "
        f"than {k} zones are shown above 0; missing ones count as misses."
    )
    low, high = (number(float(end)) for end in np.quantile(totals, [0.025, 0.975]))
    is_off = not np.quantile(totals, 0.025) <= view.total <= np.quantile(totals, 0.975)
    off_words = " The truth lies outside: this error does not average out." if is_off else ""
    st.caption(
        f"{number(view.total)} trips left {area} in truth{inside_words}. Releases say {released} "
        f"on average, and {low} to {high} in 95% of these.{off_words}"
        f"{few_words if shortfall else ''}"
    )
    _draw_ranking(view, draws)


def _draw_ranking(view: AidView, draws: AidDraws) -> None:
    """Draw how often each destination is among the first k, in truth and in releases."""
    k, by_matrix = view.k, view.outflow.true_trips.sum(axis=1)
    words = _TIME_WORDS[view.setting.time.aggregation]
    st.subheader(f"The first {k} destinations", anchor=False)
    truly, chance = first_zones(by_matrix, k).mean(axis=0), draws.targeting_rate[0]
    received = by_matrix.sum(axis=0)
    order = np.lexsort((-received, -chance, -truly))[: max(_MIN_ZONES, 2 * k)]
    order = order[(received[order] > 0) | (chance[order] >= 0.005)]
    if not len(order):
        st.caption("Nobody left the area, and no release names a destination.")
        return
    names = list(trials.names(view.setting.selection).values())
    charts.draw_bars(
        [names[view.outflow.destinations[position]] for position in order],
        [
            Mark(name="Selected, from releases", values=chance[order]),
            Mark(name="Selected, from true data", values=truly[order], colour=TRUE, kind="tick"),
        ],
        measure=charts.share_axis(f"Share of {words.share}"),
        key="decisions_ranked",
        alt="How often each destination is chosen, and how often it truly is among the first",
    )


def _draw_other_areas(view: AidView) -> None:
    """Say for how many zones, each as the area by itself, the same release is usable."""
    setting, days = view.setting, view.shock.days
    is_quick = cached.method_of(setting).has_flow_distribution
    zones = len(cached.dataset(setting.selection).zones)
    if len(days) * zones**2 > (_MAX_CELLS if is_quick else _MAX_ESTIMATED_CELLS) or view.k >= zones:
        return
    seed = seeds.seed(view.entry)
    pieces = [(setting, days, view.k, seed, repeat) for repeat in range(trials.ZONE_DRAWS)]
    job = parallel.submit("decisions_zones", trials.score_each_zone, pieces, delay_s=0.5)

    def show(results: list[tuple[Floats, Floats]], running: bool) -> None:
        if running:
            return
        true = np.sum([cached.truth(setting, day) for day in days], axis=0)
        np.fill_diagonal(true, 0)
        totals, overlaps = (np.stack(part) for part in zip(*results, strict=True))
        names = list(trials.names(setting.selection).values())
        by_zone = {
            zone: decisions.evaluate_aid(float(trips), totals[:, zone], overlaps[:, zone]).verdict
            for zone, trips in enumerate(true.sum(axis=1))
            if trips
        }
        levels = list(by_zone.values())
        if not levels:  # the first caption says that nobody left
            return
        weak = [make_inert(names[zone]) for zone, level in by_zone.items() if level != "good"]
        which = f" Less than usable: {join_words(weak)}." if 0 < len(weak) <= _MAX_NAMED else ""
        counts = [
            f"{word.lower()} for {levels.count(level)}" for level, word in cards.LEVEL_WORDS.items()
        ]
        st.caption(
            f"**Each zone as the area by itself:** of {len(levels)} zones that people leave, "
            f"{join_words(counts)}, by the same rule. Means of {trials.ZONE_DRAWS} releases.{which}"
        )

    parallel.draw_live("decisions_zones", job, show)


def _draw_epsilon_curve(view: AidView) -> None:
    if reason := cached.method_of(view.setting).slow_reason:
        st.caption(f"No curve over ε is drawn. {reason}")
        return
    st.subheader("Effect of ε", anchor=False)
    curve = view.job(
        "decisions_aid_curve", EPSILON_STOPS, trials.AID_CURVE, trials.PIECE, delay_s=0.5
    )
    left_col, right_col = st.columns(2, gap="medium")
    share = question.ask_share(
        left_col, "Destinations found, at least … %", "decisions_overlap_at", 90.0
    )
    error = question.ask_share(
        right_col, "Error of the total, at most … %", "decisions_error_at", 10.0
    )

    def show(results: list[AidDraws], done: bool) -> None:
        draws = trials.join_draws(results)
        overlap = draws.overlap[:, :, view.k - 1]
        if view.total == 0 or not np.isfinite(overlap).any():
            st.caption("Nobody left the area, so there is no result to compare.")
            return
        near = 1 - np.minimum(np.abs(draws.totals / view.total - 1).mean(axis=1), 1)
        charts.draw_curve(
            charts.make_lines(
                {"destinations found": np.nanmean(overlap, axis=1), "1 − error of the total": near}
            ),
            y_axis=charts.share_axis("Share correct"),
            current=view.setting.parameters.epsilon,
            notes=[Note(y=share, words=f"target: {share:.0%}")],
            key="decisions_aid_epsilon",
            alt="Share of right destinations and nearness of the total over the privacy loss",
        )
        if done:
            met = meets_aid_target(view.total, draws.totals, overlap, share, error)
            promise = f"{share:.0%} of destinations found and the total within {error:.0%}"
            question.offer_epsilon(met, promise, view.entry.name)

    question.draw_live("decisions_aid_curve", curve, show)


def describe_verdict(evaluation: AidEvaluation, epsilon: float, k: int, step: Aggregation) -> str:
    """Return where help would go and how large the movement would seem, in words."""
    if math.isnan(evaluation.overlap):
        return "Nobody left the affected area in this time, so there is nothing to decide."
    direction, off = "high" if evaluation.total_error > 0 else "low", abs(evaluation.total_error)
    size = "the total is right on average"
    if off >= 0.0005:
        size = f"the total is {percent(off)} too {direction}"
    cause = _CAUSES.get(evaluation.main_cause, "") if off >= 0.005 else ""
    words, share = _TIME_WORDS[step], percent(evaluation.overlap)
    chosen = f"{share} of the {k} main destinations are named {words.average}"
    if k == 1:
        often = words.some.format(share)
        chosen = f"the first destination is named {often[0].lower()}{often[1:]}"
    return f"At ε = {epsilon:g}, {chosen}; {size}{', mainly ' if cause else ''}{cause}."
