"""Removing any one person changes what a noised stage reads by at most what the ledger says."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
from hypothesis import given, settings, strategies as st

from engine import density
from engine.density import mechanism
from engine.density.aggregates import tower_series
from engine.geography import Tessellation, tessellate
from engine.privacy_cost import PrivacyCost
from tests.reference.small_city import MemoryDataset, Visits, aggregate, geography

TOWERS, CAP = 7, 20
visits_of_a_person = st.lists(
    st.tuples(st.integers(0, TOWERS - 1), st.integers(0, 167)), min_size=1, max_size=60
)
crowds = st.lists(visits_of_a_person, min_size=1, max_size=6)
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
