"""A report: settings, shares, what follows from what, and the balance of M."""

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from engine import report
from engine.errors import DatasetError, ParameterError
from engine.report import STOPS, Analysis, ReportParameters
from engine.report.contribution_bounding import TripAssumption, compute_bounding_curve
from engine.report.measures import Extent, Measure
from engine.report.scores import error_measures
from tests.reference.report_people import DAYS, FIRST_DAY, ZONES, Trip, random_people, table_of

TABLE = table_of(random_people(np.random.default_rng(5), 150, 9.0))
EXTENT = Extent(first_day=FIRST_DAY, day_count=DAYS, zone_count=ZONES)


def drawn(seed=0, **settings):
    params = ReportParameters(**{"epsilon": 1.0, **settings})
    return report.release_table(TABLE, params, rng=np.random.default_rng(seed))


def test_counts_get_noise_of_their_share_and_sensitivity():
    """Noise of one number over many seeds has the scale Δ/ε of its share: ×0.8 and ×1.25 fail."""
    params = ReportParameters(epsilon=1.0, max_trips_per_user=5)
    assert params.charged_shares == dict.fromkeys(Analysis, 0.125)
    expected = {Analysis.DAYS: 5 / 0.125, Analysis.VISITS: 10 / 0.125, Analysis.GYRATION: 1 / 0.125}
    private = [drawn(seed, max_trips_per_user=5).results for seed in range(120)]
    for one, scale in expected.items():
        kept = report.count_analysis(TABLE, one, params, is_truncated=True)
        seen = [np.abs(results[one].noisy - kept).mean() for results in private]
        assert np.mean(seen) == pytest.approx(scale, rel=0.1)
        assert private[0][one].scales[0] == scale


def test_trips_are_the_sum_of_noisy_days_and_people_are_asked():
    private = drawn()
    size, days = private.results[Analysis.SIZE], private.results[Analysis.DAYS]
    assert size.noisy[1] == days.noisy[:-1].sum()
    assert size.variates.tolist() == [1, DAYS]
    assert size.scales[0] == 8.0
    halves = ((Analysis.SIZE, 0.5), (Analysis.FLOWS, 0.5))
    alone = drawn(shares=halves).results[Analysis.SIZE]
    assert alone.variates.tolist() == [1, 1]
    assert alone.scales.tolist() == [4.0, 80.0]


def test_the_package_pays_for_trips_and_five_draws():
    stages = report.METHODS["package"].cost(ReportParameters(epsilon=1.0, method="package")).stages
    drawn_shares = [stage.epsilon for stage in stages if stage.noise_scale is None]
    assert drawn_shares == pytest.approx([0.125 * 5 / 6] * 3)
    assert sum(stage.epsilon for stage in stages) == pytest.approx(1.0)
    private = drawn(method="package")
    assert private.results[Analysis.JUMP_LENGTH].drawn_five_numbers is not None
    assert private.results[Analysis.SIZE].variates.tolist() == [1, 1]


def test_single_trips_have_no_people_and_all_trips():
    params = ReportParameters(epsilon=1.0, unit="item")
    assert Analysis.GYRATION not in params.analyses
    assert Analysis.SIZE not in params.charged_shares  # trips follow from days
    results = drawn(unit="item").results
    assert results[Analysis.SIZE].epsilon == 0
    for one, change in ((Analysis.DAYS, 1), (Analysis.JUMP_LENGTH, 1), (Analysis.VISITS, 2)):
        assert results[one].scales[0] == pytest.approx(change / params.analysis_epsilon(one))
    kept = report.count_analysis(TABLE, Analysis.DAYS, params, is_truncated=True)
    assert (kept == report.count_analysis(TABLE, Analysis.DAYS, params)).all()


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"max_trips_per_user": 7}, "stops"),
        ({"max_trips_per_user": 2.5}, "whole"),
        ({"unit": "person"}, "unit"),
        ({"method": "free"}, "method"),
        ({"shares": (("days", 0.7), ("flows", 0.4))}, "at most 1"),
        ({"shares": (("weekdays", 0.5),)}, "name of an analysis"),
        ({"shares": ()}, "at least one analysis"),
        ({"unit": "item", "shares": (("gyration", 1.0),)}, "counts of people"),
        ({"unit": "item", "shares": (("size", 0.25), ("days", 0.25))}, "size must be 0"),
        ({"shares": (("days", 0.0),)}, "share of days"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, rule):
    with pytest.raises(ParameterError, match=rule):
        ReportParameters(**{"epsilon": 1.0, **settings})


