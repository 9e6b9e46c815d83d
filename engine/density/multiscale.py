"""The method multiscale Gaussian (`multiscale`): one Gaussian mechanism measures five tables once.

`measure_tables` alone reads counts; `engine.density.multiscale_estimation` estimates from its
results. All constants are public. ``docs/density.md`` has the proof and the limitations.
"""

import math
from collections.abc import Callable

import numpy as np

from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..datasets.multiscale_tables import (
    DEFAULT_CLIPS,
    WEIGHT_UNITS,
    MultiscaleClips,
    MultiscaleTables,
)
from ..parameters import HOURS_PER_WEEK, DensityParameters
from ..privacy_cost import Noise, Norm, PrivacyCost, PrivacyUnit, Query, Stage, simple_cost
from .aggregates import tower_tree
from .gaussian import gaussian_strength
from .mechanism import NOISE_EXCEEDS_DATA, DensityNoise, DensityRelease
from .multiscale_estimation import NoisyTable, NoisyTables, estimate_visits

TABLE_SHARES = {"towers": 0.32, "districts": 0.29, "city": 0.11, "weeks": 0.28}
"""Shares of μ² of the first four tables, of sum 1. The fifth table is ``visits``."""
FEW_VISITS_SHARES = {"towers": 0.084, "districts": 0.076, "city": 0.12, "weeks": 0.72}
"""Shares for c² below `FEW_VISITS`, where the data support little beyond the towers' sizes."""
FEW_VISITS = 5.0
CITY_NOISE = 0.02
"""The city's clip is the largest whose noise is at most this share of the visits in a mean hour."""

AddTableNoise = Callable[[str, Integers, float], Integers | Floats]
"""Adds Gaussian noise of a standard deviation to the whole numbers of a named table."""


def multiscale_release(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> DensityRelease:
    """Return a density from five noisy tables; only ε and δ of the parameters matter."""

    def add(name: str, counts: Integers, sigma: float) -> Floats:
        return counts + sigma * noise[name]

    tables = dataset.multiscale_tables
    strength = gaussian_strength(parameters.epsilon, parameters.delta)
    noisy = measure_tables(tables, strength, add)
    return DensityRelease(
        parameters=parameters,
        counts=dataset.tessellation.overlap.T @ estimate_visits(noisy, tower_tree(dataset)),
        cost=multiscale_cost(parameters, max_visits_cap=tables.max_visits_cap, clips=tables.clips),
        flags=() if noisy.visit_total > 0 else (NOISE_EXCEEDS_DATA,),
        visit_total=noisy.visit_total,
    )


def measure_tables(tables: MultiscaleTables, strength: float, add: AddTableNoise) -> NoisyTables:
    """Return the five tables with Gaussian noise: one μ-GDP mechanism, μ the `strength`.

    The city's clip is chosen from the noisy visits: Gaussian mechanisms also compose adaptively
    (Dong, Roth & Su 2022, Theorem 4). A person's change, each table in units of its σ, is at most μ
    in L₂ whatever the clip. All tables but ``visits`` are in units of 1/1024.
    """
    clips = tables.clips

    def noisy(name: str, clip_squared: float, counts: Integers) -> NoisyTable:
        sigma = noise_scale(name, math.sqrt(clip_squared), strength, clips)
        return NoisyTable(add(name, counts, sigma * WEIGHT_UNITS) / WEIGHT_UNITS, sigma)

    sigma = visit_total_scale(tables.max_visits_cap, strength, clips)
    visits = float(add("visits", np.array([tables.visits]), sigma)[0])
    bearable = CITY_NOISE * visits / HOURS_PER_WEEK
    fits = [
        noise_scale("city", math.sqrt(c), strength, clips) <= bearable
        for c in clips.city_clips_squared
    ]
    row = max(sum(fits) - 1, 0)
    return NoisyTables(
        towers=noisy("towers", clips.clip_squared, tables.towers),
        districts=noisy("districts", clips.clip_squared, tables.districts),
        city=noisy("city", clips.city_clips_squared[row], tables.city[row]),
        weeks=noisy("weeks", clips.clip_squared, tables.weeks),
        visit_total=visits,
    )


def table_shares(clips: MultiscaleClips) -> dict[str, float]:
    """Return the share of μ² of each of the first four tables; public like the clips."""
    return FEW_VISITS_SHARES if clips.clip_squared < FEW_VISITS else TABLE_SHARES


def noise_scale(name: str, clip: float, strength: float, clips: MultiscaleClips) -> float:
    """Return σ = c/(μ·√share) of one of the first four tables."""
    return float(clip) / (strength * math.sqrt(table_shares(clips)[name]))


def visit_total_scale(max_visits_cap: int, strength: float, clips: MultiscaleClips) -> float:
    """Return σ = K_max/(μ·√s) of the visit total, s its share of μ² for K_max visits."""
    return max_visits_cap / (strength * math.sqrt(clips.sum_share))


def multiscale_stages(
    parameters: DensityParameters,
    strength: float,
    max_visits_cap: int,
    clips: MultiscaleClips = DEFAULT_CLIPS,
) -> tuple[Stage, ...]:
    """Return one stage for each table, at μ the `strength`.

    A stage's share is its part of μ² of most people, as a part of ε and δ; it is not the table's
    own ε. The sum of visits takes its share from people with many visits. The largest city clip is
    stated: noise is in proportion to the clip.
    """
    epsilon, delta = parameters.epsilon, parameters.delta
    root = math.sqrt(clips.clip_squared)

    def stage(name: str, clip: float, scale: float, share: float) -> Stage:
        law = (Noise.SHARED_GAUSSIAN, clip, Norm.L2, scale)
        return Stage(Query[f"ZOOM_{name.upper()}"], *law, share * epsilon, share * delta)

    stages: list[Stage] = []
    for name, share in table_shares(clips).items():
        clip = math.sqrt(clips.city_clips_squared[-1]) if name == "city" else root
        stages.append(stage(name, clip, noise_scale(name, clip, strength, clips), share))
    visits = visit_total_scale(max_visits_cap, strength, clips)
    return (*stages, stage("visits", float(max_visits_cap), visits, 0.0))


def multiscale_cost(
    parameters: DensityParameters,
    *,
    max_visits_cap: int,
    clips: MultiscaleClips = DEFAULT_CLIPS,
    **_public: object,
) -> PrivacyCost:
    """Return one stage for each table and one total: published = proved = ε at δ."""
    total = parameters.epsilon, parameters.delta
    stages = multiscale_stages(parameters, gaussian_strength(*total), max_visits_cap, clips)
    return simple_cost(stages, unit=PrivacyUnit.PERSON_WEEK, total=total)
