"""People with at most two visits a week, such as riders of shared bikes: a look-alike in memory."""

import math
from types import SimpleNamespace

import geopandas as gpd
import numpy as np
import shapely

from engine.datasets.zoomtables import ZoomClips, ZoomTables, room_units, weight_units
from engine.density.reading import build_tree
from engine.parameters import HOURS_PER_WEEK
from engine.synthetic.sampling import position_within, random_order_within
from tests.reference.small_city import Aggregates, MemoryDataset, one_zone_a_tower

HOURS = np.arange(HOURS_PER_WEEK)


def weeks(rng: np.random.Generator, stations: int) -> np.ndarray:
    """Each station's week, of sum 1: commuters' peaks, leisure, or in between."""
    hour, weekend = HOURS % 24, HOURS // 24 >= 5
    peaks = np.exp(-((hour - 8.0) ** 2) / 3) + 1.2 * np.exp(-((hour - 18.0) ** 2) / 5)
    work = np.where(weekend, 0.15, 1.0) * (peaks + 0.15)
    play = np.where(weekend, 1.5, 0.6) * (np.exp(-((hour - 15.0) ** 2) / 18) + 0.05)
    share = rng.beta(1.5, 1.5, (stations, 1))
    own = np.exp(0.25 * rng.standard_normal((stations, 24)))
    shape = (share * work / work.sum() + (1 - share) * play / play.sum()) * np.tile(own, 7)
    return shape / shape.sum(axis=1, keepdims=True)


class Riders(MemoryDataset):
    """A dataset of riders as the density engine reads it.

    `cap` is K_max, `mean` the public mean number of visits of a person, None where nothing is said.
    Each station is a zone.
    """

    def __init__(
        self, stations: int, people: int, cap: int, mean: float | None, seed: int = 0
    ) -> None:
        rng = np.random.default_rng(seed)
        positions = rng.normal(0, 1, (stations, 2)) * (0.04, 0.03) + (2.35, 48.85)
        middle = np.exp(-(((positions - (2.35, 48.85)) / 0.04) ** 2).sum(axis=1))
        size = middle * np.exp(0.7 * rng.standard_normal(stations)) + 0.02
        day = weeks(rng, stations)
        clips = ZoomClips.of(mean, cap)
        cells = (size[:, None] * day).ravel()
        picks = rng.choice(cells.size, size=(people, 2), p=cells / cells.sum())
        picks[rng.random(people) < 0.25, 1] = -1  # a quarter is seen once
        every = np.arange(people)[:, None] * cells.size + picks
        keys = np.unique(every[picks >= 0])
        person, cell = np.divmod(keys, cells.size)
        own, hour = np.random.default_rng(seed), cell % HOURS_PER_WEEK
        lengths = np.bincount(person, minlength=people)
        picked = np.cumsum(lengths) - lengths + np.floor(own.random(people) * lengths).astype(int)
        slot = person * HOURS_PER_WEEK + hour
        order = random_order_within(slot, own)
        first = order[position_within(slot[order]) == 0]  # one visit an hour
        order = random_order_within(person[first], own)
        ranked = np.zeros((cells.size, 2), dtype=np.int64)
        np.add.at(ranked, (cell[first][order], position_within(person[first][order])), 1)
        counts = Aggregates(
            truth=np.bincount(cell, minlength=cells.size).reshape(stations, HOURS_PER_WEEK),
            ranked=ranked.reshape(stations, HOURS_PER_WEEK, 2),
            single=np.bincount(cell[picked] // HOURS_PER_WEEK, minlength=stations),
        )
        places = one_zone_a_tower(stations)
        places.cover_centres_m = positions * (73_000.0, 111_000.0)
        super().__init__(counts, places, cap)
        self.zoom_tables = clipped(
            person, cell, stations, build_tree(positions).districts, cap, clips
        )
        self.towers = gpd.GeoDataFrame(geometry=shapely.points(positions), crs=4326)
        self.metadata = SimpleNamespace(max_visits_cap=cap, people_public=people, zoom_clips=clips)


def clipped(
    person: np.ndarray,
    cell: np.ndarray,
    stations: int,
    districts: np.ndarray,
    cap: int,
    clips: ZoomClips,
) -> ZoomTables:
    """Add up everybody's visits, each person's row scaled down to the table's clip."""
    tower, hour = np.divmod(cell, HOURS_PER_WEEK)
    room = room_units(np.bincount(person), cap, clips)

    def table(at: np.ndarray, squared: float, *shape: int) -> np.ndarray:
        keys, counts = np.unique(person * math.prod(shape) + at, return_counts=True)
        owner, cells = np.divmod(keys, math.prod(shape))
        squares = np.bincount(owner, weights=counts**2).astype(np.int64)
        weights = counts * weight_units(np.maximum(squares, 1), squared, room)[owner]
        sums = np.bincount(cells, weights=weights, minlength=math.prod(shape))
        return sums.astype(np.int64).reshape(shape)

    district, week, number = districts[tower] * HOURS_PER_WEEK + hour, HOURS_PER_WEEK, stations
    return ZoomTables(
        towers=table(cell, clips.squared, number, week),
        districts=table(district, clips.squared, int(districts.max()) + 1, week),
        city=np.array([table(hour, squared, week) for squared in clips.city]),
        weeks=table(tower, clips.squared, number),
        visits=len(person),
        max_visits_cap=cap,
        clips=clips,
    )
