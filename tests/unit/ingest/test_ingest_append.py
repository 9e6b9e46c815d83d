"""Days added to a dataset: the bytes of one ingest of all, and nothing lost when it fails."""

import errno
import os
import subprocess
import sys
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import datasets
from engine.datasets import Dataset, daily
from engine.errors import ExplorerError
from engine.ingest import ingest
from engine.ingest.append import append, options_for
from engine.ingest.command import main
from tests.reference.ingest_inputs import TOWERS, table, table_bytes, trip_options, write_csv
from tests.support.ingests import ON_SPARK

ROOT = Path(__file__).parents[3]
FIRST, DAYS = date(2015, 9, 1), 5
NAMES = [name for name, _, _ in TOWERS]
HEADER = {"trips": ("uid", "datetime", "origin", "destination")}
HEADER["visits"] = ("uid", "datetime", "location_id")


def day(number: int) -> date:
    return FIRST + timedelta(days=number)


def rows(kind: str = "trips", people: int = 9, count: int = 300) -> list[tuple[str, ...]]:
    """People who travel on all days but the third, on which nobody does."""
    rng = np.random.default_rng(4)
    drawn = []
    for _ in range(count):
        minutes = int(rng.choice([0, 1, 3, 4])) * 1_440 + int(rng.integers(1_440))
        at = datetime(2015, 9, 1) + timedelta(minutes=minutes)
        places = [str(name) for name in rng.choice(NAMES, 2)]
        drawn.append((f"p{rng.integers(people)}", str(at), *places))
    return drawn if kind == "trips" else [row[:3] for row in drawn]


def built(folder: Path, path: Path, first: int, last: int, **how: Any) -> Dataset:
    kind = how.pop("kind", "trips")
    asked = {"first_day": day(first), "last_day": day(last), "by_person": False, **how}
    return ingest(trip_options(folder, kind, [path], **asked))[0]


def added(folder: Path, path: Path, first: int, last: int, **how: Any) -> Dataset:
    leave = how.pop("leave", False)
    asked = options_for(folder / "city", (str(path),), day(first), day(last), threads=1, **how)
    return append(asked, leave=leave)[0]


def same_trips(one: Dataset, other: Dataset) -> bool:
    indices = [(each.folder / daily.index_name("trips")).read_bytes() for each in (one, other)]
    tables = [table_bytes(each.folder, "trips") for each in (one, other)]
    return indices[0] == indices[1] and tables[0] == tables[1]


@pytest.mark.parametrize(
    ("kind", "engine", "order"),
    [
        ("trips", "duckdb", [(2, 3), (1, 1), (4, 4), (0, 0)]),
        ("visits", "duckdb", [(0, 1), (2, 4)]),
        pytest.param("trips", "spark", [(2, 4), (0, 1)], marks=ON_SPARK.marks),
    ],
)
def test_days_added_in_any_order_are_one_ingest_of_all(
    tmp_path: Path, kind: str, engine: str, order: list[tuple[int, int]]
) -> None:
    path = write_csv(tmp_path / "rows.csv", HEADER[kind], rows(kind))
    (tmp_path / "whole").mkdir()
    whole = built(tmp_path / "whole", path, 0, DAYS - 1, kind=kind)
    first, *rest = order
    grown = built(tmp_path, path, *first, kind=kind, engine=engine)
    for span in rest:
        before = {p.name: p.stat().st_ino for p in (grown.folder / "trips").glob("*-*")}
        grown = added(tmp_path, path, *span, engine=engine)
        after = {p.name: p.stat().st_ino for p in (grown.folder / "trips").glob("*-*")}
        assert before.items() <= after.items(), "days that were there are the same files"
    assert same_trips(grown, whole)
    assert grown.metadata.days == whole.metadata.days
    assert grown.trips.summed(range(DAYS)).n.sum() == whole.trips.whole.n.sum() > 0


def test_tallies_of_days_that_were_added_are_those_of_one_ingest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily, "MOST_UNTALLIED", 150)
    path = write_csv(tmp_path / "rows.csv", HEADER["trips"], rows(people=2))
    (tmp_path / "whole").mkdir()
    whole = built(tmp_path / "whole", path, 0, DAYS - 1)
    grown = built(tmp_path, path, 0, 0)
    assert grown.trips.tallies is None, "few rows are counted when they are asked for"
    for span in ((1, 2), (3, 3), (4, 4)):
        grown = added(tmp_path, path, *span)
    assert grown.trips.tallies is not None
    assert same_trips(grown, whole)


@settings(max_examples=6, deadline=None)
@given(limit=st.sampled_from([1, 2, 5]), seed=st.integers(0, 100))
def test_removing_one_person_changes_an_added_day_by_at_most_t(limit: int, seed: int) -> None:
    import tempfile

    rng = np.random.default_rng(seed)
    drawn = [row for row in rows() if rng.random() < 0.5]
    with tempfile.TemporaryDirectory() as name:
        kept: list[dict[tuple[Any, ...], int]] = []
        for place, some in (("all", drawn), ("rest", [r for r in drawn if r[0] != "p1"])):
            folder = Path(name) / place
            folder.mkdir()
            path = write_csv(folder / "rows.csv", HEADER["trips"], some)
            built(folder, path, 0, 1)
            grown = added(folder, path, 2, DAYS - 1)
            kept.append({k: n for k, n in table(grown.folder, "trips").items() if k[3] <= limit})
    everyone, rest = kept
    change = dict.fromkeys([day(i) for i in range(DAYS)], 0)
    for key in everyone.keys() | rest.keys():
        change[key[0]] += abs(everyone.get(key, 0) - rest.get(key, 0))
    travelled = {datetime.fromisoformat(row[1]).date() for row in drawn if row[0] == "p1"}
    assert all(change[one] <= (limit if one in travelled else 0) for one in change)


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [(1, 1, "a day is counted once"), (1, 3, "must not be there yet"), (3, 3, "leave no gap")],
)
def test_days_that_overlap_or_leave_a_gap_are_refused(
    tmp_path: Path, first: int, last: int, words: str
) -> None:
    path = write_csv(tmp_path / "rows.csv", HEADER["trips"], rows())
    before = built(tmp_path, path, 0, 1)
    with pytest.raises(ExplorerError, match=words):
        added(tmp_path, path, first, last)
    assert datasets.load(tmp_path / "city").folder == before.folder


