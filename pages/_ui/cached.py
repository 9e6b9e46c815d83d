"""The only file with Streamlit caches: wrappers over the engine that every page calls.

A wrapper takes a dataset key (`catalogue.Entry.key`), frozen settings, a seed and plain numbers,
never arrays. Large read-only arrays are shared, not copied: their ``writeable`` flag is off. Caches
are keyed by the folder of one version, so a rebuilt dataset is never mixed with the old one.
"""

import html
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import shapely
import streamlit as st
from numpy.typing import NDArray

from engine import density, metrics
from engine.datasets import Dataset
from engine.parameters import HOURS_PER_WEEK, DensityParameters
from pages._ui.maps import Outlines
from pages._ui.state import Seed

Floats = NDArray[np.float64]

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
    """

    error: Floats
    correlation: Floats
    total_error: float

    @property
    def mean_error(self) -> float:
        """Mean relative error over the zones that have one; NaN where none has."""
        return _mean(self.error)

    @property
    def mean_correlation(self) -> float:
        """Mean correlation over the zones that have one; NaN where none has."""
        return _mean(self.correlation)


@st.cache_resource(max_entries=8, show_spinner="Opening the dataset …")
def dataset(key: str) -> Dataset:
    """Open one version of a dataset; its tables are read on first use and kept."""
    return Dataset(Path(key))


@st.cache_resource(max_entries=8, show_spinner=False)
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


@st.cache_resource(max_entries=8, show_spinner="Reading the visits …")
def density_truth(key: str) -> Floats:
    """Return the true visits by zone and hour, shape (zones, 168), read-only."""
    return _frozen(density.truth(dataset(key)))


@st.cache_resource(max_entries=24, show_spinner=False)
def density_release(
    key: str, parameters: DensityParameters, seed: Seed, repeat: int = 0
) -> density.DensityRelease:
    """Return one private density; the same seed and repeat give the same noise.

    The noise is carried over settings, so that a change seen is the setting's.
    """
    return density.release(dataset(key), parameters, rng=generator(seed, repeat))


@st.cache_data(max_entries=4096, show_spinner=False)
def density_scores(
    key: str, parameters: DensityParameters, seed: Seed, repeat: int = 0
) -> DensityScores:
    """Return the errors of one private density; small, so that many repeats can be kept."""
    truth = density_truth(key)
    if repeat == 0:
        private = density_release(key, parameters, seed).counts
    else:
        private = density.release(dataset(key), parameters, rng=generator(seed, repeat)).counts
    return DensityScores(
        error=metrics.mean_relative_error(truth, private),
        correlation=metrics.pearson(truth, private),
        total_error=metrics.total_error(truth, private),
    )


@st.cache_data(max_entries=2048, show_spinner=False)
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


def generator(seed: Seed, repeat: int = 0) -> np.random.Generator:
    """Return the generator of one draw: seed, redraw and repeat each change all of its noise."""
    return np.random.default_rng([*seed, repeat])


def _mean(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def _frozen(values: Floats) -> Floats:
    values.flags.writeable = False
    return values
