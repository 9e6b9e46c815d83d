"""One rule of three steps: the limits, their sides, and that every judgement follows it."""

import pytest

from engine.steps import level_of, step


def test_a_limit_belongs_to_the_better_step_whichever_way_is_better():
    use = [level_of(share) for share in (1.0, 0.9, 0.899, 0.5, 0.499, 0.0)]
    assert use == ["good", "good", "partly", "partly", "noisy", "noisy"]


@pytest.mark.parametrize("share", [0.89949, 0.8995, 0.89951, 0.90049, 0.49949, 0.49951])
def test_what_is_judged_is_the_figure_as_it_is_written(share):
    written = float(f"{100 * share:.1f}")
    assert level_of(share) == level_of(written / 100)
    assert (level_of(share) == "good") == (written >= 90.0)
    assert (level_of(share) == "noisy") == (written < 50.0)


def test_what_has_no_value_is_too_noisy():
    assert step(float("nan"), good=0.9, partly=0.5) == "noisy"
    assert step(float("nan"), good=0.75, partly=0.95) == "noisy"
