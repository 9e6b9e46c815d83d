"""P1's figures 6 to 11 and the numbers of its §5 and §6 beside ours, on simulated people."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

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
from research.rows import Row, row

EVERY_SEVENTH_HOUR = tuple(range(0, 168, 7))
"""24 hours of the week: each hour of the day once, spread over the days (7 and 24 are coprime)."""

DAYLIGHT = range(9, 23)
"""Hours of the day that P1's text on figure 4a names: from 9:00 to 23:00."""

NO_NOISE_EPSILON = 1e6
PRINTED, CAUSES = "P1, numbers", "P1, causes"


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

    @property
    def schemes(self) -> dict[str, DensityParameters]:
        """P1's schemes at its setting."""
        return schemes(self.base)


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


def rows(dataset: Dataset, plan: DensityPlan) -> Iterator[Row]:
    """Yield everything of P1 that is built."""
    sampled = float(density.presampled(dataset, plan.max_visits).mean())
    explaining = {
        "without noise": replace(
            plan.base,
            epsilon=NO_NOISE_EPSILON,
            gaussian="analytic",  # is defined at so large an ε
            cluster_minimum=density.default_cluster_minimum(plan.base),
        ),
        "noise as large beside our counts as P1's": plan.base.at(
            plan.epsilon * P1["zone_mean"].value / sampled
        ),
        "LPA on towers": replace(plan.base, method="towers_laplace"),
        "no scaling": replace(plan.base, scaling=False),
        "no smoothing": replace(plan.base, smoothing=False),
    }
    keyed = {(name, plan.max_visits, plan.epsilon): one for name, one in explaining.items()}
    measured = curves(dataset, plan) | measure(dataset, keyed, plan)
    yield from _printed(measured, plan)
    yield from _sizes(dataset, plan, sampled)
    for (name, kept, epsilon), utility in measured.items():
        setting = f"{name}, ℓ = {kept}, ε = {epsilon:g}"
        for what, values in zip(("MRE", "PC"), utility, strict=True):
            yield row("P1, figures 7 and 8", what, setting, values)
    yield from _totals(dataset, plan)
    yield from _hours(dataset, plan)
    named = plan.schemes | {"without noise": explaining["without noise"]}
    for name in ("EFPAG", "EFPAG, one k", "EFPA", "LPA", "without noise"):
        distance = distances(dataset, named[name], plan, plan.hours)
        published = P1.get(f"{name.lower()}_emd")
        yield row("P1, figure 9b", "earth mover's distance, m", name, distance, published)
    yield from _zones(dataset, plan)


Key = tuple[str, int, float]
"""Scheme, ℓ and ε."""


def curves(dataset: Dataset, plan: DensityPlan) -> dict[Key, Floats]:
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
) -> dict[Key, Floats]:
    """Return MRE and Pearson correlation, averaged over zones, of each of the given settings.

    Arrays have shape (2, repeats).
    """
    keys = sorted(keyed, key=lambda key: keyed[key].method)  # one noise serves a whole method
    measured = np.full((len(keys), 2, plan.repeats), np.nan)
    rng, settings = np.random.default_rng(plan.seed), [keyed[key] for key in keys]
    score = density.mean_scores
    for point in sweep(density, dataset, settings, plan.repeats, rng=rng, score=score):
        measured[point.setting, :, point.repeat] = point.scores.error, point.scores.correlation
    by_key = dict(zip(keys, measured, strict=True))
    return {key: by_key[key] for key in keyed}


def scored(
    dataset: Dataset,
    settings: DensityParameters,
    plan: DensityPlan,
    score: Callable[[density.DensityRelease], ArrayLike],
    repeats: int | None = None,
) -> Floats:
    """Return the score of one release a seed, repeats first; the same seeds for all settings."""
    scores: list[ArrayLike] = []
    for repeat in range(plan.repeats if repeats is None else repeats):
        rng = np.random.default_rng([plan.seed, repeat])
        scores.append(score(density.release(dataset, settings, rng=rng)))
    return np.array(scores, dtype=np.float64)


