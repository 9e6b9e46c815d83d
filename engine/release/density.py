"""Release of a week's density: whole counts of towers with discrete Laplace noise, mapped to zones.

The Fourier methods add noise to real numbers and choose with floating-point weights; they stay in
exploration. Here each tower and hour is a whole count of pre-sampled visits, at most ℓ a person.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from .. import density
from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..parameters import HOURS_PER_WEEK, DensityParameters
from . import cautions, noise
from .bars import Outlook, laplace_sd, normal_bar, of_shares, safe_scale
from .files import CsvTable, neutral, require_counts, write_zones
from .plan import Accuracy, Days, Frame, Plan, Progress, Stage, laplace_proof

_WEEK_ROOT = float(np.sqrt(HOURS_PER_WEEK))
"""By how much a week's noise deviates more than an hour's."""


def plan(dataset: Dataset, parameters: DensityParameters, _days: Days) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone."""
    limit = parameters.max_visits_per_user
    stage = Stage.laplace("visits by tower and hour", limit, parameters.epsilon)
    scale = stage.scale
    sd = laplace_sd(scale) * float(np.sqrt(np.median(zone_variances(dataset))))
    hour, whole = (float(whole_bars(np.array(sd * root))) for root in (1, _WEEK_ROOT))
    raised = sd / np.sqrt(2 * np.pi)  # E max(Z, 0), Z near normal
    week = dataset.metadata.week
    return Plan(
        product="density",
        title="Density of visits over one week",
        unit="person",
        epsilon=parameters.epsilon,
        days=7,
        contribution=f"at most {limit} visits of a person in the week, one an hour, at random",
        sensitivity=limit,
        mechanism="discrete Laplace on whole counts",
        scale=scale,
        proof=laplace_proof(limit, scale, parameters.epsilon),
        cells=density.plan(dataset, parameters).cells,
        cells_words=f"{len(dataset.towers)} towers × {HOURS_PER_WEEK} hours, mapped to "
        f"{len(dataset.zones)} zones by area",
        settings={
            "method": "towers with discrete Laplace noise",
            "max_visits_per_user": limit,
            "week": None if week is None else week.isoformat(),
        },
        stages=(stage,),
        composition="one mechanism",
        frame=Frame.of(dataset.metadata),
        bars="those that end in low_90 and high_90",
        kept=f"the kept visits: at most {limit} of a person in the week, one an hour, mapped "
        "to zones by area",
        beyond="The number of all visits is higher. What trimming takes is not in the bar and "
        "cannot be told from this release.",
        accuracy=(
            Accuracy(what="a zone in one hour (median zone)", size=None, half_width=hour),
            Accuracy(what="a zone over the week (median zone)", size=None, half_width=whole),
        ),
        bias=(
            f"Visits beyond {limit} a person are not counted, and of several in one hour "
            "one is: counts are of kept visits and are not scaled up.",
            "Zone counts are shares of towers' noisy counts, rounded to whole numbers.",
            "Negative counts are set to 0: sums over the hours of density.csv are too high "
            "where few visits are. A zone and hour without a visit reads about "
            f"{raised:.3g} on average (median zone). Weekly sums in zones.geojson and "
            "zones.parquet were taken before that and have no such bias; they can be negative.",
        ),
        warnings=(
            *cautions.raised_to_zero(
                raised, "a zone and hour", "Take weekly sums from zones.parquet."
            ),
            *cautions.zone_totals(whole, 1, "visits"),
        ),
    )


def outlook(dataset: Dataset, parameters: DensityParameters, _days: Days) -> tuple[Outlook, ...]:
    """Return what its numbers can be used for by the law of the noise alone."""
    variances = zone_variances(dataset)
    median = int(np.argsort(variances, kind="stable")[len(variances) // 2])
    shares = dataset.tessellation.overlap[:, [median]].toarray().ravel()
    scale = safe_scale(parameters.max_visits_per_user, parameters.epsilon)
    hour = "a zone's hour (median zone)"
    return (of_shares(hour, "an hour without visits", scale, shares[shares > 0]),)


def prepare(dataset: Dataset, parameters: DensityParameters, _days: Days) -> None:
    """Read the visits that will be counted, and check what counting looks up."""
    kept = dataset.presampled_by_tower(parameters.max_visits_per_user)
    require_counts(dataset, kept)


def write(
    dataset: Dataset, parameters: DensityParameters, _days: Days, folder: Path, progress: Progress
) -> None:
    """Draw the noise of every tower and hour once and write zones by hour."""
    scale = safe_scale(parameters.max_visits_per_user, parameters.epsilon)
    kept = dataset.presampled_by_tower(parameters.max_visits_per_user)
    noisy = noise.discrete_laplace(kept, scale)
    progress(0.6)
    mapped = dataset.tessellation.overlap.T @ noisy.astype(np.float64)
    counts = np.maximum(np.floor(mapped + 0.5), 0).astype(np.int64)
    deviations = laplace_sd(scale) * np.sqrt(zone_variances(dataset))
    bar, bar_week = whole_bars(deviations)[:, None], whole_bars(deviations * _WEEK_ROOT)
    low, high = np.maximum(counts - bar, 0), counts + bar
    write_hours(dataset, {"visits": counts, "low_90": low, "high_90": high}, folder)
    week = np.floor(mapped.sum(axis=1) + 0.5).astype(np.int64)
    write_zones(
        dataset.zones,
        {"visits": week, "visits_low_90": week - bar_week, "visits_high_90": week + bar_week},
        folder,
    )
    progress(1.0)


def write_hours(dataset: Dataset, columns: Mapping[str, Floats | Integers], folder: Path) -> None:
    """Write ``density.csv``, also as Parquet: zones by hour; arrays of shape (zones, 168)."""
    kinds = {name: pa.from_numpy_dtype(each.dtype) for name, each in columns.items()}
    ids = pa.array([neutral(one) for one in dataset.zones["zone_id"]])
    zones = len(ids)
    keys = {"zone_id": pa.string(), "hour": pa.int64()}
    with CsvTable(folder / "density.csv", {**keys, **kinds}, parquet=True) as table:
        table.add(
            ids.take(pa.array(np.repeat(np.arange(zones), HOURS_PER_WEEK))),
            np.tile(np.arange(HOURS_PER_WEEK), zones),
            *(each.ravel() for each in columns.values()),
        )


def whole_bars(deviations: Floats) -> Integers:
    """Return the bars around sums of shares of noisy counts that are rounded to whole numbers.

    Rounding takes up to a half more than the noise: without it the bars of small noise, such as
    scale 0.5, hold in 80% of releases only.

    Examples
    --------
    >>> whole_bars(np.array([0.3, 0.4, 10.0]))
    array([ 1,  2, 17])
    """
    return np.ceil(normal_bar(1.0) * deviations + 0.5).astype(np.int64)


def zone_variances(dataset: Dataset) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return Σ_j F[j, L]² of every zone: by how much towers' noise variances add up in it."""
    overlap = dataset.tessellation.overlap
    return np.asarray(overlap.multiply(overlap).sum(axis=0), dtype=np.float64).ravel()
