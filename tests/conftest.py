"""Fixtures shared by all tests; what they need is loaded by the process that runs them."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from engine.datasets import Dataset

hypothesis.settings.register_profile("any machine", deadline=None)  # a busy one takes its time
hypothesis.settings.load_profile("any machine")


@pytest.fixture(scope="session")
def tiny_city(tmp_path_factory: pytest.TempPathFactory) -> "Dataset":
    """Make a small dataset with density, trips, trips by person and homes; read it only."""
    from research.simulated.catalogue import CITIES
    from research.simulated.city import make_city

    tiny = replace(CITIES["demo-city"], name="tiny-city", towers=40, zones=30, people=2_000)
    folder: Path = tmp_path_factory.mktemp("datasets") / "tiny-city"
    return make_city(tiny, folder)


@pytest.fixture(scope="session")
def demo() -> "Dataset":
    """A shipped city; by its folder, for page tests have one of their own under its name."""
    from engine.datasets import load

    return load(Path(__file__).parents[1] / "data" / "demo-city")


@pytest.fixture(scope="module")
def year() -> "Dataset":
    """The shipped year of daily trips."""
    from engine.datasets import load

    return load("afghanistan-2020")


@pytest.fixture(scope="session", autouse=True)
def packages_looked_through_once() -> Iterator[None]:
    """Keep which packages bring components: Streamlit reads all for each page that a test opens."""
    from streamlit.components.v2 import manifest_scanner

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            manifest_scanner,
            "scan_component_manifests",
            cache(manifest_scanner.scan_component_manifests),
        )
        yield
