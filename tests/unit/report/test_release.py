import numpy as np
import pyarrow as pa
import pytest

from engine import datasets, report
from engine.errors import DatasetError, ParameterError
from engine.report import Analysis, Budget, ReportNoise, ReportParameters
from engine.report.bounding import BoundingCurve, TripsGuess, balance, error_parts
from engine.report.fivenumbers import compare_ways, true_five_numbers
from engine.report.loss import losses as losses_of
from engine.report.measures import Extent
from engine.report.mechanism import noisy_numbers
from pages._ui.shell.settings import MAX_TRIPS_STOPS
from tests.reference.report_people import FIRST_DAY, random_people, table_of

PEOPLE = random_people(np.random.default_rng(9), 80, 8.0)
TABLE = table_of(PEOPLE)


def parameters_of(**settings):
    return ReportParameters(**{"epsilon": 5.0, **settings})


def kept_of(analysis, **settings):
    return report.numbers(TABLE, analysis, parameters_of(**settings), kept=True)


def drawn(seed=0, **settings):
    noise = ReportNoise.draw(np.random.default_rng(seed))
    return report.release_table(TABLE, parameters_of(**settings), noise=noise)


def test_the_stops_are_those_of_the_slider():
    assert report.STOPS == MAX_TRIPS_STOPS


def test_the_same_noise_follows_epsilon():
    little, much = (drawn(epsilon=e).results[Analysis.HOURS] for e in (100.0, 1.0))
    a, b = (one.noisy - kept_of(Analysis.HOURS) for one in (little, much))
    assert np.abs(a * 100 - b).max() <= 51  # rounding of the smaller noise
    assert little.half_widths()[0] * 100 == pytest.approx(much.half_widths()[0])


def test_derived_numbers_are_sums_of_the_noisy_ones():
    results = drawn().results
    days = results[Analysis.DAYS]
    windows = results[Analysis.ZONE_WINDOWS].noisy.reshape(-1, 11)
    assert results[Analysis.ZONES].noisy.tolist() == windows.sum(axis=1).tolist()
    assert results[Analysis.WEEKDAYS].noisy.sum() == days.noisy[:-1].sum()
    people, trips, points = results[Analysis.STATISTICS].noisy
    assert people == results[Analysis.TRIPS_PER_USER].total
    assert trips == days.noisy[:-1].sum()
    assert points == 2 * trips
    assert results[Analysis.MISSING].noisy[0] == trips - results[Analysis.TRAVEL_TIME].total
    assert results[Analysis.MISSING].noisy[1] == windows[-1].sum()
    assert all(results[a].epsilon == 0 for a in drawn().parameters.plan.derived)


def test_shown_numbers_are_whole_and_not_below_zero_and_totals_are_not_clipped():
    result = drawn(epsilon=0.05).results[Analysis.FLOWS]
    assert (result.noisy < 0).any()
    assert result.shown.min() == 0
    assert result.total == result.noisy.sum() != result.shown.sum()


def test_intervals_hold_nine_times_in_ten():
    summed = (Analysis.DAYS, Analysis.WEEKDAYS, Analysis.ZONES, Analysis.MISSING)
    asked = (*summed, Analysis.ZONE_WINDOWS, Analysis.TRAVEL_TIME)
    only = Budget.of(weights={str(a): 0.0 for a in Analysis if a not in asked})
    first = drawn(budget=only).results
    widths = {name: first[name].half_widths() + 0.5 for name in summed}
    misses = {name: [] for name in summed}
    for seed in range(200):
        results = drawn(seed, budget=only).results
        for name in summed:
            misses[name].append(np.abs(results[name].noisy - kept_of(name)) > widths[name])
    for name in summed:
        assert np.mean(misses[name]) == pytest.approx(0.1, abs=0.035), name


def test_every_analysis_spends_its_share_and_no_more():
    for method in ("derived", "package"):
        release = drawn(method=method)
        assert release.ledger.proved_epsilon <= 5.0
        assert release.ledger.proved_epsilon == pytest.approx(5.0, rel=1e-4)
        spent = sum(result.epsilon for result in release.results.values())
        assert spent == pytest.approx(release.ledger.proved_epsilon)


@pytest.mark.parametrize("unit", ["user", "item"])
@pytest.mark.parametrize("method", ["derived", "package"])
def test_the_noisy_numbers_that_are_stated_are_those_that_are_drawn(unit, method):
    source, asked = ReportNoise.draw(np.random.default_rng(0)), []

    class Counting:
        def counts(self, analysis, scales, /):
            asked.append(len(scales))
            return source.counts(analysis, scales)

        gumbel = staticmethod(source.gumbel)

    params = ReportParameters(epsilon=1.0, unit=unit, method=method)
    report.release_table(TABLE, params, noise=Counting())
    assert noisy_numbers(params, TABLE.extent) == sum(asked)


