"""Trips are read a day at a time into small types, and nothing is lost by it."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine import datasets, origin_destination as od
from engine.datasets import tripfiles
from engine.errors import DatasetError

FIRST = date(2021, 3, 1)
DAYS = [FIRST + timedelta(days=day) for day in range(9)]
ZONES = ["a", "b", "c"]


def table(n, days=8):
    """Rows of the first days in no order; the last day has none."""
    rng, rows = np.random.default_rng(0), len(n)
    keys = np.sort(rng.choice(days * 9 * 257, rows, replace=False))
    day, rest = np.divmod(keys, 9 * 257)
    pair, rank = np.divmod(rest, 257)
    columns = {
        "date": pa.array([DAYS[i] for i in day], pa.date32()),
        "origin": [ZONES[i // 3] for i in pair],
        "destination": [ZONES[i % 3] for i in pair],
        "rank": (rank + 1).astype(np.int16),
        "n": np.asarray(n, dtype=np.int64),
    }
    return pa.table(columns)


def index(ids):
    return np.array([ZONES.index(each) for each in ids.to_pylist()], dtype=np.int64)


def written(folder, rows):
    shuffled = rows.take(pa.array(np.random.default_rng(1).permutation(len(rows))))
    tripfiles.write(folder, "trips", shuffled, ZONES, DAYS)
    return tripfiles.opened(folder, "trips", index, len(ZONES), DAYS)


@pytest.mark.parametrize(
    ("largest", "kind"),
    [(65_535, np.uint16), (65_536, np.int32), (2**31 - 1, np.int32), (2**40, np.int64)],
)
def test_rows_of_each_day_are_read_into_the_smallest_type_that_holds_them(tmp_path, largest, kind):
    n = np.arange(1, 400)
    n[11] = largest
    rows = table(n)
    trips = written(tmp_path, rows)
    whole = trips.whole
    assert whole.n.dtype == kind
    assert whole.n.tolist() == n.tolist()
    assert [DAYS[i] for i in whole.day] == rows["date"].to_pylist()
    for ends, name in ((whole.origin, "origin"), (whole.destination, "destination")):
        assert [ZONES[i] for i in ends] == rows[name].to_pylist()
    assert whole.rank.tolist() == rows["rank"].to_pylist()
    assert len(trips.day(8).n) == 0
    with pytest.raises(ValueError, match="read-only"):
        whole.n[0] = 1


def test_a_day_is_a_row_group(tmp_path):
    written(tmp_path, table(np.ones(400)))
    file = pq.ParquetFile(tmp_path / "trips.parquet")
    dates = [file.read_row_group(i)["date"].unique().to_pylist() for i in range(8)]
    assert dates == [[day] for day in DAYS[:8]]


def test_an_empty_table_is_read(tmp_path):
    trips = written(tmp_path, table(np.zeros(0)))
    assert len(trips.whole.n) == len(trips.summed(range(9)).n) == 0


def test_what_cannot_be_counted_is_refused(tmp_path):
    rows = table(np.ones(400)).set_column(3, "rank", pa.array(np.full(400, 300, np.int16)))
    with pytest.raises(DatasetError, match="cannot be counted"):
        _ = written(tmp_path, rows).whole
    with pytest.raises(DatasetError, match="a zone that is not listed"):
        tripfiles.write(tmp_path, "trips", table(np.ones(9)), ZONES[:2], DAYS)


def test_sum_and_distinct_counts_of_many_rows_are_those_of_the_days(tiny_city, monkeypatch):
    folder, days = tiny_city.folder.parents[1] / "many", tiny_city.metadata
    rows = pq.read_table(tiny_city.folder / "trips.parquet")
    tables = {"trips": rows}
    monkeypatch.setattr(tripfiles, "MANY_ROWS", 1)
    monkeypatch.setattr(tripfiles, "MOST_UNCOUNTED", 1)
    many = datasets.save(folder, days, zones=tiny_city.zones, tables=tables)
    assert tiny_city.trips.distinct is None
    assert many.trips.distinct is not None
    every = range(len(days.days))
    for kept, counted in zip(
        vars(many.trips.summed(every)).values(),
        vars(tiny_city.trips.summed(every)).values(),
        strict=True,
    ):
        assert np.array_equal(kept, counted)
    for unit, limit in (("trip", 1), ("person-day", 1), ("person-day", 4), ("person-day", 7)):
        kept, counted = (od.histogram(one, unit, limit) for one in (many, tiny_city))
        for name in ("kept", "true", "cells"):
            assert np.array_equal(getattr(kept, name), getattr(counted, name))
        assert (kept.by_origin - counted.by_origin).nnz == 0
        assert (kept.by_destination - counted.by_destination).nnz == 0


def test_sums_of_small_types_do_not_overflow():
    year = datasets.load("afghanistan-2020")
    assert year.trips.whole.n.dtype.itemsize < 8
    total = int(year.trips.whole.n.astype(object).sum())
    counted = od.histogram(year)
    assert counted.true @ counted.cells == total
    assert od.truth(year, sum_days=True).sum() == total
    ranked = od.histogram(year, "person-day", 2)
    kept = year.trips.whole.n.astype(object)[year.trips.whole.rank <= 2].sum()
    assert ranked.kept @ ranked.cells == kept
