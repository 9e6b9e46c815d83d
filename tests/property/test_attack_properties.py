"""Every ROC is one, and stays within its guarantee; planted faults do not."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine import attack
from engine.attack import Corridor
from engine.attack.cells import cell_losses
from engine.attack.roc import roc
from engine.parameters import ODParameters
from engine.risk import Guarantee

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


def excess(curve, limit):
    """How far a curve rises above a limit, at its corners."""
    allowed = np.interp(curve.false_positives, limit.false_positives, limit.true_positives)
    return float((curve.true_positives - allowed).max())


def check(target, epsilon, threshold, unit, days, law):
    trips = sum(corridor.total for corridor in target)
    kept = 1 if unit == "trip" else trips
    parameters = ODParameters(
        epsilon=epsilon, max_trips_per_user=kept, suppression_threshold=threshold, unit=unit
    )
    days = 1 if unit == "person" else days
    strongest = attack.strongest(target, parameters, days=days, law=law)
    wrong, right = strongest.roc.false_positives, strongest.roc.true_positives
    assert wrong[0] == right[0] == 0
    assert wrong[-1] == right[-1] == 1
    across, up = np.diff(wrong), np.diff(right)
    assert (across >= 0).all()
    assert (up >= 0).all()
    # slopes fall: no corner lies below the line through its neighbours
    assert (up[:-1] * across[1:] - up[1:] * across[:-1] >= -1e-12).all()
    assert excess(strongest.roc, strongest.limit) <= 1e-9
    assert strongest.roc.largest_loss <= days * strongest.guarantee.epsilon * (1 + 1e-9)
    assert 0.5 - 1e-9 <= strongest.roc.area <= strongest.limit.area + 1e-9


ARGUMENTS = {
    "target": CORRIDORS,
    "epsilon": EPSILONS,
    "threshold": st.integers(0, 20),
    "unit": st.sampled_from(["trip", "person-day", "person"]),
    "days": st.integers(1, 5),
    "law": LAWS,
}


@given(**ARGUMENTS)
@settings(max_examples=200, deadline=None)
def test_every_roc_is_concave_and_within_its_guarantee(target, epsilon, threshold, unit, days, law):
    check(target, epsilon, threshold, unit, days, law)


@pytest.mark.long
@given(**ARGUMENTS)
@settings(max_examples=10_000, deadline=None)
def test_ten_thousand_rocs_are_within_their_guarantee(target, epsilon, threshold, unit, days, law):
    check(target, epsilon, threshold, unit, days, law)


@given(trips=st.integers(1, 5), epsilon=EPSILONS, spare=st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_noise_at_the_wrong_scale_or_sensitivity_crosses_the_limit(trips, epsilon, spare):
    threshold = 15
    limit = attack.limit(Guarantee(epsilon=epsilon))
    rest = threshold + trips + spare

    def curve(sent, rate):
        return roc(
            cell_losses(sent, rest, rate=rate, threshold=threshold, law="discrete_laplace").once
        )

    right = epsilon / trips
    assert excess(curve(trips, right), limit) <= 1e-12
    assert excess(curve(trips, right / 0.8), limit) > 1e-6  # scale × 0.8
    assert excess(curve(2 * trips, right), limit) > 1e-6  # sensitivity halved
    assert attack.limit(Guarantee(epsilon=epsilon)).advantage > curve(trips, right / 1.25).advantage
