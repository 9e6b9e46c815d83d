"""Measure what P1 reports in its figures 6 to 11, on simulated people."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine import density, metrics
from engine.arrays import Floats
from engine.datasets import Dataset
from engine.parameters import HOURS_PER_WEEK, DensityParameters
from engine.sweeping import sweep
from research.reproduction.published import (
    P1,
    P1_DELTA,
    P1_EPSILON,
    P1_MAX_VISITS,
    P1_MAX_VISITS_SHOWN,
    P1_REPEATS,
)
from research.rows import Spread

EVERY_SEVENTH_HOUR = tuple(range(0, 168, 7))
"""24 hours of the week: each hour of the day once, spread over the days (7 and 24 are coprime)."""

DAYLIGHT = range(9, 23)
"""Hours of the day that P1's text on figure 4a names: from 9:00 to 23:00."""

NO_NOISE_EPSILON = 1e6


@dataclass(frozen=True)
class DensityPlan:
    """How much is drawn.

    Attributes
    ----------
    epsilon, max_visits : float, int
        P1's setting for everything but the curves.
    epsilons : tuple of float
        The curves' ε. P1's own are only drawn in its figures.
    max_visits_shown : tuple of int
        ℓ of figure 7.
    repeats, distance_repeats : int
        Seeds, and those for which the earth mover's distance is computed.
    hours, few_hours : tuple of int
        Hours of the week that the distance is averaged over; the few where it only explains.
    """

    epsilon: float = P1_EPSILON
    max_visits: int = P1_MAX_VISITS
    epsilons: tuple[float, ...] = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
    max_visits_shown: tuple[int, ...] = P1_MAX_VISITS_SHOWN
    repeats: int = P1_REPEATS
    distance_repeats: int = 5
    hours: tuple[int, ...] = tuple(range(HOURS_PER_WEEK))
    few_hours: tuple[int, ...] = EVERY_SEVENTH_HOUR
    seed: int = 2014

    @property
    def base(self) -> DensityParameters:
        """P1's scheme at its setting."""
        return DensityParameters(
            epsilon=self.epsilon,
            delta=P1_DELTA,
            max_visits_per_user=self.max_visits,
            method="efpag",
        )


def schemes(base: DensityParameters) -> dict[str, DensityParameters]:
    """Return P1's schemes at the ε and ℓ of `base`; EFPA also with the smaller τ of EFPAG."""
    plain = replace(base, scaling=False, smoothing=False)
    same_tau = density.default_cluster_minimum(base)
    return {
        "EFPAG": base,
        "EFPAG−": plain,
        "EFPAG, one k": replace(base, method="efpag_joint"),
        "EFPA": replace(base, method="efpa"),
        "EFPA−": replace(plain, method="efpa"),
        "EFPA, τ of EFPAG": replace(base, method="efpa", cluster_minimum=same_tau),
        "LPA": replace(base, method="lpa"),
    }


def without_noise(base: DensityParameters) -> DensityParameters:
    """Return `base` with its clusters' size but next to no noise: what sampling and sharing cost.

    The analytic Gaussian is the one that is defined at so large an ε.
    """
    minimum = density.default_cluster_minimum(base)
    return replace(base, epsilon=NO_NOISE_EPSILON, gaussian="analytic", cluster_minimum=minimum)


@dataclass(frozen=True)
class Utility:
    """MRE and Pearson correlation, averaged over zones, of every repeat."""

    mean_relative_error: Floats
    pearson: Floats


Key = tuple[str, int, float]
"""Scheme, ℓ and ε."""


def curves(dataset: Dataset, plan: DensityPlan) -> dict[Key, Utility]:
    """Return the utility of every scheme over ε, and of EFPAG and LPA over ℓ (figures 7, 8).

    Repeats share their noise between settings, so differences between schemes that draw alike
    are theirs and not the draw's.
    """
    keyed: dict[Key, DensityParameters] = {}
    for kept in sorted({plan.max_visits, *plan.max_visits_shown}):
        for epsilon in sorted({plan.epsilon, *plan.epsilons}):
            at = replace(plan.base, max_visits_per_user=kept, epsilon=epsilon)
            for name, settings in schemes(at).items():
                if kept == plan.max_visits or name in ("EFPAG", "LPA"):
                    keyed[name, kept, epsilon] = settings
    return measure(dataset, keyed, plan)


def measure(
    dataset: Dataset, keyed: dict[Key, DensityParameters], plan: DensityPlan
) -> dict[Key, Utility]:
    """Return the utility of each of the given settings."""
    keys = sorted(keyed, key=lambda key: keyed[key].method)  # one noise serves a whole method
    errors, correlations = (np.full((len(keys), plan.repeats), np.nan) for _ in range(2))
    rng = np.random.default_rng(plan.seed)
    settings = [keyed[key] for key in keys]
    for point in sweep(
        density, dataset, settings, plan.repeats, rng=rng, score=density.mean_scores
    ):
        errors[point.setting, point.repeat] = point.scores.error
        correlations[point.setting, point.repeat] = point.scores.correlation
    places = {key: place for place, key in enumerate(keys)}
    return {key: Utility(errors[places[key]], correlations[places[key]]) for key in keyed}


