"""What the caches answer is the engine's own answer, for the same noise."""

from dataclasses import replace

import numpy as np
import pytest

from engine import datasets, density, origin_destination as od, privacy, report
from engine.contract import Seen
from engine.density import DensityParameters
from engine.noise import laplace
from engine.origin_destination import ODParameters
from engine.report import ReportParameters
from engine.resolution import open_seen
from pages._ui.cache import verbs
from pages._ui.cache.draws import generator
from pages._ui.cache.window import Window

SEED, DAY = (7, 2), Window(3)
TRIPS = ODParameters(epsilon=0.7, max_trips_per_user=2, suppression_threshold=5)
CASES = {
    **{
        f"density {name}": (DensityParameters(epsilon=1.0, method=name), None)
        for name in ("efpag_joint", "zoom")
    },
    **{f"trips {name}": (replace(TRIPS, method=name), DAY) for name in od.METHODS},
    "person": (replace(TRIPS, unit="person"), Window(None, summed=True)),
}
every_case = pytest.mark.parametrize(("parameters", "window"), CASES.values(), ids=CASES)


@pytest.fixture
def city():
    return datasets.load("demo-city")


@pytest.fixture
def key(city):
    return Seen(dataset=str(city.folder))


def by_hand(city, parameters, window, repeat):
    """Return the truth and a release drawn by the engine alone."""
    if window is None:
        rng = generator(SEED, "density", repeat)
        return density.truth(city), density.release(city, parameters, rng=rng)
    days = {"days": window.day, "sum_days": window.summed}
    rng = generator(SEED, "trips", repeat, 0 if window.summed else 1 + window.day)
    noise = od.ODNoise(cells=laplace(rng, 1.0, (1, *[len(city.zones)] * 2)))
    return od.truth(city, **days), od.release(city, parameters, noise=noise, **days)


@every_case
@pytest.mark.parametrize("repeat", [0, 2])
def test_a_draw_and_its_scores_are_the_engines(city, key, parameters, window, repeat):
    true, expected = by_hand(city, parameters.used, window, repeat)
    drawn = verbs.release(key, parameters, SEED, window, repeat)
    assert np.array_equal(drawn.counts, expected.counts)
    assert np.array_equal(verbs.truth(key, window), true if window is None else true[0])
    product = density if window is None else od
    scores = product.scores(true, expected)
    assert str(verbs.scores(key, parameters, SEED, window, repeat)) == str(scores)
    assert verbs.ledger(key, parameters) == product.plan(city, parameters).ledger


@every_case
def test_repeats_seeds_and_windows_are_other_draws(key, parameters, window):
    drawn = [
        verbs.release(key, parameters, seed, window, repeat).counts
        for seed, repeat in ((SEED, 0), (SEED, 1), ((7, 3), 0), ((8, 2), 0))
    ]
    if window == DAY:
        drawn.append(verbs.release(key, parameters, SEED, Window(4)).counts)
    assert len({one.tobytes() for one in drawn}) == len(drawn)


@every_case
def test_what_a_method_does_not_use_finds_the_same_draw_and_what_it_uses_another(
    key, parameters, window
):
    first = verbs.release(key, parameters, SEED, window)
    others = (
        {"max_visits_per_user": 3, "delta": 1e-5}
        if window is None
        else {"suppression_threshold": 60, "max_trips_per_user": 1}
    )
    uses = verbs.product_of(parameters).METHODS[parameters.method].uses
    for name, value in {"epsilon": 0.1, **others}.items():
        other = verbs.release(key, replace(parameters, **{name: value}), SEED, window)
        assert (other is first) == (name not in {"epsilon", *uses}), name


def test_a_report_follows_its_own_noise(city, key):
    parameters = ReportParameters(epsilon=1.0)
    drawn = verbs.release(key, parameters, SEED)
    other = verbs.release(key, parameters, SEED, repeat=1)
    expected = report.release(
        city, parameters, noise=report.ReportNoise.draw(generator(SEED, "report"))
    )
    texts = [str(one.results) for one in (drawn, expected, other)]
    assert texts[0] == texts[1] != texts[2]
    for repeat, release in ((0, drawn), (1, other)):
        scores = verbs.scores(key, parameters, SEED, repeat=repeat)
        assert str(scores) == str(report.scores(report.truth(city), release))


def test_what_settings_alone_decide_is_computed_once():
    costs = ((0.1, 0.0),) * 7
    first = verbs.computed(privacy.composed_epsilon, costs, 1e-6)
    assert first is verbs.computed(privacy.composed_epsilon, costs=costs, delta=1e-6)
    assert first == privacy.composed_epsilon(costs, 1e-6)
    assert first != verbs.computed(privacy.composed_epsilon, costs[1:], 1e-6)


def test_the_exact_law_is_asked_of_methods_that_have_one(city, key):
    ours = replace(TRIPS, method="estimate")
    assert verbs.expected(key, ours, DAY) is None
    exact = verbs.expected(key, TRIPS, DAY)
    assert exact is verbs.expected(key, TRIPS, DAY)
    matrix = od.truth(city, days=3)[0]
    assert exact.histogram.cells.sum() == matrix.size - len(matrix)


def test_of_reads_once_for_each_dataset_and_setting_however_they_are_written(key):
    first = verbs.of(density.presampled, key, 5)
    assert first is verbs.of(density.presampled, key, max_visits_per_user=5)
    assert first is not verbs.of(density.presampled, key, 6)
    coarse = verbs.of(density.presampled, replace(key, zones="clusters-10"), 5)
    assert len(coarse) == 10
    cover = verbs.of(density.cover_series, key, 5)  # another function of the very same arguments
    assert np.array_equal(cover, density.cover_series(open_seen(key), 5))
    assert not np.array_equal(cover, first)


@pytest.mark.parametrize(
    "kept",
    [
        lambda key: verbs.truth(key),
        lambda key: verbs.release(key, TRIPS, SEED, DAY).counts,
        lambda key: verbs.scores(key, DensityParameters(epsilon=1.0), SEED).error,
        lambda key: verbs.of(density.presampled, key, 5),
    ],
)
def test_nobody_can_write_into_what_all_are_given(key, kept):
    with pytest.raises(ValueError, match="read-only"):
        kept(key)[:] = 0


def test_a_repeat_is_never_taken_for_a_window(key):
    """Else every repeat of a density would be the draw on the page."""
    for verb in (verbs.release, verbs.scores):
        with pytest.raises(TypeError, match="window"):
            verb(key, DensityParameters(epsilon=1.0), SEED, 3)
        with pytest.raises(TypeError, match="window"):
            verb(key, TRIPS, SEED)
