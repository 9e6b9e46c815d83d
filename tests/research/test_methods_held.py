"""Intervals of whole releases: exact chances, the noise of the flow itself summed out."""

import numpy as np
import pytest

from research.methods.held import chances
from research.methods.law import noisy
from research.worlds import world


@pytest.mark.parametrize(("number", "rate"), [(11, 0.3), (30, 0.1), (30, 0.6)])
def test_every_flow_is_held_in_ninety_of_a_hundred_releases(number, rate):
    some = world(number)
    true = some.days()[0][:12, :12]
    distances_m, off = some.distances_m[:12, :12], ~np.eye(len(true), dtype=bool)
    for seed in range(3):
        cells = noisy(true, rate, seed)
        assert chances(true, cells, rate, distances_m)[off].min() >= 0.9
        # wider noise than is said is noticed
        assert chances(true, cells, rate, distances_m, scale=1.25)[off].mean() < 0.89
