"""A label of Report stands beside its own number: checked across tables that count the same."""

import pytest

from engine import report
from engine.report.measures import WINDOWS, Measure
from pages._ui.report import curves, where
from tests.support.report_page import texts

PAGE = "pages/6_Report.py"


@pytest.fixture
def table(tiny_city):
    return report.truth(tiny_city)


@pytest.fixture
def points(table):
    """All points by weekday or weekend, start or end, and hour, as the page names them."""
    hours = table.counts(Measure.HOUR, None).reshape(4, 24)
    return dict(zip(curves._SLOTS, hours, strict=True))


def test_starts_are_starts_and_weekdays_weekdays(table, points):
    trips = table.counts(Measure.DAY, None).sum()
    ends = trips - table.counts(Measure.NO_END, None).sum()
    of = {slot: int(counts.sum()) for slot, counts in points.items()}
    assert of["Weekday starts"] + of["Weekend starts"] == trips
    assert of["Weekday ends"] + of["Weekend ends"] == ends
    first = table.extent.first_day
    by_day_and_beside = table.counts(Measure.DAY, None)
    weekday = [n for i, n in enumerate(by_day_and_beside[1:]) if (first.weekday() + i) % 7 < 5]
    beside = int(by_day_and_beside[0])  # before or after the period, on days of either kind
    assert sum(weekday) <= of["Weekday starts"] <= sum(weekday) + beside


@pytest.mark.parametrize("kind", ["Weekdays", "Weekends"])
@pytest.mark.parametrize("place", range(len(WINDOWS) - 1))
def test_a_window_of_the_map_counts_the_hours_that_it_names(
    open_page, monkeypatch, points, kind, place
):
    drawn = {}
    monkeypatch.setattr(
        where, "_map", lambda _, true, *rest: drawn.update(true=true, when=rest[-1])
    )
    app = open_page(
        PAGE,
        od_data="demo-city",
        report_view="where",
        report_window=f"{'d' if kind == 'Weekdays' else 'e'}{place}",
    )
    low, high = WINDOWS[place], WINDOWS[place + 1]
    assert drawn["when"] == f"{kind} {low}–{high} h".lower()
    outside = texts(app).split("Outside all zones: ")[1].split("(true ")[1].split(")")[0]
    expected = sum(points[f"{kind[:-1]} {end}"][low:high].sum() for end in ("starts", "ends"))
    assert drawn["true"].sum() + int(outside.replace(",", "")) == expected


@pytest.mark.parametrize(("drawn", "read"), [(1.0, 7.0), (7.0, 1.0)])
def test_the_way_that_is_called_nearer_is_the_one_that_is_off_by_less(
    open_page, monkeypatch, drawn, read
):
    ways = {"drawn": drawn, "from_bins": read}
    monkeypatch.setattr(curves.cached_report, "ways", lambda *_: ways)
    text = texts(open_page(PAGE, od_data="demo-city", report_view="how-far-how-long"))
    nearer = "Drawing them" if drawn < read else "Reading them off noisy bins"
    assert f"{nearer} brings the five numbers nearer to those of the kept: 1 against 7 " in text
