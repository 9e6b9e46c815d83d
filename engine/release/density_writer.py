"""Release of a week's density: whole counts with noise from OpenDP, mapped to zones.

`towers_laplace` counts pre-sampled visits by tower and hour, at most ℓ a person. `multiscale` has
five clipped tables in whole multiples of 1/1024, so OpenDP's discrete Gaussian applies directly,
with exact L₂ sensitivity 1024·c. Estimates from noisy tables are post-processing and
may use floats.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np

from .. import validation
from ..arrays import Integers
from ..contract import Setting
from ..datasets import Dataset
from ..datasets.multiscale_tables import WEIGHT_UNITS
from ..density.accounting import RELEASE_EPSILON_RANGE, laplace_cost
from ..density.aggregates import tower_tree
from ..density.multiscale import measure_tables, multiscale_stages
from ..density.multiscale_estimation import NoisyTable, estimate_visits
from ..errors import DatasetError
from ..parameters import HOURS_PER_WEEK, DensityParameters
from ..privacy_cost import Query
from . import opendp_noise
from .bundle import write_density, write_zones
from .plan import (
    CONFIDENCE,
    ROUNDING_MARGIN,
    ErrorBar,
    Progress,
    ReleasePlan,
    Stage,
    laplace_sd,
    normal_bar,
)

HOUR_BAR = -math.log(1 - CONFIDENCE) / math.sqrt(2)  # half-width of one noise, in deviations
WEEK_BAR = normal_bar(math.sqrt(HOURS_PER_WEEK))  # half-width of a week, in deviations of an hour


def plan(setting: Setting, view: Dataset) -> ReleasePlan:
    """Return the contents and cost of a release, from geometry and metadata alone."""
    parameters: DensityParameters = setting.parameters
    is_multiscale = parameters.method == "multiscale"
    towers, cap = len(view.towers), view.metadata.max_visits_cap
    middle = float(np.median(zone_noise_factors(view)))
    fields: dict[str, Any]
    if is_multiscale:
        stages = _stages(parameters, view)
        hour, week = (normal_bar(stage.scale * middle) for stage in (stages[0], stages[3]))
        quantity, bar = f"all visits, at most {cap} of a person", normal_bar(stages[4].scale)
        rows, districts = [ErrorBar(what=quantity, half_width=bar)], _count_districts(view)
        cells = (towers + districts + 1) * HOURS_PER_WEEK + towers + 1
        fields = {"product": "density-zoom", "delta": parameters.delta, "composition": "zCDP"}
        fields |= {
            "limit": cap,
            "matrices": districts,
            "rho": _gaussian_strength(parameters) ** 2 / 2,
        }
    else:
        stages = tuple(map(Stage.from_laplace, laplace_cost(parameters).stages))
        deviation = laplace_sd(stages[0].scale) * middle
        hour, week = (float(zone_error_bars(deviation, width)) for width in (HOUR_BAR, WEEK_BAR))
        half = deviation / math.sqrt(2 * math.pi)  # bounds E max(S, 0) of a zone's noise S
        rows, cells = list[ErrorBar](), towers * HOURS_PER_WEEK
        fields = {"product": "density", "composition": "one mechanism"}
        fields |= {"limit": parameters.max_visits_per_user}
        fields |= {"mean_lift": min(2 * half, half + 0.25)}  # and E ⌊max(S, 0) + ½⌋
    suffix = f"{', as measured' * is_multiscale} (median zone)"
    error_bars = (
        ErrorBar(what=f"a zone in one hour{suffix}", half_width=hour),
        ErrorBar(what=f"a zone over the week{suffix}", half_width=week),
        *rows,
    )
    fields |= {"towers": towers, "cells": cells, "error_bars": error_bars, "total_bar": week}
    return ReleasePlan.from_setting(setting, view, unit="person", stages=stages, **fields)


def prepare(plan: ReleasePlan, view: Dataset) -> None:
    """Read the counts of a release; raise if its tables are missing or do not fit."""
    if not plan.is_own_method:
        view.presampled_by_tower(plan.limit)
        return
    tables = view.multiscale_tables
    if len(tables.districts) != _count_districts(view) or tables.max_visits_cap != plan.limit:
        raise DatasetError(
            f"dataset '{view.id}': its zoom tables do not fit its towers and its cap",
            remedy="build the dataset again from its raw data; nothing was spent",
        )


def write(plan: ReleasePlan, view: Dataset, folder: Path, progress: Progress) -> None:
    """Draw the noise of every count once, and write zones by hour and over the week."""
    hours, weeks = (_release_multiscale if plan.is_own_method else _release_towers)(plan, view)
    progress(0.7)
    write_density(view.zones, hours, folder)
    write_zones(view.zones, weeks, folder)


def _release_towers(plan: ReleasePlan, view: Dataset) -> tuple[dict[str, Any], dict[str, Any]]:
    scale = plan.stages[0].scale
    noisy = opendp_noise.discrete_laplace(view.presampled_by_tower(plan.limit), scale)
    mapped = view.tessellation.overlap.T @ noisy.astype(np.float64)
    counts = np.maximum(np.floor(mapped + 0.5), 0).astype(np.int64)
    week = np.floor(mapped.sum(axis=1) + 0.5).astype(np.int64)
    deviations = laplace_sd(scale) * zone_noise_factors(view)
    bar, bar_week = (
        zone_error_bars(deviations, HOUR_BAR)[:, None],
        zone_error_bars(deviations, WEEK_BAR),
    )
    return (
        {"visits": counts, "low_95": np.maximum(counts - bar, 0), "high_95": counts + bar},
        {"visits": week, "visits_low_95": week - bar_week, "visits_high_95": week + bar_week},
    )


def _release_multiscale(plan: ReleasePlan, view: Dataset) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns by hour and by zone from one draw of all tables."""

    def add(_name: str, counts: Integers, sigma: float) -> Integers:
        return opendp_noise.discrete_gaussian(counts, sigma * ROUNDING_MARGIN)

    noisy = measure_tables(view.multiscale_tables, _gaussian_strength(plan.parameters), add)
    visits, to_zones = estimate_visits(noisy, tower_tree(view)), view.tessellation.overlap.T
    deviations = zone_noise_factors(view)

    def add_bars(table: NoisyTable) -> dict[str, Any]:
        measured = to_zones @ table.values
        bar = (normal_bar(table.sigma) * deviations).reshape(-1, *[1] * (measured.ndim - 1))
        ends = {"measured_low_95": measured - bar, "measured_high_95": measured + bar}
        return {"measured": measured, **ends}

    hours = {"visits": to_zones @ visits, **add_bars(noisy.towers)}
    weeks = {"visits": to_zones @ visits.sum(axis=1), **add_bars(noisy.tower_totals)}
    outwards = {"measured_low_95": np.floor, "measured_high_95": np.ceil}
    return (
        {name: np.round(values, 2) for name, values in hours.items()},
        {name: outwards.get(name, np.rint)(values) for name, values in weeks.items()},
    )


