"""Release of a week's density by our own method: five whole-number tables, then read.

The clipped tables are whole multiples of 1/1024, so OpenDP's discrete Gaussian fits them as they
are; L₂ sensitivity 1024·c holds in exact arithmetic. What is read from the noisy tables is
post-processing and may use floating point.
"""

from pathlib import Path

import numpy as np

from .. import density, validation
from ..arrays import Integers
from ..datasets import Dataset
from ..datasets.zoomtables import WEIGHT_UNITS, ZoomClips
from ..density.aggregates import tower_tree
from ..density.zoom.measure import measure, noise_scale, visits_scale
from ..density.zoom.reading import read
from ..errors import DatasetError, ParameterError
from ..parameters import HOURS_PER_WEEK, DensityParameters
from . import cautions, noise
from .bars import Outlook, normal_bar, of_normal
from .density import write_hours, zone_variances
from .files import require_counts, write_zones
from .plan import Accuracy, Days, Frame, Plan, Progress, Stage

_EPSILONS = (1e-3, 50.0)
_LARGEST_DELTA = 1e-3
"""Within both OpenDP's conversion from ρ finds its ε for every pair."""

_ROOM = 1 + 1e-12  # for the rounding of σ: ρ never exceeds its share


def plan(dataset: Dataset, parameters: DensityParameters, _days: Days) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone."""
    strength = _strength(parameters)
    towers, zones = len(dataset.towers), len(dataset.zones)
    districts = _districts(dataset)
    cap = dataset.metadata.max_visits_cap
    clips, week = dataset.metadata.zoom_clips, dataset.metadata.week
    root = np.sqrt(clips.squared)
    fine, whole = (noise_scale(name, root, strength) for name in ("towers", "weeks"))
    visits = visits_scale(cap, strength, clips)
    median = float(np.sqrt(np.median(zone_variances(dataset))))
    return Plan(
        product="density-zoom",
        title="Density of visits over one week, counted at five zoom levels",
        unit="person",
        epsilon=parameters.epsilon,
        delta=parameters.delta,
        epsilons=_EPSILONS,
        reads_noise=True,
        days=7,
        contribution="a person's visits are scaled down so that they weigh at most a public "
        f"clip in every table ({root:.3g} where towers are told apart), less for those with many "
        f"visits, of whom the number of all visits tells; at most {cap} visits count",
        sensitivity=float(root),
        norm="L₂",
        mechanism="discrete Gaussian on whole multiples of 1/1024 of a visit",
        scale=float(fine),
        rho=strength**2 / 2,
        proof="five tables of whole multiples of 1/1024 with discrete Gaussian noise, each of "
        "its own, of which a person changes at most √(2ρ) noises together, "
        f"ρ = {strength**2 / 2:.6g}, are ρ-zero-concentrated (Canonne, Kamath and "
        "Steinke 2020), also where one's clip is chosen from another's noisy sum; that is "
        f"(ε, δ) = ({parameters.epsilon:g}, {parameters.delta:g}).",
        cells=density.plan(dataset, parameters).cells,
        cells_words=f"{towers} towers, {districts} districts and the whole city × "
        f"{HOURS_PER_WEEK} hours, {towers} towers' weeks and the number of all visits; "
        f"read and mapped to {zones} zones by area",
        settings={
            "method": "zoom",
            "delta": parameters.delta,
            "rho": strength**2 / 2,
            "week": None if week is None else week.isoformat(),
            "max_visits": cap,
        },
        stages=_stages(strength, cap, clips),
        composition="zCDP",
        frame=Frame.of(dataset.metadata),
        bars="measured_low_90 and measured_high_90",
        kept="visits after every person's week was scaled down to the clip, mapped to zones by "
        "area",
        beyond="The number of all visits is much higher. What scaling down takes is not in the "
        "bar; column 'visits' is an estimate of them and has no such bar.",
        accuracy=(
            Accuracy(
                what="a zone in one hour, as measured (median zone)",
                size=None,
                half_width=normal_bar(fine * median),
            ),
            Accuracy(
                what="a zone over the week, as measured (median zone)",
                size=None,
                half_width=normal_bar(whole * median),
            ),
            Accuracy(
                what=f"all visits, at most {cap} of a person",
                size=None,
                half_width=normal_bar(visits),
            ),
        ),
        bias=(
            "Columns 'measured' are visits after people's weeks were scaled down to the clip, "
            "with unbiased noise: their bars hold whatever the data, and they lie well below "
            "the number of visits.",
            "Column 'visits' is what is read from all five tables. It evens out differences "
            "that noise can explain, so small places look more like their neighbours than they "
            "are. No bar holds for it whatever the data.",
            "Noise is a whole number of 1/1024 visits; what is read is rounded to 0.01.",
        ),
        warnings=cautions.zone_totals(normal_bar(whole * median), 1, "measured visits"),
    )


def outlook(dataset: Dataset, parameters: DensityParameters, _days: Days) -> tuple[Outlook, ...]:
    """Return what is known of measured visits; what a model reads has no law of its own."""
    strength, root = _strength(parameters), np.sqrt(dataset.metadata.zoom_clips.squared)
    median = float(np.sqrt(np.median(zone_variances(dataset))))
    kinds = (
        ("towers", "a zone's hour, as measured (median zone),", "an hour without visits"),
        ("weeks", "a zone's week, as measured (median zone),", "a week without visits"),
    )
    return tuple(
        of_normal(what, empty, float(noise_scale(name, root, strength)) * median)
        for name, what, empty in kinds
    )


def prepare(dataset: Dataset, _parameters: DensityParameters, _days: Days) -> None:
    """Read the tables that will be measured; raise where they are not there, or not its own."""
    tables = dataset.zoom_tables
    require_counts(dataset, tables.towers, tables.districts, tables.city, tables.weeks)
    cap = dataset.metadata.max_visits_cap
    if len(tables.districts) != _districts(dataset) or tables.max_visits_cap != cap:
        raise DatasetError(
            f"dataset '{dataset.id}': its zoom tables do not fit its towers and its cap",
            remedy="build the dataset again from its raw data; nothing was spent",
            code="damaged",
        )


def write(
    dataset: Dataset, parameters: DensityParameters, _days: Days, folder: Path, progress: Progress
) -> None:
    """Draw the noise of all tables once, read them, and write zones by hour."""
    noisy = measure(dataset.zoom_tables, _strength(parameters), _add)
    progress(0.7)
    visits = read(noisy, tower_tree(dataset)).by_tower
    to_zones = dataset.tessellation.overlap.T
    deviations = np.sqrt(zone_variances(dataset))
    measured, bar = to_zones @ noisy.towers.values, normal_bar(noisy.towers.sigma) * deviations
    low, high = measured - bar[:, None], measured + bar[:, None]
    columns = {
        "visits": to_zones @ visits,
        "measured": measured,
        "measured_low_90": low,
        "measured_high_90": high,
    }
    write_hours(dataset, {name: np.round(each, 2) for name, each in columns.items()}, folder)
    measured = to_zones @ noisy.weeks.values
    bar = normal_bar(noisy.weeks.sigma) * deviations
    write_zones(
        dataset.zones,
        {
            "visits": np.rint(to_zones @ visits.sum(axis=1)),
            "measured": np.rint(measured),
            "measured_low_90": np.floor(measured - bar),
            "measured_high_90": np.ceil(measured + bar),
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


def _districts(dataset: Dataset) -> int:
    return int(tower_tree(dataset).districts.max()) + 1


def _stages(strength: float, cap: int, clips: ZoomClips) -> tuple[Stage, ...]:
    """Return the five counts that get noise; the city's clip is chosen from the noisy visits.

    What the number of visits tells of a person is taken off the others, so it costs no more ρ.
    """
    root, largest = np.sqrt(clips.squared), np.sqrt(clips.city[-1])
    counted = [
        ("towers", "visits by tower and hour", root),
        ("districts", "visits by district and hour", root),
        (
            "city",
            f"visits by hour; the clip is chosen from the noisy visits, {root:.3g} to "
            f"{largest:.3g}, and the noise is in proportion to it",
            largest,
        ),
        ("weeks", "visits by tower, whole week", root),
        (
            "visits",
            f"all visits, at most {cap} of a person; whoever has so many that this number tells of "
            "them weighs less in the tables above, whose ρ covers it",
            cap,
        ),
    ]
    stages: list[Stage] = []
    for table, name, clip in counted:
        own = table == "visits"
        sigma = visits_scale(cap, strength, clips) if own else noise_scale(table, clip, strength)
        stages.append(
            Stage(
                name=name,
                noise="discrete Gaussian",
                sensitivity=float(clip),
                norm="L₂",
                scale=units_of_noise(sigma),
                rho=0.0 if own else float(clip / sigma) ** 2 / 2,
                step=1 if own else WEIGHT_UNITS,
            )
        )
    return tuple(stages)


def units_of_noise(sigma: float) -> float:
    """Return the standard deviation that is drawn for one that is asked: never less."""
    return sigma * _ROOM


def _add(name: str, counts: Integers, sigma: float) -> Integers:
    """Add OpenDP's discrete Gaussian noise, table by table."""
    del name
    return noise.discrete_gaussian(counts, units_of_noise(sigma))
