"""Log-likelihood ratios: all that a released result says about one record.

A test of "in the data" against "out of it" uses nothing of a result but its loss
log(P(result | in) / P(result | out)) (Neyman and Pearson). Losses of independent cells add up, so
the law of a sum of losses is a convolution. Two ways are used:

- exact: all distinct sums, as long as they are few; equal cells by a power of one transform;
- on a grid, where the sums are too many: each loss is split onto its two neighbouring points so
  that both probabilities keep their sum (Doroshenko et al., "Connect the dots", 2022). The attack
  on the grid is never weaker than the exact one, and stronger only by the square of the width.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft as scipy_fft

from . import validation
from .arrays import Floats, Integers

fft: Any = scipy_fft  # its hints know no arrays

EXACT_POINTS = 2**16
"""Most distinct sums that are kept apart."""
DIRECT_POINTS = 2**11
"""Most of them that are summed product by product, so that even the rarest are exact."""
GRID_POINTS = 2**15
"""Points of the grid that takes over for powers."""
GRID_SUM_POINTS = 2**14
"""Points of its half that takes over for sums of unlike parts."""
MOST_REPEATS = 10**6
_NEGLIGIBLE = 1e-16
_SAME = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class Losses:
    """Law of the loss, with the target in the data and out of it.

    Attributes
    ----------
    value : array, shape (values,)
        Losses log(inside/outside), finite and ascending.
    inside, outside : array, shape (values,)
        Their probabilities with and without the target.
    only_inside, only_outside : float
        Probability of results that are impossible without, or with, the target: infinite losses.
    """

    value: Floats
    inside: Floats
    outside: Floats
    only_inside: float = 0.0
    only_outside: float = 0.0

    @property
    def largest(self) -> float:
        """The largest absolute loss, infinite where a result can prove membership or absence."""
        if self.only_inside > _NEGLIGIBLE or self.only_outside > _NEGLIGIBLE:
            return float("inf")
        return float(np.abs(self.value).max(initial=0.0))


NOTHING = Losses(value=np.zeros(1), inside=np.ones(1), outside=np.ones(1))
"""The loss of a result that says nothing."""


def from_probabilities(inside: ArrayLike, outside: ArrayLike) -> Losses:
    """Return the losses of results with these probabilities.

    Parameters
    ----------
    inside, outside : array-like, shape (results,)
        Probability of each result with and without the target; each adds up to 1.

    Examples
    --------
    >>> losses = from_probabilities([0.25, 0.75], [0.75, 0.25])
    >>> losses.value.round(4).tolist()
    [-1.0986, 1.0986]
    """
    p, q = np.asarray(inside, dtype=np.float64), np.asarray(outside, dtype=np.float64)
    both = (p > 0) & (q > 0)
    return _merged(
        np.log(p[both] / q[both]),
        p[both],
        q[both],
        only_inside=float(p[q <= 0].sum()),
        only_outside=float(q[p <= 0].sum()),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class CellLosses:
    """Losses of one cell as whole multiples of a few steps, so that equal sums are known as such.

    Attributes
    ----------
    coordinates : int array, shape (values, steps)
    steps : array, shape (steps,)
        A value's loss is ``coordinates @ steps``.
    inside, outside : array, shape (values,)
        All above 0.
    """

    coordinates: Integers
    steps: Floats
    inside: Floats
    outside: Floats

    @property
    def once(self) -> Losses:
        """The losses of this cell alone."""
        return _merged(self.coordinates @ self.steps, self.inside, self.outside)


def repeated(cell: CellLosses, times: int) -> Losses:
    """Return the losses of `times` independent cells like this one.

    Examples
    --------
    >>> coin = CellLosses(coordinates=np.array([[-1], [1]]), steps=np.log([1.5]),
    ...                   inside=np.array([0.4, 0.6]), outside=np.array([0.6, 0.4]))
    >>> repeated(coin, 2).inside.round(2).tolist()
    [0.16, 0.48, 0.36]
    """
    count = validation.whole_number(
        "times", times, 0, MOST_REPEATS, remedy="it is a number of cells or releases"
    )
    if count == 0:
        return NOTHING
    if count == 1:
        return cell.once
    moved = cell.coordinates - cell.coordinates[0]
    axes = _independent(moved)
    if not axes:
        return NOTHING
    # every loss is the first one plus whole multiples of as many widths as there are axes
    lattice = moved[:, axes] - moved[:, axes].min(axis=0)
    values = moved @ cell.steps
    widths = np.linalg.lstsq(moved[:, axes].astype(np.float64), values, rcond=None)[0]
    origin = float(cell.coordinates[0] @ cell.steps) + float(moved[:, axes].min(axis=0) @ widths)
    shape = tuple(int(size) for size in count * lattice.max(axis=0) + 1)
    if int(np.prod([float(size) for size in shape])) > EXACT_POINTS:
        return _power_on_grid(cell.once, count)
    value = (count * origin + np.tensordot(widths, np.indices(shape), axes=1)).ravel()
    # in the order of the result's points, so that one-dimensional convolution never wraps around
    order = np.ravel_multi_index(tuple(lattice.T), shape)
    ones = [
        np.asarray(np.bincount(order, weights=chances), dtype=np.float64)
        for chances in (cell.inside, cell.outside)
    ]
    if len(value) <= DIRECT_POINTS:
        inside, outside = (_direct_power(one, count, len(value)) for one in ones)
        met = (inside > 0) | (outside > 0)
        return _merged(value[met], inside[met], outside[met])
    inside, outside = (_power_1d(one, len(value), count) for one in ones)
    reachable = np.abs(value) <= count * np.abs(cell.once.value).max() * (1 + _SAME)
    return _consistent(value[reachable], inside[reachable], outside[reachable])


def repeated_losses(losses: Losses, times: int) -> Losses:
    """Return the losses of `times` independent results, on a grid where they are many.

    Examples
    --------
    >>> losses = from_probabilities([0.4, 0.6], [0.6, 0.4])
    >>> repeated_losses(losses, 2).outside.round(2).tolist()
    [0.36, 0.48, 0.16]
    """
    count = validation.whole_number(
        "times", times, 0, MOST_REPEATS, remedy="it is a number of cells or releases"
    )
    if count <= 1:
        return losses if count else NOTHING
    if len(losses.value) ** count <= 2**12:
        return together([losses] * count)
    return _power_on_grid(losses, count)


def composed_on_grid(parts: Sequence[tuple[Losses, int]], width: float) -> Losses:
    """Return the losses of independent results, each as often as is said, on a grid of one width.

    Examples
    --------
    >>> coin = from_probabilities([0.4, 0.6], [0.6, 0.4])
    >>> composed_on_grid([(coin, 2)], np.log(1.5)).inside[::2].round(2).tolist()
    [0.16, 0.48, 0.36]
    """
    start, p, q = 0, np.ones(1), np.ones(1)
    proof, disproof = 1.0, 1.0  # probabilities that there is none
    for losses, times in parts:
        first, inside, outside = _on_grid(losses, width)
        length = times * (len(inside) - 1) + 1
        total = len(p) + length - 1
        p = _product_1d(p, _power_1d(inside, length, times), total)
        q = _product_1d(q, _power_1d(outside, length, times), total)
        start += times * first
        proof *= (1 - losses.only_inside) ** times
        disproof *= (1 - losses.only_outside) ** times
    return _consistent(
        _points(start, len(p), width), p, q, only_inside=1 - proof, only_outside=1 - disproof
    )


def together(parts: Sequence[Losses]) -> Losses:
    """Return the losses of independent results taken together."""
    total = NOTHING
    for part in sorted(parts, key=lambda each: len(each.value)):
        total = _sum(total, part)
    return total


def _sum(first: Losses, second: Losses) -> Losses:
    fewest = min(len(first.value), len(second.value))
    if fewest > 1 and len(first.value) * len(second.value) > EXACT_POINTS:
        return _sum_on_grid(first, second, _common_width(first, second))
    return _merged(
        np.add.outer(first.value, second.value).ravel(),
        np.outer(first.inside, second.inside).ravel(),
        np.outer(first.outside, second.outside).ravel(),
        only_inside=_either(first.only_inside, second.only_inside),
        only_outside=_either(first.only_outside, second.only_outside),
    )


def _either(first: float, second: float) -> float:
    return first + second - first * second


def _merged(
    value: Floats,
    inside: Floats,
    outside: Floats,
    *,
    only_inside: float = 0.0,
    only_outside: float = 0.0,
) -> Losses:
    order = np.argsort(value, kind="stable")
    ordered = value[order]
    apart = _SAME * max(1.0, float(np.abs(ordered).max(initial=0.0)))
    starts = np.flatnonzero(np.r_[True, np.diff(ordered) > apart]) if len(ordered) else order
    if not len(ordered):
        empty = np.zeros(0)
        return Losses(
            value=empty,
            inside=empty,
            outside=empty,
            only_inside=only_inside,
            only_outside=only_outside,
        )
    return Losses(
        value=ordered[starts],
        inside=np.add.reduceat(inside[order], starts),
        outside=np.add.reduceat(outside[order], starts),
        only_inside=only_inside,
        only_outside=only_outside,
    )


def _independent(moved: Integers) -> list[int]:
    """Return columns that span all differences of the coordinates."""
    axes: list[int] = []
    for axis in range(moved.shape[1]):
        if np.linalg.matrix_rank(moved[:, [*axes, axis]]) > len(axes):
            axes.append(axis)
    return axes


def _direct_power(one: Floats, times: int, length: int) -> Floats:
    power, square, left = np.ones(1), one, times
    while left:
        if left & 1:
            power = np.convolve(power, square)
        left >>= 1
        if left:
            square = np.convolve(square, square)
    return np.asarray(np.pad(power, (0, length - len(power))), dtype=np.float64)


def _consistent(
    value: Floats,
    inside: Floats,
    outside: Floats,
    *,
    only_inside: float = 0.0,
    only_outside: float = 0.0,
) -> Losses:
    """Return the losses of a transform: rounding taken out, and inside = outside·e^value again."""
    likelier = value >= 0  # the larger of both probabilities is the accurate one
    met = np.where(likelier, inside, outside) > _NEGLIGIBLE
    value, inside, outside, likelier = value[met], inside[met], outside[met], likelier[met]
    fading = np.exp(-np.abs(value))
    p = np.where(likelier, inside, outside * fading)
    q = np.where(likelier, inside * fading, outside)
    return _merged(value, p, q, only_inside=only_inside, only_outside=only_outside)


def _on_grid(losses: Losses, width: float) -> tuple[int, Floats, Floats]:
    """Return the first point, and both probabilities on the points from there on."""
    place = losses.value / width
    # a loss within rounding of a point is on it
    nearest = np.rint(place)
    below = np.where(np.abs(place - nearest) < 1e-6, nearest, np.floor(place)).astype(np.int64)
    first = int(below.min())
    beyond = np.maximum(losses.value - below * width, 0.0)
    up = np.expm1(-beyond) / np.expm1(-width)
    up_outside = up * np.exp(beyond - width)
    points = int(below.max()) - first + 2
    inside, outside = np.zeros(points), np.zeros(points)
    for chances, share, target in (
        (losses.inside, up, inside),
        (losses.outside, up_outside, outside),
    ):
        np.add.at(target, below - first, chances * (1 - share))
        np.add.at(target, below - first + 1, chances * share)
    return first, inside, outside


def _power_on_grid(losses: Losses, times: int) -> Losses:
    only_inside, only_outside = (
        1 - (1 - chance) ** times for chance in (losses.only_inside, losses.only_outside)
    )
    span = float(np.ptp(losses.value))
    if span == 0:
        return Losses(
            value=losses.value * times,
            inside=losses.inside**times,
            outside=losses.outside**times,
            only_inside=only_inside,
            only_outside=only_outside,
        )
    # whole parts of the largest loss, so that it lies on the grid
    top = float(np.abs(losses.value).max())
    width = top / max(round(top / span * GRID_POINTS / times), 8)
    first, inside, outside = _on_grid(losses, width)
    length = times * (len(inside) - 1) + 1
    return _consistent(
        _points(times * first, length, width),
        _power_1d(inside, length, times),
        _power_1d(outside, length, times),
        only_inside=only_inside,
        only_outside=only_outside,
    )


def _power_1d(chances: Floats, length: int, times: int) -> Floats:
    size = _transform_size(length)
    square = fft.rfft(chances, size)
    power, left = None, times
    while left:  # squares: a complex power by logarithms takes longer than the transforms
        if left & 1:
            power = square if power is None else power * square
        left >>= 1
        if left:
            square = square * square
    return np.asarray(fft.irfft(power, size)[:length], dtype=np.float64)


def _product_1d(first: Floats, second: Floats, length: int) -> Floats:
    size = _transform_size(length)
    product = fft.irfft(fft.rfft(first, size) * fft.rfft(second, size), size)
    return np.asarray(product[:length], dtype=np.float64)


def _transform_size(length: int) -> int:
    return int(fft.next_fast_len(length, real=True))


def _common_width(first: Losses, second: Losses) -> float:
    """Return a width of which both largest losses are whole multiples, as they are of a = ε/T."""
    one, other = (float(np.abs(part.value).max()) for part in (first, second))
    ratio = Fraction(one / other).limit_denominator(1000)
    unit = one / max(ratio.numerator, 1)
    return unit / math.ceil(unit * GRID_SUM_POINTS / (one + other))


def _sum_on_grid(first: Losses, second: Losses, width: float) -> Losses:
    start, p, q = _on_grid(first, width)
    other, p_other, q_other = _on_grid(second, width)
    length = len(p) + len(p_other) - 1
    return _consistent(
        _points(start + other, length, width),
        _product_1d(p, p_other, length),
        _product_1d(q, q_other, length),
        only_inside=_either(first.only_inside, second.only_inside),
        only_outside=_either(first.only_outside, second.only_outside),
    )


def _points(first: int, length: int, width: float) -> Floats:
    return (first + np.arange(length, dtype=np.float64)) * width
