"""What ε means for one person: guesses, a suspicion with its base rate, the exact best attack."""

from typing import Any

import streamlit as st

from engine import privacy
from engine.contract import Setting
from engine.errors import ExplorerError
from engine.parameters import ODParameters
from engine.privacy import GROUP, Corridor, Guarantee, Losses, Risk, Visitor, guesses
from engine.resolution import finest
from pages._ui import cached, state
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.wording.numbers import number, percent, scientific


def draw() -> None:
    """Draw what all that is set to be released leaves of one person."""
    flows, visits = state.flows(), state.density()
    known = [one for one in (flows, visits) if one is not None]
    if not known:
        st.info("Install a dataset to see what its releases leave of a person.")
        return
    suspected = st.slider(
        "An attacker suspects beforehand, with … %, that somebody is in the data",
        1,
        99,
        10,
        key="choose_prior",
        **state.LINKED,
    )
    for setting in known:
        _released(setting, suspected / 100)
    _over_people(flows)
    with st.expander("What the best possible attack really gets", icon=":material/search:"):
        for setting in known:
            (_on_flows if setting is flows else _on_density)(setting)


def _released(setting: Setting, prior: float) -> None:
    risk, flows = cached.risk(setting), isinstance(setting.parameters, ODParameters)
    whose = "a person" if risk.covers_person else "a trip"
    spent = f", δ = {scientific(risk.delta)}" if risk.delta else ""
    days = f", over {risk.releases} days" if risk.releases > 1 else ""
    released = f"ε = {number(risk.epsilon, 4)}{spent} in all{days}"
    st.subheader("Flows" if flows else "Density", anchor=False)
    cards.row(
        [
            Card(
                "Over everything released",
                guesses(risk.best_guess),
                "a coin: 50",
                f"An attacker who knows everything else guesses whether {whose} is in it; "
                f"{released}.",
            ),
            _suspicion(risk, prior),
            Card(
                f"{GROUP} who travel together",
                guesses(risk.group_guess),
                "a coin: 50",
                f"A household or a bus that comes or stays as one is protected by {GROUP} × ε.",
            ),
        ]
    )


def _suspicion(risk: Risk, prior: float) -> Card:
    """Return what a suspicion can grow to; with δ there is no limit after each single result."""
    name = f"A suspicion of {percent(prior)}"
    if risk.delta:
        return Card(name, "–", "no limit with δ", "Single rare results may reveal more.")
    grown = Guarantee(epsilon=risk.epsilon).suspicion(prior)
    return Card(
        f"{name} can grow to",
        f"{privacy.round_up_percent(grown, 1):.1f}%",
        "at most",
        "After the most telling result, however rare, for an attacker who knows the others or "
        "believes them independent of this one.",
    )


def _over_people(flows: Setting | None) -> None:
    """Say what protecting single trips leaves of people with many (P2); read from the data."""
    if flows is None or flows.parameters.unit != "trip":
        st.caption(
            "Whoever is protected as a person loses no more than this, however many trips they "
            "make; single trips add up: n of them lose n × ε."
        )
        return
    epsilon = flows.parameters.epsilon
    try:
        mean, most = cached.of(privacy.trips_of_people, finest(flows.seen))
    except ExplorerError:
        return
    st.caption(
        f"Protecting single trips, people of these data lose ε = {number(mean * epsilon, 3)} on "
        f"average ({number(mean)} trips) and 95 of 100 at most {number(most * epsilon, 3)} "
        f"({most} trips): read from the data, as P2 states worst and expected loss."
    )


def _on_flows(setting: Setting) -> None:
    parameters: Any = setting.parameters
    left, middle, right = st.columns(3)
    limit = 100 if parameters.unit == "trip" else parameters.max_trips_per_user
    trips = left.number_input("Trips on one route", 1, limit, 1, key="choose_trips", **state.KEPT)
    rest = middle.number_input(
        "Other trips on that route", 0, 1_000_000, 100, key="choose_rest", **state.KEPT
    )
    days = 1
    if parameters.unit != "person":
        days = right.number_input("Days it is made", 1, 366, 1, key="choose_days", **state.KEPT)
    law = "rounded_laplace" if parameters.method == "published" else "discrete_laplace"
    target = (Corridor(trips=int(trips), rest=int(rest)),)
    attack = cached.computed(privacy.strongest, target, parameters, days=int(days), law=law)
    st.markdown(
        f"Knowing all other trips, the best possible attack on them gets "
        f"**{_percent(attack.losses)} of 100** guesses right; the guarantee allows "
        f"**{_percent(attack.limit)}**. Exact and rounded up, no attack is simulated."
    )


def _on_density(setting: Setting) -> None:
    parameters: Any = setting.parameters
    source = cached.dataset(setting.seen)
    cap = source.metadata.max_visits_cap
    kept = min(parameters.max_visits_per_user, cap)
    visits = st.number_input("Visits in the week", 1, kept, kept, key="choose_visits", **state.KEPT)
    attack = cached.computed(
        privacy.strongest_on_density,
        Visitor(visits=int(visits)),
        parameters,
        cover_size=source.tessellation.cover_size,
        max_visits_cap=cap,
        clips=source.metadata.zoom_clips,
    )
    st.markdown(
        f"On a density: at most **{_percent(attack.losses)} of 100**, wherever the visits lie; "
        f"what is proved of the method allows **{_percent(attack.limit)}**."
    )


def _percent(losses: Losses) -> str:
    return f"{privacy.round_up_percent(losses.best_guess, 1):.1f}"
