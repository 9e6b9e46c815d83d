"""Trips by day: opened lazily, checked, shared, upgraded, and their distinct counts."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine import datasets, origin_destination as od
from engine.datasets import daily, growth, storage
from engine.datasets.__main__ import main
from engine.datasets.tallies import STOPS
from engine.datasets.tripcounts import Trips
from engine.errors import DatasetError
from tests.reference.od_people import counted, random_people
from tests.support.trips import FIRST, save_trips

ZONES, DAYS = 7, 6


@pytest.fixture
def rows():
    """Rows (day, origin, destination, rank, n) of people of whom some travel much."""
    people = random_people(np.random.default_rng(3), 60, ZONES, DAYS, 2.0)
    return list(
        zip(*(each.tolist() for each in vars(counted(people, per_day=True)).values()), strict=True)
    )


@pytest.fixture
def saved(tmp_path, rows):
    return save_trips(tmp_path / "saved", rows, zones=ZONES, days=DAYS, by_person=rows)


def columns(trips):
    return {name: values.tolist() for name, values in vars(trips.whole).items()}


def test_every_day_is_a_file_that_public_tools_read(saved, rows):
    for number in range(DAYS):
        path = saved.folder / "trips" / f"{saved.metadata.days[number].isoformat()}.arrow"
        lines = pa.ipc.open_file(path).read_all().to_pylist()
        wanted = [(f"z{o}", f"z{d}", r, n) for day, o, d, r, n in rows if day == number]
        assert [tuple(line.values()) for line in lines] == wanted
    assert list(zip(*columns(saved.trips).values(), strict=True)) == rows


def test_opening_reads_no_day_and_one_day_reads_one_file(saved, monkeypatch):
    seen, there = [], len(saved.trips.whole.n)
    monkeypatch.setattr(daily, "sha256", lambda path: seen.append(path.name) or "")
    opened = datasets.Dataset(saved.folder)
    assert opened.trips.rows == there
    assert seen == []
    with pytest.raises(DatasetError):
        od.truth(opened, days=2)
    assert seen == [f"{opened.metadata.days[2].isoformat()}.arrow"]


def test_days_are_mapped_not_copied(saved):
    before = pa.total_allocated_bytes()
    kept = [saved.trips.day(number) for number in range(DAYS)]
    assert pa.total_allocated_bytes() - before < 1_000
    assert not any(values.flags.owndata for day in kept for values in vars(day).values())


@pytest.mark.parametrize("damage", ["cut", "missing", "more", "index", "folder"])
def test_a_folder_that_is_not_whole_is_refused_when_it_is_opened(saved, damage):
    day = saved.folder / "trips" / f"{FIRST.isoformat()}.arrow"
    if damage == "cut":
        day.write_bytes(day.read_bytes()[:-10])
    elif damage == "missing":
        day.unlink()
    elif damage == "more":
        shutil.copy(day, day.with_name("2031-01-01.arrow"))
    elif damage == "folder":
        shutil.rmtree(day.parent)
    else:
        (saved.folder / "trips_days.parquet").write_bytes(b"PAR1")
    with pytest.raises(DatasetError, match="build the dataset again or restore it"):
        datasets.Dataset(saved.folder)


def forged(saved, change):
    """Change a day's table and the index and the checksums that name it."""
    name = f"{saved.metadata.days[1].isoformat()}.arrow"
    path, index = saved.folder / "trips" / name, saved.folder / "trips_days.parquet"
    table = change(pa.ipc.open_file(path.read_bytes()).read_all())
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    lines = pq.read_table(index).to_pylist()
    for line in lines:
        if line["file"] == name:
            line.update(bytes=path.stat().st_size, sha256=storage.sha256(path))
    pq.write_table(pa.Table.from_pylist(lines, schema=pq.read_schema(index)), index)
    about = storage.read_metadata(saved.folder)
    about["checksums"][index.name] = storage.sha256(index)
    (saved.folder / "dataset.json").write_text(json.dumps(about))
    return datasets.Dataset(saved.folder)


def replaced(column, value):
    def change(table):
        kind = table.schema.field(column).type
        at = table.column_names.index(column)
        values = pa.array([value, *table[column].to_pylist()[1:]])
        return table.set_column(at, column, values.cast(kind))

    return change


@pytest.mark.parametrize(
    "change",
    [
        replaced("rank", 0),
        replaced("rank", 300),
        replaced("n", None),
        lambda table: table.drop_columns(["rank"]),
        lambda table: table.set_column(0, "origin", table["origin"].cast(pa.string())),
    ],
    ids=["rank 0", "rank 300", "no number", "no ranks", "other zones"],
)
def test_a_forged_day_is_refused_when_it_is_read(saved, change):
    opened = forged(saved, change)
    assert od.truth(opened, days=0).sum() > 0, "other days are whole"
    with pytest.raises(DatasetError, match="holds what cannot be counted"):
        od.truth(opened, days=1)


def test_kept_distinct_counts_are_those_of_the_days(tmp_path, rows, monkeypatch):
    plain = save_trips(tmp_path / "plain", rows, zones=ZONES, days=DAYS)
    monkeypatch.setattr(daily, "MOST_UNTALLIED", 0)
    kept = save_trips(tmp_path / "kept", rows, zones=ZONES, days=DAYS)
    assert plain.trips.tallies is None
    assert kept.trips.tallies is not None
    kept.trips.day = None  # nothing is counted anew
    for unit, limit in (("trip", 1), *(("person-day", stop) for stop in STOPS)):
        ours, theirs = (od.histogram(each, unit, limit) for each in (kept, plain))
        for name in ("kept", "true", "cells"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name)), (limit, name)
        for name in ("by_origin", "by_destination"):
            assert (getattr(ours, name) != getattr(theirs, name)).nnz == 0
    assert len(od.histogram(plain, "person-day", 1).kept) > 3


def test_the_sum_of_the_period_is_kept(saved):
    direct = np.zeros((ZONES, ZONES), dtype=np.int64)
    whole = saved.trips.whole
    np.add.at(direct, (whole.origin, whole.destination), whole.n)
    saved.trips.day = None
    assert np.array_equal(od.truth(saved, sum_days=True)[0], direct)


def test_an_older_dataset_is_upgraded_and_keeps_its_counts(tmp_path, capsys):
    shutil.copytree(datasets.available()["afghanistan-provinces"], tmp_path / "old")
    old = datasets.load(tmp_path / "old")
    assert old.metadata.format_version == 1
    assert main(["upgrade", str(tmp_path / "old")]) == 0
    assert "old: format 2" in capsys.readouterr().out
    new = datasets.load(tmp_path / "old")
    assert columns(new.trips) == columns(old.trips)
    assert columns(new.trips_by_person) == columns(old.trips_by_person)
    assert not (new.folder / "trips.parquet").exists()
    assert growth.upgrade(tmp_path / "old").folder == new.folder
    assert main(["upgrade", str(tmp_path / "none")]) == 2


def test_trips_in_memory_are_taken_by_day():
    trips = Trips.of(counted([[(0, 0, 1), (2, 1, 0)]], per_day=True), 3)
    assert [len(trips.day(day).n) for day in range(3)] == [1, 0, 1]
    assert trips.summed([0, 2]).n.tolist() == [1, 1]