def test_item_level_keeps_all_trips_and_hides_people():
    release = drawn(unit="item")
    assert Analysis.TRIPS_PER_USER not in release.results
    truth = report.numbers(TABLE, Analysis.DAYS, parameters_of())
    assert kept_of(Analysis.DAYS, unit="item").tolist() == truth.tolist()
    assert len(release.results[Analysis.STATISTICS].noisy) == 2


def test_drawn_five_numbers_are_candidates_in_order():
    release = drawn(method="package", epsilon=2.0)
    for analysis, five in release.five_numbers.items():
        bins = release.parameters.bins_of(analysis)
        assert five.drawn is not None
        assert (np.diff(five.drawn) >= 0).all()
        assert np.isin(five.drawn, [*bins.edges, *(bins.edges[1:] - 1)]).all()


def test_extremes_are_hard_to_tell_where_percentiles_are_not():
    """R4: beyond the data every candidate for the maximum has the same utility."""
    bins = ((Analysis.TRAVEL_TIME, report.Bins(minimum=0, maximum=1440, width=5)),)
    errors = {}
    for ends in ("percentiles", "extremes"):
        releases = [
            drawn(seed, method="package", ends=ends, bins=bins, epsilon=40_000.0)
            for seed in range(30)
        ]
        kept = true_five_numbers(TABLE, Analysis.TRAVEL_TIME, releases[0].parameters, kept=True)
        fives = [private.five_numbers[Analysis.TRAVEL_TIME] for private in releases]
        errors[ends] = np.mean([abs(five.drawn[4] - kept[4]) for five in fives])
    assert errors["extremes"] > 2 * errors["percentiles"]


def test_noisy_bins_beat_draws_at_equal_cost():
    sources = tuple(ReportNoise.draw(np.random.default_rng(seed)) for seed in range(20))
    params = ReportParameters(epsilon=20.0)
    ways = compare_ways(TABLE, Analysis.TRIPS_PER_USER, params, sources)
    assert ways["from_bins"] < ways["drawn"]


@pytest.mark.parametrize("analysis", [Analysis.TRIPS_PER_USER, Analysis.TRAVEL_TIME])
@pytest.mark.parametrize(("method", "way"), [("package", "drawn"), ("derived", "from_bins")])
def test_a_way_is_as_far_off_as_the_release_that_goes_it(method, way, analysis):
    source, params = ReportNoise.draw(np.random.default_rng(3)), parameters_of(method=method)
    released = report.release_table(TABLE, params, noise=source).five_numbers[analysis]
    far = getattr(released, way) - true_five_numbers(TABLE, analysis, params, kept=True)
    ways = compare_ways(TABLE, analysis, params, (source,))
    assert ways[way] == pytest.approx(np.abs(far).mean(), rel=1e-12)


def test_weeks_stand_for_days_in_long_periods():
    extents = [Extent(first_day=FIRST_DAY, days=days, zones=1) for days in (90, 91, 800)]
    names = [report.periods(extent).name for extent in extents]
    assert names == ["day", "week", "month"]
    weeks = report.periods(extents[1])
    assert weeks.starts[0] == FIRST_DAY
    assert all(start.weekday() == 0 for start in weeks.starts[1:])
    assert np.bincount(weeks.of_day).tolist()[:2] == [5, 7]


def test_a_dataset_without_the_table_says_how_to_get_it():
    country = datasets.load("rwanda-districts")
    assert not report.available(country)
    with pytest.raises(DatasetError, match=r"no mobility report .*build it again"):
        report.truth(country)


@pytest.mark.parametrize(
    "row", [("speed", 1, 0), ("day", 7, 0), ("day", 1, 99), ("flow", 1, -1), ("entropy", 258, 0)]
)
def test_a_table_that_is_not_as_expected_is_refused(row):
    measure, cap, number = row
    table = pa.table({"measure": [measure], "cap": [cap], "bin": [number], "n": [1]})
    with pytest.raises(DatasetError, match="not as expected"):
        report.ReportTable(table, Extent(first_day=FIRST_DAY, days=2, zones=2))


def test_losses_fit_their_analysis():
    release = drawn(method="package")
    assert set(losses_of(TABLE, release, Analysis.STATISTICS)) == {"relative_error"}
    assert "earth_movers_distance" in losses_of(TABLE, release, Analysis.TRAVEL_TIME)
    zones = losses_of(TABLE, release, Analysis.ZONES, slow=True, distances_m=1000 * (1 - np.eye(4)))
    assert {"kendall_tau", "earth_movers_distance", "top_2_coverage"} <= set(zones)
    off = drawn(budget=Budget.of(weights={"flows": 0.0}))
    with pytest.raises(ParameterError, match="not in this report"):
        losses_of(TABLE, off, Analysis.FLOWS)


