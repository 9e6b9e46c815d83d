"""The receiver operating characteristic of the best test, and the best that a guarantee allows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats
from ..composition import randomised_response
from ..errors import ParameterError
from ..losses import Losses, repeated
from ..risk import Guarantee


@dataclass(frozen=True, eq=False, kw_only=True)
class Roc:
    """Corners of a ROC curve: concave, from (0, 0) to (1, 1).

    Attributes
    ----------
    false_positives : array, shape (corners,)
        Share of absent targets that are taken for present, ascending.
    true_positives : array, shape (corners,)
        Share of present targets that are found at that cost, the largest possible.
    largest_loss : float
        Largest absolute log-likelihood ratio of any result; infinite where a result is proof.
    """

    false_positives: Floats
    true_positives: Floats
    largest_loss: float

    @cached_property
    def advantage(self) -> float:
        """Largest true-positive rate minus false-positive rate: 0 for a coin, 1 for certainty."""
        return float((self.true_positives - self.false_positives).max())

    @property
    def best_guess(self) -> float:
        """Share of right guesses where half the targets are in the data and a coin gets half."""
        return (1 + self.advantage) / 2

    @cached_property
    def area(self) -> float:
        """Area under the curve (AUC): 0.5 for a coin, 1 for certainty."""
        return float(np.trapezoid(self.true_positives, self.false_positives))

    def detected(self, false_positive_rate: float) -> float:
        """Return the largest true-positive rate of a test with this false-positive rate."""
        # np.interp takes the last of equal abscissae: the top of the first, vertical stretch
        return float(np.interp(false_positive_rate, self.false_positives, self.true_positives))

    def thinned(self, corners: int) -> "Roc":
        """Return the curve with at most so many corners, for drawing; it runs below this one."""
        if len(self.false_positives) <= corners:
            return self
        # corners evenly along the curve, as both rates grow
        along = self.false_positives + self.true_positives
        wanted = np.linspace(0, 2, corners)
        kept = np.unique(np.r_[0, np.searchsorted(along, wanted[1:-1]), len(along) - 1])
        return Roc(
            false_positives=self.false_positives[kept],
            true_positives=self.true_positives[kept],
            largest_loss=self.largest_loss,
        )

    def delta(self, epsilon: float) -> float:
        """Return the least δ for which in and out are (ε, δ)-close, from in to out."""
        beyond = self.true_positives - np.exp(epsilon) * self.false_positives
        return float(max(beyond.max(), 0.0))


def roc(losses: Losses) -> Roc:
    """Return the ROC of the likelihood-ratio test: results taken by descending loss.

    Examples
    --------
    >>> from engine.losses import from_probabilities
    >>> curve = roc(from_probabilities([0.25, 0.75], [0.75, 0.25]))
    >>> curve.advantage, curve.area
    (0.5, 0.75)
    """
    outside = np.r_[0.0, losses.outside[::-1], losses.only_outside]
    inside = np.r_[losses.only_inside, losses.inside[::-1], 0.0]
    wrong, right = np.r_[0.0, np.cumsum(outside)], np.r_[0.0, np.cumsum(inside)]
    # the sums are 1 but for rounding
    return Roc(
        false_positives=np.minimum(wrong / wrong[-1], 1.0),
        true_positives=np.minimum(right / right[-1], 1.0),
        largest_loss=losses.largest,
    )


def limit(guarantee: Guarantee, releases: int = 1) -> Roc:
    """Return the ROC that no attack on so many releases can exceed.

    Parameters
    ----------
    guarantee : Guarantee
        Of each release.
    releases : int
        Of which every one reads the target. Pure ε-DP composes like as many randomised responses,
        the worst mechanism of that ε (Kairouz, Oh and Viswanath, "The composition theorem for
        differential privacy", 2015); that is less than the sum of the losses allows.

    Raises
    ------
    ParameterError
        For several releases with δ above 0, which are composed stage by stage instead.

    Examples
    --------
    >>> round(limit(Guarantee(epsilon=0.5)).advantage, 4)
    0.2449
    >>> round(limit(Guarantee(epsilon=0.5), 7).advantage, 4)  # 7 · 0.5 alone would allow 0.9414
    0.5048
    """
    if guarantee.is_pure:
        return roc(repeated(randomised_response(guarantee.epsilon), releases))
    if releases != 1:
        raise ParameterError(
            f"releases must be 1 where delta is above 0, got {releases!r}; compose their stages"
        )
    kink, top = guarantee.kink, 1 - guarantee.delta
    return Roc(
        false_positives=np.array([0.0, 0.0, kink, top, 1.0]),
        true_positives=np.array([0.0, guarantee.delta, 1 - kink, 1.0, 1.0]),
        largest_loss=np.inf,
    )
