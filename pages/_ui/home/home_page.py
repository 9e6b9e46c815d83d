"""Home: the need, two gauges, one slider, true beside private and one answer; then the numbers."""

from dataclasses import replace
from pathlib import Path

import streamlit as st

from engine.contract import Setting
from engine.privacy import Risk
from engine.text import setting_text as words
from engine.text.numbers import scientific
from engine.text.privacy_text import delta_warning
from pages._ui.answers import assessments, cached, measure_cards, recommendation, theorems
from pages._ui.app import error_pages
from pages._ui.components import picture
from pages._ui.components.gauges import gauges_html
from pages._ui.frame import layout, presenter, sidebar
from pages._ui.home import handout as home_handout, home_picture
from pages._ui.settings import current, fields, offers, seeds, widgets

_STYLE = Path(__file__).with_name("home.css")


def draw() -> None:
    """Draw the page."""
    st.html(_STYLE)
    settings = {"trips": current.flows(), "density": current.density()}
    with st.container(horizontal=True, vertical_alignment="bottom", key="home_need", gap="xsmall"):
        plain = {"label_visibility": "collapsed", "width": "content"}
        part = widgets.draw(fields.HOME_PART, widget="segmented_control", **plain)
        _draw_requirements(part)
        presenter.draw_switch()
    setting = settings[part]
    if setting is None:
        layout.explain_missing(offers.entry_for(part), part)
    else:
        with error_pages.catch_errors():
            _draw_first_screen(setting)
    layout.draw_banners([offers.entry_for("density"), offers.entry_for("trips")])
    people = None if settings["density"] is None else offers.entry_for("density")
    warning = people and delta_warning(fields.value(fields.DELTA), people.metadata.people_public)
    if warning:
        st.warning(warning, icon=":material/warning:")
    if presenter.is_presenting():
        return
    with st.container(key="home_columns"):
        for place, name in zip(st.columns(2, gap="large"), ("density", "trips"), strict=True):
            with place, error_pages.catch_errors():
                _draw_column(name, settings[name])
    density, flows = settings["density"], settings["trips"]
    if density is not None and flows is not None and density.dataset_id == flows.dataset_id:
        st.caption(_describe_total(cached.risk(density), cached.risk(flows)))
    if flows is not None:
        theorems.draw(flows)


def _draw_requirements(part: str) -> None:
    """Draw what is asked of ``trips`` or ``density``: data, zones, time, who is protected."""
    sidebar.pick_dataset(part, is_described=False)
    entry = offers.entry_for(part)
    if entry is None or part not in entry.parts:
        return
    sidebar.pick_zones(part)
    if part == "density":
        st.selectbox("Unit of privacy", ["one person, whole week"], disabled=True)
        return
    sidebar.pick_time()
    sidebar.pick_unit()


def _describe_total(density: Risk, flows: Risk) -> str:
    """Return the joint privacy loss of density and flows of the same people, in words."""
    if not flows.covers_person:
        return (
            "Density and flows share their people, but losses of single trips cannot be added up."
        )
    spent = f" with δ = {scientific(density.delta)}" if density.delta else ""
    return (
        "Density and flows come from the same people. Publishing both would cost each person "
        f"ε = {density.epsilon + flows.epsilon:.3g}{spent} in all: {density.epsilon:.3g} for "
        f"the density and {flows.epsilon:.3g} for the flows."
    )


def _draw_first_screen(setting: Setting) -> None:
    answer = assessments.assess_setting(setting)
    gauges, pinned = assessments.make_gauges(answer), measure_cards.pinned_setting(setting)
    if pinned is not None:
        pinned_values = assessments.format_pinned(assessments.assess_setting(pinned))
        gauges = [
            replace(gauge, sentence=f"{gauge.sentence} · pinned: {value}")
            for gauge, value in zip(gauges, pinned_values, strict=True)
        ]
    st.html(gauges_html(gauges, name=answer.entry.name))
    presenter.draw_epsilon(fields.value(fields.HOME_PART))
    with st.container(key="home_stage"):
        picture_col, card_col = st.columns([1.95, 1], gap="small")
    with picture_col:
        drawing = home_picture.setting_picture(setting, seeds.seed(answer.entry))
        picture.draw(drawing)
    with card_col, st.container(key="home_card", gap="small"):
        description = words.describe_choice(answer.utility, setting)  # the gauges say the rest
        st.html(assessments.verdict_html(answer, description))
        recommendation.draw(setting, key="home")
        with st.container(horizontal=True, gap=None, key="home_next"):
            _draw_links(flows=words.is_flows(setting))
            home_handout.draw_buttons(answer, drawing)


def _draw_links(*, flows: bool) -> None:
    """Link to pages that go on with what is shown, in its view, never with the other part."""
    if presenter.is_presenting():
        layout.draw_link("pages/4_Decisions.py", "Decisions")
    elif flows:
        layout.draw_link("pages/3_Choose.py", "All settings", choose_view="All settings")
        layout.draw_link("pages/3_Choose.py", "What ε means", choose_view="What ε means")
        layout.draw_link("pages/4_Decisions.py", "Decisions")
        layout.draw_link("pages/6_Release.py", "Release", release_product="Origin–destination")
    else:
        layout.draw_link("pages/1_Density.py", "Methods and ℓ", density_view="Methods and ℓ")
        layout.draw_link("pages/6_Release.py", "Release", release_product="Density")


def _draw_column(part: str, setting: Setting | None) -> None:
    title = {"density": "Density of visits", "trips": "Origin–destination flows"}[part]
    entry = offers.entry_for(part)
    st.subheader(title if entry is None else f"{title}: {entry.name}", anchor=False)
    if setting is None:
        st.caption("No dataset." if entry is None else f"{entry.name} has none.")
        return
    measure_cards.draw(setting)
    st.caption(assessments.describe_risk(assessments.assess_setting(setting)))
