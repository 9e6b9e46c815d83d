"""Home: the need, two gauges, one slider, true beside private and one answer; then the numbers."""

from dataclasses import replace
from pathlib import Path

import streamlit as st

from engine.contract import Setting
from engine.privacy import Risk
from pages._ui import cached, state
from pages._ui.drawing import picture
from pages._ui.drawing.gauges import gauges_html
from pages._ui.home import handout as home_handout, picture as home_picture
from pages._ui.shell import frame, presenter, problems, sidebar
from pages._ui.views import answer as answers, numbers, recommend, theorems
from pages._ui.wording import use as words
from pages._ui.wording.numbers import scientific
from pages._ui.wording.privacy import delta_warning

_STYLE = Path(__file__).with_name("home.css")


def draw() -> None:
    """Draw the page."""
    st.html(_STYLE)
    asked = {"trips": state.flows(), "density": state.density()}
    with st.container(horizontal=True, vertical_alignment="bottom", key="home_need", gap="xsmall"):
        plain = {"label_visibility": "collapsed", "width": "content"}
        part = state.draw(state.SHOWN, widget="segmented_control", **plain)
        _need(part)
        presenter.switch()
    one = asked[part]
    if one is None:
        frame.missing(state.entry(part), part)
    else:
        with problems.caught():
            _first_screen(one)
    frame.banners([state.entry("density"), state.entry("trips")])
    people = None if asked["density"] is None else state.entry("density")
    warning = people and delta_warning(state.value(state.DELTA), people.metadata.people_public)
    if warning:
        st.warning(warning, icon=":material/warning:")
    if presenter.on():
        return
    with st.container(key="home_columns"):
        for place, name in zip(st.columns(2, gap="large"), ("density", "trips"), strict=True):
            with place, problems.caught():
                _column(name, asked[name])
    density, flows = asked["density"], asked["trips"]
    if density is not None and flows is not None and density.dataset_id == flows.dataset_id:
        st.caption(_together(cached.risk(density), cached.risk(flows)))
    if flows is not None:
        theorems.draw(flows)


def _need(part: str) -> None:
    """Draw what is asked of ``trips`` or ``density``: data, zones, time, who is protected."""
    sidebar.dataset(part, described=False)
    entry = state.entry(part)
    if entry is None or part not in entry.parts:
        return
    sidebar.zones(part)
    if part == "density":
        st.selectbox("What is protected", ["one person, whole week"], disabled=True)
        return
    sidebar.time()
    sidebar.unit()


def _together(density: Risk, flows: Risk) -> str:
    """Say what both cost where they read the same people."""
    if not flows.covers_person:
        return "Both read the same people; trips that are protected singly cannot be added up."
    spent = f" with δ = {scientific(density.delta)}" if density.delta else ""
    return (
        "Both read the same people: publishing both would cost each person "
        f"ε = {density.epsilon + flows.epsilon:.3g}{spent} in all, {density.epsilon:.3g} of it for "
        f"the density and {flows.epsilon:.3g} for the flows."
    )


def _first_screen(one: Setting) -> None:
    answer = answers.of(one)
    gauges, other = answers.gauges(answer), numbers.pinned(one)
    if other is not None:
        beside = answers.pinned(answers.of(other))
        gauges = [
            replace(gauge, sentence=f"{gauge.sentence} · pinned: {value}")
            for gauge, value in zip(gauges, beside, strict=True)
        ]
    st.html(gauges_html(gauges, of=answer.entry.name))
    presenter.epsilon(state.value(state.SHOWN))
    with st.container(key="home_stage"):
        left, right = st.columns([1.95, 1], gap="small")
    with left:
        shown = home_picture.of(one, state.seed(answer.entry))
        picture.draw(shown)
    with right, st.container(key="home_card", gap="small"):
        description = words.set_to(answer.utility, one)  # the gauges say the rest
        st.html(answers.verdict_html(answer, description))
        recommend.draw(one, key="home")
        with st.container(horizontal=True, gap=None, key="home_next"):
            _next(flows=words.is_flows(one))
            home_handout.button(answer, shown)


def _next(*, flows: bool) -> None:
    """Link to pages that go on with what is shown, in its view, never with the other part."""
    if presenter.on():
        frame.link("pages/4_Decisions.py", "Decisions")
    elif flows:
        frame.link("pages/3_Choose.py", "All settings", choose_view="All settings")
        frame.link("pages/3_Choose.py", "What ε means", choose_view="What ε means")
        frame.link("pages/4_Decisions.py", "Decisions")
        frame.link("pages/7_Release.py", "Release", release_product="Origin–destination")
    else:
        frame.link("pages/1_Density.py", "Methods and ℓ", density_view="Methods and ℓ")
        frame.link("pages/7_Release.py", "Release", release_product="Density")


def _column(part: str, one: Setting | None) -> None:
    title = {"density": "Density of visits", "trips": "Origin–destination flows"}[part]
    entry = state.entry(part)
    st.subheader(title if entry is None else f"{title}: {entry.name}", anchor=False)
    if one is None:
        st.caption("No dataset." if entry is None else f"{entry.name} has none.")
        return
    numbers.draw(one)
    st.caption(answers.covered(answers.of(one)))
