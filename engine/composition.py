"""What releases cost together, exactly.

Of all that is (ε, δ)-DP the worst is a randomised response of ε that fails outright with δ; many
of them lose as much together as any such releases can (Kairouz, Oh and Viswanath, "The composition
theorem for differential privacy", 2015; Murtagh and Vadhan, 2016, for unlike ones).
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from .arrays import Floats
from .losses import CellLosses, Losses, repeated, together


def composed_epsilon(costs: Sequence[tuple[float, float]], delta: float) -> float:
    """Return the least ε at δ of releases whose settings are fixed in advance; at most their sum.

    Parameters
    ----------
    costs : sequence of (ε, δ)
        Of each release.
    delta : float
        Of all together, at least the sum of theirs.

    Examples
    --------
    >>> round(composed_epsilon([(0.1, 0.0)] * 305, 1e-6), 2)
    9.26
    >>> composed_epsilon([(0.5, 0.0), (0.5, 0.0)], 1e-30)
    1.0
    """
    plain = math.fsum(epsilon for epsilon, _ in costs)
    times = Counter(epsilon for epsilon, _ in costs if epsilon > 0)
    losses = together(
        [repeated(randomised_response(epsilon), many) for epsilon, many in times.items()]
    )
    working = math.prod(1 - one for _, one in costs)
    return min(plain, least_epsilon(losses, 1 - (1 - delta) / working))


def least_epsilon(losses: Losses, delta: float) -> float:
    """Return the least ε ≥ 0 at which the losses are (ε, δ)-DP; infinite where none is.

    Examples
    --------
    >>> round(least_epsilon(randomised_response(1.0).once, 1e-9), 6)
    1.0
    """
    value, inside, outside = losses.value[::-1], losses.inside[::-1], losses.outside[::-1]
    # of the k largest losses; what rounding lost counts as proof
    above = np.r_[0.0, np.cumsum(inside)] + max(1 - float(inside.sum()), 0.0)
    beside = np.r_[0.0, np.cumsum(outside)]
    enough = np.flatnonzero(above[:-1] - np.exp(value) * beside[:-1] <= delta)
    if not len(enough):
        return math.inf
    # δ holds at the last of these losses and not at the next; between them it is this straight line
    least = int(enough[-1]) + 1
    odds = (above[least] - delta) / beside[least]
    return math.log(odds) if odds > 1 else 0.0


def from_deltas(epsilons: Floats, deltas: Floats) -> Losses:
    """Return losses on the points `epsilons` whose δ(ε) there is `deltas`, and no less between.

    Between the points δ runs straight in e^ε, as far above a convex δ(ε) as the points allow
    (Doroshenko et al.); before the first it runs to δ = 1 at e^ε = 0.

    Parameters
    ----------
    epsilons : array, shape (points,)
        Ascending.
    deltas : array, shape (points,)
        Least δ at each; falling.

    Examples
    --------
    >>> coin = from_deltas(np.log([2 / 3, 1.5]), np.array([1 / 3, 0.0]))
    >>> coin.inside.round(2).tolist(), coin.outside.round(2).tolist()
    ([0.4, 0.6], [0.6, 0.4])
    """
    odds = np.exp(epsilons)
    # what lies above each point without the target is the slope after it
    from_first = (1 - deltas[0]) / odds[0]
    above = -np.diff(deltas) / (odds[:-1] * np.expm1(np.diff(epsilons)))
    outside = np.maximum(-np.diff(np.r_[from_first, above, 0.0]), 0.0)
    return Losses(
        value=epsilons,
        inside=outside * odds,
        outside=outside,
        only_inside=float(deltas[-1]),
        only_outside=max(1 - float(from_first), 0.0),
    )


def randomised_response(epsilon: float) -> CellLosses:
    """Return the losses of the worst that is ε-DP.

    Examples
    --------
    >>> randomised_response(1.0).once.value.tolist()
    [-1.0, 1.0]
    """
    odds = math.exp(-epsilon)
    chances = np.array([odds, 1.0]) / (1 + odds)  # 1 - right would lose the small one's digits
    return CellLosses(
        coordinates=np.array([[-1], [1]]),
        steps=np.array([epsilon]),
        inside=chances,
        outside=chances[::-1],
    )
