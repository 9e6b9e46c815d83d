"""The verbs of a `Setting`: those of the engine, each computed once, on noise of their own."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from engine import origin_destination as od
from engine.contract import Setting
from engine.datasets import load
from engine.parameters import DensityParameters, ODParameters
from pages._ui.answers import cached
from pages._ui.app import cache
from tests.support.releases import seen

SEED = (20140824, 0)


def flows(step="day", zones="zones", first=0, last=None, span=None, **asked) -> Setting:
    parameters = ODParameters(**{"epsilon": 1.0, "max_trips_per_user": 2, **asked})
    when = {"step": step, "first": first, "last": last, "span": span}
    return seen(parameters, dataset=load("demo-city").folder, zones=zones, **when)


def visits(**asked) -> Setting:
    parameters = DensityParameters(**{"epsilon": 1.0, **asked})
    return seen(parameters, dataset=load("demo-city").folder)


@pytest.mark.parametrize(
    ("unit", "step"),
    [*product(["trip", "person-day"], ["day", "week", "whole"]), ("person", "whole")],
)
def test_a_release_of_next_to_no_noise_is_what_is_kept(unit, step):
    setting = flows(
        step,
        unit=unit,
        epsilon=1e5,
        max_trips_per_user=1 if unit == "trip" else 2,
        suppression_threshold=0,
    )
    city, parameters = load("demo-city"), setting.parameters
    kept = od.truncated_matrices(city, parameters, sum_days=True)[0]
    drawn = sum(
        cached.release(setting, SEED, day=day).counts[0]
        for day in range(cached.matrix_count(setting))
    )
    off = np.abs(drawn - kept)[~np.eye(len(kept), dtype=bool)]
    assert off.max() < 0.5
    exact = cached.expected(setting)
    assert exact.histogram.total_trips == od.truth(city).sum() - np.trace(
        od.truth(city).sum(axis=0)
    )


def test_an_answer_is_made_once_and_cannot_be_written_to():
    setting = flows()
    first = cached.release(setting, SEED)
    assert cached.release(replace(setting), SEED) is first
    assert cached.scores(setting, SEED, 3) is cached.scores(setting, SEED, 3)
    with pytest.raises(ValueError, match="read-only"):
        first.counts[0, 0, 0] = 1


def test_what_was_asked_for_longest_ago_goes_first(monkeypatch):
    monkeypatch.setattr(cache, "MAX_BYTES", 3 * (cache._ENTRY_BYTES + 80))
    kept = cache.Cache()
    for name in "abcab":
        kept.get((name,), lambda: np.zeros(10))
    kept.add(("a",), np.zeros(10))
    kept.add(("d",), np.zeros(10))
    assert [name for name in "abcd" if kept.find((name,))] == ["a", "b", "d"]


def test_noise_follows_a_slider_and_nothing_else():
    def noise(setting, seed=SEED, repeat=0, day=0):
        return cached.noise_rng(setting, seed, repeat, day).random(2000)

    assert (noise(flows()) == noise(flows(epsilon=0.1, suppression_threshold=3))).all()
    assert (noise(flows()) == noise(flows(method="empirical_bayes"))).all()
    asked = [
        noise(visits()),
        noise(visits(), repeat=1),
        noise(flows()),
        noise(flows(), day=1),
        noise(flows(), repeat=1),
        noise(flows("week")),
        noise(flows("week"), day=1),
        noise(flows("week", first=1)),
        noise(flows("whole", unit="person")),
        noise(flows("whole", last=2)),
        noise(flows("whole", last=1)),
        noise(flows("whole", last=1, span=1)),
        noise(flows(zones="clusters-10")),
        noise(flows(), (SEED[0], 1)),
        noise(flows(), (SEED[0] + 1, 0)),
    ]
    for one, other in combinations(asked, 2):
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.12


def test_a_person_and_a_persons_day_share_no_noise_though_both_are_seen_by_day():
    """Whoever had both could subtract one from the other."""
    settings = flows(), flows("whole", unit="person"), flows("week")
    assert cached.view_key(settings[0]) == cached.view_key(settings[1])
    drawn = [np.ravel(cached.flow_noise(one, SEED)) for one in settings]
    assert (cached.flow_noise(flows(epsilon=0.1), SEED).ravel() == drawn[0]).all()
    for one, other in combinations(drawn, 2):
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.12
