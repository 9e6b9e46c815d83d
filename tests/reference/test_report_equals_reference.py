import numpy as np
import pytest

from engine import report
from engine.report import Analysis
from engine.report.fivenumbers import true_five_numbers
from engine.report.measures import FINE_EDGES, STOPS, Measure
from tests.reference import report_reference as plain
from tests.reference.report_people import DAYS, FIRST_DAY, PLACES, ZONES, random_people, table_of

PEOPLE = random_people(np.random.default_rng(5), 150, 9.0)
TABLE = table_of(PEOPLE)


def reference(kept):
    return plain.Report(PEOPLE, PLACES, ZONES, FIRST_DAY, DAYS, kept)


@pytest.mark.parametrize("kept", [*STOPS, None])
def test_every_count_equals_its_definition_for_every_m(kept):
    expected = reference(kept)
    counts = {measure: TABLE.counts(measure, kept).tolist() for measure in Measure}
    assert counts[Measure.DAY] == expected.by_day()
    assert counts[Measure.HOUR] == expected.by_hour()
    assert counts[Measure.ZONE_HOUR] == expected.by_zone_hour()
    assert counts[Measure.FLOW] == expected.flows()
    assert counts[Measure.NO_END] == [expected.without_end()]


@pytest.mark.parametrize("kept", [1, 3, 8, None])
@pytest.mark.parametrize(
    ("analysis", "values", "bins"),
    [
        ("travel_time", "travel_minutes", {"minimum": 5, "maximum": 60, "width": 5}),
        ("trips_per_user", "trips_per_user", {"minimum": 1, "maximum": 11, "width": 1}),
        ("time_between", "hours_between", {"minimum": 0, "maximum": 48, "width": 1.5}),
        ("zones_per_user", "zones_per_user", {"minimum": 1, "maximum": 4, "width": 1}),
        ("jump_length", "jumps_km", {"minimum": 0, "maximum": 40, "width": 2}),
        ("gyration", "gyrations_km", {"minimum": 0, "maximum": 20, "width": 0.5}),
        ("entropy", "entropies", {"minimum": 0, "maximum": 1, "width": 0.1}),
    ],
)
def test_every_histogram_equals_its_definition(kept, analysis, values, bins):
    chosen = report.Bins(**bins)
    observed = getattr(reference(kept), values)()
    fine = TABLE.counts(Measure(analysis), kept)
    # a value of exactly the top of the last fine bin belongs to it
    top = FINE_EDGES[Measure(analysis)][-1]
    observed = [min(value, top - 1e-9) if analysis == "entropy" else value for value in observed]
    expected = plain.histogram(observed, chosen.edges.tolist())
    positions = np.searchsorted(FINE_EDGES[Measure(analysis)], chosen.edges - 1e-9)
    counted = np.add.reduceat(fine, np.r_[0, positions + 1]).tolist()
    # metres are rounded: a radius on the edge of a bin may fall on its other side
    slack = 2 if analysis in ("gyration", "jump_length") else 0
    assert np.abs(np.array(counted) - expected).sum() <= slack
    assert sum(counted) == len(observed)


def test_true_five_numbers_are_quantiles_of_the_values():
    params = report.ReportParameters(epsilon=1.0, max_trips_per_user=8)
    exact = {
        Analysis.TRAVEL_TIME: (reference(8).travel_minutes(), 1.0),
        Analysis.TIME_BETWEEN: (reference(8).hours_between(), 0.25),
        Analysis.GYRATION: (reference(8).gyrations_km(), 0.1),
    }
    for analysis, (values, resolution) in exact.items():
        expected = np.quantile(values, params.levels, method="inverted_cdf")
        numbers = true_five_numbers(TABLE, analysis, params, kept=True)
        expected = np.maximum(expected, 0)  # overlapping trips lie below the bins
        assert np.abs(numbers - expected).max() <= resolution
    ranks = np.quantile(reference(8).zones_per_user(), params.levels, method="inverted_cdf")
    numbers = true_five_numbers(TABLE, Analysis.ZONES_PER_USER, params, kept=True)
    assert numbers.tolist() == ranks.tolist()


def test_weekdays_zones_and_totals_follow_from_days_and_windows():
    params = report.ReportParameters(epsilon=1.0, max_trips_per_user=5, method="package")
    expected = reference(5)
    weekdays = [0] * 7
    for trip in expected.trips:
        weekdays[trip.start.weekday()] += 1
    zones = [0] * (ZONES + 1)
    for _, place in expected.points():
        zone = expected.zone(place)
        zones[ZONES if zone is None else zone] += 1
    kept = {a: report.numbers(TABLE, a, params, kept=True).tolist() for a in Analysis}
    assert kept[Analysis.WEEKDAYS] == weekdays
    assert kept[Analysis.ZONES] == zones
    trips = len(expected.trips)
    assert kept[Analysis.STATISTICS] == [len(expected.trips_per_user()), trips, 2 * trips]
    assert kept[Analysis.MISSING] == [expected.without_end(), zones[-1]]
    assert kept[Analysis.DAYS] == [*expected.by_day()[1:], expected.by_day()[0]]
