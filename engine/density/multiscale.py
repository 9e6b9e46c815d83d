"""The method multiscale Gaussian (`multiscale`): one Gaussian mechanism measures up to five tables.

`measure_tables` alone reads counts; `engine.density.multiscale_estimation` estimates from its
results. All constants are public. The tables, their clips c and the share s are those of
`engine.datasets.multiscale_tables`, in units of 1/`WEIGHT_UNITS` but for the visit total.
``docs/density.md`` has the proof, the limitations and the data that shares were chosen on.
"""

import math
from collections.abc import Callable

import numpy as np

from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..datasets.multiscale_tables import WEIGHT_UNITS, MultiscaleClips, MultiscaleTables
from ..parameters import HOURS_PER_WEEK, DensityParameters
from ..privacy_cost import Noise, Norm, PrivacyCost, PrivacyUnit, Query, Stage, simple_cost
from .aggregates import tower_tree
from .gaussian import gdp_mu
from .mechanism import NO_POSITIVE_TOTAL, DensityNoise, DensityRelease
from .multiscale_estimation import NoisyTable, NoisyTables, estimate_visits

MANY_SHARES = {"towers": 0.32, "districts": 0.29, "city": 0.11, "tower_totals": 0.28}
MIDDLE_SHARES = {"towers": 0.2, "districts": 0.2, "city": 0.12, "tower_totals": 0.48}
TOTALS_SHARES = {"towers": 0.084, "districts": 0.076, "city": 0.12, "tower_totals": 0.72}
COARSE_SHARES = {"city": 0.2, "tower_totals": 0.8}
SHARES_BY_RATIO = {-math.inf: COARSE_SHARES, 25.0: MIDDLE_SHARES, 80.0: MANY_SHARES}
FEW_VISITS_SHARES = {-math.inf: COARSE_SHARES, 25.0: TOTALS_SHARES, 300.0: MIDDLE_SHARES}
"""Shares of μ² of the tables that follow the visit total, each set of sum 1, from the least
visits-to-noise ratio on: noisy visits a tower over c/μ. Tables without a share are not measured."""
FEW_VISITS = 5.0
"""Visits are few where c², about the public mean number of visits a person, is below this. With
clearly fewer a person's contribution to the towers' table (entries 0 and 1) is not scaled down,
and data support little beyond the towers' totals."""
MAX_CITY_NOISE = 0.02
"""The city's clip is the largest whose σ is at most this share of the visits in a mean hour."""

AddTableNoise = Callable[[str, Integers, float], Integers | Floats]
"""Adds Gaussian noise to a table, from its name, its whole numbers and the standard deviation."""


