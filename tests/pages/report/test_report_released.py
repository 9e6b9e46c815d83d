"""What is set on Report is what Release takes, whole: who, M, what is left out, and the budget."""

import pytest

from engine import report
from engine.release import plan
from engine.report import Analysis
from pages._ui.answers import cached
from pages._ui.release import release_form, release_job
from pages._ui.settings import fields
from tests.support.page import link_of, text

REPORT, RELEASE = "pages/5_Report.py", "pages/6_Release.py"
LINK = {"report_unit": "A single trip", "report_off": ["Trips by hour", "flows", "Visits by zone"]}


@pytest.fixture
def planned(monkeypatch):
    """The settings that the page Release plans."""
    monkeypatch.setattr(release_job, "is_served_locally", lambda: True)
    asked = []
    monkeypatch.setattr(
        release_form,
        "planned_of",
        lambda setting, data: asked.append(setting) or plan(setting, data),
    )
    return asked


@pytest.fixture
def shown(monkeypatch):
    """The settings that the page Report draws."""
    drawn, release = [], cached.release
    monkeypatch.setattr(cached, "release", lambda *asked: drawn.append(asked[0]) or release(*asked))
    return drawn


def open_release(app):
    app.switch_page(RELEASE).run()
    app = app.button_group(key="release_product").set_value(release_form.REPORT).run()
    assert not app.exception, app.exception
    return app


def test_a_report_of_single_trips_with_analyses_left_out_is_released_as_it_is(
    open_page, planned, shown
):
    app = open_page(REPORT, od_data="demo-city", **LINK)
    assert "ε = 1 for one trip, shared by 3 analyses: 0.333 each" in text(app)
    app = open_release(app)
    said = text(app)
    assert planned[-1] == shown[-1]
    asked = planned[-1].parameters
    assert asked.unit == "item"
    assert asked.analyses == (
        Analysis.SIZE, Analysis.DAYS, Analysis.TRAVEL_TIME, Analysis.JUMP_LENGTH
    )  # fmt: skip
    assert "Each trip is counted by itself. Nobody" in said
    assert "3 queries, each over bins" in said
    assert "It holds: Trips and people, Trips over time, Travel time and Jump length." in said
    stages = plan(planned[-1], cached.full_dataset(planned[-1])).stages
    assert sum(one.sensitivity / one.scale for one in stages) == pytest.approx(1, abs=1e-5)
    app = app.switch_page(REPORT).run()  # and back it is as it was
    assert app.selectbox(key="report_unit").value == "item"
    assert set(app.multiselect(key="report_off").value) == {"hours", "visits", "flows"}


def test_what_is_changed_on_the_page_goes_to_the_release_and_into_the_link(open_page, planned):
    app = open_page(REPORT, od_data="demo-city")
    app.select_slider(key="report_trips").set_value(5)
    app.multiselect(key="report_off").set_value(["hours"]).run()
    said = text(open_release(app))
    wanted = report.ReportParameters(epsilon=1.0, max_trips_per_user=5).without(["hours"])
    assert planned[-1].parameters == wanted
    assert "At most 5 trips per person over the whole period" in said
    assert "7 queries" in said
    link = link_of(app)
    assert (link["report_off"], link["report_trips"]) == ("Trips by hour", "5")


def test_what_no_release_draws_is_said_with_what_mends_it(open_page, planned):
    app = open_release(open_page(REPORT, od_data="demo-city", report_preset="As DpMobilityReport"))
    assert "are for exploring" in app.error[0].value
    app.button(key="release_mend").click().run()
    assert app.session_state["report_preset"] == "derived"
    assert not app.error
    assert "8 queries" in text(app)


def test_where_all_is_left_out_all_is_shown_and_released(open_page, planned):
    app = open_page(REPORT, od_data="demo-city", report_off=[str(one) for one in Analysis])
    assert "At least one analysis must stay: all are shown." in app.error[0].value
    assert "shared by 8 analyses" in text(app)
    assert "8 queries" in text(open_release(app))


def test_a_link_that_leaves_out_what_is_no_analysis_is_said(open_page):
    app = open_page(REPORT, od_data="demo-city", report_off=["Trips by hour", "weather"])
    assert fields.REPORT_OFF.read_all(["Trips by hour", "weather"]) is None
    assert "shared by 8 analyses" in text(app)
