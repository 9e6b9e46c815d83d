"""What holds for every epidemic, score and choice of destinations, whatever the numbers."""

import numpy as np
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from engine import decisions, origin_destination as od
from engine.decisions.epidemic import Scene
from engine.decisions.model import Compartments
from engine.decisions.scoring import compare

models = st.builds(
    lambda beta, alpha, mu, share, direction: decisions.EpidemicParameters(
        beta=beta,
        alpha=alpha,
        mu=mu,
        seed_share=share,
        direction=direction,
        steps_per_day=int(np.ceil(max(beta * (1 + alpha), mu, 1))),
    ),
    st.floats(0.01, 3),
    st.floats(0, 3),
    st.floats(0.001, 2),
    st.floats(0.001, 0.999),
    st.sampled_from(["departures", "arrivals"]),
)


@settings(deadline=None, max_examples=60)
@given(
    model=models,
    flows=arrays(float, (6, 5, 5), elements=st.floats(0, 1e6)),
    people=arrays(float, 5, elements=st.floats(1, 1e7)),
    origin=st.integers(0, 4),
)
def test_nobody_leaves_their_zone_and_prevalence_stays_a_share(model, flows, people, origin):
    scene = Scene(None, (origin,), None, tuple(range(7)))
    result = scene.spread(iter(flows), model, people)
    total = result.susceptible + result.infected + result.recovered
    np.testing.assert_allclose(total, np.broadcast_to(people, total.shape), rtol=1e-9)
    for part in (result.susceptible, result.infected, result.recovered):
        assert (part >= -1e-9 * people).all()
    assert (result.prevalence <= 1 + 1e-12).all()
    # the recovered are those who were infected and recovered, and nobody else
    if model.steps_per_day == 1:
        well = model.mu * result.infected[:, :-1]
        np.testing.assert_allclose(
            np.diff(result.recovered, axis=1), well, rtol=1e-9, atol=1e-9 * people.max()
        )
    assert (np.diff(result.recovered, axis=1) >= -1e-9 * people).all()
    # who has left the susceptible never returns
    assert (np.diff(result.susceptible, axis=1) <= 1e-9 * people).all()


def test_the_seed_is_a_share_of_one_zone():
    model = decisions.EpidemicParameters(seed_share=0.1)
    state = Compartments(np.array([10.0, 20.0]), (1,), model)
    assert state.infected[0].tolist() == [0, 2]
    assert state.susceptible[0].tolist() == [10, 18]


@settings(deadline=None, max_examples=60)
@given(
    true=arrays(float, (8, 4), elements=st.floats(0, 0.4)),
    other=arrays(float, (3, 8, 4), elements=st.floats(0, 0.4)),
    threshold=st.floats(0.01, 1),
)
def test_every_zone_day_is_right_missed_or_needless_and_the_zones_add_up(true, other, threshold):
    result = compare(true, other, threshold)
    assert (result.right + result.missed + result.needless == 8).all()
    assert (result.acting == result.acting_true - result.missed + result.needless).all()
    assert (np.sum(result.shifts, axis=0) == 4).all()
    swapped = compare(other, true[None].repeat(3, axis=0), threshold)
    assert (swapped.missed == result.needless).all()
    itself = compare(true, true, threshold)
    assert (itself.accuracy.mean == 1).all()
    assert not (itself.recall.mean < 1).any()


@settings(deadline=None, max_examples=40)
@given(
    kept=arrays(float, (1, 2, 6), elements=st.integers(0, 60)),
    epsilon=st.floats(0.05, 5),
    threshold=st.integers(0, 30),
    order=st.permutations(range(6)),
)
def test_probabilities_of_being_chosen(kept, epsilon, threshold, order):
    def select(counts):
        flows = decisions.Outflow(
            true=counts, kept=counts, destinations=np.arange(6), inside=np.zeros(1)
        )
        params = od.ODParameters(epsilon=epsilon, suppression_threshold=threshold, unit="trip")
        return decisions.selection_probability(flows, params, most=6)

    selection = select(kept)
    assert (selection.chosen >= -1e-12).all()
    assert (selection.chosen <= 1 + 1e-9).all()
    assert (np.diff(selection.chosen, axis=0) >= -1e-9).all()  # a longer list takes nobody off it
    named = selection.chosen.sum(axis=-1) + np.cumsum(selection.fewer, axis=0)
    np.testing.assert_allclose(named[:, 0], np.arange(1, 7), atol=1e-8)
    # the order of the affected zones changes nothing
    np.testing.assert_allclose(select(kept[:, ::-1]).chosen, selection.chosen, atol=1e-10)
    # the order of the destinations changes only ties
    moved = select(kept[:, :, list(order)])
    np.testing.assert_allclose(moved.chosen[5], selection.chosen[5][:, list(order)], atol=1e-9)
    np.testing.assert_allclose(moved.fewer, selection.fewer, atol=1e-9)
