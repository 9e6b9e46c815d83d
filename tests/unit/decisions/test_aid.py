"""Aid after a shock: the check figures, causes, verdicts, ε from a decision, bad input."""

import numpy as np
import pytest
from scipy import stats

from engine import datasets, decisions, origin_destination as od
from engine.decisions.decision_evaluation import meets_aid_target, meets_epidemic_target
from engine.errors import DatasetError, ParameterError
from engine.origin_destination.noise_distribution import bias_and_variance

EPSILONS = (0.1, 0.2, 0.5, 1.0)


def leaving(name, settings):
    dataset = datasets.load(name)
    return decisions.count_outflow(dataset, decisions.load_shock(dataset), settings)


def trip(epsilon):
    return od.ODParameters(epsilon=epsilon, unit="trip", suppression_threshold=15)


def person_day(epsilon, max_trips):
    return od.ODParameters(epsilon=epsilon, max_trips_per_user=max_trips)


def drawn(name, settings, draws, k=3, seed=0):
    dataset = datasets.load(name)
    shock, rng = decisions.load_shock(dataset), np.random.default_rng(seed)
    return decisions.simulate_private_aid(dataset, shock, [settings], draws, k, rng=rng)


@pytest.mark.parametrize(
    ("name", "settings", "expected", "deviation"),
    [
        ("afghanistan-provinces", trip(0.1), 50_247.4753, 168.516),
        ("afghanistan-provinces", trip(0.5), 49_668.9621, 36.396),
        ("afghanistan-provinces", trip(1.0), 49_661.8196, 21.901),
        ("afghanistan-provinces", person_day(0.1, 6), 53_229.1284, 903.282),
        ("rwanda-districts", trip(0.1), 32_814.2882, 156.887),
        ("rwanda-districts", person_day(0.1, 14), 43_844.0579, 1_891.357),
    ],
)
def test_check_figures_of_totals(name, settings, expected, deviation):
    flows, threshold = leaving(name, settings), settings.suppression_threshold
    totals = decisions.compute_shock_totals(flows, settings)
    assert totals.expected_total.sum() == pytest.approx(expected, abs=5e-5)
    law = od.NoiseDistribution(1 / settings.noise_scale)
    variance = bias_and_variance(law, flows.truncated_trips, threshold)[1].sum()
    assert np.sqrt(variance) == pytest.approx(deviation, abs=5e-4)


@pytest.mark.parametrize("settings", [trip(0.1), person_day(0.5, 3)])
def test_causes_add_up_to_the_bias_and_the_area_keeps_its_own_trips(settings):
    flows = leaving("afghanistan-districts", settings)
    totals = decisions.compute_shock_totals(flows, settings)
    causes = totals.causes
    bias = totals.expected_total - flows.true_trips.sum(axis=(1, 2))
    np.testing.assert_allclose(sum(causes.values()), bias, atol=1e-6)
    assert (causes["trimming"] <= 0).all()
    assert (causes["suppression"] < 0).all()
    assert (causes["phantoms"] > 0).all()
    assert flows.true_trips.shape == (7, 13, 408)
    assert flows.internal_trips.sum() == 36_790


@pytest.mark.parametrize("threshold", [0, 1, 5])
def test_a_count_at_the_threshold_is_not_suppressed(threshold):
    """Causes cell by cell, from the law of the noise summed by hand; one flow is trimmed away."""
    settings = od.ODParameters(epsilon=1.0, unit="trip", suppression_threshold=threshold)
    kept = np.array([0, 1, 4, 5, 6, 40, 0])
    true = np.array([0, 1, 4, 5, 6, 40, 3])
    flows = decisions.Outflow(
        true_trips=true[None, None].astype(float),
        truncated_trips=kept[None, None].astype(float),
        destinations=np.arange(1, 8),
        internal_trips=np.zeros(1),
    )
    causes = decisions.compute_shock_totals(flows, settings).causes
    least = max(threshold, 1)
    z = np.arange(-200, 201)
    pmf = np.where(z == 0, 1 - np.exp(-0.5), np.sinh(0.5) * np.exp(-np.abs(z)))
    expected = np.where(kept[:, None] + z >= least, kept[:, None] + z, 0) @ pmf
    silent = np.where(kept >= least, kept, 0)  # what is left without noise
    assert causes["trimming"] == -3
    assert causes["suppression"] == (silent - kept).sum()
    assert causes["noise"] == pytest.approx((expected - silent)[true > 0].sum())
    assert causes["phantoms"] == pytest.approx(expected[true == 0].sum())


def exact(true, **causes):
    changes = {"trimming": 0.0, "suppression": 0.0, "noise": 0.0, "phantoms": 0.0, **causes}
    changes = {name: np.array([change]) for name, change in changes.items()}
    expected = np.array([true]) + sum(changes.values())
    return decisions.ShockTotals(expected_total=expected, causes=changes)


@pytest.mark.parametrize(
    ("causes", "main"),
    [
        ({"trimming": -100.0, "phantoms": 90.0, "noise": 18.0}, "phantoms"),  # 0.8% too high
        ({"trimming": -60.0, "suppression": -40.0, "phantoms": 70.0}, "trimming"),
        ({"suppression": -300.0}, "suppression"),
    ],
)
def test_the_main_cause_has_the_sign_of_the_error(causes, main):
    totals = exact(1000.0, **causes)
    judged = decisions.evaluate_aid(1000.0, totals.expected_total, np.ones(1), totals)
    assert judged.total_error == pytest.approx(sum(causes.values()) / 1000)
    assert judged.main_cause == main


