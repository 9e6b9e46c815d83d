"""Privacy loss distributions of ε-DP releases on one grid, composed by convolution.

A test of "in" against "out" depends on a result only by its loss log(P(result | in) / P(result |
out)) (Neyman and Pearson); losses of independent results add up. Each loss is split onto its two
neighbouring points so that both probabilities keep their sum (Doroshenko et al., "Connect the
dots", 2022): never weaker than the exact attack, stronger by the square of the width.

The worst (ε, δ)-DP mechanism is a randomised response of ε that fails outright with δ, also under
composition (Kairouz, Oh and Viswanath, "The composition theorem for differential privacy", 2015;
Murtagh and Vadhan, 2016, for unlike ones).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import fft as scipy_fft

from ..arrays import Floats

fft: Any = scipy_fft  # its type hints lack arrays

_LARGEST_EXPONENT = 700.0  # e^ε overflows beyond


@dataclass(frozen=True, eq=False, kw_only=True)
class PrivacyLossDistribution:
    """Distribution of the privacy loss, with the record in the data and out of it.

    `value`, shape (points,), are losses, finite and ascending; `probability_in` and
    `probability_out` their probabilities with and without the record.
    """

    value: Floats
    probability_in: Floats
    probability_out: Floats

    def delta_at(self, epsilon: float) -> float:
        """Return the least δ at ε: P(in) − e^ε·P(out) over all losses above ε."""
        beyond = self.value > epsilon
        odds = math.exp(min(epsilon, _LARGEST_EXPONENT))
        return float((self.probability_in - odds * self.probability_out)[beyond].sum())

    @property
    def optimal_guess_rate(self) -> float:
        """Largest share of right guesses where half the records are in and a coin gets half."""
        return min((1 + self.delta_at(0.0)) / 2, 1.0)


def compose(times: Mapping[float, int]) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of independent randomised responses together.

    `times` is how often each ε, above 0, is repeated. The grid has about 2¹⁵ points from the least
    to the largest sum; every ε lies on one if they have a common measure.
    """
    reach = sum(epsilon * n for epsilon, n in times.items()) or 1.0
    lead = max(times, default=1.0)
    shares = [Fraction(epsilon / lead).limit_denominator(100).denominator for epsilon in times]
    unit = lead / (common if (common := math.lcm(*shares)) <= 1000 else 1)
    width = unit / math.ceil(unit * 2**15 / 2 / reach)
    first, inside, outside = 0, np.ones(1), np.ones(1)
    for epsilon, n in times.items():
        start, *spread = _place_on_grid(epsilon, width)
        first += n * start
        length = len(inside) + n * (len(spread[0]) - 1)
        inside, outside = (
            _convolve(so_far, part, n, length)
            for so_far, part in zip((inside, outside), spread, strict=True)
        )
    value = (first + np.arange(len(inside), dtype=np.float64)) * width
    # the larger one is accurate; it corrects the rounding error of the other
    likelier, fading = value >= 0, np.exp(-np.abs(value))
    return PrivacyLossDistribution(
        value=value,
        probability_in=np.where(likelier, inside, outside * fading),
        probability_out=np.where(likelier, inside * fading, outside),
    )


def epsilon_for_delta(losses: PrivacyLossDistribution, delta: float) -> float:
    """Return the least ε ≥ 0 at which the losses are (ε, δ)-DP, or infinity."""
    value = losses.value[::-1]
    inside = losses.probability_in[::-1]
    outside = losses.probability_out[::-1]
    # of the k largest losses; mass lost to rounding counts as a loss without limit
    missing = max(1 - float(inside.sum()), 0.0)
    above = np.r_[0.0, np.cumsum(inside)] + missing
    mass_out = np.r_[0.0, np.cumsum(outside)]
    odds = np.exp(np.minimum(value, _LARGEST_EXPONENT))
    enough = np.flatnonzero(above[:-1] - odds * mass_out[:-1] <= delta)
    if not len(enough):
        return math.inf
    # δ holds at the last of these losses and not at the next; it is linear between them
    first_point = int(enough[-1]) + 1
    excess, chance = float(above[first_point] - delta), float(mass_out[first_point])
    if chance == 0:  # e^−ε underflows
        return math.inf
    return math.log(excess / chance) if excess > chance else 0.0


def compose_epsilon(costs: Sequence[tuple[float, float]], delta: float) -> float:
    """Return the least ε at `delta` of releases with settings fixed in advance; at most their sum.

    `costs` are (ε, δ) of each release; `delta` is at least the sum of theirs.
    """
    times = Counter(epsilon for epsilon, _ in costs if epsilon > 0)
    working = math.prod(1 - value for _, value in costs)
    plain = math.fsum(epsilon for epsilon, _ in costs)
    return min(plain, epsilon_for_delta(compose(times), 1 - (1 - delta) / working))


def _place_on_grid(epsilon: float, width: float) -> tuple[int, Floats, Floats]:
    """Return the first point and both probabilities of a randomised response; they keep sums."""
    loss = np.array([epsilon, -epsilon])
    chances = np.array([1.0, math.exp(-epsilon)]) / (1 + math.exp(-epsilon))
    place = loss / width
    nearest = np.rint(place)
    below = np.where(np.abs(place - nearest) < 1e-9, nearest, np.floor(place)).astype(np.int64)
    beyond = np.maximum(loss - below * width, 0.0)
    up = np.expm1(-beyond) / np.expm1(-width)
    first, points = int(below.min()), int(np.ptp(below)) + 2
    spread: list[Any] = [
        np.bincount(below - first, side * (1 - share), points)
        + np.bincount(below - first + 1, side * share, points)
        for side, share in ((chances, up), (chances[::-1], up * np.exp(beyond - width)))
    ]
    return first, spread[0], spread[1]


def _convolve(so_far: Floats, part: Floats, times: int, length: int) -> Floats:
    size = fft.next_fast_len(length, real=True)
    power = fft.rfft(part, size) ** times
    return np.maximum(fft.irfft(fft.rfft(so_far, size) * power, size)[:length], 0.0)
