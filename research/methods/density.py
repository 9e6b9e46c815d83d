"""`zoom` against the published schemes at equal proved ε and δ."""

import itertools
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np

from engine import density, metrics
from engine.arrays import Floats
from engine.datasets.zoomtables import CITY_CLIPS_SQUARED, CLIP_SQUARED
from engine.density.mechanism import zoom_release
from engine.density.zoom.measure import DEFAULTS, TABLES, ZoomConstants
from research.methods.density_cases import Case, bikes, new_cities, shipped
from research.rows import Row, row

EPSILONS = (0.1, 0.3, 1.0, 2.0)
DELTA = 1e-7
SEEDS = 20
KEPT = (10, 30, 60, 168)
HOURS_MOVED = range(4, 168, 28)
"""Hours whose earth mover's distance is averaged: each day but one, by night and by day."""
SEEDS_MOVED = 5
SEEDS_CONSTANTS = 5


def rows() -> Iterator[Row]:
    """Yield scores by data, ε and setting, the rule for ℓ, and constants changed."""
    cases = [*shipped(), *new_cities(), *bikes()]
    for case in cases:
        for epsilon in EPSILONS:
            setting = f"{case.name}, ε = {epsilon:g}"
            for method, scores in measured(case, epsilon).items():
                for what, values in zip(("MRE", "Pearson r", "EMD, m"), scores.T, strict=True):
                    yield row("zoom and published", f"{what}: {method}", setting, values)
            kept = density.suggested_max_visits()
            parameters = density.DensityParameters(
                epsilon=epsilon, delta=DELTA, max_visits_per_user=kept, gaussian="analytic"
            )
            size = case.data.tessellation.cover_size
            fair = density.at_equal_proved_epsilon(parameters, epsilon, size)
            error = scored(case, fair, moved=0)[:, 0]
            yield row("ℓ by the rule", f"MRE: ℓ {kept}, analytic", setting, error)
    for case in cases:
        if case.name != "paris":
            yield from constants(case)


def measured(case: Case, epsilon: float) -> dict[str, Floats]:
    """Return scores by method, shape (seeds, 3): MRE, Pearson r and EMD in metres."""
    parameters = density.DensityParameters(epsilon=epsilon, delta=DELTA)
    scores = {"zoom": scored(case, replace(parameters, method="zoom"))}
    size = case.data.tessellation.cover_size
    for kept in KEPT:
        for gaussian in ("classical", "analytic"):
            published = replace(parameters, max_visits_per_user=kept, gaussian=gaussian)
            fair = density.at_equal_proved_epsilon(published, epsilon, size)
            scores[f"ℓ {kept}, {gaussian}"] = scored(case, fair)
    return scores


def scored(
    case: Case,
    parameters: density.DensityParameters,
    constants: ZoomConstants | None = None,
    *,
    seeds: int = SEEDS,
    moved: int = SEEDS_MOVED,
) -> Floats:
    rows = []
    truth, busy = case.truth, case.busy
    hours = list(HOURS_MOVED)
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        noise = density.DensityNoise.draw(rng, case.data, parameters.method)
        if constants is None:
            counts = density.release(case.data, parameters, noise=noise).counts
        else:
            counts = zoom_release(case.data, parameters, noise, constants).counts
        error = metrics.mean_relative_error(truth[busy], counts[busy])
        rhythm = metrics.pearson(truth[busy], counts[busy])
        distance = np.nan
        if seed < moved:
            distances = metrics.earth_movers_distance(
                truth[:, hours], counts[:, hours], case.data.tessellation.zone_distances_m
            )
            distance = metrics.mean_of_known(distances)
        rows.append((metrics.mean_of_known(error), metrics.mean_of_known(rhythm), distance))
    return np.array(rows)


def constants(case: Case) -> Iterator[Row]:
    """Yield by how much MRE changes with each constant by itself; negative is better.

    Shares of μ² are halved or doubled and the others scaled so that all add up to 1.
    """
    settings = [
        density.DensityParameters(epsilon=e, delta=DELTA, method="zoom") for e in (0.3, 1.0)
    ]

    def errors(case: Case, constants: ZoomConstants) -> list[float]:
        return [
            metrics.mean_of_known(scored(case, p, constants, seeds=SEEDS_CONSTANTS, moved=0)[:, 0])
            for p in settings
        ]

    usual = errors(case, DEFAULTS)
    changed = ((name, case, constants) for name, constants in varied())
    if case.recount is not None:
        recounted = ((name, case.recount(**clips), DEFAULTS) for name, clips in varied_clips())
        changed = itertools.chain(changed, recounted)
    for name, data, constants_ in changed:
        for p, new, old in zip(settings, errors(data, constants_), usual, strict=True):
            setting = f"{case.name}, ε = {p.epsilon:g}"
            yield row("constants, change of MRE", name, setting, new / old - 1)


def varied_clips() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what is fixed at ingest, halved and doubled."""
    for factor, word in ((0.5, "half"), (2.0, "double")):
        square = factor**2
        yield f"c of towers, districts and weeks, {word}", {"clip_squared": CLIP_SQUARED * square}
        clips = tuple(clip * square for clip in CITY_CLIPS_SQUARED)
        yield f"the city's clips, {word}", {"city_clips_squared": clips}


def varied() -> Iterator[tuple[str, ZoomConstants]]:
    """Yield every constant of reading and the shares, halved and doubled."""
    for factor, word in ((0.5, "half"), (2.0, "double")):
        for index, table_name in enumerate(TABLES[:-1]):
            shares = list(DEFAULTS.shares)
            shares[index] *= factor
            rest = (1 - shares[index]) / (1 - DEFAULTS.shares[index])
            shares = [s if i == index else s * rest for i, s in enumerate(shares)]
            yield f"share of {table_name}, {word}", replace(DEFAULTS, shares=tuple(shares))
        for field in fields(DEFAULTS):
            value = getattr(DEFAULTS, field.name)
            if field.name == "shares":
                continue
            if field.name == "region_level":
                value += 1 if factor > 1 else -1
            else:
                value *= factor
            yield f"`{field.name}` = {value:g} ({word})", replace(DEFAULTS, **{field.name: value})
