"""The exact distribution of sums of released cells, which strong suppression makes far from normal.

Cells are independent. A cell far above τ adds its count and plain noise; one far below adds
nothing; any other is 0 or at least τ. Their distributions are multiplied as Fourier transforms on a
lattice of whole trips, or of an eighth of the noise scale where that is more. Mass between two
lattice points is split so that the mean stays. That widens the distribution a little and never
narrows it.
"""

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Complex, Floats
from .noise_distribution import NoiseDistribution, bias_and_variance, suppressed_probability


def interval_of_sums(
    law: NoiseDistribution, counts: Floats, threshold: float, cells: ArrayLike
) -> tuple[Floats, Floats]:
    """Return low and high bounds that contain each sum in at least 95% of releases."""
    counts, place = np.unique(counts, return_inverse=True)
    number = np.zeros((len(np.atleast_2d(cells)), len(counts)))
    np.add.at(number.T, place, np.atleast_2d(cells).T)
    # noise of one cell beyond the computed range has a probability of 1e-9
    min_shown, reach = max(threshold, 1.0), float(law.half_width(1e-9))
    plain, doubtful = counts - min_shown >= reach, np.abs(counts - min_shown) < reach
    step = max(1.0, np.floor(1 / float(law.rate) / 8))
    shift, variance = bias_and_variance(law, counts, threshold)
    deviation = float(np.sqrt((number @ np.maximum(variance, 0.0)).max(initial=0.0)))
    half = (8 * deviation + min_shown + 2 * reach) / step
    size = 1 << int(np.ceil(np.log2(2 * half + 2)))

    log_law = number[:, plain].sum(axis=1)[:, None] * _log_transform(_noise(law, reach, step, size))
    if doubtful.any():
        lattice = min_shown, reach, step, size
        chances = np.stack([_release_chances(law, m, *lattice) for m in counts[doubtful]])
        log_law = log_law + number[:, doubtful] @ _log_transform(chances)
    # range of each sum of noise and uncertain cells: half a period around its mean
    middle = number[:, doubtful] @ (counts + shift)[doubtful]
    first = np.floor(middle / step).astype(np.int64) - size // 2
    chance = np.maximum(np.fft.irfft(np.exp(log_law), n=size, axis=1), 0.0)
    positions = (first[:, None] + np.arange(size)) % size
    below = np.cumsum(np.take_along_axis(chance, positions, axis=1), axis=1)
    below /= below[:, -1:]
    outside = (1 - 0.95) / 2 - 1e-6  # rounding
    low, high = (below > outside).argmax(axis=1), (1 - below <= outside).argmax(axis=1)
    wider = step - 1  # a lattice point stands for less than a step on either side
    certain = number[:, plain] @ counts[plain]
    return (
        np.maximum(certain + (first + low) * step - wider, 0.0),
        np.maximum(certain + (first + high) * step + wider, 0.0),
    )


def _log_transform(chances: Floats) -> Complex:
    """Return the log of the transforms; a transform of 0 becomes so small that it adds no mass."""
    transform: Complex = np.fft.rfft(chances, axis=-1)
    return np.log(np.where(np.abs(transform) < 1e-150, 1e-150, transform))


def _on_lattice(above: Floats, step: float) -> Floats:
    return np.maximum(np.diff(above, 2) / step, 0.0)


def _noise(law: NoiseDistribution, reach: float, step: float, size: int) -> Floats:
    last = int(np.ceil(reach / step)) + 1
    chances, x = np.zeros(size), step * np.arange(-last - 1.0, last + 2)
    np.add.at(chances, np.arange(-last, last + 1) % size, _on_lattice(_mean_above(law, x), step))
    return chances


def _release_chances(
    law: NoiseDistribution, count: float, min_shown: float, reach: float, step: float, size: int
) -> Floats:
    first, last = int(max(min_shown, count - reach) // step), int(-((-count - reach) // step)) + 1
    chances, x = np.zeros(size), step * np.arange(first - 1.0, last + 2)
    values = np.maximum(x, min_shown)
    above = (values - x) * law.upper_tail(min_shown - count) + _mean_above(law, values - count)
    np.add.at(chances, np.arange(first, last + 1) % size, _on_lattice(above, step))
    chances[0] += float(suppressed_probability(law, count, min_shown))
    return chances / chances.sum()


def _mean_above(law: NoiseDistribution, bound: Floats) -> Floats:
    """Return E[(Z − bound)⁺] for whole numbers on both sides of 0."""
    return law.expected_excess(np.abs(bound)) + np.maximum(-bound, 0.0)
