"""Small raw data and a plain aggregator, each person with a generator of the person's own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from types import SimpleNamespace
from typing import Any

import geopandas as gpd
import numpy as np
import shapely
from scipy.sparse import csr_array, eye_array

from engine.datasets.multiscale_tables import MultiscaleTables
from engine.geography import tessellate
from tests.reference.zoom_reference import clipped_sums

HOURS = 168
Visits = dict[int, list[tuple[int, int]]]
"""Of every person the visits as (tower, hour); repeated ones count once."""


@dataclass
class Aggregates:
    truth: np.ndarray
    ranked: np.ndarray  # (towers, hours, ranks)
    single: np.ndarray

    def presampled(self, kept: int) -> np.ndarray:
        return self.ranked[:, :, :kept].sum(axis=2)


def aggregate(visits: Visits, towers: int, cap: int = 840, seed: int = 0) -> Aggregates:
    truth = np.zeros((towers, HOURS), dtype=np.int64)
    ranked = np.zeros((towers, HOURS, HOURS), dtype=np.int64)
    single = np.zeros(towers, dtype=np.int64)
    for person, raw in visits.items():
        rng = np.random.default_rng([seed, person])
        records = sorted(set(raw))
        if not records:
            continue
        for index in rng.permutation(len(records))[:cap]:
            truth[records[index]] += 1
        single[records[rng.integers(len(records))][0]] += 1
        by_hour: dict[int, list[int]] = {}
        for tower, hour in records:
            by_hour.setdefault(hour, []).append(tower)
        one_an_hour = [(rng.choice(there), hour) for hour, there in sorted(by_hour.items())]
        for rank, index in enumerate(rng.permutation(len(one_an_hour))):
            ranked[(*one_an_hour[index], rank)] += 1
    return Aggregates(truth, ranked, single)


def random_visits(people: int, towers: int, seed: int = 0, mean: float = 14.0) -> Visits:
    """People with a daily rhythm around a home tower, some of them heavy."""
    rng = np.random.default_rng(seed)
    rhythm = np.tile(1.2 - np.cos((np.arange(24) - 4) * np.pi / 12), 7)
    rhythm /= rhythm.sum()
    visits: Visits = {}
    for person in range(people):
        count = int(np.clip(rng.geometric(1 / mean), 1, 400))
        hours = rng.choice(HOURS, size=count, p=rhythm)
        home = rng.integers(towers)
        there = np.where(rng.random(count) < 0.6, home, rng.integers(towers, size=count))
        visits[person] = list(zip(there.tolist(), hours.tolist(), strict=True))
    return visits


@dataclass
class Geography:
    towers: gpd.GeoDataFrame
    zones: gpd.GeoDataFrame = field(repr=False)


def geography(towers: int, side: int, seed: int = 0) -> Geography:
    """Random towers over side × side rectangular zones of uneven widths."""
    rng = np.random.default_rng(seed)

    def cuts() -> np.ndarray:
        return np.concatenate([[0], np.sort(rng.uniform(0.1, 0.9, side - 1)), [1]]) * 0.1

    x, y = cuts() + 2.3, cuts() + 48.8
    boxes = [shapely.box(x[i], y[j], x[i + 1], y[j + 1]) for i in range(side) for j in range(side)]
    names = [f"z{i:04}" for i in range(len(boxes))]
    points = shapely.points(rng.uniform([2.3, 48.8], [2.4, 48.9], (towers, 2)))
    ids = [f"t{i:04}" for i in range(towers)]
    return Geography(
        gpd.GeoDataFrame({"location_id": ids, "name": ids}, geometry=points, crs=4326),
        gpd.GeoDataFrame({"zone_id": names, "name": names}, geometry=boxes, crs=4326),
    )


class MemoryDataset:
    """What the density engine reads of a dataset, held in memory; quick to make and to change."""

    def __init__(self, counts: Aggregates, tessellation: Any, cap: int = 840) -> None:
        self.counts, self.tessellation = counts, tessellation
        self.truth_by_tower, self.single_visit_by_tower = counts.truth, counts.single
        self.presampled_by_tower = counts.presampled
        self.towers = range(len(counts.truth))
        self.zones = range(tessellation.overlap.shape[1])
        self.metadata = SimpleNamespace(max_visits_cap=cap, people_public=None)


def city_of(visits: Visits, places: Geography) -> MemoryDataset:
    """Count the visits of people at towers over zones."""
    tessellation = tessellate(places.towers, places.zones)
    dataset = MemoryDataset(aggregate(visits, len(places.towers)), tessellation)
    dataset.towers, dataset.zones = places.towers, places.zones
    return dataset


def one_zone_a_tower(size: int) -> SimpleNamespace:
    """A tessellation in which tower, zone and cell of the cover are one and the same."""
    identity = csr_array(eye_array(size))
    centres = np.random.default_rng(0).uniform(0, 1e4, (size, 2))
    return SimpleNamespace(
        overlap=identity,
        to_cover=identity,
        to_zones=identity,
        cover_size=size,
        cover_centres_m=centres,
        cover_areas_m2=np.ones(size),
    )


def random_positions(towers: int, seed: int = 0) -> np.ndarray:
    """Longitudes and latitudes; some are shared, so that ties matter."""
    return np.random.default_rng(seed).integers(0, 60, (towers, 2)) / 600 + [2.3, 48.8]


def added(noise: dict[str, np.ndarray]) -> Callable[..., np.ndarray]:
    """Return what adds noise that was drawn by name to the tables of `multiscale`."""
    return lambda name, counts, sigma: counts + sigma * noise[name]


class MultiscaleCity:
    """What the method `multiscale` reads of a dataset."""

    def __init__(self, tables: MultiscaleTables, positions: np.ndarray, cap: int = 840) -> None:
        points = shapely.points(positions)
        self.multiscale_tables = tables
        self.towers = gpd.GeoDataFrame(geometry=points, crs=4326)
        self.zones = range(len(positions))
        self.tessellation = one_zone_a_tower(len(positions))
        self.metadata = SimpleNamespace(max_visits_cap=cap, people_public=None)


@cache
def multiscale_city(people=400, towers=11, seed=0, cap=840) -> MultiscaleCity:
    positions = random_positions(towers, seed)
    visits = random_visits(people, towers, seed)
    return MultiscaleCity(clipped_sums(visits, positions, cap), positions, cap)
