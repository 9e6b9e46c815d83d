"""In which zones to act, from the counts of any product: help where most are, or heed a limit.

A rule reads what a product's ``by_zone`` makes of its counts, shape (moments, zones): of the true
counts it gives the right decision, of a release's the one that would be taken. Nothing here asks
which product or method the counts come from.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .. import validation
from ..arrays import Booleans, Floats, Numbers
from ..steps import GOOD_SHARE, Level, level_of
from .scoring import Comparison, compare_decisions
from .selection import first_zones

Outcome = Literal["right", "missed", "needless"]
_LIMIT_SHARE = 0.95
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class MostZones:
    """Help the k zones with most, all moments together; ties by order, a zone of 0 never.

    Parameters
    ----------
    k : int
        At least 1.

    Examples
    --------
    >>> MostZones(k=2).acts(np.array([[5, 0, 1], [0, 0, 1]])).tolist()
    [[True, False, True]]
    """

    k: int

    def __post_init__(self) -> None:
        validation.whole_number("k", self.k, 1, remedy="help at least one zone")

    def acts(self, amounts: Numbers) -> Booleans:
        """Return in which zones it acts, shape (…, 1, zones), of amounts (…, moments, zones)."""
        return first_zones(amounts.sum(axis=-2, keepdims=True), self.k)[-1]


@dataclass(frozen=True, kw_only=True)
class AboveLimit:
    """Act in every zone and moment that holds more than a limit, such as a capacity.

    Parameters
    ----------
    limit : float
        Above 0.

    Examples
    --------
    >>> AboveLimit(limit=3).acts(np.array([[5, 0, 1], [0, 4, 3]])).tolist()
    [[True, False, False], [False, True, False]]
    """

    limit: float

    def __post_init__(self) -> None:
        validation.finite_above("limit", self.limit, 0, "act above one or more")

    def acts(self, amounts: Numbers) -> Booleans:
        """Return where and when it acts, in the shape of `amounts`."""
        return amounts > self.limit


ZoneRule = MostZones | AboveLimit


def usual_limit(amounts: Numbers) -> float:
    """Return a round limit that about one in twenty of the amounts above 0 exceeds.

    It reads confidential amounts: for whoever may see them.

    Examples
    --------
    >>> usual_limit(np.arange(101))
    100.0
    >>> usual_limit(np.zeros(3))
    1.0
    """
    some = amounts[amounts > 0]
    if not some.size:
        return 1.0
    wanted = max(float(np.quantile(some, _LIMIT_SHARE)), 1.0)
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(min((one * power for one in (1, 2, 3, 5, 10)), key=lambda one: abs(one - wanted)))


def decide_zones(rule: ZoneRule, true: Numbers, released: Numbers) -> Comparison:
    """Compare the decisions by released amounts with those by the true ones.

    Parameters
    ----------
    true, released : arrays, shape (…, moments, zones)
        A product's ``by_zone`` of its truth and of its release's counts; the released ones may
        have leading axes, such as draws.

    Returns
    -------
    Comparison
        Its days are the rule's moments: one for `MostZones`.

    Examples
    --------
    >>> from engine import datasets, density
    >>> demo = datasets.load("demo-city")
    >>> drawn = density.release(demo, density.DensityParameters(epsilon=1.0),
    ...                         rng=np.random.default_rng(0))
    >>> compared = decide_zones(MostZones(k=5), density.by_zone(density.truth(demo)),
    ...                         density.by_zone(drawn.counts))
    >>> int(compared.acting_true.sum()), int(compared.missed.sum() == compared.needless.sum())
    (5, 1)
    """
    return compare_decisions(rule.acts(true), rule.acts(released))


def right_share(comparison: Comparison) -> Floats:
    """Return the share of decisions to act that are right, over all zones and moments.

    It is the lower of recall and precision: hits as a share of the larger of what should be acted
    on and what is. Where nobody should act and nobody does it is 1. All axes but the zones remain.

    Examples
    --------
    >>> truly, now = np.array([[True, True, False]]), np.array([[True, False, True]])
    >>> float(right_share(compare_decisions(truly, now)))
    0.5
    """
    hits = (comparison.acting - comparison.needless).sum(axis=-1)
    most = np.maximum(comparison.acting.sum(axis=-1), comparison.acting_true.sum(axis=-1))
    return np.where(most > 0, hits / np.maximum(most, 1), 1.0)


@dataclass(frozen=True, kw_only=True)
class ZonesJudgement:
    """What draws say of one rule; each figure is a mean over draws unless it says otherwise.

    Attributes
    ----------
    level : str
        Of `right`, by `engine.steps.level_of`.
    right, low, high : float
        Share of decisions to act that are right (`right_share`): mean, least and most over draws.
    acting, missed, needless : float
        Zone-moments on which to act in truth, of these not acted on, and acted on for nothing.
    decisions, draws : int
        Zone-moments there are, and draws that were judged.
    acting_share : array, shape (zones,)
        Share of a zone's moments on which a release acts.
    missed_share, needless_share : arrays, shape (zones,)
        Moments that a zone misses, and those on which it acts for nothing, as a share of those on
        which to act, of which at least one is reckoned; the second may exceed 1.
    """

    level: Level
    right: float
    low: float
    high: float
    acting: float
    missed: float
    needless: float
    decisions: int
    draws: int
    acting_share: Floats
    missed_share: Floats
    needless_share: Floats

    @property
    def outcomes(self) -> list[Outcome]:
        """How each zone is decided: wrongly where its larger share exceeds one in ten."""
        missed, needless = self.missed_share, self.needless_share
        wrong = np.maximum(missed, needless) > 1 - GOOD_SHARE + _ROUNDING
        named = np.where(missed >= needless, "missed", "needless")
        return np.where(wrong, named, "right").tolist()


def judge_zones(comparison: Comparison) -> ZonesJudgement:
    """Judge the draws of one rule, arrays of shape (draws, zones) and (zones,) for the truth.

    Examples
    --------
    >>> truly = np.array([[True, True, False]])
    >>> judged = judge_zones(compare_decisions(truly, np.stack([truly, ~truly])))
    >>> judged.right, judged.level, judged.outcomes
    (0.5, 'partly', ['missed', 'missed', 'needless'])
    """
    right, moments = right_share(comparison), comparison.days
    acting = comparison.acting_true
    missed, needless = comparison.missed.mean(axis=0), comparison.needless.mean(axis=0)
    due = np.maximum(acting, 1)
    return ZonesJudgement(
        level=level_of(float(right.mean())),
        right=float(right.mean()),
        low=float(right.min()),
        high=float(right.max()),
        acting=float(acting.sum()),
        missed=float(comparison.missed.sum(axis=-1).mean()),
        needless=float(comparison.needless.sum(axis=-1).mean()),
        decisions=moments * acting.size,
        draws=len(comparison.missed),
        acting_share=comparison.acting.mean(axis=0) / moments,
        missed_share=missed / due,
        needless_share=needless / due,
    )
