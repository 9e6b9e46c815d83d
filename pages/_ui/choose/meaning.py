"""What ε means for one person: guesses, a suspicion with its base rate, practice without ε."""

import streamlit as st

from engine import privacy
from engine.contract import Setting
from engine.parameters import ODParameters
from engine.privacy import GROUP_SIZE, Guarantee, Risk, format_guess_rate
from engine.text.numbers import number, percent, scientific
from pages._ui.answers import assessments, cached, suppression
from pages._ui.components import tables
from pages._ui.frame import layout
from pages._ui.settings import current, fields, offers

_HANDBOOK = "Census Bureau 2021, 2020 Census disclosure avoidance handbook"
RELEASES = (
    ("A user's day", "Google Community Mobility Reports", "2.64", "0", "arXiv:2004.04145"),
    ("A user's day", "Meta Movement Range Maps", "2.0", "0", "Meta Research, 2 June 2020"),
    ("A user's trip", "Google, weekly flows", "0.66", "2.1e-29", "doi:10.1038/s41467-019-12809-y"),
    ("A user", "Spectus, evacuation from a hurricane", "10", "0", "Spectus white paper, 2022"),
    ("Not stated", "Savi et al., a study", "0.05", "–", "doi:10.1371/journal.pdig.0000233"),
    ("A person's record", "US census 2020, redistricting", "17.14", "1e-10", _HANDBOOK),
    ("A housing unit's record", "US census 2020, redistricting", "2.47", "1e-10", _HANDBOOK),
)
RANKING_NOTE = (
    "They cannot be ranked by ε alone, because ε limits what is learnt about one unit. ε = 2.64 "
    "for a day can add up to 79.2 over 30 days. ε = 10 for a user covers all days of that release. "
    "The compared data differ, too: the census changes a record, Google's mobility reports add or "
    "remove a user's day. Figures are from OpenDP's deployments registry. Those of the study are "
    "from its abstract, for each release."
)


def draw() -> None:
    """Draw what all that is set to be released leaves of one person."""
    flows, visits = current.flows(), current.density()
    settings = [setting for setting in (flows, visits) if setting is not None]
    if not settings:
        st.info("Install a dataset to see what its releases reveal about a person.")
        return
    if flows is not None:
        layout.draw_banners([offers.entry_of(flows)])
    suspected = st.slider(
        "Attacker's belief, before the release, that a person is in the data (%)",
        1,
        99,
        10,
        key="choose_prior",
        **fields.LINKED,
    )
    for setting in settings:
        _draw_risk(setting, suspected / 100)
    _describe_trip_losses(flows)
    if flows is None or not flows.selection.people_once:
        st.caption(assessments.PRIVACY_RULE)
    if flows is not None:
        suppression.draw_comparison(flows, key="choose", expanded=True)
    st.subheader("ε in published releases", anchor=False)
    heads = "Unit of privacy", "Release", "ε", "δ", "Source"
    tables.draw_rows(heads, RELEASES)
    st.caption(RANKING_NOTE)


def _draw_risk(setting: Setting, prior: float) -> None:
    risk, flows = cached.risk(setting), isinstance(setting.parameters, ODParameters)
    subject = "a person" if risk.covers_person else "a trip"
    spent = f", δ = {scientific(risk.delta)}" if risk.delta else ""
    days = f", over {risk.releases} days" if risk.releases > 1 else ""
    released = f"ε = {number(risk.epsilon, 4)}{spent} in all{days}"
    st.subheader("Flows" if flows else "Density", anchor=False)
    attacker = (
        f"An attacker who knows everything else guesses whether {subject} is in it, if both are "
        "equally likely"
    )
    everything = format_guess_rate(risk.max_guess_rate)
    together = format_guess_rate(risk.max_group_guess_rate)
    group = (
        "A group that is in the data or not as a whole, such as a household or a bus, "
        f"has the privacy loss {GROUP_SIZE} × ε."
    )
    rows = [
        ("All numbers of this setting", everything, "a coin: 50", f"{attacker}; {released}."),
        _describe_suspicion(risk, prior),
        (f"{GROUP_SIZE} people travelling together", together, "a coin: 50", group),
    ]
    tables.draw_rows(("Risk", "Number", "Note", "Meaning"), rows)


def _describe_suspicion(risk: Risk, prior: float) -> tuple[str, str, str, str]:
    """Return the largest posterior belief, in words; with δ no single result has a limit."""
    name = f"A prior belief of {percent(prior)}"
    if risk.delta:
        rare = "Results about as rare as δ may reveal more, so no result has a limit."
        return name, "–", "no limit if δ > 0", rare
    grown = Guarantee(epsilon=risk.epsilon).max_posterior_belief(prior)
    return (
        f"{name} can rise to",
        f"{privacy.round_up_percent(grown, 1):.1f}%",
        "at most",
        "After the most revealing result, however rare. Assumes that the attacker knows everyone "
        "else, or considers them independent of this person.",
    )


def _describe_trip_losses(flows: Setting | None) -> None:
    """Draw how little the protection of single trips leaves people with many trips (P2)."""
    if flows is not None and flows.parameters.unit == "trip":
        st.caption("Only single trips are protected, so a person with n trips can lose n × ε.")
        return
    by_trip = (
        " If only single trips were protected (Unit of privacy), a person with n trips could "
        "lose n × ε."
    )
    is_once = flows is not None and flows.selection.people_once
    limits = "These numbers hold for a person, however many trips they make."
    st.caption(limits + by_trip * (not is_once))
