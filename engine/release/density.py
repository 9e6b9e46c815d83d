"""Release of a week's density: whole counts of towers with discrete Laplace noise, mapped to zones.

Each tower and hour is a whole count of pre-sampled visits, at most ℓ a person.
"""

from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Floats, Integers
from ..contract import Setting
from ..datasets import Dataset
from ..parameters import HOURS_PER_WEEK
from . import noise
from .files import write_hours, write_zones
from .plan import LEVEL, Accuracy, Plan, Progress, Stage, laplace_sd, law_of, normal_bar

_WEEK_ROOT = float(np.sqrt(HOURS_PER_WEEK))  # by how much a week's noise deviates more
_GRID = 2**15  # points: at least 64 standard deviations to each side


def plan(setting: Setting, view: Dataset) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone."""
    limit, epsilon = setting.parameters.max_visits_per_user, setting.parameters.epsilon
    stage = Stage.laplace("visits by tower and hour", limit, epsilon)
    variances = zone_variances(view)
    deviation = laplace_sd(stage.scale) * float(np.sqrt(np.median(variances)))
    median = int(np.argsort(variances, kind="stable")[len(variances) // 2])
    shares = view.tessellation.overlap[:, [median]].toarray().ravel()
    hour, week = (float(bars(np.array(deviation))) for bars in (hour_bars, week_bars))
    return Plan.of(
        setting,
        view,
        product="density",
        unit="person",
        limit=limit,
        stages=(stage,),
        composition="one mechanism",
        cells=len(view.towers) * HOURS_PER_WEEK,
        towers=len(view.towers),
        accuracy=(
            Accuracy(what="a zone in one hour (median zone)", half_width=hour),
            Accuracy(what="a zone over the week (median zone)", half_width=week),
        ),
        total_bar=week,
        raised=raised(stage.scale, shares[shares > 0]),
    )


def raised(scale: float, shares: Floats) -> float:
    """Return E ⌊max(S, 0) + ½⌋ of S = Σ wⱼ·Zⱼ, what an empty zone's hour reads on average.

    The Zⱼ are discrete Laplace noise, the wⱼ `shares` above 0. By convolution on a grid of at least
    256 points to a standard deviation, which holds sums that are just ½.
    """
    deviation = laplace_sd(scale) * float(np.sqrt((shares**2).sum()))
    step = 2.0 ** np.floor(np.log2(deviation / 256))
    z = np.arange(-int(25 * scale) - 2, int(25 * scale) + 3)
    chance, spectrum = law_of(scale).pmf(z), np.ones(_GRID // 2 + 1, dtype=np.complex128)
    for share in shares:
        place = share * z / step
        below = np.floor(place).astype(np.int64)
        upper = place - below  # a value between two points goes to both, so that its mean stays
        mass = np.bincount(below % _GRID, weights=chance * (1 - upper), minlength=_GRID)
        mass += np.bincount((below + 1) % _GRID, weights=chance * upper, minlength=_GRID)
        spectrum *= np.fft.rfft(mass)
    read = np.floor(step * np.fft.fftfreq(_GRID, 1 / _GRID) + 0.5)
    return float(np.fft.irfft(spectrum, _GRID) @ np.maximum(read, 0))


def prepare(plan: Plan, view: Dataset) -> None:
    """Read the visits that will be counted."""
    view.presampled_by_tower(plan.limit)


def write(plan: Plan, view: Dataset, folder: Path, progress: Progress) -> None:
    """Draw the noise of every tower and hour once and write zones by hour."""
    scale = plan.stages[0].scale
    noisy = noise.discrete_laplace(view.presampled_by_tower(plan.limit), scale)
    progress(0.6)
    mapped = view.tessellation.overlap.T @ noisy.astype(np.float64)
    counts = np.maximum(np.floor(mapped + 0.5), 0).astype(np.int64)
    deviations = laplace_sd(scale) * np.sqrt(zone_variances(view))
    bar, bar_week = hour_bars(deviations)[:, None], week_bars(deviations)
    low, high = np.maximum(counts - bar, 0), counts + bar
    write_hours(view.zones, {"visits": counts, "low_95": low, "high_95": high}, folder)
    week = np.floor(mapped.sum(axis=1) + 0.5).astype(np.int64)
    values = {"visits": week, "visits_low_95": week - bar_week, "visits_high_95": week + bar_week}
    write_zones(view.zones, values, folder)
    progress(1.0)


def hour_bars(deviations: Floats) -> Integers:
    """Return the bars of zones in an hour: of a single noise, the widest; rounding takes a half."""
    return np.ceil(-np.log(1 - LEVEL) / np.sqrt(2) * deviations + 0.5).astype(np.int64)


def week_bars(deviations: Floats) -> Integers:
    """Return the bars of zones over the week, from the deviations of one hour."""
    return np.ceil(normal_bar(_WEEK_ROOT) * deviations + 0.5).astype(np.int64)


def zone_variances(view: Dataset) -> Any:
    """Return Σ_j F[j, L]² of every zone: by how much towers' noise variances add up in it."""
    overlap = view.tessellation.overlap
    return np.asarray(overlap.multiply(overlap).sum(axis=0), dtype=np.float64).ravel()
