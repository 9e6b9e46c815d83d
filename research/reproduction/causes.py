"""Why figures of P1 differ here: clipping, sizes of clusters, how alike weeks are."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from engine import density, metrics
from engine.arrays import Floats, Integers
from engine.datasets import Dataset
from research.reproduction.density import CAUSES, DensityPlan, distances, measure, scored
from research.rows import Row, row


def rows(dataset: Dataset, plan: DensityPlan) -> Iterator[Row]:
    """Yield where LPA's error comes from, clusters, and utility on altered weeks."""
    yield from clipping(dataset, plan)

    def clusters(release: density.DensityRelease) -> int:
        kept = release.coefficients_kept
        return 0 if kept is None else len(kept)  # None where a release is blank

    for name in ("EFPAG", "EFPA"):
        one = plan.schemes[name]
        yield row(CAUSES, "clusters", name, scored(dataset, one, plan, clusters))
        minimum = density.default_cluster_minimum(one)
        yield row(CAUSES, "least visits of a cluster (τ)", name, minimum)
    altered = {
        "as simulated": dataset,
        "dealt out at random over the towers": dealt_out(dataset, plan.seed),
    }
    for factor in (1.5, 2.0):
        altered[f"{factor:g} times as far from the mean week"] = moved_apart(dataset, factor)
    for label, data in altered.items():
        yield from weeks(label, data, plan)


def clipping(dataset: Dataset, plan: DensityPlan) -> Iterator[Row]:
    """Yield where LPA's error comes from, over all repeats.

    Negative counts become 0, which invents visits. In the mean of all releases the noise averages
    out and the invented visits do not.
    """
    truth = density.truth(dataset)
    sampled = float(density.presampled(dataset, plan.max_visits).sum())
    order = np.argsort(truth.sum(axis=1), kind="stable")
    quietest, others = np.split(order, [max(1, len(order) // 10)])
    together = np.zeros_like(truth)

    def parts(release: density.DensityRelease) -> tuple[float, ...]:
        nonlocal together
        together = together + release.counts
        errors = metrics.mean_relative_error(truth, release.counts)
        share = np.nansum(errors[quietest]) / np.nansum(errors)
        rest = metrics.mean_of_known(errors[others])
        return share, rest, release.counts.sum() / sampled - 1

    values = scored(dataset, replace(plan.base, method="lpa"), plan, parts)
    for what, each in zip(
        (
            "share of MRE from the quietest tenth of zones",
            "MRE without the quietest tenth of zones",
            "visits invented by clipping at 0, share",
        ),
        values.T,
        strict=True,
    ):
        yield row(CAUSES, what, "LPA", each)
    hours, apart_m = list(plan.hours), dataset.tessellation.zone_distances_m
    moved = metrics.earth_movers_distance(truth[:, hours], together[:, hours], apart_m)
    what = "earth mover's distance of the mean of all releases, m"
    yield row(CAUSES, what, "LPA", metrics.mean_of_known(moved))


def weeks(label: str, dataset: Dataset, plan: DensityPlan) -> Iterator[Row]:
    """Yield the utility of EFPAG at the plan's setting, and what it is ahead of EFPA."""
    both = [plan.base, replace(plan.base, method="efpa")]
    keyed = {(one.method, plan.max_visits, plan.epsilon): one for one in both}
    efpag, efpa = measure(dataset, keyed, plan).values()
    apart = [distances(dataset, one, plan, plan.few_hours) for one in both]
    less = efpag - efpa
    for what, values in {
        "mre": efpag[0],
        "pearson": efpag[1],
        "distance": apart[0],
        "efpa distance": apart[1],
        "less efpa mre": less[0],
        "less efpa pearson": less[1],
    }.items():
        yield row("P1, weeks of the towers altered", what, label, values)


# -- Weeks of the towers, altered ------------------------------------------------------------------


class Altered(Dataset):
    """A dataset whose towers keep their totals and get other weeks: nobody's, only to measure."""

    def __init__(self, dataset: Dataset, alter: Callable[[Integers], Integers]) -> None:
        changed = {"truth_by_tower": alter(dataset.truth_by_tower)}
        vars(self).update(vars(dataset) | {"tessellation": dataset.tessellation} | changed)
        self._alter = alter

    def presampled_by_tower(self, max_visits_per_user: int) -> Integers:
        """Return the pre-sampled counts, altered like the truth."""
        return self._alter(super().presampled_by_tower(max_visits_per_user))


def dealt_out(dataset: Dataset, seed: int) -> Altered:
    """Give every tower the week of another one, so that neighbours are no more alike."""
    order = np.random.default_rng(seed).permutation(len(dataset.towers))
    return Altered(dataset, lambda counts: _with_weeks(counts, _weeks(counts)[order]))


def moved_apart(dataset: Dataset, factor: float) -> Altered:
    """Multiply every tower's difference from the mean week."""

    def alter(counts: Integers) -> Integers:
        mean = counts.sum(axis=0) / max(counts.sum(), 1)
        return _with_weeks(counts, np.maximum(mean + factor * (_weeks(counts) - mean), 0.0))

    return Altered(dataset, alter)


def _weeks(counts: Integers) -> Floats:
    """Return every tower's share of its visits in each hour; 0 where there are none."""
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def _with_weeks(counts: Integers, weeks: Floats) -> Integers:
    sums = weeks.sum(axis=1, keepdims=True)
    shares = weeks / np.where(sums > 0, sums, 1.0)
    return np.rint(counts.sum(axis=1, keepdims=True) * shares).astype(np.int64)
