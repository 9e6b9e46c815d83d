"""Streamlit caches of the Density page: wrappers that take a dataset key, settings and a seed."""

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import geopandas as gpd
import numpy as np
import shapely

from engine import density, metrics, usability
from engine.arrays import Floats
from engine.density import aggregates
from engine.density.scoring import TotalErrors
from engine.parameters import HOURS_PER_WEEK, DensityParameters
from engine.resolution import Key, block_names
from engine.usability import DensityUsability
from pages._ui.cache import scope as cached_scope, verbs
from pages._ui.cache.datasets import dataset, outlines as zone_outlines
from pages._ui.cache.draws import CHUNK_HOURS, generator
from pages._ui.drawing.maps import Outlines
from pages._ui.shell.settings import Seed

Cells = Literal["zones", "towers", "cover"]
"""The three ways to cut the region into cells (P1, figure 2)."""

_SIMPLIFY = 1 / 600


@dataclass(frozen=True)
class CellMeans:
    """Mean visits an hour in each cell, before any noise: confidential unless simulated."""

    values: Floats

    @property
    def mean(self) -> float:
        """Mean over the cells."""
        return float(self.values.mean())


@cached_scope.data(max_entries=4096, show_spinner=False)
def judged(key: Key, parameters: DensityParameters, seed: Seed) -> DensityUsability:
    """Return for how many zones the release on the page can be used."""
    return usability.judge_density(verbs.scores(key, parameters, seed), visits_an_hour(key))


def visits_an_hour(key: Key) -> Floats:
    """Return the mean true visits an hour of each zone, however many hours are counted together."""
    return verbs.truth(key).sum(axis=1) / HOURS_PER_WEEK


def distances(
    key: Key, parameters: DensityParameters, seed: Seed, repeat: int = 0
) -> Iterator[Floats]:
    """Yield the earth mover's distance in metres of the week's hours, a few at a time.

    Pieces are cached alike whoever asks, and a slider move can interrupt between two.
    """
    for chunk in range(chunks(key)):
        yield _distance(key, parameters, seed, repeat, chunk)


def distance_of_week(key: Key, parameters: DensityParameters, seed: Seed, repeat: int = 0) -> float:
    """Return the mean of `distances` over the week: of pieces that are there already, at once."""
    return metrics.mean_of_known(np.concatenate(list(distances(key, parameters, seed, repeat))))


