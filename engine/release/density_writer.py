"""Release of a week's density of visits: whole counts with noise from OpenDP, mapped to zones.

*Towers* are the places where visits are recorded; the public matrix F (`overlap`) holds the share
of each tower's area that lies in each zone. `towers_laplace` counts visits by tower and hour, at
most ℓ a person, chosen at random. `multiscale` weighs a person's visits so that each of its tables
(number of visits, city by hour, towers by week; with enough visits towers and districts by hour)
has an L₂ norm of at most its clip c. Weights are whole multiples of 1/1024, so that discrete
Gaussian noise of exact sensitivity 1024·c applies. Estimates from noisy tables are post-processing
and may use floats.
"""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri

from .. import validation
from ..arrays import Integers
from ..contract import Setting
from ..datasets import Dataset
from ..datasets.multiscale_tables import WEIGHT_UNITS
from ..density import multiscale
from ..density.accounting import RELEASE_EPSILON_RANGE, laplace_cost
from ..density.aggregates import tower_tree
from ..density.multiscale_estimation import NoisyTable, estimate_visits
from ..errors import DatasetError
from ..origin_destination.noise_bounds import noise_variance
from ..parameters import HOURS_PER_WEEK, DensityParameters
from ..privacy_cost import Query
from . import opendp_noise
from .bundle import write_density, write_zones
from .plan import CONFIDENCE, ROUNDING_MARGIN, ErrorBar, Progress, ReleasePlan, ReleaseStage


def normal_bar(standard_deviation: float) -> float:
    """Return the bar of normally distributed noise, such as that of a sum of many counts."""
    return float(ndtri((1 + CONFIDENCE) / 2) * standard_deviation)


HOUR_BAR = -math.log(1 - CONFIDENCE) / math.sqrt(2)
WEEK_BAR = normal_bar(math.sqrt(HOURS_PER_WEEK))
"""Bars of a zone's hour and week over the standard deviation of an hour's noise: of one tower's
Laplace noise, which a sum of towers' exceeds less often, and of 168 hours, nearly normal."""


def plan(setting: Setting, view: Dataset) -> ReleasePlan:
    """Return the contents and cost of a release, from geometry and metadata alone."""
    parameters: DensityParameters = setting.parameters
    towers = len(view.towers)
    fields: dict[str, Any]
    if parameters.method == "multiscale":
        fields = {"product": "density-zoom", "delta": parameters.delta, "composition": "zCDP"}
        fields |= {"contribution_limit": view.metadata.max_visits_cap, "tower_count": towers}
        fields |= {"district_count": int(tower_tree(view).districts.max()) + 1}
        fields |= {"rho": _release_mu(parameters) ** 2 / 2}
        fields |= _describe_tables(parameters, view)
    else:
        median_factor = float(np.median(zone_noise_factors(view)))
        stages = tuple(map(ReleaseStage.from_laplace, laplace_cost(parameters).stages))
        deviation = math.sqrt(noise_variance(1 / stages[0].scale)) * median_factor
        hour, week = (float(zone_error_bars(deviation, bar)) for bar in (HOUR_BAR, WEEK_BAR))
        # E max(S, 0) = E|S|/2 of a zone's noise S is at most that of normal noise, since S is
        # infinitely divisible (docs/release.md); its double or + ¼ bounds E ⌊max(S, 0) + ½⌋
        positive_mean = deviation / math.sqrt(2 * math.pi)
        error_bars = (
            ErrorBar(quantity="a zone in one hour (median zone)", half_width=hour),
            ErrorBar(quantity="a zone over the week (median zone)", half_width=week),
        )
        fields = {"product": "density", "composition": "one mechanism"}
        fields |= {"contribution_limit": parameters.max_visits_per_user, "tower_count": towers}
        fields |= {"cell_count": towers * HOURS_PER_WEEK, "zone_total_bar": week}
        fields |= {"empty_count_bias": min(2 * positive_mean, positive_mean + 0.25)}
        fields |= {"error_bars": error_bars, "stages": stages}
    return ReleasePlan.from_setting(setting, view, unit="person", **fields)


