"""Cached wrappers of the attack: settings only, but for the averages over a dataset's trips."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from engine import attack
from engine import origin_destination as od
from engine.attack import Attack, Reached, Scenario, StageLoss, TripAverages, Visitor
from engine.parameters import DensityParameters, ODParameters
from engine.risk import Worth, largest_strong
from pages._ui.cache import density as cached_density
from pages._ui.cache import scope as cached_scope
from pages._ui.cache.datasets import dataset


@st.cache_data(max_entries=256, show_spinner=False)
def on_trips(scenario: Scenario, parameters: ODParameters) -> Attack:
    """Return the attack on one matrix."""
    return scenario.attack(parameters)


@st.cache_data(max_entries=128, show_spinner=False)
def over_flows(scenario: Scenario, parameters: ODParameters, flows: Sequence[int]) -> Reached:
    """Return what is reached in flows of other sizes."""
    return attack.over_flows(scenario, parameters, flows)


@st.cache_data(max_entries=128, show_spinner=False)
def suppression_alone(
    scenario: Scenario, suppression_threshold: int, flows: Sequence[int]
) -> Sequence[float]:
    """Return the same attacker's right guesses if nothing but τ hid the target."""
    return attack.suppression_alone(scenario, suppression_threshold, flows).tolist()


@st.cache_data(max_entries=128, show_spinner=False)
def over_epsilons(
    scenario: Scenario, parameters: ODParameters, epsilons: Sequence[float]
) -> Reached:
    """Return what is reached at other privacy losses; the ε of `parameters` plays no part."""
    return attack.over_epsilons(scenario, parameters, epsilons)


@st.cache_data(max_entries=128, show_spinner=False)
def over_days(scenario: Scenario, parameters: ODParameters, days: Sequence[int]) -> Reached:
    """Return what is reached from several daily matrices."""
    return attack.over_days(scenario, parameters, days)


@cached_scope.data(max_entries=64, show_spinner="Reading the trips …")
def averages(key: str, parameters: ODParameters, law: od.LawName, signed: bool) -> TripAverages:
    """Return the exposure of the dataset's trips: of each day, or at ``person`` of all together."""
    counted = od.histogram(
        dataset(key),
        parameters.unit,
        parameters.max_trips_per_user,
        sum_days=parameters.unit == "person",
    )
    return attack.over_trips(counted, parameters, law=law, signed=signed)


@cached_scope.data(max_entries=64, show_spinner="Composing the stages …")
def on_density(key: str, target: Visitor, parameters: DensityParameters) -> Attack:
    """Return the attack on one density release; of the dataset only public facts are read."""
    return attack.strongest_on_density(target, parameters, **_public(key))


@cached_scope.data(max_entries=64, show_spinner=False)
def density_stages(
    key: str, target: Visitor, parameters: DensityParameters
) -> tuple[StageLoss, ...]:
    """Return what each stage of the ledger says at worst."""
    return attack.stage_losses(target, parameters, **_public(key))


@st.cache_data(max_entries=1024, show_spinner=False)
def worth_of_trips(parameters: ODParameters, days: int, *, added_up: bool = False) -> Worth:
    """Return what privacy is left once the matrices of all days are released."""
    return attack.worth_of_trips(parameters, days, added_up=added_up)


def worth_of_density(key: str, parameters: DensityParameters) -> Worth:
    """Return what privacy is left once the density is released."""
    return attack.worth_of_density(cached_density.ledger(key, parameters), parameters.epsilon)


@st.cache_data(max_entries=128, show_spinner=False)
def strong_trips(
    parameters: ODParameters, days: int, epsilons: Sequence[float], *, added_up: bool = False
) -> float:
    """Return the largest of `epsilons` at which privacy is strong; that of `parameters` is no part.

    It should be a fixed one, so that moving its slider finds the same answer.
    """
    return largest_strong(
        epsilons,
        lambda e: attack.worth_of_trips(replace(parameters, epsilon=e), days, added_up=added_up),
    )


@cached_scope.data(max_entries=128, show_spinner=False)
def strong_density(key: str, parameters: DensityParameters, epsilons: Sequence[float]) -> float:
    """Return the same of the density, from public facts of the dataset only."""
    return largest_strong(epsilons, lambda e: worth_of_density(key, parameters.at(e)))


def _public(key: str) -> dict[str, int]:
    places = dataset(key)
    return {
        "cover_size": places.tessellation.cover_size,
        "max_visits_cap": places.metadata.max_visits_cap,
    }
