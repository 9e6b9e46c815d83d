"""Loading, checking and saving cached aggregates; trips, a day at a time in small types."""

import gc
import tomllib
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from threading import Barrier

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine import datasets, origin_destination as od
from engine.datasets import trip_files
from engine.datasets.memo import memoise, size_of
from engine.errors import DatasetError, ParameterError
from tests.support.ingests import squares
from tests.support.trips import save_trips

SQUARES = tomllib.loads(Path(__file__).with_name("squares.toml").read_text("utf-8"))
METADATA = datasets.Metadata(**SQUARES["metadata"])
TABLES = {name: pa.table(columns) for name, columns in SQUARES["tables"].items()}
ZONES = squares(2, zone_id=["a", "b"], name=["A", "B"])
TOWERS = gpd.GeoDataFrame(
    {"location_id": ["s", "t"], "name": ["S", "T"]}, geometry=list(ZONES.representative_point())
).set_crs(4326)


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def squares(root):
    return datasets.save(root / "squares", METADATA, zones=ZONES, towers=TOWERS, tables=TABLES)


def test_what_is_saved_is_loaded_whatever_the_order_of_its_rows(squares, root):
    loaded = datasets.load("squares")
    assert loaded.metadata == METADATA
    assert loaded.truth_by_tower.shape == (2, 168)
    assert (loaded.truth_by_tower[0, 0], loaded.truth_by_tower[1, 167]) == (7, 5)
    assert loaded.truth_by_tower.sum() == 12
    assert loaded.single_visit_by_tower.tolist() == [0, 3]
    assert loaded.homes is not None
    assert loaded.homes.tolist() == [0, 3]
    assert loaded.tessellation.overlap.toarray() == pytest.approx(np.eye(2))
    assert loaded.has_density
    assert loaded.has_trips
    assert not loaded.has_person_ranks
    assert loaded.size_bytes > 0
    shuffled = {name: table.take(list(range(len(table)))[::-1]) for name, table in TABLES.items()}
    other = datasets.save(root / "other", METADATA, zones=ZONES, towers=TOWERS, tables=shuffled)
    assert other.folder.name == squares.folder.name


def test_presampling_sums_ranks_and_kept_arrays_cannot_be_written(squares):
    assert squares.presampled_by_tower(1)[0, 0] == 3
    assert squares.presampled_by_tower(2)[0, 0] == 5
    assert squares.presampled_by_tower(167)[0, 5] == 0
    assert squares.presampled_by_tower(168)[0, 5] == 1
    with pytest.raises(ParameterError, match="from 1 to 168"):
        squares.presampled_by_tower(0)
    counts = squares.truth_by_tower, squares.single_visit_by_tower
    for array in (*counts, squares.trips.all_days.trip_count):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_name_a_path_and_a_local_folder_are_loaded(squares, root):
    with pytest.raises(DatasetError, match=r"no dataset 'paris'\. Name one of squares"):
        datasets.load("paris")
    assert datasets.load(root / "squares").metadata == METADATA
    datasets.save(root / "local" / "mine", METADATA, zones=ZONES, tables={})
    assert list(datasets.available()) == ["squares", "mine"]
    assert datasets.load("mine").metadata == METADATA


def test_missing_parts_unknown_towers_and_newer_formats_are_refused(root):
    bare = datasets.save(root / "bare", METADATA, zones=ZONES, tables={"trips": TABLES["trips"]})
    assert not bare.has_density
    with pytest.raises(DatasetError, match="'bare' has no density data"):
        _ = bare.truth_by_tower
    with pytest.raises(DatasetError, match=r"no trip data \(trips_person\.parquet\)"):
        _ = bare.trips_by_person
    tables = {**TABLES, "single_visit": pa.table({"location_id": ["nowhere"], "n": [1]})}
    broken = datasets.save(root / "broken", METADATA, zones=ZONES, towers=TOWERS, tables=tables)
    with pytest.raises(DatasetError, match="1 rows name a tower"):
        _ = broken.single_visit_by_tower
    document = replace(METADATA, format_version=4).to_json()
    with pytest.raises(DatasetError, match=r"format version 4, .* reads version 3\. .*update"):
        datasets.Metadata.from_json(document, "squares")
    with pytest.raises(DatasetError, match="not as expected"):
        datasets.Metadata.from_json({"format_version": 3}, "squares")


FIRST = date(2021, 3, 1)
DAYS = [FIRST + timedelta(days=day) for day in range(9)]
NAMES = ["a", "b", "c"]


