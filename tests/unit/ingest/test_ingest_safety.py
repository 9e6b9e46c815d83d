"""Stopped, killed, out of disk: a whole dataset or none. Hostile files are refused cheaply."""

import errno
import fcntl
import gzip
import io
import json
import os
import pickle
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine import child_process, datasets, temp_folder
from engine.command import main as whole_command
from engine.errors import InputError
from engine.ingest import Cancelled, Progress, duckdb_engine, ingest
from engine.ingest.duckdb_engine import DuckDB
from engine.ingest.inputs import zones
from engine.ingest.progress import Monitor
from pages._ui.app import shutdown
from tests.support.ingests import (
    BOTH,
    HEADER,
    arguments,
    built,
    options,
    refused,
    squares,
    trip_options,
    write_csv,
)
from tests.support.processes import run_apart

ROOT = Path(__file__).parents[3]
ROWS = [(f"p{i % 5}", f"2015-09-{7 + i % 7:02d} 08:{i % 60:02d}:00", "A", "B") for i in range(200)]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with trips in it, and a temporary folder whose leftovers can be seen."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    write_csv(tmp_path / "t.csv", HEADER, ROWS)
    return tmp_path


def leftovers(workplace):
    known = {"t.csv", "towers.csv", "temporary"}
    return [str(path) for path in workplace.rglob("*") if path.name not in known]


def test_progress_tells_stage_and_time_and_never_falls(workplace):
    seen: list[Progress] = []
    ingest(options(workplace, "trips", [workplace / "t.csv"]), seen.append)
    fractions = [progress.fraction for progress in seen]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    stages = list(dict.fromkeys(progress.stage for progress in seen))
    assert stages[0] == "checking the files"
    assert stages[-2:] == ["writing the dataset", "done"]
    assert all(p.seconds_left is None for p in seen if p.fraction < 0.05)
    assert all(p.seconds_left >= 0 for p in seen if p.fraction > 0.05)
    assert seen[-1].seconds_left == 0
    assert list((workplace / "temporary").iterdir()) == []


@pytest.mark.parametrize("stage", ["reading rows", "ranking trips", "writing the dataset"])
def test_cancel_leaves_nothing(workplace, stage):
    cancel = threading.Event()

    def watch(progress):
        if progress.stage == stage:
            cancel.set()

    with pytest.raises(Cancelled, match="nothing was written"):
        ingest(options(workplace, "trips", [workplace / "t.csv"]), watch, cancel)
    assert leftovers(workplace) == []


_STOPPED_AT_IMPORT = """
import os, runpy, signal, sys
class Trap:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Trap())
sys.argv = ["engine", "ingest", "--help"]
runpy.run_module("engine", run_name="__main__", alter_sys=True)
"""


def test_ctrl_c_while_modules_are_imported_says_so():
    done = subprocess.run(
        [sys.executable, "-c", _STOPPED_AT_IMPORT],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "stopped; nothing was written, nor spent\n")


