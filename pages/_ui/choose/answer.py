"""Choose ε, from accuracy to ε: the answer for a flow and for a change, and how it varies."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine.origin_destination import calculators
from pages._ui.choose.question import Question, use_button
from pages._ui.drawing import cards, charts, colours
from pages._ui.drawing.cards import Card
from pages._ui.shell import setting
from pages._ui.shell.settings import Settings
from pages._ui.wording.numbers import trip_count

_CONFIDENCES = (0.8, 0.9, 0.95, 0.99)
_LINES = ("#5ec962", "#21918c", "#4a7fc1", "#9a6fc9")
_EXAMPLE_FLOW = 120

_CURVES = ("one flow", "a change between two dates")


def draw(question: Question, settings: Settings) -> None:
    """Draw the three answers with their buttons, then ε against the tolerated error."""
    columns = st.container(key="choose_answers").columns(3, gap="medium")
    for column, (name, card, epsilon) in zip(columns, _answers(question), strict=True):
        with column:
            cards.draw([card])
            if epsilon is not None:
                use_button(epsilon, question, settings, key=f"choose_use_{name}")
    st.caption(
        "The published formula for changes ignores rounding (erratum O2). All "
        "answers are about noise. Trips dropped by trimming to T are a further error, which no ε "
        "removes: the Trimming view of the Origin–destination page shows how many they are. "
        "Suppression below τ adds to it, too."
    )
    head, switch = st.columns([1, 1], vertical_alignment="bottom")
    head.subheader("What a smaller error costs", anchor=False)
    what = setting.draw(
        switch.segmented_control,
        "Curve for",
        setting.choice("choose_curve", _CURVES, _CURVES[0]),
        _CURVES,
        required=True,
        label_visibility="collapsed",
    )
    _curve(question, change=what != _CURVES[0])


def _answers(question: Question) -> list[tuple[str, Card, float | None]]:
    alpha, beta, trips, law = question.alpha, question.beta, question.max_trips, question.law
    flow = float(calculators.epsilon_for_cell_error(alpha, beta, trips, law=law))
    change = float(calculators.epsilon_for_change(alpha, beta, trips, law=law))
    printed = float(calculators.epsilon_for_change(alpha, beta, trips, method="published"))
    really = 1 - float(calculators.change_error_probability(alpha, printed, trips, law=law))
    agree = "published = exact (Theorem 6)"
    if law != "rounded_laplace":
        published = float(calculators.epsilon_for_cell_error(alpha, beta, trips))
        agree = f"exact for whole-number noise; published {published:.4g}"
    return [
        (
            "flow",
            Card("One flow: privacy loss (ε)", f"{flow:.4g}", agree, _flow_sentence(question)),
            flow,
        ),
        (
            "change",
            Card(
                "A change between two dates: ε for each date",
                f"{change:.4g}",
                f"published {printed:.4g} really gives {really:.1%}",
                _change_sentence(question),
            ),
            change,
        ),
        _heuristic(question),
    ]


def _flow_sentence(question: Question) -> str:
    shown = max(_EXAMPLE_FLOW, 3 * question.alpha)
    low, high = shown - question.alpha, shown + question.alpha
    return (
        f"{question.sure} of flows read within {trip_count(question.alpha)} of {question.aim}, "
        f"before small ones are suppressed: {shown:,} reads between {low:,} and {high:,}."
    )


def _change_sentence(question: Question) -> str:
    shown = max(40, 2 * question.alpha)
    low, high = shown - question.alpha, shown + question.alpha
    return (
        f"A rise of {shown:,} trips from one date to another{question.trimmed} reads as {low:,} "
        f"to {high:,}, {question.sure} of the time, before small flows are suppressed."
    )


def _heuristic(question: Question) -> tuple[str, Card, float | None]:
    label = "Rule of thumb: √2 · T / α"
    if question.alpha == 0:
        meaning = "The rule divides by the tolerated error, so it has no answer for 0 trips."
        return "heuristic", Card(label, "–", "published heuristic", meaning), None
    epsilon = float(calculators.epsilon_heuristic(question.alpha, question.max_trips))
    held = 1 - float(
        calculators.cell_error_probability(
            question.alpha, epsilon, question.max_trips, law=question.law
        )
    )
    meaning = (
        f"One standard deviation of the noise is {trip_count(question.alpha)}: only {held:.0%} of "
        f"flows then lie within {question.alpha:,} of {question.aim}, whatever confidence you "
        "ask for."
    )
    return "heuristic", Card(label, f"{epsilon:.4g}", "published heuristic", meaning), epsilon


def _curve(question: Question, *, change: bool) -> None:
    longest = max(50, min(4 * question.alpha, 100_000))
    alphas = np.unique(np.geomspace(1, longest + 1, 60).round().astype(int) - 1)
    solve = calculators.epsilon_for_change if change else calculators.epsilon_for_cell_error
    levels = sorted({*_CONFIDENCES, question.confidence})
    names = [f"{100 * level:g}%" for level in levels]
    points = pd.concat(
        pd.DataFrame(
            {
                "alpha": alphas,
                "epsilon": solve(alphas, 1 - level, question.max_trips, law=question.law),
                "confidence": name,
            }
        )
        for level, name in zip(levels, names, strict=True)
    )
    current = float(solve(question.alpha, question.beta, question.max_trips, law=question.law))
    x = alt.X("alpha:Q", title="Tolerated error α (trips)", scale=alt.Scale(nice=False))
    y = alt.Y(
        "epsilon:Q",
        title="Privacy loss (ε), log scale",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(values=[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100], format="~g"),
    )
    shades = [colours.HERE if level == question.confidence else _shade(level) for level in levels]
    lines = (
        alt.Chart(points)
        .mark_line(strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "confidence:N",
                title="Confidence",
                sort=names,
                scale=alt.Scale(domain=names, range=shades),
            ),
            tooltip=[
                alt.Tooltip("alpha:Q", title="Error (trips)", format=","),
                alt.Tooltip("confidence:N", title="Confidence"),
                alt.Tooltip("epsilon:Q", title="ε", format=".4~g"),
            ],
        )
    )
    mark = alt.Chart(pd.DataFrame({"alpha": [question.alpha], "epsilon": [current]}))
    dot = mark.mark_circle(color=colours.HERE, size=110, opacity=1).encode(x=x, y=y)
    rule, words = charts.you_are_here(x, "alpha", question.alpha, top=True)
    st.altair_chart(
        alt.layer(rule, lines, dot, words).properties(height=320),
        key="choose_curve_chart",
        alt=f"Epsilon against the tolerated error; {current:.3g} at {trip_count(question.alpha)}",
    )
    st.caption(
        "Look for the bend: halving the error doubles ε almost everywhere, while more confidence "
        "is cheap – from 95% to 99% costs about half as much again."
    )


def _shade(confidence: float) -> str:
    return _LINES[_CONFIDENCES.index(confidence)]
