"""Fixtures shared by all tests."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.datasets import Dataset
from engine.synthetic.catalogue import DEMO_CITY
from engine.synthetic.city import CitySpec, make_city

TINY_CITY = replace(DEMO_CITY, name="tiny-city", towers=40, zones=30, people=2_000)


@pytest.fixture(scope="session")
def tiny_city_spec() -> CitySpec:
    return TINY_CITY


@pytest.fixture(scope="session")
def tiny_city(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Make a small dataset with density, trips, trips by person and homes; read it only."""
    folder: Path = tmp_path_factory.mktemp("datasets") / "tiny-city"
    return make_city(TINY_CITY, folder, lambda _: None)
