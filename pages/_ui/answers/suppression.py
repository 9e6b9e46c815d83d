"""Suppression without noise, today's usual practice, beside the methods that add noise."""

from dataclasses import replace

import streamlit as st

from engine import origin_destination as od
from engine.contract import Setting
from engine.origin_destination.suppression_alone import subtract_tables
from engine.privacy import format_guess_rate
from engine.text.numbers import percent, trip_count
from engine.text.privacy_text import SUPPRESSION_ALONE, describe_subtraction
from engine.utility import Utility, compute_suppression_utility
from pages._ui.answers import cached
from pages._ui.answers.assessments import assess_setting
from pages._ui.components import tables

_HEADS = "Method", "Retained", "Genuine", "Common part (CPC)", "Right guesses of an attacker"
_BOTH_TRUTHS = (
    "This practice guarantees protection to nobody: what it hides today, the next table can "
    "reveal. It can still be the more accurate one: the table below compares. It is shown for "
    "comparison only; Release refuses it."
)


def draw_comparison(setting: Setting, *, key: str, expanded: bool = False) -> None:
    """Draw what suppression alone reveals of the data, and its utility beside that of all methods.

    The table is computed where it stands open: some methods estimate every flow for it.
    """
    min_shown = setting.parameters.min_shown_count
    days = replace(setting.selection, time=replace(setting.time, aggregation="day"))
    attack = cached.read(subtract_tables, days, min_shown)
    revealed = ""
    if attack is not None:
        last_day = f"{cached.dataset(days).metadata.days[-1]:%-d %B}"
        revealed = f"{describe_subtraction(attack, last_day)} "
    st.subheader("Today's practice: suppression without noise", anchor=False)
    st.caption(
        setting.say_counts(
            "Statistical offices suppress small counts (FlowKit: of 15 subscribers or fewer) and "
            f"publish the others as they are. Here flows below {trip_count(min_shown)} are "
            "suppressed. "
            f"{revealed}{_BOTH_TRUTHS}"
        )
    )
    label = "Utility and guarantee beside those of the methods"
    comparison = st.expander(label, expanded=expanded, on_change="rerun", key=f"{key}_practice")
    if comparison.open:
        with comparison:
            _draw_table(setting)


def _draw_table(setting: Setting) -> None:
    parameters, rows = setting.parameters, list[tuple[str, ...]]()

    def add_row(name: str, utility: Utility, guesses: str) -> None:
        shares = utility.retained, utility.genuine, utility.common_part
        rows.append((name, *map(percent, shares), guesses))

    for method_key, method in od.METHODS.items():
        variant = replace(parameters, method=method_key).canonical_form
        answer = assess_setting(replace(setting, parameters=variant))
        judged, count = answer.utility.matrices
        partly = f" (first {judged} of {count} matrices)" if judged < count else ""
        add_row(
            f"{method.name}{partly}", answer.utility, format_guess_rate(answer.risk.max_guess_rate)
        )
    min_shown = parameters.min_shown_count
    alone = cached.read(compute_suppression_utility, setting.selection, min_shown)
    add_row(f"{SUPPRESSION_ALONE} {min_shown}", alone, "no guarantee: up to 100 of 100 guesses")
    tables.draw_rows(_HEADS, rows)
