"""Noise and choices of the density have their scale and no other; what choosing costs (D1)."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import signal, stats

from engine import density
from engine.density import accounting, mechanism
from engine.density.gaussian import analytic_sigma
from tests.reference.density_reference import COSINES
from tests.reference.small_city import Aggregates, MemoryDataset, one_zone_a_tower

TOWERS = 60
LARGE = 10_000_000
PARAMETERS = density.DensityParameters(
    epsilon=0.8, delta=1e-6, max_visits_per_user=16, smoothing=False, cluster_minimum=0.0
)


FEW = 12
"""Releases of 60 totals each: of so many a scale off by a fifth is 5.4 standard errors away."""


def city() -> MemoryDataset:
    """Every series is constant plus one wave of the highest frequency, so that k = 168."""
    wave = LARGE * COSINES[167]
    series = np.tile(np.round(20 * LARGE + wave), (TOWERS, 1))
    ranked = series[:, :, None].astype(np.int64)
    counts = Aggregates(ranked[:, :, 0], ranked, np.full(TOWERS, LARGE))
    return MemoryDataset(counts, one_zone_a_tower(TOWERS))


CITY = city()


def releases(count: int, **changes: object) -> list[density.DensityRelease]:
    parameters = replace(PARAMETERS, **changes)
    return [
        density.release(CITY, parameters, rng=np.random.default_rng([7, i])) for i in range(count)
    ]


def counts_noise(method: str) -> np.ndarray:
    (release,) = releases(1, method=method)
    return (release.counts - CITY.presampled_by_tower(16)).ravel()


def visits_noise() -> np.ndarray:
    return np.array([r.visit_total - CITY.truth_by_tower.sum() for r in releases(700)])


def histogram_noise() -> np.ndarray:
    """Shares times the number of people; their own noisy sum moves them all by very little."""
    samples = []
    for release in releases(FEW):
        shares = release.cell_totals / release.visit_total
        noisy = shares * LARGE * TOWERS - LARGE
        samples.append(noisy - noisy.mean())
    return np.concatenate(samples) * math.sqrt(TOWERS / (TOWERS - 1))


def plain_totals_noise() -> np.ndarray:
    truth = CITY.presampled_by_tower(16).sum(axis=1)
    return np.concatenate([r.cell_totals - truth for r in releases(FEW, scaling=False)])


def coefficient_noise(**changes: object) -> np.ndarray:
    (release,) = releases(1, **changes)
    assert release.coefficient_counts is not None
    assert (release.coefficient_counts == 168).all()
    spectra = release.cluster_profiles @ COSINES.T * CITY.presampled_by_tower(16)[0].sum()
    return spectra[:, 1:167].ravel()  # nothing but noise there


LAPLACE = stats.laplace()
NORMAL = stats.norm()
STAGES: dict[str, tuple[Callable[[], np.ndarray], object, float]] = {
    "zones": (lambda: counts_noise("zones_laplace"), LAPLACE, 16 / 0.8),
    "towers": (lambda: counts_noise("towers_laplace"), LAPLACE, 16 / 0.8),
    "cover": (lambda: counts_noise("lpa"), LAPLACE, 16 / 0.8),
    "visits": (visits_noise, LAPLACE, 4 * 840 / 0.8),
    "histogram": (histogram_noise, LAPLACE, 4 / 0.8),
    "plain totals": (plain_totals_noise, LAPLACE, 2 * 16 / 0.8),
    "efpa": (lambda: coefficient_noise(method="efpa"), LAPLACE, 2 * math.sqrt(168) * 4 / 0.4),
    "classical": (
        lambda: coefficient_noise(),
        NORMAL,
        math.sqrt(8 * 16 * math.log(4 / 1e-6)) / 0.4,
    ),
    "analytic": (
        lambda: coefficient_noise(method="efpag", gaussian="analytic"),
        NORMAL,
        analytic_sigma(0.2, 1e-6, 4.0),
    ),
}


@pytest.mark.parametrize("stage", STAGES)
def test_noise_has_its_scale_and_no_other(stage: str) -> None:
    noise, law, scale = STAGES[stage]
    sample = noise()

    def distance(factor: float) -> float:
        """Mean size of the noise against its law, in standard errors."""
        size = np.abs(sample) / (scale * factor)
        expected = law.expect(abs)
        deviation = math.sqrt(law.expect(lambda x: x * x) - expected**2)
        return abs(size.mean() - expected) / (deviation / math.sqrt(len(sample)))

    assert distance(1.0) < 4
    assert distance(0.8) > 4
    assert distance(1.25) > 4
    assert stats.kstest(sample / scale, law.cdf).pvalue > 1e-4


@pytest.mark.parametrize("method", ["efpa", "efpag", "efpag_joint"])
def test_choices_follow_the_exponential_mechanism(method: str) -> None:
    """Frequencies of k against the exact probabilities, at sharpness 1 and at 0.8 and 1.25."""
    runs = 40_000
    rng = np.random.default_rng(1)
    parameters = replace(PARAMETERS, method=method, epsilon=3.0)
    spectra = 9.0 * rng.normal(size=(1, 168)) * np.exp(-np.arange(168) / 30)
    logits = mechanism.selection_logits(spectra, parameters)[0]
    drawn = np.bincount(
        np.concatenate([choices(spectra, parameters, rng) for _ in range(runs // 10_000)]),
        minlength=169,
    )[1:]
    expected = {f: runs * np.exp(f * logits - np.logaddexp.reduce(f * logits)) for f in FACTORS}
    pvalues = {factor: chi_square(drawn, counts) for factor, counts in expected.items()}
    assert pvalues[1.0] > 1e-4
    assert pvalues[0.8] < 1e-4
    assert pvalues[1.25] < 1e-4


FACTORS = (0.8, 1.0, 1.25)


def choices(spectra: np.ndarray, parameters, rng: np.random.Generator) -> np.ndarray:
    """Choose k 10,000 times with the engine's own draws."""
    if parameters.method != "efpag_joint":
        noise = {"cluster_choice": rng.gumbel(size=(10_000, 168))}
        rows = np.arange(10_000)
        return mechanism.choose_coefficient_counts(
            np.repeat(spectra, 10_000, 0), parameters, noise, rows
        )
    gumbels = rng.gumbel(size=(10_000, 168))
    return np.array(
        [
            mechanism.choose_coefficient_counts(
                spectra, parameters, {"joint_choice": row}, np.zeros(1, int)
            )[0]
            for row in gumbels
        ]
    )


