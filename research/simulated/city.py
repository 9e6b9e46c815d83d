"""Simulated cities: zones, towers and people in an outline, saved as a dataset."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import geopandas as gpd
import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from engine import datasets, validation
from engine.arrays import Floats, Integers
from engine.datasets.zoomtables import to_parquet
from engine.density.zoom.tree import build_tree
from engine.parameters import DEFAULT_MAX_VISITS_CAP, HOURS_PER_WEEK
from engine.synthetic.counted import homes_table, simulated
from research.simulated.counts import VisitCounts, Visits, ZoomCounts, density_tables
from research.simulated.reporttrips import ReportTrips
from research.simulated.triptables import TripTable

from .landuse import LandUse, LandUsePlan, plan_land_use
from .subdivision import scatter, subdivide
from .visits import Activity, City, simulate

Outline = Callable[[np.random.Generator], tuple[shapely.Geometry, CRS]]

DAY_HOURS = 24


@dataclass(frozen=True, kw_only=True)
class CitySpec:
    """What a simulated city is to be like.

    Attributes
    ----------
    name, description, source : str
        As shown to the user.
    outline : callable
        From a generator to the region (projected) and its CRS.
    zones, towers, people : int
        How many: at least two zones and two towers, else nobody can go anywhere, and one person.
    activity : Activity
        Visits per person and week.
    monday : date
        First day of the simulated week.
    quarters : tuple of str
        Invented names of its quarters.
    with_trips : bool
        Whether trips and homes of the same people are counted too.
    seed : int
        Decides everything.

    Raises
    ------
    ParameterError
        If there are too few zones, towers or people, or if a number of them is not whole.
    """

    name: str
    description: str
    source: str
    outline: Outline
    zones: int
    towers: int
    people: int
    activity: Activity
    monday: date
    time_zone: str
    with_trips: bool
    quarters: tuple[str, ...]
    seed: int

    def __post_init__(self) -> None:
        for name, least in (("zones", 2), ("towers", 2), ("people", 1)):
            remedy = f"a city needs {least} of them or more"
            number = validation.whole_number(name, getattr(self, name), least, remedy=remedy)
            object.__setattr__(self, name, number)


@dataclass(frozen=True)
class Places:
    """Geography of a simulated city; metres in the outline's CRS."""

    zones: gpd.GeoDataFrame
    towers: gpd.GeoDataFrame
    towers_m: Floats
    zone_of_tower: Integers
    land_use: LandUse
    radius_m: float


def make_city(spec: CitySpec, folder: Path) -> datasets.Dataset:
    """Simulate a city and save it in `folder`."""
    places = make_places(spec)
    city = City(places.towers_m, places.land_use, reach_m=0.45 * places.radius_m)
    counts = VisitCounts(spec.towers, seed=spec.seed + 1)
    positions = places.towers.geometry.get_coordinates().to_numpy()
    zoom = ZoomCounts(build_tree(positions).districts, DEFAULT_MAX_VISITS_CAP)
    trips = _CityTrips(spec, places) if spec.with_trips else None
    done = 0
    for visits in simulate(city, spec.people, spec.activity, seed=spec.seed + 2):
        counts.add(visits)
        zoom.add(visits)
        if trips is not None:
            trips.add(visits, first_person=done)
        done += len(visits.home)
    location_ids = list(places.towers["location_id"])
    tables = density_tables(counts, location_ids) | to_parquet(zoom.tables(), location_ids)
    if trips is not None:
        tables |= trips.tables()
    return datasets.save(
        folder, _metadata(spec, counts), zones=places.zones, towers=places.towers, tables=tables
    )


def make_places(spec: CitySpec) -> Places:
    """Subdivide the outline into zones and place the towers, both denser in the centre."""
    rng = np.random.default_rng(spec.seed)
    region, crs = spec.outline(rng)
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
    """Name places (centres in metres) after invented quarters that places near each other share.

    Returns
    -------
    list of str
        Distinct names such as "Riverside 12", numbered from the middle outwards.

    Examples
    --------
    >>> quarter_names(np.zeros((2, 2)), np.random.default_rng(0), ("Station",))
    ['Station 1', 'Station 2']
    """
    middles = centres[rng.permutation(len(centres))[: len(quarters)]]
    words = rng.permutation(np.array(quarters))[: len(middles)]
    offset = centres[:, None, :] - middles[None, :, :]
    quarter = np.argmin(np.hypot(offset[..., 0], offset[..., 1]), axis=1)
    used: dict[str, int] = {}
    names = [""] * len(centres)
    for place in np.argsort(np.hypot(*centres.T), kind="stable"):
        word = str(words[quarter[place]])
        used[word] = used.get(word, 0) + 1
        names[place] = f"{word} {used[word]}"
    return names


class _CityTrips:
    """Trips and homes of the people whose visits are counted."""

    def __init__(self, spec: CitySpec, places: Places) -> None:
        self._zone_of_tower = places.zone_of_tower
        self._ids = list(places.zones["zone_id"])
        self._monday = spec.monday
        self._homes = np.zeros(spec.zones, dtype=np.int64)
        self._by_day = TripTable(spec.zones, seed=spec.seed + 3)
        self._by_person = TripTable(spec.zones, seed=spec.seed + 4)
        self._report = ReportTrips(
            shapely.get_coordinates(places.towers.geometry.to_numpy()),
            places.zone_of_tower,
            spec.zones,
            spec.monday,
            seed=spec.seed + 5,
        )

    def add(self, visits: Visits, first_person: int) -> None:
        """Count trips: a visit in one zone and the next visit, in another, on the same day."""
        zone = self._zone_of_tower[visits.tower]
        day = visits.hour // DAY_HOURS
        person_day = (first_person + visits.person) * (HOURS_PER_WEEK // DAY_HOURS) + day
        moved = np.flatnonzero((person_day[1:] == person_day[:-1]) & (zone[1:] != zone[:-1]))
        trip = (day[moved], zone[moved], zone[moved + 1])
        self._by_day.add(person_day[moved], *trip)
        self._by_person.add(visits.person[moved], *trip)
        self._report.add(visits, first_person)
        homes = self._zone_of_tower[visits.home]
        self._homes += np.bincount(homes, minlength=len(self._ids))

    def tables(self) -> dict[str, pa.Table]:
        return {
            "trips": self._by_day.table(self._monday, self._ids),
            "trips_person": self._by_person.table(self._monday, self._ids),
            "homes": homes_table(self._ids, self._homes),
            "report": self._report.table(),
        }


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
    used: dict[int, int] = {}
    names: list[str] = []
    for zone in zone_of_tower:
        used[zone] = used.get(zone, 0) + 1
        names.append(f"{zone_names[zone]}, mast {used[zone]}")
    return names


def _metadata(spec: CitySpec, counts: VisitCounts) -> datasets.Metadata:
    if spec.activity.maximum > DEFAULT_MAX_VISITS_CAP:
        raise ValueError("simulated people may not visit more often than the public cap allows")
    outlined = "; outline from Natural Earth, public domain"
    return simulated(
        spec.name,
        spec.monday,
        7,
        spec.people,
        description=spec.description,
        source=spec.source,
        licence=f"MIT{outlined if 'Natural Earth' in spec.source else ''}",
        time_zone=spec.time_zone,
        week=spec.monday,
        scenario={"marginals": counts.marginals},
        made_by=f"python -m research.simulated {spec.name}",
    )
