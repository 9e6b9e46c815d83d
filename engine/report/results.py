"""What a report says of one analysis: truth, what was kept of it, and the private numbers."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Integers
from engine.report.analyses import Analysis
from engine.report.intervals import Terms, half_width, mean_absolute


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """The numbers of one analysis; all arrays have one shape.

    Attributes
    ----------
    analysis : Analysis
        Which one.
    epsilon : float
        What it costs: 0 where it is derived.
    sources : tuple of Analysis
        What it is derived from; empty where it was asked.
    truth : array of int64
        Counts of all trips (confidential).
    kept : array of int64
        Counts of the trips that are kept, at most M a person (confidential). The difference from
        the truth is the bounding error; what the noise adds is the rest.
    noisy : array of int64
        Private numbers, possibly negative. Totals are computed from these.
    terms : tuple of (scales, counts)
        The independent Laplace variates in each number: their scale and how many there are.
    """

    analysis: Analysis
    epsilon: float
    sources: tuple[Analysis, ...]
    truth: Integers
    kept: Integers
    noisy: Integers
    terms: tuple[tuple[Floats, Integers], ...]

    @property
    def shown(self) -> Integers:
        """Private numbers as shown: not below 0."""
        return np.maximum(self.noisy, 0)

    @property
    def total(self) -> int:
        """Sum of the private numbers before clipping: unbiased for the kept trips."""
        return int(self.noisy.sum())

    @property
    def clear_share(self) -> float:
        """Share of the numbers above 0 among the kept that stand clear of the noise.

        A number is clear if it is larger than what noise moves it by nine times in ten; NaN where
        all are 0.
        """
        some = np.count_nonzero(self.kept > 0)
        if not some:
            return float("nan")
        return np.count_nonzero(self.kept > self.half_widths()) / some

    def half_widths(self, level: float = 0.9) -> Floats:
        """Return how far the noise moves each number at most, with probability `level`.

        Exact, from the noise alone: what bounding takes away comes on top of it.
        """
        return self._of_terms(lambda terms: half_width(terms, level))

    def mean_absolute_noise(self) -> Floats:
        """Return the mean of the absolute noise in each number."""
        return self._of_terms(mean_absolute)

    def _of_terms(self, law: Callable[[Terms], float]) -> Floats:
        if len(self.terms) == 1 and all(not any(column.strides) for column in self.terms[0]):
            scale, count = self.terms[0]  # one law for all: a million flows need no sorting
            one = np.float64(law(((float(scale[0]), int(count[0])),)))
            return np.broadcast_to(one, len(self.kept))
        columns = np.column_stack([column for term in self.terms for column in term])
        kinds, kind = np.unique(columns, axis=0, return_inverse=True)
        values = [law(_as_terms(row)) for row in kinds]
        return np.array(values)[kind.reshape(-1)]


def _as_terms(row: Floats) -> Terms:
    return tuple((float(scale), int(count)) for scale, count in row.reshape(-1, 2))
