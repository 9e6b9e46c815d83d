"""The report page: every view, the engine's numbers, and what Release takes of what is set."""

import pytest

from engine import report
from engine.release import plan
from engine.report import Analysis
from engine.text.numbers import number
from pages._ui.answers import cached
from pages._ui.release import release_form, release_job
from pages._ui.settings import fields, seeds
from tests.support.page import link_of, tables, text

PAGE = "pages/5_Report.py"


@pytest.fixture
def open_report(open_set):
    return lambda **settings: open_set(PAGE, **{"od_data": "demo-city", **settings})


def test_the_numbers_are_those_of_the_engine(open_report, tiny_city):
    rng = cached.generator((seeds.SIMULATED_SEED, 0), "report", 0, 1)
    params = report.ReportParameters(epsilon=1.0)
    drawn = report.release(tiny_city, params, rng=rng)
    app, results = open_report(), drawn.results
    counted = report.truth(tiny_city)

    def true(analysis, *, kept=False):
        return report.count_analysis(counted, analysis, params, is_truncated=kept).tolist()

    sizes = (
        results[Analysis.SIZE].shown_numbers,
        true(Analysis.SIZE),
        true(Analysis.SIZE, kept=True),
    )
    table = tables(app)[0]
    for name, counts in zip(("With noise", "True", "Kept"), sizes, strict=True):
        assert list(table[name]) == [number(count) for count in counts]
    size = results[Analysis.SIZE]
    ends = zip(size.noisy, size.half_widths().round().astype(int), strict=True)
    ranges = [f"{number(max(n - wide, 0))} to {number(n + wide)}" for n, wide in ends]
    assert list(table["Range (95%)"]) == ranges
    last = results[Analysis.DAYS].shown_numbers[-1], true(Analysis.DAYS)[-1]
    outside = "{} (true: {})".format(*map(number, last))
    assert f"Trips outside the period, with noise: {outside}." in text(app)
    said = text(open_report(report_view="How far, how long"))
    for analysis, bins in report.BINS.items():
        above = f"{number(results[analysis].shown_numbers[-1])} (true {number(true(analysis)[-1])})"
        assert f"{bins.edges[-1]:g} {bins.unit} and above: {above}." in said


def test_the_page_opens_on_a_dataset_that_has_a_report(open_page, monkeypatch):
    monkeypatch.setitem(fields.DEFAULTS[fields.LINK_VERSION], "od_data", ("flows",))
    app = open_page(PAGE)
    assert app.session_state["od_data"] == "flows"  # of the other pages, as it was
    assert "flows has none" in text(app)
    assert "ε = 1 for one person" in text(app)


def test_a_chosen_dataset_without_a_report_says_so_and_offers_one(open_report):
    app = open_report(od_data="flows")
    app.session_state["od_data"] = "flows"
    app.run()
    assert "built without the tables of a report" in text(app)
    app.button(key="missing_od_data").click().run()
    assert "ε = 1 for one person" in text(app)


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
    open_home, planned, shown
):
    app = open_home(od_data="demo-city", **LINK).switch_page(REPORT).run()
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
    assert "At least one analysis must remain, so all are shown." in app.error[0].value
    assert "shared by 8 analyses" in text(app)
    assert "8 queries" in text(open_release(app))


def test_a_link_that_leaves_out_what_is_no_analysis_is_said(open_page):
    app = open_page(REPORT, od_data="demo-city", report_off=["Trips by hour", "weather"])
    assert fields.REPORT_OFF.read_all(["Trips by hour", "weather"]) is None
    assert "shared by 8 analyses" in text(app)
