"""The view Epidemic: verdict, who acts where, curves, and accuracy over ε."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from engine import decisions
from engine.arrays import Floats
from engine.contract import Selection, Setting
from engine.decisions.decision_evaluation import (
    GOOD_SHIFT_DAYS,
    EpidemicEvaluation,
    meets_epidemic_target,
)
from engine.decisions.rules import NEVER_ACTS, Comparison, join_comparisons
from engine.errors import ExplorerError
from engine.origin_destination import has_suppression
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.text import setting_text as words
from engine.text.numbers import count_noun, make_inert, number, percent
from engine.text.privacy_text import UNIT_LABELS
from engine.verdict import GOOD_SHARE
from pages._ui.answers import cached
from pages._ui.answers.assessments import NOTED_LOSS
from pages._ui.app import parallel
from pages._ui.app.catalogue import Entry
from pages._ui.app.session import session
from pages._ui.components import cards, charts, picture
from pages._ui.components.charts import DASHED, SOLID, Axis, Line, Note
from pages._ui.components.colours import OTHER, PRIVATE, TRUE
from pages._ui.components.picture import Picture, Shapes
from pages._ui.decisions import question, trials
from pages._ui.decisions.trials import Outbreak
from pages._ui.frame import presenter
from pages._ui.settings import fields, seeds

SHARES_NOTE = (
    "Recall: of the days on which a zone should act, the share on which it does. Precision: of the "
    "days on which it acts, the share on which it should."
)
_ZONES = 3
_EDGES = {"missed": "lost", "needless": "phantom", "right": ""}
_PALE, _DARK = 60, 235


class EpidemicView(NamedTuple):
    """What every figure needs: the setting, its dataset, the question and the truth."""

    setting: Setting
    entry: Entry
    key: Selection
    outbreak: Outbreak
    true_prevalence: Floats
    is_current: bool


def draw(setting: Setting, entry: Entry, as_if: str = "") -> None:
    """Draw the view, `as_if` it were what is set; what lacks is said before anything is shown."""
    title = f"When zones act in an epidemic: {make_inert(entry.name)}"
    st.subheader(title + f", {as_if}" * bool(as_if), anchor=False)
    key = trials.inhabited_selection(setting.selection)
    try:
        with st.container(key="decisions_question"):
            outbreak = question.ask_outbreak(key)
        with st.spinner("Running the epidemic with the true trips …"):
            true = trials.true_prevalence(key, outbreak)
    except ExplorerError as problem:
        st.info(make_inert(str(problem), None), icon=":material/group:")
        return
    if float(true.max()) < outbreak.threshold:
        days, highest = len(cached.dataset(key).metadata.days), percent(float(true.max()))
        st.info(
            f"No zone reaches {percent(outbreak.threshold)} infected in the {days} days of "
            f"{make_inert(entry.name)}; the highest prevalence is {highest}. There is nothing to "
            "decide. Choose a lower threshold or more days.",
            icon=":material/timeline:",
        )
        return
    view = EpidemicView(setting, entry, key, outbreak, true, is_current=not as_if)
    args = key, outbreak, (setting.parameters,), seeds.seed(entry)
    parts = [(*args, part) for part in range(cached.DRAW_COUNT // trials.PIECE)]
    job = parallel.submit("decisions_here", trials.simulate_epidemics, parts)
    question.draw_live("decisions_here", job, lambda results, _: _draw_figures(view, results, job))
    if presenter.is_presenting():
        return
    _draw_epsilon_curve(view)
    left_out = len(trials.names(setting.selection)) - len(trials.names(view.key))
    st.caption(describe_population(setting.parameters, left_out, outbreak))


def draw_as_if_daily(setting: Setting, entry: Entry) -> None:
    """Show what needs days as if each were released, where asked to; what is set stays as it is."""
    daily, mode = question.daily_setting(setting)
    st.info(
        "An epidemic follows the days, and this setting is released "
        f"{words.describe_time(setting)}. It can "
        f"be shown {mode}. That changes nothing that is set.",
        icon=":material/calendar_month:",
    )
    if st.toggle(f"{mode[0].upper()}{mode[1:]}", key="decisions_as_daily", **fields.LINKED):
        session().judged_names.add(entry.name)
        session().stamp = (
            f"{words.format_controls(daily)}, {UNIT_LABELS[daily.parameters.unit]}, {mode}"
        )
        draw(daily, entry, mode)


def _draw_figures(view: EpidemicView, draws: Sequence[Floats], job: parallel.Job) -> None:
    runs = np.concatenate([part[0] for part in draws])
    comparison = decisions.compare_decisions(view.true_prevalence, runs, view.outbreak.threshold)
    result = decisions.evaluate_epidemic(comparison)
    parameters, origin = view.setting.parameters, trials.names(view.key)[view.outbreak.origin]
    low, high = np.quantile(comparison.accuracy, [0.025, 0.975])
    st.html(
        cards.verdict_html(
            result.verdict,
            describe_verdict(result, comparison, parameters, origin),
            f"Mean over {question.count_draws(len(runs), job)}, 95% of them between "
            f"{percent(float(low))} and {percent(float(high))}. Only noise differs between them. "
            f"Usable means two things. Mean precision and recall over zones reach {GOOD_SHARE:.0%} "
            f"(here {percent(result.precision)} and {percent(result.recall)}). The median zone "
            f"begins to act at most {GOOD_SHIFT_DAYS:g} day early or late. {SHARES_NOTE}",
        )
    )
    zones = cached.read(picture.shapes, view.key)
    picture.draw(decisions_picture(zones, comparison, parameters.epsilon))
    if presenter.is_presenting():
        return
    _draw_curves(view, *np.quantile(runs, [0.025, 0.5, 0.975], axis=0))


def _draw_curves(view: EpidemicView, low: Floats, middle: Floats, high: Floats) -> None:
    """Draw prevalence in the origin and where releases differ most from the truth."""
    st.subheader("Epidemic curves", anchor=False)
    true, names = view.true_prevalence, trials.names(view.key)
    distances = np.abs(true - middle).max(axis=0)
    distances[list(names).index(view.outbreak.origin)] = np.inf
    zones = np.argsort(-distances, kind="stable")[:_ZONES].tolist()
    highest = float(max(true.max(), high.max(), view.outbreak.threshold))
    days = pd.to_datetime(cached.dataset(view.key).metadata.days).tolist()
    form = "%b" if len(days) > 60 else "%-d %b"

    for column, zone in zip(st.columns(_ZONES, gap="medium"), zones, strict=False):
        name = list(names.values())[zone]
        y, below, above = middle[:, zone], low[:, zone], high[:, zone]
        with column:
            st.caption(make_inert(name))
            charts.draw_curve(
                [
                    Line(name="true data", y=true[:, zone], colour=TRUE),
                    Line(name="releases, 95% of them", y=y, low=below, high=above),
                ],
                x=days,
                x_axis=Axis(title="Day", kind="time", form=form, tip="%d %b %Y", ticks=4),
                y_axis=charts.share_axis("Infected", domain=(0.0, highest), ticks=5),
                notes=[Note(y=view.outbreak.threshold)],
                legend=False,
                key=f"decisions_curve_{zone}",
                alt=f"Share of people infected in {name} over the days: true and released",
                height=210,
            )
    st.caption(
        "Grey: true data. Blue: releases, and 95% of them. A zone acts from the dashed red line "
        "on. Between grey and blue lies bias; the band is chance."
    )


def _draw_epsilon_curve(view: EpidemicView) -> None:
    parameters = view.setting.parameters
    if reason := cached.method_of(view.setting).slow_reason:
        st.caption(f"No curve over ε is drawn. {reason}")
        return
    st.subheader("Effect of ε", anchor=False)
    settings = tuple(parameters.with_epsilon(epsilon) for epsilon in EPSILON_STOPS)
    args = view.key, view.outbreak, settings, seeds.seed(view.entry)
    parts = [(*args, part) for part in range(trials.CURVE_DRAWS // trials.PIECE)]
    curve = parallel.submit("decisions_curve", trials.compare_decisions, parts, delay_s=0.5)
    left_col, right_col = st.columns(2, gap="medium")
    accuracy = question.ask_share(
        left_col, "Decisions unchanged, at least … %", "decisions_accuracy_at", 95.0
    )
    recall = question.ask_share(right_col, "Recall, at least … %", "decisions_recall_at", 80.0)

    def show(results: list[Comparison], done: bool) -> None:
        comparison = join_comparisons(results, axis=1)
        never = float(comparison.never_acting_accuracy)
        charts.draw_curve(
            [
                _make_line("accuracy", comparison.accuracy, PRIVATE, SOLID),
                _make_line("recall", comparison.recall, OTHER, DASHED),
            ],
            y_axis=charts.share_axis("Mean over zones", domain=None),
            current=parameters.epsilon,
            notes=[
                Note(y=never, words=f"never acting: {never:.1%} unchanged", colour=TRUE),
                Note(y=accuracy, words=f"target: {accuracy:.0%} unchanged"),
            ],
            key="decisions_accuracy",
            alt="Accuracy and recall of decisions over the privacy loss, that of never acting, and "
            "what is to be kept",
        )
        recalls = np.nan_to_num(comparison.recall).mean(axis=1)
        if done and has_suppression(parameters) and recalls[-1] < recalls.max() - NOTED_LOSS:
            st.caption(
                "Recall falls where ε is large: with less noise τ suppresses more small flows, and "
                "the epidemic reaches zones later."
            )
        if done:
            promise = f"accuracy at {accuracy:.0%} and recall at {recall:.0%}"
            met = meets_epidemic_target(comparison, accuracy, recall)
            question.offer_epsilon(met, promise, view.entry.name, is_current=view.is_current)

    question.draw_live("decisions_curve", curve, show)


def _make_line(name: str, means: Floats, colour: str, dash: tuple[int, int]) -> Line:
    """Return the mean and a band of one standard deviation over draws, shape (settings, draws)."""
    some = np.where(np.isnan(means).all(axis=1, keepdims=True), 0.0, means)
    mean, spread = np.nanmean(some, axis=1), np.nanstd(some, axis=1)
    low, high = mean - spread, mean + spread
    return Line(name=name, y=mean, colour=colour, dash=dash, low=low, high=high)


def zone_outcomes(comparison: Comparison) -> list[str]:
    """Return each zone's decision: wrong if over one in ten of its due days is wrong."""
    due = np.maximum(comparison.true_action_days, 1)
    missed = comparison.missed_days.mean(axis=0) / due
    needless = comparison.needless_days.mean(axis=0) / due
    wrong = np.maximum(missed, needless) > 1 - GOOD_SHARE + 1e-9
    return np.where(wrong, np.where(missed >= needless, "missed", "needless"), "right").tolist()


