"""The range of a released count against the law of the noise, value by value."""

import numpy as np
import pytest

from engine.origin_destination.laws import NoiseLaw, released_range


@pytest.mark.parametrize("law", ["rounded_laplace", "discrete_laplace"])
@pytest.mark.parametrize("rate", [0.02, 0.5, 3.0, 8.0])
@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_a_range_holds_its_share_of_releases_and_no_narrower_one_does(law, rate, share):
    noise = NoiseLaw(rate, law)
    values = np.arange(-2000, 2001)
    chance = noise.pmf(values)
    threshold = 15
    for kept in (0, 10, 15, 40, 900):
        released = np.where(kept + values >= threshold, kept + values, 0)
        low, high = (float(end) for end in released_range(noise, kept, threshold, share))
        within = chance[(released >= low) & (released <= high)].sum()
        assert within >= share - 1e-9
        reach = next(r for r in range(2001) if chance[np.abs(values) <= r].sum() >= share - 1e-12)
        ends = (kept - reach, kept + reach)
        assert (low, high) == tuple(end if end >= threshold else 0 for end in ends)
