"""Ranges beside large numbers hold as often as the page says."""

import numpy as np
import pytest

from pages._ui.cache.draws import REPEATS
from pages._ui.wording.cards import RANGES, WAITING, interval


@pytest.mark.parametrize("draw", ["normal", "laplace", "exponential"])
def test_the_next_draw_lies_within_nine_times_in_ten(draw):
    assert "9 of 10 draws" in RANGES
    draws = getattr(np.random.default_rng(0), draw)(size=(4000, REPEATS + 1))
    held = 0
    for row in draws:
        low, high = interval(row[:-1].tolist(), "{:.12f}".format).split(" to ")
        held += float(low) <= row[-1] <= float(high)
    assert held / len(draws) == pytest.approx(0.905, abs=0.02)


def test_fewer_draws_are_named_and_undefined_ones_do_not_count():
    assert interval(None, str) == WAITING
    assert interval([3.0, float("nan")], str) == WAITING
    assert interval([3.0, float("nan")], str, finished=True) == "no value in most draws"
    assert interval([float("nan")] * REPEATS, str) == "no value in most draws"
    assert interval([3.0, 1.0, 2.0], "{:g}".format) == "1 to 3 (3 draws)"
    assert interval([2.0] * REPEATS, "{:g}".format) == "2 in all draws"
    blank = [float(i) for i in range(REPEATS - 1)] + [float("nan")]
    assert interval(blank, "{:g}".format) == f"0 to {REPEATS - 2} ({REPEATS - 1} draws)"
