"""Choose ε: from accuracy to ε, for a flow and for a change, and from ε back to accuracy."""

import math

import streamlit as st

from engine.origin_destination import calculators, laws
from engine.parameters import ODParameters
from pages._ui.choose import curves
from pages._ui.choose.question import CHANGE, FLOW, Question, use_button
from pages._ui.drawing import cards, tables
from pages._ui.drawing.cards import Card
from pages._ui.shell import setting
from pages._ui.shell.settings import Settings
from pages._ui.wording.numbers import percent, trip_count
from pages._ui.wording.privacy import protection

_EXAMPLE_FLOW = 120
_CURVES = {"one flow": FLOW, "a change between two dates": CHANGE}
_CONFIDENCES = (0.5, 0.8, 0.9, 0.95, 0.99)
_COUNT_LIMIT, _STANDARD_LIMIT = 1_000_000, 10_000


def epsilon(question: Question, settings: Settings) -> None:
    """Draw the three answers with their buttons, then ε against the tolerated error."""
    columns = st.container(key="choose_answers").columns(3, gap="medium")
    answers = {"flow": _flow, "change": _change, "heuristic": _heuristic}
    for column, (name, answer) in zip(columns, answers.items(), strict=True):
        card, enough = answer(question)
        with column:
            cards.draw([card])
            if enough is not None:
                use_button(enough, question, settings, key=f"choose_use_{name}")
    st.caption(
        "The published formula for changes ignores rounding (erratum O2). All "
        "answers are about noise. Trips dropped by trimming to T are a further error, which no ε "
        "removes: the Trimming view of the Origin–destination page shows how many they are. "
        "Suppression below τ adds to it, too."
    )
    head, switch = st.columns([1, 1], vertical_alignment="bottom")
    head.subheader("What a smaller error costs", anchor=False)
    shown = setting.views("choose_curve", list(_CURVES), label="Curve for", place=switch)
    curves.over_error(question, _CURVES[shown])


def _flow(question: Question) -> tuple[Card, float]:
    alpha, beta, trips = question.alpha, question.beta, question.max_trips
    enough = float(FLOW.epsilon(alpha, beta, trips, law=question.law))
    agree = "published = exact (Theorem 6)"
    if question.law != "rounded_laplace":
        agree = f"exact for whole-number noise; published {FLOW.epsilon(alpha, beta, trips):.4g}"
    shown = max(_EXAMPLE_FLOW, 3 * alpha)
    meaning = (
        f"{question.sure} of flows read within {trip_count(alpha)} of {question.aim}, before small "
        f"ones are suppressed: {shown:,} reads between {shown - alpha:,} and {shown + alpha:,}."
    )
    return Card("One flow: privacy loss (ε)", f"{enough:.4g}", agree, meaning), enough


def _change(question: Question) -> tuple[Card, float]:
    alpha, beta, trips, law = question.alpha, question.beta, question.max_trips, question.law
    enough = float(CHANGE.epsilon(alpha, beta, trips, law=law))
    printed = float(CHANGE.epsilon(alpha, beta, trips, method="published"))
    really = 1 - float(CHANGE.chance(alpha, printed, trips, law=law))
    shown = max(40, 2 * alpha)
    meaning = (
        f"A rise of {shown:,} trips from one date to another{question.trimmed} reads as "
        f"{shown - alpha:,} to {shown + alpha:,}, {question.sure} of the time, before small flows "
        "are suppressed."
    )
    label, note = "A change between two dates: ε for each date", f"published {printed:.4g}"
    return Card(label, f"{enough:.4g}", f"{note} really gives {really:.1%}", meaning), enough


def _heuristic(question: Question) -> tuple[Card, float | None]:
    label, note = "Rule of thumb: √2 · T / α", "published heuristic"
    alpha, trips = question.alpha, question.max_trips
    if alpha == 0:
        meaning = "The rule divides by the tolerated error, so it has no answer for 0 trips."
        return Card(label, "–", note, meaning), None
    enough = float(calculators.epsilon_heuristic(alpha, trips))
    held = 1 - float(FLOW.chance(alpha, enough, trips, law=question.law))
    meaning = (
        f"One standard deviation of the noise is {trip_count(alpha)}: only {held:.0%} of "
        f"flows then lie within {alpha:,} of {question.aim}, whatever confidence you ask for."
    )
    return Card(label, f"{enough:.4g}", note, meaning), enough


def accuracy(question: Question, parameters: ODParameters) -> None:
    """Draw the errors that ε gives, then the outcome of one flow under the threshold."""
    epsilon, trips, law = parameters.epsilon, parameters.max_trips_per_user, question.law
    st.markdown(
        f"At **ε = {epsilon:g}** and **T = {trips}** (the sliders), protecting "
        f"{protection(parameters.unit, trips)}:"
    )
    sure, alpha, trimmed = question.sure, question.alpha, question.trimmed
    errors = [
        trip_count(float(read.error(epsilon, question.beta, trips, law=law)))
        for read in (FLOW, CHANGE)
    ]
    within = [
        percent(1 - float(read.chance(alpha, epsilon, trips, law=law))) for read in (FLOW, CHANGE)
    ]
    cards.row(
        [
            Card(
                f"Error of a flow, {sure} sure",
                errors[0],
                "at most",
                f"{sure} of flows read within {errors[0]} of {question.aim}, before small ones "
                "are suppressed.",
            ),
            Card(
                f"Error of a change, {sure} sure",
                errors[1],
                "at most",
                f"For the difference of two dates{trimmed.rstrip(',')}; the noise of both adds up.",
            ),
            Card(
                f"Flow within {trip_count(alpha)}",
                within[0],
                "of flows",
                "The confidence that this ε gives for the error you tolerate.",
            ),
            Card(
                f"Change within {trip_count(alpha)}",
                within[1],
                "of changes",
                "The same for a change between two dates, rounding included.",
            ),
        ]
    )
    left, right = st.columns([1, 1.25], gap="large")
    with left:
        st.subheader("By confidence", anchor=False)
        levels = sorted({*_CONFIDENCES, question.confidence})
        table = {"Confidence": [f"{100 * level:g}%" for level in levels]} | {
            f"A {what}{trimmed} is off by at most (trips)": [
                f"{float(read.error(epsilon, 1 - level, trips, law=law)):,.0f}" for level in levels
            ]
            for what, read in (("flow", FLOW), ("change", CHANGE))
        }
        tables.draw(table)
        _threshold(parameters)
    with right:
        _one_flow(question, parameters)


