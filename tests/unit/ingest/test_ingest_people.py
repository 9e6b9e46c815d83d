"""People stay people: an id is text to the last digit, whatever type and file it comes in."""

import gzip
import os
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.datasets import storage
from engine.errors import DatasetError, InputError, ParameterError
from engine.ingest import ingest
from engine.ingest.command import main
from engine.ingest.inputs.sources import inspect
from tests.reference.ingest_inputs import trip_options as options
from tests.reference.ingest_inputs import write_csv

ROOT = Path(__file__).parents[3]
HEADER = ("uid", "datetime", "origin", "destination")


def parquet(path: Path, uids: pa.Array) -> Path:
    count = len(uids)
    columns = {
        "uid": uids,
        "datetime": [f"2015-09-{7 + i % 7:02d} 08:00:00" for i in range(count)],
        "origin": ["A"] * count,
        "destination": ["B"] * count,
    }
    pq.write_table(pa.table(columns), path)
    return path


def people(folder: Path, *paths: Path) -> int:
    return ingest(options(folder, "trips", list(paths)))[1].people_with_trips


def test_decimals_of_38_digits_are_as_many_people(tmp_path: Path) -> None:
    ids = [Decimal(10**37 + i) for i in range(50)]
    uids = pa.array(ids, pa.decimal128(38, 0))
    assert people(tmp_path, parquet(tmp_path / "d.parquet", uids)) == 50


def test_floats_that_have_lost_digits_are_refused(tmp_path: Path) -> None:
    uids = pa.array([1.0, 2.0**53 + 2])
    with pytest.raises(InputError, match=r"'uid'.*cannot be read in 1 of 2 rows") as caught:
        people(tmp_path, parquet(tmp_path / "f.parquet", uids))
    assert caught.value.code == "unparsable"


def test_a_spreadsheets_short_numbers_are_refused(tmp_path: Path) -> None:
    rows = [(u, "2015-09-07 08:00:00", "A", "B") for u in ("3.34E+10", "1.2e+16", "p2", "+3e5")]
    with pytest.raises(InputError, match=r"in 2 of 4 rows.*to the last digit"):
        people(tmp_path, write_csv(tmp_path / "t.csv", HEADER, rows))


def test_one_person_written_in_two_ways_is_one(tmp_path: Path) -> None:
    """A pandas column with a gap writes 7 as 7.0: counts would take the person twice."""
    first = write_csv(tmp_path / "a.csv", HEADER, [("7", "2015-09-07 08:00:00", "A", "B")])
    again = [(" 7 ", "2015-09-08 09:00:00", "A", "B"), ("7.00", "2015-09-08 10:00:00", "A", "B")]
    rows = [("7.0", "2015-09-08 08:00:00", "A", "B"), *again]
    second = write_csv(tmp_path / "b.csv", HEADER, rows)
    third = parquet(tmp_path / "c.parquet", pa.array([7.0]))
    dataset, report = ingest(
        options(tmp_path, "trips", [first, second, third], parts=("density", "trips"))
    )
    assert report.people_with_trips == 1
    assert int(dataset.single_visit_by_tower.sum()) == 1


@pytest.mark.parametrize(("with_numbers", "expected"), [(False, 2), (True, 1)])
def test_leading_zeros_are_decided_over_all_files_and_told(
    tmp_path: Path, with_numbers: bool, expected: int
) -> None:
    rows = [(uid, "2015-09-07 08:00:00", "A", "B") for uid in ("007", "7")]
    paths = [write_csv(tmp_path / "a.csv", HEADER, rows)]
    if with_numbers:
        paths.append(parquet(tmp_path / "b.parquet", pa.array([7], pa.int64())))
    _, report = ingest(options(tmp_path, "trips", paths))
    assert report.people_with_trips == expected
    assert any(note.startswith("people: ") for note in report.notes)


def test_places_are_found_with_and_without_point_and_zeros(tmp_path: Path) -> None:
    places = [("007", 20.67, -103.35), ("8", 20.68, -103.36), ("9", 20.69, -103.34)]
    write_csv(tmp_path / "places.csv", ("location_id", "lat", "lng"), places)
    rows = [("a", "2015-09-07 08:00:00", "7", "8.0"), ("b", "2015-09-07 08:00:00", "007", "9.00")]
    path = write_csv(tmp_path / "t.csv", HEADER, rows)
    _, report = ingest(options(tmp_path, "trips", [path], locations=tmp_path / "places.csv"))
    assert report.rows.used == 2


