"""The method multiscale Gaussian (`multiscale`): one Gaussian mechanism measures five tables once.

`measure_tables` alone reads counts; `engine.density.multiscale_estimation` estimates from its
results. All constants are public. The tables, their clips c and the share s are those of
`engine.datasets.multiscale_tables`. ``docs/density.md`` has the proof and the limitations.
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
from .gaussian import gdp_mu
from .mechanism import NOISE_EXCEEDS_DATA, DensityNoise, DensityRelease
from .multiscale_estimation import NoisyTable, NoisyTables, estimate_visits

TABLE_SHARES = {"towers": 0.32, "districts": 0.29, "city": 0.11, "tower_totals": 0.28}
"""Shares of μ² of the first four tables, of sum 1; the fifth, the visit total, needs none."""
FEW_VISITS_SHARES = {"towers": 0.084, "districts": 0.076, "city": 0.12, "tower_totals": 0.72}
"""The same for people with few visits, whose data support little beyond the towers' totals."""
FEW_VISITS = 5.0
"""Public mean number of visits a person (c²) below which visits are few."""
MAX_CITY_NOISE = 0.02
"""The city's clip is the largest whose σ is at most this share of the visits in a mean hour."""
TABLE_QUERIES = {
    "towers": Query.MULTISCALE_TOWERS,
    "districts": Query.MULTISCALE_DISTRICTS,
    "city": Query.MULTISCALE_CITY,
    "tower_totals": Query.MULTISCALE_TOWER_TOTALS,
}

AddTableNoise = Callable[[str, Integers, float], Integers | Floats]
"""Adds Gaussian noise to a table, from its name, its whole numbers and the standard deviation."""


def multiscale_release(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> DensityRelease:
    """Return a density from five noisy tables; only ε and δ of the parameters matter."""

    def add_noise(name: str, counts: Integers, sigma: float) -> Floats:
        return counts + sigma * noise[name]

    tables = dataset.multiscale_tables
    noisy = measure_tables(tables, gdp_mu(parameters.epsilon, parameters.delta), add_noise)
    return DensityRelease(
        parameters=parameters,
        counts=dataset.tessellation.overlap.T @ estimate_visits(noisy, tower_tree(dataset)),
        cost=multiscale_cost(parameters, max_visits_cap=tables.max_visits_cap, clips=tables.clips),
        flags=() if noisy.visit_total > 0 else (NOISE_EXCEEDS_DATA,),
        visit_total=noisy.visit_total,
    )


def measure_tables(tables: MultiscaleTables, mu: float, add_noise: AddTableNoise) -> NoisyTables:
    """Return the five tables with Gaussian noise: one μ-GDP mechanism.

    The squares of a person's changes, each table's in units of its σ, add up to at most μ². Of a
    person with n visits the visit total's square is s·(n/K_max)²·μ². Those of the other four add up
    to at most t²·μ², t² = 1 − s·(n/K_max)²: the rows are scaled down to c·t, and the tables' shares
    add up to 1. The visit total thus needs no share: people with many visits pay for it by their
    lower weight in the other tables. This holds for any city clip. It is chosen from the noisy
    visit total, and Gaussian mechanisms compose adaptively (Dong, Roth & Su 2022, Theorem 4).
    """
    clips = tables.clips

    def measure(name: str, clip_squared: float, counts: Integers) -> NoisyTable:
        sigma = noise_scale(name, math.sqrt(clip_squared), mu, clips)
        return NoisyTable(add_noise(name, counts, sigma * WEIGHT_UNITS) / WEIGHT_UNITS, sigma)

    sigma = visit_total_scale(tables.max_visits_cap, mu, clips)
    visit_total = float(add_noise("visit_total", np.array([tables.visit_total]), sigma)[0])
    max_city_sigma = MAX_CITY_NOISE * visit_total / HOURS_PER_WEEK
    has_low_noise = [
        noise_scale("city", math.sqrt(clip_squared), mu, clips) <= max_city_sigma
        for clip_squared in clips.city_clips_squared
    ]
    clip_index = max(sum(has_low_noise) - 1, 0)  # clips ascend
    city_clip_squared = clips.city_clips_squared[clip_index]
    return NoisyTables(
        towers=measure("towers", clips.clip_squared, tables.towers),
        districts=measure("districts", clips.clip_squared, tables.districts),
        city=measure("city", city_clip_squared, tables.city[clip_index]),
        tower_totals=measure("tower_totals", clips.clip_squared, tables.tower_totals),
        visit_total=visit_total,
    )


def table_shares(clips: MultiscaleClips) -> dict[str, float]:
    """Return the share of μ² of each of the first four tables; public like the clips."""
    return FEW_VISITS_SHARES if clips.clip_squared < FEW_VISITS else TABLE_SHARES


def noise_scale(name: str, clip: float, mu: float, clips: MultiscaleClips) -> float:
    """Return σ = c/(μ·√share) of one of the first four tables."""
    return float(clip) / (mu * math.sqrt(table_shares(clips)[name]))


def visit_total_scale(max_visits_cap: int, mu: float, clips: MultiscaleClips) -> float:
    """Return σ = K_max/(μ·√s) of the visit total; a person with K_max visits pays s·μ² for it."""
    return max_visits_cap / (mu * math.sqrt(clips.visit_total_share))


def multiscale_stages(
    parameters: DensityParameters,
    mu: float,
    max_visits_cap: int,
    clips: MultiscaleClips = DEFAULT_CLIPS,
) -> tuple[Stage, ...]:
    """Return one stage for each table, the visit total last.

    A stage's ε and δ are the total ones times the table's share of μ², not the table's own (ε, δ);
    those of the visit total are 0 (see `measure_tables`). The city's stage states the largest clip:
    noise is in proportion to the clip.
    """
    epsilon, delta = parameters.epsilon, parameters.delta

    def make_stage(query: Query, sensitivity: float, scale: float, share: float) -> Stage:
        noise, norm = Noise.SHARED_GAUSSIAN, Norm.L2
        return Stage(query, noise, sensitivity, norm, scale, share * epsilon, share * delta)

    stages: list[Stage] = []
    for name, share in table_shares(clips).items():
        clip = math.sqrt(clips.city_clips_squared[-1] if name == "city" else clips.clip_squared)
        scale = noise_scale(name, clip, mu, clips)
        stages.append(make_stage(TABLE_QUERIES[name], clip, scale, share))
    scale, cap = visit_total_scale(max_visits_cap, mu, clips), float(max_visits_cap)
    return (*stages, make_stage(Query.MULTISCALE_VISIT_TOTAL, cap, scale, 0.0))


def multiscale_cost(
    parameters: DensityParameters,
    *,
    max_visits_cap: int,
    clips: MultiscaleClips = DEFAULT_CLIPS,
    **_public: object,
) -> PrivacyCost:
    """Return one stage for each table, and three equal totals: ε at δ."""
    total = parameters.epsilon, parameters.delta
    stages = multiscale_stages(parameters, gdp_mu(*total), max_visits_cap, clips)
    return simple_cost(stages, unit=PrivacyUnit.PERSON_WEEK, total=total)