def zone_error_bars(deviations: Any, half_width: float) -> Integers:
    """Return the half-widths of zones' error bars from the deviations of one hour, rounded up."""
    return np.ceil(half_width * deviations + 0.5).astype(np.int64)


def zone_noise_factors(view: Dataset) -> Any:
    """Return √(Σ_j F[j, L]²) of each zone: the factor on the noise of one tower."""
    overlap = view.tessellation.overlap
    return np.sqrt(np.asarray(overlap.multiply(overlap).sum(axis=0), dtype=np.float64).ravel())


def _gaussian_strength(parameters: DensityParameters) -> float:
    """Return μ = √(2ρ) of the parameters; raise if a release cannot have them."""
    validation.check_within(
        "epsilon", parameters.epsilon, RELEASE_EPSILON_RANGE, "0.1 to 2 is usual"
    )
    return opendp_noise.zcdp_strength(parameters.epsilon, parameters.delta)


def _count_districts(view: Dataset) -> int:
    return int(tower_tree(view).districts.max()) + 1


def _stages(parameters: DensityParameters, view: Dataset) -> tuple[Stage, ...]:
    """Return the five noisy counts; the city's clip depends on the noisy visit total.

    The total's share of a person comes off the other tables, so ρ does not grow. The largest city
    clip is listed: ρ is the same for all.
    """
    about, stages = view.metadata, list[Stage]()
    strength = _gaussian_strength(parameters)
    for stage in multiscale_stages(
        parameters, strength, about.max_visits_cap, about.multiscale_clips
    ):
        sigma = stage.noise_scale or math.inf
        step, rho = WEIGHT_UNITS, (stage.sensitivity / sigma) ** 2 / 2
        if stage.query is Query.MULTISCALE_VISIT_TOTAL:
            step, rho = 1, 0.0
        fields = {"scale": sigma * ROUNDING_MARGIN, "rho": rho, "step": step}
        stages.append(
            Stage.from_ledger_stage(stage, noise="discrete Gaussian", norm="L₂", **fields)
        )
    return tuple(stages)
