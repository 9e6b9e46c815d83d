"""Two decision rules, and decisions with private data against those with the true data.

Epidemic: a zone acts on a day if its prevalence reaches a threshold. Accuracy, precision and recall
are per zone over the days, as in P2's Table 2, then their means over the zones where they are
defined; the baseline of accuracy is to never act. Aid: the k zones with the most arrivals are
helped; ties go by the order of the zones, and a zone of 0 is never chosen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import validation
from ..arrays import Booleans, Floats, Integers, Numbers
from ..datasets import Dataset
from ..errors import ParameterError

PREVALENCE_THRESHOLD = 0.20
"""Prevalence from which a zone acts (P2)."""

NEVER_ACTS = -1  # in place of a first acting day


@dataclass(frozen=True, eq=False)
class Comparison:
    """Decisions of a run against those with the true data; arrays have shape (…, zones).

    Of all `days`: those on which a zone should act and does not (`missed_days`), acts and should
    not (`needless_days`), acts in truth and in the run; the first acting day, or `NEVER_ACTS`.
    """

    missed_days: Integers
    needless_days: Integers
    true_action_days: Integers
    action_days: Integers
    first_true_day: Integers
    first_day: Integers
    days: int

    @property
    def accuracy(self) -> Floats:
        """Share of days decided as with the true data, mean over zones."""
        right = self.days - self.missed_days - self.needless_days
        return _mean_over_zones(right, np.full_like(right, self.days))

    @property
    def precision(self) -> Floats:
        """Share of the acting days that are right, mean over zones that act; NaN without any."""
        return _mean_over_zones(self.action_days - self.needless_days, self.action_days)

    @property
    def recall(self) -> Floats:
        """Share of the days to act on which a zone acts, mean over zones that have one."""
        hits = self.true_action_days - self.missed_days
        return _mean_over_zones(hits, np.broadcast_to(self.true_action_days, hits.shape))

    @property
    def never_acting_accuracy(self) -> Floats:
        """Accuracy, mean over zones, of a policy that never acts."""
        return 1 - self.true_action_days.mean(axis=-1) / self.days

    @property
    def shift_days(self) -> Floats:
        """Days by which a zone acts later than in truth; NaN where it never acts in either."""
        both = (self.first_true_day != NEVER_ACTS) & (self.first_day != NEVER_ACTS)
        return np.where(both, self.first_day - self.first_true_day, np.nan)


def compare_decisions(
    true: Floats, compared: Floats, threshold: float = PREVALENCE_THRESHOLD
) -> Comparison:
    """Return a comparison of a run's decisions with those of the true data.

    Both are prevalences of shape (…, days, zones); `compared` may have axes before those of `true`.
    A zone acts from the prevalence `threshold` on, above 0 and at most 1.
    """
    truly, now = is_above_threshold(true, threshold), is_above_threshold(compared, threshold)
    return Comparison(
        missed_days=(truly & ~now).sum(axis=-2),
        needless_days=(now & ~truly).sum(axis=-2),
        true_action_days=truly.sum(axis=-2),
        action_days=now.sum(axis=-2),
        first_true_day=_first_action_day(truly),
        first_day=_first_action_day(now),
        days=truly.shape[-2],
    )


def is_above_threshold(prevalence: Floats, threshold: float = PREVALENCE_THRESHOLD) -> Booleans:
    """Return whether each zone acts on each day."""
    if validation.to_real(threshold) != 1:
        validation.check_inside("threshold", threshold, 0, 1, "P2 acts from 0.2")
    return prevalence >= threshold


def join_comparisons(comparisons: Sequence[Comparison], axis: int) -> Comparison:
    """Return comparisons of the same truth, joined along an axis of their draws in order."""
    names = ("missed_days", "needless_days", "action_days", "first_day")
    parts = {n: np.concatenate([getattr(c, n) for c in comparisons], axis=axis) for n in names}
    return replace(comparisons[0], **parts)


def rank_by_size(totals: Numbers) -> Integers:
    """Return the rank of each entry by size over the last axis, 0 for the largest."""
    order = np.argsort(-totals, axis=-1, kind="stable")
    return np.argsort(order, axis=-1, kind="stable")


def first_zones(totals: Numbers, k: int) -> Booleans:
    """Return whether each entry of the last axis is among the first k."""
    return (rank_by_size(totals) < k) & (totals > 0)


def top_k_overlap(true: Numbers, released: Numbers, max_k: int) -> Floats:
    """Return the share of the true first k = 1 … `max_k` that are selected; NaN without any."""
    # among the first k in both if below k
    both = np.maximum(rank_by_size(true), rank_by_size(released))
    is_targeted = (true > 0) & (released > 0)
    ks = np.arange(1, max_k + 1)
    hits = np.stack([(is_targeted & (both < k)).sum(axis=-1) for k in ks], axis=-1)
    members = np.minimum((true > 0).sum(axis=-1)[..., None], ks)
    return np.where(members > 0, hits / np.maximum(members, 1), np.nan)


def zone_positions(dataset: Dataset, ids: Sequence[str], name: str) -> tuple[int, ...]:
    """Return positions of zones in the dataset's order; `ParameterError` if unknown or repeated."""
    position = {str(zone): i for i, zone in enumerate(dataset.zones["zone_id"])}
    zone_ids = [ids] if isinstance(ids, str) else list(ids)
    unknown = [zone for zone in zone_ids if zone not in position]
    if unknown or not zone_ids or len(set(zone_ids)) < len(zone_ids):
        got = f"'{unknown[0]}'" if unknown else ("none" if not zone_ids else "a repeated zone")
        rule = f"{name} must name zones of dataset '{dataset.id}', each once"
        remedy = "take ids from the column zone_id of its zones"
        raise ParameterError(rule, value=got, remedy=remedy)
    return tuple(position[zone] for zone in zone_ids)


def _first_action_day(acting: Booleans) -> Integers:
    return np.where(acting.any(axis=-2), acting.argmax(axis=-2), NEVER_ACTS)


def _mean_over_zones(part: Integers, total: Integers) -> Floats:
    """Return the mean of part/total over zones where it is defined; NaN without any."""
    defined = total > 0
    defined_count = defined.sum(axis=-1)
    share = np.where(defined, part / np.maximum(total, 1), 0.0)
    mean = share.sum(axis=-1) / np.maximum(defined_count, 1)
    return np.where(defined_count == 0, np.nan, mean)
