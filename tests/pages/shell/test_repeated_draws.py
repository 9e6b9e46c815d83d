"""Repeated draws are other draws: what a range is made of, checked draw by draw."""

from typing import get_args

import numpy as np
import pytest

from engine import datasets, origin_destination as od
from engine.contract import Seen
from engine.parameters import ODMethod, ODParameters
from pages._ui.cache import trips as cached_trips, verbs
from pages._ui.cache.window import Window

SEED = (1, 0)


@pytest.mark.parametrize("method", get_args(ODMethod))
def test_every_method_reads_the_same_noise_at_every_repeat(method):
    city = datasets.load("demo-city")
    key, window = Seen(dataset=str(city.folder)), Window(0)
    parameters = ODParameters(epsilon=0.7, max_trips_per_user=2, method=method)
    true = od.truth(city, days=0)[0]
    seen = []
    for repeat in range(3):
        noise = verbs.flow_noise(key, SEED, window, repeat)
        agreed = cached_trips.agreed(key, parameters, SEED, window, repeat)
        release = od.release(city, parameters, noise=noise, days=0)
        number, shown, sums = (each[0] for each in (release.typical, release.shown, release.counts))
        assert agreed.agreement == od.agreement(true, number, shown, sums=sums)
        near = shown & (true > 0) & (abs(number - true) <= 0.25 * true)
        assert np.array_equal(agreed.near, near)
        seen.append((agreed.agreement, near.mean()))
    assert len({str(one) for one, _ in seen}) == 3
    *_, (draws,) = cached_trips.repeated(key, (parameters,), SEED, window, 3)
    assert draws.agreements == tuple(one for one, _ in seen)
    assert draws.near.mean() == pytest.approx(np.mean([near for _, near in seen]))


def test_a_threshold_moves_only_the_methods_that_use_it():
    key, window = Seen(dataset=str(datasets.load("demo-city").folder)), Window(0)
    for method, row in od.METHODS.items():
        low, high = (
            cached_trips.agreed(
                key,
                ODParameters(epsilon=0.4, suppression_threshold=tau, method=method),
                SEED,
                window,
            )
            for tau in (0, 40)
        )
        moved = low.agreement != high.agreement
        assert moved == ("suppression_threshold" in row.uses), method


def test_no_day_shares_its_noise_with_another_or_with_the_whole_period():
    key = Seen(dataset=str(datasets.load("demo-city").folder))
    windows = [Window(None, summed=True), *(Window(day) for day in range(7))]
    cells = [verbs.flow_noise(key, SEED, window).cells.ravel() for window in windows]
    for i, one in enumerate(cells):
        for other in cells[:i]:
            assert not np.isin(one, other).any()
