"""What is set outlives pages, comes from a link, and is one `Setting` wherever it is asked for."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from engine.contract import TimeSelection
from engine.text.dataset_text import CONFIDENTIAL_BANNER, SIMULATED_BANNER
from pages._ui.frame.page_table import HOME
from pages._ui.settings import fields
from tests.support.page import link_of, settings_of


def ask() -> None:
    """Keep both settings of the session at hand, and what a link says that is not read."""
    import streamlit as st

    from pages._ui.app.session import session
    from pages._ui.settings import current, link

    link.read_link()
    st.session_state["flows"], st.session_state["visits"] = current.flows(), current.density()
    st.session_state["notices"] = session().notices


def open_link(**texts: str) -> AppTest:
    app = AppTest.from_function(ask)
    for key, text in texts.items():
        app.query_params[key] = text
    app.run()
    assert not app.exception, app.exception
    return app


def settings(**texts: str):
    """Return flows and density that a link sets."""
    app = open_link(**texts)
    return app.session_state["flows"], app.session_state["visits"]


def test_a_link_is_read_by_ids_words_and_numbers():
    flows, visits = settings(
        epsilon="0.37",
        unit="one single trip",
        od_time="period",
        od_zones="clusters-10",
        od_method="Ours: reads small flows",
        variant="lpa",
        density_scaling="false",
        threshold="999",
        od_data="demo-city",
    )
    assert (flows.parameters.epsilon, flows.parameters.unit) == (0.35, "trip")
    assert (flows.time, flows.zone_level) == (TimeSelection(aggregation="whole"), "clusters-10")
    assert flows.parameters.method == "empirical_bayes"
    assert (visits.parameters.method, visits.parameters.epsilon) == ("lpa", 0.35)


@pytest.mark.parametrize(
    ("key", "earlier", "method"),
    [
        ("od_method", "published", "laplace_suppression"),
        ("od_method", "The papers' method, with τ", "laplace_suppression"),
        ("od_method", "estimate", "empirical_bayes"),
        ("od_method", "Our method, without τ", "empirical_bayes"),
        ("variant", "zoom", "multiscale"),
        ("variant", "Five zoom levels (ours)", "multiscale"),
    ],
)
def test_a_link_of_an_earlier_version_has_the_same_method(key, earlier, method):
    app = open_link(**{key: earlier})
    product = "flows" if key == "od_method" else "visits"
    assert app.session_state[product].parameters.method == method
    assert not app.session_state["notices"]


def test_a_link_with_the_earlier_words_for_a_reports_budget_still_opens():
    app = open_link(report_preset="Ask nothing twice")
    assert app.session_state["report_preset"] == "derived"
    assert not app.session_state["notices"]


def test_a_person_has_one_matrix_whatever_time_is_set():
    flows, _ = settings(unit="person", od_time="day", od_data="demo-city")
    assert flows.time == TimeSelection(aggregation="whole")
    equal, _ = settings(unit="person", od_time="week", od_data="demo-city")
    assert flows == equal


def test_a_reset_can_be_taken_back(open_home):
    app = open_home()
    usual = settings_of(app)["od_data"]
    app.select_slider(key="epsilon").set_value(0.5)
    app.selectbox(key="od_data").set_value("only-trips").run()
    next(one for one in app.button if one.label == "Redraw").click().run()
    next(one for one in app.button if one.label == "Reset").click().run()
    assert (settings_of(app)["epsilon"], settings_of(app)["od_data"]) == (1.0, usual)
    assert app.session_state["session"].redraw_count == 0
    next(one for one in app.button if one.label == "Undo").click().run()
    assert (settings_of(app)["epsilon"], settings_of(app)["od_data"]) == (0.5, "only-trips")
    assert app.session_state["session"].redraw_count == 1
    assert not any(one.label == "Undo" for one in app.button)


def test_what_cannot_be_set_is_said_once(open_home):
    app = open_home(epsilon="1e9", od_data="nowhere", od_zones="provinces")
    said = [one.value for one in app.toast]
    named = [one.partition(" = ")[0].split()[-1] for one in said]
    assert named == ["epsilon", "od_data", "od_zones"]
    assert all("not a valid value" in one or "not available here" in one for one in said)
    assert settings_of(app)["epsilon"] == 1.0
    assert not app.run().toast


def test_an_unknown_version_of_a_link_is_said_once_and_the_link_is_written_anew(open_home):
    app = open_home(v="4", epsilon="0.5")
    said = "The link has v = 4, which is not known. It is read with v = 3."
    assert [one.value for one in app.toast] == [said]
    assert settings_of(app)["epsilon"] == 0.5
    assert link_of(app) == {"epsilon": "0.5", "v": "3"}
    assert not app.run().toast


def test_a_link_has_a_version_as_soon_as_something_is_set(open_home):
    app = open_home()
    assert link_of(app) == {}
    app.select_slider(key="threshold").set_value(7).run()
    for path in (HOME, "pages/3_Choose.py"):
        assert link_of(app.switch_page(path).run()) == {"threshold": "7", "v": "3"}


HOSTILE = (
    "1.\n\n# Your session has ended. [Sign in](https://elsewhere.example) ![x](http://a.b) :red[x]"
)


@pytest.mark.parametrize("key", ["epsilon", "report_off", "od_data", "density_zones", "v"])
def test_a_link_cannot_write_a_heading_a_link_or_a_picture_on_the_page(key):
    (notice,) = open_link(**{key: HOSTILE}).session_state["notices"]
    assert "\n" not in notice
    assert not re.search(r"(?<!\\)[#\[\]!:(]", notice)


def stamped() -> None:
    """Keep what a saved picture says where simulated people are set and real ones are shown."""
    import streamlit as st

    from pages._ui.app import catalogue
    from pages._ui.app.session import session
    from pages._ui.settings import current

    known = catalogue.entries()
    session().shown_entries = {"town": known["town"]}
    st.session_state["od_data"] = st.session_state["density_data"] = "demo-city"
    st.session_state["shown"] = current.stamp()
    session().shown_entries = {"demo-city": known["demo-city"]}
    st.session_state["set"] = current.stamp()


def test_a_saved_picture_of_real_people_says_so_whatever_is_set():
    app = AppTest.from_function(stamped).run()
    assert not app.exception, app.exception
    (first, second), real = app.session_state["shown"]
    assert real
    assert CONFIDENTIAL_BANNER.replace("**", "") in first
    assert SIMULATED_BANNER not in first
    assert second.startswith("town: ")
    (first, _), real = app.session_state["set"]
    assert not real
    assert SIMULATED_BANNER in first


@pytest.mark.parametrize("field", fields.FIELDS, ids=lambda one: one.key)
def test_every_option_is_read_from_its_words(field):
    for option in field.options:
        assert field.read(field.to_text(option)) == option
