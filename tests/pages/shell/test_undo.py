"""Undo after every button that sets more than one thing, until something else is set."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages._ui.components import charts
from pages._ui.frame.page_table import HOME
from tests.support.page import bodies, link_of, settings_of

CHOOSE = "pages/3_Choose.py"


def status(app: AppTest) -> str:
    """What the bar says."""
    said = next(one for one in bodies(app) if one.startswith('<div role="status">'))
    return re.sub("<.*?>", "", said)


def offered(app: AppTest) -> bool:
    return any(one.label == "Undo" for one in app.button)


def undone(app: AppTest) -> AppTest:
    return app.button(key="undo_step").click().run()


@pytest.fixture
def recommended(open_home, settled):
    """Home on a shared link, and after *Use this*."""
    app = settled(open_home(epsilon="0.5", threshold="7", od_zones="10 clusters", v="2"))
    before = settings_of(app), link_of(app)
    return settled(app.button(key="way_home_use").click().run()), before


def test_what_a_recommendation_has_set_is_taken_back_exactly_also_after_other_pages_and_views(
    recommended, settled
):
    app, (before, link) = recommended
    assert settings_of(app) != before
    assert status(app).startswith("Set: ")
    assert "ε 0.3, τ 15 and method Empirical Bayes" in status(app)
    app.switch_page(CHOOSE).run()
    assert offered(app)
    app.switch_page(HOME).run()
    assert offered(app.segmented_control(key="home_shown").set_value("Density").run())
    app = undone(app)
    assert app.session_state["home_shown"] == "density"
    app = settled(app.segmented_control(key="home_shown").set_value("Flows").run())
    assert settings_of(app) == before
    assert link_of(app) == {**link, "home_shown": "Density"}  # which a browser takes out
    assert not offered(app)
    assert not status(app)
    assert "way_home_use" in [one.key for one in app.button]  # a step back, not a circle


def test_undo_goes_once_something_else_is_set(recommended):
    app, _ = recommended
    before = app.session_state["od_zones"]
    app.session_state["od_zones"] = "zones"
    assert not offered(app.run())
    app.session_state["od_zones"] = before
    assert not offered(app.run())  # nor does it come again


def test_a_button_that_sets_one_thing_offers_no_undo_and_ends_an_earlier_one():
    def press() -> None:
        import streamlit as st

        from pages._ui.settings import current, undo_step

        st.button("One", on_click=current.set_values, kwargs={"epsilon": 0.2})
        both = {"epsilon": 0.3, "threshold": 9}
        st.button("Both", on_click=current.set_values, kwargs=both)
        st.button("Zone", on_click=current.set_values, kwargs={"density_zone": "3"})
        st.text("offered" if undo_step.find_step() else "nothing")

    app = AppTest.from_function(press).run()
    said = [app.button[number].click().run().text[0].value for number in (0, 1, 2, 1, 0)]
    assert said == ["nothing", "offered", "offered", "nothing", "nothing"]


def test_a_click_on_the_heat_map_can_be_taken_back(open_page, monkeypatch):
    def pick(*_: object, key: str, on_pick=None, **__: object) -> None:
        import streamlit as st

        st.button("Pick", key=f"pick_{key}", on_click=on_pick, args=("5", "0.2"))

    monkeypatch.setattr(charts, "draw_heat_map", pick)
    app = open_page("pages/2_Origin_Destination.py")
    app.session_state["od_view"] = "ε × τ with T"
    app.run()
    app.button(key="pick_od_grid").click().run()
    assert (app.session_state["epsilon"], app.session_state["threshold"]) == (0.2, 5)
    assert status(app) == "Set: ε 0.2 and τ 5."
    app = undone(app)
    assert (app.session_state["epsilon"], app.session_state["threshold"]) == (1.0, 15)
