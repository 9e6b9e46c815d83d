"""The custodian's bins of a histogram: public numbers, sums of the fine bins."""

import math
from dataclasses import dataclass

import numpy as np

from .. import validation
from ..arrays import Floats, Integers
from ..errors import ParameterError
from .analyses import HISTOGRAMS, Analysis
from .measures import DISCRETE, FINE_EDGES, UNITS, Measure

MOST_BINS = 10_000
_MOST_BARS = 50
_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True)
class Bins:
    """Bins of equal width of one histogram; what lies below and above is counted apart.

    Parameters
    ----------
    minimum, maximum : float
        Where the histogram starts and ends, in the unit of its measure; chosen by the custodian,
        never read from the data.
    width : float
        Width of a bin; a whole number of them fills the range, at most 10,000.

    Raises
    ------
    ParameterError
        With rule, value and remedy.

    Examples
    --------
    >>> Bins(minimum=0, maximum=120, width=5).edges[:3].tolist()
    [0.0, 5.0, 10.0]
    """

    minimum: float
    maximum: float
    width: float

    def __post_init__(self) -> None:
        remedy = "name a finite number in the unit of the histogram"
        low = validation.finite_at_least("minimum", self.minimum, 0, remedy)
        high = validation.finite_above("maximum", self.maximum, 0, remedy)
        width = validation.finite_above("width", self.width, 0, remedy)
        if low >= high:
            raise ParameterError(
                f"minimum must be below maximum, got {self.minimum!r} and {self.maximum!r}; "
                "widen the range"
            )
        count = (high - low) / width
        if count > MOST_BINS + 0.5:
            raise ParameterError(
                f"width must give at most {MOST_BINS:,} bins, got {self.width!r} for "
                f"{self.minimum:g} to {self.maximum:g} ({count:,.0f} bins); widen the bins"
            )
        if abs(count - round(count)) > 1e-6:
            raise ParameterError(
                f"width must divide the range into whole bins, got {self.width!r} for "
                f"{self.minimum:g} to {self.maximum:g}; move the maximum to "
                f"{low + width * math.ceil(count):g}"
            )

    @property
    def count(self) -> int:
        """Number of bins between minimum and maximum."""
        return round((self.maximum - self.minimum) / self.width)

    @property
    def edges(self) -> Floats:
        """Edges of the bins, shape (bins + 1,), ascending."""
        return self.minimum + self.width * np.arange(self.count + 1.0)


_DEFAULTS = {
    Analysis.TRAVEL_TIME: Bins(minimum=0, maximum=120, width=5),
    Analysis.JUMP_LENGTH: Bins(minimum=0, maximum=20, width=0.5),
    Analysis.TIME_BETWEEN: Bins(minimum=0, maximum=168, width=6),
    Analysis.GYRATION: Bins(minimum=0, maximum=10, width=0.2),
    Analysis.ZONES_PER_USER: Bins(minimum=1, maximum=31, width=1),
    Analysis.ENTROPY: Bins(minimum=0, maximum=1, width=0.05),
}


def default_bins(analysis: Analysis, max_trips_per_user: int) -> Bins:
    """Return usual bins of a histogram; those of trips per person end at M.

    Examples
    --------
    >>> default_bins(Analysis.TRIPS_PER_USER, 20)
    Bins(minimum=1, maximum=21, width=1)
    """
    if analysis in _DEFAULTS:
        return _DEFAULTS[analysis]
    width = math.ceil(max_trips_per_user / _MOST_BARS)
    bars = math.ceil(max_trips_per_user / width)
    return Bins(minimum=1, maximum=1 + width * bars, width=width)


def measure_of(analysis: Analysis) -> Measure:
    """Return the fine measure behind a histogram.

    Raises
    ------
    ParameterError
        If the analysis is no histogram.
    """
    if analysis not in HISTOGRAMS:
        raise ParameterError(
            f"bins belong to histograms, got {str(analysis)!r}; name one of "
            + ", ".join(str(name) for name in HISTOGRAMS)
        )
    return Measure(str(analysis))


def fine_positions(analysis: Analysis, bins: Bins) -> Integers:
    """Return where the edges of `bins` lie among the fine edges of the cached counts.

    Raises
    ------
    ParameterError
        If an edge lies between two fine ones, or beyond the last.
    """
    measure = measure_of(analysis)
    fine, edges = FINE_EDGES[measure], bins.edges
    nearest = np.clip(np.searchsorted(fine, edges - _TOLERANCE), 0, len(fine) - 1)
    if (np.abs(fine[nearest] - edges) > _TOLERANCE * np.maximum(1, edges)).any():
        step = fine[1] - fine[0]
        coarse = ", and of 100 beyond 1000" if measure in _IN_KILOMETRES else ""
        raise ParameterError(
            f"the bins of {str(analysis)!r} must be sums of the cached ones, got edges from "
            f"{bins.minimum:g} to {bins.maximum:g} every {bins.width:g} {UNITS[measure]}; use "
            f"multiples of {step:g}{coarse}, up to {fine[-1]:g}"
        )
    return nearest.astype(np.int64)


def coarsen(fine_counts: Integers, positions: Integers) -> Integers:
    """Return counts below the first edge, of every bin, and above the last one.

    The fine counts have those below and above as well; `positions` are from `fine_positions`.

    Examples
    --------
    >>> coarsen(np.array([1, 2, 3, 4, 5, 6]), np.array([1, 3])).tolist()
    [3, 7, 11]
    """
    starts = np.concatenate([[0], positions + 1])
    return np.add.reduceat(fine_counts, starts)


def is_discrete(analysis: Analysis) -> bool:
    """Whether a histogram's quantity comes in whole numbers."""
    return measure_of(analysis) in DISCRETE


_IN_KILOMETRES = frozenset({Measure.JUMP_LENGTH, Measure.GYRATION})
