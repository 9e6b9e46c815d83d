"""Home: the need, three gauges, true beside private, every number, and one recommendation."""

from pathlib import Path

import streamlit as st

from engine.contract import Setting
from engine.privacy import Risk
from engine.readability import describe_weak_signal
from engine.synthetic.twin_inputs import count_trips
from engine.text import setting_text as words
from engine.text.numbers import scientific
from engine.text.privacy_text import delta_warning
from pages._ui.answers import assessments, cached, measures, recommendation, theorems
from pages._ui.answers.suppression import draw_comparison
from pages._ui.app import error_pages
from pages._ui.app.session import session
from pages._ui.components import picture
from pages._ui.frame import layout, presenter, sidebar
from pages._ui.home import handout as home_handout, home_picture
from pages._ui.settings import current, fields, offers, seeds, widgets

PURPOSE = "See what privacy costs before you publish how people move."
STYLE = Path(__file__).with_name("home.css")


def draw() -> None:
    """Draw the page."""
    st.html(STYLE)
    lead = "" if presenter.is_presenting() else PURPOSE
    layout.draw_banners([offers.entry_for("density"), offers.entry_for("trips")], lead=lead)
    flows, density = current.flows(), current.density()
    with st.container(horizontal=True, vertical_alignment="bottom", key="home_need", gap="xsmall"):
        plain = {"label_visibility": "collapsed", "width": "content"}
        part = widgets.draw(fields.HOME_PART, widget="segmented_control", **plain)
        _draw_requirements(part)
        presenter.draw_switch("pages/4_Decisions.py", "Decisions")
    setting = flows if part == "trips" else density
    if setting is None:
        layout.explain_missing(offers.entry_for(part), part)
    else:
        with error_pages.catch_errors():
            draw_first_screen(setting, flows, density)
    if presenter.is_presenting():
        return
    people = None if density is None else offers.entry_for("density")
    warning = people and delta_warning(fields.value(fields.DELTA), people.metadata.people_public)
    if warning:
        st.warning(warning, icon=":material/warning:")
    if density is not None and flows is not None and density.dataset_id == flows.dataset_id:
        st.caption(_describe_total(cached.risk(density), cached.risk(flows)))
    if flows is not None and part == "trips":
        with error_pages.catch_errors():
            draw_comparison(flows, key="home")


def _draw_requirements(part: str) -> None:
    """Draw what is asked of ``trips`` or ``density``: data, zones, time, who is protected."""
    sidebar.pick_dataset(part, is_described=False)
    entry = offers.entry_for(part)
    if entry is None or part not in entry.parts:
        return
    sidebar.pick_zones(part)
    widgets.draw(fields.METHODS[part])
    if part == "density":
        st.selectbox("Unit of privacy", ["one person, the whole week"], disabled=True)
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


def draw_first_screen(setting: Setting, flows: Setting | None, density: Setting | None) -> None:
    """Draw gauges, pictures, numbers and recommendation of what is set: all that is presented."""
    answer = assessments.draw_gauges(setting)
    with st.container(key="home_stage"):
        picture_col, card_col = st.columns(
            [1.4 if presenter.is_presenting() else 1.95, 1], gap="small"
        )
    with picture_col:
        seed, is_difference = seeds.seed(answer.entry), picture.is_difference()
        drawing = home_picture.setting_picture(setting, seed, is_difference=is_difference)
        picture.draw(drawing, "home", has_choice=True)
    with card_col, st.container(key="home_card", gap="small"):
        with error_pages.catch_errors():
            measures.draw_table(flows, density)
        if flows is not None:
            with st.container(horizontal=True, vertical_alignment="center", key="home_error"):
                label = flows.say_counts("Tolerated error, counted trips")
                st.html(label, width="content")
                theorems.draw_error_field(has_label=False)
        recommendation.draw(setting, key="home")
        warn_of_weak_signal(setting)
        if not presenter.is_presenting():
            with st.container(horizontal=True, gap=None, key="home_next"):
                _draw_links(flows=words.is_flows(setting))
                home_handout.draw_buttons(answer, drawing)


def _draw_links(*, flows: bool) -> None:
    """Link to pages that go on with what is shown, in its view, never with the other part."""
    if flows:
        layout.draw_link("pages/3_Choose.py", "All settings", choose_view="All settings")
        layout.draw_link("pages/3_Choose.py", "What ε means", choose_view="What ε means")
        layout.draw_link("pages/4_Decisions.py", "Decisions")
        layout.draw_link("pages/6_Release.py", "Release", release_product="Origin–destination")
    else:
        layout.draw_link("pages/1_Density.py", "Methods and ℓ", density_view="Methods and ℓ")
        layout.draw_link("pages/6_Release.py", "Release", release_product="Density")


def warn_of_weak_signal(setting: Setting) -> None:
    """Warn of too few trips for single flows: of those stated on Release, or a fact of a twin.

    Never of those in the data; where none are stated nothing is said.
    """
    dataset = cached.full_dataset(setting)
    facts, days = dataset.metadata.scenario.get("twin"), len(dataset.metadata.days)
    daily = session().trips_per_day.get(setting.dataset_id)
    if daily is None and facts:
        daily = count_trips(facts) / days
    trips = daily and daily * len(setting.time.day_positions(days))
    zones = len(cached.dataset(setting.selection).zones)
    if warning := describe_weak_signal(setting, dataset, zones, trips):
        st.warning(setting.say_counts(warning), icon=":material/signal_cellular_alt_1_bar:")
