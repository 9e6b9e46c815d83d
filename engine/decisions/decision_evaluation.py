"""Verdicts on decisions by draws, and the strongest privacy that keeps decisions right.

The limits are conventions, not theorems. Accuracy is not monotone in ε, so a target must be met at
the chosen ε and at every larger tested one. Choosing ε on the data to be released leaks (P2); tune
on another period or on simulated data.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import betaincinv

from .. import validation
from ..arrays import Booleans, Floats
from ..datasets import Metadata
from ..errors import ParameterError
from ..metrics import mean_of_finite
from ..verdict import GOOD_SHARE, Verdict, rate_share
from .aid import ShockTotals
from .rules import Comparison

GOOD_TOTAL_ERROR = round(1 - GOOD_SHARE, 9)
GOOD_SHIFT_DAYS = 1.0
"""Days by which the median zone may begin to act early or late under a good release."""
EPIDEMIC_DAYS = 60
"""With fewer days an epidemic from one zone hardly reaches P2's threshold, whatever the trips."""
CONFIDENCE = 0.95
"""Confidence of the lower bound on the share of releases that meet a target."""


def default_question(metadata: Metadata) -> Literal["epidemic", "aid"]:
    """Return the default question of a dataset: ``aid`` where it is short and names a shock."""
    short = len(metadata.days) < EPIDEMIC_DAYS
    return "aid" if short and metadata.scenario.get("shock") else "epidemic"


class EpidemicEvaluation(NamedTuple):
    """Means over draws and zones, NaN where undefined, and the median shift of the first day."""

    verdict: Verdict
    accuracy: float
    precision: float
    recall: float
    shift_days: float
    timing: str


def evaluate_epidemic(compared: Comparison) -> EpidemicEvaluation:
    """Return the verdict on one origin, from draws (draws, zones) and the truth (zones,).

    It is that of the lower of precision and recall; never ``good`` where the median zone begins to
    act over `GOOD_SHIFT_DAYS` early or late, and ``noisy`` where never acting would be right as
    often. Where no zone should act, it is ``good`` if none does.
    """
    figures = (compared.accuracy, compared.precision, compared.recall)
    accuracy, precision, recall = (mean_of_finite(figure) for figure in figures)
    defined_shifts = compared.shift_days[np.isfinite(compared.shift_days)]
    shift = float(np.median(defined_shifts)) if len(defined_shifts) else float("nan")
    level = rate_share(float(np.minimum(precision, recall)))
    if compared.never_acting_accuracy == 1:
        level = "noisy" if compared.needless_days.any() else "good"
    elif accuracy <= compared.never_acting_accuracy:
        level = "noisy"
    elif level == "good" and not abs(shift) <= GOOD_SHIFT_DAYS:  # NaN: no zone acts in both
        level = "partly"
    timing = "" if np.isnan(shift) else "early" if shift < 0 else "late"
    if abs(shift) <= 0.5:  # a median between two neighbouring days
        timing = "on time"
    return EpidemicEvaluation(level, accuracy, precision, recall, shift, timing)


class AidEvaluation(NamedTuple):
    """Mean overlap, signed relative error of the total and its main cause, if the law is known."""

    verdict: Verdict
    overlap: float
    total_error: float
    main_cause: str


def evaluate_aid(
    true_total: float, totals: Floats, overlap: Floats, exact: ShockTotals | None = None
) -> AidEvaluation:
    """Return the verdict on aid, by the lower of overlap and 1 − |relative error of the total|.

    `totals` and `overlap`, shape (draws,), are those of `simulate_private_aid` for one k; `exact`
    gives causes and the expected total without drawing, where the method has a distribution.
    """
    expected, cause = float(totals.mean()), ""
    if exact is not None:
        expected = float(exact.expected_total.sum())
        sign = 1.0 if expected >= true_total else -1.0
        cause = max(exact.causes, key=lambda name: sign * float(exact.causes[name].sum()))
    error = expected / true_total - 1 if true_total > 0 else float("nan")
    mean = mean_of_finite(overlap)
    return AidEvaluation(rate_share(float(np.minimum(mean, 1 - abs(error)))), mean, error, cause)


def meets_epidemic_target(comparison: Comparison, accuracy: float, recall: float) -> Booleans:
    """Return whether each run reaches both shares, as means over zones: all axes but the zones."""
    return np.asarray((comparison.accuracy >= accuracy) & ~(comparison.recall < recall))


def meets_aid_target(
    true_total: float, totals: Floats, overlap: Floats, min_overlap: float, total_error: float
) -> Booleans:
    """Return whether each release meets `min_overlap` and `total_error`, as shares."""
    return (np.abs(totals - true_total) <= total_error * true_total) & ~(overlap < min_overlap)


def strongest_privacy(
    epsilons: Sequence[float], met: Booleans, confidence: float = 0.9
) -> float | None:
    """Return the smallest ε that keeps a decision right, there and at every larger tested ε.

    `met`, shape (settings, draws), is whether each ascending ε and draw meets the target; a share
    of `confidence` must, by Clopper and Pearson's exact lower bound at 95%. Too few draws cannot
    show it for any ε: 0.9 needs 29 without a miss, 0.95 needs 59.
    """
    if met.ndim != 2 or len(epsilons) != len(met) or bool((np.diff(epsilons) <= 0).any()):
        rule, value = "epsilons must increase and match the rows of met", f"shape {met.shape}"
        raise ParameterError(rule, value=value, remedy="give one row of draws for each ε")
    remedy = "0.9 stands for 9 in 10 releases"
    validation.check_inside("confidence", confidence, 0, 1, remedy)
    draws, successes = met.shape[1], met.sum(axis=1)
    bound = betaincinv(np.maximum(successes, 1), draws - successes + 1, 1 - CONFIDENCE)
    holds = (successes > 0) & (bound >= confidence)
    onwards = np.logical_and.accumulate(holds[::-1])[::-1]
    return float(epsilons[int(onwards.argmax())]) if onwards.any() else None
