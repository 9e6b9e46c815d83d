"""The best attack that a guarantee allows, against any mechanism that keeps it."""

import numpy as np

from engine.attack.losses import CellLosses, repeated
from engine.attack.roc import Roc, roc
from engine.errors import ParameterError
from engine.risk import Guarantee


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
        return roc(repeated(_randomised_response(guarantee), releases))
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


def _randomised_response(guarantee: Guarantee) -> CellLosses:
    right = np.array([guarantee.kink, 1 - guarantee.kink])
    return CellLosses(
        coordinates=np.array([[-1], [1]]),
        steps=np.array([guarantee.epsilon]),
        inside=right,
        outside=right[::-1],
    )
