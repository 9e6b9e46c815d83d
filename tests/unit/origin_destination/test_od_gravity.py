"""Zone totals and gravity: what is measured, what is made of it, and what it betrays."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from engine import attack, datasets, origin_destination as od
from engine.origin_destination import gravity
from engine.origin_destination.mechanism import standard_noise
from tests.reference.od_people import Counted

ZONES, DAYS = 4, 2
TRIP = st.tuples(st.integers(0, DAYS - 1), st.integers(0, ZONES - 1), st.integers(0, ZONES - 1))
PEOPLE = st.lists(st.lists(TRIP, max_size=20), min_size=1, max_size=4)
SILENCE = od.ODNoise(cells=np.zeros((DAYS, ZONES, ZONES)))


def settings_of(**changes):
    return od.ODParameters(**{"epsilon": 0.5, "method": "gravity", **changes})


def moved(before, after, parameters):
    """Return by how much all totals that are measured of two populations differ, by day."""
    measured = [
        np.concatenate(gravity.measure(Counted(each, ZONES, DAYS), parameters, noise=SILENCE), 1)
        for each in (before, after)
    ]
    return np.abs(measured[0] - measured[1]).sum(axis=1)


@pytest.mark.parametrize("unit", ["trip", "person-day", "person"])
@settings(max_examples=60, deadline=None)
@given(people=PEOPLE.filter(any), limit=st.integers(1, 9), data=st.data())
def test_one_unit_of_protection_moves_the_totals_by_at_most_their_sensitivity(
    unit, people, limit, data
):
    parameters = settings_of(unit=unit, max_trips_per_user=1 if unit == "trip" else limit)
    gone = data.draw(st.sampled_from([i for i, trips in enumerate(people) if trips]))
    left = [list(trips) for trips in people]
    if unit == "trip":
        left[gone].pop()
    elif unit == "person-day":
        left[gone] = [trip for trip in left[gone] if trip[0] != 0]
    else:
        left[gone] = []
    (stage,) = od.ledger(parameters).stages
    change = moved(people, left, parameters)
    assert change.sum() <= stage.sensitivity
    assert stage.sensitivity / stage.noise_scale == pytest.approx(parameters.epsilon)


@pytest.mark.parametrize("limit", [1, 3, 7])
def test_a_heavy_traveller_moves_them_by_all_of_it(limit):
    people = [[(0, 0, 1)] * 40, [(0, 2, 3)]]
    parameters = settings_of(max_trips_per_user=limit)
    assert moved(people, people[1:], parameters).tolist() == [2 * limit, 0]
    assert od.ledger(parameters).stages[0].sensitivity == 2 * limit


def noise_p_value(factor):
    """Return how well the noise on the totals fits the law of the ledger, scaled by `factor`."""
    days, zones = 400, 25
    cells = standard_noise(np.random.default_rng(3), (days, zones, zones)) * factor
    parameters = settings_of(epsilon=0.7, max_trips_per_user=3)
    (stage,) = od.ledger(parameters).stages
    still = Counted([[]], zones, days)
    drawn = gravity.measure(still, parameters, noise=od.ODNoise(cells=cells))
    values = np.concatenate(drawn, axis=1).ravel()
    spread = np.random.default_rng(4).uniform(-0.5, 0.5, values.shape)  # undoes the rounding
    smooth = stats.laplace(scale=stage.noise_scale)
    return stats.kstest(values + spread, smooth.cdf).pvalue


def test_the_noise_has_the_scale_of_the_ledger_and_is_noticed_at_another():
    assert noise_p_value(1.0) > 1e-3
    assert noise_p_value(0.8) < 1e-6
    assert noise_p_value(1.25) < 1e-6


def test_every_total_has_noise_of_its_own():
    zones = 30
    still = Counted([[]], zones, 1)
    out, into = gravity.measure(still, settings_of(epsilon=1e-4), rng=np.random.default_rng(0))
    assert len(np.unique(np.concatenate([out, into], axis=1))) == 2 * zones


def balanced(outgoing, incoming, near, rounds=3000):
    """Return the doubly constrained model by factors of origins and destinations, cell by cell."""
    out = [max(value, 0) for value in outgoing]
    into = [max(value, 0) for value in incoming]
    whole = (sum(out) + sum(into)) / 2
    out = [value * whole / sum(out) for value in out]
    into = [value * whole / sum(into) for value in into]
    zones = range(len(out))
    a, b = [1.0] * len(out), [1.0] * len(out)
    for _ in range(rounds):
        for i in zones:
            a[i] = 1 / sum(b[j] * into[j] * near[i][j] for j in zones)
        for j in zones:
            b[j] = 1 / sum(a[i] * out[i] * near[i][j] for i in zones)
    return [[a[i] * out[i] * b[j] * into[j] * near[i][j] for j in zones] for i in zones]


def test_the_flows_are_those_of_the_doubly_constrained_model():
    rng = np.random.default_rng(5)
    near = 1 / rng.uniform(1, 9, (6, 6)) ** 2
    np.fill_diagonal(near, 0)
    out, into = np.array([90, 40, 70, 30, -5, 60]), np.array([50, 80, 20, 70, 55, 30])
    flows = gravity.spread(out, into, near)
    assert flows == pytest.approx(np.array(balanced(out, into, near)), rel=1e-3, abs=1e-3)
    assert (flows >= 0).all()
    assert not flows.diagonal().any()
    assert flows[4].sum() == 0


def test_nearer_zones_get_more_of_the_same_totals():
    demo = datasets.load("demo-city")
    release = od.release(demo, settings_of(), days=0, rng=np.random.default_rng(0))
    totals = release.outgoing.clip(0).sum() + release.incoming.clip(0).sum()
    assert release.counts.sum() == pytest.approx(totals / 2)
    inverse = gravity.spread(release.outgoing[0], release.incoming[0], 1 - np.eye(150))
    from engine.geography import centre_distances_m

    metres = centre_distances_m(demo.zones)
    means = [(each * metres).sum() / each.sum() for each in (release.counts[0], inverse)]
    assert means[0] < 0.9 * means[1]


def test_whoever_has_the_same_totals_gets_the_same_release(monkeypatch):
    """Nothing but the totals is read: flows that only swap partners cannot be told apart."""
    demo = datasets.load("demo-city")
    trips = np.zeros((2, 1, 150, 150), dtype=np.int64)
    trips[0, 0, 0, 1], trips[0, 0, 2, 3] = 40, 40
    trips[1, 0, 0, 3], trips[1, 0, 2, 1] = 40, 40
    drawn = []
    for each in trips:
        monkeypatch.setattr(gravity, "kept", lambda *_, each=each, **__: each)
        drawn.append(od.release(demo, settings_of(), days=0, rng=np.random.default_rng(1)))
    assert drawn[0].counts.tobytes() == drawn[1].counts.tobytes()


def test_no_trip_and_a_single_zone_give_no_flow():
    assert not gravity.spread(np.array([-3, 0]), np.array([4, 4]), 1 - np.eye(2)).any()
    lone = SimpleNamespace(**vars(Counted([[(0, 0, 0)]], 1, 1)))
    out, into = gravity.measure(lone, settings_of(), rng=np.random.default_rng(0))
    assert (out.tolist(), into.tolist()) == ([[0]], [[0]])


@pytest.mark.parametrize("trips", [1, 3])
@pytest.mark.parametrize("cells", [1, 2])
def test_an_attacker_gets_what_two_totals_of_a_trip_tell(trips, cells):
    parameters = settings_of(epsilon=1.0, max_trips_per_user=6)
    seen = attack.Scenario(trips=trips, cells=cells, flow=9, law="discrete_laplace")
    reached = seen.attack(parameters)
    q = np.exp(-1 / 12)  # scale 2T/ε
    z = np.arange(-260, 261)
    there, away = (q ** np.abs(z - shift) * (1 - q) / (1 + q) for shift in (trips, 0))
    # the loss of a number, and the law of the sum of 2·cells of them with the target and without
    steps = np.rint(np.log(there / away) / np.log(1 / q)).astype(int) + trips
    laws = [np.bincount(steps, weights=law, minlength=2 * trips + 1) for law in (there, away)]
    for _ in range(2 * cells - 1):
        one = [np.bincount(steps, weights=law, minlength=2 * trips + 1) for law in (there, away)]
        laws = [np.convolve(law, own) for law, own in zip(laws, one, strict=True)]
    expected = 0.5 + np.abs(laws[0] - laws[1]).sum() / 4
    assert reached.roc.best_guess == pytest.approx(expected, abs=1e-6)
    assert reached.roc.best_guess <= reached.limit.best_guess