def _one_flow(question: Question, parameters: ODParameters) -> None:
    threshold = parameters.suppression_threshold
    st.subheader("One flow, near the threshold", anchor=False)
    count = int(
        setting.draw(
            st.number_input,
            "A flow of … trips (after trimming)",
            setting.whole_number("choose_count", parameters.least_shown, 0, _COUNT_LIMIT),
            help=f"Values below τ = {threshold} are suppressed; τ is set in the sidebar.",
        )
    )
    law = laws.NoiseLaw(1 / parameters.noise_scale, question.law)
    low, high = laws.released_range(law, count, threshold, question.confidence)
    if high == 0:
        span = "be suppressed"
    elif low == 0:
        span = f"be suppressed or read up to {high:,.0f}"
    else:
        span = f"read between {low:,.0f} and {high:,.0f}"
    st.markdown(
        f"It will usually ({question.sure}) **{span}**, and it is suppressed with probability "
        f"**{percent(float(laws.suppressed_probability(law, count, threshold)))}**."
    )
    tables.rows(("", "Published", "Exact"), _promises(count, question, parameters))
    st.caption(
        "The last row counts only flows that are shown: near τ a flow is shown only if its noise "
        f"is not too negative (erratum O3). {_needed(count, question, parameters)}"
    )


def _promises(
    count: int, question: Question, parameters: ODParameters
) -> list[tuple[str, str, str]]:
    """Return what the theorems promise of a flow: in words, as published and exactly."""
    alpha, law, least = question.alpha, question.law, parameters.least_shown
    noise = parameters.epsilon, parameters.max_trips_per_user
    if count < least:
        name = "Stays suppressed (Theorem 2)"
        stays = calculators.stays_suppressed_probability(count, least, *noise, law=law)
        published = calculators.stays_suppressed_probability(count, least, *noise)
    else:
        name, asked = "Stays visible (Theorem 3; see O1)", (count, parameters.suppression_threshold)
        stays = calculators.stays_released_probability(*asked, *noise, law=law)
        published = calculators.stays_released_probability(*asked, *noise, method="published")
    far = FLOW.chance(alpha, *noise)
    shown = calculators.cell_error_probability_if_released(
        alpha, noise[0], count, parameters.suppression_threshold, noise[1], law=law
    )
    rows = [
        (name, published, stays),
        (f"Noise above {trip_count(alpha)} (Theorem 4)", far, FLOW.chance(alpha, *noise, law=law)),
        ("… given that the flow is shown (O3)", far, shown),
    ]
    return [(words, _share(float(one)), _share(float(other))) for words, one, other in rows]


def _share(value: float) -> str:
    return "below 0 (impossible)" if value < 0 else percent(value)


def _needed(count: int, question: Question, parameters: ODParameters) -> str:
    """Say which ε keeps the error of this flow small whenever it is shown."""
    alpha, beta, trips = question.alpha, question.beta, parameters.max_trips_per_user
    shown = float(
        calculators.epsilon_for_cell_error_if_released(
            alpha, beta, count, parameters.suppression_threshold, trips, law=question.law
        )
    )
    promise = f"within {trip_count(alpha)} {question.sure} of the times it is shown"
    if not math.isfinite(shown):
        return f"No ε keeps it {promise}: it is shown only with a larger error."
    plain = float(FLOW.epsilon(alpha, beta, trips, law=question.law))
    return f"To keep it {promise} takes ε = {shown:.4g}; {plain:.4g} for flows far above τ."


def _threshold(parameters: ODParameters) -> None:
    st.subheader("Which threshold?", anchor=False)
    standard = setting.draw(
        st.number_input,
        "A standard that suppresses counts below … trips (s)",
        setting.whole_number("choose_standard", 15, 0, _STANDARD_LIMIT),
        help="Health agencies use 10 or 15. The threshold τ acts on noisy counts.",
    )
    readings = calculators.threshold_heuristic(
        int(standard), parameters.epsilon, parameters.max_trips_per_user
    )
    tables.draw(
        {
            "If you want to …": [
                "Lose few real flows: s − √2·T/ε",
                "Keep the standard: s",
                "Reveal few small flows: s + √2·T/ε",
            ],
            "τ": [readings.fewer_suppressed, readings.unchanged, readings.fewer_revealed],
        }
    )
    st.caption(
        "The paper's rule of thumb writes √2/ε, for T = 1: one standard deviation of the noise. It "
        "trades lost flows for revealed ones and changes no privacy."
    )
