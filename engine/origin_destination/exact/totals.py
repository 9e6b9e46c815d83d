"""Released totals of zones and of everything: expected, and an interval that holds exactly.

A total is a sum of independent released cells, so the characteristic functions of the cells
multiply. On the whole numbers that one period N can tell apart,

    P(S ≤ a + n) = 1/N · Σ_k φ(ω_k)·e^(−iω_k·a)·Σ_{j ≤ n} e^(−iω_k·j),   ω_k = 2πk/N,

up to the mass outside the N numbers from a, which a period of 32 standard deviations leaves below
10⁻⁹. Where many cells are noisy φ vanishes after a few frequencies; where few cells matter the
period is short.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ...arrays import Complex, Floats
from .. import laws
from ..laws import NoiseLaw

CONFIDENCE = 0.95

_BLOCK = 64
_VANISHED = 1e-10
_DEVIATIONS = 32
_SURE = 0.05
"""Standard deviation up to which a whole number is its expectation, rounded, but for 1% of draws
(Chebyshev's inequality): both ends of its interval."""
_MARGIN = 1e-7
"""Kept back from each tail for rounding and for the mass outside the period."""
_MOST_VALUES = 4_000_000
"""Most values of φ computed for one period; beyond it the interval is Cantelli's, which is wider
and holds for every law."""


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Released totals.

    Attributes
    ----------
    true : array
        True trips.
    expected : array
        Expected released trips.
    bias : array
        Expected minus true.
    low, high : array
        The released total lies between them, both included, with probability at least 0.95: the
        whole numbers that leave at most 0.025 on either side, exactly.
    """

    true: Floats
    expected: Floats
    bias: Floats
    standard_deviation: Floats
    low: Floats
    high: Floats

    @classmethod
    def of_cells(
        cls,
        law: NoiseLaw,
        kept: Floats,
        cells: sparse.csr_array | Floats,
        *,
        true: Floats,
        threshold: float,
    ) -> "Totals":
        """Return the totals of independent cells.

        Parameters
        ----------
        law : NoiseLaw
            Of one rate.
        kept : array, shape (distinct,)
            Distinct counts after trimming.
        cells : array or sparse array, shape (totals, distinct) or (distinct,)
            How many cells of each count every total adds up.
        true : array, shape (totals,) or ()
            True trips of every total.
        threshold : float
            τ.

        Examples
        --------
        >>> two = Totals.of_cells(NoiseLaw(2.0), np.array([0.0, 40.0]), np.array([9.0, 1.0]),
        ...                       true=np.array(40.0), threshold=15)
        >>> float(two.low), float(two.high)
        (39.0, 41.0)
        """
        per_cell = np.stack(laws.bias_and_variance(law, kept, threshold), axis=1)
        rows = cells if cells.ndim == 2 else cells[None, :]
        counts = sparse.csr_array(rows)
        moments = np.asarray(counts @ per_cell)
        expected = np.asarray(counts @ kept) + moments[:, 0]
        deviation = np.sqrt(np.maximum(moments[:, 1], 0.0))
        low, high = _intervals(law, kept, counts, expected, deviation, threshold)
        shape = np.shape(true)
        return cls(
            true=true,
            expected=expected.reshape(shape),
            bias=expected.reshape(shape) - true,
            standard_deviation=deviation.reshape(shape),
            low=low.reshape(shape),
            high=high.reshape(shape),
        )


def _intervals(
    law: NoiseLaw,
    kept: Floats,
    counts: sparse.csr_array,
    expected: Floats,
    deviation: Floats,
    threshold: float,
) -> tuple[Floats, Floats]:
    least = float(laws.effective_threshold(threshold))
    # a rare cell that shows τ′ trips or more must fit, however small the deviation is
    reach = _DEVIATIONS * deviation + 4 * least + 64
    periods = 2.0 ** np.ceil(np.log2(reach))
    low = np.round(expected) + 0.0  # never −0
    high = low.copy()
    unsure = deviation > _SURE
    for period in np.unique(periods[unsure]):
        chosen = np.flatnonzero(unsure & (periods == period))
        start = np.floor(expected[chosen] - period / 2)
        terms = _terms(law, kept, counts[chosen], start, int(period), threshold)
        if terms is None:
            half = deviation[chosen] * np.sqrt(2 / (1 - CONFIDENCE) - 1)
            low[chosen] = np.floor(expected[chosen] - half)
            high[chosen] = np.ceil(expected[chosen] + half)
            continue
        side = (1 - CONFIDENCE) / 2 - _MARGIN
        low[chosen] = start + _first_above(terms, int(period), side)
        high[chosen] = start + _first_above(terms, int(period), 1 - side)
    return np.maximum(low, 0.0), np.maximum(high, 0.0)


def _terms(
    law: NoiseLaw,
    kept: Floats,
    counts: sparse.csr_array,
    start: Floats,
    period: int,
    threshold: float,
) -> Complex | None:
    """Return φ(ω_k)·e^(−iω_k·a) for k = 1, 2, … until it vanishes, shape (totals, k)."""
    used = np.unique(counts.indices)
    counts, kept = counts[:, used], kept[used]
    half = period // 2
    parts: list[Complex] = []
    first = 1
    while first <= half:
        if first * max(len(used), 1) > _MOST_VALUES:
            return None
        k = np.arange(first, min(first + max(first, _BLOCK), half + 1))
        first = int(k[-1]) + 1
        angle = 2 * np.pi * k / period
        with np.errstate(divide="ignore"):  # a cell may have φ = 0 at some angle
            logs = np.log(_characteristic(law, kept, angle, threshold))
        logs = np.maximum(np.real(logs), -700.0) + 1j * np.imag(logs)
        values: Complex = np.exp(np.asarray(counts @ logs) - 1j * start[:, None] * angle)
        parts.append(values)
        if np.abs(values).max(initial=0.0) < _VANISHED:
            break
    terms = np.concatenate(parts, axis=1)
    if terms.shape[1] == half:
        terms[:, -1] /= 2  # the highest frequency has no conjugate of its own
    return terms


def _characteristic(law: NoiseLaw, kept: Floats, angle: Floats, threshold: float) -> Complex:
    """Return E[e^(iω·out)] of cells with these counts, shape (counts, angles)."""
    bound = (laws.effective_threshold(threshold) - kept)[:, None]
    turn = np.exp(1j * angle)
    step = np.asarray(law.first * law.gap / (1 - np.exp(-law.rate) * turn), np.complex128)

    def beyond(j: Floats) -> Complex:
        """Return Σ_{z ≥ j} P(Z = z)·e^(iωz) for j ≥ 1."""
        return np.asarray(step * law.power(j - 1) * np.exp(1j * angle * j), np.complex128)

    first = beyond(np.ones((1, 1)))
    near = np.maximum(1 - bound, 1.0)
    below = np.conj(first - beyond(near))  # z from s to −1, by symmetry
    shown = np.where(bound >= 1, beyond(np.maximum(bound, 1.0)), law.zero + first + below)
    whole = law.tail(1 - bound) + shown * np.exp(1j * angle * kept[:, None])
    return np.asarray(whole, np.complex128)


def _first_above(terms: Complex, period: int, probability: float) -> Floats:
    """Return the least n with P(S ≤ a + n) > probability, by bisection."""
    k = np.arange(1, terms.shape[1] + 1)
    back = np.exp(-2j * np.pi * k / period)
    weights = terms / (1 - back)
    constant = weights.sum(axis=1).real
    low = np.full(len(terms), -1, dtype=np.int64)
    high = np.full(len(terms), period - 1, dtype=np.int64)
    while (high - low > 1).any():
        middle = (low + high) // 2
        # whole numbers are reduced before they meet π: no digit is lost
        phase = (k * (middle[:, None] + 1)) % period
        turned = (weights * np.exp(-2j * np.pi * phase / period)).sum(axis=1).real
        reached = (middle + 1 + 2 * (constant - turned)) / period > probability
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return high.astype(np.float64)