def chunks(key: Key) -> int:
    """Return in how many pieces `distances` comes: fewer where hours are counted together."""
    return -(-len(block_names(key.resolution.hours)) // CHUNK_HOURS)


@cached_scope.data(max_entries=8192, show_spinner=False)
def _distance(
    key: Key, parameters: DensityParameters, seed: Seed, repeat: int, chunk: int
) -> Floats:
    window = slice(chunk * CHUNK_HOURS, (chunk + 1) * CHUNK_HOURS)
    private = verbs.release(key, parameters, seed, repeat=repeat).counts[:, window]
    return metrics.earth_movers_distance(
        verbs.truth(key)[:, window],
        np.maximum(private, 0.0),
        dataset(key).tessellation.zone_distances_m,
    )


@cached_scope.data(max_entries=1024, show_spinner=False)
def at_equal_proved(key: Key, parameters: DensityParameters) -> DensityParameters:
    """Return the settings with ε rescaled, so that their best proved total is the ε they had."""
    size = dataset(key).tessellation.cover_size
    return density.at_equal_proved_epsilon(parameters, parameters.epsilon, size)


@cached_scope.data(max_entries=512, show_spinner=False)
def error_by_hour(key: Key, parameters: DensityParameters, seed: Seed) -> Floats:
    """Return the relative error of every hour, averaged over zones, shape (168,)."""
    private = verbs.release(key, parameters, seed).counts
    return metrics.error_by_hour(verbs.truth(key), private)


@cached_scope.resource(max_entries=12, show_spinner=False)
def outlines(key: Key, cells: Cells) -> Outlines:
    """Return zones, tower cells or the cells of the minimum cover, ready to draw."""
    if cells == "zones":
        return zone_outlines(key)
    places = dataset(key)
    towers, zones = places.towers["name"].astype(str), places.zones["name"].astype(str)
    if cells == "towers":
        shapes, names = places.tessellation.tower_cells, list(towers)
    else:
        shapes = places.tessellation.cover_cells
        names = [
            *(f"Tower {towers.iloc[i]}" for i in places.tessellation.cover_towers),
            *(f"Zone {zones.iloc[i]}" for i in places.tessellation.cover_zones),
        ]
    return _outlines(shapes, names, tuple(float(edge) for edge in places.zones.total_bounds))


@cached_scope.resource(max_entries=48, show_spinner=False)
def cell_means(key: Key, cells: Cells, max_visits: int) -> CellMeans:
    """Return the mean pre-sampled visits an hour of each cell (P1, figure 2)."""
    if cells == "zones":
        series = verbs.of(density.presampled, key, max_visits)
    elif cells == "towers":
        series = verbs.of(aggregates.tower_series, key, max_visits)
    else:
        series = verbs.of(density.cover_series, key, max_visits)
    return CellMeans(series.sum(axis=1) / HOURS_PER_WEEK)


@cached_scope.data(max_entries=2048, show_spinner=False)
def total_errors(key: Key, parameters: DensityParameters, seed: Seed, repeat: int) -> TotalErrors:
    """Return the errors of the towers' totals with and without sampling (P1, figure 6)."""
    places = dataset(key)
    noise = density.DensityNoise.draw(generator(seed, "density", repeat), places, parameters.method)
    return density.total_errors(places, parameters, noise)


@cached_scope.data(max_entries=64, show_spinner=False)
def central_zone(key: Key) -> str:
    """Return the id of the zone nearest to the middle among the busier half, so that it has a week.

    It reads the truth, which the page shows beside it; no slider and no draw changes the choice.
    """
    places = dataset(key)
    visits = verbs.truth(key).sum(axis=1).astype(float)
    centres = places.tessellation.zone_centres_m
    middle = (centres.min(axis=0) + centres.max(axis=0)) / 2
    away = ((centres - middle) ** 2).sum(axis=1)
    usual = np.median(visits[visits > 0]) if (visits > 0).any() else 0.0
    nearest = int(np.argmin(np.where(visits >= usual, away, np.inf)))
    return str(places.zones["zone_id"].iloc[nearest])


@cached_scope.data(max_entries=64, show_spinner=False)
def map_limits(key: Key, parameters: DensityParameters, seed: Seed) -> tuple[float, float]:
    """Return the round ends of the scales of counts and of errors, the same for every hour.

    One cell or hour in 500 lies beyond and takes the colour of the end.
    """
    true = verbs.truth(key)
    private = verbs.release(key, parameters, seed).counts
    count = float(np.quantile(true, 0.998)) if true.size else 0.0
    error = float(np.quantile(np.abs(private - true), 0.998)) if true.size else 0.0
    return _round_up(max(count, 1.0)), _round_up(max(error, 1.0))


def _outlines(
    shapes: gpd.GeoSeries, names: list[str], bounds: tuple[float, float, float, float]
) -> Outlines:
    west, south, east, north = bounds
    drawn = shapely.simplify(
        shapes.to_crs(4326).to_numpy(), max(east - west, north - south) * _SIMPLIFY
    )
    drawn = shapely.set_precision(drawn, 1e-5, mode="pointwise")
    return Outlines(
        geometries=tuple(shapely.geometry.mapping(shape) for shape in drawn),
        ids=tuple(str(i) for i in range(len(drawn))),
        names=tuple(html.escape(name) for name in names),
        centres=np.zeros((len(drawn), 2)),
        bounds=bounds,
    )


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, … at or above `value`."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= value * 0.999))
