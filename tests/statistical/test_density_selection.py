"""What choosing the number of coefficients costs, by explicit probabilities (erratum D1)."""

import numpy as np
from scipy import signal

from engine import density
from engine.density import accounting, mechanism

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
