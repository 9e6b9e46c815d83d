"""What a file does not say is asked, told or refused: short forms of published mistakes."""

from datetime import timedelta
from unicodedata import normalize

import geopandas as gpd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine.ingest import Progress, ingest
from engine.ingest.inputs.column_mapping import guess_columns
from engine.ingest.row_report import Reason
from engine.text.dataset_text import describe_dataset
from tests.support.ingests import (
    BOTH,
    FLOWS,
    HEADER,
    HEADERS,
    MONDAY,
    TIMES,
    TOWERS,
    VISITS,
    built,
    flows_of,
    refused,
    table,
    trip_options,
    write_csv,
    write_zones,
)


def trips(people):
    return [
        (person, f"2015-09-{1 + n % 30:02d} 08:{n % 60:02d}", "AB"[n % 2], "BA"[n % 2])
        for n, person in enumerate(people)
    ]


def test_a_vehicle_is_not_guessed_as_a_person(tmp_path):
    rows, header = trips(["7", "8"] * 20), ("bikeid", *HEADER[1:])
    words = "no column for uid .*rides: trips without people"
    assert refused(tmp_path, words, rows, header=header).settings == ("mapping",)
    chosen, _ = built(tmp_path, rows, header=header, mapping={"uid": "bikeid"})
    assert chosen.metadata.person_column == "bikeid"
    rides, _ = built(tmp_path, rows, header=header, kind="rides", out=tmp_path / "rides")
    assert rides.metadata.person_column is None
    assert not rides.metadata.trips_have_people


@pytest.mark.parametrize(
    "column",
    ["moto_id", "plate", "license_plate", "conductor", "vélo", "numéro vélo", "device_hash",
     "coche", "no_placa", "driver_id", "session", "unit", "scooter_id", "medallion", "taxi_id",
     "vehicle id", "device_id", "ride_id"],
)  # fmt: skip
def test_other_things_that_move_are_not_guessed_as_people(column: str) -> None:
    assert "uid" not in guess_columns("trips", (column, *HEADER[1:]))


@pytest.mark.parametrize("kind", ["trips", "visits"])
def test_a_guessed_person_that_looks_like_a_row_is_asked(tmp_path, kind):
    rows = [row[: len(HEADERS[kind])] for row in trips([f"p{n}" for n in range(40)])]
    for parts in (("trips",), ("density", "trips")):
        words = "'uid' a person.*40 of its 40 values occur once"
        error = refused(tmp_path, words, rows, kind=kind, parts=parts)
        assert error.code == "people-guessed"
    survey, _ = built(tmp_path, rows, kind=kind, mapping={"uid": "uid"})
    assert survey.metadata.person_column == "uid"


def test_a_guessed_person_who_is_on_the_way_all_day_is_asked(tmp_path):
    rows = [
        ("p", f"2015-09-07 {n // 60:02d}:{n % 60:02d}", "AB"[n % 2], "BA"[n % 2])
        for n in range(101)
    ]
    refused(tmp_path, "makes 101 trips on a day", rows)
    assert built(tmp_path, rows[:100])[1].rows.rows_used == 100


def test_the_ids_of_the_rows_decide_which_column_tells_zones(tmp_path):
    """Names would take ``id``; half of the ids are there too, of other zones."""
    zones = write_zones(tmp_path, id=[1, 2, 9, 8], code=[4, 3, 2, 1], kind=["a"] * 4)
    rows = [(a, b, 10 * a + b) for a in range(1, 5) for b in range(1, 5) if a != b]
    told: list[Progress] = []
    path = write_csv(tmp_path / "t.csv", FLOWS, rows)
    dataset, report = ingest(trip_options(tmp_path, "flows", [path], zones=zones), told.append)
    assert flows_of(dataset) == {(str(a), str(b)): n for a, b, n in rows}
    assert dataset.zones.geometry.bounds["minx"].argmin() == 3  # zone 4
    note = "zones are identified by the column 'code' of z.geojson"
    assert note in report.notes
    first = next(progress for progress in told if progress.note)
    assert (first.note, first.stage) == (note, "reading locations and zones")


