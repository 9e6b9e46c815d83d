"""Epidemics on the shipped year: the check figures, the conservation of people, bad input."""

import numpy as np
import pytest

from engine import datasets, decisions, origin_destination as od
from engine.decisions.epidemic import expected_epidemic, scenario_origins, suppressed_epidemic
from engine.decisions.populations import given_populations
from engine.decisions.scoring import acts, concatenate
from engine.errors import DatasetError, ParameterError

ORIGINS = ["AFG-1767", "AFG-1742", "AFG-1758"]  # Kabul, Hirat, and Khost at random
TRIP = {"unit": "trip", "suppression_threshold": 15}


@pytest.fixture(scope="module")
def year():
    return datasets.load("afghanistan-2020")


@pytest.fixture(scope="module")
def true(year):
    return decisions.true_epidemic(year, ORIGINS)


def wrong(true, other):
    comparison = decisions.compare(true.prevalence, other.prevalence)
    return (comparison.missed + comparison.needless).sum(axis=-1).tolist()


def test_scenario_origins_are_those_of_the_dataset(year):
    assert list(scenario_origins(year).values()) == ORIGINS


def test_check_figures_of_the_truth(true):
    acting = acts(true.prevalence)
    assert acting.shape == (3, 305, 34)
    assert acting.sum(axis=(1, 2)).tolist() == [1500, 1158, 1450]
    np.testing.assert_allclose(
        true.prevalence.max(axis=(1, 2)), [0.2703857478, 0.2663521105, 0.2652871], atol=5e-8
    )


def test_people_are_conserved(true):
    people = true.susceptible + true.infected + true.recovered
    np.testing.assert_allclose(people, np.broadcast_to(true.populations, people.shape), rtol=1e-12)
    assert true.prevalence.min() >= 0
    assert true.prevalence.max() <= 1


def test_check_figures_of_suppression_alone(year, true):
    settings = od.ODParameters(epsilon=0.1, **TRIP)
    assert wrong(true, suppressed_epidemic(year, ORIGINS, None, settings)) == [120, 566, 566]


def test_arrivals_and_smaller_steps_change_what_the_spec_says(year, true):
    arrivals = decisions.EpidemicParameters(direction="arrivals")
    assert wrong(true, decisions.true_epidemic(year, ORIGINS, arrivals)) == [117, 303, 90]
    finer = decisions.EpidemicParameters(steps_per_day=10)
    changed = np.array(wrong(true, decisions.true_epidemic(year, ORIGINS, finer))) / 10370
    np.testing.assert_allclose(changed, [0.027, 0.033, 0.036], atol=5e-4)


def test_never_acting_is_right_most_of_the_time(true):
    comparison = decisions.compare(true.prevalence, np.zeros_like(true.prevalence))
    np.testing.assert_allclose(comparison.accuracy.mean, [0.855, 0.888, 0.860], atol=5e-4)
    never = comparison.never_acting_accuracy
    np.testing.assert_allclose(comparison.accuracy.mean, never, atol=1e-12)
    assert (comparison.precision.undefined == 34).all()
    assert np.isnan(comparison.precision.mean).all()
    assert comparison.shifts.missed.tolist() == (comparison.acting_true > 0).sum(axis=-1).tolist()


def test_a_trip_never_lowers_the_number_of_infections(year, true):
    none = decisions.true_epidemic(year, ORIGINS, decisions.EpidemicParameters(alpha=0.0))
    ever = (true.infected + true.recovered).sum(axis=-1)
    assert (ever >= (none.infected + none.recovered).sum(axis=-1) - 1e-6).all()


def test_without_mobility_the_epidemic_barely_passes_the_threshold(year):
    alone = decisions.EpidemicParameters(alpha=0.0)
    none = decisions.true_epidemic(year, ORIGINS[:1], alone)
    kabul = none.prevalence[0, :, list(year.zones["zone_id"]).index(ORIGINS[0])]
    assert kabul.max() == pytest.approx(0.2405741891, abs=5e-11)
    assert kabul.argmax() + 1 == 85
    assert (np.flatnonzero(kabul >= 0.2)[[0, -1]] + 1).tolist() == [67, 106]
    fine = decisions.EpidemicParameters(alpha=0.0, steps_per_day=100)
    limit = decisions.true_epidemic(year, ORIGINS[:1], fine).prevalence.max()
    assert limit == pytest.approx(0.2375038416, abs=5e-5)


def test_expected_matrices_are_near_the_draws_where_the_spec_says_and_not_for_hirat(year, true):
    settings = od.ODParameters(epsilon=0.5, **TRIP)
    expected = expected_epidemic(year, ORIGINS, None, settings)
    recall = decisions.compare(true.prevalence, expected.prevalence).recall.mean
    assert recall[1] == pytest.approx(0.739, abs=5e-4)
    drawn = decisions.private_epidemics(
        year, ORIGINS, None, [settings], 8, rng=np.random.default_rng(0)
    )
    blocks = [decisions.compare(true.prevalence, block) for block in drawn]
    recalls = concatenate(blocks, axis=1).recall.mean[0].mean(axis=0)
    assert recalls[1] < 0.62
    assert abs(recalls[0] - recall[0]) < 0.01


