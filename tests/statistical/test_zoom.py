"""The noise of `multiscale` has μ and no other, also for people of few visits."""

import math
from datetime import timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import optimize

from engine import density
from engine.datasets import Dataset
from engine.datasets.multiscale_tables import WEIGHT_UNITS
from engine.density import DensityParameters
from engine.density.gaussian import gdp_epsilon, gdp_mu
from engine.density.multiscale import measure_tables
from engine.ingest import IngestOptions, ingest
from tests.reference.density_reference import gaussian_delta
from tests.reference.small_city import multiscale_city
from tests.support.ingests import MONDAY, write_csv

EPSILON, DELTA = 1.0, 0.01
TABLES = ("towers", "districts", "city", "tower_totals")


MU = optimize.brentq(lambda mu: gaussian_delta(EPSILON, mu) - DELTA, 1e-3, 50, xtol=1e-14)


COARSE, MIDDLE = (0, 0, 0.2, 0.8), (0.2, 0.2, 0.12, 0.48)
TOTALS, MANY = (0.084, 0.076, 0.12, 0.72), (0.32, 0.29, 0.11, 0.28)
SHARES = {
    **{(False, 5): COARSE, (False, 50): MIDDLE, (False, 500): MANY, (False, 10_000): MANY},
    **{(True, 5): COARSE, (True, 50): TOTALS, (True, 500): MIDDLE, (True, 10_000): MIDDLE},
}
"""By whether visits are few and the noisy visits a tower, over c/μ: docs/density.md."""


CAP, MEAN = 4, 1.75


@pytest.fixture(scope="module")
def riders(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """A week of people with at most two visits, as is said of them; each station is a zone."""
    folder, rng, people = tmp_path_factory.mktemp("riders"), np.random.default_rng(0), 300
    visits = {
        "uid": np.repeat(np.arange(people), 2),
        "datetime": 1_441_584_000 + 3_600 * rng.integers(0, 168, 2 * people),  # of this Monday
        "location_id": [f"s{station}" for station in rng.integers(0, 5, 2 * people)],
    }
    pq.write_table(pa.table(visits), folder / "visits.parquet")
    places = [(f"s{i}", 48.85 + i % 2 / 100, 2.35 + i / 100) for i in range(5)]
    asked = IngestOptions(
        kind="visits",
        inputs=(str(folder / "visits.parquet"),),
        locations=write_csv(folder / "places.csv", ("location_id", "lat", "lng"), places),
        out=folder / "riders",
        time_zone="UTC",
        first_day=MONDAY,
        last_day=MONDAY + timedelta(days=6),
        parts=("density",),
        max_visits_cap=CAP,
        mean_visits_public=MEAN,
        salt="riders",
    )
    return ingest(asked)[0]


@pytest.mark.parametrize(("few", "ratio"), SHARES)
def test_noise_has_the_scale_written_out_from_the_specification(
    riders: Dataset, few: bool, ratio: int
) -> None:
    """Without noise, where the visits that are found are those of `ratio`."""
    city = riders if few else multiscale_city(people=60, towers=5)
    tables = city.multiscale_tables
    # c² = 1.75 and K_max = 4: the sum takes 16 of 64 parts at most
    share, squared = (16 / 64, MEAN) if few else (63 / 64, 10.0)
    found, drawn = ratio * 5 * math.sqrt(squared) / MU, dict[str, float]()

    def add(name: str, counts: np.ndarray, sigma: float) -> np.ndarray:
        drawn[name] = sigma
        return np.array([found]) if name == "visit_total" else counts

    noisy = measure_tables(tables, gdp_mu(EPSILON, DELTA), add)
    shares = dict(zip(TABLES, SHARES[few, ratio], strict=True))
    bearable = (0.02 * found / 168 * MU) ** 2 * shares["city"]
    clips = np.array((10.0, 20.25, 36.0, 64.0, 121.0, 225.0, 841.0)) * squared / 10
    row = max(int((clips <= bearable).sum()) - 1, 0)
    expected = {"visit_total": tables.max_visits_cap / (MU * math.sqrt(share))}
    for name, part in shares.items():
        if not part:
            assert getattr(noisy, name) is None
            continue
        counts, clip = getattr(tables, name), squared
        counts, clip = (counts[row], clips[row]) if name == "city" else (counts, clip)
        assert (getattr(noisy, name).values == counts / WEIGHT_UNITS).all()
        expected[name] = WEIGHT_UNITS * math.sqrt(clip / part) / MU
    assert drawn == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 10.0, 1e6])
@pytest.mark.parametrize("delta", [1e-9, 1e-2])
def test_mu_and_epsilon_are_each_others_inverse(epsilon: float, delta: float) -> None:
    back = gdp_epsilon(gdp_mu(epsilon, delta), delta)
    assert back == pytest.approx(epsilon, rel=1e-6, abs=1e-9)


def test_a_plan_states_the_clips_of_what_is_said_of_visits(riders):
    ours = DensityParameters(epsilon=1.0, method="multiscale")
    released = density.release(riders, ours, rng=np.random.default_rng(0)).cost
    assert density.compute_cost(riders, ours) == released
    clips = [stage.sensitivity for stage in released.stages]
    assert clips[:2] + clips[3:] == [MEAN**0.5] * 3 + [CAP]
