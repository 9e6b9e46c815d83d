"""The verdict says what the numbers say."""

from dataclasses import replace

import numpy as np
import pytest

from engine import density, metrics
from engine.parameters import DensityParameters, ODParameters
from pages._ui.wording import verdict

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
    assert "at least about" in found.remedy
    assert "times as many people" in found.remedy


def test_quiet_zones_are_named_by_their_visits():
    found = judge(np.where(VISITS > 50, 0.1, 2.0))
    assert found.level == "partly"
    assert "fewer than about" in found.lost
    threshold = float(found.lost.split("about ")[1].split(" ")[0])
    assert 40 < threshold < 60
    assert found.remedy == verdict.QUIETER


def test_flagged_release_is_too_noisy_whatever_the_errors():
    found = judge(0.1, exceeded=True)
    assert found.level == "noisy"
    assert not any(letter.isdigit() for letter in found.remedy)  # nothing was measured


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_what_is_promised_of_a_larger_epsilon_is_no_more_than_it_gives(tiny_city, epsilon):
    """The median zone is not usable before the ε that the remedy calls the least."""
    truth = density.truth(tiny_city)

    def found(at):
        settings = DensityParameters(epsilon=at, variant="lpa")
        release = density.release(tiny_city, settings, rng=np.random.default_rng(4))
        error = metrics.mean_relative_error(truth, release.counts)
        correlation = metrics.pearson(truth, release.counts)
        told = verdict.density(error, correlation, truth.mean(axis=1), epsilon=at, exceeded=False)
        return told, float(np.nanmedian(error))

    told, error = found(epsilon)
    assert told.level == "noisy"
    least = float(told.remedy.split("ε near ")[1].split(" ")[0].replace(",", ""))
    assert least > epsilon
    assert found(0.8 * least)[1] > verdict.USABLE_ERROR
    assert error > verdict.USABLE_ERROR


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
    few, many, none = np.array([1.0, 3.0]), np.array([1.0, 3000.0]), np.array([])
    small = verdict.trips(few, few, np.array([500.0, 20.0]), settings)
    large = verdict.trips(many, many, np.array([5.0, 20.0]), settings)
    assert (small.level, large.level) == ("noisy", "good")
    assert "a smaller τ does" in small.remedy  # no ε shows a flow of 3 trips at τ = 15
    assert verdict.trips(none, none, none, settings).level == "noisy"


@pytest.mark.parametrize(("epsilon", "limit"), [(0.3, 1), (1.0, 4), (2.0, 20)])
def test_usable_flows_hold_in_draws_whatever_trimming_drops(epsilon, limit):
    settings = ODParameters(
        epsilon=epsilon, max_trips_per_user=limit, suppression_threshold=15, unit="person-day"
    )
    rng = np.random.default_rng(2)
    true = verdict.usable_flow(settings) + rng.integers(-10, 60, 60)
    kept = np.floor(true * rng.uniform(0.7, 1.0, 60))
    noise = np.random.default_rng(1).laplace(0, limit / epsilon, (60, 20_000))
    released = np.floor(kept[:, None] + noise + 0.5)
    released[released < 15] = 0
    off = np.abs(released - true[:, None])
    held = ((off <= verdict.USABLE_FLOW_ERROR * true[:, None]) & (released > 0)).mean(axis=1)
    usable = verdict.usable_flows(kept, true.astype(float), settings)
    assert (held[usable] > 0.945).all()
    assert (held[~usable & (true >= verdict.usable_flow(settings))] < 0.955).all()
    assert usable.any()
    assert not usable.all()


def test_no_flow_is_usable_of_which_trimming_drops_half():
    settings = ODParameters(epsilon=1.0, max_trips_per_user=1, suppression_threshold=15)
    true, counts = np.array([40.0, 4000.0]), np.array([10.0, 10.0])
    whole = verdict.trips(true, true, counts, settings)
    halved = verdict.trips(true / 2, true, counts, settings)
    assert (whole.level, halved.level) == ("good", "noisy")
    assert verdict.usable_share(true / 2, true, counts, settings) == 0
    assert "of any size" in halved.lost
    assert "Trimming to T = 1 drops 50.0% of trips" in halved.remedy
    assert "people" not in halved.remedy.split("Trimming")[0]
    assert not whole.remedy