def table(n, days=8):
    """Rows of the first days in no order; the last day has none."""
    rng, rows = np.random.default_rng(0), len(n)
    keys = np.sort(rng.choice(days * 9 * 257, rows, replace=False))
    day, rest = np.divmod(keys, 9 * 257)
    pair, rank = np.divmod(rest, 257)
    columns = {
        "date": pa.array([DAYS[i] for i in day], pa.date32()),
        "origin": [NAMES[i // 3] for i in pair],
        "destination": [NAMES[i % 3] for i in pair],
        "rank": (rank + 1).astype(np.int16),
        "n": np.asarray(n, dtype=np.int64),
    }
    return pa.table(columns)


def index(ids):
    return np.array([NAMES.index(each) for each in ids.to_pylist()], dtype=np.int64)


def written(folder, rows):
    shuffled = rows.take(pa.array(np.random.default_rng(1).permutation(len(rows))))
    trip_files.write_trips(folder, "trips", shuffled, NAMES, DAYS)
    return trip_files.open_trips(folder, "trips", index, len(NAMES), DAYS)


@pytest.mark.parametrize(
    ("largest", "kind"),
    [(65_535, np.uint16), (65_536, np.int32), (2**31 - 1, np.int32), (2**40, np.int64)],
)
def test_rows_of_each_day_are_read_into_the_smallest_type_that_holds_them(tmp_path, largest, kind):
    n = np.arange(1, 400)
    n[11] = largest
    rows = table(n)
    trips = written(tmp_path, rows)
    whole = trips.all_days
    assert whole.trip_count.dtype == kind
    assert whole.trip_count.tolist() == n.tolist()
    assert [DAYS[i] for i in whole.day] == rows["date"].to_pylist()
    for ends, name in ((whole.origin, "origin"), (whole.destination, "destination")):
        assert [NAMES[i] for i in ends] == rows[name].to_pylist()
    assert whole.rank.tolist() == rows["rank"].to_pylist()
    assert len(trips.day(8).trip_count) == 0
    with pytest.raises(ValueError, match="read-only"):
        whole.trip_count[0] = 1


def test_a_day_is_a_row_group_and_an_empty_table_is_read(tmp_path):
    written(tmp_path, table(np.ones(400)))
    file = pq.ParquetFile(tmp_path / "trips.parquet")
    dates = [file.read_row_group(i)["date"].unique().to_pylist() for i in range(8)]
    assert dates == [[day] for day in DAYS[:8]]
    trips = written(tmp_path, table(np.zeros(0)))
    assert len(trips.all_days.trip_count) == len(trips.sum_days(range(9)).trip_count) == 0


def test_what_cannot_be_counted_is_refused(tmp_path):
    rows = table(np.ones(400)).set_column(3, "rank", pa.array(np.full(400, 300, np.int16)))
    with pytest.raises(DatasetError, match="cannot be counted"):
        _ = written(tmp_path, rows).all_days
    with pytest.raises(DatasetError, match="a zone that is not listed"):
        trip_files.write_trips(tmp_path, "trips", table(np.ones(9)), NAMES[:2], DAYS)


def test_sum_and_distinct_counts_of_many_rows_are_those_of_the_days(tiny_city, monkeypatch):
    folder, days = tiny_city.folder.parents[1] / "many", tiny_city.metadata
    rows = pq.read_table(tiny_city.folder / "trips.parquet")
    tables = {"trips": rows}
    monkeypatch.setattr(trip_files, "MANY_ROWS", 1)
    monkeypatch.setattr(trip_files, "MAX_UNCOUNTED_ROWS", 1)
    many = datasets.save(folder, days, zones=tiny_city.zones, tables=tables)
    assert tiny_city.trips.distinct is None
    assert many.trips.distinct is not None
    every = range(len(days.days))
    counted = vars(tiny_city.trips.sum_days(every))
    for name, kept in vars(many.trips.sum_days(every)).items():
        assert np.array_equal(kept, counted[name])
    for unit, limit in (("trip", 1), ("person-day", 1), ("person-day", 4), ("person-day", 7)):
        kept, counted = (od.compute_histogram(one, unit, limit) for one in (many, tiny_city))
        for name in ("truncated_counts", "true_counts", "cell_counts"):
            assert np.array_equal(getattr(kept, name), getattr(counted, name))
        assert (kept.by_origin - counted.by_origin).nnz == 0
        assert (kept.by_destination - counted.by_destination).nnz == 0


def test_sums_of_small_types_do_not_overflow(tmp_path):
    most = 2**31 - 1
    rows = [(day, 0, end, rank, most) for day in (0, 1) for end in (1, 2) for rank in (1, 2, 3)]
    city = save_trips(tmp_path / "large", rows, zones=3, days=2)
    assert city.trips.all_days.trip_count.dtype.itemsize < 8
    counted = od.compute_histogram(city)
    assert counted.true_counts @ counted.cell_counts == 12 * most
    assert od.truth(city, sum_days=True).sum() == 12 * most
    ranked = od.compute_histogram(city, "person-day", 2)
    assert ranked.truncated_counts @ ranked.cell_counts == 8 * most


def test_is_made_once_for_each_key_and_each_dataset(demo):
    other = datasets.load("demo-city")
    values = [memoise(of, key, object) for of in (demo, other) for key in ("a", "b", "a")]
    assert [values.index(value) for value in values] == [0, 1, 0, 3, 4, 3]


def test_threads_that_ask_at_once_get_the_same_read_only_array(demo):
    together = Barrier(4)

    def build():
        together.wait()
        return np.zeros(3)

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(memoise, demo, "array", build) for _ in range(4)]
        first, *rest = [one.result() for one in asked]
    assert all(value is first for value in rest)
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1


def test_nothing_outlives_its_dataset():
    demo = datasets.load("demo-city")
    counted = weakref.ref(od.compute_histogram(demo, days=0))
    assert counted() is not None
    del demo
    gc.collect()
    assert counted() is None


def test_what_was_asked_for_longest_ago_goes_beyond_so_many_bytes(monkeypatch):
    demo = datasets.load("demo-city")
    monkeypatch.setattr("engine.datasets.memo.MAX_BYTES", 3 * 80)
    built = []

    def ask(name):
        memoise(demo, name, lambda: built.append(name) or np.zeros(10))

    for name in "abcadaba":
        ask(name)
    assert "".join(built) == "abcdb"
    memoise(demo, "large", lambda: np.zeros(1_000))
    ask("a")
    assert built[-1] == "a"


def test_the_size_counts_what_an_object_worked_out_of_itself():
    @dataclass
    class Kept:
        rows: np.ndarray

        @cached_property
        def more(self):
            return np.zeros(2)

    kept = Kept(np.zeros(10))
    assert size_of(kept) == 80
    assert size_of((kept, kept.more)) == 80 + 2 * 16
