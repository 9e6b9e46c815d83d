"""What one released cell says to an attacker who knows all other trips in it.

The target adds x trips to the m trips of all others. With noise Z the cell is released as m + Z
without the target and as m + x + Z with him, if that is at least τ′ = max(τ, 1), and as 0
otherwise. Of all results at most x + 3 have different losses:

- above m + x both laws are in their geometric tails, and the loss is a·x whatever the result;
- from m to m + x each result has its own;
- below m the loss is −a·x again;
- 0 stands for all results below τ′. Where nothing is suppressed (`estimate` reads signed cells) the
results below m are told apart, but all of them say the same.

All but a suppressed result's are whole multiples of a and of c = log(P(Z = 0)/P(Z = 1)); for
discrete Laplace noise c = a. A suppressed result's is, where τ′ ≤ m, the tail's.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..arrays import Floats, Integers
from ..losses import CellLosses
from ..origin_destination import LawName, NoiseLaw

MOST_TRIPS = 10_000
"""Most trips of a target in one cell."""
LARGEST_FLOW = 10**9


@dataclass(frozen=True, kw_only=True)
class Corridor:
    """Cells of equal standing: an origin and a destination with the target's trips in it.

    Parameters
    ----------
    trips : int
        x, the target's trips in each of them, 1 to 10,000.
    rest : int
        m, all other trips in each of them, 0 to 1e9.
    cells : int
        How many there are, 1 to 10,000.

    Raises
    ------
    ParameterError
        If a number is negative, has a fraction or is too large.

    Examples
    --------
    >>> Corridor(trips=1, rest=40, cells=2).total  # there and back
    2
    """

    trips: int
    rest: int
    cells: int = 1

    def __post_init__(self) -> None:
        for name, least, most, remedy in (
            ("trips", 1, MOST_TRIPS, "a target without trips leaves no trace"),
            ("rest", 0, LARGEST_FLOW, "it is the number of all other trips"),
            ("cells", 1, MOST_TRIPS, "it is how many such flows there are"),
        ):
            validation.whole_number(name, getattr(self, name), least, most, remedy=remedy)

    @property
    def total(self) -> int:
        """All trips of the target in these cells."""
        return self.trips * self.cells


def cell_losses(
    trips: int, rest: int, *, rate: float, threshold: int | None, law: LawName = "rounded_laplace"
) -> CellLosses:
    """Return the losses of one cell.

    Parameters
    ----------
    trips, rest : int
        x and m, checked by `Corridor`.
    rate : float
        a = ε/T.
    threshold : int or None
        τ; None where nothing is suppressed and cells are signed.

    Examples
    --------
    >>> one = cell_losses(1, 40, rate=0.5, threshold=15)
    >>> (one.coordinates @ one.steps).round(3).tolist()
    [-0.5, -0.367, 0.367, 0.5]
    """
    noise = NoiseLaw(rate, law)
    least = rest if threshold is None else max(threshold, 1)
    first = max(least, rest)
    between = np.arange(first, rest + trips + 1)  # empty where m + x < τ′
    end = max(least, rest + trips + 1)
    # results below `first` and not suppressed share the lower tail's loss with a suppressed one
    below = least if rest < least else rest
    inside, outside = (
        np.r_[
            np.exp(_log_below(noise, below - centre)),
            noise.pmf(between - centre),
            noise.tail(end - centre),
        ]
        for centre in (rest + trips, rest)
    )
    steps, coordinates = _steps(noise, trips, rest, between)
    if rest < least:  # a suppressed result may mean anything below τ′
        suppressed = _log_below(noise, least - rest - trips) - _log_below(noise, least - rest)
        steps, coordinates = np.r_[steps, suppressed], np.pad(coordinates, ((0, 0), (0, 1)))
        coordinates[0] = 0
        coordinates[0, -1] = 1
    return CellLosses(coordinates=coordinates, steps=steps, inside=inside, outside=outside)


def one_cell_advantage(
    trips: ArrayLike,
    rest: ArrayLike,
    *,
    rate: ArrayLike,
    threshold: ArrayLike | None,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return the advantage against a target whose trips all lie in one cell: a closed form.

    Both noises are log-concave, so the best test asks whether the result is at least some t ≥ τ′:
    the advantage is the largest probability of x neighbouring values of Z that suppression
    leaves apart. With x = 1 that is P(Z = max(τ′ − 1 − m, 0)); in large flows it is 1 − e^(−ax/2)
    for odd x and 1 − e^(−ax/2)·cosh(a/2) for even x (rounded Laplace).

    Parameters
    ----------
    trips, rest, rate, threshold : array-like
        x, m, a = ε/T and τ; they broadcast. A threshold of None suppresses nothing.

    Examples
    --------
    >>> one_cell_advantage([1, 14], 10**6, rate=0.5, threshold=15).round(4).tolist()
    [0.2212, 0.9689]
    """
    noise = NoiseLaw(rate, law)
    x, m = np.asarray(trips, dtype=np.float64), np.asarray(rest, dtype=np.float64)
    start = -np.floor(x / 2) + 0 * m
    if threshold is not None:
        least = np.maximum(np.asarray(threshold, dtype=np.float64), 1.0)
        start = np.maximum(start, least - m - x)
    # P(start ≤ Z < start + x), from the side on which nothing cancels
    split = (start <= 0) & (start + x > 0)
    around = 1 - noise.tail(start + x) - noise.tail(1 - start)
    beside = noise.tail(start) * -np.expm1(-noise.rate * x)
    return np.where(split, around, beside)


def _steps(noise: NoiseLaw, trips: int, rest: int, between: Integers) -> tuple[Floats, Integers]:
    """Return a and c, and every result's loss in them: suppressed, between, above."""
    with_target, without = between - rest - trips, between - rest
    # log pmf(z) = log P(0) − [z ≠ 0]·(c + a·(|z| − 1)): the loss is the difference of two
    away = np.abs(without) - np.abs(with_target)
    bumps = (without != 0).astype(np.int64) - (with_target != 0).astype(np.int64)
    in_steps = np.stack([away - bumps, bumps], axis=1)
    tails = np.array([[-trips, 0], [trips, 0]])
    coordinates = np.concatenate([tails[:1], in_steps, tails[1:]])
    if noise.name == "discrete_laplace":
        return np.array([float(noise.rate)]), coordinates.sum(axis=1, keepdims=True)
    bump = float(noise.log_pmf(0) - noise.log_pmf(1))
    return np.array([float(noise.rate), bump]), coordinates


def _log_below(noise: NoiseLaw, bound: int) -> float:
    """Return log P(Z < bound) = log P(Z ≥ 1 − bound)."""
    return float(noise.log_tail(1 - bound))