HEADERLESS = {
    "trips": ("alice,home,work,monday\nbob,home,work,monday\n", "4 columns, none of a usual name"),
    "json": ('{"uid": "alice", "origin": "home"}\n' * 3, "2 columns, none of a usual name"),
    "flows": ("alice,home,12\nbob,home,3\n", "3 columns, none of a usual name"),
    "system": ("alice:x:0:0:home:/root:/bin/bash\n" * 3, "1 column, none of a usual name"),
}


@pytest.mark.parametrize("kind", HEADERLESS)
def test_headerless_rows_are_never_quoted(tmp_path: Path, kind: str) -> None:
    contents, text = HEADERLESS[kind]
    path = tmp_path / "t.csv"
    path.write_text(contents, encoding="utf-8")
    if kind == "system":
        (tmp_path / "link.csv").symlink_to(path.rename(tmp_path / "system"))
        path = tmp_path / "link.csv"
    with pytest.raises(InputError) as caught:
        ingest(options(tmp_path, "flows" if kind == "flows" else "trips", [path]))
    assert "alice" not in str(caught.value)
    assert "home" not in str(caught.value)
    assert text in str(caught.value)


@pytest.mark.parametrize("out", ["", "/", "a/..", ".", "a/b/.."])
def test_an_output_without_a_name_is_refused(tmp_path: Path, out: str) -> None:
    with pytest.raises(ParameterError, match="out must name a folder"):
        options(tmp_path, "trips", [tmp_path / "t.csv"], out=Path(out))


def test_an_output_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    out = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    with pytest.raises(
        ParameterError, match="must end in a name of printable characters"
    ) as caught:
        options(tmp_path, "trips", [tmp_path / "t.csv"], out=out)
    str(caught.value).encode()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have names in Unicode alone")
def test_files_whose_names_are_no_utf8_are_read_and_named(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xe9r"))
    folder.mkdir()
    rows = [("a", "2015-09-07 08:00:00", "A", "B")]
    write_csv(folder / os.fsdecode(b"caf\xe9.csv"), HEADER, rows)
    dataset, report = ingest(options(tmp_path, "trips", [folder]))
    assert report.rows.used == 1
    assert "caf?.csv" in (dataset.folder / "ingest.json").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_looked_into_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "raw" / "locked").mkdir(parents=True)
    write_csv(tmp_path / "raw" / "t.csv", HEADER, [("a", "2015-09-07 08:00:00", "A", "B")])
    look = os.scandir

    def refuse(path: Any) -> Any:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", path)
        return look(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InputError, match="raw: a folder in it cannot be read"):
        ingest(options(tmp_path, "trips", [tmp_path / "raw"]))


@pytest.mark.parametrize(
    ("first", "last"), [("0001-01-01", "2015-09-30"), ("2015-09-01", "9999-12-31")]
)
def test_days_at_the_ends_of_the_calendar_are_refused(
    tmp_path: Path, first: str, last: str
) -> None:
    days = {"first_day": date.fromisoformat(first), "last_day": date.fromisoformat(last)}
    with pytest.raises(ParameterError, match=r"years 1900 to 2200|at most 3660 days"):
        options(tmp_path, "trips", [tmp_path / "t.csv"], **days)