def test_two_columns_that_fit_alike_are_asked(tmp_path):
    zones = write_zones(tmp_path, id=[1, 2, 3, 4], code=[4, 3, 2, 1], same=[1, 2, 3, 4])
    how = {"kind": "flows", "zones": zones}
    error = refused(tmp_path, "4 of 4 ids .* 'id' and 'code'", [(1, 2, 3), (4, 3, 1)], **how)
    assert error.settings == ("zones_mapping",)
    dataset, _ = built(tmp_path, [(1, 2, 3)], zones_mapping={"zone_id": "code"}, **how)
    assert dataset.zones.geometry.bounds["minx"].argmin() == 3


def test_a_refusal_names_the_column_tried_and_the_one_that_fits(tmp_path):
    zones = write_zones(tmp_path, id=[10, 20, 30, 40], code=["a", "b", "c", "d"])
    how = {"kind": "flows", "zones": zones}
    words = "2 of 2 ids of places in the rows are in column 'code', and none in 'id'.*zone_id=code"
    refused(tmp_path, words, [("a", "b", 3)], zones_mapping={"zone_id": "id"}, **how)
    refused(tmp_path, r"zones are identified by the column 'id'", [("x", "y", 3)], **how)


def test_the_ids_of_the_rows_decide_which_column_tells_stations(tmp_path):
    stations = [(n, f"S{n}", lat, lng) for n, (_, lat, lng) in enumerate(TOWERS)]
    path = write_csv(tmp_path / "p.csv", ("id", "short", "lat", "lng"), stations)
    rows = [("p", "2015-09-07 08:00", "S0", "S1")]
    assert built(tmp_path, rows, locations=path)[1].rows.rows_used == 1


def test_trips_that_end_before_they_start_are_told(tmp_path):
    rows = [
        ("a", "2015-09-07 02:50", "2015-09-07 02:10", "A", "B"),
        ("b", "2015-09-08 08:00", "2015-09-07 07:00", "B", "C"),
        ("c", "2015-09-09 08:00", "2015-09-09 08:30", "B", "C"),
    ]
    for kind in ("trips", "rides"):
        how = {"kind": kind, "header": TIMES, "out": tmp_path / kind}
        _, report = built(tmp_path, rows, **how)
        assert any(note.startswith("2 of 3 trips end before they start") for note in report.notes)
        assert report.rows.rows_used == 3
        _, report = built(tmp_path, rows, leave_out=("backwards",), **how)
        assert report.rows.rows_unused[Reason.BACKWARDS] == 2


def test_a_flow_that_is_not_known_is_not_part_of_itself(tmp_path):
    marks = ("", "<5", "≤ 5", "*", "..", "1-4", "x", "n/a", r"\N", "NULL", "NA", "nan", "-", "-1")
    hidden = [("A", "BC"[number % 2], mark) for number, mark in enumerate(marks)]
    rows = [("A", "B", "12"), ("B", "A", "40"), *hidden]
    error = refused(tmp_path, "holds no number in 14 of 16 rows", rows, kind="flows")
    assert error.code == "unknown-flows"
    assert error.settings == ("decimal", "thousands", "leave_out")
    dataset, report = built(tmp_path, rows, leave_out=("unknown-flows",), kind="flows")
    assert flows_of(dataset) == {("B", "A"): 40}
    assert report.rows.rows_unused == {Reason.UNKNOWN: 15}
    assert dataset.metadata.unknown_flows == 15
    told = describe_dataset(dataset.metadata, 4, 0).replace("\N{NO-BREAK SPACE}", " ")
    assert "15 rows not known, taken as 0" in told


def test_no_trip_is_made_between_visits_of_equal_time(tmp_path):
    hours_and_places = ((8, "D"), (8, "A"), (9, "C"), (9, "C"), (10, "B"))
    rows = [("p", f"2015-09-07 {hour:02d}:00", place) for hour, place in hours_and_places]
    dataset, report = built(tmp_path, rows, kind="visits")
    assert flows_of(dataset) == {("C", "B"): 1}
    assert report.trips is not None
    assert report.trips.rows_unused[Reason.TIED] == 1
    named = [(*row, "t") for row in rows]
    how = {"kind": "visits", "header": (*VISITS, "tid"), "out": tmp_path / "named"}
    _, report = built(tmp_path, named, **how)
    assert report.trips is not None
    assert report.trips.rows_unused[Reason.TIED] == 1
    dataset, _ = built(tmp_path, named[1:], **how)
    assert flows_of(dataset) == {("A", "B"): 1}


