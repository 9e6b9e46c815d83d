import math

import pytest

from engine import report
from engine.errors import ParameterError
from engine.ledger import Noise
from engine.report import Analysis, Bins, Budget, ReportParameters
from engine.report.analyses import sensitivity


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, True, "1", 1e9])
def test_epsilon_outside_its_range_is_refused(epsilon):
    with pytest.raises(ParameterError, match="epsilon must be"):
        ReportParameters(epsilon=epsilon)


@pytest.mark.parametrize("kept", [0, 257, 7, 2.5, math.nan])
def test_m_that_is_no_stop_is_refused_with_the_stops(kept):
    with pytest.raises(ParameterError, match=r"max_trips_per_user must .*; the counts are kept"):
        ReportParameters(epsilon=1.0, max_trips_per_user=kept)


def test_item_level_refuses_counts_of_people_with_the_reason():
    with pytest.raises(ParameterError, match=r"need unit='user'.*trips_per_user.*no bound"):
        ReportParameters(epsilon=1.0, unit="item", budget=Budget())
    with pytest.raises(ParameterError, match="no bound"):
        sensitivity("user", "item", 5)
    usual = ReportParameters(epsilon=1.0, unit="item").plan
    assert not set(usual.asked) & report.USER_ANALYSES


@pytest.mark.parametrize(
    ("low", "high", "width", "message"),
    [
        (5, 5, 1, "minimum must be below maximum"),
        (9, 5, 1, "minimum must be below maximum"),
        (-1, 5, 1, "at least 0"),
        (0, math.inf, 1, "finite"),
        (0, 5, 0, "width"),
        (0, 1001, 0.1, "at most 10,000 bins"),
        (0, 10, 3, "whole bins.*12"),
        (math.nan, 10, 1, "minimum"),
    ],
)
def test_bins_that_do_not_work_out_are_refused(low, high, width, message):
    with pytest.raises(ParameterError, match=message):
        Bins(minimum=low, maximum=high, width=width)


@pytest.mark.parametrize(
    ("analysis", "bins"),
    [
        (Analysis.TRAVEL_TIME, Bins(minimum=0, maximum=1.5, width=0.5)),
        (Analysis.TRAVEL_TIME, Bins(minimum=0, maximum=2000, width=10)),
        (Analysis.JUMP_LENGTH, Bins(minimum=950, maximum=1050, width=50)),
        (Analysis.ENTROPY, Bins(minimum=0, maximum=1, width=0.125)),
    ],
)
def test_bins_that_are_no_sums_of_the_cached_ones_are_refused(analysis, bins):
    with pytest.raises(ParameterError, match=r"sums of the cached ones.*multiples of"):
        ReportParameters(epsilon=1.0, bins=((analysis, bins),))


def test_bins_beyond_a_thousand_kilometres_are_coarse():
    bins = Bins(minimum=0, maximum=20_000, width=100)
    params = ReportParameters(epsilon=1.0, bins=((Analysis.JUMP_LENGTH, bins),))
    assert params.bins_of(Analysis.JUMP_LENGTH).count == 200


def test_bins_belong_to_histograms():
    with pytest.raises(ParameterError, match="bins belong to histograms"):
        ReportParameters(epsilon=1.0, bins=((Analysis.DAYS, Bins(minimum=0, maximum=2, width=1)),))


def test_all_weights_zero_is_refused():
    nothing = Budget.of(weights=dict.fromkeys(map(str, Analysis), 0.0))
    with pytest.raises(ParameterError, match=r"at least one analysis.*only zeros"):
        ReportParameters(epsilon=1.0, budget=nothing)


@pytest.mark.parametrize("weight", [-1, math.nan, math.inf, "1"])
def test_weights_below_zero_are_refused(weight):
    with pytest.raises(ParameterError, match="the weight of days"):
        Budget.of(weights={"days": weight})


@pytest.mark.parametrize("share", [0, -0.1, 1.1, math.nan])
def test_locked_shares_outside_their_range_are_refused(share):
    with pytest.raises(ParameterError, match="locked share of days"):
        Budget.of(locked={"days": share})


def test_unknown_analyses_are_refused():
    with pytest.raises(ParameterError, match="the name of an analysis"):
        Budget.of(weights={"speed": 1.0})


def test_locks_cannot_add_up_to_more_than_the_whole():
    with pytest.raises(ParameterError, match="add up to at most 1"):
        Budget.of(locked={"days": 0.6, "flows": 0.5})
    Budget.of(locked={"days": 0.6, "flows": 0.5}, weights={"flows": 0.0})


def test_locks_that_leave_nothing_for_another_analysis_are_refused():
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
