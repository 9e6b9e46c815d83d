"""What lies in ``data/``: complete, small, undamaged, calibrated, without people."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from engine import datasets, origin_destination as od
from engine.resolution import make_view
from research.simulated.__main__ import SHIPPED, make

PROJECT = Path(__file__).parents[3]
DATA = PROJECT / "data"


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    monkeypatch.delenv("MOBILITY_DATA", raising=False)


def test_every_shipped_dataset_is_simulated_without_a_column_about_one_person():
    for name in SHIPPED:
        described = datasets.load(name).metadata
        assert described.simulated
        assert described.name == name
        assert described.people_public is not None
        assert described.made_by == f"python -m research.simulated {name}"
    known = {"zone_id", "location_id", "name", "geometry", "hour", "rank", "date"}
    known |= {"origin", "destination", "n", "measure", "cap", "bin"}
    known |= {"district", "clip_squared", "district_id", "province", "province_id"}
    for path in DATA.glob("*/*/*.parquet"):
        assert set(pq.read_schema(path).names) <= known


def test_trips_of_sectors_between_districts_are_those_of_the_districts():
    sectors, districts = (datasets.load(f"rwanda-{zones}") for zones in ("sectors", "districts"))
    np.testing.assert_array_equal(od.truth(make_view(sectors, "district")), od.truth(districts))


def test_tables_of_a_city_fit_each_other():
    city = datasets.load("demo-city")
    people, truth = city.metadata.people_public, city.truth_by_tower
    assert city.single_visit_by_tower.sum() == city.homes.sum() == people
    assert city.presampled_by_tower(1).sum() == people
    assert np.all(city.presampled_by_tower(168).sum(axis=0) <= truth.sum(axis=0))
    assert (
        city.trips.all_days.trip_count.sum()
        == city.trips_by_person.all_days.trip_count.sum()
        > people
    )
    assert truth.sum(axis=0).reshape(7, 24).sum(axis=0).argmin() == 4


@pytest.mark.long
@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_has_the_marginals_of_what_is_made_again(name, tmp_path):
    shipped, again = datasets.load(DATA / name), make(name, root=tmp_path)
    assert again.zones["zone_id"].tolist() == shipped.zones["zone_id"].tolist()
    known, made = (one.metadata.scenario["marginals"] for one in (shipped, again))
    assert made.keys() == known.keys()
    for key, value in known.items():
        assert made[key] == pytest.approx(value, rel=0.01), key
    if shipped.has_trips:
        assert again.trips.all_days.trip_count.sum() == pytest.approx(
            shipped.trips.all_days.trip_count.sum(), rel=0.01
        )
    if shipped.has_density:
        assert again.truth_by_tower.sum() == pytest.approx(shipped.truth_by_tower.sum(), rel=0.01)