@pytest.mark.parametrize("clock", ["", " 00:00:00"])
def test_days_without_a_clock_give_no_hours_and_no_order(tmp_path, clock):
    rows = [
        (f"p{n % 3}", f"2015-09-{7 + n // 3:02d}{clock}", "ABC"[n % 3], "BCA"[n % 3])
        for n in range(21)
    ]
    words = "'datetime' has days and no time of the day"
    refused(tmp_path, words, rows, parts=("density",))
    visits = [row[:3] for row in rows]
    refused(tmp_path, words, visits, kind="visits")
    dataset, report = built(tmp_path, rows, **BOTH)
    assert flows_of(dataset).total() == 21
    assert not dataset.has_density
    assert not (dataset.folder / "report.parquet").exists()
    assert any("has days and no time of the day" in note for note in report.notes)


def hours(folder, clocks):
    """Day of the week and hour of trips with these clocks on a Monday."""
    rows = [("p", MONDAY, "A", "B", clock) for clock in clocks]
    header = (*HEADER[:1], "date", *HEADER[2:], "time")
    how = {"mapping": {"clock": "time"}, "parts": ("density",)}
    dataset, _ = built(folder, rows, header=header, **how)
    counts = sorted(table(dataset.folder, "truth").items())
    return [divmod(key[1], 24) for key, n in counts for _ in range(n)]


def test_numbers_of_hours_and_minutes_need_no_zeros(tmp_path):
    assert hours(tmp_path, [15, 1730, 830, 1200]) == [(0, 0), (0, 8), (0, 12), (0, 17)]
    assert hours(tmp_path, [15, 17, 8, 0]) == [(0, 0), (0, 8), (0, 15), (0, 17)]
    assert hours(tmp_path, ["15.0", "45.0"]) == [(0, 0)]


def test_clocks_past_midnight_are_of_the_next_day(tmp_path):
    assert hours(tmp_path, [5, 25]) == [(0, 5), (1, 1)]
    clocks = ["25:10:00", "23:10:00", "24:00:00", "47:59:59"]
    assert hours(tmp_path, clocks) == [(0, 23), (1, 0), (1, 1), (1, 23)]


@pytest.mark.parametrize(
    ("folder", "ending"),
    [
        ("dt={0}", "csv"),
        ("partition={0}", "parquet"),
        ("year={0:%Y}/month={0:%m}/day={0:%d}", "csv"),
        ("anio={0:%Y}/mes={0.month}/dia={0.day}", "csv"),
    ],
)
def test_days_in_the_names_of_folders_are_read(tmp_path, folder, ending):
    for day in (MONDAY, MONDAY + timedelta(1)):
        place = tmp_path / "hive" / folder.format(day)
        place.mkdir(parents=True)
        if ending == "csv":
            write_csv(place / "part.csv", FLOWS, [("A", "B", 3), ("B", "A", 4)])
        else:
            columns = {"origin": ["A", "B"], "destination": ["B", "A"], "flow": [3, 4]}
            pq.write_table(pa.table(columns), place / "part.parquet")
    dataset, _ = built(tmp_path, tmp_path / "hive", kind="flows")
    assert table(dataset.folder, "trips") == {
        (MONDAY + timedelta(after), a, b, 1): n
        for after in (0, 1)
        for a, b, n in (("A", "B", 3), ("B", "A", 4))
    }


BLANK = "\N{NO-BREAK SPACE}"


def test_an_id_has_one_form_in_rows_and_places(tmp_path):
    names = ["Bogotá", "Neiva", "Cali", "Ibagué"]
    zones = write_zones(tmp_path, zone_id=[normalize("NFD", name) + "\u2009" for name in names])
    rows = [(f"Bogotá{BLANK}", "\u200bNeiva", 7), ("Ibagué", normalize("NFD", "Bogotá"), 3)]
    dataset, _ = built(tmp_path, rows, kind="flows", zones=zones)
    assert flows_of(dataset) == {("Bogotá", "Neiva"): 7, ("Ibagué", "Bogotá"): 3}


