"""Averages over a dataset's trips, against a loop over its cells."""

import numpy as np
import pytest

from engine import attack, datasets, origin_destination as od
from engine.errors import ParameterError
from engine.origin_destination.exact.histogram import histogram_of_matrix
from tests.reference import attack_reference as plain


def test_averages_equal_a_loop_over_the_cells():
    rng = np.random.default_rng(3)
    true = rng.poisson(rng.gamma(0.4, 20, (3, 6, 6)))
    kept = rng.binomial(true, 0.7)
    parameters = od.ODParameters(epsilon=0.8, max_trips_per_user=2)
    averages = attack.over_trips(histogram_of_matrix(true, kept), parameters)
    counts = [int(n) for day in kept for i, row in enumerate(day) for n in np.delete(row, i) if n]
    each = {
        n: plain.advantage(plain.cell(1, n - 1, 0.4, 15, "rounded_laplace")) for n in set(counts)
    }
    assert averages.trips == sum(counts)
    assert averages.typical == pytest.approx(
        sum(n * each[n] for n in counts) / sum(counts), abs=1e-12
    )
    assert averages.most_exposed == pytest.approx(max(each.values()), abs=1e-12)
    assert averages.proven_without_noise == sum(n for n in counts if n >= 15) / sum(counts)


@pytest.mark.parametrize(("name", "shown"), [("afghanistan-2020", 0.994), ("rwanda-sectors", 0.55)])
def test_suppression_alone_exposes_most_trips(name, shown):
    counted = od.histogram(datasets.load(name))
    averages = attack.over_trips(counted, od.ODParameters(epsilon=0.5, unit="trip"))
    assert averages.proven_without_noise == pytest.approx(shown, abs=0.0005)
    assert averages.typical < averages.most_exposed == pytest.approx(1 - np.exp(-0.25), abs=1e-12)


@pytest.mark.parametrize("threshold", [0, 1, 15])
def test_suppression_alone_proves_a_trip_just_where_taking_it_away_shows(threshold):
    parameters = od.ODParameters(epsilon=1, unit="trip", suppression_threshold=threshold)
    for count in range(1, 20):
        with_trip, without = (n if n >= max(threshold, 1) else 0 for n in (count, count - 1))
        counted = histogram_of_matrix([[0, count], [0, 0]])
        averages = attack.over_trips(counted, parameters)
        assert averages.proven_without_noise == (with_trip != without)


def test_no_trip_is_refused():
    counted = histogram_of_matrix([[5, 0], [0, 5]])
    with pytest.raises(ParameterError, match="a trip between zones"):
        attack.over_trips(counted, od.ODParameters(epsilon=1.0))
