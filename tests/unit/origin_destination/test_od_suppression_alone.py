"""Suppression without noise: what two tables give away, recounted flow by flow from the trips."""

from collections import Counter

import pytest

from engine import datasets, origin_destination as od
from engine.contract import TimeSelection
from engine.origin_destination.scores import score_draw
from engine.origin_destination.suppression_alone import subtract_tables, suppress_small_flows
from engine.parameters import ODParameters
from engine.resolution import make_view
from engine.utility import compute_suppression_utility


def count_by_hand(view, k):
    """Publish both tables as a reader sees them, subtract them, and look the answers up."""
    by_day = [Counter() for _ in view.metadata.days]
    for position, flows in enumerate(by_day):
        rows = view.trips.day(position)
        for start, end, trips in zip(rows.origin, rows.destination, rows.trip_count, strict=True):
            if start != end:
                flows[int(start), int(end)] += int(trips)

    def publish(days):
        total = sum(days, Counter())
        return {flow: trips for flow, trips in total.items() if trips >= k}

    longer, shorter = publish(by_day), publish(by_day[:-1])
    told = {flow: longer[flow] - shorter[flow] for flow in longer.keys() & shorter.keys()}
    hidden = {flow: trips for flow, trips in by_day[-1].items() if trips and trips < k}
    read = {flow: trips for flow, trips in hidden.items() if told.get(flow) == trips}
    return len(by_day), len(hidden), len(read), sum(trips == 1 for trips in read.values())


CHECKED = [
    ("rwanda-districts", 15, (7, 394, 306, 18)),
    ("rwanda-districts", 1, (7, 0, 0, 0)),
    ("demo-city", 15, (7, 6313, 3929, 410)),
    ("rwanda-sectors", 15, (7, 34291, 11545, 925)),
]


@pytest.mark.parametrize(("name", "k", "figures"), CHECKED)
def test_two_tables_that_obey_the_rule_reveal_flows_that_it_hides(name, k, figures):
    dataset = datasets.load(name)
    assert subtract_tables(dataset, k) == figures
    if name != "rwanda-sectors":  # of which a count by hand takes seconds
        assert count_by_hand(dataset, k) == figures


def test_the_attack_is_on_the_days_and_zones_of_the_view():
    country = datasets.load("rwanda-districts")
    view = make_view(country, "clusters-10", TimeSelection(first_position=2, last_position=4))
    days, hidden, read, _ = attack = subtract_tables(view, 100)
    assert attack == count_by_hand(view, 100)
    assert (days, 0 < read < hidden) == (3, True)
    assert subtract_tables(make_view(country, time=TimeSelection(last_position=0)), 100) is None


@pytest.mark.parametrize("threshold", [0, 1, 15, 10**6])
@pytest.mark.parametrize("time", ["day", "whole"])
def test_its_utility_is_that_of_its_table(threshold, time):
    parameters = ODParameters(epsilon=1.0, suppression_threshold=threshold)
    country = datasets.load("rwanda-districts")
    view = make_view(country, "clusters-20", TimeSelection(aggregation=time))
    true = od.truth(view)
    released = suppress_small_flows(true, parameters.min_shown_count)
    assert (released == true * (true >= max(threshold, 1))).all()
    drawn = score_draw(true, released)
    utility = compute_suppression_utility(view, parameters.min_shown_count)
    shares = utility.retained, utility.genuine, utility.released
    expected = drawn.retained, drawn.genuine, released.sum()
    assert shares == pytest.approx(expected, rel=1e-12, nan_ok=True)