def load_counts(plan: ReleasePlan, view: Dataset) -> None:
    """Read the counts of a release once; raise if tables are missing or of another version."""
    if not plan.has_estimates:
        view.presampled_by_tower(plan.contribution_limit)
        return
    tables, limit = view.multiscale_tables, plan.contribution_limit
    if (len(tables.districts), tables.max_visits_cap) != (plan.district_count, limit):
        raise DatasetError(
            f"dataset '{view.id}': the multiscale tables must be of {plan.district_count} "
            f"districts and at most {limit} visits of a person",
            value=f"{len(tables.districts)} districts, {tables.max_visits_cap} visits",
            remedy="build the dataset again from its raw data; nothing was spent",
        )


def write(plan: ReleasePlan, view: Dataset, folder: Path, progress: Progress) -> ReleasePlan:
    """Write zones by hour and over the week from one draw; return the plan of what was drawn."""
    if plan.has_estimates:
        hour_columns, week_columns, visit_total = _draw_multiscale(plan, view)
        plan = replace(plan, **_describe_tables(plan.parameters, view, visit_total))
    else:
        hour_columns, week_columns = _draw_towers(plan, view)
    progress(0.7)
    write_density(view.zones, hour_columns, folder)
    write_zones(view.zones, week_columns, folder)
    return plan