def test_the_size_named_is_the_one_from_which_nearly_all_flows_are_usable():
    settings = ODParameters(epsilon=1.0, max_trips_per_user=1, suppression_threshold=15)
    true = np.array([50.0, 100.0, 200.0, 400.0])
    kept = np.array([25.0, 50.0, 190.0, 390.0])
    found = verdict.trips(kept, true, np.array([1.0, 2.0, 3.0, 4.0]), settings)
    assert found.usable == "flows of 200 trips or more (89.8% of all trips)"
    assert found.lost == "flows below 200"


def test_headline_joins_the_columns():
    good, bad = judge(0.1), judge(3.0)
    level, sentence = verdict.headline([good, bad])
    assert level == "partly"
    assert sentence.startswith("Usable for density in 20 of 20 zones; not for")
    assert verdict.headline([bad])[0] == "noisy"
    assert verdict.headline([bad])[1].startswith("Too noisy to use")
    assert verdict.headline([good])[0] == "good"


def told_epsilon(remedy):
    return float(remedy.split("ε near ")[1].split(",")[0])


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0])
def test_the_epsilon_named_for_half_of_all_trips_reaches_it_and_the_stop_before_does_not(epsilon):
    settings = ODParameters(epsilon=epsilon, max_trips_per_user=4, suppression_threshold=15)
    true, counts = np.geomspace(1, 3000, 40).round(), np.full(40, 3.0)
    kept = np.floor(0.9 * true)
    found = verdict.trips(kept, true, counts, settings)
    if verdict.usable_share(kept, true, counts, settings) >= 0.5:
        assert "half" not in found.remedy
        return
    enough = told_epsilon(found.remedy)
    stops = [stop for stop in verdict._EPSILONS if stop < enough]
    for at, reached in ((enough, True), (stops[-1], False)):
        changed = replace(settings, epsilon=at)
        assert (verdict.usable_share(kept, true, counts, changed) >= 0.5) == reached


def test_where_no_epsilon_helps_the_cause_is_named():
    settings = ODParameters(epsilon=1.0, max_trips_per_user=2, suppression_threshold=50)
    true, counts = np.array([20.0, 300.0]), np.array([60.0, 2.0])
    hidden = verdict.trips(true, true, counts, settings).remedy
    assert "flows below τ = 50: no ε shows those" in hidden
    trimmed = verdict.trips(np.array([150.0]), np.array([300.0]), np.array([60.0]), settings).remedy
    assert "With T = 2 no ε makes half of all trips usable." in trimmed
    assert "drops 50.0% of trips" in trimmed


def test_zones_without_visits_are_counted_apart_and_needs_are_told():
    visits = np.array([100.0, 50.0, 0.0, 0.0])
    error = np.array([0.1, 0.1, np.nan, np.nan])
    found = verdict.density(error, np.full(4, 0.9), visits, epsilon=1.0, exceeded=False)
    assert found.usable == "density in 2 of 2 zones (2 more have no visits)"
    lost = verdict.density(
        error, np.full(4, 0.9), visits, epsilon=1.0, exceeded=True, needed="It would take 9 people."
    )
    assert lost.remedy == "It would take 9 people."
    other = verdict.trips(*(np.array([]),) * 3, ODParameters(epsilon=1.0))
    assert verdict.headline([found, lost, other])[1].endswith(
        "not for density, where the noise exceeds the data nor for flows, of which the data have "
        "none."
    )


def test_no_threshold_is_blamed_where_there_is_none_and_no_useless_epsilon_is_named():
    settings = ODParameters(epsilon=1.0, max_trips_per_user=256, suppression_threshold=0)
    ones, counts = np.ones(1), np.array([100.0])
    told = verdict.trips(ones, ones, counts, settings).remedy
    assert "τ" not in told
    assert "No ε up to 10 makes half of all trips usable" in told
