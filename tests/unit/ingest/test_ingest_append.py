"""Days added to a dataset: the bytes of one ingest of all, and nothing lost when it fails."""

import errno
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from engine import datasets, origin_destination as od
from engine.datasets import Dataset, daily, growth, storage
from engine.errors import ExplorerError
from engine.ingest import ingest
from engine.ingest.append import append, by_month, options_for
from engine.ingest.command import main
from tests.reference.ingest_inputs import (
    TOWERS,
    options,
    table,
    table_bytes,
    trip_options,
    write_csv,
)
from tests.support.ingests import ON_SPARK

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


def of_weeks(dataset: Dataset) -> dict[str, bytes]:
    """Return what the tables of the density hold, by week and name."""
    weeks = {monday: dataset.at_week(monday) for monday in dataset.weeks}
    return {
        f"{monday} {path.name}": path.read_bytes()
        for monday, week in weeks.items()
        for path in sorted(week.folder.glob("*.parquet"))
        if path.name not in ("zones.parquet", "trips_days.parquet")
    }


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


@pytest.mark.parametrize("engine", ["duckdb", ON_SPARK])
def test_weeks_added_one_by_one_are_one_ingest_of_all(tmp_path: Path, engine: str) -> None:
    mondays = (date(2015, 9, 7), date(2015, 9, 14))
    later = [
        (uid, str(datetime.fromisoformat(at) + timedelta(days=7 * (number % 3))), *ends)
        for number, (uid, at, *ends) in enumerate(rows(people=3))
    ]
    path = write_csv(tmp_path / "rows.csv", HEADER["trips"], later)
    folders = {name: tmp_path / name for name in ("whole", "grown", "bare", "alone")}
    for folder in folders.values():
        folder.mkdir()
    asked = {"by_person": False, "max_visits_cap": 20}
    whole = ingest(
        options(folders["whole"], "trips", [path], week=mondays[0], weeks=mondays[1:], **asked)
    )[0]
    how = {"parts": ("density",), "week": mondays[1], "last_day": date(2015, 9, 20)}
    alone = of_weeks(ingest(options(folders["alone"], "trips", [path], **asked, **how))[0])
    assert alone.items() < of_weeks(whole).items()
    first, second = (whole.at_week(monday).truth_by_tower for monday in mondays)
    assert (first != second).any()
    ingest(options(folders["grown"], "trips", [path], week=mondays[1], engine=engine, **asked))
    ingest(trip_options(folders["bare"], "trips", [path], **asked))
    for name, order in (("grown", (0,)), ("bare", (1, 0))):
        for number in order:
            last = mondays[number] + timedelta(days=6)
            grown = added(
                folders[name],
                path,
                0,
                (last - FIRST).days,
                weeks=(mondays[number],),
                parts=("density",),
                locations=folders[name] / "towers.csv",
                engine=engine if name == "grown" else "duckdb",
            )
        assert grown.weeks == mondays
        assert of_weeks(grown) == of_weeks(whole)
        assert same_trips(grown, whole)
        with pytest.raises(ExplorerError, match="a week is counted once"):
            added(folders[name], path, 0, 29, weeks=mondays[:1], parts=("density",))