def test_a_person_written_with_other_blanks_or_letters_is_one(tmp_path):
    forms = ["é1", f"é1{BLANK}", "\ufeffé1", normalize("NFD", "é1")]
    rows = [(form, f"2015-09-07 {8 + n:02d}:00", "A", "B") for n, form in enumerate(forms)]
    assert refused(tmp_path, "is empty in 1 of 1", [(BLANK, *rows[0][1:])]).code == "people"
    dataset, report = built(tmp_path, rows, **BOTH)
    assert report.people_with_trips == report.people_with_visits == 1
    assert {key[3] for key in table(dataset.folder, "trips")} == {1, 2, 3, 4}


@pytest.mark.parametrize("cells", [("88390ca343fffff", "88390ca345fffff"), ("ezjmgt", "ezjmgu")])
def test_a_cell_has_one_spelling(tmp_path, cells):
    first, second = cells
    rows = [(first.upper(), second.upper(), 7), (second, first, 3)]
    how = {"kind": "flows", "locations": None}
    dataset, _ = built(tmp_path, rows, **how)
    assert flows_of(dataset) == {cells: 7, cells[::-1]: 3}
    assert len(dataset.zones) == 2
    if len(first) == 15:
        others = ("88390ca347fffff", "88390ca349fffff")
        zones = write_zones(tmp_path, h3=[first.upper(), second.upper(), *others])
        dataset, _ = built(tmp_path, rows, zones=zones, **how)
        assert flows_of(dataset) == {cells: 7, cells[::-1]: 3}


def test_degrees_that_fit_the_time_zone_when_swapped_are_asked(tmp_path):
    pytest.importorskip("timezonefinder")
    swapped = [shapely.box(48 + n / 10, 2, 48.1 + n / 10, 2.1) for n in range(4)]
    zones = tmp_path / "z.geojson"
    gpd.GeoDataFrame({"zone_id": list("ABCD")}, geometry=swapped, crs=4326).to_file(zones)
    how = {"kind": "flows", "zones": zones, "time_zone": "Europe/Paris"}
    rows = [("A", "B", 3)]
    error = refused(tmp_path, "Europe/Paris: are latitude and longitude swapped", rows, **how)
    assert (error.code, error.settings) == ("far-places", ("time_zone", "keep"))
    built(tmp_path, rows, keep=("far-places",), **how)
    _, report = built(tmp_path, rows, kind="flows", time_zone="Europe/Paris")
    said = "lies in America/Mexico_City, and the time zone is Europe"
    assert any(said in note for note in report.notes)


@pytest.mark.parametrize("small_bytes", [10**6, 0])
def test_a_file_that_is_there_twice_is_left_out(tmp_path, monkeypatch, small_bytes):
    monkeypatch.setattr("engine.ingest.tables._SMALL_BYTES", small_bytes)
    rows = [("A", "B", 3), ("B", "C", 4)]
    first = write_csv(tmp_path / "a.csv", FLOWS, rows)
    again = write_csv(tmp_path / "a (1).csv", FLOWS, rows)
    turned = write_csv(tmp_path / "b.csv", FLOWS, rows[::-1])
    columns = dict(zip(FLOWS, zip(*rows, strict=True), strict=True))
    pq.write_table(pa.table({k: list(v) for k, v in columns.items()}), tmp_path / "c.parquet")
    other = write_csv(tmp_path / "d.csv", FLOWS, [("A", "B", 3), ("B", "C", 5)])
    files = (first, again, turned, tmp_path / "c.parquet", other)
    dataset, report = built(tmp_path, *files, kind="flows")
    assert flows_of(dataset) == {("A", "B"): 6, ("B", "C"): 9}
    assert sum("it was left out" in note for note in report.notes) == 3
    assert report.rows.rows_read == 4
    dataset, _ = built(tmp_path, *files, kind="flows", keep=("repeated-files",))
    assert flows_of(dataset) == {("A", "B"): 15, ("B", "C"): 21}
