"""What is said of flows and zones chosen by looking at a release of `estimate`."""

import functools

import numpy as np
import pytest

from engine.ledger import Unit, simple_ledger
from engine.origin_destination import estimate
from engine.origin_destination.estimate.measurement import discrete_laplace
from engine.parameters import ODParameters

RATE, RELEASES, ZONES, LARGEST, BUSIEST = 0.25, 200, 30, 60, 18


def read(noisy, distances_m):
    """One matrix of noisy counts, read."""
    measurement = estimate.Measurement(
        parameters=ODParameters(epsilon=RATE, unit="trip", method="estimate"),
        cells=noisy[None],
        rate=RATE,
        beyond=None,
        days=(0,),
        ledger=simple_ledger((), unit=Unit.TRIP),
    )
    return estimate.read_measurement(measurement, distances_m)


@functools.cache
def held():
    """Which releases hold all they say, shape (releases, choice, for all at once or not)."""
    rng = np.random.default_rng(0)
    places = rng.random((ZONES, 2)) * 1e5
    distances_m = np.hypot(*(places[:, None] - places).T)
    off = 1 - np.eye(ZONES, dtype=np.int64)
    kept = rng.poisson(rng.gamma(0.08, 60, (ZONES, ZONES))) * off
    rows = []
    for _ in range(RELEASES):
        noisy = kept + discrete_laplace(rng.laplace(0, 1, kept.shape), RATE)
        release = read(noisy * off, distances_m)
        certain = np.where(release.certain[0], release.typical[0], 0)
        largest = np.unravel_index(np.argsort(-certain, axis=None)[:LARGEST], certain.shape)
        busiest = np.argsort(-release.counts[0].sum(axis=1))[:BUSIEST]
        row = []
        for at_once in (False, True):
            low, high = release.exact_interval(at_once=at_once)
            inside = (low[0] <= kept) & (kept <= high[0])
            totals, reach = release.exact_totals(-1, at_once=at_once)
            near = np.abs(totals[0] - kept.sum(axis=1)) <= reach
            row.append((inside[largest].all(), near[busiest].all()))
        rows.append(row)
    return np.transpose(rows, (2, 1, 0))


CHOICES = {"largest certain flows": 0, "busiest zones": 1}


@pytest.mark.parametrize("choice", CHOICES)
def test_ranges_for_all_at_once_hold_what_was_chosen_by_looking(choice):
    one_by_one, at_once = held()[CHOICES[choice]].mean(axis=1)
    assert at_once >= 0.95
    # the ranges for one chosen beforehand are not enough there
    assert one_by_one < 0.5
