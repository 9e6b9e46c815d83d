"""An attacker who knows habits: the target's route and the usual flow on it, not the day's count.

To him the other trips in a cell are random: Poisson around the usual flow λ, or negative binomial
where the flow varies more from day to day than that. What he sees is their sum with the noise, so
that ordinary variation hides the target as noise does. Without noise it is all that hides him.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import validation
from ..arrays import Floats, Integers
from ..errors import ParameterError
from ..losses import Losses, from_probabilities, repeated_losses, together
from ..origin_destination import LawName, NoiseLaw
from ..parameters import ODParameters
from .cells import LARGEST_FLOW, MOST_TRIPS, Corridor
from .roc import Roc, roc
from .strongest import Attack, against, checked_days, checked_trips, exposed, guarantee

_WIDTHS = 9.0  # a Poisson count is within 9 standard deviations and 40 of its mean, but for 1e-16
_UNSEEN = 1e-17


@dataclass(frozen=True, kw_only=True)
class UsualFlow:
    """Cells whose usual flow is known, with the target's trips in each of them.

    Parameters
    ----------
    trips : int
        x, the target's trips in each cell, 1 to 10,000.
    mean : float
        λ, the mean of all other trips in a cell, above 0 and at most 1e9.
    variance : float or None
        Of the other trips from day to day, at least `mean`; None is the mean (Poisson).
    cells : int
        How many such cells there are, 1 to 10,000; their other trips vary independently.

    Raises
    ------
    ParameterError
        If a number is outside its domain.
    """

    trips: int
    mean: float
    variance: float | None = None
    cells: int = 1

    def __post_init__(self) -> None:
        Corridor(trips=self.trips, rest=0, cells=self.cells)
        mean = validation.finite_above("mean", self.mean, 0, "it is the usual number of trips")
        if mean > LARGEST_FLOW:
            raise ParameterError(
                f"mean must be at most {LARGEST_FLOW:,}, got {self.mean!r}; no flow is larger"
            )
        if self.variance is not None:
            spread = validation.as_real(self.variance)
            if spread is None or not mean <= spread <= LARGEST_FLOW * MOST_TRIPS:
                raise ParameterError(
                    f"variance must be a finite number of at least the mean {mean:g}, got "
                    f"{self.variance!r}; counts of independent people vary at least so much"
                )

    @property
    def corridor(self) -> Corridor:
        """The same cells as the strongest attacker sees them on a usual day."""
        return Corridor(trips=self.trips, rest=round(self.mean), cells=self.cells)


def knowing_habits(
    target: Sequence[UsualFlow],
    parameters: ODParameters,
    *,
    days: int = 1,
    law: LawName = "rounded_laplace",
) -> Attack:
    """Return the best attack of one who knows the target's route and the usual flows.

    `days` and `law` are those of `strongest`; from day to day the other trips vary independently.

    Returns
    -------
    Attack
        One cell of one matrix is exact. Several are summed on a grid: at least as strong as the
        exact attack, and stronger by less than 1e-4 of advantage.

    Examples
    --------
    >>> usual = [UsualFlow(trips=1, mean=50)]
    >>> round(knowing_habits(usual, ODParameters(epsilon=0.5, unit="trip")).roc.advantage, 3)
    0.053
    """
    releases = checked_days(days, parameters)
    trips = checked_trips([usual.corridor for usual in target], parameters)
    cells = exposed(parameters, law)
    least = 0 if cells.threshold is None else parameters.least_shown  # below 0 all say the same
    losses = _losses(target, NoiseLaw(cells.rate, law), least, releases * cells.times)
    return against(losses, guarantee(parameters, trips), releases)


def without_noise(target: Sequence[UsualFlow], *, suppression_threshold: int = 0) -> Roc:
    """Return the same attack on true counts of a day, of which those below τ are set to 0.

    Examples
    --------
    >>> round(without_noise([UsualFlow(trips=1, mean=50)]).advantage, 3)
    0.056
    """
    threshold = validation.whole_number(
        "suppression_threshold", suppression_threshold, 0, remedy="15 is used by health agencies"
    )
    return roc(_losses(target, None, max(threshold, 1), 1))


def _losses(
    target: Sequence[UsualFlow], noise: NoiseLaw | None, least: int, releases: int
) -> Losses:
    cells = [(_one_cell(usual, noise, least), usual.cells * releases) for usual in target]
    return together([repeated_losses(losses, times) for losses, times in cells])


def _one_cell(usual: UsualFlow, noise: NoiseLaw | None, least: int) -> Losses:
    first, others = _other_trips(usual)
    end = first + len(others) + usual.trips
    # every result from `first` to `end` by itself; below and above, the noise's tails
    seen = np.arange(first, end)
    inside, outside = (_released(others, first + shift, seen, noise) for shift in (usual.trips, 0))
    suppressed = np.r_[True, seen < least, False]
    return from_probabilities(
        *(np.r_[law[suppressed].sum(), law[~suppressed]] for law in (inside, outside))
    )


def _other_trips(usual: UsualFlow) -> tuple[int, Floats]:
    """Return the least count of the others that can be met, and the probabilities from there on."""
    from scipy import stats  # half a second to load, and home imports this package at the start

    mean = float(usual.mean)
    spread = mean if usual.variance is None else float(usual.variance)
    law: Any = stats.poisson(mean)
    if spread <= mean * (1 + 1e-12):
        reach = _WIDTHS * math.sqrt(mean) + 40
        first, last = max(math.floor(mean - reach), 0), math.ceil(mean + reach)
    else:  # scipy counts failures before so many successes
        law = stats.nbinom(mean**2 / (spread - mean), mean / spread)
        first, last = (int(law.ppf(_UNSEEN)), int(law.isf(_UNSEEN)))
    chances = np.asarray(law.pmf(np.arange(first, last + 1)), dtype=np.float64)
    return first, chances / chances.sum()


def _released(others: Floats, first: int, seen: Integers, noise: NoiseLaw | None) -> Floats:
    """Return P(count + Z = s) for all s of `seen`, with all below before and all above after.

    The noise's two geometric tails make the convolution two recursions, whatever its scale.
    """
    before = first - int(seen[0])
    counts = np.zeros(len(seen))
    counts[before : before + len(others)] = others
    if noise is None:
        return np.r_[0.0, counts, 0.0]
    decay = float(np.exp(-noise.rate))
    # Σ counts(s − j)·q^j over j ≥ 0, and the mirror image
    from scipy import signal  # loaded where it is used, as in `_other_trips`

    up = signal.lfilter([1.0], [1.0, -decay], counts)
    down = signal.lfilter([1.0], [1.0, -decay], counts[::-1])[::-1]
    # P(Z = ±j) = P(Z = 1)·q^(j − 1), and the noise reaches s from every other count
    beside = np.r_[0.0, up[:-1]] + np.r_[down[1:], 0.0]
    within = float(noise.zero) * counts + float(noise.pmf(1)) * beside
    # P(Z > j) = P(Z ≥ 1)·q^j
    below, above = float(noise.first) * down[0], float(noise.first) * up[-1]
    return np.r_[below, within, above]
