"""Removing any one person changes the tables of `multiscale` by at most μ together."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import given, settings, strategies as st

from engine.datasets.multiscale_tables import (
    WEIGHT_UNITS,
    MultiscaleClips,
    squared_scale_units,
    weight_units,
)
from engine.density.gaussian import gdp_mu
from engine.density.multiscale import measure_tables
from tests.reference.small_city import random_positions
from tests.reference.zoom_reference import sums_of

TOWERS = 7
POSITIONS = random_positions(TOWERS)
records = st.tuples(st.integers(0, TOWERS - 1), st.integers(0, 167))
person = st.lists(records, min_size=1, max_size=90)
busy_hour = st.builds(lambda h: [(tower, h) for tower in range(TOWERS)], st.integers(0, 167))
busy_tower = st.builds(
    lambda t, n: [(t, h) for h in range(n)], st.integers(0, 6), st.integers(1, 168)
)
crowds = st.lists(st.one_of(person, busy_hour, busy_tower), min_size=1, max_size=5)
means = st.one_of(st.none(), st.floats(1, 40))
SETTINGS = settings(max_examples=60, deadline=None)
EDGES = [edge * (1 + side) for edge in (25.0, 80.0, 300.0) for side in (-1e-9, 0, 1e-9)]
ratios = st.one_of(st.sampled_from(EDGES), st.floats(-100, 1e5))


@SETTINGS
@given(crowd=crowds, mean=means, spare=st.integers(0, 200), ratio=ratios)
def test_a_person_is_within_the_mechanism_for_any_public_mean_and_noisy_number_of_visits(
    crowd: list, mean: float | None, spare: int, ratio: float
) -> None:
    """Σ (change/σ)² over all that is drawn is at most μ², whichever tables K̂ chooses."""
    cap = max(len(set(person)) for person in crowd) + spare
    clips = MultiscaleClips.from_mean_visits(None if mean is None else min(mean, cap), cap)
    mu = gdp_mu(1.0, 1e-7)
    found = ratio * TOWERS * math.sqrt(clips.clip_squared) / mu
    before, after = (draws_of(people, cap, clips, mu, found) for people in (crowd, crowd[1:]))
    assert [sigma for _, sigma in before] == [sigma for _, sigma in after]
    changes = [
        (((one - other) / sigma) ** 2).sum()
        for (one, sigma), (other, _) in zip(before, after, strict=True)
    ]
    assert math.sqrt(math.fsum(changes)) <= mu * (1 + 1e-9)


def draws_of(
    people: list, cap: int, clips: MultiscaleClips, mu: float, found: float
) -> list[tuple[np.ndarray, float]]:
    """What noise is added to, with its σ, where the noisy number of visits comes out as found."""
    share, drawn = Fraction(clips.visit_total_64ths, 64), []
    records = [sorted(set(raw)) for raw in people]
    tables = sums_of(records, POSITIONS, cap, clips.clip_squared, share)

    def add(name: str, counts: np.ndarray, sigma: float) -> np.ndarray:
        drawn.append((counts, sigma))
        return counts * 0 + (found if name == "visit_total" else 0)

    measure_tables(replace(tables, clips=clips), mu, add)
    return drawn


@given(
    squares=st.integers(1, 10**6),
    clips=st.builds(MultiscaleClips.from_mean_visits, means, st.integers(50, 10**4)),
    cap=st.integers(1, 10**6),
    share=st.floats(0, 1),
)
def test_weights_are_the_largest_within_the_clip(
    squares: int, clips: MultiscaleClips, cap: int, share: float
) -> None:
    visits = max(1, int(share * cap))
    room = int(squared_scale_units(np.array([visits]), cap, clips)[0])
    left = WEIGHT_UNITS * (1 - Fraction(clips.visit_total_64ths, 64) * Fraction(visits, cap) ** 2)
    assert room <= left < room + 1
    weight = int(weight_units(np.array([squares]), clips.clip_squared, np.array([room]))[0])
    limit = Fraction(clips.clip_squared) * WEIGHT_UNITS * room
    assert weight**2 * squares <= limit
    assert weight == WEIGHT_UNITS or (weight + 1) ** 2 * squares > limit
