"""What one draw did: the same records as the expectation, to show beside it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import metrics, validation
from engine.errors import ParameterError
from engine.origin_destination.exact.expected import POPULATIONS, SANITY_BOUND, Population
from engine.origin_destination.exact.outcomes import Errors, Outcomes, Share


def drawn_outcomes(
    true: NDArray[Any], released: NDArray[Any], suppression_threshold: int
) -> Outcomes:
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
    t, out = _off_diagonal(true, released)
    small = t < _least(suppression_threshold)
    hidden, empty = out == 0, t == 0

    def share(which: NDArray[np.bool_], trips: NDArray[Any]) -> Share:
        return Share(
            cells=np.asarray(float(which.sum())), trips=np.asarray(float(trips[which].sum()))
        )

    return Outcomes(
        kept_suppressed=share(small & hidden, t),
        revealed=share(small & ~hidden, t),
        lost=share(~small & hidden, t),
        kept=share(~small & ~hidden, t),
        empty=share(empty & hidden, t),
        phantom=share(empty & ~hidden, out),
    )


def drawn_errors(
    true: NDArray[Any],
    released: NDArray[Any],
    suppression_threshold: int,
    population: Population = "all",
    *,
    sanity_bound: float = SANITY_BOUND,
) -> Errors:
    """Return the errors of one release over a population of off-diagonal cells.

    Parameters as for `drawn_outcomes`; `population` and `sanity_bound` as for `Expectation`.

    Examples
    --------
    >>> drawn_errors(np.array([[0, 40], [9, 0]]), np.array([[0, 43], [0, 0]]), 15).mean_absolute
    6.0
    """
    validation.one_of("population", population, POPULATIONS, "'all' is every flow")
    t, out = _off_diagonal(true, released)
    floor = {"all": 0, "travelled": 1, "large": _least(suppression_threshold)}[population]
    t, out = t[t >= floor], out[t >= floor]
    absolute = np.abs(out - t)
    relative = metrics.flow_relative_errors(t, out)
    bounded = absolute / np.maximum(t, sanity_bound)
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


def _off_diagonal(
    true: NDArray[Any], released: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if true.shape != released.shape or true.ndim < 2 or true.shape[-1] != true.shape[-2]:
        raise ParameterError(
            "true and released must be square matrices of the same shape, got "
            f"{true.shape} and {released.shape}; take both for the same days"
        )
    off = ~np.eye(true.shape[-1], dtype=bool)
    return (
        true[..., off].ravel().astype(np.float64),
        released[..., off].ravel().astype(np.float64),
    )
