"""Groups of zones for a map seen from far away: sums of flows, no more."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as arrays

from engine import datasets, resolution
from engine.resolution import flows_between, group_levels


@settings(max_examples=60, deadline=None)
@given(
    arrays.arrays(np.int64, (6, 6), elements=st.integers(0, 99)),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
)
def test_flows_between_groups_are_sums_of_the_flows_between_their_zones(flows, groups):
    labels = np.unique([*groups], return_inverse=True)[1]
    between = flows_between(flows, labels)
    for a in range(between.shape[0]):
        for b in range(between.shape[1]):
            pairs = [(i, j) for i in range(6) for j in range(6) if (labels[i], labels[j]) == (a, b)]
            assert between[a, b] == (0 if a == b else sum(flows[pair] for pair in pairs))


def test_levels_have_a_quarter_of_the_zones_each_and_hold_every_zone_once():
    zones = datasets.load("rwanda-sectors").zones
    whole = shapely.area(zones.geometry).sum()
    levels = group_levels(zones)
    assert [len(level.zones) for level in levels] == [104, 26]
    for level in levels:
        assert np.unique(level.labels).tolist() == list(range(len(level.zones)))
        k = len(level.zones)
        assert level.labels.tolist() == resolution.cluster_zones(zones, k).tolist()
        assert shapely.area(level.zones.geometry).sum() == pytest.approx(whole, rel=1e-3)
