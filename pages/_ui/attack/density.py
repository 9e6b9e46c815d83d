"""Attack on the density: all stages of the ledger together."""

import pandas as pd
import streamlit as st

from engine.attack import StageLoss, Visitor
from engine.parameters import MAX_VISITS_LIMIT
from pages._ui.attack import answer, curves, wording
from pages._ui.cache import attack as cached
from pages._ui.shell import setting
from pages._ui.shell.settings import Settings
from pages._ui.wording.labels import NOBODY_SAMPLED
from pages._ui.wording.numbers import number, scientific

_VISITS = setting.whole_number("attack_visits", 30, 1, 168)
_ALL_VISITS = setting.whole_number("attack_all_visits", 30, 1, 10**6)
_SIZES = {
    "laplace": "change of the number over the noise's scale (Δ/b)",
    "gaussian": "change of the coefficients over the noise's deviation (Δ₂/σ)",
    "choice": "range of the log-odds of the choice (η)",
}


def draw(settings: Settings) -> None:
    """Draw the attack on one release of the density under the present settings."""
    entry = settings.density_data
    if entry is None or not entry.has_density:
        st.info("Choose a dataset with visits: the method's cover and cap are read from its zones.")
        return
    parameters, cap = settings.density(), entry.metadata.max_visits_cap
    sampled = parameters.method != "zoom"
    kept = parameters.max_visits_per_user if sampled else min(cap, MAX_VISITS_LIMIT)
    left, right, _ = st.columns([1, 1, 1.4], gap="medium")
    if setting.value(_VISITS) > kept:
        setting.put(_VISITS, kept)
    visits = setting.draw(
        left.number_input,
        "Visits of the target that are kept",
        _VISITS,
        min_value=1,
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
    attack = cached.on_density(entry.key, target, parameters)
    answer.draw(
        attack,
        wording.density_attacker(parameters),
        f"The guarantee is the best proved one, ε = {number(attack.guarantee.epsilon, 3)}"
        + (f" at δ = {scientific(attack.guarantee.delta)}." if attack.guarantee.delta else ".")
        + " It holds for everybody, whatever the visits; most people are further from it.",
        wording.together(attack.guarantee, "person"),
        bound=True,
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Found against accused (ROC)", anchor=False)
        curves.roc(attack, key="attack_density_roc")
    with right:
        st.subheader("What each stage tells", anchor=False)
        st.table(_stages(cached.density_stages(entry.key, target, parameters)), hide_index=True)
        st.caption("The larger the size, the more the stage tells; 0 would tell nothing.")


def _stages(stages: tuple[StageLoss, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Stage": [each.stage.name for each in stages],
            "Draws that read the target": [f"{each.times}" for each in stages],
            "Size": [number(each.size, 2) for each in stages],
            "Size is": [_SIZES[each.mechanism] for each in stages],
        }
    )
