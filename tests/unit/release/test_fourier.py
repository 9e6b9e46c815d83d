"""The papers' density scheme with OpenDP's noise: its scales, its law, its proof, its use."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.fft import dct

from engine.datasets import load
from engine.errors import DatasetError
from engine.parameters import DensityParameters
from engine.release import fourier_writer as way, opendp_noise, plan
from tests.support.releases import fourier

ASKED = DensityParameters(epsilon=1.0, delta=1e-7)
ELL, CAP, HOURS = 30, 840, 168


@pytest.fixture(scope="module")
def demo():
    """A dataset of this module alone, for tests change what it reads."""
    return load("demo-city")


@pytest.fixture(scope="module")
def scales(demo):
    return plan(fourier(), demo).stages


def most_moved(scales):
    return scales[-1].sensitivity * way.COEFFICIENT_UNITS


@pytest.fixture(scope="module")
def epsilon(demo):
    return way.find_paper_parameters(ASKED, demo.metadata.max_visits_cap).epsilon


def test_the_scales_are_those_of_the_paper_and_prove_what_is_charged(scales, epsilon):
    """From P1's formulas written out; the steps from the largest singular value of the matrix."""
    matrix = dct(np.eye(HOURS), type=2, norm="ortho", axis=0)
    norm = np.linalg.norm(np.rint(matrix * 2**20), 2)
    step, root = norm * 2**12, math.sqrt(ELL)
    assert scales[0].drawn_scale == pytest.approx(4 / epsilon)
    assert scales[1].drawn_scale == pytest.approx(4 * CAP / epsilon)
    assert scales[2].drawn_scale == pytest.approx(2 * root * step / (epsilon / 4), rel=1e-4)
    sigma = root * math.sqrt(8 * math.log(4e7)) / (epsilon / 2)
    assert scales[3].drawn_scale == pytest.approx(sigma * step, rel=1e-4)
    assert (
        scales[2].drawn_scale >= 8 * root * step / epsilon
    )  # never less than what is proved needs
    assert scales[3].drawn_scale >= sigma * step
    rho = (math.sqrt(ELL) / (scales[3].drawn_scale / 2**32)) ** 2 / 2
    alpha = 1 + np.exp(np.linspace(-3, 9, 200_001))
    converted = alpha * rho + np.log(1 / (alpha * 1e-7)) / (alpha - 1) + np.log1p(-1 / alpha)
    total = epsilon / 2 + epsilon / (4 * math.sqrt(2)) + converted.min()
    assert way.compose_stages(scales, ASKED.delta) == pytest.approx(total, rel=1e-4)
    assert way.compose_stages(scales, ASKED.delta) <= ASKED.epsilon
    assert way.compose_stages(scales, ASKED.delta) == pytest.approx(ASKED.epsilon, rel=1e-6)


def test_shares_of_the_cover_are_whole_and_sum_to_one(demo):
    split = way.integer_split(demo.tessellation.to_cover)
    assert (np.asarray(split.sum(axis=0)).ravel() == way.SHARE_UNITS).all()
    assert abs(split / way.SHARE_UNITS - demo.tessellation.to_cover).max() < 1 / way.SHARE_UNITS
    assert split.data.min() >= 0


def test_whole_coefficients_are_the_explorers_within_the_rounding_of_public_numbers(demo):
    clusters = np.arange(demo.tessellation.cover_size) % 7
    exact = way.exact_coefficients(demo, ELL, clusters) / way.COEFFICIENT_UNITS
    series = np.zeros((7, HOURS))
    cells = demo.tessellation.to_cover @ demo.presampled_by_tower(ELL)
    np.add.at(series, clusters, cells)
    wanted = dct(series, type=2, norm="ortho", axis=1)
    assert np.abs(exact - wanted).max() < 2e-3 * np.abs(wanted).max()
    squares = (exact.astype(object) ** 2).sum(axis=0)
    tails = np.sqrt(np.append(squares[::-1].cumsum()[::-1][1:], 0).astype(float))
    noises = np.sqrt(np.arange(1, HOURS + 1) * 7.0)
    whole = way.exact_coefficients(demo, ELL, clusters)
    scored = np.array(way.exact_scores(whole, way.COEFFICIENT_UNITS)) / way.COEFFICIENT_UNITS
    assert scored == pytest.approx(tails + noises, rel=1e-6)


def test_a_person_moves_numbers_by_no_more_than_is_proved(demo, scales, monkeypatch):
    """Worst cases: ℓ visits at one tower, or in as many, in hours of their own or by chance."""
    rng, towers = np.random.default_rng(3), len(demo.towers)
    clusters = np.arange(demo.tessellation.cover_size) % 11
    before = demo.presampled_by_tower(ELL)

    def transformed(counts):
        monkeypatch.setattr(demo, "presampled_by_tower", lambda _: counts)
        return way.exact_coefficients(demo, ELL, clusters)

    exact, furthest = transformed(before), 0.0
    for kind in range(40):
        visits, hours = np.zeros_like(before), rng.choice(HOURS, ELL, replace=False)
        at = np.full(ELL, rng.integers(towers)) if kind % 2 else rng.integers(towers, size=ELL)
        visits[at, hours] = 1
        moved = transformed(before + visits)
        assert (moved - exact == transformed(visits)).all()  # nothing is rounded after the counts
        change = np.sqrt(((moved - exact).astype(float) ** 2).sum())
        assert change <= most_moved(scales)
        furthest = max(furthest, change)
        one, other = (
            np.array(way.exact_scores(some, scales[3].drawn_scale), dtype=object)
            for some in (exact, moved)
        )
        ranges = (other - one).astype(float)
        assert np.ptp(ranges) <= way.score_sensitivity(most_moved(scales))
    assert furthest > 0.9 * most_moved(scales)


def test_where_noise_exceeds_the_visits_all_is_zero(demo, tmp_path, monkeypatch):
    monkeypatch.setattr(opendp_noise, "discrete_laplace", lambda n, _: np.full_like(n, -5))
    setting = fourier()
    way.write(plan(setting, demo), demo, tmp_path, lambda _: None)
    assert (pd.read_csv(tmp_path / "density.csv")["visits"] == 0).all()
    assert pd.read_csv(tmp_path / "totals.csv")["visits"].tolist() == [-5]


@pytest.mark.parametrize("known", [101, None])
def test_more_people_than_whole_numbers_hold_are_refused(demo, monkeypatch, known):
    monkeypatch.setattr(way, "MAX_PEOPLE", 100)
    monkeypatch.setattr(demo, "metadata", replace(demo.metadata, people_public=known))
    if known:  # as the custodian says, whoever is counted
        monkeypatch.setattr(demo, "single_visit_by_tower", np.zeros(1, dtype=np.int64))
        monkeypatch.setattr(demo, "presampled_by_tower", lambda _: np.zeros((1, 1), dtype=np.int64))
    with pytest.raises(DatasetError, match="for at most 100 people"):
        way.load_counts(plan(fourier(), demo), demo)


def test_no_whole_number_passes_63_bits_below_that_many_people():
    """Everybody at one tower in every hour, at all signs of a row of cosines."""
    matrix, people = way.integer_dct()[0].astype(object), way.MAX_PEOPLE
    worst = max(sum(abs(value) for value in row) for row in matrix) * way.SHARE_UNITS * people
    assert worst < 2**63
    assert math.isqrt(HOURS * worst**2) + way._MAX_NOISE < 2**67  # of scores, by Python's own
    norm = way.integer_dct()[1] * way.SHARE_UNITS * people * math.isqrt(HOURS)
    assert norm + way._MAX_NOISE < 2**63