def releases(
    dataset: Dataset, settings: DensityParameters, plan: DensityPlan, repeats: int | None = None
) -> Iterator[density.DensityRelease]:
    """Yield one release a seed; the same seeds for all settings."""
    for repeat in range(plan.repeats if repeats is None else repeats):
        rng = np.random.default_rng([plan.seed, repeat])
        yield density.release(dataset, settings, rng=rng)


def zone_quartiles(
    dataset: Dataset, settings: DensityParameters, plan: DensityPlan
) -> tuple[Floats, Floats]:
    """Return quartiles over zones of MRE and Pearson, shape (repeats, 3) each (figures 10, 11)."""
    truth = density.truth(dataset)
    errors, correlations = [], []
    for release in releases(dataset, settings, plan):
        errors.append(_quartiles(metrics.mean_relative_error(truth, release.counts)))
        correlations.append(_quartiles(metrics.pearson(truth, release.counts)))
    return np.array(errors), np.array(correlations)


def share_of_zones_within(
    dataset: Dataset, settings: DensityParameters, plan: DensityPlan, error: float
) -> Spread:
    """Return the share of zones whose MRE is at most `error` (figure 11: "most cells")."""
    truth = density.truth(dataset)
    shares = []
    for release in releases(dataset, settings, plan):
        errors = known(metrics.mean_relative_error(truth, release.counts))
        shares.append((errors <= error).mean())
    return Spread.of(shares)


def errors_by_hour(dataset: Dataset, settings: DensityParameters, plan: DensityPlan) -> Floats:
    """Return the mean relative error of every hour, shape (repeats, 168) (figure 9a)."""
    truth = density.truth(dataset)
    return np.array(
        [
            metrics.error_by_hour(truth, release.counts)
            for release in releases(dataset, settings, plan)
        ]
    )


def distances(dataset: Dataset, settings: DensityParameters, plan: DensityPlan) -> Floats:
    """Return the mean earth mover's distance over the plan's hours, shape (seeds,) (figure 9b)."""
    truth = density.truth(dataset)[:, plan.hours]
    apart_m = dataset.tessellation.zone_distances_m
    return np.array(
        [
            known(
                metrics.earth_movers_distance(truth, release.counts[:, plan.hours], apart_m)
            ).mean()
            for release in releases(dataset, settings, plan, plan.distance_repeats)
        ]
    )


@dataclass(frozen=True)
class TotalsError:
    """MRE over towers of their noisy totals at one ε (figure 6); one value a repeat each.

    Attributes
    ----------
    shares : array
        Relative frequencies from one visit a person (figure 6a).
    totals : array
        The same times the noisy number of visits (figure 6b).
    unsampled : array
        Laplace noise on the true totals, without sampling.
    """

    shares: Floats
    totals: Floats
    unsampled: Floats


def totals_errors(dataset: Dataset, plan: DensityPlan) -> dict[float, TotalsError]:
    """Return the errors of the towers' totals over ε, with and without sampling (figure 6)."""
    by_epsilon = {epsilon: np.zeros((3, plan.repeats)) for epsilon in plan.epsilons}
    for repeat in range(plan.repeats):
        rng = np.random.default_rng([plan.seed, repeat])
        noise = density.DensityNoise.draw(rng, dataset, "efpag_joint")
        exact_visits = replace(noise, visits=0.0)
        for epsilon, errors in by_epsilon.items():
            settings = replace(plan.base, epsilon=epsilon)
            shares = density.total_errors(dataset, settings, exact_visits)
            full = density.total_errors(dataset, settings, noise)
            errors[:, repeat] = shares.sampled.totals, full.sampled.totals, full.plain.totals
    return {epsilon: TotalsError(*errors) for epsilon, errors in by_epsilon.items()}


def visits_errors(dataset: Dataset, plan: DensityPlan) -> Floats:
    """Return |K − K̂|/K of every repeat at the plan's setting (footnote 6)."""
    true = float(dataset.truth_by_tower.sum())
    noisy = [release.visits for release in releases(dataset, plan.base, plan)]
    return np.array([abs(visits - true) / true for visits in noisy if visits is not None])


def clusters(dataset: Dataset, settings: DensityParameters, plan: DensityPlan) -> Floats:
    """Return the number of clusters of every repeat, 0 where a release is blank."""
    drawn = releases(dataset, settings, plan)
    return np.array(
        [0.0 if r.coefficients_kept is None else float(len(r.coefficients_kept)) for r in drawn]
    )


def scaled_to_p1(plan: DensityPlan, zone_mean_sampled: float) -> DensityParameters:
    """Return the setting whose noise stands to our counts as P1's to a mean count of 91."""
    epsilon = plan.epsilon * P1["zone_mean"].value / zone_mean_sampled
    return plan.base.at(epsilon)


def _quartiles(values: Floats) -> Floats:
    values_known = known(values)
    return np.quantile(values_known, (0.25, 0.5, 0.75)) if len(values_known) else np.full(3, np.nan)


def known(values: Floats) -> Floats:
    """Return the values that exist."""
    return values[~np.isnan(values)]
