"""Attack: who asks, about whom, on how busy a route or with how many visits."""

from dataclasses import dataclass
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.attack import Scenario, Visitor, laws
from engine.attack.cells import LARGEST_FLOW
from engine.density import METHODS
from engine.origin_destination import LawName, suppresses
from engine.parameters import MAX_VISITS_LIMIT, DensityParameters, ODParameters
from pages._ui.attack.wording import KNOWLEDGE
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings
from pages._ui.wording.labels import LAWS, NOBODY_SAMPLED

ONE, BACK = "one trip", "there and back"
APART, TOGETHER = "several trips and routes", "several trips, one route"
TARGETS = (ONE, BACK, APART, TOGETHER)
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
_VISITS = setting.whole_number("attack_visits", 30, 1, 168)
_ALL_VISITS = setting.whole_number("attack_all_visits", 30, 1, 10**6)


@dataclass(frozen=True)
class OnFlows:
    """An attacker and a target, the settings of the release, and perhaps a dataset."""

    scenario: Scenario
    parameters: ODParameters
    entry: Entry | None

    @property
    def trips(self) -> int:
        """All trips of the target in one matrix."""
        return self.scenario.trips * self.scenario.cells


@dataclass(frozen=True)
class OnDensity:
    """A target among all visits, the settings of the release, and the dataset of its zones."""

    target: Visitor
    parameters: DensityParameters
    entry: Entry


def ask_flows(settings: Settings) -> OnFlows:
    """Draw the question as one line of inputs; a method of one noise only asks for none."""
    parameters = settings.trips(method=settings.od_method)
    offered = laws(parameters)
    who, whom, where, noise = st.columns(
        [1.15, 1.5, 1, 1.1], gap="medium", vertical_alignment="bottom"
    )
    knows = setting.draw(
        who.selectbox,
        "The attacker knows",
        _KNOWS,
        KNOWLEDGE,
        help="Differential privacy promises its limit against the first. The second is a more "
        "realistic one; it promises nothing about him beyond that.",
    )
    trips, cells = _target(whom, parameters)
    flow = setting.draw(
        where.number_input,
        "Other trips on each route",
        _FLOW,
        help="How many trips of others the published number holds. "
        + ("Above τ − 1 it makes" if suppresses(parameters) else "It makes")
        + " no difference to an attacker who knows them all.",
    )
    law = offered[0]
    if len(offered) > 1:
        law = setting.draw(
            noise.selectbox,
            "Noise for",
            _LAW,
            LAWS,
            help="The paper rounds continuous Laplace noise; a release draws whole numbers from a "
            "vetted library. Rounding makes the attack a little weaker than the guarantee allows.",
        )
    scenario = Scenario(
        knows=knows, trips=trips, cells=cells, flow=int(flow), law=cast(LawName, law)
    )
    return OnFlows(scenario, parameters, settings.od_data)


def _target(place: DeltaGenerator, parameters: ODParameters) -> tuple[int, int]:
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
    trips = int(setting.draw(right.number_input, "Trips", _TRIPS, max_value=most))
    return (1, trips) if target == APART else (trips, 1)


def ask_density(settings: Settings) -> OnDensity | None:
    """Draw the question about one release of the density; None where no visits are chosen."""
    entry = settings.density_data
    if entry is None or not entry.has_density:
        st.info("Choose a dataset with visits: the method's cover and cap are read from its zones.")
        return None
    parameters, cap = settings.density(), entry.metadata.max_visits_cap
    sampled = "max_visits_per_user" in METHODS[parameters.method].uses
    kept = parameters.max_visits_per_user if sampled else min(cap, MAX_VISITS_LIMIT)
    left, right, _ = st.columns([1, 1, 1.4], gap="medium")
    if setting.value(_VISITS) > kept:
        setting.put(_VISITS, kept)
    visits = setting.draw(
        left.number_input,
        "Visits of the target that are kept",
        _VISITS,
        max_value=kept,
        help=f"At most ℓ = {kept} visits of a person are kept." if sampled else NOBODY_SAMPLED,
        disabled=not sampled,
    )
    least = min(int(visits), cap) if sampled else 1
    setting.put(_ALL_VISITS, min(max(setting.value(_ALL_VISITS), least), cap))
    every = setting.draw(
        right.number_input,
        "All visits of the target",
        _ALL_VISITS,
        min_value=least,
        max_value=cap,
        help=f"The number of all visits is published with noise; at most {cap} of a person count.",
    )
    target = Visitor(visits=least if sampled else 1, all_visits=int(every))
    return OnDensity(target, parameters, entry)
