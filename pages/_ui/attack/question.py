"""Attack: who asks, about whom, on how busy a route."""

from dataclasses import dataclass
from typing import cast

import streamlit as st

from engine.attack import LARGEST_FLOW, Scenario
from engine.origin_destination import LawName
from engine.parameters import ODMethod, ODParameters
from pages._ui.attack.wording import KNOWLEDGE
from pages._ui.shell import setting

ONE, BACK = "one trip", "there and back"
APART, TOGETHER = "several trips and routes", "several trips, one route"
TARGETS = (ONE, BACK, APART, TOGETHER)
LAWS = {
    "rounded_laplace": "exploring (rounded Laplace)",
    "discrete_laplace": "release (discrete)",
}
MOST_TRIPS = 256
USUAL_TRIPS = 14
"""P2's mean number of trips of a person over 305 days."""

_KNOWS = setting.choice("attack_knows", KNOWLEDGE, "everything")
_TARGET = setting.choice("attack_target", TARGETS, ONE)
_TRIPS = setting.whole_number(
    "attack_trips", USUAL_TRIPS, 1, MOST_TRIPS, label="trips of the target"
)
_FLOW = setting.whole_number("attack_flow", 100, 0, LARGEST_FLOW, label="other trips")
_LAW = setting.choice("attack_law", LAWS, "rounded_laplace")


@dataclass(frozen=True)
class Question:
    """An attacker and a target, and the settings of the release."""

    scenario: Scenario
    parameters: ODParameters

    @property
    def trips(self) -> int:
        """All trips of the target in one matrix."""
        return self.scenario.trips * self.scenario.cells


def ask(parameters: ODParameters, method: ODMethod) -> Question:
    """Draw the question as one line of inputs; ours has one noise only."""
    ours = method == "estimate"
    who, whom, where, noise = st.columns(
        [1.15, 1.5, 1, 1.1], gap="medium", vertical_alignment="bottom"
    )
    knows = setting.draw(
        who.selectbox,
        "The attacker knows",
        _KNOWS,
        list(KNOWLEDGE),
        format_func=KNOWLEDGE.__getitem__,
        help="Differential privacy promises its limit against the first. The second is a more "
        "realistic one; it promises nothing about him beyond that.",
    )
    trips, cells = _target(whom, parameters)
    flow = setting.draw(
        where.number_input,
        "Other trips on each route",
        _FLOW,
        min_value=0,
        max_value=LARGEST_FLOW,
        help="How many trips of others the published number holds. "
        + ("It makes" if ours else "Above τ − 1 it makes")
        + " no difference to an attacker who knows them all.",
    )
    law = "discrete_laplace" if ours else _law(noise)
    scenario = Scenario(
        knows=knows, trips=trips, cells=cells, flow=int(flow), law=law, method=method
    )
    return Question(scenario, parameters)


def _law(place: st.delta_generator.DeltaGenerator) -> LawName:
    law = setting.draw(
        place.selectbox,
        "Noise for",
        _LAW,
        list(LAWS),
        format_func=LAWS.__getitem__,
        help="The paper rounds continuous Laplace noise; a release draws whole numbers from a "
        "vetted library. Rounding makes the attack a little weaker than the guarantee allows.",
    )
    return cast(LawName, law)


def _target(place: st.delta_generator.DeltaGenerator, parameters: ODParameters) -> tuple[int, int]:
    """Draw the target; return its trips on each route, and its routes."""
    most = MOST_TRIPS if parameters.unit == "trip" else parameters.max_trips_per_user
    offered = TARGETS if most > 1 else (ONE,)
    several = setting.value(_TARGET) in (APART, TOGETHER) and most > 1
    left, right = place.columns([2.2, 1], gap="small") if several else (place, place)
    target = setting.draw(
        left.selectbox,
        "The target makes",
        _TARGET,
        offered,
        help=None
        if parameters.unit == "trip"
        else f"At most T = {most} trips of the target are kept, so nobody leaves a larger trace.",
    )
    if target in (ONE, BACK):
        return 1, 1 if target == ONE else 2
    if setting.value(_TRIPS) > most:
        setting.put(_TRIPS, most)
    trips = int(setting.draw(right.number_input, "Trips", _TRIPS, min_value=1, max_value=most))
    return (1, trips) if target == APART else (trips, 1)