def decisions_picture(shapes: Shapes, comparison: Comparison, epsilon: float) -> Picture:
    """Return the picture: the darker a zone, the more days it acts; wrong ones have an edge."""
    acting, missed, needless = (
        values.mean(axis=0)
        for values in (comparison.action_days, comparison.missed_days, comparison.needless_days)
    )
    figures = zip(shapes.names, comparison.true_action_days, acting, missed, needless, strict=True)
    words = [
        f"{name}\nshould act on {due} days\nacts on {number(now)}\nmissed: {number(lost)}\n"
        f"needless: {number(vain)}"
        for name, due, now, lost, vain in figures
    ]
    sides = _side_html(
        shapes, "Days with action, true data", comparison.true_action_days / comparison.days, words
    )
    title = f"Days with action, mean of releases at ε = {epsilon:g}"
    edges = [_EDGES[outcome] for outcome in zone_outcomes(comparison)]
    sides += _side_html(shapes, title, acting / comparison.days, words, edges)
    due, key = number(float(comparison.true_action_days.sum())), ""
    for name, days in (("missed", missed), ("needless", needless)):
        text = f"{name}: {number(float(days.sum()))} zone-days, {due} needed"
        key += picture.swatch_html(_EDGES[name], text)
    note = "Marked: wrong days exceed a tenth of the needed days. Darker: acts on more days."
    return Picture(sides, f"{key}<span>{note}</span>")


