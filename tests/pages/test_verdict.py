"""The verdict says what the numbers say."""

import numpy as np
import pytest

from engine.parameters import ODParameters
from pages._ui import verdict

VISITS = np.linspace(100.0, 1.0, 20)


def judge(error, correlation=0.95, exceeded=False):
    return verdict.density(
        np.broadcast_to(error, VISITS.shape),
        np.full(VISITS.shape, correlation),
        VISITS,
        epsilon=0.3,
        exceeded=exceeded,
    )


def test_accurate_density_is_good():
    found = judge(0.1)
    assert found.level == "good"
    assert "20 of 20 zones" in found.usable
    assert not found.lost


@pytest.mark.parametrize(("error", "correlation"), [(3.0, 0.95), (0.1, 0.2), (0.1, np.nan)])
def test_wrong_counts_or_lost_rhythm_are_too_noisy(error, correlation):
    found = judge(error, correlation)
    assert found.level == "noisy"
    assert not found.usable
    assert "times as many people" in found.remedy


def test_quiet_zones_are_named_by_their_visits():
    found = judge(np.where(VISITS > 50, 0.1, 2.0))
    assert found.level == "partly"
    assert "fewer than about" in found.lost
    threshold = float(found.lost.split("about ")[1].split(" ")[0])
    assert 40 < threshold < 60


def test_flagged_release_is_too_noisy_whatever_the_errors():
    assert judge(0.1, exceeded=True).level == "noisy"


def test_empty_zones_are_not_judged():
    error = np.where(VISITS > 50, 0.1, np.nan)
    assert "of 10 zones" in judge(error).usable


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("limit", [1, 4, 20])
def test_usable_flow_holds_in_draws(epsilon, limit):
    settings = ODParameters(
        epsilon=epsilon, max_trips_per_user=limit, suppression_threshold=15, unit="person-day"
    )
    flow = verdict.usable_flow(settings)
    noise = np.random.default_rng(1).laplace(0, limit / epsilon, 200_000)
    released = np.floor(flow + noise + 0.5)
    released[released < 15] = 0
    assert (np.abs(released - flow) <= verdict.USABLE_FLOW_ERROR * flow).mean() > 0.945


def test_small_flows_are_too_noisy_and_large_ones_good():
    settings = ODParameters(epsilon=0.5, max_trips_per_user=4, suppression_threshold=15)
    small = verdict.trips(np.array([1.0, 3.0]), np.array([500.0, 20.0]), settings)
    large = verdict.trips(np.array([1.0, 3000.0]), np.array([5.0, 20.0]), settings)
    assert (small.level, large.level) == ("noisy", "good")
    assert "times as many people" in small.remedy
    assert verdict.trips(np.array([]), np.array([]), settings).level == "noisy"


def test_headline_joins_the_columns():
    good, bad = judge(0.1), judge(3.0)
    level, sentence = verdict.headline([good, bad])
    assert level == "partly"
    assert sentence.startswith("Usable for density in 20 of 20 zones; not for")
    assert verdict.headline([bad])[0] == "noisy"
    assert verdict.headline([bad])[1].startswith("Too noisy to use")
    assert verdict.headline([good])[0] == "good"
