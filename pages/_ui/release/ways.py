"""A release that does not fit its budget: what would, each as a button that sets it."""

import streamlit as st

from engine.parameters import DELTA_STOPS
from engine.release import Budget, Plan, Product, WayOut, ways_out
from pages._ui.release.question import DAYS, OURS, PUBLISHED, name_of, whose
from pages._ui.release.wording import refused, way_out
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.dates import day_setting
from pages._ui.shell.settings import DELTA, EPSILON, EPSILON_SLIDER, UNIT, nearest_stop_below, units


def draw(plan: Plan, product: Product, budget: Budget, entry: Entry) -> None:
    """Say what a release would cost and what fits instead."""
    able = {plan.unit, *units(entry)}
    ways = [one for one in ways_out(plan, budget) if one.unit in able]
    st.error(refused(plan, budget, ways), icon=":material/block:")
    with st.container(horizontal=True, gap="small"):
        for way in ways:
            values = _settings(way, plan, entry)
            if values is None:
                continue
            st.button(
                way_out(way, values),
                key=f"release_way_{way.change}_{way.unit}",
                icon=":material/low_priority:",
                on_click=_take,
                args=(values, entry),
            )
        method = whose(name_of(product))
        if plan.delta and not budget.left_delta and method and setting.value(method) == OURS:
            st.button(
                "Use the published method, which costs no δ",
                key="release_way_method",
                icon=":material/low_priority:",
                on_click=setting.put,
                args=(method, PUBLISHED),
            )


def delta_below(limit: float) -> None:
    """Offer the largest δ of the slider that is at most a limit."""
    delta = nearest_stop_below(limit, DELTA_STOPS)
    if delta is not None:
        st.button(
            f"Use δ = {delta:g}", key="release_way_delta", on_click=setting.put, args=(DELTA, delta)
        )


def _settings(way: WayOut, plan: Plan, entry: Entry) -> dict[str, object] | None:
    """Return what a way sets, by the key of the setting; None where no slider reaches it."""
    epsilon = nearest_stop_below(way.epsilon, EPSILON_SLIDER)
    delta = nearest_stop_below(way.delta, DELTA_STOPS)
    if (way.epsilon < plan.epsilon and epsilon is None) or (way.delta and delta is None):
        return None
    values: dict[str, object] = {} if way.epsilon == plan.epsilon else {EPSILON.key: epsilon}
    if way.delta != plan.delta:
        values[DELTA.key] = delta
    if way.unit != plan.unit:
        values[UNIT.key] = way.unit
    if way.days != plan.days:
        every = entry.metadata.days
        start = setting.value(day_setting(DAYS, entry, (0, len(every) - 1)))[0]
        first = every.index(start)
        values[DAYS] = start, every[first + way.days - 1]
    return values


def _take(values: dict[str, object], entry: Entry) -> None:
    days = day_setting(DAYS, entry, (0, len(entry.metadata.days) - 1))
    for one in (EPSILON, DELTA, UNIT, days):
        if one.key in values:
            setting.put(one, values[one.key])