@pytest.mark.skipif(os.name == "nt", reason="the lock is POSIX's")
def test_a_second_build_of_one_dataset_is_refused_and_dead_ones_are_swept(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", HEADER, [("7", "2015-09-07 08:00:00", "A", "B")])
    (tmp_path / "city" / "dead.partial").mkdir(parents=True)
    with storage.only_writer(tmp_path / "city"), pytest.raises(DatasetError) as caught:
        ingest(options(tmp_path, "trips", [path]))
    assert caught.value.code == "locked"
    ingest(options(tmp_path, "trips", [path]))
    assert not list((tmp_path / "city").glob("*.partial"))
    assert not (tmp_path / "city" / ".lock").exists()


def test_an_empty_salt_is_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", HEADER, [("7", "2015-09-07 08:00:00", "A", "B")])
    dataset, _ = ingest(options(tmp_path, "trips", [path]))
    (dataset.folder / "salt").write_text("\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="'salt' is empty"):
        ingest(options(tmp_path, "trips", [path], salt=None))


def test_bombs_of_gzip_and_of_long_texts_are_refused_before_they_are_read(tmp_path: Path) -> None:
    header = ",".join(HEADER) + "\n"
    row = "p1,2015-09-07 08:00:00,A,B\n"
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress((header + row * 2_000_000).encode(), 9))
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), ["x" * 100_000])
    texts: dict[str, Any] = dict.fromkeys(HEADER, column)
    pq.write_table(pa.table(texts), tmp_path / "b.parquet", write_statistics=False)
    for name in ("b.csv.gz", "b.parquet"):
        with pytest.raises(InputError, match="unpack"):
            inspect(tmp_path / name)


@pytest.mark.long
def test_a_bomb_behind_honest_rows_is_refused(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).integers(0, 10**9, (400_000, 2))
    honest = ",".join(HEADER) + "\n" + "".join(f"{a},{b},A,B\n" for a, b in numbers.tolist())
    bomb = gzip.compress(b"p1,2015-09-07 08:00:00,A,B\n" * 10**6)
    path = tmp_path / "late.csv.gz"
    path.write_bytes(gzip.compress(honest.encode()) + bomb * 40)
    with pytest.raises(InputError, match="unpacks to more than 100 times its size"):
        inspect(path)


def test_places_on_both_sides_of_the_antimeridian_are_refused(tmp_path: Path) -> None:
    rows = [("A", -17.0, 179.9), ("B", -17.1, -179.9), ("C", -17.2, 179.8)]
    write_csv(tmp_path / "p.csv", ("location_id", "lat", "lng"), rows)
    path = write_csv(tmp_path / "t.csv", HEADER, [("7", "2015-09-07 08:00:00", "A", "B")])
    with pytest.raises(InputError, match="both sides of the 180° meridian"):
        ingest(options(tmp_path, "trips", [path], locations=tmp_path / "p.csv"))


def test_a_place_whose_cell_reaches_beyond_the_antimeridian_is_refused(tmp_path: Path) -> None:
    rows = [("A", -17.0, 179.999), ("B", -17.1, 179.5), ("C", -17.2, 179.2)]
    write_csv(tmp_path / "p.csv", ("location_id", "lat", "lng"), rows)
    path = write_csv(tmp_path / "t.csv", HEADER, [("7", "2015-09-07 08:00:00", "A", "B")])
    with pytest.raises(InputError, match="a zone would span 360 degrees"):
        ingest(options(tmp_path, "trips", [path], locations=tmp_path / "p.csv"))


def test_a_trip_that_ends_before_it_starts_is_told(tmp_path: Path) -> None:
    header = ("uid", "datetime", "end_datetime", "origin", "destination")
    rows = [("a", "2015-09-07 09:00:00", "2015-09-07 08:00:00", "A", "B")]
    _, report = ingest(options(tmp_path, "trips", [write_csv(tmp_path / "t.csv", header, rows)]))
    assert any("1 trips end before they start" in note for note in report.notes)


def test_no_text_of_the_engine_names_a_flag_but_the_command_line_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_csv(tmp_path / "t.csv", HEADER, [("7", "2014-09-07 08:00:00", "A", "B")])
    asked = options(tmp_path, "trips", [path])
    with pytest.raises(InputError) as caught:
        ingest(asked)
    assert "--" not in str(caught.value)
    arguments = ["trips", str(path), "--locations", str(asked.locations), "--timezone", "UTC"]
    arguments += ["--from", "2015-09-01", "--to", "2015-09-30", "--out", str(tmp_path / "o")]
    assert main(arguments) == 2
    assert "(--from, --to, --timezone, --number-times)" in capsys.readouterr().err


def test_the_ingest_needs_no_pyspark() -> None:
    code = "import sys; sys.modules['pyspark'] = None; import engine.ingest.build"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_escape_codes_in_a_files_name_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[31mred.csv"
    path.write_bytes(b"")
    with pytest.raises(InputError) as caught:
        ingest(options(tmp_path, "trips", [path]))
    assert "\x1b" not in str(caught.value)
