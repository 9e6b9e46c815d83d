"""Suppression without noise: what two tables give away, recounted flow by flow from the trips."""

from collections import Counter

import pytest

from engine import datasets, origin_destination as od
from engine.contract import Selection, Setting, TimeSelection
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
    return len(hidden), len(read), sum(trips == 1 for trips in read.values())


@pytest.mark.parametrize(
    ("name", "k", "figures"),
    [
        ("rwanda-districts", 15, (394, 306, 18)),
        ("demo-city", 15, (6313, 3929, 410)),
        ("rwanda-sectors", 15, (34291, 11545, 925)),
        ("rwanda-districts", 10, (328, 277, 29)),
        ("rwanda-districts", 1, (0, 0, 0)),
    ],
)
def test_two_tables_that_obey_the_rule_reveal_flows_that_it_hides(name, k, figures):
    dataset = datasets.load(name)
    attack = subtract_tables(dataset, k)
    assert attack.days == 7
    assert attack[1:] == figures == count_by_hand(dataset, k)


def test_the_attack_is_on_the_days_and_zones_of_the_view():
    country = datasets.load("rwanda-districts")
    view = make_view(country, "clusters-10", TimeSelection(first_position=2, last_position=4))
    attack = subtract_tables(view, 100)
    assert attack.days == 3
    assert attack[1:] == count_by_hand(view, 100)
    assert 0 < attack.read_flows < attack.hidden_flows
    one_day = make_view(country, "clusters-10", TimeSelection(last_position=0))
    assert subtract_tables(one_day, 100) is None


@pytest.mark.parametrize("threshold", [0, 1, 15, 10**6])
@pytest.mark.parametrize("zones", ["zones", "clusters-10"])
@pytest.mark.parametrize("time", ["day", "whole"])
def test_its_utility_is_that_of_its_table_whatever_epsilon_t_and_unit_are(threshold, zones, time):
    country = datasets.load("rwanda-districts")
    selection = Selection(
        dataset_id=country.id, zone_level=zones, time=TimeSelection(aggregation=time)
    )
    parameters = ODParameters(epsilon=0.1, max_trips_per_user=3, suppression_threshold=threshold)
    utility = compute_suppression_utility(
        Setting(selection=selection, parameters=parameters), country
    )
    true = od.truth(make_view(country, zones, selection.time))
    released = suppress_small_flows(true, parameters.min_shown_count)
    drawn = score_draw(true, released, parameters.min_shown_count)
    assert utility.retained == pytest.approx(drawn.retained, rel=1e-12)
    assert utility.released == released.sum()
    assert utility.shows_nothing == (threshold == 10**6)
    assert utility.shows_nothing or utility.genuine == drawn.genuine == 1
    assert (utility.crossing_share < 1) == (zones != "zones")
    assert threshold > 1 or utility.retained == 1
