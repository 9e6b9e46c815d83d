"""Removing any one person changes the tables of `multiscale` by at most μ together."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given, settings, strategies as st

from engine import density
from engine.datasets.multiscale_tables import (
    WEIGHT_UNITS,
    MultiscaleClips,
    squared_scale_units,
    weight_units,
)
from engine.density.gaussian import gdp_mu
from engine.density.multiscale import noise_scale, visit_total_scale
from tests.reference.small_city import random_positions
from tests.reference.zoom_reference import sums_of

TOWERS = 7
POSITIONS = random_positions(TOWERS)
TABLES = ("towers", "districts", "city", "tower_totals")
records = st.tuples(st.integers(0, TOWERS - 1), st.integers(0, 167))
person = st.lists(records, min_size=1, max_size=90)
busy_hour = st.builds(lambda h: [(tower, h) for tower in range(TOWERS)], st.integers(0, 167))
busy_tower = st.builds(
    lambda t, n: [(t, h) for h in range(n)], st.integers(0, 6), st.integers(1, 168)
)
crowds = st.lists(st.one_of(person, busy_hour, busy_tower), min_size=1, max_size=5)
means = st.one_of(st.none(), st.floats(1, 40))
SETTINGS = settings(max_examples=40, deadline=None)


@SETTINGS
@given(crowd=crowds, mean=means, spare=st.integers(0, 200))
def test_a_person_is_within_the_mechanism_for_any_public_mean(
    crowd: list, mean: float | None, spare: int
) -> None:
    """Σ (change/σ)² over the five tables is at most μ², whichever row of the city is taken."""
    cap = max(len(set(person)) for person in crowd) + spare
    clips = MultiscaleClips.from_mean_visits(None if mean is None else min(mean, cap), cap)
    assert mu_share_of(crowd, crowd[1:], cap, clips) <= 1 + 1e-9


def mu_share_of(crowd: list, others: list, cap: int, clips: MultiscaleClips) -> float:
    """What the first person changes, as a part of μ."""
    share = Fraction(clips.visit_total_64ths, 64)
    one, other = (
        sums_of([sorted(set(raw)) for raw in people], POSITIONS, cap, clips.clip_squared, share)
        for people in (crowd, others)
    )
    parameters = density.DensityParameters(epsilon=1.0, method="multiscale")
    mu = gdp_mu(1.0, parameters.delta)
    total = ((one.visit_total - other.visit_total) / visit_total_scale(cap, mu, clips)) ** 2
    for name in TABLES:
        change = (getattr(one, name) - getattr(other, name)) / WEIGHT_UNITS
        by_row = [(change, clips.clip_squared)]
        if name == "city":
            by_row = list(zip(change, clips.city_clips_squared, strict=True))
        worst = max(
            float((row**2).sum()) / noise_scale(name, squared**0.5, mu, clips) ** 2
            for row, squared in by_row
        )
        total += worst
    return math.sqrt(total) / mu


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
