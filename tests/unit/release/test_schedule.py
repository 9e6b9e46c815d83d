"""Schedules of recurring releases: which runs there are, and when the last one ends."""

from datetime import date, timedelta

import pytest

from engine.errors import ParameterError
from engine.release.recurring import Schedule
from tests.support.trips import FIRST


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"runs": 0}, "runs must be"),
        ({"runs": 10**6}, "must end within"),
        ({"days": 0}, "days must be"),
        ({"days": 7, "every": 6}, "every must be"),
        ({"first": date.max}, "must end within"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(changes, words):
    with pytest.raises(ParameterError, match=words):
        Schedule(**{"first": FIRST, "runs": 3, **changes})


@pytest.mark.parametrize(("days", "every"), [(7, 7), (1, 1), (2, 5)])
@pytest.mark.parametrize("whole", range(7, 23))
def test_all_runs_that_end_in_time_are_planned(days, every, whole):
    until = FIRST + timedelta(days=whole - 1)
    schedule = Schedule.until(FIRST, until, days=days, every=every)
    assert schedule.last == schedule.dates(schedule.runs)[-1] <= until
    assert schedule.dates(schedule.runs + 1)[-1] > until


def test_a_plan_may_last_a_hundred_years():
    longest = Schedule(first=FIRST, runs=5_229, days=4, every=7)  # 5,228 · 7 + 4 = 36,600 days
    assert (longest.last - FIRST).days + 1 == 36_600
    with pytest.raises(ParameterError, match="must end within"):
        Schedule(first=FIRST, runs=5_229, days=5, every=7)
