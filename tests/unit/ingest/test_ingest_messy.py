"""Look-alikes of real files: each becomes the same dataset, or gets one message that mends it."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.datasets import Dataset
from engine.ingest.options import Reading
from tests.support.ingests import HEADER, TOWERS, built, refused, squares, table, write_csv

Row = tuple[str, datetime, str, str]
Line = Callable[[Row], Sequence[Any]]
POSITION = {name: (lat, lng) for name, lat, lng in TOWERS}
TRIPS: list[Row] = [
    ("1", datetime(2015, 9, 1, 8, 5), "A", "B"),
    ("2", datetime(2015, 9, 14, 20, 30), "B", "C"),
    ("1", datetime(2015, 9, 30, 23, 59), "C", "A"),
]
EXPECTED = {(at.date(), origin, end): 1 for _, at, origin, end in TRIPS}
SPANISH = ("usuário", "início", "origen", "destino")
TAXI = (
    *("user_id", "tpep_pickup_datetime", "pickup_latitude", "pickup_longitude"),
    *("dropoff_latitude", "dropoff_longitude"),
)


def dated(pattern: str) -> Line:
    return lambda row: [row[0], row[1].strftime(pattern), *row[2:]]


def split(day: str, clock: str) -> Line:
    return lambda row: [row[0], row[1].strftime(day), row[1].strftime(clock), *row[2:]]


def by_points(row: Row) -> Sequence[Any]:
    return [*dated("%d/%m/%Y %H:%M")(row)[:2], *POSITION[row[2]], *POSITION[row[3]]]


def by_points_with_commas(row: Row) -> Sequence[Any]:
    return [str(value).replace(".", ",") for value in by_points(row)]


ISO, DMY = dated("%Y-%m-%d %H:%M:%S"), dated("%d/%m/%Y %H:%M:%S")


def text_of(
    line: Line = ISO, header: Sequence[str] = HEADER, mark: str = ",", end: str = "\n"
) -> str:
    return "".join(mark.join(map(str, row)) + end for row in [header, *map(line, TRIPS)])


FORMS: dict[str, str | bytes] = {
    "bar": text_of(mark="|"),
    "tab, UTF-16": text_of(mark="\t").encode("utf-16"),
    "byte order mark": text_of().encode("utf-8-sig"),
    "Windows": text_of(DMY, SPANISH, ";", "\r\n").encode("cp1252"),
    "blank lines above": "\n\n" + text_of(),
    "day and hour": text_of(
        split("%d/%m/%Y", "%H:%M:%S"), ("usuario", "fecha", "hora", "origen", "destino")
    ),
    "day and hour as numbers": text_of(
        split("%Y%m%d", "%H%M"), ("user", "date", "time", "origin", "destination")
    ),
    "coordinates": text_of(by_points, TAXI),
    "coordinates with commas": text_of(by_points_with_commas, TAXI, ";"),
}


def counted(dataset: Dataset) -> Counter:
    counts: Counter = Counter()
    for (day, origin, destination, _rank), n in table(dataset.folder, "trips").items():
        counts[day, origin, destination] += n
    return counts


@pytest.mark.parametrize("form", FORMS)
def test_a_messy_file_becomes_the_same_dataset(tmp_path: Path, form: str) -> None:
    text = FORMS[form]
    (tmp_path / "m.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    dataset, report = built(tmp_path, tmp_path / "m.csv")
    assert counted(dataset) == EXPECTED
    assert report.people_with_trips == 2


def test_dates_that_can_be_two_days_are_asked_never_taken(tmp_path: Path) -> None:
    early = [("1", "03/04/2016 08:00", "A", "B"), ("2", "05/04/2016 09:00", "B", "C")]
    error = refused(tmp_path, "t.csv", early)
    assert error.code == "ambiguous-dates"
    assert error.settings == ("date_order",)
    for order, day in (("dmy", date(2016, 4, 3)), ("mdy", date(2016, 3, 4))):
        year = {"first_day": date(2016, 1, 1), "last_day": date(2016, 12, 31)}
        how = {**year, "reading": Reading(date_order=order), "out": tmp_path / order}
        assert min(key[0] for key in counted(built(tmp_path, early, **how)[0])) == day


@pytest.mark.parametrize("quoted", [False, True])
def test_mixed_line_ends_are_read(tmp_path: Path, quoted: bool) -> None:
    head, first, *rows = text_of().splitlines()
    if quoted:
        rows = [f'"{row[0]}"{row[1:]}' for row in rows]
    text = "\r\n".join(["Trips of the city", head, first]) + "\r\n" + "\n".join(rows) + "\r"
    (tmp_path / "mixed.csv").write_bytes(text.encode())
    dataset, _ = built(tmp_path, tmp_path / "mixed.csv", reading=Reading(skip_rows=1))
    assert counted(dataset) == EXPECTED


def test_a_file_in_utc_beside_one_in_local_time_is_refused(tmp_path: Path) -> None:
    row = ("1", "2015-09-07 20:00", "A", "B")
    first = write_csv(tmp_path / "a.csv", HEADER, [row])
    second = write_csv(tmp_path / "b.csv", ("uid", "utc time", *HEADER[2:]), [row])
    for files in ((first, second), (second, first)):
        error = refused(tmp_path, "is not written as the times of", *files)
        assert error.settings == ("text_time_zone",)
    built(tmp_path, second)


def test_more_zones_than_can_be_shown_are_offered_coarser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.ingest.options.MOST_ZONES", 59)
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
    assert report.rows.read == 60