@pytest.mark.parametrize("gone", ["reader", "stream"])
def test_a_reader_that_has_gone_leaves_a_whole_dataset_and_no_trace(workplace, monkeypatch, gone):
    """As with ``| head`` or ``>&-``."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe if gone == "reader" else None)
        assert whole_command(["ingest", *arguments(workplace)]) == (gone == "reader")
    assert datasets.load(workplace / "city").has_trips


@pytest.mark.parametrize(
    "error",
    [
        None,
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        duckdb.IOException("IO Error: Could not write file: No space left on device CANARY"),
    ],
    ids=["while tables are written", "quota", "while rows are counted"],
)
def test_a_full_disk_ends_in_a_clear_error(workplace, monkeypatch, error):
    def full(*arguments, **more):
        raise error or OSError(errno.ENOSPC, "No space left on device")

    if error is None:
        monkeypatch.setattr("pyarrow.parquet.write_table", full)
    else:
        monkeypatch.setattr(DuckDB, "materialise", lambda self, *_, **__: self._run(full))
    refusal = refused(workplace, "disk is full; nothing was written", workplace / "t.csv")
    assert "CANARY" not in f"{refusal!r}{refusal.__cause__}"
    assert leftovers(workplace) == []


def test_a_spill_folder_at_its_limit_ends_in_a_clear_error(workplace, monkeypatch):
    monkeypatch.setattr(duckdb_engine, "MAX_SPILL_BYTES", "1MB")
    people = range(200_000)
    rows = ((f"person-{i:020d}", 1_441_602_000 + i % 600_000, "A", "B") for i in people)
    write_csv(workplace / "t.csv", HEADER, rows)
    small = {"memory": "25MB", **BOTH}
    words = "the spill folder reached|memory limit is too small"
    refused(workplace, words, workplace / "t.csv", **small)
    assert leftovers(workplace) == []


def ingest_and_die(folder, deadly):
    """Die before the move of this number, or if it is below 0 after that."""
    calls, replace = list[Any](), os.replace

    def counted(*names):
        calls.append(names)
        if len(calls) == deadly:
            os._exit(9)
        replace(*names)
        if len(calls) == -deadly:
            os._exit(9)

    os.replace = counted
    ingest(trip_options(folder, "trips", [folder / "t.csv"], salt="new"))


@pytest.mark.parametrize(
    ("deadly", "survivor"),
    [pytest.param(1, "old", marks=pytest.mark.long), (2, "old"), (-2, "new")],
)
def test_killed_before_or_after_the_swap_a_dataset_is_whole(tmp_path, deadly, survivor):
    """Moves, in order: the version into place, ``current``; below 0 death comes after the move.

    Salt and report are part of the version, so that nothing is lost with whatever comes after.
    """
    write_csv(tmp_path / "t.csv", HEADER, ROWS)
    before, _ = ingest(trip_options(tmp_path, "trips", [tmp_path / "t.csv"], salt="old"))
    assert run_apart(ingest_and_die, tmp_path, deadly)[0] == 9
    after = datasets.load(tmp_path / "city")
    assert int(after.trips.all_days.trip_count.sum()) == int(before.trips.all_days.trip_count.sum())
    assert (after.metadata.salt_id == before.metadata.salt_id) == (survivor == "old")
    assert (after.folder / "salt").read_text(encoding="utf-8").strip() == survivor
    assert (after.folder / "ingest.json").is_file()
    ingest(trip_options(tmp_path, "trips", [tmp_path / "t.csv"]))
    assert not list((tmp_path / "city").glob("*.partial"))


def test_a_folder_that_is_just_made_is_not_swept(tmp_path, monkeypatch):
    """Between making its lock and holding it, a process would seem dead to another one."""
    flock, done = fcntl.flock, []

    def late(descriptor, how):
        if not done:
            done.append(True)
            temp_folder.remove_abandoned(tmp_path)
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with temp_folder.open_temp_folder(tmp_path) as own:
        assert own.is_dir()


def ingest_and_be_killed(folder):
    """A process that lives keeps its own, whoever sweeps."""

    def watch(progress):
        if progress.stage == "ranking trips":
            temp_folder.remove_abandoned(folder / "temporary")
            os.kill(os.getpid(), signal.SIGKILL)

    ingest(trip_options(folder, "trips", [folder / "t.csv"], spill=folder / "temporary"), watch)


@pytest.mark.parametrize("starting", [False, True], ids=["an ingest", "the server"])
def test_what_a_killed_ingest_left_is_swept_by_the_next_start(workplace, monkeypatch, starting):
    temporary = workplace / "temporary"
    assert run_apart(ingest_and_be_killed, workplace)[0] == -signal.SIGKILL
    (left,) = temporary.glob(f"{temp_folder.FOLDER_PREFIX}*")
    assert left.is_dir()
    monkeypatch.setenv("MOBILITY_DATA", str(workplace / "data"))
    if starting:
        shutdown.sweep_folders(is_start=True)
        assert not list(temporary.iterdir())
    ingest(trip_options(workplace, "trips", [workplace / "t.csv"], spill=temporary))
    assert not list(temporary.iterdir())
    assert not list((workplace / "city").glob("*.partial"))


NAMED = "uid,datetime,origin,destination\n"
LINE = "p1,2015-09-07 08:00:00,A,B\n"
LINES = (NAMED + LINE * 60_000).encode()


def zip_with(*members):
    contents = io.BytesIO()
    with zipfile.ZipFile(contents, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members:
            archive.writestr(name, member)
    return contents.getvalue()


def parquet():
    contents = io.BytesIO()
    pq.write_table(pa.table({"zone_id": ["a"]}), contents)
    return contents.getvalue()


TABLES: dict[str, tuple[bytes | str, str]] = {
    "disguise.parquet": (NAMED + LINE, "claims to be Parquet"),
    "cut.parquet": (b"PAR1" + b"\x00" * 500, "damaged"),
    "zip.csv": (zip_with(("a.csv", NAMED.encode()), ("b.csv", b"")), "the zip holds 2 files"),
    "book.xlsx": (zip_with(("xl/workbook.xml", b"x")), "Excel workbook"),
    "matrix.omx": (b"\x89HDF\r\n", "OMX"),
    "zeros.csv": (LINES + bytes(4_000_000), "ends in zero bytes"),
    "zeros.csv.gz": (gzip.compress(LINES + bytes(4_000_000)), "ends in zero bytes"),
    "nul.csv": (NAMED + "\x00" * 100, "NUL"),
    "line.csv": ("u" * 3_000_000, "cannot be read"),
    "broken.csv.gz": (gzip.compress(os.urandom(5_000))[:-40], "gzip"),
    "ragged.csv": (NAMED + LINE * 3 + "CANARY,b\n", "columns"),
    "quote.csv": (NAMED + LINE * 3 + '"CANARY,b,c,d\n', "quote"),
    "late.csv": (LINES + b"CANARY\xff,,,\n", "encoding"),
}


CURVE = {
    "type": "Feature",
    "properties": {"zone_id": "CANARY"},
    "geometry": {"type": "CircularString", "coordinates": [[0, 0], [1, 1], [2, 0]]},
}
ZONES: dict[str, tuple[bytes | str, str]] = {
    "deep.geojson": ('{"features":' + "[" * 100_000, "cannot be read"),
    "no.geojson": ('{"type": "Topology", "CANARY": 1}', "TopoJSON"),
    "curve.geojson": (json.dumps({"type": "FeatureCollection", "features": [CURVE]}), "zone"),
    "two.zip": (zip_with(("a.shp", b"x"), ("b.shp", b"x")), "the zip holds 2 files"),
    "shape.zip": (zip_with(("a.shp", b"x" * 200), ("a.shx", b"x"), ("a.dbf", b"x")), "cannot be"),
    "text.gpkg": ("SQLite format 3\x00" + "x" * 300, "cannot be read"),
    "plain.parquet": (parquet(), "without geometry"),
    "pickle.geojson": (pickle.dumps([1]), "not a file of"),
}


@pytest.mark.parametrize("name", [*TABLES, *ZONES])
def test_hostile_files_are_refused(tmp_path, name, caplog, monkeypatch):
    contents, word = (TABLES | ZONES)[name]
    (tmp_path / name).write_bytes(contents.encode() if isinstance(contents, str) else contents)
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spill))
    (tmp_path / "t.csv").write_text(NAMED + LINE)
    table, files = ("t.csv", {"zones": tmp_path / name}) if name in ZONES else (name, {})
    error = refused(tmp_path, re.escape(word), tmp_path / table, spill=spill, **files)
    assert name in str(error)
    assert "CANARY" not in f"{error!r}{error}{caplog.text}"
    assert error.__cause__ is None
    assert list(spill.iterdir()) == []
    assert not (tmp_path.parent / "z.shp").exists()


def star(path, points=3_001):
    """Write a ring that crosses itself again and again, beside a zone of the rows."""
    turn = np.arange(points + 1) * (points // 2) * 2 * np.pi / points
    shapes = [
        shapely.Polygon(np.column_stack((np.cos(turn), np.sin(turn)))),
        shapely.box(2, 0, 3, 1),
    ]
    gpd.GeoDataFrame({"zone_id": ["A", "B"]}, geometry=shapes, crs=4326).to_file(path)
    return path


def endless(path):
    """Write a GeoPackage whose layer is a view without an end."""
    squares(1).to_file(path, layer="real")
    with closing(sqlite3.connect(path)) as opened:
        opened.executescript(
            "CREATE VIEW g AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
            "SELECT c.x AS fid, r.geom, 'q' || c.x AS zone_id FROM c, real r;"
            "UPDATE gpkg_contents SET table_name = 'g', identifier = 'g';"
        )
    return path


def blanks(path):
    """Write a GeoJSON of little else than ``{}``."""
    empty = ",".join(["{}"] * 1_000_000)
    path.write_text(f'{{"type": "FeatureCollection", "x": [{empty}], "features": []}}')
    return path


@pytest.mark.parametrize(
    ("write", "name", "words"),
    [
        (star, "z.geojson", "within 2 s of computing and .* MB of memory .given: z.geojson"),
        (endless, "z.gpkg", "z.gpkg: its layers are views"),
        (blanks, "z.geojson", "and 52 MB of memory .given: z.geojson, which was not.. Simplify it"),
    ],
)
def test_zones_without_an_end_are_refused_in_time(tmp_path, monkeypatch, write, name, words):
    monkeypatch.setattr(child_process, "DEADLINE_S", 2)
    if write is blanks:
        monkeypatch.setattr(child_process, "_FREE_BYTES", 4_000_000)
    path, before = write(tmp_path / name), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    refused(tmp_path, words, [("p1", "2015-09-07 08:00:00", "A", "B")], zones=path)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss - before < 1_000_000  # KB


def test_a_repair_has_a_bound_of_vertices(tmp_path, monkeypatch):
    monkeypatch.setattr(zones, "MAX_REPAIRED_VERTICES", 1_000)
    with pytest.raises(InputError, match="zone 1 crosses itself so often that it has over 1,000"):
        zones.read_zones(star(tmp_path / "z.geojson", 61), {})


def test_cancel_and_sigterm_end_the_reading_of_zones_in_time(tmp_path):
    (tmp_path / "t.csv").write_text(NAMED + LINE)
    path, cancel = star(tmp_path / "z.geojson", 401), threading.Event()
    stopper = threading.Timer(1, cancel.set)
    stopper.start()
    with pytest.raises(Cancelled):
        ingest(options(tmp_path, "trips", [tmp_path / "t.csv"], zones=path), None, cancel)
    stopper.join()
    words = arguments(tmp_path, "--zones", str(path))
    command_line = [sys.executable, "-m", "engine", "ingest", *words]
    with subprocess.Popen(command_line, cwd=ROOT, stderr=subprocess.PIPE, text=True) as running:
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        while not (started := children.read_text().split()):
            assert running.poll() is None
            time.sleep(0.1)
        running.terminate()
        assert "stopped; nothing was written" in running.communicate(timeout=60)[1]
    assert running.returncode == 130
    for child in started:  # an ended one may wait for the system to clear it away
        state = Path(f"/proc/{child}/stat")
        assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"
    assert not (tmp_path / "city").exists()


def test_a_column_of_parquet_that_nobody_asks_for_is_not_read(tmp_path):
    columns = {"uid": ["p"], "datetime": [1_441_612_800], "origin": ["A"], "destination": ["B"]}
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({**columns, "note": ["CANARY" * 99]}), path, compression="none")
    places = {"location_id": ["A", "B"], "lat": [20.6, 20.7], "lng": [-103.3, -103.4]}
    stations = tmp_path / "p.parquet"
    pq.write_table(pa.table({**places, "note": ["CANARY" * 99] * 2}), stations, compression="none")
    for damaged in (path, stations):
        number = len(columns) - (damaged == stations)
        chunk = pq.ParquetFile(damaged).metadata.row_group(0).column(number)
        assert chunk.path_in_schema == "note"
        contents, start = bytearray(damaged.read_bytes()), chunk.dictionary_page_offset
        contents[start : start + 40] = b"\xff" * 40
        damaged.write_bytes(contents)
    dataset, _ = built(tmp_path, path, locations=stations)
    assert dataset.trips.all_days.trip_count.sum() == 1


def test_the_embedded_engine_is_locked_down(tmp_path):
    path = write_csv(tmp_path / "t.csv", ["uid"], [["p"]])
    secret = write_csv(tmp_path / "secret.csv", ["uid"], [["CANARY"]])
    (tmp_path / "spill").mkdir()
    engine = DuckDB(Monitor(), tmp_path / "spill", paths={str(path): path.name})
    try:
        for statement in (
            f"SELECT * FROM read_csv('{secret}')",
            f"SELECT * FROM '{secret}'",
            f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
            f"ATTACH '{tmp_path / 'x.db'}'",
            "INSTALL httpfs",
            "LOAD spatial",
            "SET enable_external_access = true",
            "SET memory_limit = '100GB'",
            "SELECT * FROM settings",
        ):
            with pytest.raises(Exception, match=r"(?i)permission|disabled|locked|exist|access"):
                engine.connection.execute(statement)
    finally:
        engine.close()
    assert not (tmp_path / "out.csv").exists()
    assert not (tmp_path / "x.db").exists()