def test_a_week_that_was_changed_on_disk_is_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "rows.csv", HEADER["trips"], rows())
    how = {"first_day": date(2015, 8, 24), "weeks": (date(2015, 8, 31),)}
    with pytest.raises(ExplorerError, match="that of 2015-08-31 twice"):
        options(tmp_path, "trips", [path], week=date(2015, 8, 31), **how)
    later = [(uid, at.replace("-09-0", "-09-1"), *ends) for uid, at, *ends in rows()]
    write_csv(tmp_path / "rows.csv", HEADER["trips"], [*rows(), *later])
    kept = ingest(options(tmp_path, "trips", [path], week=date(2015, 9, 7), **how))[0]
    week = kept.at_week(date(2015, 8, 31))
    assert (week.id, week.metadata.week, week.has_trips) == ("city", date(2015, 8, 31), False)
    with pytest.raises(ExplorerError, match="no density of the week of 2015-09-14"):
        kept.at_week(date(2015, 9, 14))
    (week.folder / "truth.parquet").write_bytes(b"PAR1")
    with pytest.raises(ExplorerError, match=r"truth\.parquet does not fit its checksum"):
        kept.at_week(date(2015, 8, 31))
    (week.folder / "dataset.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ExplorerError, match=r"weeks/2015-08-31/dataset\.json does not fit"):
        datasets.load(tmp_path / "city")


def test_what_fails_in_a_month_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = [(u, at.replace("2015-09-0", "2015-08-3"), *e) for u, at, *e in rows()]
    kept = [
        row for row in over if not row[1].startswith(("2015-08-32", "2015-08-34", "2015-08-35"))
    ]
    after = [(u, at.replace("-09-0", "-10-0"), *e) for u, at, *e in rows() if "-09-01" in at]
    path = write_csv(tmp_path / "rows.csv", HEADER["trips"], [*rows(), *kept, *after])
    (tmp_path / "whole").mkdir()
    days = {"first_day": date(2015, 8, 30), "last_day": date(2015, 10, 2), "by_person": False}
    week = {"week": date(2015, 8, 31), "parts": ("trips", "density")}
    whole = ingest(options(tmp_path / "whole", "trips", [path], **days, **week))[0]
    asked, months, grown = options(tmp_path, "trips", [path], **days, **week), [], growth.grown

    def once(*given: Any, **how: Any) -> Dataset:
        months.append(datasets.load(tmp_path / "city").metadata.last_day)
        if len(months) in (2, 4):
            raise OSError(errno.ENOSPC, "No space left on device")
        return grown(*given, **how)

    monkeypatch.setattr(growth, "grown", once)
    for _ in range(2):
        with pytest.raises(ExplorerError, match="disk is full"):
            by_month(asked)
    done = by_month(asked)[0]
    ends = [date(2015, 8, 31), *2 * [date(2015, 9, 30)], *2 * [date(2015, 10, 2)]]
    assert months == ends
    assert same_trips(done, whole)
    assert of_weeks(done) == of_weeks(whole)
    with pytest.raises(ExplorerError, match="is complete"):
        by_month(asked)
    with pytest.raises(ExplorerError, match="not what these months"):
        by_month(replace(asked, first_day=date(2015, 8, 31)))


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


def killed_at(moment: int, before: Dataset, rows_of_days: pa.Table) -> tuple[int, int]:
    """Add days in a process that kills itself at a call; return its signal and its calls."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        calls = 0

        def count(frame: Any, event: str, _: Any) -> None:
            nonlocal calls
            if event.endswith("call") and "engine/datasets" in frame.f_code.co_filename:
                calls += 1
                if calls == moment:
                    os.kill(os.getpid(), signal.SIGKILL)

        try:
            about = replace(before.metadata, last_day=day(4))
            with storage.only_writer(before.folder.parent):
                sys.setprofile(count)
                growth.grown(before, about, added=rows_of_days, days=[day(2), day(3), day(4)])
                sys.setprofile(None)
            os.write(writing, str(calls).encode())
        finally:
            os._exit(0)
    os.close(writing)
    calls = os.read(reading, 32)
    os.close(reading)
    return os.waitpid(child, 0)[1] & 127, int(calls or 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process of its own to kill")
def test_killed_at_any_of_twenty_moments_the_version_before_or_the_new_one_is_there(
    tmp_path: Path,
) -> None:
    columns = {"origin": ["A", "B"], "destination": ["B", "C"], "rank": [1, 2], "n": [3, 4]}
    more = pa.table({"date": pa.array([day(2), day(4)]), **columns})
    before = built(tmp_path, write_csv(tmp_path / "rows.csv", HEADER["trips"], rows()), 0, 1)
    kept = {one: one.read_bytes() for one in before.folder.rglob("*") if one.is_file()}
    current = tmp_path / "city" / "current"
    killed, calls = killed_at(0, before, more)
    assert (killed, calls > 200) == (0, True)
    new = datasets.load(tmp_path / "city").folder
    assert new != before.folder
    survivors = []
    for moment in np.linspace(1, calls, 20).astype(int).tolist():
        current.write_text(before.folder.name)
        shutil.rmtree(new, ignore_errors=True)
        assert killed_at(moment, before, more)[0] == signal.SIGKILL
        assert all(one.read_bytes() == contents for one, contents in kept.items())
        survivors.append(datasets.load(tmp_path / "city").folder)
        assert od.truth(datasets.load(tmp_path / "city"), sum_days=True).sum() > 0
    assert survivors[0] == before.folder
    assert set(survivors) <= {before.folder, new}
    current.write_text(before.folder.name)
    assert killed_at(0, before, more)[0] == 0
    assert datasets.load(tmp_path / "city").folder == new
    assert not list((tmp_path / "city").glob("*.partial"))
