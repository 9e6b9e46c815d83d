"""How well whole matrices agree with the truth, whichever method made them.

Measures that every method can be held to: they need no threshold, count every pair of zones and
are those that planners use (totals of zones, leading destinations, common part of commuters).
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Booleans, Counts
from .matrices import require_alike

LEADING = 10
"""How many leading destinations of a zone are compared."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How one released matrix agrees with the truth.

    Attributes
    ----------
    mean_error : float
        Mean of |x̂ − x| over all pairs of different zones, in trips.
    outgoing_error, incoming_error : float
        Errors of the totals of zones, Σ|x̂ − x|/Σx; NaN without trips.
    common_part : float
        Common part of commuters, 2Σ min(x̂, x)/Σ(x̂ + x), from 0 to 1 (Lenormand et al. 2012).
    leading_destinations : float
        Mean share of a zone's ten leading destinations that are among its ten in the release, over
        zones with trips to ten or more; NaN without one.
    shown : int
        Flows shown.
    false_share : float
        Share of these between which nobody travels; 0 where nothing is shown.
    """

    mean_error: float
    outgoing_error: float
    incoming_error: float
    common_part: float
    leading_destinations: float
    shown: int
    false_share: float


def agreement(
    true: Counts, released: Counts, shown: Booleans | None = None, *, sums: Counts | None = None
) -> Agreement:
    """Return how `released` agrees with `true`.

    Parameters
    ----------
    true, released : arrays, shape (zones, zones) or (days, zones, zones)
        Trips of at least 0; diagonals are left out.
    shown : array of bool, same shape, or None
        Which flows are drawn on a map; None takes those above 0.
    sums : array, same shape, or None
        What the release says to add up and to rank by, where it has other numbers for that than
        for single flows; None takes `released`.

    Examples
    --------
    >>> agreed = agreement(np.array([[0, 40], [10, 0]]), np.array([[0, 44], [0, 0]]))
    >>> agreed.mean_error, agreed.outgoing_error, agreed.false_share
    (7.0, 0.28, 0.0)
    """
    added = released if sums is None else sums
    require_alike(true, released)
    require_alike(true, added)
    off = ~np.eye(true.shape[-1], dtype=bool)
    t, out, added = true * off, released * off, added * off
    drawn = ((out > 0) if shown is None else shown) & off
    both = float(t.sum() + out.sum())
    count = int(drawn.sum())
    return Agreement(
        mean_error=float(np.abs(out - t)[..., off].mean()) if off.any() else float("nan"),
        outgoing_error=_total_error(t.sum(axis=-1), added.sum(axis=-1)),
        incoming_error=_total_error(t.sum(axis=-2), added.sum(axis=-2)),
        common_part=2 * float(np.minimum(t, out).sum()) / both if both > 0 else float("nan"),
        leading_destinations=_leading(t, added),
        shown=count,
        false_share=float((t[drawn] == 0).mean()) if count else 0.0,
    )


def _total_error(true: Counts, released: Counts) -> float:
    trips = float(true.sum())
    return float(np.abs(released - true).sum()) / trips if trips > 0 else float("nan")


def _leading(true: Counts, released: Counts) -> float:
    zones = true.shape[-1]
    rows, private = true.reshape(-1, zones), released.reshape(-1, zones)
    some = (rows > 0).sum(axis=1) >= LEADING
    if not some.any():
        return float("nan")
    # ties go to the zone that comes first, on both sides
    first = np.argsort(-rows[some], axis=1, kind="stable")[:, :LEADING]
    other = np.argsort(-private[some], axis=1, kind="stable")[:, :LEADING]
    return float((first[:, :, None] == other[:, None, :]).any(axis=2).mean())
