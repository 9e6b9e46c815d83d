"""The only file with Streamlit caches: wrappers over the engine that every page calls.

A wrapper takes a dataset key (`catalogue.Entry.key`), frozen settings, a seed and plain numbers,
never arrays. Large read-only arrays are shared, not copied: their ``writeable`` flag is off. Caches
are keyed by the folder of one version, so a rebuilt dataset is never mixed with the old one.
"""

import html
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import shapely
from numpy.typing import NDArray

from engine import density, metrics
from engine import origin_destination as od
from engine.datasets import Dataset
from engine.parameters import HOURS_PER_WEEK, DensityParameters, ODParameters
from pages._ui import cached_scope, sketches
from pages._ui.maps import Outlines
from pages._ui.state import Seed

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Span = Literal["first day", "all days"]
"""The trips in one matrix: one declared day, or the whole period added up."""

_SIMPLIFY = 1 / 600
"""Outlines are simplified to this share of the map's extent: about one pixel on a large map."""


@dataclass(frozen=True)
class DensityScores:
    """Errors of one density release against the truth.

    Attributes
    ----------
    error, correlation : arrays, shape (zones,)
        Mean relative error and Pearson correlation; NaN where undefined.
    total_error : float
        Relative error of the week's total.
    exceeded : bool
        Whether the noise exceeds the data: every private count reads 0.
    """

    error: Floats
    correlation: Floats
    total_error: float
    exceeded: bool

    @property
    def mean_error(self) -> float:
        """Mean relative error over the zones that have one; NaN where none has."""
        return _mean(self.error)

    @property
    def mean_correlation(self) -> float:
        """Mean correlation over the zones that have one; NaN where none has."""
        return _mean(self.correlation)


@dataclass(frozen=True)
class TripScores:
    """Errors of one matrix, drawn or expected.

    Attributes
    ----------
    median_error : float
        Median absolute error in trips over the flows of at least τ (and 1), which would be shown
        without noise.
    relative_error : float
        Mean of |x̂ − x| / x over the same flows.
    suppressed, suppressed_anyway : float
        Share of off-diagonal cells that read 0, and of those that would without noise.
    trips_kept : float
        Share of all trips, trimmed ones too, in those flows that stay visible.
    trimmed : float
        Share of all trips that trimming drops.
    """

    median_error: float
    relative_error: float
    suppressed: float
    suppressed_anyway: float
    trips_kept: float
    trimmed: float


@cached_scope.resource(max_entries=8, show_spinner="Opening the dataset …")
def dataset(key: str) -> Dataset:
    """Open one version of a dataset; its tables are read on first use and kept."""
    return Dataset(Path(key))


@cached_scope.resource(max_entries=8, show_spinner=False)
def outlines(key: str) -> Outlines:
    """Return the zones ready to draw: simplified, rounded to 5 decimals, names escaped."""
    zones = dataset(key).zones
    west, south, east, north = (float(edge) for edge in zones.total_bounds)
    tolerance = max(east - west, north - south) * _SIMPLIFY
    # coverage simplification keeps shared borders shared: no gaps between zones
    shapes = shapely.coverage_simplify(zones.geometry.to_numpy(), tolerance)
    shapes = shapely.set_precision(shapes, 1e-5, mode="pointwise")
    centres = shapely.get_coordinates(shapely.point_on_surface(zones.geometry.to_numpy()))
    return Outlines(
        geometries=tuple(shapely.geometry.mapping(shape) for shape in shapes),
        ids=tuple(str(i) for i in zones["zone_id"]),
        names=tuple(html.escape(str(name)) for name in zones["name"]),
        centres=centres.round(5),
        bounds=(west, south, east, north),
    )


@cached_scope.resource(max_entries=8, show_spinner=False)
def sketch(key: str) -> sketches.Shapes:
    """Return the zones of the small maps."""
    zones = dataset(key).zones
    return sketches.shapes(zones.geometry.to_numpy(), zones["name"].astype(str).tolist(), 1 / 400)


@cached_scope.resource(max_entries=8, show_spinner="Reading the visits …")
def density_truth(key: str) -> Floats:
    """Return the true visits by zone and hour, shape (zones, 168), read-only."""
    return _frozen(density.truth(dataset(key)))


@cached_scope.resource(max_entries=24, show_spinner=False)
def density_release(
    key: str, parameters: DensityParameters, seed: Seed, repeat: int = 0
) -> density.DensityRelease:
    """Return one private density; the same seed and repeat give the same noise.

    The noise is carried over settings, so that a change seen is the setting's.
    """
    return density.release(dataset(key), parameters, rng=generator(seed, repeat))


