"""Every attack stays within its guarantee; planted faults do not."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.origin_destination import NoiseLaw
from engine.parameters import ODParameters
from engine.privacy import Corridor, composed, randomised_response, strongest
from engine.privacy.attack import _cell

LAWS = st.sampled_from(["rounded_laplace", "discrete_laplace"])
EPSILONS = st.floats(1e-3, 8)
CORRIDORS = st.lists(
    st.builds(
        Corridor,
        trips=st.integers(1, 5),
        rest=st.one_of(st.integers(0, 30), st.integers(0, 10**9)),
        cells=st.integers(1, 3),
    ),
    min_size=1,
    max_size=2,
)


LARGEST = 600.0
"""Of losses: beyond, chances are too small for a float."""


def excess(losses, limit, most):
    """How far δ(ε) rises above a limit, up to a loss that is allowed."""
    at = np.linspace(0, min(most, LARGEST), 30)
    return max(losses.delta(epsilon) - limit.delta(epsilon) for epsilon in at)


def check(target, epsilon, threshold, unit, days, law):
    trips = sum(corridor.trips * corridor.cells for corridor in target)
    kept = 1 if unit == "trip" else trips
    parameters = ODParameters(
        epsilon=epsilon, max_trips_per_user=kept, suppression_threshold=threshold, unit=unit
    )
    days = 1 if unit == "person" else days
    attack = strongest(target, parameters, days=days, law=law)
    most = days * attack.guarantee.epsilon
    assert attack.losses.inside.sum() + attack.losses.proof == pytest.approx(1, abs=1e-7)
    assert attack.losses.outside.sum() + attack.losses.disproof == pytest.approx(1, abs=1e-7)
    assert excess(attack.losses, attack.limit, most) <= 1e-9
    if most < LARGEST:
        assert attack.losses.delta(most * (1 + 1e-9)) <= 1e-9


ARGUMENTS = {
    "target": CORRIDORS,
    "epsilon": EPSILONS,
    "threshold": st.integers(0, 20),
    "unit": st.sampled_from(["trip", "person-day", "person"]),
    "days": st.integers(1, 5),
    "law": LAWS,
}


@given(**ARGUMENTS)
@settings(max_examples=150, deadline=None)
def test_every_attack_is_within_its_guarantee(target, epsilon, threshold, unit, days, law):
    check(target, epsilon, threshold, unit, days, law)


@pytest.mark.long
@given(**ARGUMENTS)
@settings(max_examples=5_000, deadline=None)
def test_thousands_of_attacks_are_within_their_guarantee(
    target, epsilon, threshold, unit, days, law
):
    check(target, epsilon, threshold, unit, days, law)


@given(trips=st.integers(1, 5), epsilon=EPSILONS, spare=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_noise_at_the_wrong_scale_or_sensitivity_crosses_the_limit(trips, epsilon, spare):
    limit = composed([(*randomised_response(epsilon), 1)])

    def losses(sent, rate):
        noise = NoiseLaw(rate, "discrete_laplace")
        return composed([(*_cell(noise, sent, 15 + trips + spare, 15), 1)])

    right = epsilon / trips
    assert excess(losses(trips, right), limit, epsilon) <= 1e-9
    assert excess(losses(trips, right / 0.8), limit, 1.2 * epsilon) > 1e-6  # scale × 0.8
    assert excess(losses(2 * trips, right), limit, 2 * epsilon) > 1e-6  # sensitivity halved
    assert limit.advantage > losses(trips, right / 1.25).advantage
