"""Repeated draws are other draws: what a range is made of, checked draw by draw."""

import numpy as np

from engine import datasets
from engine import origin_destination as od
from engine.parameters import ODParameters
from pages._ui.cache import estimates as cached_estimates
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import Window

SEED = (1, 0)


def test_both_methods_read_the_same_noise_at_every_repeat():
    city = datasets.load("demo-city")
    key, window = str(city.folder), Window(0)
    parameters = ODParameters(epsilon=0.7, max_trips_per_user=2)
    true = od.truth(city, days=0)[0]
    seen = []
    for repeat in range(3):
        noise = cached_trips.noise(key, SEED, window, repeat)
        compared = cached_estimates.compared(key, parameters, SEED, window, repeat)
        published = od.release(city, parameters, noise=noise, days=0).counts[0]
        ours = od.estimate.release(city, parameters, noise=noise, days=0)
        shown = (ours.certain | ours.likely)[0]
        assert compared.published == od.agreement(true, published)
        assert compared.ours == od.agreement(true, ours.typical[0], shown, sums=ours.counts[0])
        seen.append((compared.published, compared.ours))
    assert len({str(one) for one in seen}) == 3


def test_no_day_shares_its_noise_with_another_or_with_the_whole_period():
    key = str(datasets.load("demo-city").folder)
    windows = [Window(None, summed=True), *(Window(day) for day in range(7))]
    cells = [cached_trips.noise(key, SEED, window).cells.ravel() for window in windows]
    for i, one in enumerate(cells):
        for other in cells[:i]:
            assert not np.isin(one, other).any()
