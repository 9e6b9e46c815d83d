"""Epidemics on the shipped year: the check figures, what draws are, verdicts, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from engine import datasets, decisions, origin_destination as od
from engine.decisions.epidemic import people_by_home
from engine.decisions.rules import first_zones, is_above_threshold, join_comparisons, top_k_overlap
from engine.errors import DatasetError, ParameterError
from engine.resolution import InhabitedDataset

ORIGINS = ["AFG-1767", "AFG-1742", "AFG-1758"]  # Kabul, Hirat, and Khost at random
TRIP = {"unit": "trip", "suppression_threshold": 15}


@pytest.fixture(scope="module")
def true(year):
    return decisions.simulate_true_epidemic(year, ORIGINS)


def drawn_epidemics(year, origins, settings, draws, **days):
    how = {"rng": np.random.default_rng(7), **days}
    return decisions.simulate_private_epidemics(year, origins, None, settings, draws, **how)


def test_check_figures_of_the_truth(year, true):
    assert list(decisions.seed_zones(year).values()) == ORIGINS
    acting = is_above_threshold(true)
    assert acting.shape == (3, 305, 34)
    assert acting.sum(axis=(1, 2)).tolist() == [1500, 1158, 1450]
    peaks = [0.2703857478, 0.2663521105, 0.2652871]
    np.testing.assert_allclose(true.max(axis=(1, 2)), peaks, atol=5e-8)


def test_an_epidemic_starts_where_most_and_where_middling_many_live(demo):
    town = InhabitedDataset(demo)
    people, origins = people_by_home(town), decisions.seed_zones(town)
    ids = town.zones["zone_id"].tolist()
    largest, middling = (people[ids.index(origins[kind])] for kind in ("largest", "mid_size"))
    assert largest == people.max()
    assert middling == np.sort(people)[::-1][len(people) // 2]


def test_a_draw_is_the_same_however_many_and_whatever_the_settings(year):
    large, small = od.ODParameters(epsilon=1, **TRIP), od.ODParameters(epsilon=0.2, **TRIP)

    def run(settings, draws):
        blocks = drawn_epidemics(year, ORIGINS[:2], settings, draws, days=slice(9))
        return np.concatenate([*blocks], axis=1)

    np.testing.assert_array_equal(run([small], 7), run([large, small], 23)[1:, :7])
    assert len(np.unique(run([small], 7)[0, :, 0, -1], axis=0)) == 7


def test_the_first_draws_come_soon_and_each_once(year):
    settings = [od.ODParameters(epsilon=1.0, **TRIP)]
    run = drawn_epidemics(year, ORIGINS[:1], settings, 21, days=slice(4))
    assert [block.shape[1] for block in run] == [4, 16, 1]


def test_our_method_is_drawn_by_its_own_release(year):
    """With noise that is almost none a release is the truth, and so are the decisions."""
    ours = od.ODParameters(epsilon=1e5, unit="trip", method="empirical_bayes")
    asked = year, ORIGINS[:1]
    (block,) = drawn_epidemics(*asked, [ours], 2, days=slice(12))
    true = decisions.simulate_true_epidemic(*asked, None, days=slice(12))
    np.testing.assert_allclose(block[0, 0], true, atol=1e-3)
    (block,) = drawn_epidemics(*asked, [ours.with_epsilon(0.1)] * 2, 1, days=slice(3))
    releases = block[:, 0, 0, 1:]  # N shares its noise in any case, and the first day with it
    np.testing.assert_array_equal(releases[0], releases[1])


def test_blocks_join_in_order():
    rng = np.random.default_rng(0)
    true, runs = rng.random((12, 5)) * 0.4, rng.random((7, 12, 5)) * 0.4
    parts = [decisions.compare_decisions(true, part) for part in (runs[:4], runs[4:])]
    whole = decisions.compare_decisions(true, runs)
    for name, values in vars(join_comparisons(parts, axis=0)).items():
        np.testing.assert_array_equal(values, getattr(whole, name))


def test_a_zone_acts_from_the_threshold_on():
    assert is_above_threshold(np.array([0.19, 0.2, 0.21]), 0.2).tolist() == [False, True, True]


def test_bad_parameters_thresholds_places_days_and_settings_are_refused(year):
    for parameters, message in (
        ({"beta": 0.51}, r"beta·\(1 \+ alpha\) must be at most 1.*given: 1.02"),
        ({"mu": 1.01}, "mu must be at most 1.*given: 1.01"),
        ({"alpha": -1}, "alpha must be a finite number of at least 0"),
    ):
        with pytest.raises(ParameterError, match=message):
            decisions.EpidemicParameters(**parameters)
    for threshold in (0, -0.1, 1.2, float("nan"), True, "high"):
        with pytest.raises(ParameterError, match="threshold must be"):
            decisions.compare_decisions(np.zeros((2, 2)), np.zeros((2, 2)), threshold)
    with pytest.raises(ParameterError, match="given: 'Atlantis'"):
        decisions.simulate_true_epidemic(year, ["Atlantis"])
    with pytest.raises(ParameterError, match="each once"):
        decisions.simulate_true_epidemic(year, [ORIGINS[0]] * 2)
    with pytest.raises(ParameterError, match=r"at least 2 days \(given: 1"):
        decisions.simulate_true_epidemic(year, ORIGINS, days=3)
    mixed = [od.ODParameters(epsilon=1, unit="trip"), od.ODParameters(epsilon=1)]
    with pytest.raises(ParameterError, match="same method, unit"):
        drawn_epidemics(year, ORIGINS, mixed, 1)
    with pytest.raises(DatasetError, match=r"nobody lives in 50 zones .*Leave out those zones"):
        people_by_home(datasets.load("demo-city"))
    with pytest.raises(DatasetError, match="holds no homes"):
        people_by_home(datasets.load("paris"))


def days(*acting, zones=10, length=40):
    """Prevalence of 0.3 on some days in the first zones, else 0."""
    values = np.zeros((length, zones))
    for zone, (start, end) in enumerate(acting):
        values[start:end, zone] = 0.3
    return values


LONG = {"length": 100}


@pytest.mark.parametrize(
    ("true", "other", "level", "timing"),
    [
        (days((5, 15), (8, 20)), days((6, 15), (9, 21)), "good", "late"),
        (days((5, 15), (8, 20)), days((6, 15), (8, 20)), "good", "on time"),
        (days((5, 15), (8, 20)), days((20, 35), (25, 40), (0, 9)), "noisy", "late"),
        (days((5, 15), (8, 20)), days((0, 15)), "partly", "early"),
        # nearly all days are right, and yet a week is lost
        (days((5, 85), (8, 88), **LONG), days((12, 85), (15, 88), **LONG), "partly", "late"),
        (days((12, 92), (15, 95), **LONG), days((10, 92), (13, 95), **LONG), "partly", "early"),
        (days(), days(), "good", ""),
        (days(), days((1, 2)), "noisy", ""),
    ],
)
def test_verdicts(true, other, level, timing):
    verdict = decisions.evaluate_epidemic(decisions.compare_decisions(true, other[None]))
    assert (verdict.verdict, verdict.timing) == (level, timing)


@settings(deadline=None, max_examples=80)
@given(
    true=arrays(np.int64, (3, 7), elements=st.integers(0, 6)),
    released=arrays(np.int64, (3, 7), elements=st.integers(0, 6)),
)
def test_overlaps_are_counted_as_by_sets(true, released):
    found = top_k_overlap(true, released, 7)
    for day, k in np.ndindex(3, 7):
        first, other = (
            {*sorted(np.flatnonzero(row), key=lambda j: (-row[j], j))[: k + 1]}
            for row in (true[day], released[day])
        )
        assert set(np.flatnonzero(first_zones(true[day], k + 1))) == first
        expected = len(first & other) / len(first) if first else np.nan
        np.testing.assert_allclose(found[day, k], expected)
