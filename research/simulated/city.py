"""Simulated cities: zones, towers and people in an outline, saved as a dataset."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import shapely
from numpy.typing import NDArray

from engine import datasets
from engine.arrays import Floats, Integers
from engine.ingest.inputs import places as ingest
from engine.ingest.options import IngestOptions
from engine.parameters import HOURS_PER_WEEK
from engine.synthetic.simulated_rows import SimulatedRows, residents_table, simulated_metadata
from engine.synthetic.twin_people import travel_time_s

from .landuse import LandUse, LandUsePlan, plan_land_use
from .outlines import city_outline
from .subdivision import scatter, subdivide
from .visits import Activity, City, Visits, simulate


@dataclass(frozen=True, kw_only=True)
class CitySpec:
    """What a simulated city is to be like; its first day is a Monday."""

    name: str
    description: str
    source: str
    outline: str
    zones: int
    towers: int
    people: int
    activity: Activity
    monday: date
    time_zone: str
    with_trips: bool
    quarters: tuple[str, ...]
    seed: int


@dataclass(frozen=True)
class Places:
    """Geography of a simulated city; metres in the outline's CRS."""

    zones: gpd.GeoDataFrame
    towers: gpd.GeoDataFrame
    towers_m: Floats
    zone_of_tower: Integers
    land_use: LandUse
    radius_m: float


def make_city(spec: CitySpec, folder: Path, *, commutes: bool = False) -> datasets.Dataset:
    """Simulate a city, count it or its home–work flows as an ingest would; save it in `folder`."""
    places, homes = make_places(spec), np.zeros(spec.zones, dtype=np.int64)
    city = City(places.towers_m, places.land_use, reach_m=0.45 * places.radius_m)
    owner = places.zone_of_tower
    counted = ingest.Places(places.towers, places.zones, owner.astype(np.int32))
    period, rng = (spec.monday, spec.monday + timedelta(days=6)), np.random.default_rng(spec.seed)
    each: list[Integers] = []
    with SimulatedRows.open(counted, period, f"{spec.name} {spec.seed}", 30 * spec.people) as rows:
        first = 0
        for visits in simulate(city, spec.people, spec.activity, seed=spec.seed + 2):
            rows.add_records(first + visits.person, visits.tower, visits.hour)
            if spec.with_trips and not commutes:
                rows.add_trips(*_trips(places, visits, first, rng))
            homes += np.bincount(owner[visits.home], minlength=spec.zones)
            each.append(np.bincount(visits.person, minlength=len(visits.home)))
            first += len(visits.home)
        tables = rows.count_tables()
        about: dict[str, Any] = {"time_zone": spec.time_zone, "parts": ("commutes",), "out": folder}
        about |= {"first_day": period[0], "last_day": period[1]}
        options = IngestOptions(kind="visits", inputs=(spec.name,), **about)
        pairs = rows.count_commutes(options) if commutes else None
    if pairs is not None:
        metadata = replace(
            _metadata(spec, np.concatenate(each)),
            name=folder.name,
            description="An invented city: the home and work zone of each simulated person",
            week=None,
            people_once=True,
            home_work_rule=options.home_work_rule,
            same_people_as=spec.name,
            made_by=f"python -m research.simulated {folder.name}",
        )
        tables = dict.fromkeys(("trips", "trips_person"), pairs)
        return datasets.save(folder, metadata, zones=places.zones, tables=tables)
    names = ("trips", "trips_person", "report")
    tables = {name: one for name, one in tables.items() if spec.with_trips or name not in names}
    tables.pop("homes", None)
    if spec.with_trips:
        tables["homes"] = residents_table(list(places.zones["zone_id"]), homes)
    metadata = _metadata(spec, np.concatenate(each))
    return datasets.save(folder, metadata, zones=places.zones, towers=places.towers, tables=tables)


def _trips(
    places: Places, visits: Visits, first: int, rng: np.random.Generator
) -> tuple[Integers, Integers, Integers, tuple[Integers, Integers]]:
    """Return the ways from each visit to the next at another tower on the same day."""
    slot = visits.person * HOURS_PER_WEEK + visits.hour
    _, start, number = np.unique(slot, return_index=True, return_counts=True)
    position = np.arange(len(slot)) - np.repeat(start, number)
    share = (position + rng.random(len(slot))) / np.repeat(number, number)
    begins = visits.hour * 3_600 + np.floor(share * 3_600).astype(np.int64)
    day = visits.person * 7 + visits.hour // 24
    moved = np.flatnonzero((day[1:] == day[:-1]) & (visits.tower[1:] != visits.tower[:-1]))
    ends = visits.tower[moved], visits.tower[moved + 1]
    way = travel_time_s(places.towers.geometry.to_numpy(), *ends) * rng.lognormal(
        0.0, 0.35, len(moved)
    )
    finish = begins[moved + 1]
    leaves = np.maximum(begins[moved], finish - way.astype(np.int64))
    return first + visits.person[moved], leaves, finish, ends