def distances(
    dataset: Dataset, settings: DensityParameters, plan: DensityPlan, hours: tuple[int, ...]
) -> Floats:
    """Return the mean earth mover's distance over some hours, shape (seeds,) (figure 9b)."""
    truth, apart_m = density.truth(dataset)[:, hours], dataset.tessellation.zone_distances_m

    def distance(release: density.DensityRelease) -> float:
        moved = metrics.earth_movers_distance(truth, release.counts[:, hours], apart_m)
        return metrics.mean_of_known(moved)

    return scored(dataset, settings, plan, distance, plan.distance_repeats)


def _printed(curves: dict[Key, Floats], plan: DensityPlan) -> Iterator[Row]:
    every, small = plan.epsilons, plan.epsilons[:2]

    def less(one: str, other: str, measure: int, epsilons: tuple[float, ...]) -> Floats:
        """Return the difference of two schemes averaged over ε, repeat by repeat."""
        first, second = (
            np.array([curves[name, plan.max_visits, e][measure] for e in epsilons])
            for name in (one, other)
        )
        return (first - second).mean(axis=0)

    def both(setting: str, name: str, kept: int, error: str, rhythm: str) -> Iterator[Row]:
        """Yield MRE and correlation of a scheme beside the printed ones."""
        errors, correlations = curves[name, kept, plan.epsilon]
        yield row(PRINTED, "MRE", setting, errors, P1[error])
        yield row(PRINTED, "PC", setting, correlations, P1[rhythm])

    for name in ("LPA", "EFPAG"):
        printed = (f"{name.lower()}_mre", f"{name.lower()}_pearson")
        yield from both(name, name, plan.max_visits, *printed)
    for kept in plan.max_visits_shown:
        yield from both(f"EFPAG, ℓ = {kept}", "EFPAG", kept, "mre_over_l", "pearson_over_l")
    for measure, (word, short) in enumerate((("MRE", "mre"), ("PC", "pearson"))):
        difference = less("EFPAG", "EFPA", measure, every)
        printed, what = P1[f"efpag_less_efpa_{short}"], f"{word}, mean over ε"
        yield row(PRINTED, what, "EFPAG less EFPA", difference, printed)
        same = less("EFPAG", "EFPA, τ of EFPAG", measure, every)
        yield row(CAUSES, what, "EFPAG less EFPA, one τ for both", same)
    improved = less("EFPAG", "EFPAG−", 0, every)
    yield row(PRINTED, "MRE, mean over ε", "scaling and smoothing", improved, P1["improved_mre"])
    rhythm = less("EFPAG", "EFPAG−", 1, small)
    setting = f"scaling and smoothing, ε of {' and '.join(f'{e:g}' for e in small)}"
    yield row(PRINTED, "PC", setting, rhythm, P1["improved_pearson"])
    with_efpa = less("EFPA", "EFPA−", 0, every)
    yield row(CAUSES, "MRE, mean over ε", "scaling and smoothing, with EFPA", with_efpa)


def _sizes(dataset: Dataset, plan: DensityPlan, zones_sampled: float) -> Iterator[Row]:
    """Yield how large counts and the noise are, and the error of the number of visits."""
    sampled, mean = f"ℓ = {plan.max_visits}", "mean visits an hour"
    cover_sampled = float(density.cover_series(dataset, plan.max_visits).mean())
    yield row(PRINTED, mean, f"zones, {sampled}", zones_sampled, P1["zone_mean"])
    yield row(PRINTED, mean, f"cover, {sampled}", cover_sampled, P1["cover_mean"])
    yield row(CAUSES, mean, "zones, all visits", float(density.truth(dataset).mean()))
    places = dataset.tessellation
    yield row(CAUSES, "cells of the cover", "towers", len(places.cover_towers))
    yield row(CAUSES, "cells of the cover", "zones", len(places.cover_zones))
    stage = density.ledger(
        plan.base.at(plan.epsilon, "lpa"),
        cover_size=places.cover_size,
        max_visits_cap=dataset.metadata.max_visits_cap,
    ).stages[0]
    noise = math.sqrt(2) * (stage.noise_scale or math.nan)
    yield row(PRINTED, "standard deviation of the noise, visits", "LPA", noise, P1["lpa_noise"])
    true = float(dataset.truth_by_tower.sum())
    visits = scored(dataset, plan.base, plan, lambda release: release.visits or math.nan)
    printed = P1["visits_error"]
    one = row(PRINTED, "|K − K̂|/K", "EFPAG", np.abs(visits - true) / true, printed)
    yield replace(one, within=one.ours < printed.value)  # printed as "below"


