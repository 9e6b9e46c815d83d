import math

import pytest

from engine import report
from engine.errors import ParameterError
from engine.ledger import Noise
from engine.report import Analysis, Bins, Budget, ReportParameters
from engine.report.analyses import sensitivity

NAN = math.nan
NOTHING = dict.fromkeys(map(str, Analysis), 0.0)


def bins(low, high, width, analysis=None):
    """Return bins, or settings with them."""
    some = Bins(minimum=low, maximum=high, width=width)
    return ReportParameters(epsilon=1.0, bins=((analysis, some),)) if analysis else some


def budget(**shared):
    return ReportParameters(epsilon=1.0, budget=Budget.of(**shared))


@pytest.mark.parametrize(
    ("message", "ask", "given"),
    [
        ("epsilon must be", ReportParameters, [
            {"epsilon": one} for one in (0, -1, NAN, math.inf, True, "1", 1e9)
        ]),
        (r"max_trips_per_user must .*; the counts are kept", ReportParameters, [
            {"epsilon": 1.0, "max_trips_per_user": one} for one in (0, 257, 7, 2.5, NAN)
        ]),
        (r"need unit='user'.*trips_per_user.*no bound", ReportParameters, [
            {"epsilon": 1.0, "unit": "item", "budget": Budget()}
        ]),
        (r"at least one analysis.*only zeros", budget, [{"weights": NOTHING}]),
        ("the weight of days", budget, [
            {"weights": {"days": one}} for one in (-1, NAN, math.inf, "1")
        ]),
        ("locked share of days", budget, [
            {"locked": {"days": one}} for one in (0, -0.1, 1.1, NAN)
        ]),
        ("the name of an analysis", budget, [{"weights": {"speed": 1.0}}]),
        ("add up to at most 1", budget, [{"locked": {"days": 0.6, "flows": 0.5}}]),
    ],
)  # fmt: skip
def test_settings_outside_their_range_are_refused_with_the_rule(message, ask, given):
    for one in given:
        with pytest.raises(ParameterError, match=message):
            ask(**one)


@pytest.mark.parametrize(
    ("message", "given"),
    [
        ("minimum must be below maximum", (5, 5, 1)),
        ("minimum must be below maximum", (9, 5, 1)),
        ("at least 0", (-1, 5, 1)),
        ("finite", (0, math.inf, 1)),
        ("width", (0, 5, 0)),
        ("at most 10,000 bins", (0, 1001, 0.1)),
        ("whole bins.*12", (0, 10, 3)),
        ("minimum", (NAN, 10, 1)),
        ("bins belong to histograms", (0, 2, 1, Analysis.DAYS)),
        *(
            (r"sums of the cached ones.*multiples of", one)
            for one in (
                (0, 1.5, 0.5, Analysis.TRAVEL_TIME),
                (0, 2000, 10, Analysis.TRAVEL_TIME),
                (950, 1050, 50, Analysis.JUMP_LENGTH),
                (0, 1, 0.125, Analysis.ENTROPY),
            )
        ),
    ],
)
def test_bins_that_do_not_work_out_are_refused(message, given):
    with pytest.raises(ParameterError, match=message):
        bins(*given)


def test_bins_beyond_a_thousand_kilometres_are_coarse():
    params = bins(0, 20_000, 100, Analysis.JUMP_LENGTH)
    assert params.bins_of(Analysis.JUMP_LENGTH).count == 200


def test_item_level_leaves_counts_of_people_out():
    with pytest.raises(ParameterError, match="no bound"):
        sensitivity("user", "item", 5)
    usual = ReportParameters(epsilon=1.0, unit="item").plan
    assert not set(usual.asked) & report.USER_ANALYSES


def test_locks_leave_enough_for_what_is_on():
    Budget.of(locked={"days": 0.6, "flows": 0.5}, weights={"flows": 0.0})
    full = Budget.of(locked={"days": 1.0})
    with pytest.raises(ParameterError, match=r"none left for flows"):
        full.shares([Analysis.DAYS, Analysis.FLOWS])


def test_switching_off_gives_the_share_to_the_others():
    asked = [Analysis.DAYS, Analysis.FLOWS, Analysis.HOURS]
    budget = Budget.of(weights={"flows": 2.0}, locked={"days": 0.4})
    without = budget.with_weight(Analysis.FLOWS, 0.0)
    assert without.shares(asked) == {Analysis.DAYS: 0.4, Analysis.HOURS: 0.6}
    unlocked = Budget(weights=budget.weights).shares(asked)
    assert unlocked[Analysis.FLOWS] == pytest.approx(0.5, abs=1e-6)


def test_what_nobody_takes_is_not_spent():
    only = Budget.of(
        weights={str(a): 0.0 for a in Analysis if a is not Analysis.DAYS}, locked={"days": 0.25}
    )
    params = ReportParameters(epsilon=2.0, budget=only)
    assert params.plan.unspent == pytest.approx(0.75)
    assert report.ledger(params).proved_epsilon == pytest.approx(0.5)


def test_the_package_preset_asks_fifteen_equal_shares():
    params = ReportParameters(epsilon=3.0, method="package")
    assert len(params.plan.asked) == 15
    assert set(params.plan.asked.values()) == {66_666 / 1e6}
    stages = report.ledger(params).stages
    draws = [stage for stage in stages if stage.noise is Noise.EXPONENTIAL]
    assert len(draws) == 7
    assert len({stage.name for stage in stages}) == len(stages)
    assert "Size of the data, people" in {stage.name for stage in stages}
    assert all(stage.epsilon == pytest.approx(0.2 * 5 / 6, rel=1e-4) for stage in draws)


def test_the_derived_preset_asks_nothing_twice():
    plan = ReportParameters(epsilon=1.0).plan
    assert set(plan.derived) == {
        Analysis.STATISTICS,
        Analysis.MISSING,
        Analysis.WEEKDAYS,
        Analysis.ZONES,
    }
    assert not set(plan.derived) & set(plan.asked)
    no_days = Budget.of(weights={"days": 0.0})
    plan = ReportParameters(epsilon=1.0, budget=no_days).plan
    assert Analysis.WEEKDAYS in plan.asked  # nothing to derive it from
    assert Analysis.STATISTICS in plan.asked


def test_with_one_trip_a_person_there_is_no_time_between_trips():
    plan = ReportParameters(epsilon=1.0, max_trips_per_user=1).plan
    assert plan.empty == (Analysis.TIME_BETWEEN,)
    assert Analysis.TIME_BETWEEN not in plan.asked