def make_places(spec: CitySpec) -> Places:
    """Subdivide the outline into zones and place the towers, both denser in the centre."""
    rng = np.random.default_rng(spec.seed)
    region, crs = city_outline(spec.outline, rng)
    west, south, east, north = shapely.bounds(region)
    centre = np.array([(west + east) / 2, (south + north) / 2])
    radius_m = float(np.sqrt(shapely.area(region) / np.pi))
    plan = plan_land_use(centre, radius_m, rng)
    polygons = _zones(region, spec.zones, rng, plan)
    zone_centres = shapely.get_coordinates(shapely.centroid(polygons)) - centre
    towers_m = scatter(region, spec.towers, rng, lambda points: _intensity(plan, points))
    owner = np.asarray(shapely.STRtree(polygons).nearest(shapely.points(towers_m)), np.int64)
    zone_names = quarter_names(zone_centres, rng, spec.quarters)
    zones = gpd.GeoDataFrame(
        {"zone_id": numbered("Z", spec.zones), "name": zone_names}, geometry=polygons, crs=crs
    )
    towers = gpd.GeoDataFrame(
        {"location_id": numbered("T", spec.towers), "name": _tower_names(owner, zone_names)},
        geometry=shapely.points(towers_m),
        crs=crs,
    )
    return Places(
        zones=zones.to_crs(4326),
        towers=towers.to_crs(4326),
        towers_m=towers_m,
        zone_of_tower=owner,
        land_use=plan.at(towers_m),
        radius_m=radius_m,
    )


def numbered(letter: str, count: int) -> list[str]:
    """Return ids such as ``Z001`` whose alphabetical order is their order."""
    return [f"{letter}{i:0{len(str(count))}d}" for i in range(1, count + 1)]


def quarter_names(
    centres: Floats, rng: np.random.Generator, quarters: tuple[str, ...]
) -> list[str]:
    """Name places (centres in metres) after invented quarters that places near each other share."""
    middles = centres[rng.permutation(len(centres))[: len(quarters)]]
    words = rng.permutation(np.array(quarters))[: len(middles)]
    offset = centres[:, None, :] - middles[None, :, :]
    quarter = np.argmin(np.hypot(offset[..., 0], offset[..., 1]), axis=1)
    used: Counter[str] = Counter()
    names = [""] * len(centres)
    for place in np.argsort(np.hypot(*centres.T), kind="stable"):
        word = str(words[quarter[place]])
        used[word] += 1
        names[place] = f"{word} {used[word]}"
    return names


def _zones(
    region: shapely.Geometry, count: int, rng: np.random.Generator, plan: LandUsePlan
) -> NDArray[np.object_]:
    """Subdivide every bank of the region by itself, so that no zone crosses the river."""
    banks = shapely.get_parts(region)
    banks = banks[np.argsort(-shapely.area(banks))]
    share = shapely.area(banks) / shapely.area(region)
    numbers = np.maximum(1, np.round(share * count).astype(int))
    numbers[0] += count - numbers.sum()
    parts = [
        subdivide(bank, int(number), rng, lambda points: _intensity(plan, points))
        for bank, number in zip(banks, numbers, strict=True)
    ]
    return np.concatenate(parts)


def _intensity(plan: LandUsePlan, points: Floats) -> Floats:
    return plan.at(points).together


def _tower_names(zone_of_tower: Integers, zone_names: list[str]) -> list[str]:
    used: Counter[int] = Counter()
    names: list[str] = []
    for zone in zone_of_tower:
        used[zone] += 1
        names.append(f"{zone_names[zone]}, mast {used[zone]}")
    return names


def _metadata(spec: CitySpec, each: Integers) -> datasets.Metadata:
    outlined = "; outline from Natural Earth, public domain"
    return simulated_metadata(
        spec.name,
        spec.monday,
        7,
        spec.people,
        description=spec.description,
        source=spec.source,
        licence=f"MIT{outlined if 'Natural Earth' in spec.source else ''}",
        time_zone=spec.time_zone,
        week=spec.monday,
        scenario={
            "marginals": {
                "people": len(each),
                "visits_mean": float(each.mean()),
                "visits_standard_deviation": float(each.std()),
                "visits_maximum": int(each.max()),
            }
        },
        made_by=f"python -m research.simulated {spec.name}",
    )
