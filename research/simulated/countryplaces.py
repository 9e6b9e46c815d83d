"""Simulated geography of a country: coarse zones, fine zones within them, people and flows."""

from collections.abc import Mapping
from dataclasses import dataclass

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray
from pyproj import CRS
from scipy.spatial.distance import cdist

from engine.arrays import Floats, Integers
from engine.geography import projected_crs

from . import outlines
from .subdivision import subdivide

_PROVINCE = "province"


@dataclass(frozen=True)
class Town:
    """A town that draws people: where it is, its weight and how far it reaches."""

    longitude: float
    latitude: float
    weight: float
    reach_km: float


@dataclass(frozen=True, kw_only=True)
class CountryOutline:
    """How a country is divided."""

    outline: str
    coarse_per_province: Mapping[str, int] | None
    coarse_word: str
    fine_word: str
    fine: int
    towns: tuple[Town, ...]
    seed: int


@dataclass(frozen=True, eq=False)
class CountryPlaces:
    """Two nested levels of zones and where people live."""

    coarse: gpd.GeoDataFrame
    fine: gpd.GeoDataFrame
    coarse_of_fine: Integers
    residents: Floats
    coarse_distances_km: Floats
    fine_distances_km: Floats

    @property
    def coarse_residents(self) -> Floats:
        """Share of the people by coarse zone."""
        return np.bincount(self.coarse_of_fine, weights=self.residents).astype(np.float64)


def make_country_places(plan: CountryOutline) -> CountryPlaces:
    """Subdivide a country into its coarse and fine zones."""
    rng = np.random.default_rng(plan.seed)
    provinces = outlines.provinces(plan.outline)
    crs = projected_crs(provinces)
    towns_m = _projected_towns(plan, crs)
    coarse = _coarse_zones(plan, provinces.to_crs(crs), towns_m, rng)
    areas_km2 = coarse.geometry.area.to_numpy() / 1e6
    crowd = _town_pull(plan, towns_m, _centres(coarse))
    numbers = _apportion(areas_km2**0.35 * crowd**0.25, plan.fine)
    fine = _divide(coarse, numbers, plan.fine_word, plan, towns_m, rng)
    owner = np.repeat(np.arange(len(coarse)), numbers)
    centres = _centres(fine)
    liveable = (fine.geometry.area.to_numpy() / 1e6) ** 0.35 * rng.lognormal(0.0, 0.35, len(fine))
    residents = liveable * _town_pull(plan, towns_m, centres)
    return CountryPlaces(
        coarse=coarse.to_crs(4326),
        fine=fine.to_crs(4326),
        coarse_of_fine=owner,
        residents=residents / residents.sum(),
        coarse_distances_km=_distances_km(_centres(coarse)),
        fine_distances_km=_distances_km(centres),
    )


def with_parents(zones: gpd.GeoDataFrame, plan: CountryOutline) -> gpd.GeoDataFrame:
    """Return zones with a column of ids and one of names for every level above their own."""
    words = (plan.coarse_word, plan.fine_word)
    levels = [_PROVINCE, *(word for word in words if word != _PROVINCE)]
    ids, names = zones["zone_id"].astype(str), zones["name"].astype(str)
    described = pd.DataFrame(zones)
    parts = int(names.str.count(", ").max())
    for depth, level in enumerate(levels[:parts]):
        dropped = parts - depth
        described = described.assign(
            **{
                f"{level}_id": ids.str.rsplit("-", n=dropped).str[0],
                level: names.str.rsplit(", ", n=dropped).str[0],
            }
        )
    geometry = described.pop("geometry")
    return gpd.GeoDataFrame(described, geometry=geometry, crs=zones.crs)


def gravity(
    weights: Floats, distances_km: Floats, decay: float, scatter: float, rng: np.random.Generator
) -> Floats:
    """Return symmetric flows whose row sums are in proportion to `weights`; diagonal 0."""
    ties = np.triu(rng.standard_normal(distances_km.shape), 1)
    base = (1.0 + distances_km / 20.0) ** -decay * np.exp(scatter * (ties + ties.T))
    np.fill_diagonal(base, 0.0)
    target = weights / weights.sum()
    scale = np.sqrt(target)
    for _ in range(1000):
        scale = np.sqrt(scale * target / (base @ scale))
    return scale[:, None] * base * scale[None, :]


def _coarse_zones(
    plan: CountryOutline, provinces: gpd.GeoDataFrame, towns_m: Floats, rng: np.random.Generator
) -> gpd.GeoDataFrame:
    names = provinces["name"].astype(str)
    repeated = names.duplicated(keep=False)
    codes = provinces["adm1_code"].astype(str)
    provinces = gpd.GeoDataFrame(
        {"zone_id": codes, "name": names.where(~repeated, names + " (" + codes + ")")},
        geometry=provinces.geometry,
        crs=provinces.crs,
    )
    if plan.coarse_per_province is None:
        return provinces
    numbers = np.array([plan.coarse_per_province[code] for code in codes])
    return _divide(provinces, numbers, plan.coarse_word, plan, towns_m, rng)


def _divide(
    whole: gpd.GeoDataFrame,
    numbers: Integers,
    word: str,
    plan: CountryOutline,
    towns_m: Floats,
    rng: np.random.Generator,
) -> gpd.GeoDataFrame:
    """Divide every zone of `whole` into as many parts as `numbers` says."""
    rows: list[tuple[str, str]] = []
    polygons: list[NDArray[np.object_]] = []
    zones = zip(whole["zone_id"], whole["name"], whole.geometry, numbers, strict=True)
    for zone_id, name, polygon, number in zones:
        parts = subdivide(
            polygon, int(number), rng, lambda points: _town_pull(plan, towns_m, points) ** 0.7
        )
        north_to_south = np.argsort(-shapely.get_coordinates(shapely.centroid(parts))[:, 1])
        polygons.append(parts[north_to_south])
        rows += [(f"{zone_id}-{i:02d}", f"{name}, {word} {i}") for i in range(1, number + 1)]
    ids, names = zip(*rows, strict=True)
    return gpd.GeoDataFrame(
        {"zone_id": ids, "name": names}, geometry=np.concatenate(polygons), crs=whole.crs
    )


def _town_pull(plan: CountryOutline, towns_m: Floats, points: Floats) -> Floats:
    pull = np.ones(len(points))
    for town, place in zip(plan.towns, towns_m, strict=True):
        distance_km = np.hypot(*(points - place).T) / 1e3
        pull += town.weight * np.exp(-((distance_km / town.reach_km) ** 2))
    return pull


def _projected_towns(plan: CountryOutline, crs: CRS) -> Floats:
    towns = gpd.GeoSeries(
        gpd.points_from_xy([t.longitude for t in plan.towns], [t.latitude for t in plan.towns]),
        crs=4326,
    )
    return shapely.get_coordinates(towns.to_crs(crs).to_numpy())


def _distances_km(centres_m: Floats) -> Floats:
    return np.asarray(cdist(centres_m, centres_m) / 1e3, dtype=np.float64)


def _centres(zones: gpd.GeoDataFrame) -> Floats:
    return shapely.get_coordinates(shapely.centroid(zones.geometry.to_numpy()))


def _apportion(weights: Floats, total: int) -> Integers:
    """Share out `total` zones by weight, at least 2 each, by largest remainders."""
    free = total - 2 * len(weights)
    exact = weights / weights.sum() * free
    numbers = np.floor(exact).astype(np.int64)
    largest = np.argsort(numbers - exact, kind="stable")[: free - int(numbers.sum())]
    numbers[largest] += 1
    return numbers + 2
