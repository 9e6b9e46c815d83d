"""Look-alikes of real files: each becomes the same dataset, or gets one message that mends it."""

import bz2
import tomllib
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest
import shapely

from engine.errors import InputError
from engine.ingest.command import main
from engine.ingest.options import Reading
from tests.support.ingests import HEADER, arguments, built, refused, squares, table, write_csv

FORMS = tomllib.loads(Path(__file__).with_name("messy.toml").read_text("utf-8"))
EXPECTED = {
    (date(2015, 9, 1), "A", "B", 1): 1,
    (date(2015, 9, 14), "B", "C", 1): 1,
    (date(2015, 9, 30), "C", "A", 1): 1,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_messy_file_becomes_the_same_dataset(tmp_path, form):
    how, path = FORMS[form], tmp_path / "m.csv"
    kind, reading = how.get("kind", "trips"), Reading(**how.get("reading", {}))
    contents = how["text"].replace("\n", how.get("end", "\n")).encode(how.get("encoding", "utf-8"))
    if "packed" in how:
        contents = import_module(how["packed"]).compress(contents)
    path.write_bytes(contents)
    if "refused" in how:
        error = refused(tmp_path, how["refused"], path, kind=kind)
        assert error.settings == ("skip_rows",)
    dataset, report = built(tmp_path, path, kind=kind, reading=reading)
    counts = table(dataset.folder, "trips")
    if kind == "flows":
        assert (sorted(counts.values()), report.rows.rows_read) == ([10, 20], 2)
    else:
        assert (counts, report.people_with_trips) == (EXPECTED, 2)


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


def test_places_by_semicolons_with_decimal_commas_and_no_names(tmp_path):
    places = tmp_path / "places.csv"
    places.write_text("\ufeffA;48,1;2,1\nB;48,2;2,2\nC;48,3;2,2\n", encoding="utf-8")
    header, rows = ("origin", "destination", "flow"), [("A", "B", 10), ("B", "C", 20)]
    mapping = {"location_id": "column1", "lat": "column2", "lng": "column3"}
    given = {"locations": places, "locations_mapping": mapping}
    dataset, _ = built(tmp_path, rows, kind="flows", header=header, **given)
    places_at = shapely.points([2.1, 2.2, 2.2], [48.1, 48.2, 48.3])
    assert shapely.contains(dataset.zones.geometry.to_numpy(), places_at).all()


def test_the_line_of_names_again_is_left_out_if_chosen(tmp_path):
    rows = [("p1", "1441612800", "A", "B"), ("uid", "datetime", "origin", "destination")]
    _, report = built(tmp_path, [*rows, ("p2", "1441612900", "B", "A")], leave_out=("unreadable",))
    assert (report.rows.rows_used, report.rows.rows_read) == (2, 3)


def test_a_guessed_column_of_times_can_be_left_out(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("origin,destination,flow,day\nA,B,10,1\nB,A,20,7\n")
    assert main(arguments(tmp_path, kind="flows")) == 2
    assert "'day' (for date, guessed)" in capsys.readouterr().err
    assert main(arguments(tmp_path, "--map", "date=", kind="flows")) == 0


def test_a_copy_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.ingest.tables.MAX_UNPACKED_BYTES", 20)
    (tmp_path / "t.csv").write_bytes(bz2.compress(FORMS["bz2"]["text"].encode()))
    with pytest.raises(InputError, match="unpacks to too much"):
        built(tmp_path, tmp_path / "t.csv", kind="flows")