@pytest.mark.parametrize("method", ["derived", "package"])
@pytest.mark.parametrize("unit", ["user", "item"])
def test_what_is_left_spends_all_of_epsilon_and_what_costs_nothing_gets_no_share(unit, method):
    """By the noise: the ε of every question by its sensitivity and scale."""
    params = ReportParameters(epsilon=1.0, unit=unit, method=method)
    params = params.without(["hours", "visits", "flows", "jump_length"])
    stages = report.METHODS[params.method].cost(params).stages
    questions = [one for one in stages if one.noise_scale is not None]
    spent = sum(one.sensitivity / one.noise_scale for one in questions)
    spent += sum(one.epsilon for one in stages if one.noise_scale is None)
    assert spent == pytest.approx(1.0, abs=1e-5)
    people = {"user": {Analysis.SIZE, Analysis.GYRATION}, "item": {Analysis.SIZE}}[unit]
    assert set(params.analyses) == {Analysis.DAYS, Analysis.TRAVEL_TIME} | people
    free = (unit, method) == ("item", "derived")  # trips follow from days, and people have none
    assert dict(params.shares)[Analysis.SIZE] == (0 if free else 1 / len(params.analyses))
    assert (Analysis.SIZE in params.charged_shares) == (not free)


def test_given_shares_hold():
    params = ReportParameters(epsilon=2.0, shares=((Analysis.FLOWS, 0.75), (Analysis.HOURS, 0.2)))
    assert params.analyses == (Analysis.HOURS, Analysis.FLOWS)
    assert params.analysis_epsilon(Analysis.FLOWS) == 1.5
    assert report.METHODS[params.method].cost(params).proved_epsilon == pytest.approx(1.9)


def test_travel_times_of_sightings_and_damaged_tables_are_refused():
    table = table_of(random_people(np.random.default_rng(2), 5, 3.0), measured=False)
    params = ReportParameters(epsilon=1.0)
    with pytest.raises(ParameterError, match="travel_time"):
        report.release_table(table, params, rng=np.random.default_rng(0))
    fit = report.fit_to_table(params, table)
    private = report.release_table(table, fit, rng=np.random.default_rng(0))
    assert set(private.results) == set(Analysis) - {Analysis.TRAVEL_TIME}
    assert report.fit_to_table(params, TABLE) is params
    for bad in ({"cap": 7, "bin": 0}, {"cap": 1, "bin": DAYS}, {"cap": 1, "bin": -2}):
        row = {"measure": ["day"], "cap": [bad["cap"]], "bin": [bad["bin"]], "n": [1]}
        with pytest.raises(DatasetError, match="not as expected"):
            report.ReportTable(pa.table(row), EXTENT)


def test_the_balance_counts_both_points_of_a_trip():
    """M trips move points by 2M: per trip their noise is that of the counts of trips."""
    guess = TripAssumption(people=1000, mean=10.0, standard_deviation=12.0)
    results = drawn(max_trips_per_user=10).results
    for analysis, cells in ((Analysis.HOURS, 96), (Analysis.FLOWS, ZONES**2)):
        curve = compute_bounding_curve(guess, results[analysis], 10)
        assert curve.noise_error == pytest.approx(cells * 8.0 * np.array(STOPS))
    trips = np.random.default_rng(0).lognormal(size=10**6)
    scale = np.sqrt(np.log1p(1.44))
    trips = 10 / np.sqrt(2.44) * np.exp(scale * np.log(trips))
    left = [1000 * np.maximum(trips - m, 0).mean() for m in STOPS]
    assert curve.truncation_error == pytest.approx(left, rel=0.02, abs=1.0)
    assert curve.best_limit == STOPS[np.argmin(curve.truncation_error + curve.noise_error)]


def test_losses_are_their_definitions():
    truth, private = np.array([10, 0, 30]), np.array([5, 5, 30])
    found = error_measures(truth, private, Analysis.VISITS)
    assert found["relative_error"] == pytest.approx((0.5 + 0) / 2)
    assert found["smape"] == pytest.approx((5 / 7.5 + 2) / 3)
    assert found["common_part"] == pytest.approx(1 - 10 / 80)
    assert np.isnan(found["top_10_coverage"])
    apart = error_measures(np.array([1, 0, 0]), np.array([0, 0, 1]), Analysis.JUMP_LENGTH)
    assert apart["js_divergence"] == pytest.approx(np.log(2))
    assert apart["earth_movers_distance"] == 2 * 0.5  # two bins of 0.5 km
    places = np.arange(20, 0, -1)
    assert error_measures(places, places[::-1], Analysis.VISITS)["top_10_coverage"] == 0
    assert error_measures(places, places + 1, Analysis.VISITS)["top_10_coverage"] == 1
    empty = error_measures(np.zeros(3, dtype=int), np.zeros(3, dtype=int), Analysis.GYRATION)
    assert np.isnan(list(empty.values())).tolist() == [True, False, True, True, True]
    scored = report.scores(TABLE, drawn())
    assert list(scored) == list(Analysis)
    assert list(scored[Analysis.SIZE]) == ["relative_error", "smape"]


def test_trips_beyond_the_largest_limit_are_in_the_truth_alone():
    start, count = datetime.combine(FIRST_DAY, datetime.min.time()), STOPS[-1] + 1
    table = table_of([[Trip(start, start + timedelta(minutes=9), 0, 1)] * count])
    for limit, counted in ((None, count), (STOPS[-1], STOPS[-1])):
        assert table.counts(Measure.TRAVEL_TIME, limit).sum() == counted
