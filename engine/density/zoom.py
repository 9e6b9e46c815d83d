"""Our method `zoom`: five tables counted once by one Gaussian mechanism; `reading` reads them.

`measure` is the only step that sees counts. All constants are public, none is read off data;
``docs/density.md`` has the proof and where the method loses.
"""

import math
from collections.abc import Callable

import numpy as np

from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..datasets.zoomtables import USUAL, WEIGHT_UNITS, ZoomClips, ZoomTables
from ..ledger import Kind, Ledger, Noise, Norm, Stage, Unit, simple_ledger
from ..parameters import HOURS_PER_WEEK, DensityParameters
from .aggregates import tower_tree
from .gaussian import gaussian_strength
from .mechanism import NOISE_EXCEEDS_DATA, DensityNoise, DensityRelease
from .reading import NoisyTable, NoisyTables, read

SHARES = {"towers": 0.32, "districts": 0.29, "city": 0.11, "weeks": 0.28}
"""Shares of μ² of the first four tables; they sum to 1. The fifth is ``visits``."""
FEW_SHARES = {"towers": 0.084, "districts": 0.076, "city": 0.12, "weeks": 0.72}
"""Those for people of few visits, below `FEW` (c²): of them little can be told but sizes."""
FEW = 5.0
CITY_NOISE = 0.02
"""The largest noise of the city's table, as a share of the visits in a mean hour, at which a larger
clip is taken."""

Add = Callable[[str, Integers, float], Integers | Floats]
"""Adds Gaussian noise of a standard deviation to the whole numbers of a named table."""


def zoom_release(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> DensityRelease:
    """Measure the five tables once and read them; of the settings only ε and δ have a meaning."""

    def add(name: str, counts: Integers, sigma: float) -> Floats:
        return counts + sigma * noise[name]

    tables = dataset.zoom_tables
    strength = gaussian_strength(parameters.epsilon, parameters.delta)
    noisy = measure(tables, strength, add)
    return DensityRelease(
        parameters=parameters,
        counts=dataset.tessellation.overlap.T @ read(noisy, tower_tree(dataset)),
        ledger=zoom_ledger(parameters, max_visits_cap=tables.max_visits_cap, clips=tables.clips),
        flags=() if noisy.visits > 0 else (NOISE_EXCEEDS_DATA,),
        visits=noisy.visits,
    )


def measure(tables: ZoomTables, strength: float, add: Add) -> NoisyTables:
    """Add Gaussian noise to the five tables: together one μ-GDP mechanism, μ the `strength`.

    The visits come first and the city's clip is chosen from them: Gaussian mechanisms also compose
    so (Dong, Roth & Su 2022, Theorem 4). What a person changes, each table in units of its σ, is
    at most μ in L₂ whatever the clip. All tables but ``visits`` are in units of 1/1024.
    """
    clips = tables.clips

    def noisy(name: str, clip_squared: float, counts: Integers) -> NoisyTable:
        sigma = noise_scale(name, math.sqrt(clip_squared), strength, clips)
        return NoisyTable(add(name, counts, sigma * WEIGHT_UNITS) / WEIGHT_UNITS, sigma)

    sigma = visits_scale(tables.max_visits_cap, strength, clips)
    visits = float(add("visits", np.array([tables.visits]), sigma)[0])
    bearable = CITY_NOISE * visits / HOURS_PER_WEEK
    fits = [noise_scale("city", math.sqrt(c), strength, clips) <= bearable for c in clips.city]
    row = max(sum(fits) - 1, 0)
    return NoisyTables(
        towers=noisy("towers", clips.squared, tables.towers),
        districts=noisy("districts", clips.squared, tables.districts),
        city=noisy("city", clips.city[row], tables.city[row]),
        weeks=noisy("weeks", clips.squared, tables.weeks),
        visits=visits,
    )


def shares_of(clips: ZoomClips) -> dict[str, float]:
    """Return what part of μ² each of the first four tables gets; public like the clips."""
    return FEW_SHARES if clips.squared < FEW else SHARES


def noise_scale(name: str, clip: float, strength: float, clips: ZoomClips) -> float:
    """Return σ = c/(μ·√share) of one of the first four tables."""
    return float(clip) / (strength * math.sqrt(shares_of(clips)[name]))


def visits_scale(max_visits_cap: int, strength: float, clips: ZoomClips) -> float:
    """Return σ = K_max/(μ·√s) of the sum of visits: whom it tells of weighs less elsewhere."""
    return max_visits_cap / (strength * math.sqrt(clips.sum_share))


def zoom_stages(
    parameters: DensityParameters, strength: float, max_visits_cap: int, clips: ZoomClips = USUAL
) -> tuple[Stage, ...]:
    """Return one stage for each table, at μ the `strength`.

    A stage's share is its part of μ² of most people, as a part of ε and δ; no part is the table's
    own ε. The sum of visits takes what it costs from those with many. Of the city's clips the
    largest is stated: the noise is in proportion to the clip.
    """
    epsilon, delta = parameters.epsilon, parameters.delta
    root = math.sqrt(clips.squared)

    def stage(name: str, clip: float, scale: float, share: float) -> Stage:
        law = (Noise.SHARED_GAUSSIAN, clip, Norm.L2, scale)
        return Stage(Kind[f"ZOOM_{name.upper()}"], *law, share * epsilon, share * delta)

    stages: list[Stage] = []
    for name, share in shares_of(clips).items():
        clip = math.sqrt(clips.city[-1]) if name == "city" else root
        stages.append(stage(name, clip, noise_scale(name, clip, strength, clips), share))
    visits = visits_scale(max_visits_cap, strength, clips)
    return (*stages, stage("visits", float(max_visits_cap), visits, 0.0))


def zoom_ledger(
    parameters: DensityParameters,
    *,
    max_visits_cap: int,
    clips: ZoomClips = USUAL,
    **_public: object,
) -> Ledger:
    """Return one stage for each table and one total: published = proved = ε at δ."""
    total = parameters.epsilon, parameters.delta
    stages = zoom_stages(parameters, gaussian_strength(*total), max_visits_cap, clips)
    return simple_ledger(stages, unit=Unit.PERSON_WEEK, total=total)
