"""P1's figures 6 to 11 and the numbers of its §5 and §6, beside ours."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine import density
from engine.arrays import Floats
from engine.datasets import Dataset
from research.reproduction import causes
from research.reproduction import density as measured
from research.reproduction.density import DAYLIGHT, DensityPlan, Key, Utility
from research.reproduction.published import P1
from research.rows import Row, Spread, row

PRINTED = "P1, numbers"


def rows(dataset: Dataset, plan: DensityPlan) -> Iterator[Row]:
    """Yield everything of P1 that is built."""
    sizes = causes.sizes(dataset, plan)
    named = measured.schemes(plan.base)
    explaining = {
        "without noise": measured.without_noise(plan.base),
        "noise as large beside our counts as P1's": measured.scaled_to_p1(
            plan, sizes.zone_mean_sampled
        ),
        "LPA on towers": replace(plan.base, method="towers_laplace"),
        "no scaling": replace(plan.base, scaling=False),
        "no smoothing": replace(plan.base, smoothing=False),
    }
    keyed = {(name, plan.max_visits, plan.epsilon): one for name, one in explaining.items()}
    curves = measured.curves(dataset, plan) | measured.measure(dataset, keyed, plan)
    yield from _printed(curves, plan)
    yield from _sizes(dataset, plan, sizes)
    for (name, kept, epsilon), utility in curves.items():
        setting = f"{name}, ℓ = {kept}, ε = {epsilon:g}"
        yield row("P1, figures 7 and 8", "MRE", setting, Spread.of(utility.mean_relative_error))
        yield row("P1, figures 7 and 8", "PC", setting, Spread.of(utility.pearson))
    yield from _totals(dataset, plan)
    yield from _hours(dataset, plan, named)
    for name, settings in {**named, "without noise": explaining["without noise"]}.items():
        if name in ("LPA", "EFPA", "EFPAG", "EFPAG, one k", "without noise"):
            distance = Spread.of(measured.distances(dataset, settings, plan))
            published = P1.get(f"{name.lower()}_emd")
            yield row("P1, figure 9b", "earth mover's distance, m", name, distance, published)
    yield from _zones(dataset, plan, named)
    yield from _causes(dataset, plan, named)


def _printed(curves: dict[Key, Utility], plan: DensityPlan) -> Iterator[Row]:
    def at(name: str, kept: int = plan.max_visits) -> Utility:
        return curves[name, kept, plan.epsilon]

    def less(one: str, other: str, measure: str, epsilons: tuple[float, ...]) -> Spread:
        """Return the difference of two schemes averaged over ε, repeat by repeat."""
        first, second = (
            np.array([getattr(curves[name, plan.max_visits, e], measure) for e in epsilons])
            for name in (one, other)
        )
        return Spread.of((first - second).mean(axis=0))

    for name in ("LPA", "EFPAG"):
        error, rhythm = P1[f"{name.lower()}_mre"], P1[f"{name.lower()}_pearson"]
        yield row(PRINTED, "MRE", name, Spread.of(at(name).mean_relative_error), error)
        yield row(PRINTED, "PC", name, Spread.of(at(name).pearson), rhythm)
    for kept in plan.max_visits_shown:
        setting, utility = f"EFPAG, ℓ = {kept}", at("EFPAG", kept)
        error = Spread.of(utility.mean_relative_error)
        yield row(PRINTED, "MRE", setting, error, P1["mre_over_l"])
        yield row(PRINTED, "PC", setting, Spread.of(utility.pearson), P1["pearson_over_l"])
    every, small = plan.epsilons, plan.epsilons[:2]
    for measure, word, short in (
        ("mean_relative_error", "MRE", "mre"),
        ("pearson", "PC", "pearson"),
    ):
        difference = less("EFPAG", "EFPA", measure, every)
        printed = P1[f"efpag_less_efpa_{short}"]
        yield row(PRINTED, f"{word}, mean over ε", "EFPAG less EFPA", difference, printed)
        same = less("EFPAG", "EFPA, τ of EFPAG", measure, every)
        yield row("P1, causes", f"{word}, mean over ε", "EFPAG less EFPA, one τ for both", same)
    improved = less("EFPAG", "EFPAG−", "mean_relative_error", every)
    yield row(PRINTED, "MRE, mean over ε", "scaling and smoothing", improved, P1["improved_mre"])
    rhythm = less("EFPAG", "EFPAG−", "pearson", small)
    setting = f"scaling and smoothing, ε of {' and '.join(f'{e:g}' for e in small)}"
    yield row(PRINTED, "PC", setting, rhythm, P1["improved_pearson"])
    laplace = less("EFPA", "EFPA−", "mean_relative_error", every)
    yield row("P1, causes", "MRE, mean over ε", "scaling and smoothing, with EFPA", laplace)


def _sizes(dataset: Dataset, plan: DensityPlan, sizes: causes.Sizes) -> Iterator[Row]:
    sampled = f"ℓ = {plan.max_visits}"
    mean = "mean visits an hour"
    yield row(PRINTED, mean, f"zones, {sampled}", sizes.zone_mean_sampled, P1["zone_mean"])
    yield row(PRINTED, mean, f"cover, {sampled}", sizes.cover_mean_sampled, P1["cover_mean"])
    yield row("P1, causes", mean, "zones, all visits", sizes.zone_mean)
    yield row("P1, causes", "cells of the cover", "towers", sizes.cover_towers)
    yield row("P1, causes", "cells of the cover", "zones", sizes.cover_zones)
    stage = density.ledger(
        plan.base.at(plan.epsilon, "lpa"),
        cover_size=sizes.cover,
        max_visits_cap=dataset.metadata.max_visits_cap,
    ).stages[0]
    noise = math.sqrt(2) * (stage.noise_scale or math.nan)
    yield row(PRINTED, "standard deviation of the noise, visits", "LPA", noise, P1["lpa_noise"])
    errors = Spread.of(measured.visits_errors(dataset, plan))
    printed = P1["visits_error"]
    one = row(PRINTED, "|K − K̂|/K", "EFPAG", errors, printed)
    yield replace(one, within=errors.mean < printed.value)  # printed as "below"


def _totals(dataset: Dataset, plan: DensityPlan) -> Iterator[Row]:
    for epsilon, errors in measured.totals_errors(dataset, plan).items():
        for what, values in (
            ("shares, sampled (6a)", errors.shares),
            ("totals, sampled (6b)", errors.totals),
            ("totals, without sampling", errors.unsampled),
        ):
            yield row(
                "P1, figure 6", f"MRE over towers of {what}", f"ε = {epsilon:g}", Spread.of(values)
            )


def _hours(
    dataset: Dataset, plan: DensityPlan, named: dict[str, density.DensityParameters]
) -> Iterator[Row]:
    improved, plain = (
        measured.errors_by_hour(dataset, named[name], plan).reshape(-1, 7, 24).mean(axis=1)
        for name in ("EFPAG", "EFPAG−")
    )
    for hour in range(24):
        for name, values in (("EFPAG", improved), ("EFPAG−", plain)):
            yield row("P1, figure 9a", f"MRE at {hour:02d}:00", name, Spread.of(values[:, hour]))
    hours = list(DAYLIGHT)
    ratio = plain[:, hours].mean(axis=0) / improved[:, hours].mean(axis=0)
    best = hours[int(np.argmax(ratio))]
    each = Spread.of(plain[:, best] / improved[:, best])
    what = f"best hour from {DAYLIGHT.start}:00 to {DAYLIGHT.stop}:00, ours {best}:00"
    yield row(PRINTED, "MRE of EFPAG− over EFPAG's", what, each, P1["daylight_factor"])


def _zones(
    dataset: Dataset, plan: DensityPlan, named: dict[str, density.DensityParameters]
) -> Iterator[Row]:
    shown = {f"EFPAG, ε = {e:g}": replace(plan.base, epsilon=e) for e in plan.epsilons}
    for setting, parameters in {**shown, "LPA": named["LPA"]}.items():
        quartiles: tuple[Floats, Floats] = measured.zone_quartiles(dataset, parameters, plan)
        for word, values in zip(("MRE", "PC"), quartiles, strict=True):
            for place, share in enumerate(("25%", "50%", "75%")):
                what = f"{word}, {share} of zones"
                yield row("P1, figures 10 and 11", what, setting, Spread.of(values[:, place]))
    least = P1["mre_over_l"].value
    within = measured.share_of_zones_within(dataset, plan.base, plan, least)
    yield row("P1, figures 10 and 11", f"share of zones with MRE ≤ {least:g}", "EFPAG", within)


def _causes(
    dataset: Dataset, plan: DensityPlan, named: dict[str, density.DensityParameters]
) -> Iterator[Row]:
    clipping = causes.clipping(dataset, plan)
    for what, ours in (
        ("share of MRE from the quietest tenth of zones", clipping.quietest_share),
        ("MRE without the quietest tenth of zones", clipping.without_quietest),
        ("visits invented by clipping at 0, share", clipping.invented),
        ("earth mover's distance of the mean of all releases, m", clipping.distance_of_mean_m),
    ):
        yield row("P1, causes", what, "LPA", ours)
    for name in ("EFPAG", "EFPA"):
        yield row(
            "P1, causes", "clusters", name, Spread.of(measured.clusters(dataset, named[name], plan))
        )
        yield row(
            "P1, causes",
            "least visits of a cluster (τ)",
            name,
            density.default_cluster_minimum(named[name]),
        )
    for label, weeks in causes.weeks(dataset, plan).items():
        for what, spread in vars(weeks).items():
            yield row("P1, weeks of the towers altered", what.replace("_", " "), label, spread)
