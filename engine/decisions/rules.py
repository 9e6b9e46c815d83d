"""The two rules of decision, and decisions by them against those with the true data.

Epidemic: a zone acts on a day if its prevalence reaches a threshold. P2's Table 2 reports accuracy,
precision and recall per zone over the days, then mean and standard deviation over the zones where
they are defined; accuracy is held against that of never acting. Aid: the k zones that received most
are helped; ties go by the order of the zones, and a zone that reads 0 is never chosen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .. import validation
from ..arrays import Booleans, Floats, Integers, Numbers
from ..datasets import Dataset
from ..errors import ParameterError

THRESHOLD = 0.20
"""Prevalence from which a zone acts (P2)."""

NEVER = -1
"""First acting day of a zone that never acts."""


class OverZones(NamedTuple):
    """Mean (NaN without any) and deviation over the zones with a figure, and how many lack it."""

    mean: Floats
    standard_deviation: Floats
    undefined: Integers


@dataclass(frozen=True, eq=False)
class Comparison:
    """Decisions of a run against those with the true data; arrays have shape (…, zones).

    Of all `days`, those on which a zone should act and does not (`missed`), acts and should not
    (`needless`), acts in truth and in the run; the first acting day, `NEVER` where there is none.
    """

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
        right = self.days - self.missed - self.needless
        return _over_zones(right, np.full_like(right, self.days))

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
        """Days by which a zone begins later than in truth; NaN where it never acts in either."""
        both = (self.first_true != NEVER) & (self.first != NEVER)
        return np.where(both, self.first - self.first_true, np.nan)


def compare(true: Floats, other: Floats, threshold: float = THRESHOLD) -> Comparison:
    """Compare the decisions of a run with those of the true data.

    Both are prevalences of shape (…, days, zones); `other` may have axes before those of `true`. A
    zone acts from the prevalence `threshold` on, above 0 and at most 1.

    Examples
    --------
    >>> true = np.array([[0.1, 0.1], [0.3, 0.1], [0.3, 0.1]])
    >>> other = np.array([[0.1, 0.1], [0.1, 0.3], [0.3, 0.1]])
    >>> result = compare(true, other)
    >>> result.missed.tolist(), result.needless.tolist(), result.shift.tolist()
    ([1, 0], [0, 1], [1.0, nan])
    """
    truly, now = acts(true, threshold), acts(other, threshold)
    return Comparison(
        missed=(truly & ~now).sum(axis=-2),
        needless=(now & ~truly).sum(axis=-2),
        acting_true=truly.sum(axis=-2),
        acting=now.sum(axis=-2),
        first_true=_first(truly),
        first=_first(now),
        days=truly.shape[-2],
    )


def acts(prevalence: Floats, threshold: float = THRESHOLD) -> Booleans:
    """Return whether each zone acts on each day."""
    if validation.as_real(threshold) != 1:
        validation.inside_open_interval("threshold", threshold, 0, 1, "P2 acts from 0.2")
    return prevalence >= threshold


def joined(comparisons: Sequence[Comparison], axis: int) -> Comparison:
    """Join comparisons of the same truth along an axis of their draws, in order."""
    names = ("missed", "needless", "acting", "first")
    parts = {n: np.concatenate([getattr(c, n) for c in comparisons], axis=axis) for n in names}
    return replace(comparisons[0], **parts)


def places(totals: Numbers) -> Integers:
    """Return the place of each entry by size over the last axis, 0 for the largest."""
    order = np.argsort(-totals, axis=-1, kind="stable")
    return np.argsort(order, axis=-1, kind="stable")


def first_zones(totals: Numbers, k: int) -> Booleans:
    """Return which entries of the last axis are among the first k."""
    return (places(totals) < k) & (totals > 0)


def overlaps(true: Numbers, released: Numbers, most: int) -> Floats:
    """Return the share of the true first k = 1 … `most` that are named; NaN where there is none."""
    both = np.maximum(places(true), places(released))  # among the first k in both if below k
    named = (true > 0) & (released > 0)
    ks = np.arange(1, most + 1)
    hits = np.stack([(named & (both < k)).sum(axis=-1) for k in ks], axis=-1)
    members = np.minimum((true > 0).sum(axis=-1)[..., None], ks)
    return np.where(members > 0, hits / np.maximum(members, 1), np.nan)


def zone_positions(dataset: Dataset, ids: Sequence[str], name: str) -> tuple[int, ...]:
    """Return the positions of zones in the dataset's order; each must be there, and named once."""
    position = {str(zone): i for i, zone in enumerate(dataset.zones["zone_id"])}
    wanted = [ids] if isinstance(ids, str) else list(ids)
    unknown = [zone for zone in wanted if zone not in position]
    if unknown or not wanted or len(set(wanted)) < len(wanted):
        got = f"'{unknown[0]}'" if unknown else ("none" if not wanted else "a repeated zone")
        rule = f"{name} must name zones of dataset '{dataset.id}', each once"
        remedy = "take ids from the column zone_id of its zones"
        raise ParameterError(rule, value=got, remedy=remedy)
    return tuple(position[zone] for zone in wanted)


def _first(acting: Booleans) -> Integers:
    return np.where(acting.any(axis=-2), acting.argmax(axis=-2), NEVER)


def _over_zones(part: Integers, whole: Integers) -> OverZones:
    defined = whole > 0
    counted = defined.sum(axis=-1)
    share = np.where(defined, part / np.maximum(whole, 1), 0.0)
    mean = share.sum(axis=-1) / np.maximum(counted, 1)
    squares = np.where(defined, (share - mean[..., None]) ** 2, 0.0)
    deviation = np.sqrt(squares.sum(axis=-1) / np.maximum(counted - 1, 1))
    return OverZones(
        mean=np.where(counted == 0, np.nan, mean),
        standard_deviation=np.where(counted < 2, np.nan, deviation),
        undefined=defined.shape[-1] - counted,
    )
