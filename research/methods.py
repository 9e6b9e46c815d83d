"""Our flows beside the papers', on the same noise; changes told; densities by shares of μ²."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast
from unittest.mock import patch

import numpy as np

from engine import datasets, density, metrics, origin_destination as od
from engine.contract import Selection, Setting, TimeSelection
from engine.datasets import Dataset
from engine.density import multiscale, multiscale_estimation as estimation
from engine.origin_destination import change
from engine.parameters import ODMethod
from engine.utility import compute_utility
from research.rows import Row, row
from research.simulated.catalogue import CITIES
from research.simulated.city import make_city

EPSILONS, DRAWS, DAY = (0.3, 1.0, 3.0), 5, 6
TOWNS = {  # zones, towers, people
    **{"hamlet": (25, 35, 2_500), "town": (70, 100, 25_000), "wide town": (400, 500, 12_000)},
    **{"small city": (100, 130, 90_000), "wide city": (600, 800, 60_000)},
    "city": (150, 200, 250_000),
}
LIMITS = {"trip": (1,), "person-day": (1, 4, 10), "person": (4, 30)}


def rows() -> Iterator[Row]:
    """Yield scores by data, ε and method."""
    for name in datasets.available():
        dataset = datasets.load(name)
        metadata = dataset.metadata
        if metadata.simulated and dataset.has_trips and not metadata.people_once:
            yield from flows(name, dataset)
    yield from home_work({"demo-city-commutes": (1,), "demo-city": (4, 10, 30)})
    for name in ("rwanda-districts", "afghanistan-provinces"):
        yield from changes(name, datasets.load(name))
    for name in ("demo-city", "paris"):
        yield from densities(name, datasets.load(name))
    with TemporaryDirectory() as folder:
        for seed, (name, (zones, towers, people)) in enumerate(TOWNS.items(), start=70):
            size = {"zones": zones, "towers": towers, "people": people, "seed": seed}
            spec = replace(CITIES["demo-city"], name=name, with_trips=False, **size)
            yield from densities(name, make_city(spec, Path(folder) / name))


def densities(name: str, dataset: Dataset, draws: int = DRAWS) -> Iterator[Row]:
    """Yield errors with shares chosen by the noisy number of visits, and with fixed ones."""
    true, clips = density.truth(dataset), dataset.metadata.multiscale_clips
    is_few, busy = clips.clip_squared < multiscale.FEW_VISITS, true.sum(axis=1) >= 100
    fixed = {-math.inf: multiscale.TOTALS_SHARES if is_few else multiscale.MANY_SHARES}
    rules = {
        "fixed": (lambda _clips: fixed, math.inf),
        "chosen": (multiscale.list_shares, estimation.PROJECTION_Z_THRESHOLD),
    }
    for epsilon, (kind, (shares, z)) in product((0.1, *EPSILONS), rules.items()):
        parameters, scored = density.DensityParameters(epsilon=epsilon, method="multiscale"), []
        for draw in range(draws):
            with (
                patch.object(multiscale, "list_shares", shares),
                patch.object(estimation, "PROJECTION_Z_THRESHOLD", z),
            ):
                drawn = density.release(dataset, parameters, rng=np.random.default_rng([7, draw]))
            score, totals = density.scores(true, drawn), drawn.counts.sum(axis=1)
            moved = np.abs(totals - true.sum(axis=1)).sum() / true.sum()
            scored.append((metrics.mean_of_finite(score.error[busy]), moved, score.common_part))
        names = ("mean relative error", "error of zone totals", "common part")
        for what, values in zip(names, zip(*scored, strict=True), strict=True):
            yield row("density", f"{what}: {kind} shares", f"{name}, ε = {epsilon:g}", values)


def flows(name: str, dataset: Dataset) -> Iterator[Row]:
    """Yield mean absolute error and common part of the papers' flows (τ 15 and 0) and of ours."""
    for unit, limits in LIMITS.items():
        if unit == "person" and not dataset.has_person_ranks:
            continue
        whole = unit == "person"
        when = {"days": None if whole else slice(DAY, DAY + 1), "sum_days": whole}
        true = od.truth(dataset, **when)
        for limit in limits:
            for epsilon in EPSILONS:
                plain = od.ODParameters(epsilon=epsilon, max_trips_per_user=limit, unit=unit)
                methods = {
                    "τ = 15": plain,
                    "τ = 0": replace(plain, suppression_threshold=0),
                    "estimate": replace(plain, method="empirical_bayes"),
                }
                scored = {method: [] for method in methods}
                for draw in range(DRAWS):
                    rng = np.random.default_rng(draw)
                    noise = od.draw_noise(dataset, plain, rng=rng, **when)
                    for method, parameters in methods.items():
                        drawn = od.release(dataset, parameters, noise=noise, **when)
                        scored[method].append(od.scores(true, drawn))
                setting = f"{name}, T = {limit}, ε = {epsilon:g}"
                for method, each in scored.items():
                    errors, common = [s.mean_error for s in each], [s.common_part for s in each]
                    yield row(f"flows, {unit}", f"mean absolute error: {method}", setting, errors)
                    yield row(f"flows, {unit}", f"common part: {method}", setting, common)


def home_work(limits: Mapping[str, tuple[int, ...]]) -> Iterator[Row]:
    """Yield the common part of home–work flows and of all trips of the period, at the best T."""
    methods = ("laplace_suppression", 15), ("laplace_suppression", 0), ("empirical_bayes", 15)
    for name, level, epsilon, (method, threshold) in product(
        limits, ("zones", "clusters-30"), (0.1, *EPSILONS), methods
    ):
        dataset, time = datasets.load(name), TimeSelection(aggregation="whole")
        selection = Selection(dataset_id=name, zone_level=level, time=time)
        common: list[float] = []
        for limit in limits[name]:
            parameters = od.ODParameters(
                epsilon=epsilon, max_trips_per_user=limit, suppression_threshold=threshold,
                unit="person", method=cast(ODMethod, method),
            )  # fmt: skip
            setting = Setting(selection=selection, parameters=parameters)
            common.append(compute_utility(setting, dataset, draws=DRAWS).common_part)
        what = f"{name}, {level}: {method}, τ = {threshold}"
        yield row("home–work flows", what, f"ε = {epsilon:g}", max(common))


def changes(name: str, dataset: Dataset) -> Iterator[Row]:
    """Yield what is told between the first and the last three days, and of changes by a fifth."""
    spans = slice(0, 3), slice(4, 7)
    plain = od.ODParameters(epsilon=1.0, max_trips_per_user=4)
    true = [od.truth(dataset, days=days, sum_days=True)[0] for days in spans]
    counts = [od.truncated_matrices(dataset, plain, days=days, sum_days=True)[0] for days in spans]
    half = np.random.default_rng(0).binomial(sum(counts), 0.5)  # no change
    pairs = {"changes": (counts, true), "random split": ([half, sum(counts) - half],) * 2}
    for epsilon, table, strict in product((0.1, 0.5, 1.0, 2.0), pairs, (False, True)):
        at = plain.with_epsilon(epsilon)
        known = change.simulate_power(
            *pairs[table], change.noise_distribution(at), least_shown=at.min_shown_count,
            rng=np.random.default_rng(0), size=100, beyond_chance=strict,
        )  # fmt: skip
        for what, value in known._asdict().items():
            yield row(table + " beyond chance" * strict, what, f"{name}, ε = {epsilon:g}", value)
