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
    """Distribution of the privacy loss with the record in the data; without it losses are negated.

    `value`, shape (points,), are losses, finite, ascending and symmetric about 0; `probability_in`
    are their probabilities with the record, and in reverse order those without it.
    """

    value: Floats
    probability_in: Floats

    def delta_at(self, epsilon: float) -> float:
        """Return the least δ at ε: P(in) − e^ε·P(out) over all losses above ε."""
        odds = math.exp(min(epsilon, _LARGEST_EXPONENT))
        excess = self.probability_in - odds * self.probability_in[::-1]
        return float(excess[self.value > epsilon].sum())

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
    first, inside = 0, np.ones(1)
    for epsilon, n in times.items():
        start, spread = _place_on_grid(epsilon, width)
        first += n * start
        inside = _convolve(inside, spread, n)
    positive = inside[-first:]
    value = width * np.arange(len(positive), dtype=np.float64)
    # P(−v | in) = P(v | out) = e^−v·P(v | in), without the rounding error of the convolution
    negative = (positive * np.exp(-value))[:0:-1]
    return PrivacyLossDistribution(
        value=np.append(-value[:0:-1], value), probability_in=np.append(negative, positive)
    )


def epsilon_for_delta(losses: PrivacyLossDistribution, delta: float) -> float:
    """Return the least ε ≥ 0 at which the losses are (ε, δ)-DP, or infinity."""
    value, inside, outside = losses.value[::-1], losses.probability_in[::-1], losses.probability_in
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


def _place_on_grid(epsilon: float, width: float) -> tuple[int, Floats]:
    """Return the first point and the probabilities of a randomised response with the record."""
    loss = np.array([epsilon, -epsilon])
    chances = np.array([1.0, math.exp(-epsilon)]) / (1 + math.exp(-epsilon))
    place = loss / width
    nearest = np.rint(place)
    below = np.where(np.abs(place - nearest) < 1e-9, nearest, np.floor(place)).astype(np.int64)
    up = chances * np.expm1(-np.maximum(loss - below * width, 0.0)) / np.expm1(-width)
    first, points = int(below.min()), int(np.ptp(below)) + 2
    spread = np.bincount(below - first, chances - up, points)
    return first, np.asarray(spread + np.bincount(below - first + 1, up, points), dtype=np.float64)


def _convolve(so_far: Floats, part: Floats, times: int) -> Floats:
    length = len(so_far) + times * (len(part) - 1)
    size = fft.next_fast_len(length, real=True)
    power = fft.rfft(part, size) ** times
    return np.maximum(fft.irfft(fft.rfft(so_far, size) * power, size)[:length], 0.0)
