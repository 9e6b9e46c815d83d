"""The report page: every view, the engine's numbers, and a dataset that has a report."""

import re

import pytest

from engine import report
from engine.report import Analysis
from engine.text.numbers import number
from pages._ui.answers import cached
from pages._ui.settings import fields, seeds
from tests.support.page import tables, text

PAGE = "pages/5_Report.py"
VIEWS = ("When", "Visits", "Flows", "How far, how long", "Errors and M")


@pytest.fixture
def open_report(open_set):
    return lambda **settings: open_set(PAGE, **{"od_data": "demo-city", **settings})


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_without_undefined_numbers(open_report, view):
    app = open_report(report_view=view)
    said = text(app)
    assert "ε = 1 for one person" in said
    assert "shared by 8 analyses: 0.125 each" in said
    assert not re.search(r"\bnan\b|\binf\b|\bNone\b", said, re.IGNORECASE)


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
    for name, counts in zip(("Private", "True", "Kept"), sizes, strict=True):
        assert list(table[name]) == [number(count) for count in counts]
    size = results[Analysis.SIZE]
    ends = zip(size.noisy, size.half_widths().round().astype(int), strict=True)
    ranges = [f"{number(max(n - wide, 0))} to {number(n + wide)}" for n, wide in ends]
    assert list(table["Range (95%)"]) == ranges
    last = results[Analysis.DAYS].shown_numbers[-1], true(Analysis.DAYS)[-1]
    outside = "{} (true {})".format(*map(number, last))
    assert f"Outside the period: {outside}." in text(app)
    said = text(open_report(report_view="How far, how long"))
    for analysis, bins in report.BINS.items():
        above = f"{number(results[analysis].shown_numbers[-1])} (true {number(true(analysis)[-1])})"
        assert f"{bins.edges[-1]:g} {bins.unit} and above: {above}." in said


def test_what_is_left_out_leaves_its_share_to_the_others(open_report):
    app = open_report(report_off=["hours", "flows"])
    assert "shared by 6 analyses: 0.167 each" in text(app)
    assert "**Trips by hour** · left out" in text(app)


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
    assert "made without the tables of a report" in text(app)
    app.button(key="missing_od_data").click().run()
    assert "ε = 1 for one person" in text(app)
