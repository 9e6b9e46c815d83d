"""Removing any one person changes what a noised stage reads by at most what the ledger says."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import given, settings, strategies as st

from engine import density
from engine.datasets.multiscale_tables import (
    WEIGHT_UNITS,
    MultiscaleClips,
    squared_scale_units,
    weight_units,
)
from engine.density import mechanism
from engine.density.aggregates import tower_series
from engine.density.gaussian import gdp_mu
from engine.density.multiscale import measure_tables
from engine.geography import Tessellation, tessellate
from engine.privacy_cost import PrivacyCost
from tests.reference.small_city import MemoryDataset, Visits, aggregate, geography, random_positions
from tests.reference.zoom_reference import sums_of

TOWERS, CAP = 7, 20
records = st.tuples(st.integers(0, TOWERS - 1), st.integers(0, 167))
crowds = st.lists(st.lists(records, min_size=1, max_size=60), min_size=1, max_size=6)
kept_visits = st.integers(1, 168)
SETTINGS = settings(max_examples=60, deadline=None)


@cache
def places(seed: int) -> Tessellation:
    place = geography(TOWERS, 3, seed)
    return tessellate(place.towers, place.zones)


def neighbours(crowd: list[list[tuple[int, int]]], seed: int) -> list[MemoryDataset]:
    everyone: Visits = dict(enumerate(crowd))
    others = {person: visits for person, visits in everyone.items() if person}
    return [
        MemoryDataset(aggregate(people, TOWERS, CAP), places(seed), CAP)
        for people in (everyone, others)
    ]


def ledger_of(method: str, kept: int, scaling: bool = True) -> PrivacyCost:
    parameters = density.DensityParameters(
        epsilon=1.0, method=method, max_visits_per_user=kept, scaling=scaling
    )
    return density.METHODS[parameters.method].cost(parameters, cover_size=9, max_visits_cap=CAP)


def within(change: np.ndarray, sensitivity: float, norm: str) -> bool:
    size = np.abs(change).sum() if norm == "L1" else math.sqrt((change**2).sum())
    return size <= sensitivity * (1 + 1e-9)


@SETTINGS
@given(crowd=crowds, kept=kept_visits, seed=st.integers(0, 5))
def test_counts_of_every_method(crowd: list, kept: int, seed: int) -> None:
    one, other = neighbours(crowd, seed)
    readers = {
        "zones_laplace": density.presampled_counts,
        "towers_laplace": tower_series,
        "lpa": density.cover_series,
    }
    for method, read in readers.items():
        (stage,) = ledger_of(method, kept).stages
        assert within(read(one, kept) - read(other, kept), stage.sensitivity, stage.norm)
    per_hour = np.abs(density.cover_series(one, kept) - density.cover_series(other, kept)).sum(0)
    assert per_hour.max() <= 1 + 1e-9


@SETTINGS
@given(crowd=crowds, kept=kept_visits, seed=st.integers(0, 5))
def test_totals(crowd: list, kept: int, seed: int) -> None:
    one, other = neighbours(crowd, seed)
    shares, visits = ledger_of("efpag", kept).stages[:2]
    change = one.single_visit_by_tower - other.single_visit_by_tower
    assert within(change, shares.sensitivity, shares.norm)
    change = one.truth_by_tower.sum() - other.truth_by_tower.sum()
    assert within(change, visits.sensitivity, visits.norm)
    plain = ledger_of("efpag", kept, scaling=False).stages[0]
    change = (density.cover_series(one, kept) - density.cover_series(other, kept)).sum(axis=1)
    assert within(change, plain.sensitivity, plain.norm)


@SETTINGS
@given(crowd=crowds, kept=kept_visits, seed=st.integers(0, 5), split=st.integers(0, 2**20))
def test_coefficients_and_choices_for_any_clusters(
    crowd: list, kept: int, seed: int, split: int
) -> None:
    series = [density.cover_series(data, kept) for data in neighbours(crowd, seed)]
    labels = np.random.default_rng(split).integers(0, 4, len(series[0]))
    spectra = [
        mechanism.to_coefficients(np.array([rows[labels == c].sum(axis=0) for c in range(4)]))
        for rows in series
    ]
    *_, choice, coefficients = ledger_of("efpag_joint", kept).stages
    change = spectra[0] - spectra[1]
    assert within(change, coefficients.sensitivity, coefficients.norm)
    # clusters one by one: what simple composition adds up, most of all where each is one cell
    by_cell = np.sqrt(((series[0] - series[1]) ** 2).sum(axis=1)).sum()
    assert by_cell <= math.sqrt(min(kept, len(series[0])) * kept) * (1 + 1e-9)
    parameters = density.DensityParameters(
        epsilon=1.0, method="efpag_joint", max_visits_per_user=kept
    )
    factor = parameters.epsilon / (8 * math.sqrt(kept))
    for method, sizes in (
        ("efpag_joint", [choice.sensitivity]),
        ("efpag", np.sqrt((change**2).sum(axis=1))),
    ):
        now, then = (
            mechanism.selection_logits(spectrum, replace(parameters, method=method))
            for spectrum in spectra
        )
        for difference, size in zip(now - then, sizes, strict=True):
            assert np.abs(difference).max() <= factor * size * (1 + 1e-9) + 1e-9
            # bounded range with κ = √2
            assert np.ptp(difference) <= math.sqrt(2) * factor * size * (1 + 1e-9) + 1e-9


POSITIONS = random_positions(TOWERS)
person = st.lists(records, min_size=1, max_size=90)
busy_hour = st.builds(lambda h: [(tower, h) for tower in range(TOWERS)], st.integers(0, 167))
busy_tower = st.builds(
    lambda t, n: [(t, h) for h in range(n)], st.integers(0, 6), st.integers(1, 168)
)
busy_crowds = st.lists(st.one_of(person, busy_hour, busy_tower), min_size=1, max_size=5)
means = st.one_of(st.none(), st.floats(1, 40))
EDGES = [edge * (1 + side) for edge in (25.0, 80.0, 300.0) for side in (-1e-9, 0, 1e-9)]
ratios = st.one_of(st.sampled_from(EDGES), st.floats(-100, 1e5))


@SETTINGS
@given(crowd=busy_crowds, mean=means, spare=st.integers(0, 200), ratio=ratios)
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
