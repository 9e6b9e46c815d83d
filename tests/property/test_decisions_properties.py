"""What holds for every epidemic, score and choice of destinations, whatever the numbers."""

import numpy as np
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from engine import decisions
from engine.decisions.rules import first_zones, overlaps


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