@pytest.mark.parametrize(
    ("overlap", "total", "level"),
    [(0.95, 1000, "good"), (0.5, 1000, "partly"), (0.89, 1000, "partly"), (0.95, 500, "partly"),
     (0.45, 1000, "noisy"), (0.95, 1600, "noisy"), (np.nan, 1000, "noisy")],
)  # fmt: skip
def test_aid_is_judged_by_places_and_total(overlap, total, level):
    judged = decisions.evaluate_aid(1000.0, np.array([total]), np.array([overlap]))
    assert (judged.verdict, judged.main_cause) == (level, "")


def test_our_method_names_destinations_by_its_own_release():
    ours = od.ODParameters(epsilon=1e5, unit="trip", method="empirical_bayes")
    found = drawn("rwanda-districts", ours, 1)
    assert found.overlap[0, 0, :3].min() > 0.95
    assert found.totals[0, 0] == pytest.approx(32_638, rel=0.01)
    noisy, place = [ours.with_epsilon(1.0)] * 2, datasets.load("rwanda-districts")
    shock, rng = decisions.load_shock(place), np.random.default_rng(0)
    totals = decisions.simulate_private_aid(place, shock, noisy, 1, rng=rng).totals
    assert totals[0, 0] == totals[1, 0] != found.totals[0, 0]  # settings share the noise


def test_a_draw_is_the_same_however_many_and_k_only_names():
    few, many = drawn("rwanda-districts", trip(0.1), 3), drawn("rwanda-districts", trip(0.1), 9, 5)
    np.testing.assert_array_equal(few.totals, many.totals[:, :3])
    np.testing.assert_array_equal(few.overlap, many.overlap[:, :3])
    assert few.targeting_rate.sum() == pytest.approx(3)
    assert many.targeting_rate.sum() == pytest.approx(5)


def test_bad_areas_and_k_are_refused(tiny_city):
    with pytest.raises(DatasetError, match=r"defines none\. Choose one or more zones"):
        decisions.load_shock(tiny_city)
    with pytest.raises(ParameterError, match="leave at least one destination"):
        decisions.load_shock(tiny_city, [str(zone) for zone in tiny_city.zones["zone_id"]])
    with pytest.raises(ParameterError, match=r"from 1 to 29 \(given: 30"):
        drawn("rwanda-districts", trip(1.0), 1, 30)


def records(*successes, draws=100):
    return np.array([[True] * s + [False] * (draws - s) for s in successes])


def test_the_target_must_hold_at_the_chosen_epsilon_and_above():
    assert decisions.strongest_privacy(EPSILONS, records(98, 99, 80, 100)) == 1.0
    assert decisions.strongest_privacy(EPSILONS, records(10, 99, 99, 100)) == 0.2
    assert decisions.strongest_privacy(EPSILONS, records(99, 80, 99, 50)) is None


@pytest.mark.parametrize(("successes", "confidence"), [(95, 0.9), (97, 0.93), (60, 0.5)])
def test_the_bound_is_clopper_and_pearsons(successes, confidence):
    # the share at which that many successes or more have a probability of 5%
    shown = stats.beta.ppf(0.05, successes, 100 - successes + 1)
    held = decisions.strongest_privacy([1.0], records(successes), confidence) is not None
    assert held == (shown >= confidence)
    assert stats.binom.sf(successes - 1, 100, shown) == pytest.approx(0.05, rel=1e-6)


def test_a_target_is_of_places_and_total_and_not_of_accuracy_alone():
    true = np.zeros((50, 10))
    true[:5, :3] = 0.5
    idle = decisions.compare_decisions(true, np.zeros((1, 50, 10)))
    assert idle.accuracy > 0.95
    assert not meets_epidemic_target(idle, 0.95, 0.5).any()
    assert meets_epidemic_target(
        decisions.compare_decisions(np.zeros((50, 10)), np.zeros((1, 50, 10))), 1, 1
    ).all()
    totals, overlap = np.array([100.0, 111.0, 95.0, 100.0]), np.array([0.95, 1.0, 0.5, np.nan])
    assert meets_aid_target(100.0, totals, overlap, 0.9, 0.1).tolist() == [True, False, False, True]


def test_each_zone_as_the_area_by_itself_by_brute_force():
    rng = np.random.default_rng(4)
    true, released = rng.poisson(2.0, (2, 3, 5, 5)).astype(float)
    true[:, 3] = 0  # nobody leaves it
    totals, overlaps = decisions.score_each_zone(true, released, 2)
    for zone in range(5):
        others = [other for other in range(5) if other != zone]
        assert totals[zone] == sum(released[:, zone, other].sum() for other in others)
        shares = []
        for day in range(3):
            first = [
                {o for o in sorted(others, key=lambda o: -trips[o])[:2] if trips[o] > 0}
                for trips in (true[day, zone], released[day, zone])
            ]
            if first[0]:
                shares.append(len(first[0] & first[1]) / len(first[0]))
        assert overlaps[zone] == pytest.approx(np.mean(shares) if shares else np.nan, nan_ok=True)
