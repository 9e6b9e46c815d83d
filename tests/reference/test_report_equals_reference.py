import numpy as np
import pytest

from engine import report
from engine.report import BINS, STOPS, Analysis
from engine.report.measures import Measure
from engine.report.quantiles import true_five_numbers
from engine.report.settings import QUANTILE_LEVELS
from tests.reference import report_reference as plain
from tests.reference.report_people import DAYS, FIRST_DAY, PLACES, ZONES, random_people, table_of

PEOPLE = random_people(np.random.default_rng(5), 150, 9.0)
TABLE = table_of(PEOPLE)


def reference(kept):
    return plain.Report(PEOPLE, PLACES, ZONES, FIRST_DAY, DAYS, kept)


@pytest.mark.parametrize("kept", [*STOPS, None])
def test_every_count_equals_its_definition_for_every_m(kept):
    expected = reference(kept)
    assert TABLE.counts(Measure.DAY, kept).tolist() == expected.by_day()
    assert TABLE.counts(Measure.HOUR, kept).tolist() == expected.by_hour()
    assert TABLE.counts(Measure.ZONE, kept).tolist() == expected.by_zone()
    assert TABLE.counts(Measure.FLOW, kept).tolist() == expected.flows()


VALUES = {
    Analysis.TRAVEL_TIME: "travel_minutes",
    Analysis.JUMP_LENGTH: "jumps_km",
    Analysis.GYRATION: "gyrations_km",
}


@pytest.mark.parametrize("kept", [1, 3, 8, None])
@pytest.mark.parametrize("analysis", VALUES)
def test_every_histogram_equals_its_definition(kept, analysis):
    observed = getattr(reference(kept), VALUES[analysis])()
    bins = BINS[analysis]
    expected = plain.histogram(observed, bins.edges.tolist())
    counted = bins.coarsen(TABLE.counts(bins.measure, kept))
    # metres are rounded: a length on the edge of a bin may fall on its other side
    slack = 0 if analysis is Analysis.TRAVEL_TIME else 2
    assert np.abs(counted - expected).sum() <= slack
    assert counted.sum() == len(observed)


def test_true_five_numbers_are_quantiles_of_the_values():
    params = report.ReportParameters(epsilon=1.0, max_trips_per_user=8)
    for analysis, fine in ((Analysis.TRAVEL_TIME, 1.0), (Analysis.GYRATION, 0.1)):
        values = getattr(reference(8), VALUES[analysis])()
        expected = np.maximum(np.quantile(values, QUANTILE_LEVELS, method="inverted_cdf"), 0)
        numbers = true_five_numbers(TABLE, analysis, params, is_truncated=True)
        assert np.abs(numbers - expected).max() <= fine


@pytest.mark.parametrize("kept", [1, 5, 256])
def test_size_and_days_follow_from_the_same_trips(kept):
    params = report.ReportParameters(epsilon=1.0, max_trips_per_user=kept)
    expected = reference(kept)
    size = report.count_analysis(TABLE, Analysis.SIZE, params, is_truncated=True).tolist()
    assert size == [expected.number_of_people(), len(expected.trips)]
    days = report.count_analysis(TABLE, Analysis.DAYS, params, is_truncated=True).tolist()
    assert days == [*expected.by_day()[1:], expected.by_day()[0]]
