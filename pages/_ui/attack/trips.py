"""Attack on flows: the answer, four curves, the dataset's own trips."""

import streamlit as st

from engine.attack import flows_to_show
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.risk import Guarantee
from pages._ui.attack import answer, curves, wording
from pages._ui.attack.question import Question
from pages._ui.cache import attack as cached
from pages._ui.shell import frame, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.wording.numbers import number, percent

_DAYS = (1, 7, 30)
_READ = setting.switch("attack_read", default=False)


def draw(question: Question, entry: Entry | None) -> None:
    """Draw the attack on flows; the dataset gives its number of days and, if asked, its trips."""
    scenario, parameters = question.scenario, question.parameters
    attack = cached.on_trips(scenario, parameters)
    answer.draw(
        attack,
        wording.attacker(scenario),
        f"{wording.protected(attack, parameters, question.trips)} "
        f"{wording.suppressed(scenario, parameters)}",
        wording.together(Guarantee(epsilon=parameters.epsilon), parameters.unit),
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Found against accused (ROC)", anchor=False)
        curves.roc(attack, key="attack_roc")
    with right:
        st.subheader("Right guesses and privacy loss", anchor=False)
        reached = cached.over_epsilons(scenario, _at_one(parameters), EPSILON_STOPS)
        curves.over_epsilon(EPSILON_STOPS, reached, parameters.epsilon, attack.roc.best_guess)
        st.caption("More noise to the left. Red: the slider's ε.")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("How busy is the route?", anchor=False)
        flows = flows_to_show(parameters, scenario.trips, scenario.knows)
        curves.over_flow(
            flows,
            cached.over_flows(scenario, parameters, flows),
            None
            if scenario.signed
            else cached.suppression_alone(scenario, parameters.suppression_threshold, flows),
            current=scenario.flow,
            threshold=parameters.suppression_threshold,
        )
        st.caption(f"Red: the flow entered above. {wording.busy(scenario)}")
    with right:
        st.subheader("Several days", anchor=False)
        _days(question, entry)
    _own_trips(question, entry)


def _at_one(parameters: ODParameters) -> ODParameters:
    """Return the settings without their ε, so that the slider does not compute a curve anew."""
    return ODParameters(
        epsilon=1.0,
        max_trips_per_user=parameters.max_trips_per_user,
        suppression_threshold=parameters.suppression_threshold,
        unit=parameters.unit,
    )


def _days(question: Question, entry: Entry | None) -> None:
    parameters = question.parameters
    period = 30 if entry is None else len(entry.metadata.days)
    if parameters.unit == "person":
        st.info(wording.days_note(parameters, 1))
        return
    days = tuple(sorted({*_DAYS, period}))
    curves.over_days(days, cached.over_days(question.scenario, parameters, days))
    whole = "" if entry is None else f" {entry.name} has {period:,} days."
    st.caption(wording.days_note(parameters, days[-1]) + whole)


def _own_trips(question: Question, entry: Entry | None) -> None:
    st.subheader("The trips of a dataset", anchor=False)
    if entry is None or not entry.has_trips:
        st.caption("Choose a dataset with trips to see how exposed its trips are on average.")
        return
    whose = "simulated people" if entry.metadata.simulated else "confidential data"
    read = setting.draw(
        st.toggle,
        f"Read the flows of {entry.name} ({whose})",
        _READ,
        help="All that stands above needs no data. This reads how many trips every flow has, and "
        "averages over all of them; no single trip or person is picked.",
    )
    if not read:
        return
    frame.banners([entry])
    scenario = question.scenario
    shares = cached.averages(entry.key, question.parameters, scenario.law, scenario.signed)
    right, most = 100 * shares.typical_guess, 100 * shares.most_exposed_guess
    st.markdown(
        f"Against the **average trip** of {entry.name} the strongest attacker gets "
        f"**{right:.1f}** of 100 guesses right, against the **most exposed** one **{most:.1f}** "
        f"(one trip, ε = {question.parameters.epsilon:g}, read from {number(shares.trips)} trips"
        + (")." if question.parameters.unit == "trip" else " kept after trimming).")
        + (
            ""
            if scenario.signed
            else " Suppression without noise would prove "
            f"**{percent(shares.proven_without_noise)}** of "
            "these trips with certainty: that is why there is noise."
        )
    )
