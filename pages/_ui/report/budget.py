"""The budget bar: every analysis with its share of ε, and the controls of one analysis."""

import html
from typing import TypeVar

import streamlit as st

from engine.report import Analysis, ReportRelease, ReportTable, Result
from pages._ui.report import controls
from pages._ui.report.controls import Chosen
from pages._ui.report.wording import OFF, SHORT, derived, shares, spent
from pages._ui.shell import setting
from pages._ui.shell.session import set_widget, widget_value
from pages._ui.shell.setting import Setting
from pages._ui.wording.numbers import percent

T = TypeVar("T")

_SHADES = ("#2a8fbd", "#3d7ea6", "#1d6f95", "#4a93b8")


def bar(release: ReportRelease) -> None:
    """Draw the shares of all analyses that are asked, to scale, and what follows from them."""
    params = release.parameters
    asked = params.plan.asked
    left = params.plan.unspent if params.plan.unspent > 5e-4 else 0.0
    pieces = [
        _piece(SHORT[analysis], share, _SHADES[number % len(_SHADES)])
        for number, (analysis, share) in enumerate(asked.items())
    ]
    if left:
        pieces.append(_piece("Not spent", left, "transparent"))
    free = [SHORT[analysis].lower() for analysis in params.plan.derived]
    note = f" Free, because they follow from the others: {', '.join(free)}." if free else ""
    st.html(
        '<div class="budget" role="img" aria-label="Shares of the privacy loss">'
        + "".join(pieces)
        + f'</div><div class="budgetnote narrow">{html.escape(shares(asked))}</div>'
        + f'<div class="budgetnote">{html.escape(spent(release) + note)}</div>'
    )


def controls_of(
    analysis: Analysis,
    chosen: Chosen,
    table: ReportTable,
    result: Result | None,
    label: str,
) -> None:
    """Draw weight, lock and bins of one analysis behind its price."""
    params = chosen.parameters
    usual = controls.usual_weight(analysis, params.unit, params.method, table)
    share = params.plan.asked.get(analysis)
    with st.popover(label, icon=":material/tune:"):
        setting.draw(
            st.select_slider,
            "Weight in the budget",
            _afresh(controls.weight_setting(analysis, usual)),
            controls.WEIGHTS,
            format_func=lambda weight: "off" if weight == 0 else f"{weight:g}",
            help="Shares follow the weights; 0 switches the analysis off.",
        )
        if share is not None:
            _lock(analysis, share)
        if result is not None and result.sources:
            st.caption(derived(result))
        if analysis.is_histogram:
            setting.draw(
                st.text_input,
                "Bins (from : to : width)",
                _afresh(controls.bins_setting(analysis, params.max_trips_per_user)),
                help="Public numbers, chosen by you; what lies outside is counted apart.",
            )


def why_off(analysis: Analysis, chosen: Chosen, table: ReportTable) -> str:
    """Say why an analysis is not shown."""
    if analysis in chosen.parameters.plan.empty:
        return OFF["empty"]
    if chosen.parameters.unit == "item" and analysis.counted == "user":
        return OFF["unit"]
    if analysis is Analysis.TRAVEL_TIME and not table.has_travel_times:
        return OFF["travel"]
    return OFF["weight"]


def _afresh(one: Setting[T]) -> Setting[T]:
    """Send the value of a setting with this run.

    A popover makes its widgets when it is opened, and would show their first option where the value
    came with an earlier run.
    """
    set_widget(one.key, setting.value(one))
    return one


def _lock(analysis: Analysis, share: float) -> None:
    one = controls.lock_setting(analysis)
    key = f"report_hold_{analysis}"
    set_widget(key, setting.value(one) > 0)

    def change() -> None:
        setting.put(one, round(share, 6) if widget_value(key) else 0.0)

    st.toggle(
        f"Hold its share of {share:.1%}",
        key=key,
        on_change=change,
        help="A held share stays when other weights change.",
    )


def _piece(name: str, share: float, colour: str) -> str:
    text = html.escape(name)
    shown = f"<i>{text} </i><i>{percent(share)}</i>" if share >= 0.03 else ""
    return (
        f'<span style="width:{100 * share:.2f}%;background:{colour}" '
        f'title="{text}: {share:.1%} of ε">{shown}</span>'
    )
