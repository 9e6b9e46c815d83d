"""Verdicts on decisions: the limits, in one place. They are conventions, not theorems."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import Floats
from ..datasets import Metadata
from ..metrics import mean_of_known
from ..steps import GOOD_SHARE, Level, level_of
from .aid import ShockTotals
from .scoring import Comparison

GOOD_RECALL = GOOD_OVERLAP = GOOD_SHARE
GOOD_TOTAL_ERROR = round(1 - GOOD_SHARE, 9)
GOOD_SHIFT_DAYS = 1.0
"""Days by which the middle zone may begin to act early or late under a good release."""

EPIDEMIC_DAYS = 60
"""With fewer days an epidemic from one zone hardly reaches P2's threshold, whatever the trips."""

_NO_SHIFT_DAYS = 0.5
"""A median shift of no more, between two neighbouring days, is said to be on time."""


def own_question(metadata: Metadata) -> Literal["epidemic", "aid"]:
    """Return the question that a dataset can answer: aid where it is short and names a shock.

    Examples
    --------
    >>> from engine import datasets
    >>> own_question(datasets.load("rwanda-districts").metadata)
    'aid'
    >>> own_question(datasets.load("afghanistan-2020").metadata)
    'epidemic'
    """
    short = len(metadata.days) < EPIDEMIC_DAYS
    return "aid" if short and metadata.scenario.get("shock") else "epidemic"


@dataclass(frozen=True, kw_only=True)
class EpidemicJudgement:
    """What draws of one epidemic say, each figure a mean over draws.

    Attributes
    ----------
    level : str
        Of the lower of precision and recall, by `engine.steps.level_of`; never ``good`` where
        the middle zone begins to act over `GOOD_SHIFT_DAYS` early or late, and ``noisy`` where
        never acting would be right as often. Where no zone should act, ``good`` if none does.
    accuracy, precision, recall : float
        Means over zones; NaN where undefined.
    accuracy_low, accuracy_high : float
        5th and 95th percentile over draws.
    never_acting : float
        Accuracy of never acting.
    missed, needless, zone_days : float
        Zone-days missed and needless, and all there are.
    shift_days : float
        Median over draws and zones that act in both of the shift of the first acting day, below 0
        if early; NaN where none does.
    timing : str
        ``early``, ``late`` or ``on time`` by that median; empty where it is NaN.
    early, late, same, phantom, missed_zones : float
        Zones by how their first acting day moves.
    """

    level: Level
    accuracy: float
    precision: float
    recall: float
    accuracy_low: float
    accuracy_high: float
    never_acting: float
    missed: float
    needless: float
    zone_days: int
    shift_days: float
    timing: str
    early: float
    late: float
    same: float
    phantom: float
    missed_zones: float


def judge_epidemic(comparison: Comparison) -> EpidemicJudgement:
    """Judge the draws of one origin.

    Parameters
    ----------
    comparison : Comparison
        With arrays of shape (draws, zones), and (zones,) for the truth.

    Examples
    --------
    >>> from engine.decisions import compare
    >>> true = np.array([[0.1, 0.1], [0.3, 0.1], [0.3, 0.1], [0.1, 0.1]])
    >>> judge_epidemic(compare(true, true[None])).level
    'good'
    """
    accuracies = comparison.accuracy.mean
    accuracy, precision, recall = (
        mean_of_known(figure.mean)
        for figure in (comparison.accuracy, comparison.precision, comparison.recall)
    )
    never = float(comparison.never_acting_accuracy)
    shifts = comparison.shifts
    moved = comparison.shift
    known = moved[np.isfinite(moved)]
    median = float(np.median(known)) if len(known) else float("nan")
    needless = float(comparison.needless.sum(axis=-1).mean())
    return EpidemicJudgement(
        level=_epidemic_level(
            accuracy, float(np.minimum(precision, recall)), never, needless, median
        ),
        accuracy=accuracy,
        precision=precision,
        recall=recall,
        accuracy_low=float(np.quantile(accuracies, 0.05)),
        accuracy_high=float(np.quantile(accuracies, 0.95)),
        never_acting=never,
        missed=float(comparison.missed.sum(axis=-1).mean()),
        needless=needless,
        zone_days=comparison.days * comparison.right.shape[-1],
        shift_days=median,
        timing=_timing(median),
        early=float(shifts.early.mean()),
        late=float(shifts.late.mean()),
        same=float(shifts.same.mean()),
        phantom=float(shifts.phantom.mean()),
        missed_zones=float(shifts.missed.mean()),
    )


def _epidemic_level(
    accuracy: float, right: float, never: float, needless: float, shift_days: float
) -> Level:
    if never == 1:
        return "good" if needless == 0 else "noisy"
    level = level_of(right) if accuracy > never else "noisy"
    in_time = abs(shift_days) <= GOOD_SHIFT_DAYS  # not where no zone acts in both: then it is NaN
    return "partly" if level == "good" and not in_time else level


def _timing(shift_days: float) -> str:
    if np.isnan(shift_days):
        return ""
    if abs(shift_days) <= _NO_SHIFT_DAYS:
        return "on time"
    return "early" if shift_days < 0 else "late"


@dataclass(frozen=True, kw_only=True)
class AidJudgement:
    """What the exact laws say of aid.

    Attributes
    ----------
    level : str
        Of the lower of the expected overlap and of 1 less the total's relative error, by
        `engine.steps.level_of`.
    overlap : float
        Expected overlap of the first k destinations, mean over days; NaN where nobody left.
    total_error : float
        Expected relative error of the total, signed; NaN where nobody left.
    main_cause : str
        Cause with the largest effect on the total: ``trimming``, ``suppression``, ``noise`` or
        ``phantoms``.
    """

    level: Level
    overlap: float
    total_error: float
    main_cause: str


def judge_aid(totals: ShockTotals, overlap: Floats) -> AidJudgement:
    """Judge aid by the expected total and the expected overlap on each day.

    Parameters
    ----------
    overlap : array, shape (days,)
        For the k asked for.
    """
    true = float(totals.together.true)
    error = float(totals.together.bias) / true if true > 0 else float("nan")
    mean = mean_of_known(overlap)
    causes = {name: abs(float(value)) for name, value in vars(totals.causes).items()}
    return AidJudgement(
        level=level_of(float(np.minimum(mean, 1 - abs(error)))),
        overlap=mean,
        total_error=error,
        main_cause=max(causes, key=lambda name: causes[name]),
    )