def _draw_towers(plan: ReleasePlan, view: Dataset) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns by hour and by zone from one draw of visits by tower and hour."""
    scale = plan.stages[0].scale
    noisy = opendp_noise.discrete_laplace(view.presampled_by_tower(plan.contribution_limit), scale)
    zone_visits = view.tessellation.overlap.T @ noisy.astype(np.float64)
    counts = np.maximum(np.floor(zone_visits + 0.5), 0).astype(np.int64)
    week = np.floor(zone_visits.sum(axis=1) + 0.5).astype(np.int64)
    deviations = math.sqrt(noise_variance(1 / scale)) * zone_noise_factors(view)
    bars, week_bars = (zone_error_bars(deviations, bar) for bar in (HOUR_BAR, WEEK_BAR))
    low, high = np.maximum(counts - bars[:, None], 0), counts + bars[:, None]
    return (
        {"visits": counts, "low_95": low, "high_95": high},
        {"visits": week, "visits_low_95": week - week_bars, "visits_high_95": week + week_bars},
    )


def _draw_multiscale(
    plan: ReleasePlan, view: Dataset
) -> tuple[dict[str, Any], dict[str, Any], float]:
    """Return the columns by hour and by zone, and the noisy visit total, from one draw."""

    def add_noise(_name: str, counts: Integers, sigma: float) -> Integers:
        return opendp_noise.discrete_gaussian(counts, sigma * ROUNDING_MARGIN)

    noisy = multiscale.measure_tables(
        view.multiscale_tables, _release_mu(plan.parameters), add_noise
    )
    visits, to_zones = estimate_visits(noisy, tower_tree(view)), view.tessellation.overlap.T
    deviations = zone_noise_factors(view)

    def map_with_bars(table: NoisyTable) -> dict[str, Any]:
        measured = to_zones @ table.values
        bar = (normal_bar(table.sigma) * deviations).reshape(-1, *[1] * (measured.ndim - 1))
        ends = {"measured_low_95": measured - bar, "measured_high_95": measured + bar}
        return {"measured": measured, **ends}

    hours = {"visits": to_zones @ visits}
    hours |= map_with_bars(noisy.towers) if noisy.towers else {}
    weeks = {"visits": to_zones @ visits.sum(axis=1), **map_with_bars(noisy.tower_totals)}
    round_outwards = {"measured_low_95": np.floor, "measured_high_95": np.ceil}
    return (
        {name: np.round(values, 2) for name, values in hours.items()},
        {name: round_outwards.get(name, np.rint)(values) for name, values in weeks.items()},
        noisy.visit_total,
    )


def zone_error_bars(deviations: Any, bar: float) -> Integers:
    """Return bars of zones' rounded numbers: the factor `bar` on an hour's standard deviations."""
    return np.ceil(bar * deviations + 0.5).astype(np.int64)


def zone_noise_factors(view: Dataset) -> Any:
    """Return √(Σ_j F[j, L]²) of each zone L: its noise in units of the noise of one tower j."""
    overlap = view.tessellation.overlap
    return np.sqrt(np.asarray(overlap.multiply(overlap).sum(axis=0), dtype=np.float64).ravel())


def _release_mu(parameters: DensityParameters) -> float:
    """Return μ = √(2ρ), Gaussian sensitivity over σ, at ε and δ; raise if ε suits no release."""
    usual = "0.1 to 2 is usual"
    validation.check_within("epsilon", parameters.epsilon, RELEASE_EPSILON_RANGE, usual)
    return opendp_noise.zcdp_mu(parameters.epsilon, parameters.delta)


def _describe_tables(
    parameters: DensityParameters, view: Dataset, visit_total: float = math.inf
) -> dict[str, Any]:
    """Return the fields of a plan that follow from the noisy visit total of multiscale.

    Before it is drawn the stages are those for the most visits, and each bar is the largest that
    any visit total leads to.
    """
    clips, mu, towers = view.metadata.multiscale_clips, _release_mu(parameters), len(view.towers)
    stages = _build_stages(parameters, view, visit_total)
    share_sets, suffix = [multiscale.choose_shares(visit_total, towers, mu, clips)], "(median zone)"
    if math.isinf(visit_total):
        share_sets, suffix = [*multiscale.list_shares(clips).values()], "(median zone), at most"
    error_bars: list[ErrorBar] = []
    for name, part in (("towers", "in one hour"), ("tower_totals", "over the week")):
        if shares := [shares[name] for shares in share_sets if name in shares]:
            sigma = multiscale.noise_scale(min(shares), clips.clip_squared, mu) * ROUNDING_MARGIN
            bar = normal_bar(sigma * float(np.median(zone_noise_factors(view))))
            quantity = f"a zone {part}, as measured {suffix}"
            error_bars.append(ErrorBar(quantity=quantity, half_width=bar))
    quantity = f"all visits, at most {view.metadata.max_visits_cap} of a person (in no file)"
    visits_bar = ErrorBar(quantity=quantity, half_width=normal_bar(stages[-1].scale))
    rows = 1 + (towers + int(tower_tree(view).districts.max()) + 1) * (len(stages) == 5)
    return {
        "stages": stages,
        "error_bars": (*error_bars, visits_bar),
        "zone_total_bar": error_bars[-1].half_width,
        "cell_count": rows * HOURS_PER_WEEK + towers + 1,
    }


def _build_stages(
    parameters: DensityParameters, view: Dataset, visit_total: float
) -> tuple[ReleaseStage, ...]:
    """Return the stages that a noisy visit total leads to.

    The number of visits is listed with ρ = 0 but is not free: a person with v visits uses a part of
    ρ here, which grows with v, and the person's weights in the other tables shrink so that all
    parts stay within ρ. It has noise in whole visits, the other tables in 1/`WEIGHT_UNITS`.
    """
    cap, clips = view.metadata.max_visits_cap, view.metadata.multiscale_clips
    public, towers = (parameters, _release_mu(parameters), cap, clips), len(view.towers)
    stages: list[ReleaseStage] = []
    for stage in multiscale.multiscale_stages(*public, visit_total=visit_total, tower_count=towers):
        sigma = stage.noise_scale or math.inf
        units_per_count, rho = WEIGHT_UNITS, (stage.sensitivity / sigma) ** 2 / 2
        if stage.query is Query.MULTISCALE_VISIT_TOTAL:
            units_per_count, rho = 1, 0.0
        fields = {"scale": sigma * ROUNDING_MARGIN, "rho": rho, "units_per_count": units_per_count}
        fields |= {"noise": "discrete Gaussian", "norm": "L₂"}
        stages.append(ReleaseStage.from_cost_stage(stage, **fields))
    return tuple(stages)
