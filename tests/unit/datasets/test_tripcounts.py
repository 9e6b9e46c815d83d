"""Counted trips are read piece by piece into small types, and nothing is lost by it."""

import tracemalloc
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine import datasets, origin_destination as od
from engine.datasets import tripcounts

FIRST = date(2021, 3, 1)
ZONES = ["a", "b", "c"]


def written(path, n, *, statistics=True, rows_per_group=7):
    rows = len(n)
    rng = np.random.default_rng(0)
    columns = {
        "date": [FIRST + timedelta(days=int(day)) for day in np.sort(rng.integers(0, 9, rows))],
        "origin": [ZONES[i] for i in rng.integers(0, 3, rows)],
        "destination": [ZONES[i] for i in rng.integers(0, 3, rows)],
        "rank": rng.integers(1, 258, rows).astype(np.int16),
        "n": n,
    }
    pq.write_table(
        pa.table(columns), path, row_group_size=rows_per_group, write_statistics=statistics
    )
    return columns


def read(path, zones=3):
    def index(ids):
        return np.array([ZONES.index(each) for each in ids.to_pylist()])

    return tripcounts.read_whole(path, first_day=FIRST, days=9, zones=zones, zone_index=index).whole


@pytest.mark.parametrize(
    ("largest", "kind"),
    [(65_535, np.uint16), (65_536, np.int32), (2**31 - 1, np.int32), (2**40, np.int64)],
)
def test_counts_take_the_smallest_type_that_holds_them(tmp_path, monkeypatch, largest, kind):
    monkeypatch.setattr(tripcounts, "_ROWS_AT_ONCE", 5)
    path = tmp_path / "trips.parquet"
    n = np.arange(1, 24, dtype=np.int64)
    n[11] = largest
    columns = written(path, n)
    counts = read(path)
    assert counts.n.dtype == kind
    assert counts.n.tolist() == n.tolist()
    assert [FIRST + timedelta(days=int(day)) for day in counts.day] == columns["date"]
    assert [ZONES[i] for i in counts.origin] == columns["origin"]
    assert [ZONES[i] for i in counts.destination] == columns["destination"]
    assert counts.rank.tolist() == columns["rank"].tolist()
    with pytest.raises(ValueError, match="read-only"):
        counts.n[0] = 1


def test_a_file_without_statistics_and_many_zones_are_read_into_wide_types(tmp_path):
    path = tmp_path / "trips.parquet"
    written(path, np.array([1, 2, 3], dtype=np.int32), statistics=False)
    counts = read(path, zones=70_000)
    assert counts.n.dtype == np.int64
    assert counts.origin.dtype == counts.destination.dtype == np.int32


def test_an_empty_table_is_read(tmp_path):
    path = tmp_path / "trips.parquet"
    written(path, np.zeros(0, dtype=np.int32))
    assert len(read(path).day) == 0


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


def test_a_year_takes_ten_bytes_a_row_and_little_more_while_it_is_read():
    year = datasets.load("afghanistan-2020")
    year.zones  # noqa: B018  (read before memory is counted)
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    counts = year.trips.whole
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    rows = len(counts.n)
    assert rows > 2_000_000
    assert sum(values.nbytes for values in vars(counts).values()) == 10 * rows
    assert peak < 10 * rows + 30_000_000
    assert pa.total_allocated_bytes() - before < 10_000_000
