"""A judgement says what its words say: shares, sizes and factors are counted another way here."""

from dataclasses import replace

import numpy as np
import pytest

from engine import density, usability
from engine.density import DensityScores
from engine.origin_destination.matrices import histogram_of_matrix
from engine.parameters import ODParameters
from engine.usability import Flows

VISITS = np.linspace(100.0, 1.0, 20)
SETTINGS = [
    ODParameters(epsilon=epsilon, max_trips_per_user=limit, suppression_threshold=threshold)
    for epsilon, limit, threshold in [(0.3, 1, 15), (1.0, 4, 0), (2.0, 20, 15), (4.0, 4, 0)]
]


def scores(error, correlation=0.95, exceeded=False):
    return DensityScores(
        error=np.broadcast_to(np.asarray(error, dtype=float), VISITS.shape),
        correlation=np.full(VISITS.shape, correlation),
        total_error=0.0,
        exceeded=exceeded,
    )


def judge(*arguments, **options):
    return usability.judge_density(scores(*arguments, **options), VISITS)


def test_zones_are_judged_by_error_and_rhythm():
    assert (judge(0.1).level, judge(0.1).usable_zones) == ("good", 20)
    for error, correlation in [(3.0, 0.95), (0.1, 0.2), (0.1, np.nan), (0.3001, 0.95)]:
        judgement = judge(error, correlation)
        assert (judgement.level, judgement.usable_zones) == ("noisy", 0)
    assert judge(0.3, 0.8).usable_zones == 20


def test_quiet_zones_are_told_by_their_visits_where_that_describes_them():
    judgement = judge(np.where(VISITS > 50, 0.1, 2.0))
    assert (judgement.level, judgement.usable_zones) == ("partly", int((VISITS > 50).sum()))
    assert 40 < judgement.busy_limit < 60
    assert judge(np.where(np.arange(20) % 2, 0.1, 2.0)).busy_limit is None
    assert judge(0.1).busy_limit is None


def test_a_release_of_zeros_has_no_usable_zone_whatever_its_errors():
    judgement = judge(0.1, exceeded=True)
    assert (judgement.level, judgement.usable_zones, judgement.exceeded) == ("noisy", 0, True)
    assert np.isnan(scores(0.1, exceeded=True).mean_error)


def test_zones_without_visits_are_counted_apart():
    judgement = usability.judge_density(
        scores(np.where(VISITS > 50, 0.1, np.nan)), np.where(VISITS > 50, VISITS, 0.0)
    )
    assert (judgement.zones, judgement.usable_zones, judgement.empty_zones) == (10, 10, 10)


def random_flows(seed, size=400):
    """Return a matrix of trips, what trimming left of it, and its distinct flows."""
    rng = np.random.default_rng(seed)
    side = int(size**0.5)
    true = np.floor(rng.pareto(0.9, (side, side)) * 5).astype(np.int64)
    np.fill_diagonal(true, 0)
    kept = rng.binomial(true, 0.93)
    return true, kept, Flows.of(histogram_of_matrix(true, kept))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_shares_are_those_of_the_flows_that_the_words_name(settings, seed):
    """Counted cell by cell on the matrix, from the law of each cell summed by hand."""
    true, kept, flows = random_flows(seed)
    judgement = usability.judge_trips(flows, settings)
    usable = np.array(
        [is_usable(m, t, settings) for m, t in zip(kept.flat, true.flat, strict=True)]
    ).reshape(true.shape)
    trips = true.sum()
    assert judgement.usable_share == pytest.approx(true[usable].sum() / trips)
    assert judgement.trimmed_share == pytest.approx((true - kept).sum() / trips)
    size = judgement.smallest_flow
    if size is None:
        assert judgement.share_from_smallest == 0
        assert judgement.usable_below_smallest == judgement.usable_share
        return
    large = true >= size
    assert judgement.share_from_smallest == pytest.approx(true[large].sum() / trips)
    assert judgement.usable_below_smallest == pytest.approx(true[usable & ~large].sum() / trips)
    assert usable[large].mean() >= usability.NEARLY_ALL
    assert true[usable & large].sum() >= usability.NEARLY_ALL * true[large].sum()
    smaller = np.unique(true[(true < size) & (true > 0)])
    if len(smaller):  # one size less and it would not hold
        more = true >= smaller[-1]
        assert (
            usable[more].mean() < usability.NEARLY_ALL
            or true[usable & more].sum() < usability.NEARLY_ALL * true[more].sum()
        )


def is_usable(kept, true, settings):
    """Sum the probabilities of the noise, difference by difference."""
    if not true:
        return False
    scale = settings.noise_scale
    reach = int(40 * scale) + 2
    noise = np.arange(-reach, reach + 1)

    def below(x):  # distribution function of Laplace noise
        return np.where(x < 0, 0.5 * np.exp(x / scale), 1 - 0.5 * np.exp(-x / scale))

    mass = below(noise + 0.5) - below(noise - 0.5)
    out = kept + noise
    out = np.where(out >= max(settings.suppression_threshold, 1), out, 0)
    good = (np.abs(out - true) <= 0.25 * true) & (out > 0)
    return mass[good].sum() >= 0.95 - 1e-9


