"""What one draw did: the same records as the expectation, to show beside it."""

from dataclasses import dataclass

import numpy as np

from .. import metrics, validation
from ..arrays import Booleans, Counts, Floats
from .exact.expected import POPULATIONS, SANITY_BOUND, Population
from .exact.outcomes import Errors, Outcomes, Share
from .matrices import require_alike


def drawn_outcomes(true: Counts, released: Counts, suppression_threshold: int) -> Outcomes:
    """Return what became of every off-diagonal cell in one release.

    Parameters
    ----------
    true, released : arrays, shape (zones, zones) or (days, zones, zones)
        The truth before trimming, and the release.
    suppression_threshold : int
        τ of the release.

    Examples
    --------
    >>> outcomes = drawn_outcomes(np.array([[0, 40], [9, 0]]), np.array([[0, 43], [0, 0]]), 15)
    >>> int(outcomes.kept.cells), int(outcomes.kept_suppressed.trips)
    (1, 9)
    """
    t, out = _travelled(true, released, 1)
    small, hidden = t < _least(suppression_threshold), out == 0
    # empty flows are most of a large table: what reads more than 0 there is what is left over
    diagonal = np.diagonal(released, axis1=-2, axis2=-1)
    shown = int(np.count_nonzero(released) - np.count_nonzero(diagonal) - np.count_nonzero(out))
    trips = released.sum(dtype=np.float64) - diagonal.sum(dtype=np.float64) - out.sum()
    cells = true.size - diagonal.size - len(t)

    def share(which: Booleans, *, empty: int = 0) -> Share:
        return _share(float(which.sum()) + empty, float(t[which].sum()))

    return Outcomes(
        kept_suppressed=share(small & hidden, empty=cells - shown),
        revealed=share(small & ~hidden, empty=shown),
        lost=share(~small & hidden),
        kept=share(~small & ~hidden),
        empty=_share(float(cells - shown), 0.0),
        phantom=_share(float(shown), float(trips)),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnCells:
    """Which cells one release lost or made up, and how many it shows below the threshold.

    Attributes
    ----------
    lost, phantom : bool arrays, shape of the release
        Flows of at least τ′ = max(τ, 1) that read 0; flows shown where nobody travelled.
    cells, below : int
        Off-diagonal cells, and those released below τ′.
    travelled, below_travelled : int
        The same of cells with a true trip.
    """

    lost: Booleans
    phantom: Booleans
    cells: int
    below: int
    travelled: int
    below_travelled: int


def drawn_cells(true: Counts, released: Counts, suppression_threshold: int) -> DrawnCells:
    """Return where one release loses or makes up flows; parameters as for `drawn_outcomes`.

    Examples
    --------
    >>> drawn = drawn_cells(np.array([[0, 40], [0, 0]]), np.array([[0, 0], [18, 0]]), 15)
    >>> drawn.lost.tolist(), drawn.phantom.tolist(), (drawn.below, drawn.cells)
    ([[False, True], [False, False]], [[False, False], [True, False]], (1, 2))
    """
    require_alike(true, released)
    least, off = _least(suppression_threshold), ~np.eye(true.shape[-1], dtype=bool)
    small, some = (released < least) & off, (true > 0) & off
    return DrawnCells(
        lost=(true >= least) & (released == 0) & off,
        phantom=(true == 0) & (released > 0) & off,
        cells=int(np.broadcast_to(off, released.shape).sum()),
        below=int(small.sum()),
        travelled=int(some.sum()),
        below_travelled=int((small & some).sum()),
    )


def drawn_errors(
    true: Counts, released: Counts, suppression_threshold: int, population: Population = "all"
) -> Errors:
    """Return the errors of one release over a population of off-diagonal cells.

    Parameters as for `drawn_outcomes`; `population` as for `Expectation.weights`.

    Examples
    --------
    >>> drawn_errors(np.array([[0, 40], [9, 0]]), np.array([[0, 43], [0, 0]]), 15).mean_absolute
    6.0
    """
    validation.one_of("population", population, POPULATIONS, "'all' is every flow")
    least = {"all": 0, "travelled": 1, "large": _least(suppression_threshold)}[population]
    t, out = _travelled(true, released, least)
    absolute = np.abs(out - t)
    relative = metrics.flow_relative_errors(t, out)
    bounded = absolute / np.maximum(t, SANITY_BOUND)
    measures = {
        "mean_absolute": np.mean(absolute) if len(t) else np.nan,
        "median_absolute": np.median(absolute) if len(t) else np.nan,
        "mean_relative": np.mean(relative) if len(t) else np.nan,
        "median_relative": np.median(relative) if len(t) else np.nan,
        "mean_bounded_relative": np.mean(bounded) if len(t) else np.nan,
    }
    return Errors(cells=float(len(t)), **{name: float(x) for name, x in measures.items()})


def _least(suppression_threshold: int) -> int:
    threshold = validation.whole_number(
        "suppression_threshold", suppression_threshold, 0, remedy="15 is usual"
    )
    return max(threshold, 1)


def _travelled(true: Counts, released: Counts, least: int) -> tuple[Floats, Floats]:
    """Return both numbers of the off-diagonal cells of at least so many true trips."""
    require_alike(true, released)
    at, zones = np.flatnonzero(true >= least), true.shape[-1]
    at = at[at // zones % zones != at % zones]
    return true.ravel()[at].astype(np.float64), released.ravel()[at].astype(np.float64)


def _share(cells: float, trips: float) -> Share:
    return Share(cells=np.asarray(cells), trips=np.asarray(trips))
