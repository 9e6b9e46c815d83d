"""What holds for every epidemic, score and choice of destinations, whatever the numbers."""

import numpy as np
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from engine import decisions
from engine.decisions.epidemic import Compartments
from engine.decisions.rules import first_zones, overlaps

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
    state = Compartments(people, (origin,), model)
    assert state.infected.sum() == state.infected[0, origin] == model.seed_share * people[origin]
    recovered = np.zeros(5)
    for day in flows:
        before, ill = state.susceptible.copy(), state.infected.copy()
        state.next_day(day)
        well = people - state.susceptible[0] - state.infected[0]
        for part in (state.susceptible, state.infected, well):
            assert (part >= -1e-9 * people).all()
        assert (state.prevalence <= 1 + 1e-12).all()
        # who has left the susceptible never returns, nor who has recovered
        assert (state.susceptible <= before + 1e-9 * people).all()
        assert (well >= recovered - 1e-9 * people).all()
        if model.steps_per_day == 1:  # the recovered are those who were infected, and nobody else
            np.testing.assert_allclose(
                well - recovered, model.mu * ill[0], rtol=1e-9, atol=1e-9 * people.max()
            )
        recovered = well


@settings(deadline=None, max_examples=60)
@given(
    true=arrays(float, (8, 4), elements=st.floats(0, 0.4)),
    other=arrays(float, (3, 8, 4), elements=st.floats(0, 0.4)),
    threshold=st.floats(0.01, 1),
)
def test_every_zone_day_is_right_missed_or_needless(true, other, threshold):
    result = decisions.compare(true, other, threshold)
    assert (result.missed + result.needless <= 8).all()
    assert (result.acting == result.acting_true - result.missed + result.needless).all()
    swapped = decisions.compare(other, true[None].repeat(3, axis=0), threshold)
    assert (swapped.missed == result.needless).all()
    itself = decisions.compare(true, true, threshold)
    assert (itself.accuracy.mean == 1).all()
    assert not (itself.recall.mean < 1).any()


@settings(deadline=None, max_examples=80)
@given(
    true=arrays(np.int64, (3, 7), elements=st.integers(0, 6)),
    released=arrays(np.int64, (3, 7), elements=st.integers(0, 6)),
)
def test_overlaps_are_counted_as_by_sets(true, released):
    found = overlaps(true, released, 7)
    for day, k in np.ndindex(3, 7):
        first, other = (
            set(sorted(np.flatnonzero(each[day]), key=lambda j: (-each[day][j], j))[: k + 1])
            for each in (true, released)
        )
        assert set(np.flatnonzero(first_zones(true[day], k + 1))) == first
        expected = len(first & other) / len(first) if first else np.nan
        np.testing.assert_allclose(found[day, k], expected)
