"""The law of the noise as a table: where many cells ask, a look-up replaces an exponential."""

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats
from ..laws import LawName, NoiseLaw

_REACH = 45.0  # in units of 1/a: e⁻⁴⁵ is below 10⁻¹⁹
_WORTH = 16  # look-ups of every cell, at least


class TabulatedLaw(NoiseLaw):
    """A `NoiseLaw` of one rate whose `power` and `tail` are tabulated.

    Both are right to 10⁻¹⁹: further out than 45/a they stay what they are there. So are the
    expectations that are made of them, times the counts in question; logarithms are not tabulated.
    """

    def __init__(self, rate: float, name: LawName = "rounded_laplace") -> None:
        super().__init__(rate, name)
        self._last = int(np.ceil(_REACH / rate))
        self._powers = super().power(np.arange(self._last + 1))
        beyond = self.first * self._powers  # P(Z ≥ j), j = 1, 2, …
        # P(Z ≥ j) = 1 − P(Z ≥ 1 − j) for j = −last … 0, then j = 1 … last + 1
        self._tails = np.concatenate([1 - beyond[::-1], beyond])

    def power(self, exponent: ArrayLike) -> Floats:
        """Return qⁿ for whole numbers n of at least 0."""
        return self._powers[np.minimum(exponent, self._last).astype(np.intp)]

    def tail(self, bound: ArrayLike) -> Floats:
        """Return P(Z ≥ bound) for whole numbers `bound`."""
        near = np.clip(bound, -self._last, self._last + 1)
        return self._tails[near.astype(np.intp) + self._last]

    def mean_above(self, bound: ArrayLike) -> Floats:
        """Return E[(Z − bound)⁺] for whole numbers `bound` of at least 0."""
        return self.tail(np.asarray(bound) + 1) / self.gap


def fast_law(law: NoiseLaw, cells: int) -> NoiseLaw:
    """Return the law as a table if an expectation over so many cells is worth making one."""
    entries = 2 * _REACH / float(law.rate)
    return TabulatedLaw(float(law.rate), law.name) if entries < _WORTH * cells else law
