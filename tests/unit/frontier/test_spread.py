"""The spread of the risk over people, against counting people one by one."""

import math

import numpy as np
import pytest

from engine import attack, datasets, frontier
from engine.errors import DatasetError, ParameterError
from engine.frontier import spread, trips_per_person
from engine.risk import Guarantee
from tests.reference.frontier_reference import made_by_hand, small_trips
from tests.reference.od_people import random_people


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 2.0])
def test_shares_and_percentiles_are_those_of_a_list_of_people(epsilon):
    rng = np.random.default_rng(3)
    trips = np.floor(rng.pareto(1.2, 501) * 3).astype(int)
    guesses = np.sort(1 / (1 + np.exp(-epsilon * trips.astype(float))))
    values, counts = np.unique(trips, return_counts=True)
    result = spread(dict(zip(values.tolist(), counts.tolist(), strict=True)), epsilon)
    assert result.people == 501
    for share, most in zip(result.shares, (0.6, 0.75, 0.95), strict=True):
        assert share == pytest.approx((guesses <= most).mean())
    assert result.median == pytest.approx(guesses[250])
    assert result.percentile_95 == pytest.approx(guesses[math.ceil(0.95 * 501) - 1])
    assert result.worst == pytest.approx(guesses[-1])
    assert result.at_mean == pytest.approx(1 / (1 + math.exp(-epsilon * trips.mean())))


def test_days_with_noise_of_their_own_compose_to_less_than_they_add_up_to():
    people = {0: 5, 1: 5, 7: 10}
    apart, added = (spread(people, 0.5, separate=separate) for separate in (True, False))
    assert apart.worst == attack.limit(Guarantee(epsilon=0.5), 7).best_guess < added.worst
    assert apart.shares[0] == added.shares[0] == 0.25


def test_the_mean_is_no_guide(tmp_path):
    """Nine of ten stay at home: at the mean everybody looks exposed, in truth one in ten is."""
    result = spread({0: 90, 30: 10}, 0.5)
    assert (result.mean_count, result.shares[1]) == (3.0, 0.9)
    assert result.at_mean > 0.8
    assert result.median == 0.5
    assert result.worst > 0.999999


@pytest.mark.parametrize("people", [{}, {1: 0}, {-1: 2}, {1: 2.5}, {1.5: 1}], ids=str)
def test_what_is_no_histogram_is_refused(people):
    with pytest.raises(ParameterError, match="people must be"):
        spread(people, 0.5)


def test_trips_per_person_are_read_from_ranks(tmp_path):
    people = random_people(np.random.default_rng(5), 200, 6, 3, 4.0)
    dataset = small_trips(tmp_path / "some", people, public=200)
    assert trips_per_person(dataset) == made_by_hand(people)
    unknown = small_trips(tmp_path / "unknown", people)
    assert trips_per_person(unknown) == {n: k for n, k in made_by_hand(people).items() if n}


def test_beyond_256_trips_the_risk_is_never_understated(tmp_path):
    one = [[(0, 0, 1)] * 300, [(0, 0, 1)] * 2]
    assert trips_per_person(small_trips(tmp_path / "one", one)) == {2: 1, 300: 1}
    two = [[(0, 0, 1)] * 300, [(0, 0, 1)] * 260]
    assert trips_per_person(small_trips(tmp_path / "two", two)) == {304: 2}


def test_mean_trips_of_the_shipped_districts_are_those_of_the_paper():
    """0.77 at ε 0.5: P2 multiplies ε by the mean number of trips."""
    result = spread(trips_per_person(datasets.load("rwanda-districts")), 0.5)
    assert round(0.5 * result.mean_count, 2) == 0.76
    assert result.shares[1] > 0.8
    assert result.worst > 0.999


def test_without_ranks_nothing_is_told(tmp_path):
    dataset = small_trips(tmp_path / "few", [[(0, 0, 1)]], by_person=False)
    with pytest.raises(DatasetError, match="does not rank trips"):
        frontier.trips_per_person(dataset)


def test_quantiles_of_trips_are_those_of_the_people_one_by_one():
    rng = np.random.default_rng(2)
    for size in (1, 19, 20, 21, 400):
        trips = rng.geometric(0.3, size) - 1
        people = {int(n): int((trips == n).sum()) for n in np.unique(trips)}
        low, mean, high = frontier.quantiles(people)
        assert mean == pytest.approx(trips.mean())
        ordered = np.quantile(trips, (0.05, 0.95), method="inverted_cdf")
        assert [low, high] == ordered.tolist()