def least_usable(settings):
    sizes = np.arange(1.0, 2000.0)
    return int(sizes[usability.usable_flows(sizes, sizes, settings)][0])


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_usable_flows_hold_in_draws_and_others_do_not(settings):
    rng = np.random.default_rng(2)
    true = least_usable(settings) + rng.integers(-10, 60, 60)
    true = np.maximum(true, 1)
    kept = np.floor(true * rng.uniform(0.7, 1.0, 60))
    noise = np.random.default_rng(1).laplace(0, settings.noise_scale, (60, 20_000))
    released = np.floor(kept[:, None] + noise + 0.5)
    released[released < settings.suppression_threshold] = 0
    off = np.abs(released - true[:, None])
    held = ((off <= 0.25 * true[:, None]) & (released > 0)).mean(axis=1)
    usable = usability.usable_flows(kept, true.astype(float), settings)
    assert (held[usable] > 0.945).all()
    assert (held[~usable] < 0.955).all()
    assert usable.any()
    assert not usable.all()


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_smallest_usable_flow_is_the_least_from_which_all_are(settings):
    least = least_usable(settings)
    sizes = np.arange(1.0, 4 * least + 200)
    usable = usability.usable_flows(sizes, sizes, settings)
    assert usable[least - 1 :].all()
    assert not usable[: least - 1].any()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0])
def test_the_epsilon_for_half_of_all_trips_reaches_it_and_the_stop_before_does_not(epsilon, seed):
    settings = ODParameters(epsilon=epsilon, max_trips_per_user=4, suppression_threshold=15)
    _, _, flows = random_flows(seed)
    half = usability.judge_trips(flows, settings).for_half
    if half is None:
        assert usability.usable_share(flows, settings) >= 0.5
        return
    stops = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50]
    before = [stop for stop in stops if epsilon <= stop < half.epsilon]
    for at, reached in [(half.epsilon, True), *((stop, False) for stop in before)]:
        assert (usability.usable_share(flows, replace(settings, epsilon=at)) >= 0.5) == reached


@pytest.mark.parametrize("threshold", [0, 15])
@pytest.mark.parametrize("epsilon", [0.05, 0.3])
def test_so_many_times_as_many_people_are_enough_and_a_little_fewer_are_not(epsilon, threshold):
    """On a matrix of that many times as many trips: suppression does not scale with people."""
    settings = ODParameters(epsilon=epsilon, suppression_threshold=threshold, unit="trip")
    true = np.random.default_rng(1).geometric(0.05, (20, 20))
    np.fill_diagonal(true, 0)
    flows = Flows.of(histogram_of_matrix(true))
    half = usability.judge_trips(flows, settings).for_half
    assert half is not None

    def share(factor):
        grown = np.rint(factor * true).astype(np.int64)
        usable = np.array([is_usable(t, t, settings) for t in np.unique(grown)])
        good = usable[np.searchsorted(np.unique(grown), grown)]
        return grown[good].sum() / grown.sum()

    assert share(half.people) >= 0.5 - 0.01
    assert share(0.9 * half.people) < 0.5


def test_the_threshold_is_blamed_only_where_it_hides_half_of_all_trips():
    hidden = Flows(*np.array([[20.0, 300.0], [20.0, 300.0], [60.0, 2.0]]))
    settings = ODParameters(epsilon=1.0, max_trips_per_user=2, suppression_threshold=50)
    half = usability.judge_trips(hidden, settings).for_half
    assert half.epsilon is None
    assert half.below_threshold
    assert half.people > 2.5  # flows of 20 must grow beyond τ
    trimmed = Flows(np.array([150.0]), np.array([300.0]), np.array([60.0]))
    half = usability.judge_trips(trimmed, settings).for_half
    assert (half.epsilon, half.people, half.below_threshold) == (None, None, False)


def test_no_trips_are_not_judged():
    none = Flows(*(np.array([]),) * 3)
    judgement = usability.judge_trips(none, SETTINGS[0])
    assert (judgement.level, judgement.trips) == ("noisy", 0)
    assert np.isnan(usability.usable_share(none, SETTINGS[0]))


def test_scores_of_a_release_are_its_metrics(tiny_city):
    settings = density.DensityParameters(epsilon=1.0)
    release = density.release(tiny_city, settings, rng=np.random.default_rng(0))
    truth = density.truth(tiny_city)
    scored = density.scores(truth, release)
    some = truth.sum(axis=1) > 0
    floor = np.maximum(truth, 0.001 * truth.sum(axis=1, keepdims=True))[some]
    wanted = (np.abs(release.counts - truth)[some] / floor).mean()
    assert scored.mean_error == pytest.approx(wanted)
    assert not scored.exceeded


def of_sizes(sizes, cells, usable):
    """Return the judgement of drawn flows: so many of each size, usable or not."""
    flows = [size for size, count in zip(sizes, cells, strict=True) for _ in range(count)]
    near = [good for good, count in zip(usable, cells, strict=True) for _ in range(count)]
    side = int(np.ceil(np.sqrt(len(flows)))) + 1
    true, shares = np.zeros((side, side), dtype=np.int64), np.zeros((side, side))
    places = np.flatnonzero(~np.eye(side, dtype=bool))[: len(flows)]
    true.flat[places], shares.flat[places] = flows, near
    return usability.judge_drawn_trips(true, shares)


def test_nearly_all_is_nearly_all_by_number_and_by_trips():
    # 95 of 96 flows from 20 on, but 1,900 of 2,900 trips
    by_number_only = of_sizes([20, 1000], [95, 1], [1.0, 0.0])
    assert by_number_only.smallest_flow is None
    # 1,000 of 1,040 trips from 20 on, but 1 of 3 flows: the largest is by itself
    by_trips_only = of_sizes([20, 1000], [2, 1], [0.0, 1.0])
    assert by_trips_only.smallest_flow == 1000
    assert of_sizes([20, 100], [95, 1], [1.0, 0.0]).smallest_flow == 20
