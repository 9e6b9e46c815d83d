"""What a density release costs: its ledger, three totals, every method beside it."""

from dataclasses import replace

import streamlit as st

from engine import density
from engine.contract import Setting
from engine.privacy_cost import PrivacyCost, is_above
from engine.text.numbers import number, scientific
from pages._ui.answers import cached
from pages._ui.app import cache
from pages._ui.components import tables

MARK_NOTE = (
    "▲: the best proved total exceeds the ε that is set, so that ε is not proved. P1 is Acs & "
    "Castelluccia (KDD 2014); docs/density.md lists its errata D1 to D7."
)


def draw(setting: Setting) -> None:
    """Draw the ledger of the release on the page and the totals of every method."""
    ledger = cached.compute_cost(setting)
    st.markdown(f"**Data used and their cost** – protected: {ledger.unit}")
    names = ("Stage", "Data used", "Sensitivity", "Mechanism", "Noise scale", "ε share", "δ")
    tables.draw_rows(names, _stage_rows(ledger))
    st.caption(
        "Free of cost: dividing the region into cells, which uses public geometry only, and "
        "every step after the noise. Sensitivity: the most that one person can change a query, "
        "as a sum (L1) or a root of squares (L2)."
    )
    if difference := describe_difference(setting):
        st.info(difference, icon=":material/outbox:")
    st.markdown("**Three totals of ε for every method at this setting**")
    rows = [
        (method.short_name, *_format_totals(replace(setting.parameters, method=key), setting))
        for key, method in density.METHODS.items()
    ]
    tables.draw_rows(("Method", "By the paper", "Simple composition", "Best proved total"), rows)
    st.caption(MARK_NOTE)


def describe_difference(setting: Setting) -> str:
    """Return the noise of a release of the setting, if it is not that of the draws here."""
    parameters = setting.parameters
    released = cache.compute(density.match_release_noise, parameters)
    if released == parameters:
        return ""
    drawn_scale, released_scale = (
        cached.compute_cost(replace(setting, parameters=settings)).stages[0].noise_scale or 1.0
        for settings in (parameters, released)
    )
    ratio = released_scale / drawn_scale
    return (
        f"A release that is charged ε = {parameters.epsilon:g} has the noise of "
        f"ε = {released.epsilon:.4g} in this ledger: in its first stage {abs(ratio - 1):.1%} "
        f"{'more' if ratio > 1 else 'less'}. Verdict and gauges use the noise of the release; "
        f"maps, cards and curves are drawn at ε = {parameters.epsilon:g}. What a release is "
        "charged is proved by zCDP of whole-number noise (docs/release.md)."
    )


def _stage_rows(ledger: PrivacyCost) -> list[tuple[str, ...]]:
    return [
        (
            stage.name,
            stage.reads,
            f"{number(stage.sensitivity, 3)} ({stage.norm})",
            stage.noise,
            "–" if stage.noise_scale is None else number(stage.noise_scale, 3),
            f"{stage.epsilon:.3g}",
            scientific(stage.delta).replace("-", "\N{NON-BREAKING HYPHEN}") if stage.delta else "–",
        )
        for stage in ledger.stages
    ]


def _format_totals(parameters: density.DensityParameters, setting: Setting) -> list[str]:
    """Write three totals and in which sense they hold; ▲ where a proved one exceeds the charge."""
    ledger = cached.compute_cost(replace(setting, parameters=parameters))
    totals = (
        (ledger.paper_epsilon, ledger.paper_definition),
        (ledger.composed_epsilon, ledger.paper_definition),
        (ledger.proved_epsilon, ledger.proved_definition),
    )
    texts = [f"{total:.3g}, {notion}" for total, notion in totals]
    if is_above(ledger.proved_epsilon, parameters.epsilon):
        texts[-1] += " ▲"
    return texts
