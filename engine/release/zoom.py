"""Release of a week's density by our own method: five whole-number tables, then read.

The clipped tables are whole multiples of 1/1024, so OpenDP's discrete Gaussian fits them as they
are; L₂ sensitivity 1024·c holds in exact arithmetic. What is read from the noisy tables is
post-processing and may use floating point.
"""

from pathlib import Path
from typing import Any

import numpy as np

from .. import validation
from ..arrays import Integers
from ..contract import Setting
from ..datasets import Dataset
from ..datasets.zoomtables import WEIGHT_UNITS, ZoomClips
from ..density.aggregates import tower_tree
from ..density.reading import read
from ..density.zoom import measure, noise_scale, visits_scale
from ..errors import DatasetError, ParameterError
from ..parameters import HOURS_PER_WEEK, DensityParameters
from . import noise
from .density import zone_variances
from .files import write_hours, write_zones
from .plan import Accuracy, Plan, Progress, Stage, normal_bar

_EPSILONS, _LARGEST_DELTA = (1e-3, 50.0), 1e-3  # within both OpenDP finds ε of every ρ
_ROOM = 1 + 1e-12  # for the rounding of σ: ρ never exceeds its share


def plan(setting: Setting, view: Dataset) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone."""
    parameters: DensityParameters = setting.parameters
    strength = _strength(parameters)
    cap, clips = view.metadata.max_visits_cap, view.metadata.zoom_clips
    stages = _stages(strength, cap, clips)
    fine, _, _, whole, visits = (one.scale for one in stages)
    towers, districts = len(view.towers), _districts(view)
    median = float(np.sqrt(np.median(zone_variances(view))))
    hour, week = normal_bar(fine * median), normal_bar(whole * median)
    return Plan.of(
        setting,
        view,
        product="density-zoom",
        unit="person",
        delta=parameters.delta,
        limit=cap,
        stages=stages,
        composition="zCDP",
        cells=(towers + districts + 1) * HOURS_PER_WEEK + towers + 1,
        towers=towers,
        matrices=districts,
        accuracy=(
            Accuracy(what="a zone in one hour, as measured (median zone)", half_width=hour),
            Accuracy(what="a zone over the week, as measured (median zone)", half_width=week),
            Accuracy(what=f"all visits, at most {cap} of a person", half_width=normal_bar(visits)),
        ),
        total_bar=week,
        rho=strength**2 / 2,
    )


def prepare(plan: Plan, view: Dataset) -> None:
    """Read the tables that will be measured; raise where they are not there, or not its own."""
    tables = view.zoom_tables
    if len(tables.districts) != _districts(view) or tables.max_visits_cap != plan.limit:
        raise DatasetError(
            f"dataset '{view.id}': its zoom tables do not fit its towers and its cap",
            remedy="build the dataset again from its raw data; nothing was spent",
        )


def write(plan: Plan, view: Dataset, folder: Path, progress: Progress) -> None:
    """Draw the noise of all tables once, read them, and write zones by hour."""
    noisy = measure(view.zoom_tables, _strength(plan.parameters), _add)
    progress(0.7)
    visits = read(noisy, tower_tree(view))
    to_zones = view.tessellation.overlap.T
    deviations = np.sqrt(zone_variances(view))
    measured, bar = to_zones @ noisy.towers.values, normal_bar(noisy.towers.sigma) * deviations
    columns = {
        "visits": to_zones @ visits,
        "measured": measured,
        "measured_low_95": measured - bar[:, None],
        "measured_high_95": measured + bar[:, None],
    }
    write_hours(view.zones, {name: np.round(each, 2) for name, each in columns.items()}, folder)
    measured, bar = to_zones @ noisy.weeks.values, normal_bar(noisy.weeks.sigma) * deviations
    write_zones(
        view.zones,
        {
            "visits": np.rint(to_zones @ visits.sum(axis=1)),
            "measured": np.rint(measured),
            "measured_low_95": np.floor(measured - bar),
            "measured_high_95": np.ceil(measured + bar),
        },
        folder,
    )
    progress(1.0)


def _strength(parameters: DensityParameters) -> float:
    """Return μ = √(2ρ) of the settings, where a release may have them."""
    validation.finite_within("epsilon", parameters.epsilon, _EPSILONS, "0.1 to 2 is usual")
    if parameters.delta > _LARGEST_DELTA:
        raise ParameterError(
            f"delta must be at most {_LARGEST_DELTA:g} for a release",
            value=f"{parameters.delta!r}",
            remedy="choose it below one over the number of people, such as 1e-7",
        )
    return noise.zcdp_strength(parameters.epsilon, parameters.delta)


def _districts(view: Dataset) -> int:
    return int(tower_tree(view).districts.max()) + 1


def _stages(strength: float, cap: int, clips: ZoomClips) -> tuple[Stage, ...]:
    """Return the five counts that get noise; the city's clip is chosen from the noisy visits.

    What the number of visits tells of a person is taken off the others, so it costs no more ρ. Of
    the city the largest clip is listed: ρ is the same for all.
    """
    root, largest = np.sqrt(clips.squared), np.sqrt(clips.city[-1])
    chosen = f"its clip chosen from the noisy visits, {root:.3g} to {largest:.3g}"
    counted = [
        ("towers", "visits by tower and hour", root),
        ("districts", "visits by district and hour", root),
        ("city", f"visits by hour, {chosen}", largest),
        ("weeks", "visits by tower, whole week", root),
    ]
    gaussian: dict[str, Any] = {"noise": "discrete Gaussian", "norm": "L₂"}
    stages: list[Stage] = []
    for table, name, clip in counted:
        sigma = noise_scale(table, clip, strength, clips)
        rho = float(clip / sigma) ** 2 / 2
        own = {"sensitivity": float(clip), "scale": sigma * _ROOM, "rho": rho}
        stages.append(Stage(name=name, step=WEIGHT_UNITS, **own, **gaussian))
    name = f"all visits, at most {cap} of a person; the other tables' ρ covers it"
    scale = visits_scale(cap, strength, clips) * _ROOM
    return (*stages, Stage(name=name, sensitivity=float(cap), scale=scale, rho=0.0, **gaussian))


def _add(_name: str, counts: Integers, sigma: float) -> Integers:
    return noise.discrete_gaussian(counts, sigma * _ROOM)
