"""The random worlds that choose constants: always the same, broad, and none of them a dataset."""

import numpy as np

from research import worlds

SOME = list(worlds.worlds(120))


def test_a_world_is_always_the_same_and_no_two_are_alike():
    for number in (0, 7, 119):
        again = worlds.world(number)
        assert np.array_equal(again.expected, SOME[number].expected)
        assert np.array_equal(again.days(2), SOME[number].days(2))
    assert len({float(one.expected.sum()) for one in SOME}) == len(SOME)


def test_counts_are_poisson_with_what_is_expected():
    one = min(SOME, key=lambda one: abs(len(one.expected) - 40))
    days = one.days(400).astype(np.float64)
    z = (days.mean(axis=0) - one.expected) / np.sqrt(np.maximum(one.expected, 1e-300) / 400)
    known = one.expected > 0.5
    assert abs(float((z[known] ** 2).mean()) - 1) < 5 * np.sqrt(2 / known.sum())
    assert not days[:, one.expected == 0].any()


def test_ranges_hold_and_are_filled():
    zones = np.array([len(one.expected) for one in SOME])
    assert zones.min() >= worlds.ZONES[0]
    assert zones.max() <= worlds.ZONES[1]
    for one, n in zip(SOME, zones, strict=True):
        assert one.distances_m.shape == one.expected.shape == (n, n)
        assert np.isfinite(one.expected).all()
        assert not one.expected.diagonal().any()
        mean = one.expected.sum() / (n * (n - 1))
        assert worlds.TRIPS[0] * 0.999 < mean < worlds.TRIPS[1] * 1.001
    empty = [float((one.days()[0] == 0).mean()) for one in SOME]
    assert min(empty) < 0.2
    assert max(empty) > 0.95
