"""The strongest privacy that keeps a decision right (P2, "How should policymakers navigate…").

A target, such as an accuracy of 95% and a recall of 80%, is to be met by a share of all releases,
the confidence. The share is estimated from draws, with Clopper and Pearson's exact lower bound.
Accuracy is not monotone in ε, so the target must be met at the chosen ε and at every larger one
tried. Choosing ε on the data that will be released leaks (P2); tune on another period or on
simulated data.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaincinv

from .. import validation
from ..arrays import Booleans, Floats
from ..datasets import Dataset
from ..errors import ParameterError
from ..metrics import mean_of_known
from ..origin_destination.matrices import Days
from ..parameters import MAX_TRIPS_LIMIT, ODParameters
from .aid import Shock, outflow
from .epidemic import suppressed_epidemic, true_epidemic
from .model import EpidemicParameters
from .populations import Populations
from .scoring import THRESHOLD, Comparison, compare
from .selection import first_zones, overlap, true_selection

CERTAINTY = 0.95
"""Confidence of the lower bound on the share of releases that meet a target."""

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class EpidemicTarget:
    """What an epidemic response must reach; all parts at once.

    Parameters
    ----------
    accuracy, recall : float
        Least mean over zones, above 0 and at most 1. Accuracy alone is met by never acting.
        Where no zone acts in truth there is no recall, and nothing to miss.
    confidence : float
        Share of releases that must reach both, above 0 and below 1.
    """

    accuracy: float = 0.95
    recall: float = 0.80
    confidence: float = 0.90

    def __post_init__(self) -> None:
        _share("accuracy", self.accuracy)
        _share("recall", self.recall)
        _confidence(self.confidence)

    def met(self, comparison: Comparison) -> Booleans:
        """Return whether each run reaches the target; all axes of `comparison` but the zones."""
        recall = comparison.recall.mean
        reached = (comparison.accuracy.mean >= self.accuracy) & ~(recall < self.recall)
        return np.asarray(reached)


@dataclass(frozen=True, kw_only=True)
class AidTarget:
    """What aid must reach; all parts at once.

    Parameters
    ----------
    overlap : float
        Least share of the true first k destinations, mean over days, above 0 and at most 1.
    total_error : float
        Largest relative error of the total out-migration, above 0.
    confidence : float
        Share of releases that must reach both, above 0 and below 1.
    """

    overlap: float = 0.90
    total_error: float = 0.10
    confidence: float = 0.90

    def __post_init__(self) -> None:
        _share("overlap", self.overlap)
        validation.finite_above("total_error", self.total_error, 0, "0.1 stands for 10%")
        _confidence(self.confidence)

    def met(self, true_total: float, totals: Floats, overlap: Floats) -> Booleans:
        """Return whether each release reaches the target, in the shape of `totals`."""
        close = np.abs(totals - true_total) <= self.total_error * true_total
        return close & ~(overlap < self.overlap)


@dataclass(frozen=True, kw_only=True)
class ZonesTarget:
    """What decisions on zones must reach.

    Parameters
    ----------
    right : float
        Least share of the decisions to act that is right (`right_share`), above 0 and at most 1.
    confidence : float
        Share of releases that must reach it, above 0 and below 1.
    """

    right: float = 0.90
    confidence: float = 0.90

    def __post_init__(self) -> None:
        _share("right", self.right)
        _confidence(self.confidence)

    def met(self, right: Floats) -> Booleans:
        """Return whether each release reaches the target, in the shape of `right`."""
        return np.asarray(right) >= self.right - _ROUNDING


@dataclass(frozen=True, eq=False)
class PrivacyChoice:
    """The answer with its curve.

    Attributes
    ----------
    epsilon : float or None
        Smallest ε at which, and above which, the target holds; None if there is none.
    epsilons : array, shape (settings,)
        Tried, ascending.
    share : array, shape (settings,)
        Share of draws that meet the target.
    lower : array, shape (settings,)
        Clopper–Pearson lower bound on the share of all releases that do.
    least_draws : int
        Draws without which even a clean record could not show the confidence.
    held_at : array, shape (some,)
        Every ε at which the target holds, also where it fails again at a larger one.
    """

    epsilon: float | None
    epsilons: Floats
    share: Floats
    lower: Floats
    draws: int
    least_draws: int
    held_at: Floats


def strongest_privacy(epsilons: Sequence[float], met: Booleans, confidence: float) -> PrivacyChoice:
    """Return the smallest ε that keeps a decision right, there and at every larger ε tried.

    Parameters
    ----------
    epsilons : sequence of float
        Ascending.
    met : array of bool, shape (settings, draws)
        Whether each draw meets the target.
    confidence : float
        Share of releases that must meet it.

    Examples
    --------
    >>> met = np.array([[False] * 40, [True] * 40, [True] * 20 + [False] * 20, [True] * 40])
    >>> choice = strongest_privacy([0.1, 0.2, 0.5, 1.0], met, 0.9)
    >>> choice.epsilon
    1.0
    >>> choice.held_at.tolist()
    [0.2, 1.0]
    """
    tried = np.asarray(epsilons, dtype=np.float64)
    if met.ndim != 2 or tried.shape != met.shape[:1] or bool((np.diff(tried) <= 0).any()):
        raise ParameterError(
            "epsilons must ascend and name each row of met",
            value=f"shapes {tried.shape} and {met.shape}",
            remedy="give one row of draws for each ε",
            settings=("epsilons",),
        )
    _confidence(confidence)
    draws = met.shape[1]
    successes = met.sum(axis=1)
    bound = betaincinv(np.maximum(successes, 1), draws - successes + 1, 1 - CERTAINTY)
    lower = np.where(successes > 0, bound, 0.0)
    holds = lower >= confidence
    onwards = np.logical_and.accumulate(holds[::-1])[::-1]
    return PrivacyChoice(
        epsilon=float(tried[onwards.argmax()]) if onwards.any() else None,
        epsilons=tried,
        share=successes / draws,
        lower=lower,
        draws=draws,
        least_draws=least_draws(confidence),
        held_at=tried[holds],
    )


def least_draws(confidence: float) -> int:
    """Return how many draws without a miss show that a share of `confidence` meets a target.

    Examples
    --------
    >>> least_draws(0.9), least_draws(0.95)
    (29, 59)
    """
    # n clean draws give the lower bound (1 − 0.95)^(1/n)
    return int(np.ceil(np.log(1 - CERTAINTY) / np.log(confidence)))


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """A change of one setting, and whether it reaches the target if there were no noise."""

    settings: ODParameters
    reaches: bool


def epidemic_remedies(
    dataset: Dataset,
    origins: Sequence[str],
    model: EpidemicParameters | None,
    settings: ODParameters,
    target: EpidemicTarget,
    *,
    threshold: float = THRESHOLD,
    populations: Populations | None = None,
    days: Days = None,
) -> list[Remedy]:
    """Return what trimming and suppression alone allow: now, and with other τ or T.

    The first entry is the setting as it is; if it does not reach the target without noise, no ε
    can be relied on to. The others change one setting at a time, the smallest changes first.
    Every origin must reach the target.
    """
    true = true_epidemic(dataset, origins, model, populations=populations, days=days).prevalence

    def reaches(each: ODParameters) -> bool:
        quiet = suppressed_epidemic(
            dataset, origins, model, each, populations=populations, days=days
        )
        return bool(target.met(compare(true, quiet.prevalence, threshold)).all())

    return [Remedy(settings=each, reaches=reaches(each)) for each in alternatives(settings)]


def aid_remedies(
    dataset: Dataset, event: Shock, settings: ODParameters, target: AidTarget, k: int = 3
) -> list[Remedy]:
    """Return what trimming and suppression alone allow for aid; see `epidemic_remedies`."""

    def reaches(each: ODParameters) -> bool:
        leaving = outflow(dataset, event, each)
        least = each.least_shown
        shown = np.where(leaving.kept >= least, leaving.kept, 0.0)
        named = overlap(first_zones(shown.sum(axis=1), k)[-1], true_selection(leaving, k)[-1])
        share = np.asarray(mean_of_known(named))
        return bool(target.met(float(leaving.true.sum()), np.asarray(shown.sum()), share))

    return [Remedy(settings=each, reaches=reaches(each)) for each in alternatives(settings)]


def alternatives(settings: ODParameters) -> list[ODParameters]:
    """Return the setting itself, then lower τ, then higher T, one change at a time."""
    lower = [t for t in (10, 5, 2, 1) if t < settings.suppression_threshold]
    higher = [settings.max_trips_per_user * factor for factor in (2, 4)]
    return [
        settings,
        *(replace(settings, suppression_threshold=threshold) for threshold in lower),
        *(
            replace(settings, max_trips_per_user=trips)
            for trips in higher
            if settings.unit != "trip" and trips <= MAX_TRIPS_LIMIT
        ),
    ]


def _share(name: str, value: object) -> None:
    if validation.as_real(value) != 1:
        validation.inside_open_interval(name, value, 0, 1, "0.9 stands for 90%, 1 for always")


def _confidence(value: object) -> None:
    validation.inside_open_interval("confidence", value, 0, 1, "0.9 stands for 9 in 10 releases")
