"""Decisions against the truth: a zone acts on a day if its prevalence reaches a threshold.

P2's Tables 2 and its text report accuracy, precision and recall per zone over the days, then mean
and standard deviation over the zones. Where a zone never acts in truth, or never in the run
compared, recall or precision is undefined: such zones are counted, not averaged away. Accuracy is
held against the accuracy of never acting, without which it says little.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .. import validation
from ..arrays import Booleans, Floats, Integers
from ..errors import ParameterError

THRESHOLD = 0.20
"""Prevalence from which a zone acts (P2)."""

NEVER = -1
"""First acting day of a zone that never acts."""


class OverZones(NamedTuple):
    """Mean and standard deviation over the zones where a figure is defined, and how many lack it.

    All have the axes before the zones; the mean is NaN where no zone has the figure.
    """

    mean: Floats
    standard_deviation: Floats
    undefined: Integers


class Shifts(NamedTuple):
    """How many zones begin to act earlier or later than in truth, on the same day, and so on.

    `missed` zones act in truth only, `phantom` ones in the run compared only, `idle` in neither.
    """

    early: Integers
    same: Integers
    late: Integers
    missed: Integers
    phantom: Integers
    idle: Integers


@dataclass(frozen=True, eq=False)
class Comparison:
    """Decisions of a run against those with the true data; arrays have shape (…, zones).

    Attributes
    ----------
    right, missed, needless : arrays
        Days decided as with the true data; days on which a zone should act and does not; days on
        which it acts and should not. Together with `right` they make up all days.
    acting_true, acting : arrays
        Days on which the zone acts in truth and in the run.
    first_true, first : arrays
        First acting day, 0 for the first day; `NEVER` where there is none.
    """

    right: Integers
    missed: Integers
    needless: Integers
    acting_true: Integers
    acting: Integers
    first_true: Integers
    first: Integers
    days: int

    @property
    def accuracy(self) -> OverZones:
        """Share of days decided as with the true data."""
        return _over_zones(self.right, np.full_like(self.right, self.days))

    @property
    def precision(self) -> OverZones:
        """Share of the days acted on that are right; undefined where a zone never acts."""
        return _over_zones(self.acting - self.needless, self.acting)

    @property
    def recall(self) -> OverZones:
        """Share of the days to act on that are acted on; undefined where there is none."""
        hits = self.acting_true - self.missed
        return _over_zones(hits, np.broadcast_to(self.acting_true, hits.shape))

    @property
    def never_acting_accuracy(self) -> Floats:
        """Accuracy, mean over zones, of a policy that never acts."""
        return 1 - self.acting_true.mean(axis=-1) / self.days

    @property
    def shift(self) -> Floats:
        """Days by which a zone begins later than in truth, below 0 if earlier.

        NaN where the zone never acts, in truth or in the run.
        """
        both = (self.first_true != NEVER) & (self.first != NEVER)
        return np.where(both, self.first - self.first_true, np.nan)

    @property
    def shifts(self) -> Shifts:
        """Number of zones by how their first acting day moves."""
        shift = self.shift
        truly = np.broadcast_to(self.first_true != NEVER, shift.shape)
        acts = self.first != NEVER

        def count(zones: Booleans) -> Integers:
            return zones.sum(axis=-1)

        return Shifts(
            early=count(shift < 0),
            same=count(shift == 0),
            late=count(shift > 0),
            missed=count(truly & ~acts),
            phantom=count(~truly & acts),
            idle=count(~truly & ~acts),
        )


def acts(prevalence: Floats, threshold: float = THRESHOLD) -> Booleans:
    """Return whether each zone acts on each day: its prevalence is at least `threshold`, 0 to 1.

    Examples
    --------
    >>> acts(np.array([0.1, 0.2, 0.3])).tolist()
    [False, True, True]
    """
    if validation.as_real(threshold) != 1:
        validation.inside_open_interval("threshold", threshold, 0, 1, "P2 acts from 0.2")
    return prevalence >= threshold


def compare(true: Floats, other: Floats, threshold: float = THRESHOLD) -> Comparison:
    """Compare the decisions of a run with those of the true data.

    Parameters
    ----------
    true : array, shape (…, days, zones)
        True prevalence, 0 to 1.
    other : array, shape (…, days, zones)
        Prevalence of the run; leading axes (settings, draws) may be added before those of `true`.
    threshold : float
        Above 0, at most 1.

    Examples
    --------
    >>> true = np.array([[0.1, 0.1], [0.3, 0.1], [0.3, 0.1]])
    >>> other = np.array([[0.1, 0.1], [0.1, 0.3], [0.3, 0.1]])
    >>> result = compare(true, other)
    >>> result.missed.tolist(), result.needless.tolist(), result.shift.tolist()
    ([1, 0], [0, 1], [1.0, nan])
    """
    if true.shape[-2:] != other.shape[-2:]:
        raise ParameterError(
            "both runs must have the same days and zones",
            value=f"{true.shape[-2:]} and {other.shape[-2:]}",
            remedy="run them on the same dataset and days",
        )
    return compare_decisions(acts(true, threshold), acts(other, threshold))


def compare_decisions(truly: Booleans, now: Booleans) -> Comparison:
    """Compare decisions with those by the true data, both of shape (…, days, zones)."""
    missed = (truly & ~now).sum(axis=-2)
    needless = (now & ~truly).sum(axis=-2)
    days = truly.shape[-2]
    return Comparison(
        right=days - missed - needless,
        missed=missed,
        needless=needless,
        acting_true=truly.sum(axis=-2),
        acting=now.sum(axis=-2),
        first_true=_first(truly),
        first=_first(now),
        days=days,
    )


def concatenate(comparisons: list[Comparison], axis: int) -> Comparison:
    """Join comparisons of the same truth along an axis of their draws, in order."""
    names = ("right", "missed", "needless", "acting", "first")
    joined = {
        name: np.concatenate([getattr(each, name) for each in comparisons], axis=axis)
        for name in names
    }
    return replace(comparisons[0], **joined)


def one_origin(comparison: Comparison, place: int) -> Comparison:
    """Return the comparison of one origin, of arrays with axes (…, origins, zones).

    Examples
    --------
    >>> both = compare(np.zeros((2, 5, 3)), np.zeros((7, 2, 5, 3)))
    >>> one_origin(both, 1).right.shape
    (7, 3)
    """
    arrays = {
        name: values[..., place, :] for name, values in vars(comparison).items() if name != "days"
    }
    return Comparison(**arrays, days=comparison.days)


def _first(acting: Booleans) -> Integers:
    return np.where(acting.any(axis=-2), acting.argmax(axis=-2), NEVER)


def _over_zones(part: Integers, whole: Integers) -> OverZones:
    defined = whole > 0
    counted = defined.sum(axis=-1)
    share = np.where(defined, part / np.maximum(whole, 1), 0.0)
    some = np.maximum(counted, 1)
    mean = share.sum(axis=-1) / some
    squares = np.where(defined, (share - mean[..., None]) ** 2, 0.0)
    deviation = np.sqrt(squares.sum(axis=-1) / np.maximum(counted - 1, 1))
    nothing = counted == 0
    return OverZones(
        mean=np.where(nothing, np.nan, mean),
        standard_deviation=np.where(counted < 2, np.nan, deviation),
        undefined=defined.shape[-1] - counted,
    )
