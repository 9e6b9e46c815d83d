"""Removing any one person changes a table of `zoom` and the sum of visits by at most 1 together.

In whole numbers; a table's change in its clips, that of the sum in K_max·√(64/63).
"""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings, strategies as st

from engine import density
from engine.datasets.zoomtables import (
    CITY_CLIPS_SQUARED,
    CLIP_SQUARED,
    WEIGHT_UNITS,
    room_units,
    weight_units,
)
from engine.density.zoom.tree import build_tree
from engine.synthetic.counts import Visits, ZoomCounts
from tests.reference.zoom_people import neighbours, random_positions

TOWERS = 7
records = st.tuples(st.integers(0, TOWERS - 1), st.integers(0, 167))
person = st.lists(records, min_size=1, max_size=90)
busy_hour = st.builds(lambda h: [(tower, h) for tower in range(TOWERS)], st.integers(0, 167))
busy_tower = st.builds(
    lambda t, n: [(t, h) for h in range(n)], st.integers(0, 6), st.integers(1, 168)
)
crowds = st.lists(st.one_of(person, busy_hour, busy_tower), min_size=1, max_size=5)
SETTINGS = settings(max_examples=40, deadline=None)


def within(change: np.ndarray, clip_squared: float, visits: int = 0, cap: int = 840) -> bool:
    """Whether the change is within what the sum of visits leaves of the clip, exactly."""
    squares = sum(int(value) ** 2 for value in change.ravel())
    share = Fraction(63, 64) * Fraction(visits, cap) ** 2
    return share + squares / (Fraction(clip_squared) * WEIGHT_UNITS**2) <= 1


def counted(crowd: list, cap: int) -> dict:
    """The tables with and without the first person, raw data rebuilt."""
    one, other = neighbours(dict(enumerate(crowd)), random_positions(TOWERS), cap)
    names = ("towers", "districts", "city", "weeks", "visits")
    return {name: getattr(one, name) - getattr(other, name) for name in names}


@SETTINGS
@given(crowd=crowds, cap=st.integers(1, 200))
def test_every_table_changes_by_at_most_its_clip(crowd: list, cap: int) -> None:
    change = counted(crowd, cap)
    visits = change["visits"]
    assert 0 < visits <= cap
    for name in ("towers", "districts", "weeks"):
        assert within(change[name], CLIP_SQUARED, visits, cap), name
    for row, clip_squared in zip(change["city"], CITY_CLIPS_SQUARED, strict=True):
        assert within(row, clip_squared, visits, cap)


@SETTINGS
@given(crowd=crowds)
def test_the_generators_count_and_the_ledger_say_the_same(crowd: list) -> None:
    """The sums of the simulated cities, counted all at once, have the ledger's sensitivities."""
    positions = random_positions(TOWERS)
    tables = []
    for people in (crowd, crowd[1:]):
        counts = ZoomCounts(build_tree(positions).districts, 840)
        rows = [(i, h, t) for i, person in enumerate(people) for t, h in sorted(set(person))]
        if rows:
            who, hour, tower = np.array(rows).T
            counts.add(Visits(who, hour, tower, home=np.zeros(len(people), dtype=np.int64)))
        tables.append(counts.tables())
    ledger = density.ledger(
        density.DensityParameters(epsilon=1.0, method="zoom"), cover_size=9, max_visits_cap=840
    )
    for stage, name in zip(ledger.stages, ("towers", "districts", "city", "weeks"), strict=False):
        change = (getattr(tables[0], name) - getattr(tables[1], name)) / WEIGHT_UNITS
        change = change[-1] if name == "city" else change  # the row of the largest clip
        assert np.sqrt((change**2).sum()) <= stage.sensitivity * (1 + 1e-12)


@given(
    squares=st.integers(1, 10**6),
    clip_squared=st.sampled_from(CITY_CLIPS_SQUARED),
    cap=st.integers(1, 10**6),
    share=st.floats(0, 1),
)
def test_weights_are_the_largest_within_the_clip(
    squares: int, clip_squared: float, cap: int, share: float
) -> None:
    visits = max(1, int(share * cap))
    room = int(room_units(np.array([visits]), cap)[0])
    left = WEIGHT_UNITS * (1 - Fraction(63, 64) * Fraction(visits, cap) ** 2)
    assert room <= left < room + 1
    weight = int(weight_units(np.array([squares]), clip_squared, np.array([room]))[0])
    limit = Fraction(clip_squared) * WEIGHT_UNITS * room
    assert weight**2 * squares <= limit
    assert weight == WEIGHT_UNITS or (weight + 1) ** 2 * squares > limit


def test_the_check_itself_sees_a_forgotten_clip_and_a_person_counted_twice() -> None:
    crowd = [[(0, hour) for hour in range(40)], [(1, 5)]]
    change = counted(crowd, 840)
    assert within(change["towers"], CLIP_SQUARED, 40)
    assert not within(2 * change["towers"], CLIP_SQUARED)
    assert not within(change["towers"], CLIP_SQUARED, 400)
    unclipped = np.zeros((TOWERS, 168), dtype=np.int64)
    unclipped[0, :40] = WEIGHT_UNITS
    assert not within(unclipped, CLIP_SQUARED)
