"""Loading, checking and saving cached aggregates."""

from dataclasses import replace
from datetime import date

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pytest
import shapely

from engine import datasets
from engine.errors import DatasetError, ParameterError

METADATA = datasets.Metadata(
    name="Two squares",
    description="Two towers, two zones",
    source="made up",
    licence="MIT",
    simulated=True,
    first_day=date(2024, 1, 1),
    last_day=date(2024, 1, 3),
    time_zone="UTC",
    week=date(2024, 1, 1),
    people_public=3,
    max_visits_cap=840,
    salt_id="none",
    made_by="test",
    scenario={"epidemic_origins": {"largest": "a"}},
)
ZONES = gpd.GeoDataFrame(
    {"zone_id": ["a", "b"], "name": ["A", "B"]},
    geometry=[shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)],
    crs=4326,
)
TOWERS = gpd.GeoDataFrame(
    {"location_id": ["s", "t"], "name": ["S", "T"]},
    geometry=[shapely.Point(0.5, 0.5), shapely.Point(1.5, 0.5)],
    crs=4326,
)
TABLES = {
    "truth": pa.table({"location_id": ["t", "s"], "hour": [167, 0], "n": [5, 7]}),
    "presampled": pa.table(
        {
            "location_id": ["t", "s", "s", "s"],
            "hour": [167, 0, 0, 5],
            "rank": [1, 2, 1, 168],
            "n": [4, 2, 3, 1],
        }
    ),
    "single_visit": pa.table({"location_id": ["t"], "n": [3]}),
    "homes": pa.table({"zone_id": ["b"], "n": [3]}),
    "trips": pa.table(
        {
            "date": pa.array([date(2024, 1, 3), date(2024, 1, 1)], pa.date32()),
            "origin": ["a", "b"],
            "destination": ["b", "a"],
            "rank": [1, datasets.RANK_BUCKET],
            "n": [2, 1],
        }
    ),
}


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def squares(root):
    return datasets.save(root / "squares", METADATA, zones=ZONES, towers=TOWERS, tables=TABLES)


def test_what_is_saved_is_loaded(squares):
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
    assert not loaded.has_trips_by_person
    assert loaded.size_bytes > 0


def test_presampling_sums_ranks(squares):
    assert squares.presampled_by_tower(1)[0, 0] == 3
    assert squares.presampled_by_tower(2)[0, 0] == 5
    assert squares.presampled_by_tower(167)[0, 5] == 0
    assert squares.presampled_by_tower(168)[0, 5] == 1
    with pytest.raises(ParameterError, match="from 1 to 168"):
        squares.presampled_by_tower(0)


def test_cached_arrays_cannot_be_written(squares):
    for array in (squares.truth_by_tower, squares.single_visit_by_tower, squares.trips.whole.n):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_order_of_rows_does_not_matter(root, squares):
    shuffled = {name: table.take(list(range(len(table)))[::-1]) for name, table in TABLES.items()}
    other = datasets.save(root / "other", METADATA, zones=ZONES, towers=TOWERS, tables=shuffled)
    assert other.folder.name == squares.folder.name


def test_unknown_names_list_the_known_ones(squares):
    with pytest.raises(DatasetError, match="no dataset 'paris'; known are squares"):
        datasets.load("paris")


def test_a_path_and_a_local_folder_work(root, squares):
    assert datasets.load(root / "squares").metadata == METADATA
    datasets.save(root / "local" / "mine", METADATA, zones=ZONES, tables={})
    assert list(datasets.available()) == ["squares", "mine"]
    assert datasets.load("mine").metadata == METADATA


def test_a_missing_part_is_refused(root):
    bare = datasets.save(root / "bare", METADATA, zones=ZONES, tables={"trips": TABLES["trips"]})
    assert not bare.has_density
    with pytest.raises(DatasetError, match="'bare' has no density data"):
        _ = bare.truth_by_tower
    with pytest.raises(DatasetError, match=r"no trip data \(trips_person\.parquet\)"):
        _ = bare.trips_by_person


def test_a_truncated_file_is_refused_at_load(squares):
    path = squares.folder / "truth.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DatasetError, match=r"truth\.parquet does not fit its checksum"):
        datasets.load("squares")


def test_rows_of_unknown_towers_are_refused(root):
    tables = {**TABLES, "single_visit": pa.table({"location_id": ["nowhere"], "n": [1]})}
    broken = datasets.save(root / "broken", METADATA, zones=ZONES, towers=TOWERS, tables=tables)
    with pytest.raises(DatasetError, match="1 rows name a tower"):
        _ = broken.single_visit_by_tower


def test_a_newer_format_is_refused():
    document = replace(METADATA, format_version=4).to_json()
    with pytest.raises(DatasetError, match=r"format version 4, .* reads 3; .*update"):
        datasets.Metadata.from_json(document, "squares")
    with pytest.raises(DatasetError, match="not as expected"):
        datasets.Metadata.from_json({"format_version": 3}, "squares")