def _totals(dataset: Dataset, plan: DensityPlan) -> Iterator[Row]:
    """Yield MRE over towers of their noisy totals over ε, with and without sampling (figure 6)."""
    errors = np.zeros((len(plan.epsilons), 3, plan.repeats))
    for repeat in range(plan.repeats):
        rng = np.random.default_rng([plan.seed, repeat])
        noise = density.DensityNoise.draw(rng, dataset, "efpag_joint")
        exact_visits = replace(noise, visits=0.0)
        for place, epsilon in enumerate(plan.epsilons):
            settings = replace(plan.base, epsilon=epsilon)
            shares = density.total_errors(dataset, settings, exact_visits).sampled.totals
            full = density.total_errors(dataset, settings, noise)
            errors[place, :, repeat] = shares, full.sampled.totals, full.plain.totals
    names = ("shares, sampled (6a)", "totals, sampled (6b)", "totals, without sampling")
    for epsilon, each in zip(plan.epsilons, errors, strict=True):
        for name, values in zip(names, each, strict=True):
            what = f"MRE over towers of {name}"
            yield row("P1, figure 6", what, f"ε = {epsilon:g}", values)


def _hours(dataset: Dataset, plan: DensityPlan) -> Iterator[Row]:
    """Yield the mean relative error of every hour of the day (figure 9a)."""
    truth = density.truth(dataset)

    def by_hour(release: density.DensityRelease) -> Floats:
        return metrics.error_by_hour(truth, release.counts).reshape(7, 24).mean(axis=0)

    names = ("EFPAG", "EFPAG−")
    improved, plain = (scored(dataset, plan.schemes[name], plan, by_hour) for name in names)
    for hour in range(24):
        for name, values in zip(names, (improved, plain), strict=True):
            yield row("P1, figure 9a", f"MRE at {hour:02d}:00", name, values[:, hour])
    hours = list(DAYLIGHT)
    ratio = plain[:, hours].mean(axis=0) / improved[:, hours].mean(axis=0)
    best = hours[int(np.argmax(ratio))]
    each = plain[:, best] / improved[:, best]
    what = f"best hour from {DAYLIGHT.start}:00 to {DAYLIGHT.stop}:00, ours {best}:00"
    yield row(PRINTED, "MRE of EFPAG− over EFPAG's", what, each, P1["daylight_factor"])


def _zones(dataset: Dataset, plan: DensityPlan) -> Iterator[Row]:
    """Yield quartiles over zones (figures 10, 11), and for how many the error is small."""
    truth, table, least = density.truth(dataset), "P1, figures 10 and 11", P1["mre_over_l"].value

    def quartiles(release: density.DensityRelease) -> list[Floats]:
        measures = (metrics.mean_relative_error, metrics.pearson)
        return [np.nanquantile(one(truth, release.counts), (0.25, 0.5, 0.75)) for one in measures]

    def small(release: density.DensityRelease) -> float:
        errors = metrics.mean_relative_error(truth, release.counts)
        return float((errors[~np.isnan(errors)] <= least).mean())

    shown = {f"EFPAG, ε = {e:g}": replace(plan.base, epsilon=e) for e in plan.epsilons}
    for setting, parameters in (shown | {"LPA": plan.schemes["LPA"]}).items():
        values = scored(dataset, parameters, plan, quartiles)
        for measure, word in enumerate(("MRE", "PC")):
            for place, share in enumerate(("25%", "50%", "75%")):
                what = f"{word}, {share} of zones"
                yield row(table, what, setting, values[:, measure, place])
    within = scored(dataset, plan.base, plan, small)
    yield row(table, f"share of zones with MRE ≤ {least:g}", "EFPAG", within)