def test_other_zones_another_salt_and_a_newer_format_are_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "rows.csv", HEADER["trips"], rows())
    before = built(tmp_path, path, 0, 1)
    strange = [(uid, at, f"x{o}", f"x{d}") for uid, at, o, d in rows()]
    with pytest.raises(ExplorerError, match=r"rows can be used.*outside"):
        added(tmp_path, write_csv(tmp_path / "x.csv", HEADER["trips"], strange), 2, 4)
    salt = before.folder / "salt"
    kept = salt.read_text(encoding="utf-8")
    salt.write_text("another\n", encoding="utf-8")
    with pytest.raises(ExplorerError, match=r"salt .* is not the one"):
        added(tmp_path, path, 2, 4)
    salt.write_text(kept, encoding="utf-8")
    document = before.folder / "dataset.json"
    text = document.read_text(encoding="utf-8")
    document.write_text(text.replace('"format_version": 2', '"format_version": 9'))
    with pytest.raises(ExplorerError, match=r"format version 9.*update"):
        added(tmp_path, path, 2, 4)
    document.write_text(text)
    assert added(tmp_path, path, 2, 4).metadata.last_day == day(4)


def test_what_counts_a_person_over_the_period_is_refused_or_left_out(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "rows.csv", HEADER["trips"], rows())
    built(tmp_path, path, 0, 1, by_person=True)
    with pytest.raises(ExplorerError, match="trips_person, report"):
        added(tmp_path, path, 2, 4)
    grown = added(tmp_path, path, 2, 4, leave=True)
    assert not grown.has_trips_by_person
    assert not (grown.folder / "report.parquet").exists()


@pytest.mark.parametrize("full", ["link", "file", "index"])
def test_a_full_disk_leaves_the_version_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: str
) -> None:
    path = write_csv(tmp_path / "rows.csv", HEADER["trips"], rows())
    before = built(tmp_path, path, 0, 1)

    def no_space(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    where = {"link": "shutil.copyfile", "file": "pyarrow.ipc.new_file"}
    monkeypatch.setattr(where.get(full, "pyarrow.parquet.write_table"), no_space)
    if full == "link":
        monkeypatch.setattr("os.link", no_space)
    with pytest.raises(ExplorerError, match="disk is full; nothing was written"):
        added(tmp_path, path, 2, 4)
    monkeypatch.undo()
    after = datasets.load(tmp_path / "city")
    assert after.folder == before.folder
    assert not list((tmp_path / "city").glob("*.partial"))
    assert added(tmp_path, path, 2, 4).metadata.last_day == day(4)


def test_the_command_adds_days_and_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_csv(tmp_path / "rows.csv", HEADER["trips"], rows())
    built(tmp_path, path, 0, 1)
    typed = ["append", str(tmp_path / "city"), str(path), "--to", str(day(4)), "--from"]
    assert main([*typed, str(day(1))]) == 2
    assert "(--from, --to)" in capsys.readouterr().err
    assert main([*typed, str(day(2))]) == 0
    assert "'city' written" in capsys.readouterr().out
    assert datasets.load(tmp_path / "city").metadata.last_day == day(4)


_KILLED = """
import os, signal, sys
from datetime import date
from pathlib import Path
from engine.datasets import storage
from tests.unit.ingest.test_ingest_append import added
folder, moment = Path(sys.argv[1]), int(sys.argv[2])
seen = 0
def count(frame, event, argument):
    global seen
    if event.endswith("call") and "engine/datasets" in frame.f_code.co_filename:
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)
sys.setprofile(count)
added(folder, folder / "rows.csv", 2, 4)
sys.setprofile(None)
print(seen)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_killed_at_any_of_twenty_moments_the_version_before_or_the_new_one_is_there(
    tmp_path: Path,
) -> None:
    path = write_csv(tmp_path / "rows.csv", HEADER["trips"], rows())
    before = built(tmp_path, path, 0, 1)
    kept = {one: one.read_bytes() for one in before.folder.rglob("*") if one.is_file()}

    def run(moment: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", _KILLED, str(tmp_path), str(moment)]
        how = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, cwd=ROOT, env=how, capture_output=True, text=True)

    done = run(0)
    assert done.returncode == 0, done.stderr
    new = datasets.load(tmp_path / "city").folder
    moments = np.linspace(1, int(done.stdout.split()[-1]), 20).astype(int).tolist()
    survivors = []
    for moment in moments:
        (tmp_path / "city" / "current").write_text(before.folder.name)
        assert run(moment).returncode == -9
        assert all(one.read_bytes() == contents for one, contents in kept.items())
        survivors.append(datasets.load(tmp_path / "city").folder)
    assert survivors[0] == before.folder
    assert set(survivors) <= {before.folder, new}
    (tmp_path / "city" / "current").write_text(before.folder.name)
    assert added(tmp_path, path, 2, 4).folder == new
    assert not list((tmp_path / "city").glob("*.partial"))
