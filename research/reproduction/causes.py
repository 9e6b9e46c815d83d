"""Measure why figures of P1 differ here: sizes of counts, clipping, how alike weeks are."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engine import density, metrics
from engine.arrays import Floats, Integers
from engine.datasets import Dataset
from research.reproduction.density import DensityPlan, distances, known, measure, releases
from research.rows import Spread


@dataclass(frozen=True)
class Sizes:
    """Mean counts per hour, and what the cover is made of.

    Attributes
    ----------
    zone_mean, zone_mean_sampled, cover_mean_sampled : float
        Before and after pre-sampling ℓ visits a person.
    cover_towers, cover_zones : int
    """

    zone_mean: float
    zone_mean_sampled: float
    cover_mean_sampled: float
    cover_towers: int
    cover_zones: int

    @property
    def cover(self) -> int:
        """Number of cells of the cover."""
        return self.cover_towers + self.cover_zones


def sizes(dataset: Dataset, plan: DensityPlan) -> Sizes:
    """Measure how large counts are."""
    places = dataset.tessellation
    return Sizes(
        zone_mean=float(density.truth(dataset).mean()),
        zone_mean_sampled=float(density.presampled(dataset, plan.max_visits).mean()),
        cover_mean_sampled=float(density.cover_series(dataset, plan.max_visits).mean()),
        cover_towers=len(places.cover_towers),
        cover_zones=len(places.cover_zones),
    )


@dataclass(frozen=True)
class Clipping:
    """Where the error of LPA comes from, over all repeats.

    Attributes
    ----------
    quietest_share : Spread
        Share of its MRE that comes from the tenth of the zones with the fewest visits.
    without_quietest : Spread
        Its MRE over the other zones.
    invented : Spread
        Visits above the sampled ones, relative to them: negative counts become 0.
    distance_of_mean_m : float
        Earth mover's distance of the mean of all releases, in which the noise averages out and
        the invented visits do not.
    """

    quietest_share: Spread
    without_quietest: Spread
    invented: Spread
    distance_of_mean_m: float


def clipping(dataset: Dataset, plan: DensityPlan) -> Clipping:
    """Measure where LPA's error comes from."""
    truth = density.truth(dataset)
    sampled = float(density.presampled(dataset, plan.max_visits).sum())
    order = np.argsort(truth.sum(axis=1), kind="stable")
    quietest, others = np.split(order, [max(1, len(order) // 10)])
    shares, rest, invented, together = [], [], [], np.zeros_like(truth)
    for release in releases(dataset, replace(plan.base, method="lpa"), plan):
        errors = metrics.mean_relative_error(truth, release.counts)
        shares.append(np.nansum(errors[quietest]) / np.nansum(errors))
        rest.append(known(errors[others]).mean())
        invented.append(release.counts.sum() / sampled - 1)
        together += release.counts
    hours = list(plan.hours)
    apart_m = dataset.tessellation.zone_distances_m
    moved = metrics.earth_movers_distance(truth[:, hours], together[:, hours], apart_m)
    return Clipping(Spread.of(shares), Spread.of(rest), Spread.of(invented), known(moved).mean())


# -- Weeks of the towers, altered ------------------------------------------------------------------

Alter = Callable[[Integers], Integers]
AS_SIMULATED, AT_RANDOM = "as simulated", "dealt out at random over the towers"
FARTHER = (1.5, 2.0)


def farther(factor: float) -> str:
    """Return the label of weeks that lie `factor` times as far from the mean week."""
    return f"{factor:g} times as far from the mean week"


class Altered(Dataset):
    """A dataset whose towers keep their totals and get other weeks: nobody's, only to measure."""

    def __init__(self, dataset: Dataset, alter: Alter) -> None:
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


@dataclass(frozen=True)
class Weeks:
    """Utility of EFPAG at the plan's setting, and what it is ahead of EFPA, on altered weeks."""

    mre: Spread
    pearson: Spread
    distance: Spread
    efpa_distance: Spread
    less_efpa_mre: Spread
    less_efpa_pearson: Spread


def weeks(dataset: Dataset, plan: DensityPlan) -> dict[str, Weeks]:
    """Measure what P1's scheme makes of weeks that are more or less alike."""
    altered = {
        AS_SIMULATED: dataset,
        AT_RANDOM: dealt_out(dataset, plan.seed),
        **{farther(factor): moved_apart(dataset, factor) for factor in FARTHER},
    }
    return {label: _measured(data, plan) for label, data in altered.items()}


def _measured(dataset: Dataset, plan: DensityPlan) -> Weeks:
    base = plan.base
    both = {"EFPAG": base, "EFPA": replace(base, method="efpa")}
    keyed = {(name, plan.max_visits, plan.epsilon): settings for name, settings in both.items()}
    measured = measure(dataset, keyed, plan)
    efpag, efpa = (measured[name, plan.max_visits, plan.epsilon] for name in both)
    quick = replace(plan, hours=plan.few_hours)
    return Weeks(
        mre=Spread.of(efpag.mean_relative_error),
        pearson=Spread.of(efpag.pearson),
        distance=Spread.of(distances(dataset, both["EFPAG"], quick)),
        efpa_distance=Spread.of(distances(dataset, both["EFPA"], quick)),
        less_efpa_mre=Spread.of(efpag.mean_relative_error - efpa.mean_relative_error),
        less_efpa_pearson=Spread.of(efpag.pearson - efpa.pearson),
    )
