"""People stay people: an id is text to the last digit, whatever type and file it comes in."""

import os
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from engine.datasets import storage
from engine.errors import DatasetError
from engine.ingest.command import main
from tests.support.ingests import HEADER, ROWS, arguments, built, refused, write_csv, write_parquet


def with_ids(path, uids):
    days = [f"2015-09-{7 + i % 7:02d} 08:00:00" for i in range(len(uids))]
    return write_parquet(path, len(uids), uid=uids, datetime=days)


def trips_of(*people):
    return [(person, "2015-09-07 08:00:00", "A", "B") for person in people]


def test_decimals_of_38_digits_are_as_many_people(tmp_path):
    uids = pa.array([Decimal(10**37 + i) for i in range(50)], pa.decimal128(38, 0))
    table, chosen = with_ids(tmp_path / "d.parquet", uids), {"uid": "uid"}
    assert built(tmp_path, table, mapping=chosen)[1].people_with_trips == 50


def test_numbers_that_have_lost_digits_are_refused(tmp_path):
    floats = with_ids(tmp_path / "f.parquet", pa.array([1.0, 2.0**53 + 2]))
    error = refused(tmp_path, r"'uid'.*lost digits in 1 of 2 rows", floats)
    assert error.code == "lost-digits"


def test_one_person_written_in_two_ways_is_one(tmp_path):
    """A pandas column with a gap writes 7 as 7.0: counts would take the person twice."""
    first = write_csv(tmp_path / "a.csv", HEADER, trips_of("7"))
    again = [(" 7 ", "2015-09-08 09:00:00", "A", "B"), ("7.00", "2015-09-08 10:00:00", "A", "B")]
    rows = [("7.0", "2015-09-08 08:00:00", "A", "B"), *again]
    second = write_csv(tmp_path / "b.csv", HEADER, rows)
    third = with_ids(tmp_path / "c.parquet", pa.array([7.0]))
    dataset, report = built(tmp_path, first, second, third, parts=("density", "trips"))
    assert report.people_with_trips == 1
    assert int(dataset.single_visit_by_tower.sum()) == 1


@pytest.mark.parametrize(("with_numbers", "expected"), [(False, 2), (True, 1)])
def test_leading_zeros_are_decided_over_all_files_and_told(tmp_path, with_numbers, expected):
    numbers = with_ids(tmp_path / "b.parquet", pa.array([7], pa.int64()))
    _, report = built(tmp_path, trips_of("007", "7"), *([numbers] if with_numbers else []))
    assert report.people_with_trips == expected
    assert any(note.startswith("people: ") for note in report.notes)


def test_places_are_found_with_and_without_point_and_zeros(tmp_path):
    places = [("007", 20.67, -103.35), ("8", 20.68, -103.36), ("9", 20.69, -103.34)]
    locations = write_csv(tmp_path / "places.csv", ("location_id", "lat", "lng"), places)
    rows = [("a", "2015-09-07 08:00:00", "7", "8.0"), ("b", "2015-09-07 08:00:00", "007", "9.00")]
    assert built(tmp_path, rows, locations=locations)[1].rows.rows_used == 2


def test_files_whose_names_are_no_utf8_are_read_and_named(tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xe9r"))
    folder.mkdir()
    write_csv(folder / os.fsdecode(b"caf\xe9.csv"), HEADER, ROWS)
    dataset, report = built(tmp_path, folder)
    assert report.rows.rows_used == 1
    assert "caf?.csv" in (dataset.folder / "ingest.json").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_looked_into_is_refused(tmp_path, monkeypatch):
    (tmp_path / "raw" / "locked").mkdir(parents=True)
    write_csv(tmp_path / "raw" / "t.csv", HEADER, ROWS)
    look = os.scandir

    def refuse(path):
        if not isinstance(path, int) and Path(path).name == "locked":  # an open folder has a number
            raise PermissionError(13, "Permission denied", path)
        return look(path)

    monkeypatch.setattr(os, "scandir", refuse)
    refused(tmp_path, "raw: a folder in it cannot be read", tmp_path / "raw")


def test_a_second_build_of_one_dataset_is_refused_and_dead_ones_are_swept(tmp_path):
    (tmp_path / "city" / "dead.partial").mkdir(parents=True)
    with storage.lock_for_writing(tmp_path / "city"), pytest.raises(DatasetError) as caught:
        built(tmp_path)
    assert caught.value.code == "locked"
    built(tmp_path)
    assert not list((tmp_path / "city").glob("*.partial"))
    assert not (tmp_path / "city" / ".lock").exists()


def test_an_empty_salt_is_refused(tmp_path):
    (built(tmp_path)[0].folder / "salt").write_text("\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="'salt' is empty"):
        built(tmp_path, salt=None)


def test_no_text_of_the_engine_names_a_flag_but_the_command_line_does(tmp_path, capsys):
    assert "--" not in str(refused(tmp_path, "none of 1", [("7", "2014-09-07 08:00:00", "A", "B")]))
    assert main(arguments(tmp_path)) == 2
    assert "Options: --map, --from, --to, --timezone, --number-times." in capsys.readouterr().err


def test_escape_codes_in_a_files_name_do_not_reach_the_terminal(tmp_path):
    path = tmp_path / "\x1b[31mred.csv"
    path.write_bytes(b"")
    assert "\x1b" not in str(refused(tmp_path, "empty", path))
