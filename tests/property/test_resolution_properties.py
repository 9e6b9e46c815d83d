"""Coarse views: sensitivity by removing a person, sums, exact expectations by brute force."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine import datasets, density, origin_destination as od, resolution
from engine.contract import TimeSelection
from engine.datasets import RANK_BUCKET
from engine.geography import SMALLEST_OVERLAP
from engine.origin_destination.matrices import truncated_counts
from engine.resolution import DatasetView
from tests.reference.od_people import Counted
from tests.support.ingests import squares

ZONES, DAYS = 6, 9
LABELS = np.array([0, 0, 1, 1, 1, 2])
NAMES = [f"z{number}" for number in range(ZONES)]
BOXES = squares(ZONES, zone_id=NAMES, name=NAMES, province_id=[*"aabbbc"])
PROVINCES = resolution.zone_labels(BOXES, "province")

trips = st.tuples(
    st.integers(0, DAYS - 1), st.integers(0, ZONES - 1), st.integers(0, ZONES - 1)
).filter(lambda trip: trip[1] != trip[2])
people = st.lists(st.lists(trips, max_size=12), min_size=1, max_size=6)
steps = st.sampled_from(["day", "week", "whole"])
ends = st.lists(st.integers(0, DAYS - 1), min_size=2, max_size=2).map(sorted)
spans = ends.filter(lambda ends: ends[0] < ends[1]).flatmap(
    lambda ends: st.integers(1, (ends[1] + 1 - ends[0]) // 2).map(
        lambda span: TimeSelection(
            aggregation="whole", first_position=ends[0], last_position=ends[1], compared_days=span
        )
    )
)
whens = spans | st.builds(
    lambda step, ends: TimeSelection(
        aggregation=step, first_position=ends[0], last_position=ends[1]
    ),
    steps,
    ends,
)


class Looked(DatasetView):
    """The view of trips in memory, without a folder."""

    def __init__(self, everybody, when):
        source = Counted(everybody, ZONES, DAYS)
        source.zones, source.homes = BOXES, None
        self.base, self.level, self.time = source, "province", when
        self.labels, self._ids, self._names = PROVINCES
        days = [source.metadata.days[day] for day in when.day_positions(DAYS)]
        starts = [source.metadata.days[one[0]] for one in when.days_by_matrix(DAYS)]
        self.metadata = SimpleNamespace(
            days=tuple(days), periods=tuple(starts), trips_have_people=True
        )
        self.id = "view"

    has_person_ranks = True


def without(everybody, person, day):
    return [
        [trip for trip in own if day is not None and trip[0] != day] if i == person else own
        for i, own in enumerate(everybody)
    ]


@settings(max_examples=60, deadline=None)
@given(people, whens, st.integers(1, 4), st.sampled_from(["person-day", "person"]), st.data())
def test_one_unit_changes_the_kept_counts_by_at_most_t(everybody, when, limit, unit, data):
    person = data.draw(st.integers(0, len(everybody) - 1))
    day = data.draw(st.integers(0, DAYS - 1)) if unit == "person-day" else None
    periods = tuple(range(len(when.days_by_matrix(DAYS))))
    paid = [day for days in when.days_by_matrix(DAYS) for day in days]
    assert len(set(paid)) == len(paid) == sum(when.days_per_matrix(DAYS))
    before = truncated_counts(Looked(everybody, when), unit, limit, periods)
    after = truncated_counts(Looked(without(everybody, person, day), when), unit, limit, periods)
    assert np.abs(before - after).sum() <= limit


@settings(max_examples=40, deadline=None)
@given(people, whens)
def test_true_flows_are_those_of_data_ingested_at_the_coarse_level(everybody, when):
    """Truth agrees wherever ranks play no part: trips inside a coarse zone are dropped in both."""
    view = Looked(everybody, when)
    direct = np.zeros((len(view.metadata.periods), 3, 3), dtype=np.int64)
    for own in everybody:
        for day, origin, destination in own:
            a, b = LABELS[origin], LABELS[destination]
            for matrix, days in enumerate(when.days_by_matrix(DAYS)):
                direct[matrix, a, b] += a != b and day in days
    assert (od.truth(view) == direct).all()


@settings(max_examples=40, deadline=None)
@given(people, st.integers(1, 4))
def test_ranks_of_dropped_trips_are_not_used_again(everybody, limit):
    """A view keeps no more than a dataset ingested at the coarse level, which ranks anew."""
    coarse = [
        [(d, int(LABELS[a]), int(LABELS[b])) for d, a, b in own if LABELS[a] != LABELS[b]]
        for own in everybody
    ]
    ingested = truncated_counts(Counted(coarse, 3, DAYS), "person-day", limit, tuple(range(DAYS)))
    viewed = truncated_counts(
        Looked(everybody, TimeSelection()), "person-day", limit, tuple(range(DAYS))
    )
    assert viewed.sum() <= ingested.sum()
    assert truncated_counts(Looked(everybody, TimeSelection()), "trip", 1, (0,)).sum() == sum(
        trip[0] == 0 for own in coarse for trip in own
    )


def test_heavy_ranks_share_their_bucket():
    heavy = [[(0, 0, 2)] * 300]
    view = Looked(heavy, TimeSelection(aggregation="week"))
    assert view.trips.all_days.rank.max() == RANK_BUCKET
    assert od.truth(view).sum() == 300


@pytest.mark.parametrize("level", ["clusters-30", "clusters-1"])
def test_a_coarse_density_counts_the_same_visits(level):
    demo = datasets.load("demo-city")
    coarse = resolution.make_view(demo, level)
    fine_counts, coarse_counts = density.truth(demo), density.truth(coarse)
    labels = coarse.labels
    sums = np.stack([np.bincount(labels, weights=hour) for hour in fine_counts.T], axis=1)
    # a sliver of under a millionth of a tower's cell is dropped between zones, not inside one
    busiest = float(demo.truth_by_tower.max())
    assert coarse_counts == pytest.approx(sums, abs=10 * SMALLEST_OVERLAP * busiest)
    assert coarse_counts.sum() == pytest.approx(fine_counts.sum(), rel=1e-12)
    assert coarse.tessellation.to_cover.sum(axis=0) == pytest.approx(np.ones(len(demo.towers)))
