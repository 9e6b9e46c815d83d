"""The generators of what is shipped: places, marginals, and the same contents for the same seed."""

from dataclasses import replace

import numpy as np
import pytest

from engine.datasets import Dataset
from research.simulated.catalogue import RWANDA_2008
from research.simulated.country import make_country

SMALL = replace(
    RWANDA_2008,
    people=20_000,
    plan=replace(
        RWANDA_2008.plan,
        coarse_per_province=dict.fromkeys(RWANDA_2008.plan.coarse_per_province or {}, 2),
        fine=40,
    ),
    shock=replace(RWANDA_2008.shock, zone_id="RWA-3492-02") if RWANDA_2008.shock else None,
    outflow_shares={},
    bustle_factors={},
    mid_size_zone_id="RWA-3494-01",
)


@pytest.fixture(scope="module")
def coarse(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return make_country(SMALL, "coarse", tmp_path_factory.mktemp("a") / "coarse")


@pytest.fixture(scope="module")
def fine(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return make_country(SMALL, "fine", tmp_path_factory.mktemp("b") / "fine")


def matrices(dataset: Dataset) -> np.ndarray:
    zones = len(dataset.zones)
    total = np.zeros((len(dataset.metadata.days), zones, zones), dtype=np.int64)
    for day, matrix in enumerate(total):
        rows = dataset.trips.day(day)
        np.add.at(matrix, (rows.origin, rows.destination), rows.n)
    return total


def test_fine_trips_across_coarse_zones_are_the_coarse_trips(
    coarse: Dataset, fine: Dataset
) -> None:
    ids = list(coarse.zones["zone_id"])
    owner = np.array([ids.index(zone[: len(ids[0])]) for zone in fine.zones["zone_id"]])
    member = np.eye(len(ids), dtype=np.int64)[owner]
    summed = member.T @ matrices(fine) @ member
    summed[:, np.arange(len(ids)), np.arange(len(ids))] = 0
    np.testing.assert_array_equal(summed, matrices(coarse))


def test_tables_of_a_city_fit_each_other(tiny_city: Dataset) -> None:
    people, truth = tiny_city.metadata.people_public, tiny_city.truth_by_tower
    presampled = tiny_city.presampled_by_tower(168)
    assert tiny_city.single_visit_by_tower.sum() == people
    assert tiny_city.homes is not None
    assert tiny_city.homes.sum() == people == tiny_city.presampled_by_tower(1).sum()
    assert np.all(presampled.sum(axis=0) <= truth.sum(axis=0))
    assert tiny_city.trips.whole.n.sum() == tiny_city.trips_by_person.whole.n.sum() > people
    clock = truth.sum(axis=0).reshape(7, 24).sum(axis=0)
    assert clock.argmin() == 4