def test_draw_i_is_the_same_in_a_longer_run_and_beside_other_settings(year):
    def run(settings, draws):
        blocks = decisions.private_epidemics(
            year, ORIGINS[:1], None, settings, draws, rng=np.random.default_rng(5), days=slice(12)
        )
        return np.concatenate(list(blocks), axis=1)

    small, large = (od.ODParameters(epsilon=epsilon, **TRIP) for epsilon in (0.1, 1.0))
    np.testing.assert_array_equal(run([small], 7), run([large, small], 23)[1:, :7])


@pytest.mark.parametrize(("draws", "blocks"), [(1, [1]), (4, [4]), (10, [4, 6]), (21, [4, 16, 1])])
def test_the_first_draws_come_soon_and_each_once(year, draws, blocks):
    settings = [od.ODParameters(epsilon=1.0, **TRIP)]
    run = decisions.private_epidemics(
        year, ORIGINS[:1], None, settings, draws, rng=np.random.default_rng(0), days=slice(4)
    )
    assert [block.shape[1] for block in run] == blocks


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"beta": 0.51}, "more steps a day"),
        ({"beta": float("nan")}, "beta must be a finite number above 0"),
        ({"mu": 1.01}, "mu/steps_per_day must be at most 1.*got 1.01"),
        ({"alpha": -1}, "alpha must be a finite number of at least 0"),
        ({"alpha": float("inf")}, "alpha must be"),
        ({"seed_share": 0}, "seed_share"),
        ({"steps_per_day": 1.5}, "steps_per_day"),
        ({"direction": "sideways"}, "departures"),
    ],
)
def test_bad_parameters_are_refused(setting, message):
    with pytest.raises(ParameterError, match=message):
        decisions.EpidemicParameters(**setting)


def test_a_long_step_is_allowed_when_it_is_cut():
    assert decisions.EpidemicParameters(beta=0.9, steps_per_day=2).steps_per_day == 2


@pytest.mark.parametrize("threshold", [0, -0.1, 1.2, float("nan"), True, "high"])
def test_bad_thresholds_are_refused(threshold):
    with pytest.raises(ParameterError, match="threshold must be"):
        decisions.compare(np.zeros((2, 2)), np.zeros((2, 2)), threshold)


def test_bad_places_days_and_populations_are_refused(year, tiny_city):
    with pytest.raises(ParameterError, match="got 'Atlantis'"):
        decisions.true_epidemic(year, ["Atlantis"])
    with pytest.raises(ParameterError, match="got none"):
        decisions.true_epidemic(year, [])
    with pytest.raises(ParameterError, match="each once"):
        decisions.true_epidemic(year, [ORIGINS[0]] * 2)
    with pytest.raises(ParameterError, match="at least 2 days, got 1"):
        decisions.true_epidemic(year, ORIGINS, days=3)
    people = given_populations(tiny_city, 1000.0)
    with pytest.raises(ParameterError, match="one number for each of 34 zones"):
        decisions.true_epidemic(year, ORIGINS, populations=people)
    mixed = [od.ODParameters(epsilon=1, unit="trip"), od.ODParameters(epsilon=1)]
    with pytest.raises(ParameterError, match="same unit"):
        decisions.private_epidemics(year, ORIGINS, None, mixed, 1, rng=np.random.default_rng(0))


def test_zones_without_people_are_refused_with_a_remedy():
    with pytest.raises(DatasetError, match="nobody lives in 50 of 150 zones; leave them out"):
        decisions.home_populations(datasets.load("demo-city"))
    with pytest.raises(DatasetError, match="holds no homes; give a table"):
        decisions.home_populations(datasets.load("paris"))


@pytest.mark.parametrize("bad", [0, -3, float("nan"), float("inf"), "many", None])
def test_given_populations_must_be_people(year, bad):
    table = dict.fromkeys(year.zones["zone_id"], 100)
    with pytest.raises(ParameterError, match="population of zone 'AFG-1742' must be a finite"):
        given_populations(year, table | {"AFG-1742": bad})
    with pytest.raises(ParameterError, match="none for 1 of 34 zones, the first 'AFG-1742'"):
        given_populations(year, {k: v for k, v in table.items() if k != "AFG-1742"})


def test_public_populations_take_no_noise(year):
    people = given_populations(year, dict.fromkeys(year.zones["zone_id"], 1e5))
    (block,) = decisions.private_epidemics(
        year,
        ORIGINS[:1],
        None,
        [od.ODParameters(epsilon=0.1, **TRIP)],
        2,
        rng=np.random.default_rng(0),
        populations=people,
        days=slice(2),
    )
    # the seed is 1% of the population exactly
    assert set(block[0, :, 0, 0].max(axis=-1)) == {0.01}


@pytest.mark.parametrize("other", [{"max_trips_per_user": 4}, {"unit": "person"}, {"unit": "trip"}])
def test_matrices_kept_for_one_setting_are_not_taken_for_another(tiny_city, other):
    """A slider asks again and again: the answer is that of a dataset nobody has asked yet."""
    base = {"epsilon": 2.0, "max_trips_per_user": 1, "suppression_threshold": 0}
    zones = [str(tiny_city.zones["zone_id"][0])]

    def infected(dataset, settings):
        parameters = od.ODParameters(**settings)
        people = given_populations(dataset, 500)
        return expected_epidemic(dataset, zones, None, parameters, populations=people).infected

    asked, fresh = datasets.load(tiny_city.folder.parent), datasets.load(tiny_city.folder.parent)
    first = infected(asked, base)
    second = infected(asked, {**base, **other})
    np.testing.assert_array_equal(second, infected(fresh, {**base, **other}))
    assert not np.array_equal(first, second)
