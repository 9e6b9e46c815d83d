"""Look-alikes of real files: each becomes the same dataset, or gets one message that mends it."""

import tomllib
from datetime import date
from pathlib import Path

import pytest

from engine.ingest.options import Reading
from tests.support.ingests import HEADER, built, refused, squares, table, write_csv

FORMS = tomllib.loads(Path(__file__).with_name("messy.toml").read_text("utf-8"))
EXPECTED = {
    (date(2015, 9, 1), "A", "B", 1): 1,
    (date(2015, 9, 14), "B", "C", 1): 1,
    (date(2015, 9, 30), "C", "A", 1): 1,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_messy_file_becomes_the_same_dataset(tmp_path, form):
    how = FORMS[form]
    text = how["text"].replace("\n", how.get("end", "\n"))
    (tmp_path / "m.csv").write_bytes(text.encode(how.get("encoding", "utf-8")))
    dataset, report = built(tmp_path, tmp_path / "m.csv")
    assert table(dataset.folder, "trips") == EXPECTED
    assert report.people_with_trips == 2


def test_dates_that_can_be_two_days_are_asked_never_taken(tmp_path):
    early = [("1", "03/04/2016 08:00", "A", "B"), ("2", "05/04/2016 09:00", "B", "C")]
    error = refused(tmp_path, "t.csv", early)
    assert error.code == "ambiguous-dates"
    assert error.settings == ("date_order",)
    for order, day in (("dmy", date(2016, 4, 3)), ("mdy", date(2016, 3, 4))):
        year = {"first_day": date(2016, 1, 1), "last_day": date(2016, 12, 31)}
        how = {**year, "reading": Reading(date_order=order), "out": tmp_path / order}
        dataset, _ = built(tmp_path, early, **how)
        assert min(key[0] for key in table(dataset.folder, "trips")) == day


@pytest.mark.parametrize("quoted", [False, True])
def test_mixed_line_ends_are_read(tmp_path, quoted):
    head, first, *rows = FORMS["plain"]["text"].splitlines()
    if quoted:
        rows = [f'"{row[0]}"{row[1:]}' for row in rows]
    text = "\r\n".join(["Trips of the city", head, first]) + "\r\n" + "\n".join(rows) + "\r"
    (tmp_path / "mixed.csv").write_bytes(text.encode())
    dataset, _ = built(tmp_path, tmp_path / "mixed.csv", reading=Reading(skip_rows=1))
    assert table(dataset.folder, "trips") == EXPECTED


def test_a_file_in_utc_beside_one_in_local_time_is_refused(tmp_path):
    row = ("1", "2015-09-07 20:00", "A", "B")
    first = write_csv(tmp_path / "a.csv", HEADER, [row])
    second = write_csv(tmp_path / "b.csv", ("uid", "utc time", *HEADER[2:]), [row])
    for files in ((first, second), (second, first)):
        error = refused(tmp_path, "is not written as the times of", *files)
        assert error.settings == ("text_time_zone",)
    built(tmp_path, second)


def test_more_zones_than_can_be_shown_are_offered_coarser(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.ingest.options.MAX_ZONES", 59)
    given = squares(60)
    given.to_file(tmp_path / "z.gpkg")
    rows = [("a", "2015-09-07 08:00", f"z{i}", "z7") for i in range(60)]
    error = refused(tmp_path, "60 zones, more than 59", rows, zones=tmp_path / "z.gpkg")
    assert error.code == "too-fine"
    assert error.settings == ("hexagon_m",)
    dataset, report = built(tmp_path, rows, zones=tmp_path / "z.gpkg", hexagon_m=20_000)
    assert 5 < len(dataset.zones) < 20
    uncovered = given.union_all().difference(dataset.zones.union_all())
    assert uncovered.area < 1e-6 * given.union_all().area
    assert report.rows.rows_read == 60