def chi_square(drawn: np.ndarray, expected: np.ndarray) -> float:
    order = np.argsort(expected)
    rare = np.cumsum(expected[order]) < 20
    groups = [(drawn[order[rare]].sum(), expected[order[rare]].sum())]
    groups += [(drawn[i], expected[i]) for i in order[~rare]]
    statistic = sum((d - e) ** 2 / e for d, e in groups if e > 0)
    return float(stats.chi2.sf(statistic, len(groups) - 1))


def test_the_generators_are_standard() -> None:
    parameters = replace(PARAMETERS, method="efpag")
    noise = density.draw_noise(CITY, parameters, rng=np.random.default_rng(3))
    assert stats.kstest(noise["cluster_choice"].ravel(), stats.gumbel_r().cdf).pvalue > 1e-4
    assert stats.kstest(1.25 * noise["cluster_choice"].ravel(), stats.gumbel_r().cdf).pvalue < 1e-4


CHECK = density.DensityParameters(epsilon=0.3, delta=2e-6, max_visits_per_user=30, method="efpag")


def log_probabilities(spectra: np.ndarray) -> np.ndarray:
    logits = mechanism.selection_logits(spectra, CHECK)
    return logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)


def spike_pair(visits: float = 10_000.0) -> tuple[np.ndarray, np.ndarray]:
    """30 clusters, each one spike in an hour of its own (the middle ones of the week, where the
    loss is largest); a person adds one visit to each."""
    cluster, hour = np.arange(30), 69 + np.arange(30)
    series = np.zeros((30, 168))
    series[cluster, hour] = visits
    more = series.copy()
    more[cluster, hour] += 1
    return mechanism.to_coefficients(series), mechanism.to_coefficients(more)


def wave_pair() -> tuple[np.ndarray, np.ndarray]:
    """30 clusters with one wave each, as strong as the noise of keeping it; the person is at
    its crest."""
    noise = accounting.expected_noise_norms(CHECK, 1)
    spectrum = np.zeros((30, 168))
    spectrum[:, 0], spectrum[:, 40] = 1e6, noise[40] - noise[0]
    crest = np.zeros((30, 168))
    crest[:, int(mechanism.to_series(spectrum)[0].argmax())] = 1
    return spectrum, spectrum + mechanism.to_coefficients(crest)


def composed_delta(spectra: tuple[np.ndarray, np.ndarray], epsilon: float) -> float:
    """Return an upper bound of δ(ε) of all choices together: losses rounded up, then convolved."""
    step = 2e-6
    one, other = (log_probabilities(s) for s in spectra)
    total, offset = np.ones(1), 0
    for p, q in zip(one, other, strict=True):
        place = np.ceil((p - q) / step).astype(int)
        mass = np.bincount(place - place.min(), weights=np.exp(p))
        total = np.maximum(signal.fftconvolve(total, mass), 0) + 1e-18
        offset += int(place.min())
    loss = step * (offset + np.arange(len(total)))
    above = loss > epsilon
    return float((total[above] * -np.expm1(epsilon - loss[above])).sum())


def test_on_the_same_pair_the_published_share_holds_with_delta() -> None:
    share = CHECK.epsilon / 4
    for visits in (100.0, 1_000.0, 10_000.0):
        one, other = spike_pair(visits)
        assert composed_delta((one, other), share) < CHECK.delta
        assert composed_delta((other, one), share) < CHECK.delta
    # the bound is not empty: where choices waver between few and all, they do tell pairs apart
    balanced = wave_pair()
    assert composed_delta(balanced, 0.0) > 3e-4
    assert composed_delta(balanced, share) < CHECK.delta


def test_the_zcdp_of_all_choices_bounds_the_exact_delta_of_the_pair() -> None:
    rho = accounting.BOUNDED_RANGE_FACTOR_SQUARED * (CHECK.epsilon / 2) ** 2 / 128
    for delta in (1e-3, 1e-6, 1e-9):
        epsilon = accounting.convert_zcdp_to_epsilon(rho, delta)
        for pair in (spike_pair(), wave_pair()):
            assert composed_delta(pair, epsilon) <= delta
