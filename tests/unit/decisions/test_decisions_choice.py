"""The strongest privacy that keeps a decision right."""

import numpy as np
import pytest
from scipy import stats

from engine import datasets, decisions, origin_destination as od
from engine.decisions.choice import aid_remedies, epidemic_remedies, least_draws
from engine.errors import ParameterError

EPSILONS = (0.1, 0.2, 0.5, 1.0)


def records(*successes, draws=100):
    return np.array([[True] * s + [False] * (draws - s) for s in successes])


def test_the_target_must_hold_at_the_chosen_epsilon_and_above():
    assert decisions.strongest_privacy(EPSILONS, records(98, 99, 80, 100), 0.9).epsilon == 1.0
    assert decisions.strongest_privacy(EPSILONS, records(10, 99, 99, 100), 0.9).epsilon == 0.2
    helped = decisions.strongest_privacy(EPSILONS, records(99, 80, 99, 50), 0.9)
    assert helped.epsilon is None
    assert helped.held_at.tolist() == [0.1, 0.5]


def test_the_bound_is_clopper_and_pearsons():
    choice = decisions.strongest_privacy(EPSILONS, records(0, 50, 95, 100), 0.9)
    for successes, bound in zip((50, 95, 100), choice.lower[1:], strict=True):
        # the share at which that many successes or more have a probability of 5%
        assert stats.binom.sf(successes - 1, 100, bound) == pytest.approx(0.05, rel=1e-6)
    assert choice.lower[0] == 0
    assert choice.share.tolist() == [0, 0.5, 0.95, 1]


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_the_least_number_of_draws_is_the_least(confidence):
    least = least_draws(confidence)
    for draws, holds in ((least, True), (least - 1, False)):
        clean = decisions.strongest_privacy([1.0], np.ones((1, draws), dtype=bool), confidence)
        assert (clean.epsilon is not None) == holds


def test_accuracy_alone_would_be_met_by_never_acting():
    true = np.zeros((1, 50, 10))
    true[:, :5, :3] = 0.5
    comparison = decisions.compare(true, np.zeros((1, 1, 50, 10)))
    assert comparison.accuracy.mean > 0.95
    assert not decisions.EpidemicTarget(accuracy=0.95, recall=0.5).met(comparison).any()
    nothing = decisions.compare(np.zeros((1, 50, 10)), np.zeros((1, 1, 50, 10)))
    assert decisions.EpidemicTarget().met(nothing).all()


def test_each_origin_is_judged_by_itself():
    true = np.zeros((2, 10, 3))
    true[:, 5:] = 0.5
    other = np.stack([true, true])
    other[1, 1] = 0
    met = decisions.EpidemicTarget().met(decisions.compare(true, other))
    assert met.tolist() == [[True, True], [True, False]]


def test_remedies_say_which_threshold_would_do():
    year = datasets.load("afghanistan-2020")
    settings = od.ODParameters(epsilon=1.0, unit="trip")
    target = decisions.EpidemicTarget(accuracy=0.99, recall=0.95)
    remedies = epidemic_remedies(year, ["AFG-1742"], None, settings, target)
    assert not remedies[0].reaches
    assert [r.settings.suppression_threshold for r in remedies] == [15, 10, 5, 2, 1]
    assert remedies[-1].reaches  # τ = 1 suppresses nothing


def test_remedies_for_aid_raise_the_trips_kept():
    week = datasets.load("rwanda-districts")
    event = decisions.shock(week)
    settings = od.ODParameters(epsilon=1.0, max_trips_per_user=1)
    target = decisions.AidTarget(overlap=0.9, total_error=0.25)
    remedies = aid_remedies(week, event, settings, target)
    by_setting = {
        (r.settings.max_trips_per_user, r.settings.suppression_threshold): r.reaches
        for r in remedies
    }
    assert list(by_setting) == [(1, 15), (1, 10), (1, 5), (1, 2), (1, 1), (2, 15), (4, 15)]
    assert not by_setting[1, 1]  # trimming, not suppression, takes the trips
    assert by_setting[4, 15]


def test_aid_needs_both_the_places_and_the_total():
    target = decisions.AidTarget(overlap=0.9, total_error=0.1)
    totals, overlap = np.array([100.0, 111.0, 95.0, 100.0]), np.array([0.95, 1.0, 0.5, np.nan])
    assert target.met(100.0, totals, overlap).tolist() == [True, False, False, True]


@pytest.mark.parametrize(
    "make",
    [
        lambda: decisions.EpidemicTarget(accuracy=0),
        lambda: decisions.EpidemicTarget(recall=1.1),
        lambda: decisions.EpidemicTarget(confidence=1),
        lambda: decisions.AidTarget(overlap=float("nan")),
        lambda: decisions.AidTarget(total_error=0),
        lambda: decisions.strongest_privacy([1.0, 0.5], records(1, 1), 0.9),
        lambda: decisions.strongest_privacy([1.0], records(1, 1), 0.9),
        lambda: decisions.strongest_privacy([1.0], records(1), 1.0),
    ],
)
def test_bad_targets_are_refused(make):
    with pytest.raises(ParameterError):
        make()
