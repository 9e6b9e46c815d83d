"""Removing any one person changes the tables of `zoom` by at most μ together, whatever the clips.

In whole numbers; a table's change in its clips, that of the sum in K_max/√s.
"""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings, strategies as st

from engine import density
from engine.datasets.zoomtables import USUAL, WEIGHT_UNITS, ZoomClips, room_units, weight_units
from engine.density.gaussian import gaussian_strength
from engine.density.zoom.costs import strengths_of
from engine.density.zoom.measure import noise_scale, visits_scale
from engine.density.zoom.tree import build_tree
from tests.reference.zoom_people import neighbours, random_positions
from tests.support.visit_counts import Visits, ZoomCounts

TOWERS = 7
TABLES = ("towers", "districts", "city", "weeks")
records = st.tuples(st.integers(0, TOWERS - 1), st.integers(0, 167))
person = st.lists(records, min_size=1, max_size=90)
busy_hour = st.builds(lambda h: [(tower, h) for tower in range(TOWERS)], st.integers(0, 167))
busy_tower = st.builds(
    lambda t, n: [(t, h) for h in range(n)], st.integers(0, 6), st.integers(1, 168)
)
crowds = st.lists(st.one_of(person, busy_hour, busy_tower), min_size=1, max_size=5)
means = st.one_of(st.none(), st.floats(1, 40))
SETTINGS = settings(max_examples=40, deadline=None)


def within(change: np.ndarray, clip_squared: float, visits: int = 0, cap: int = 840) -> bool:
    """Whether the change is within what the sum of visits leaves of the usual clip, exactly."""
    squares = sum(int(value) ** 2 for value in change.ravel())
    share = Fraction(63, 64) * Fraction(visits, cap) ** 2
    return share + squares / (Fraction(clip_squared) * WEIGHT_UNITS**2) <= 1


@SETTINGS
@given(crowd=crowds, cap=st.integers(1, 200))
def test_every_table_changes_by_at_most_its_clip(crowd: list, cap: int) -> None:
    """Raw data rebuilt by the plain reference, with and without the first person."""
    one, other = neighbours(dict(enumerate(crowd)), random_positions(TOWERS), cap)
    visits = one.visits - other.visits
    assert 0 < visits <= cap
    for name in TABLES:
        change = getattr(one, name) - getattr(other, name)
        for row, squared in (
            zip(change, USUAL.city, strict=False) if name == "city" else [(change, USUAL.squared)]
        ):
            assert within(row, squared, visits, cap), name


@SETTINGS
@given(crowd=crowds, mean=means, spare=st.integers(0, 200))
def test_a_person_is_within_the_mechanism_for_any_public_mean(
    crowd: list, mean: float | None, spare: int
) -> None:
    """Σ (change/σ)² over the five tables is at most μ², whichever row of the city is taken."""
    cap = max(len(set(person)) for person in crowd) + spare
    clips = ZoomClips.of(None if mean is None else min(mean, cap), cap)
    tables = []
    for people in (crowd, crowd[1:]):
        counts = ZoomCounts(build_tree(random_positions(TOWERS)).districts, cap, clips=clips)
        rows = [(i, h, t) for i, person in enumerate(people) for t, h in sorted(set(person))]
        if rows:
            who, hour, tower = np.array(rows).T
            counts.add(Visits(who, hour, tower, home=np.zeros(len(people), dtype=np.int64)))
        tables.append(counts.tables())
    parameters = density.DensityParameters(epsilon=1.0, method="zoom")
    strength = gaussian_strength(1.0, parameters.delta)
    stated = strengths_of(len(set(crowd[0])), parameters, cap, clips)
    total = ((tables[0].visits - tables[1].visits) / visits_scale(cap, strength, clips)) ** 2
    for number, name in enumerate(TABLES):
        change = (getattr(tables[0], name) - getattr(tables[1], name)) / WEIGHT_UNITS
        by_row = [(change, clips.squared)]
        if name == "city":
            by_row = list(zip(change, clips.city, strict=True))
        worst = max(
            float((row**2).sum()) / noise_scale(name, squared**0.5, strength, clips) ** 2
            for row, squared in by_row
        )
        assert worst**0.5 <= stated[number] * (1 + 1e-9)
        total += worst
    assert total <= strength**2 * (1 + 1e-9)
    assert sum(size**2 for size in stated) <= strength**2 * (1 + 1e-9)


@given(
    squares=st.integers(1, 10**6),
    clips=st.builds(ZoomClips.of, means, st.integers(50, 10**4)),
    cap=st.integers(1, 10**6),
    share=st.floats(0, 1),
)
def test_weights_are_the_largest_within_the_clip(
    squares: int, clips: ZoomClips, cap: int, share: float
) -> None:
    visits = max(1, int(share * cap))
    room = int(room_units(np.array([visits]), cap, clips)[0])
    left = WEIGHT_UNITS * (1 - Fraction(clips.sum_64ths, 64) * Fraction(visits, cap) ** 2)
    assert room <= left < room + 1
    weight = int(weight_units(np.array([squares]), clips.squared, np.array([room]))[0])
    limit = Fraction(clips.squared) * WEIGHT_UNITS * room
    assert weight**2 * squares <= limit
    assert weight == WEIGHT_UNITS or (weight + 1) ** 2 * squares > limit


def test_the_check_itself_sees_a_forgotten_clip_and_a_person_counted_twice() -> None:
    crowd = [[(0, hour) for hour in range(40)], [(1, 5)]]
    one, other = neighbours(dict(enumerate(crowd)), random_positions(TOWERS), 840)
    change = one.towers - other.towers
    assert within(change, USUAL.squared, 40)
    assert not within(2 * change, USUAL.squared)
    assert not within(change, USUAL.squared, 400)
    unclipped = np.zeros((TOWERS, 168), dtype=np.int64)
    unclipped[0, :40] = WEIGHT_UNITS
    assert not within(unclipped, USUAL.squared)
