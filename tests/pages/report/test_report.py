"""The report page: one budget that can be seen, every view, settings that do not work out."""

import json
import re
import shutil

import pytest

from engine.report import Analysis
from pages._ui.shell import setting
from tests.support.page import figures
from tests.support.report_page import texts

PAGE = "pages/6_Report.py"
VIEWS = ("When", "Where", "Flows", "How far, how long", "People", "Errors and M")


def stands(app) -> None:
    """The rest of the page is there: the budget, numbers and charts."""
    assert "All analyses together cost each person ε = 1 of 1" in texts(app)
    assert len(app.get("vega_lite_chart")) >= 2


@pytest.fixture
def open_report(open_page):
    def run(**query):
        return open_page(PAGE, od_data="demo-city", **query)

    return run


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens(open_report, view):
    app = open_report(report_view=setting.choice("v", VIEWS, "When").write(view))
    assert "All analyses together cost each person ε = 1 of 1" in texts(app)
    assert "Simulated people" in texts(app)


def test_the_numbers_are_those_of_the_engine(open_report, tiny_city):
    app = open_report()
    from engine import report
    from pages._ui.cache.draws import generator
    from pages._ui.shell.settings import SIMULATED_SEED

    noise = report.ReportNoise.draw(generator((SIMULATED_SEED, 0), "report", 0))
    params = report.ReportParameters(epsilon=1.0)
    drawn = report.release(tiny_city, params, noise=noise)
    for value in drawn.results[report.Analysis.STATISTICS].shown:
        assert f"{value:,}" in texts(app)


def test_a_weight_moves_the_shares_and_zero_switches_off(open_report):
    app = open_report(report_weight_days="10", report_weight_hours="0")
    assert "Switched off: its share goes to the others." in texts(app)
    assert "Days 47.6%" in texts(app)


def test_a_locked_share_holds(open_report):
    app = open_report(report_lock_days="0.5")
    assert "Days 50.0%" in texts(app)


def test_locks_beyond_the_whole_are_said_and_the_usual_settings_shown(open_report):
    app = open_report(report_lock_days="0.7", report_lock_flows="0.6")
    assert "locked shares must add up to at most 1" in texts(app)
    assert "Days 7.7%" in texts(app)


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ("0:20000:1", "at most 10,000 bins"),
        ("0:10", "must be three numbers"),
        ("10:5:1", "minimum must be below maximum, got 10.0 and 5.0"),
        ("0:nan:1", "maximum must be a finite number"),
        ("0:10:0", "width must be a finite number above 0"),
    ],
)
def test_bins_that_do_not_work_out_are_said_and_the_page_stands(open_report, bins, message):
    app = open_report(report_bins_travel_time=bins, report_view="how-far-how-long")
    assert message in texts(app)
    assert "The usual settings are shown." in texts(app)
    stands(app)


def test_every_weight_0_is_said_and_the_page_stands(open_report):
    app = open_report(**{f"report_weight_{analysis}": "0" for analysis in Analysis})
    assert "at least one analysis must have a weight above 0" in texts(app)
    stands(app)


@pytest.mark.parametrize(
    ("asked", "text", "taken"),
    [
        ("300", "M = 300, which cannot be set; 20 is taken", 20),
        ("0", "M = 0, which cannot be set; 20 is taken", 20),
        ("many", "M = many, which cannot be set; 20 is taken", 20),
        ("17", "M = 17; the nearest stop, 15, is taken", 15),
    ],
)
def test_m_that_cannot_be_set_is_said_at_once(open_report, asked, text, taken):
    app = open_report(report_trips=asked)
    assert any(text in toast.value for toast in app.toast)
    assert app.select_slider(key="report_trips").value == taken
    stands(app)


def test_item_level_hides_counts_of_people_and_says_why(open_report):
    app = open_report(report_unit="item", report_view="people")
    assert "Counts of people need a person as the unit of protection." in texts(app)
    assert "cost each trip ε = 1" in texts(app)


def test_simulated_data_without_a_report_gives_way_and_says_so(open_page):
    app = open_page(PAGE, od_data="flows")
    assert "The dataset flows has no mobility report" in texts(app)
    assert "Shown below: demo\\-city." in texts(app)  # names are written as they are, not as marks
    assert (
        app.session_state["session"].stands_in == "demo-city"
    )  # so do the settings that are saved
    stands(app)


def test_confidential_data_without_a_report_is_never_stood_in_for(open_page, data_root, tmp_path):
    app = open_page(PAGE)
    folder = tmp_path / "bare"
    shutil.copytree(data_root / "local" / "town", folder)
    next(folder.glob("*/report.parquet")).unlink()
    document = next(folder.glob("*/dataset.json"))
    held = json.loads(document.read_text(encoding="utf-8"))
    held["checksums"].pop("report.parquet")
    document.write_text(json.dumps(held), encoding="utf-8")
    app.session_state["session"].datasets = {"bare": folder}
    app.run()
    app.selectbox(key="od_data").set_value("bare").run()
    assert "The dataset bare has no mobility report" in texts(app)
    assert "Shown below" not in texts(app)
    assert "All analyses together" not in texts(app)


def test_pinning_shows_both_settings(open_report):
    app = open_report()
    before = figures(app)
    app.button(key="report_pin").click().run()
    app.select_slider(key="report_trips").set_value(1).run()
    assert not app.exception
    assert re.findall(r"pinned ([\d,]+)", texts(app)) == before
    assert figures(app) != before
    assert "Compared with the pinned setting (orange): ε = 1 for a person, M = 20" in texts(app)
    assert "pinned: SMAPE" in texts(app)
