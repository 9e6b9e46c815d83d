"""Odd but real inputs: NaN in Parquet, folders that look like columns, times of every type."""

import math
import os
import signal
import sqlite3
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine.datasets import storage
from engine.errors import DatasetError, InputError
from engine.ingest import command as ingest_command
from engine.ingest.command import main
from engine.ingest.duckdb_engine import DuckDB
from engine.ingest.inputs.zones import read_shapes, read_zones
from engine.ingest.row_report import Reason
from tests.support.ingests import (
    BOTH,
    HEADER,
    ROWS,
    TOWERS,
    arguments,
    built,
    refused,
    squares,
    write_csv,
    write_parquet,
    write_towers,
    write_zones,
)
from tests.support.processes import run_apart

START = 1_441_612_800  # 2015-09-07 08:00 UTC


def test_folders_named_like_a_column_or_with_locations_in_them_are_read(tmp_path):
    path = write_parquet(tmp_path / "uid=bob" / "x.parquet", 3, uid=["a", "b", "c"])
    _, report = built(tmp_path, path)
    assert report.rows.rows_used == report.people_with_trips == 3
    folder = tmp_path / "raw"
    folder.mkdir()
    write_csv(folder / "t.csv", HEADER, ROWS)
    assert built(tmp_path, folder, locations=write_towers(folder))[1].rows.rows_used == 1


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_in_parquet_is_unparsable(tmp_path, bad):
    lat, lng = map(float, TOWERS[0][1:])
    columns = {"uid": [1.0, 2.0, 3.0, 4.0, 5.0], "datetime": [START + 60.9 * i for i in range(5)]}
    columns |= {"lat": [lat] * 5, "lng": [lng] * 5}
    how = {"kind": "visits", "mapping": {"location_id": ""}}
    for row, values in enumerate(columns.values()):
        values[row] = bad
    path = write_parquet(tmp_path / "v.parquet", 5, **columns)
    refused(tmp_path, "in 1 of 5 rows, the first in row 1", path, **how)
    _, report = built(tmp_path, path, leave_out=("people", "unreadable"), **how)
    reasons = (Reason.UNPARSABLE, Reason.NO_PERSON, Reason.LOST_DIGITS)
    assert sum(report.rows.rows_unused.get(reason, 0) for reason in reasons) == 4
    assert report.rows.rows_used == 1


def test_times_out_of_all_range_are_unparsable_or_outside(tmp_path):
    late = pa.array([START, 2**63 + 1], pa.uint64())
    path = write_parquet(tmp_path / "t.parquet", datetime=late)
    refused(tmp_path, "in 1 of 2 rows, the first in row 2", path)
    far = pa.array([START, 400_000_000_000], pa.timestamp("s"))  # year 14645
    _, report = built(tmp_path, write_parquet(tmp_path / "far.parquet", datetime=far))
    assert report.rows.rows_unused[Reason.OUTSIDE_PERIOD] == 1


def test_locations_may_have_any_numbers_as_ids(tmp_path):
    numbered = tmp_path / "l.parquet"
    frame = pd.DataFrame(TOWERS, columns=["id", "lat", "lng"]).astype({"lat": float, "lng": float})
    frame["id"] = np.arange(len(frame)) + 0.5
    frame.to_parquet(numbered)
    rows = [("a", "2015-09-07 08:00:00", "0.5", "1.5")]
    assert built(tmp_path, rows, locations=numbered)[1].rows.rows_used == 1


def test_zones_on_top_of_one_another_are_refused_before_pairs_are_compared(tmp_path):
    shapes = [shapely.box(0, 0, 1 + i / 1e6, 1) for i in range(20_000)]
    zones = squares(20_000).set_geometry(shapes)
    zones.to_parquet(tmp_path / "z.parquet")
    with pytest.raises(InputError, match="the zones overlap, because"):
        read_zones(tmp_path / "z.parquet", {})


def test_visits_at_places_in_no_zone_give_no_trips_and_are_told(tmp_path):
    squares()[1:2].to_file(tmp_path / "z.geojson")
    rows = [("a", f"2015-09-07 {hour:02d}:00:00", "DAAA"[hour - 8]) for hour in (8, 9, 10, 11)]
    where = {"zones": tmp_path / "z.geojson", "locations": write_towers(tmp_path)}
    _, report = built(tmp_path, rows, kind="visits", **where)
    assert report.rows.rows_unused[Reason.OUTSIDE_AREA] == 3
    assert report.rows.rows_used == 1


def test_a_density_that_cannot_be_is_refused(tmp_path):
    days = {"first_day": date(2015, 9, 8), "last_day": date(2015, 9, 11)}
    refused(tmp_path, "no full week", parts=("density",), **days)
    refused(tmp_path, "flows give no density", kind="flows", parts=("density",))


def test_a_name_mapped_twice_is_refused(tmp_path, capsys):
    assert main(arguments(tmp_path, "--map", "uid=A", "uid=B")) == 2
    assert "uid is mapped twice" in capsys.readouterr().err


def stop_inside_a_library(folder):
    def cut_short(*_):
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt:
            raise RuntimeError("Query interrupted") from None

    ingest_command.ingest = cut_short
    return main(arguments(folder))


def test_a_signal_that_a_library_swallows_still_ends_as_stopped(tmp_path):
    assert run_apart(stop_inside_a_library, tmp_path) == (130, "stopped; nothing was written\n")


