"""Choose ε, from ε to accuracy: what the setting in the sidebar gives a flow of any size."""

import math

import pandas as pd
import streamlit as st

from engine.origin_destination import calculators, reading
from engine.parameters import ODParameters
from pages._ui.choose.question import Question
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.shell import setting
from pages._ui.wording.numbers import percent, trip_count
from pages._ui.wording.privacy import protection

_CONFIDENCES = (0.5, 0.8, 0.9, 0.95, 0.99)


def draw(question: Question, parameters: ODParameters) -> None:
    """Draw the errors that ε gives, then the outcome of one flow under the threshold."""
    epsilon, trips, law = parameters.epsilon, parameters.max_trips_per_user, question.law
    st.markdown(
        f"At **ε = {epsilon:g}** and **T = {trips}** (the sliders), protecting "
        f"{protection(parameters.unit, trips)}:"
    )
    flow = calculators.largest_cell_error(epsilon, question.beta, trips, law=law)
    change = calculators.largest_change_error(epsilon, question.beta, trips, law=law)
    within = 1 - float(calculators.cell_error_probability(question.alpha, epsilon, trips, law=law))
    steady = 1 - float(
        calculators.change_error_probability(question.alpha, epsilon, trips, law=law)
    )
    sure = question.sure
    cards.row(
        [
            Card(
                f"Error of a flow, {sure} sure",
                trip_count(float(flow)),
                "at most",
                f"{sure} of flows read within {trip_count(float(flow))} of {question.aim}, before "
                "small ones are suppressed.",
            ),
            Card(
                f"Error of a change, {sure} sure",
                trip_count(float(change)),
                "at most",
                f"For the difference of two dates{question.trimmed.rstrip(',')}; the noise of both "
                "adds up.",
            ),
            Card(
                f"Flow within {trip_count(question.alpha)}",
                percent(within),
                "of flows",
                "The confidence that this ε gives for the error you tolerate.",
            ),
            Card(
                f"Change within {trip_count(question.alpha)}",
                percent(steady),
                "of changes",
                "The same for a change between two dates, rounding included.",
            ),
        ]
    )
    levels = sorted({*_CONFIDENCES, question.confidence})
    table = {"Confidence": [f"{100 * level:g}%" for level in levels]}
    for name, solve in (
        (f"A flow{question.trimmed} is off by at most (trips)", calculators.largest_cell_error),
        (f"A change{question.trimmed} is off by at most (trips)", calculators.largest_change_error),
    ):
        table[name] = [f"{float(solve(epsilon, 1 - c, trips, law=law)):,.0f}" for c in levels]
    left, right = st.columns([1, 1.25], gap="large")
    left.subheader("By confidence", anchor=False)
    left.table(pd.DataFrame(table), hide_index=True, border="horizontal")
    with left:
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
            setting.whole_number("choose_count", max(threshold, 1), 0, 1_000_000),
            min_value=0,
            max_value=1_000_000,
            help=f"Values below τ = {threshold} are suppressed; τ is set in the sidebar.",
        )
    )
    usual = reading(count, parameters, confidence=question.confidence, law=question.law)
    if usual.high == 0:
        span = "be suppressed"
    elif usual.low == 0:
        span = f"be suppressed or read up to {usual.high:,}"
    else:
        span = f"read between {usual.low:,} and {usual.high:,}"
    st.markdown(
        f"It will usually ({question.sure}) **{span}**, and it is suppressed with probability "
        f"**{percent(usual.suppressed)}**."
    )
    st.table(
        pd.DataFrame(_promises(count, question, parameters), columns=["", "Published", "Exact"]),
        hide_index=True,
        border="horizontal",
    )
    st.caption(
        "The last row counts only flows that are shown: near τ a flow is shown only if its noise "
        f"is not too negative (erratum O3). {_needed(count, question, parameters)}"
    )


def _needed(count: int, question: Question, parameters: ODParameters) -> str:
    """Say which ε keeps the error of this flow small whenever it is shown."""
    alpha, trips = question.alpha, parameters.max_trips_per_user
    shown = float(
        calculators.epsilon_for_cell_error_if_released(
            alpha, question.beta, count, parameters.suppression_threshold, trips, law=question.law
        )
    )
    promise = f"within {trip_count(alpha)} {question.sure} of the times it is shown"
    if not math.isfinite(shown):
        return f"No ε keeps it {promise}: it is shown only with a larger error."
    plain = float(calculators.epsilon_for_cell_error(alpha, question.beta, trips, law=question.law))
    return f"To keep it {promise} takes ε = {shown:.4g}; {plain:.4g} for flows far above τ."


def _threshold(parameters: ODParameters) -> None:
    st.subheader("Which threshold?", anchor=False)
    standard = int(
        setting.draw(
            st.number_input,
            "A standard that suppresses counts below … trips (s)",
            setting.whole_number("choose_standard", 15, 0, 10_000),
            min_value=0,
            max_value=10_000,
            help="Health agencies use 10 or 15. The threshold τ acts on noisy counts.",
        )
    )
    readings = calculators.threshold_heuristic(
        standard, parameters.epsilon, parameters.max_trips_per_user
    )
    st.table(
        pd.DataFrame(
            [
                ("Lose few real flows: s − √2·T/ε", readings.fewer_suppressed),
                ("Keep the standard: s", readings.unchanged),
                ("Reveal few small flows: s + √2·T/ε", readings.fewer_revealed),
            ],
            columns=["If you want to …", "τ"],
        ),
        hide_index=True,
        border="horizontal",
    )
    st.caption(
        "The paper's rule of thumb writes √2/ε, for T = 1: one standard deviation of the noise. It "
        "trades lost flows for revealed ones and changes no privacy."
    )


def _promises(
    count: int, question: Question, parameters: ODParameters
) -> list[tuple[str, str, str]]:
    epsilon, trips = parameters.epsilon, parameters.max_trips_per_user
    alpha, law, threshold = question.alpha, question.law, parameters.suppression_threshold
    if count < max(threshold, 1):
        # τ = 0 suppresses what is not above 0, as τ = 1 does
        least = max(threshold, 1)
        stays = calculators.stays_suppressed_probability(count, least, epsilon, trips, law=law)
        published = calculators.stays_suppressed_probability(count, least, epsilon, trips)
        first = ("Stays suppressed (Theorem 2)", published, stays)
    else:
        stays = calculators.stays_released_probability(count, threshold, epsilon, trips, law=law)
        published = calculators.stays_released_probability(
            count, threshold, epsilon, trips, method="published"
        )
        first = ("Stays visible (Theorem 3; see O1)", published, stays)
    far = calculators.cell_error_probability(alpha, epsilon, trips)
    exact = calculators.cell_error_probability(alpha, epsilon, trips, law=law)
    shown = calculators.cell_error_probability_if_released(
        alpha, epsilon, count, threshold, trips, law=law
    )
    return [
        (first[0], _share(float(first[1])), _share(float(first[2]))),
        (f"Noise above {trip_count(alpha)} (Theorem 4)", _share(float(far)), _share(float(exact))),
        ("… given that the flow is shown (O3)", _share(float(far)), _share(float(shown))),
    ]


def _share(value: float) -> str:
    return "below 0 (impossible)" if value < 0 else percent(value)
