"""Cancelled, interrupted, killed, out of disk: a whole dataset or none, and nothing left over."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engine import datasets, temp_folder
from engine.command import main as whole_command
from engine.ingest import Cancelled, Progress, duckdb_engine, ingest
from engine.ingest.duckdb_engine import DuckDB
from pages._ui.app import shutdown
from tests.support.ingests import HEADER, arguments, options, refused, write_csv
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
    write_csv(
        workplace / "t.csv",
        HEADER,
        ((f"person-{i:020d}", 1_441_602_000 + i % 600_000, "A", "B") for i in range(200_000)),
    )
    small = {"memory": "25MB", "parts": ("density", "trips")}
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
    ingest(options(folder, "trips", [folder / "t.csv"], salt="new"))


@pytest.mark.parametrize(
    ("deadly", "survivor"),
    [pytest.param(1, "old", marks=pytest.mark.long), (2, "old"), (-2, "new")],
)
def test_killed_before_or_after_the_swap_a_dataset_is_whole(tmp_path, deadly, survivor):
    """Moves, in order: the version into place, ``current``; below 0 death comes after the move.

    Salt and report are part of the version, so that nothing is lost with whatever comes after.
    """
    write_csv(tmp_path / "t.csv", HEADER, ROWS)
    before, _ = ingest(options(tmp_path, "trips", [tmp_path / "t.csv"], salt="old"))
    assert run_apart(ingest_and_die, tmp_path, deadly)[0] == 9
    after = datasets.load(tmp_path / "city")
    assert int(after.trips.all_days.trip_count.sum()) == int(before.trips.all_days.trip_count.sum())
    assert (after.metadata.salt_id == before.metadata.salt_id) == (survivor == "old")
    assert (after.folder / "salt").read_text(encoding="utf-8").strip() == survivor
    assert (after.folder / "ingest.json").is_file()
    ingest(options(tmp_path, "trips", [tmp_path / "t.csv"]))
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

    ingest(options(folder, "trips", [folder / "t.csv"], spill=folder / "temporary"), watch)


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
    ingest(options(workplace, "trips", [workplace / "t.csv"], spill=temporary))
    assert not list(temporary.iterdir())
    assert not list((workplace / "city").glob("*.partial"))