def ingest_and_stop(folder, how):
    """Send this process a signal while its rows are spilled."""
    materialise = DuckDB.materialise

    def struck(self, *given, **named):
        materialise(self, *given, **named)
        spilled = [path.stat().st_mode & 0o077 for path in (folder / "spill").rglob("*")]
        assert set(spilled) == {0}, "raw ids are for their owner alone"
        os.kill(os.getpid(), how)

    DuckDB.materialise = struck
    signal.signal(how, signal.SIG_DFL)  # a shell starts what runs in the background without it
    return main(arguments(folder, "--spill", str(folder / "spill")))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_leaves_nothing_behind(tmp_path, how):
    write_csv(tmp_path / "t.csv", HEADER, ROWS)
    (tmp_path / "spill").mkdir()
    assert run_apart(ingest_and_stop, tmp_path, how) == (130, "stopped; nothing was written\n")
    assert not list((tmp_path / "spill").iterdir())
    assert not (tmp_path / "city" / "current").exists()


def not_utf8(rows=2):
    """Text whose last value is no UTF-8, as a careless writer leaves it."""
    values = [b"ab"] * (rows - 1) + [b"\xff\xfe"]
    offsets = np.arange(0, 2 * rows + 2, 2, dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(pa.string(), rows, buffers)


def test_ids_of_places_are_short_and_utf8(tmp_path):
    places = {"lat": [20.6, 20.7], "lng": [-103.3, -103.4]}
    for values, words in (
        (["A" * 2_000, "B"], "longer than 1000 characters in 1 of 2 rows"),
        (not_utf8(), "cannot be read|not in the encoding"),
        (pa.array([b"\xff", b"B"]), "of type binary"),
        ([["A"], ["B"]], "of type list"),
    ):
        pq.write_table(pa.table({"location_id": values, **places}), tmp_path / "p.parquet")
        error = refused(tmp_path, words, locations=tmp_path / "p.parquet")
        assert "p.parquet" in str(error)


@pytest.mark.parametrize("name", ["..", "a\0b", "a\udc80b", "a\x1b[31mb", "n" * 300])
def test_names_that_no_system_can_take_are_refused(tmp_path, capsys, name):
    write_csv(tmp_path / "t.csv", HEADER, ROWS)
    assert main(arguments(tmp_path, "--out", str(tmp_path / name))) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("error: ")
    assert not {"\x1b", "\0"} & set(said)


@pytest.mark.parametrize("stated", [0, 10**12])
def test_every_row_of_a_geopackage_is_read_whatever_it_states(tmp_path, stated):
    path = write_zones(tmp_path, ending="gpkg")
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE gpkg_ogr_contents SET feature_count = ?", (stated,))
    assert read_shapes(path)["zone_id"].tolist() == ["z0", "z1", "z2", "z3"]


def with_ids(path, uids):
    days = [f"2015-09-{7 + i % 7:02d} 08:00:00" for i in range(len(uids))]
    return write_parquet(path, len(uids), uid=uids, datetime=days)


def trips_of(*people):
    return [(person, "2015-09-07 08:00:00", "A", "B") for person in people]


def test_numbers_that_have_lost_digits_are_refused_and_38_digits_are_kept(tmp_path):
    floats = with_ids(tmp_path / "f.parquet", pa.array([1.0, 2.0**53 + 2]))
    error = refused(tmp_path, r"'uid'.*lost digits in 1 of 2 rows", floats)
    assert error.code == "lost-digits"
    uids = pa.array([Decimal(10**37 + i) for i in range(50)], pa.decimal128(38, 0))
    table, chosen = with_ids(tmp_path / "d.parquet", uids), {"uid": "uid"}
    assert built(tmp_path, table, mapping=chosen)[1].people_with_trips == 50


def test_one_person_written_in_two_ways_is_one(tmp_path):
    """A pandas column with a gap writes 7 as 7.0: counts would take the person twice."""
    first = write_csv(tmp_path / "a.csv", HEADER, trips_of("7"))
    again = [(" 7 ", "2015-09-08 09:00:00", "A", "B"), ("7.00", "2015-09-08 10:00:00", "A", "B")]
    rows = [("7.0", "2015-09-08 08:00:00", "A", "B"), *again]
    second = write_csv(tmp_path / "b.csv", HEADER, rows)
    third = with_ids(tmp_path / "c.parquet", pa.array([7.0]))
    dataset, report = built(tmp_path, first, second, third, **BOTH)
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
    assert "--" not in str(
        refused(tmp_path, "none of the 1", [("7", "2014-09-07 08:00:00", "A", "B")])
    )
    assert main(arguments(tmp_path)) == 2
    assert "Options: --map, --from, --to, --timezone, --number-times." in capsys.readouterr().err


def test_files_with_any_name_are_named_without_escape_codes(tmp_path):
    path = tmp_path / "\x1b[31mred.csv"
    path.write_bytes(b"")
    assert "\x1b" not in str(refused(tmp_path, "empty", path))
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xe9r"))
    folder.mkdir()
    write_csv(folder / os.fsdecode(b"caf\xe9.csv"), HEADER, ROWS)
    dataset, report = built(tmp_path, folder)
    assert report.rows.rows_used == 1
    assert "caf?.csv" in (dataset.folder / "ingest.json").read_text(encoding="utf-8")