def _side_html(
    shapes: Shapes, title: str, shares: Floats, words: Sequence[str], edges: Sequence[str] = ()
) -> str:
    highest = max(float(shares.max(initial=0.0)), 1e-9)
    opacities = np.where(shares > 0, _PALE + (_DARK - _PALE) * shares / highest, 20).round()
    fills = [f"{PRIVATE}{int(opacity):02x}" for opacity in opacities]
    paths = picture.zone_paths(shapes, fills, words, edges)
    return picture.figure_html(shapes, title, f"Map of decisions: {title}", paths)


def format_days(days: float) -> str:
    """Write a number of days, in weeks from two weeks on.

    >>> format_days(1), format_days(13), format_days(-56)
    ('1 day', '13 days', '8 weeks')
    """
    size = abs(days)
    return count_noun(round(size / 7), "week") if size >= 14 else count_noun(round(size), "day")


def describe_population(parameters: ODParameters, empty_zones: int, outbreak: Outbreak) -> str:
    """Return the population of the epidemic and the limits of that choice, in words."""
    barely = ""
    if outbreak.model.beta == question.P2["beta"]:
        barely = (
            " Without any travel, this epidemic peaks at 24.1%, barely above the 20% at which "
            "zones act. Small changes therefore flip many decisions."
        )
    without = f", without the {empty_zones:,} zones in which nobody lives" if empty_zones else ""
    return (
        f"Shares of infected are of the people whose home is in a zone{without}, counted in the "
        f"same data. Their number also gets Laplace noise of scale 1/ε here. To publish it, too, "
        f"would cost ε = {parameters.epsilon:g} more for a person's home.{barely}"
    )


def describe_verdict(
    evaluation: EpidemicEvaluation, comparison: Comparison, parameters: ODParameters, origin: str
) -> str:
    """Return the decisions' quality and its reason, in words."""
    days = comparison.days * comparison.true_action_days.size
    never = comparison.never_acting_accuracy
    text = (
        f"At ε = {parameters.epsilon:g}, {percent(evaluation.accuracy)} of {days:,} zone-day "
        "decisions are the same as with the true data; never acting would already give "
        f"{percent(float(never))}. {_describe_timing(evaluation, origin)}"
    )
    phantom = (comparison.first_day != NEVER_ACTS) & (comparison.first_true_day == NEVER_ACTS)
    zones = float(phantom.sum(axis=-1).mean())
    if zones >= 0.5:
        text += (
            f" Because of phantom flows, {count_noun(round(zones), 'zone')} act that never should."
        )
    return text


def _describe_timing(evaluation: EpidemicEvaluation, origin: str) -> str:
    if not evaluation.timing:
        return "No zone acts, neither in truth nor in the release."
    if evaluation.timing == "on time":
        return "The median zone begins to act on the right day."
    pace = "faster" if evaluation.timing == "early" else "slower"
    return (
        f"The epidemic from {origin} seems {pace}: the median zone begins to act "
        f"{format_days(evaluation.shift_days)} {evaluation.timing}."
    )
