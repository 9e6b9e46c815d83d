"""The ε of Theorems 6 and 7, published and exact side by side."""

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from engine.contract import Setting
from engine.origin_destination import NoiseName, calculators as theorems
from engine.text.numbers import percent, round_up, trip_count
from engine.text.privacy_text import name_noise_centre
from pages._ui.app import cache
from pages._ui.components import tables
from pages._ui.components.tables import Cell
from pages._ui.settings import fields

_ALPHA, _CONFIDENCE = 10, 95.0


class TheoremEpsilons(NamedTuple):
    """The ε for the error of one flow and of a change, published and exact.

    `published_confidence` is how often the published ε of a change really holds.
    """

    flow: float
    exact_flow: float
    change: float
    exact_change: float
    published_confidence: float


def compute_epsilons(
    alpha: int, beta: float, max_trips: int, law: NoiseName = "rounded_laplace"
) -> TheoremEpsilons:
    """Return the ε from which on an error is at most `alpha` trips in 1 − `beta` of releases."""
    args, cell = (alpha, beta, max_trips), theorems.epsilon_for_cell_error
    change = float(cache.compute(theorems.epsilon_for_change, *args, method="published"))
    wrong = cache.compute(theorems.change_error_probability, alpha, change, max_trips)
    return TheoremEpsilons(
        flow=float(cache.compute(cell, *args)),
        exact_flow=float(cache.compute(cell, *args, law=law)),
        change=change,
        exact_change=float(cache.compute(theorems.epsilon_for_change, *args, law=law)),
        published_confidence=1 - float(wrong),
    )


def compare_epsilons(setting: Setting) -> dict[str, Cell]:
    """Return both theorems' ε for the error that is set, as numbers beside a setting's others."""
    alpha, beta = _tolerance()
    epsilons = compute_epsilons(alpha, beta, setting.parameters.max_trips_per_user)
    unit = "trip" if setting.selection.people_once else setting.parameters.unit  # nothing trimmed
    meaning = (
        f"From this ε on a flow (a change) with Laplace noise is within {trip_count(alpha)} of "
        f"{name_noise_centre(unit)} in {percent(1 - beta)} of releases, before "
        "small flows are suppressed. A smaller T needs a smaller ε, because there is less noise; "
        "trips beyond T are lost. The first number is by the theorem of Kohli et al. (2024), the "
        "second by the exact distribution of the noise. Where the second is larger, the "
        "theorem's ε is too small."
    )
    rows = (
        (f"Flow noise ± {alpha:,}: ε (Theorem 6)", epsilons.flow, epsilons.exact_flow),
        (f"Change noise ± {alpha:,}: ε (Theorem 7)", epsilons.change, epsilons.exact_change),
    )
    return {
        setting.say_counts(label): Cell(
            round_up(published), f"exact {round_up(exact)}", setting.say_counts(meaning)
        )
        for label, published, exact in rows
    }


def _tolerance() -> tuple[int, float]:
    state = st.session_state
    percent_held = state.get("choose_confidence", _CONFIDENCE)
    return int(state.get("choose_alpha", _ALPHA)), 1 - round(percent_held / 100, 6)


def draw_error_field(*, has_label: bool = True) -> None:
    """Draw the field of the error in trips that the theorems' ε are for."""
    st.number_input(
        "Largest tolerated error α (trips)",
        0,
        100_000,
        _ALPHA,
        key="choose_alpha",
        label_visibility="visible" if has_label else "collapsed",
        **fields.LINKED,
    )


def draw_tolerance(trips_column: Any, share_column: Any) -> tuple[int, float]:
    """Draw two fields at their places: an error in trips, and how often more is tolerated."""
    with trips_column:
        draw_error_field()
    label, key = "in … % of releases (1 − β)", "choose_confidence"
    share_column.number_input(label, 1.0, 99.9, _CONFIDENCE, key=key, **fields.LINKED)
    return _tolerance()


def draw_comparison(
    alpha: int, beta: float, max_trips: int, unit: str, law: NoiseName, say: Callable[[str], str]
) -> dict[str, float]:
    """Draw the ε of Theorems 6 and 7, published and exact; return the exact ones."""
    epsilons = compute_epsilons(alpha, beta, max_trips, law)
    held = f"{epsilons.change:.4g} (true confidence {epsilons.published_confidence:.1%})"
    tables.draw_rows(
        (
            say(f"Within {trip_count(alpha)} of {name_noise_centre(unit)}"),
            "ε by the theorem",
            "Exact ε",
        ),
        [
            ("One flow (Theorem 6)", f"{epsilons.flow:.4g}", f"{epsilons.exact_flow:.4g}"),
            ("A change between two dates (Theorem 7)", held, f"{epsilons.exact_change:.4g}"),
        ],
    )
    return {"flow": epsilons.exact_flow, "change": epsilons.exact_change}
