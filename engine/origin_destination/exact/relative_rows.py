"""The exact mean relative error over a grid of ε × τ, row by row.

From one threshold to the next a cell changes only where it was released as one of the counts in
between: then its relative error becomes 2. That adds, for each such count, a sum over kept counts
whose weights depend on no ε. Nothing is subtracted, so nothing cancels.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats
from .. import laws
from ..laws import LawName, NoiseLaw
from . import relative
from .expected import Population
from .grid import checked_grid
from .histogram import CountHistogram, group_pairs

_WIDEST_STEP = 8  # counts between two thresholds; beyond, all cells are computed anew


def relative_error_rows(
    counted: CountHistogram,
    epsilons: ArrayLike,
    thresholds: ArrayLike,
    max_trips_per_user: int = 1,
    *,
    law: LawName = "rounded_laplace",
    population: Population = "all",
) -> Iterator[tuple[int, Floats]]:
    """Yield the mean of 2|out − t|/(out + t) row by row: the index of ε and its thresholds' values.

    Arguments as for `heat_map`. Rows come as they are computed, so that a page can fill in.

    Examples
    --------
    >>> from engine.origin_destination.exact.histogram import histogram_of_matrix
    >>> rows = relative_error_rows(histogram_of_matrix([[0, 9], [0, 0]]), [1.0], [15])
    >>> [(index, row.round(3).tolist()) for index, row in rows]
    [(0, [0.999])]
    """
    rates, taus, weights = checked_grid(
        counted, epsilons, thresholds, max_trips_per_user, population
    )
    members = weights.sum()
    least, position = np.unique(laws.effective_threshold(taus), return_inverse=True)
    flows = _Flows(counted, weights, least)
    empty = float(weights[counted.true == 0].sum())
    for index, rate in enumerate(rates):
        noise = NoiseLaw(rate, law)
        sums = 2 * empty * noise.tail(least) + flows.sums(noise)
        yield index, sums[position] / members if members > 0 else np.full(len(position), np.nan)


class _Flows:
    """The cells with a trip, prepared for ascending thresholds `least`."""

    def __init__(self, counted: CountHistogram, weights: Floats, least: Floats) -> None:
        some = (weights > 0) & (counted.true > 0)
        self._kept, self._true = counted.kept[some], counted.true[some]
        self._weights, self._least = weights[some], least
        self._largest = relative.largest_argument(self._true, float(least[-1]))
        steps = np.diff(least, prepend=-np.inf)
        anew = np.flatnonzero(steps > _WIDEST_STEP)
        self._runs = list(zip(anew, [*anew[1:], len(least)], strict=True))
        between = [
            (i, np.arange(least[i - 1], least[i])) for i in range(len(least)) if i not in anew
        ]
        self._suppressed_from = np.repeat(
            np.array([i for i, _ in between], dtype=np.intp), [len(outs) for _, outs in between]
        )
        self._outs = np.concatenate([np.zeros(0), *(outs for _, outs in between)])
        self._kept_values, members = group_pairs(self._kept)
        # what is added where a count of `out` becomes suppressed: 2 − 2|out − t|/(out + t)
        self._traded = np.zeros((len(self._outs), len(self._kept_values)))
        for row, out in zip(self._traded, self._outs, strict=True):
            relative_error = 2 * np.abs(out - self._true) / (out + self._true)
            row[:] = members @ (self._weights * (2 - relative_error))

    def sums(self, noise: NoiseLaw) -> Floats:
        """Return Σ weight·E[2|out − t|/(out + t)] for every threshold."""
        law_sums = relative.ReciprocalSums(float(noise.rate), self._largest)
        chance = noise.pmf(self._outs[:, None] - self._kept_values)
        sums = np.zeros(len(self._least))
        np.add.at(sums, self._suppressed_from, laws.total(chance, self._traded))
        for first, end in self._runs:
            errors = relative.mean_relative_error(
                noise, law_sums, self._kept, self._true, self._least[first]
            )
            sums[first] = laws.total(self._weights, errors)
            sums[first:end] = np.cumsum(sums[first:end])
        return sums