@cached_scope.data(max_entries=4096, show_spinner=False)
def density_scores(
    key: str, parameters: DensityParameters, seed: Seed, repeat: int = 0
) -> DensityScores:
    """Return the errors of one private density; small, so that many repeats can be kept."""
    truth = density_truth(key)
    if repeat == 0:
        release = density_release(key, parameters, seed)
    else:
        release = density.release(dataset(key), parameters, rng=generator(seed, repeat))
    private = release.counts
    return DensityScores(
        error=metrics.mean_relative_error(truth, private),
        correlation=metrics.pearson(truth, private),
        total_error=metrics.total_error(truth, private),
        exceeded=density.NOISE_EXCEEDS_DATA in release.flags,
    )


@cached_scope.data(max_entries=2048, show_spinner=False)
def density_distance(
    key: str, parameters: DensityParameters, seed: Seed, repeat: int, first_hour: int, hours: int
) -> Floats:
    """Return the earth mover's distance in metres for a run of hours, shape (hours,).

    Ask for a few hours at a time, so that a slider move can interrupt the work.
    """
    window = slice(first_hour, min(first_hour + hours, HOURS_PER_WEEK))
    private = density_release(key, parameters, seed, repeat).counts[:, window]
    return metrics.earth_movers_distance(
        density_truth(key)[:, window],
        np.maximum(private, 0.0),
        dataset(key).tessellation.zone_distances_m,
    )


def span(parameters: ODParameters) -> Span:
    """Return what home shows: the first declared day, or all days as one matrix at unit person."""
    return "all days" if parameters.unit == "person" else "first day"


def days_of(period: Span) -> dict[str, Any]:
    """Return the engine's arguments for a span: ``days`` and ``sum_days``."""
    if period == "all days":
        return {"days": None, "sum_days": True}
    return {"days": 0, "sum_days": False}


@cached_scope.resource(max_entries=8, show_spinner="Reading the trips …")
def trips_truth(key: str, period: Span) -> Integers:
    """Return the true matrix of a span, shape (zones, zones), read-only."""
    return _frozen(od.truth(dataset(key), **days_of(period))[0])


@cached_scope.resource(max_entries=24, show_spinner=False)
def trips_release(
    key: str, parameters: ODParameters, seed: Seed, period: Span, repeat: int = 0
) -> Integers:
    """Return one private matrix, shape (zones, zones), read-only; noise is carried over."""
    made = od.release(dataset(key), parameters, rng=generator(seed, repeat), **days_of(period))
    return _frozen(made.counts[0])


def trips_histogram(
    key: str, parameters: ODParameters, period: Span
) -> tuple[Floats, Floats, Floats]:
    """Return distinct flows after trimming, the true ones above 0, and how many pairs have both.

    The engine keeps the histogram, which depends on the unit and T only.
    """
    counted = od.histogram(
        dataset(key), parameters.unit, parameters.max_trips_per_user, **days_of(period)
    )
    some = counted.true > 0
    return counted.kept[some], counted.true[some], counted.cells[some]


def generator(seed: Seed, repeat: int = 0) -> np.random.Generator:
    """Return the generator of one draw: seed, redraw and repeat each change all of its noise."""
    return np.random.default_rng([*seed, repeat])


@cached_scope.data(max_entries=4096, show_spinner=False)
def trips_expected(key: str, parameters: ODParameters, period: Span) -> TripScores:
    """Return what a release is expected to do to the trips of a span, exactly, no draw."""
    exact = od.expectation(dataset(key), parameters, **days_of(period))
    errors, fates, counted = exact.errors["large"], exact.fates, exact.histogram
    cells = float(counted.cells.sum())
    hidden = float(fates.kept_suppressed.cells + fates.lost.cells)
    large = counted.true >= max(parameters.suppression_threshold, 1)
    return TripScores(
        median_error=errors.median_absolute,
        relative_error=errors.mean_bounded_relative,
        suppressed=_share(hidden, cells),
        suppressed_anyway=_share(float(counted.cells[~large].sum()), cells),
        trips_kept=_share(float(fates.kept.trips), counted.true_trips),
        trimmed=1 - _share(float(counted.kept @ counted.cells), counted.true_trips),
    )


@cached_scope.data(max_entries=4096, show_spinner=False)
def trips_drawn(
    key: str, parameters: ODParameters, seed: Seed, period: Span, repeat: int
) -> TripScores:
    """Return the same figures for one drawn matrix."""
    truth = trips_truth(key, period)
    private = od.release(
        dataset(key), parameters, rng=generator(seed, repeat), **days_of(period)
    ).counts[0]
    large = truth >= max(parameters.suppression_threshold, 1)
    error = np.abs(private - truth)[large]
    cells = truth.size - len(truth)
    hidden = int((private == 0).sum()) - len(truth)
    return TripScores(
        median_error=float(np.median(error)) if error.size else float("nan"),
        relative_error=_mean(error / truth[large]),
        suppressed=_share(hidden, cells),
        suppressed_anyway=_share(int((~large).sum()) - len(truth), cells),
        trips_kept=_share(float(truth[large & (private > 0)].sum()), float(truth.sum())),
        trimmed=float("nan"),  # does not depend on the draw
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")


def _mean(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def _frozen(values: Any) -> Any:
    values.flags.writeable = False
    return values