def test_losses_vanish_without_noise_and_bounding():
    release = drawn(epsilon=1e6, max_trips_per_user=256, method="package")
    for analysis in release.results:
        losses = losses_of(TABLE, release, analysis, slow=True)
        for name, value in losses.items():
            perfect = 1.0 if name in ("pearson", "kendall_tau") or "coverage" in name else 0.0
            assert np.isnan(value) or value == pytest.approx(perfect, abs=1e-9), (analysis, name)


def test_best_m_follows_the_error_it_balances():
    guess = TripsGuess(people=5_000, mean=12.0, standard_deviation=15.0)
    left_out = np.array([guess.trips_left_out(m) for m in report.STOPS])
    assert (np.diff(left_out) < 0).all()
    few, many = (
        BoundingCurve(stops=report.STOPS, bounding=left_out, noise=noise * np.array(report.STOPS))
        for noise in (7 / 0.1, 10_000 / 0.1)
    )
    assert few.best > many.best
    spread = np.sqrt(np.log1p((15 / 12) ** 2))
    trips = np.random.default_rng(0).lognormal(np.log(12) - spread**2 / 2, spread, 400_000)
    expected = 5_000 * np.maximum(trips - 20, 0).mean()
    assert guess.trips_left_out(20) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("days", [7, 140])
def test_the_balance_counts_the_noise_of_the_numbers_that_are_shown(days):
    """Where days are shown by the week, a number holds seven days' noise."""
    table = report.ReportTable(
        pa.table({"measure": ["day"], "cap": [1], "bin": [0], "n": [5]}),
        Extent(first_day=FIRST_DAY, days=days, zones=1),
    )
    only = {str(a): float(a is Analysis.DAYS) for a in Analysis}
    params = ReportParameters(epsilon=1.0, budget=Budget.of(weights=only))
    guess = TripsGuess(people=5_000, mean=12.0, standard_deviation=15.0)
    errors = []
    for seed in range(60):
        release = report.release_table(table, params, rng=np.random.default_rng(seed))
        result = release.results[Analysis.DAYS]
        kept = report.numbers(table, Analysis.DAYS, params, kept=True)
        errors.append(np.abs(result.noisy - kept).sum())
    curve = balance(guess, result, 20)
    assert curve.noise[report.STOPS.index(20)] == pytest.approx(np.mean(errors), rel=0.1)
    if days == 7:
        assert curve.noise == pytest.approx([8 * m for m in report.STOPS])
        assert curve.bounding == pytest.approx([guess.trips_left_out(m) for m in report.STOPS])


def test_error_parts_add_up_to_what_draws_show():
    parts, errors = [], []
    for seed in range(40):
        result = drawn(seed, max_trips_per_user=256).results[Analysis.TRAVEL_TIME]
        kept = kept_of(Analysis.TRAVEL_TIME, max_trips_per_user=256)
        truth = report.numbers(TABLE, Analysis.TRAVEL_TIME, parameters_of())
        parts.append(error_parts(truth, kept, result))
        errors.append(np.abs(result.noisy - truth).mean())
    assert parts[0].bounding == 0
    assert np.mean(errors) == pytest.approx(parts[0].noise, rel=0.05)


def test_no_draw_of_a_report_shares_its_noise_with_another():
    source = ReportNoise.draw(np.random.default_rng(3))
    streams = [source.gumbel(a, n, 40) for a in Analysis for n in range(5)]
    # in units so fine that rounding leaves the variates apart
    streams += [source.counts(a, np.full(40, 1e12)) for a in Analysis]
    together = np.concatenate(streams)
    assert len(np.unique(together)) == len(together)
    again = ReportNoise.draw(np.random.default_rng(4))
    assert not np.isin(again.gumbel(Analysis.HOURS, 0, 40), streams).any()
    assert not np.isin(again.counts(Analysis.HOURS, np.full(40, 1e12)), together).any()


@pytest.mark.parametrize("unit", ["user", "item"])
def test_without_noise_what_is_derived_is_what_is_kept(unit):
    """Trips outside the period are in the table, and in no number of trips."""
    release = drawn(epsilon=1e6, unit=unit)
    assert len(release.parameters.plan.derived) == 4
    for analysis in release.parameters.plan.derived:
        result = release.results[analysis]
        assert result.noisy.tolist() == kept_of(analysis, unit=unit).tolist(), analysis