def multiscale_release(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> DensityRelease:
    """Return a density from its noisy tables; only ε and δ of the parameters matter."""

    def add_noise(name: str, counts: Integers, sigma: float) -> Floats:
        return counts + sigma * noise[name]

    tables = dataset.multiscale_tables
    noisy = measure_tables(tables, gdp_mu(parameters.epsilon, parameters.delta), add_noise)
    return DensityRelease(
        parameters=parameters,
        counts=dataset.tessellation.overlap.T @ estimate_visits(noisy, tower_tree(dataset)),
        cost=multiscale_cost(parameters, max_visits_cap=tables.max_visits_cap, clips=tables.clips),
        flags=() if noisy.visit_total > 0 else (NO_POSITIVE_TOTAL,),
        visit_total=noisy.visit_total,
    )


def measure_tables(tables: MultiscaleTables, mu: float, add_noise: AddTableNoise) -> NoisyTables:
    """Return the noisy visit total and the noisy tables chosen by it: one μ-GDP mechanism.

    The squares of a person's changes, each table's in units of its σ, add up to at most μ². Of a
    person with n visits the visit total's square is s·(n/K_max)²·μ². Those of the other tables add
    up to at most t²·μ², t² = 1 − s·(n/K_max)²: a person's contributions, each one vector, are
    scaled down to c·t, and the tables' shares add up to 1. The visit total needs no share: people
    with many visits pay for it by less weight elsewhere. This holds for any shares and city clip
    that are chosen from K̂ and public numbers alone (proof in ``docs/density.md``).
    """
    clips = tables.clips
    sigma = visit_total_scale(tables.max_visits_cap, mu, clips)
    visit_total = float(add_noise("visit_total", np.array([tables.visit_total]), sigma)[0])
    shares = choose_shares(visit_total, len(tables.tower_totals), mu, clips)
    clip_index = choose_city_clip(visit_total, mu, clips, shares)

    def measure(name: str, clip_squared: float, counts: Integers) -> NoisyTable:
        sigma = noise_scale(shares[name], clip_squared, mu)
        return NoisyTable(add_noise(name, counts, sigma * WEIGHT_UNITS) / WEIGHT_UNITS, sigma)

    towers, districts = (
        measure(name, clips.clip_squared, counts) if name in shares else None
        for name, counts in (("towers", tables.towers), ("districts", tables.districts))
    )
    return NoisyTables(
        towers=towers,
        districts=districts,
        city=measure("city", clips.city_clips_squared[clip_index], tables.city[clip_index]),
        tower_totals=measure("tower_totals", clips.clip_squared, tables.tower_totals),
        visit_total=visit_total,
    )


def list_shares(clips: MultiscaleClips) -> dict[float, dict[str, float]]:
    """Return the sets of shares by the least ratio of each, ascending; public like the clips."""
    return FEW_VISITS_SHARES if clips.clip_squared < FEW_VISITS else SHARES_BY_RATIO


def choose_shares(
    visit_total: float, tower_count: int, mu: float, clips: MultiscaleClips
) -> dict[str, float]:
    """Return the shares of μ² by table, from the noisy visit total and public numbers alone."""
    ratio = visit_total * mu / (tower_count * math.sqrt(clips.clip_squared))
    return [shares for least, shares in list_shares(clips).items() if ratio >= least][-1]


def choose_city_clip(
    visit_total: float, mu: float, clips: MultiscaleClips, shares: dict[str, float]
) -> int:
    """Return the index of the largest city clip whose noise `MAX_CITY_NOISE` allows, or 0."""
    max_sigma = MAX_CITY_NOISE * visit_total / HOURS_PER_WEEK
    sigmas = [noise_scale(shares["city"], squared, mu) for squared in clips.city_clips_squared]
    return max(sum(sigma <= max_sigma for sigma in sigmas) - 1, 0)  # clips ascend


def noise_scale(share: float, clip_squared: float, mu: float) -> float:
    """Return σ = c/(μ·√share) of a table other than the visit total."""
    return math.sqrt(clip_squared) / (mu * math.sqrt(share))


def visit_total_scale(max_visits_cap: int, mu: float, clips: MultiscaleClips) -> float:
    """Return σ = K_max/(μ·√s) of the visit total; a person with K_max visits pays s·μ² for it."""
    return max_visits_cap / (mu * math.sqrt(clips.visit_total_share))


def multiscale_stages(
    parameters: DensityParameters,
    mu: float,
    max_visits_cap: int,
    clips: MultiscaleClips,
    *,
    visit_total: float = math.inf,
    tower_count: int = 1,
) -> tuple[Stage, ...]:
    """Return one stage for each table, the visit total last.

    A stage's ε and δ are the total ones times the table's share of μ², not the table's own (ε, δ);
    those of the visit total are 0 (see `measure_tables`). Shares and the city's clip are those of a
    noisy visit total; without one those for the most visits, so of the largest city clip.
    """
    epsilon, delta = parameters.epsilon, parameters.delta

    def make_stage(query: Query, sensitivity: float, scale: float, share: float) -> Stage:
        noise, norm = Noise.SHARED_GAUSSIAN, Norm.L2
        return Stage(query, noise, sensitivity, norm, scale, share * epsilon, share * delta)

    shares = choose_shares(visit_total, tower_count, mu, clips)
    city_clip = clips.city_clips_squared[choose_city_clip(visit_total, mu, clips, shares)]
    stages: list[Stage] = []
    for name, share in shares.items():
        squared = city_clip if name == "city" else clips.clip_squared
        scale = noise_scale(share, squared, mu)
        query = Query[f"MULTISCALE_{name.upper()}"]
        stages.append(make_stage(query, math.sqrt(squared), scale, share))
    scale, cap = visit_total_scale(max_visits_cap, mu, clips), float(max_visits_cap)
    return (*stages, make_stage(Query.MULTISCALE_VISIT_TOTAL, cap, scale, 0.0))


def multiscale_cost(
    parameters: DensityParameters, *, max_visits_cap: int, clips: MultiscaleClips, **_public: object
) -> PrivacyCost:
    """Return one stage for each table, and three equal totals: ε at δ."""
    total = parameters.epsilon, parameters.delta
    stages = multiscale_stages(parameters, gdp_mu(*total), max_visits_cap, clips)
    return simple_cost(stages, unit=PrivacyUnit.PERSON_WEEK, total=total)
