"""The fast decisions equal plain loops from P2."""

import numpy as np
import pytest

from engine import decisions, origin_destination as od
from engine.decisions.epidemic import add_noise_and_suppress
from engine.decisions.rules import NEVER_ACTS, PREVALENCE_THRESHOLD
from tests.reference import decisions_reference as plain
from tests.reference.od_people import release_matrix

DAYS = slice(0, 60)
P2 = {"beta": 0.10, "mu": 0.04, "alpha": 1.0, "seed_share": 0.01}
FAST = {"beta": 0.35, "mu": 0.1, "alpha": 0.6, "seed_share": 0.05}


@pytest.mark.parametrize("model", [P2, FAST])
def test_epidemic_equals_plain_loops(year, model):
    parameters = decisions.EpidemicParameters(**model)
    fast = decisions.simulate_true_epidemic(year, ["AFG-1742", "AFG-1758"], parameters, days=DAYS)
    ids = list(year.zones["zone_id"])
    for place, zone in enumerate(["AFG-1742", "AFG-1758"]):
        slow = plain.epidemic(
            od.truth(year, days=DAYS).tolist(), year.homes.tolist(), ids.index(zone), **model
        )
        np.testing.assert_allclose(fast[place], slow, rtol=0, atol=1e-12)


def test_private_epidemic_equals_plain_loops_on_the_same_release(year):
    """With noise that is almost none, a release is the suppressed matrix: draws meet loops."""
    settings = od.ODParameters(epsilon=1e6, unit="trip")
    (block,) = decisions.simulate_private_epidemics(
        year, ["AFG-1742"], None, [settings], 1, rng=np.random.default_rng(0), days=DAYS
    )
    shown = od.truth(year, days=DAYS)
    slow = plain.epidemic(
        np.where(shown >= 15, shown, 0).tolist(),
        year.homes.tolist(),
        list(year.zones["zone_id"]).index("AFG-1742"),
        **P2,
    )
    # the populations keep noise of a millionth of a person
    np.testing.assert_allclose(block[0, 0, 0], slow, rtol=0, atol=1e-9)


def test_fast_release_equals_the_mechanism_for_the_same_noise():
    rng = np.random.default_rng(3)
    counts = rng.poisson(rng.gamma(0.5, 40, (5, 40, 40)))
    counts *= ~np.eye(40, dtype=bool)
    noise = rng.laplace(size=counts.shape).astype(np.float32)
    for day in noise:
        np.fill_diagonal(day, 0)
    for settings in (
        od.ODParameters(epsilon=0.5, unit="trip"),
        od.ODParameters(epsilon=0.25, max_trips_per_user=4, suppression_threshold=0),
    ):
        out = np.empty(counts.shape)
        room = np.empty(counts.shape, np.float32)
        add_noise_and_suppress(counts.astype(float), noise, settings, room=room, out=out)
        # scales that are powers of two: single precision rounds no product
        exact = release_matrix(counts, settings, noise=noise.astype(float))
        np.testing.assert_array_equal(out, exact)


@pytest.mark.parametrize("threshold", [PREVALENCE_THRESHOLD, 0.1])
def test_scores_equal_plain_loops(threshold):
    rng = np.random.default_rng(1)
    true, other = rng.random((2, 12, 9)) * 0.35
    true[:, 0], other[:, 1], true[:, 2], other[:, 2] = 0, 0, 0, 0  # never acts in one or in both
    result = decisions.compare_decisions(true, other, threshold)
    slow = plain.decisions(true.tolist(), other.tolist(), threshold)
    for name in ("accuracy", "precision", "recall"):
        values = [zone[name] for zone in slow if zone[name] is not None]
        assert getattr(result, name) == pytest.approx(np.mean(values), abs=1e-12)
    for zone, figures in enumerate(slow):
        first, first_true = figures["first"], figures["first_true"]
        assert result.first_day[zone] == (NEVER_ACTS if first is None else first)
        if first is not None and first_true is not None:
            assert result.shift_days[zone] == first - first_true
        else:
            assert np.isnan(result.shift_days[zone])
