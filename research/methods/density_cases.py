"""Data on which `zoom` and the published schemes are measured: shipped, simulated anew, real."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd

from engine import datasets, density
from engine.arrays import Booleans, Floats, Integers
from engine.datasets.zoomtables import ZoomTables
from engine.density.zoom.tree import build_tree
from engine.geography import hull_region, projected_crs, tessellate, voronoi_cells
from engine.synthetic import catalogue
from engine.synthetic.city import make_places
from engine.synthetic.visits import Activity, City, VisitCounts, Visits, simulate
from engine.synthetic.zoomtables import ZoomCounts

REAL_DATA = Path(__file__).parents[3] / "shared" / "data" / "mibici"
CAP = 840
FEW_VISITS = 100
"""Zones with fewer visits a week than this are left out where the data has nearly empty ones."""


@dataclass(frozen=True, eq=False)
class Case:
    """Data to measure on: a dataset, or one held in memory only."""

    name: str
    data: Any
    people: int
    seen: bool
    least_visits: int = 0
    recount: Callable[..., Any] | None = None

    @cached_property
    def truth(self) -> Floats:
        """True visits by zone and hour."""
        return density.truth(self.data)

    @cached_property
    def busy(self) -> Booleans:
        """Zones whose error is averaged."""
        return self.truth.sum(axis=1) >= self.least_visits


class MemoryData:
    """What the density reads of a dataset, for data that is never written to disk."""

    def __init__(
        self,
        towers: gpd.GeoDataFrame,
        zones: gpd.GeoDataFrame,
        counts: VisitCounts,
        zoom: ZoomTables,
        people: int,
    ) -> None:
        self.towers, self.zones = towers, zones
        self.tessellation = tessellate(towers, zones)
        self.truth_by_tower, self.single_visit_by_tower = counts.truth, counts.single_visit
        self.zoom_tables = zoom
        self.hour_blocks = np.arange(168)
        self.metadata = SimpleNamespace(max_visits_cap=CAP, people_public=people)
        self._ranked = counts.presampled

    def presampled_by_tower(self, kept: int) -> Integers:
        """Return the visits of rank up to `kept`."""
        return self._ranked[:, :, :kept].sum(axis=2)


def shipped() -> Iterator[Case]:
    for name in ("paris", "demo-city"):
        data = datasets.load(name)
        yield Case(name, data, data.metadata.people_public or 0, seen=True)


def new_cities() -> Iterator[Case]:
    """Simulate cities of other sizes and seeds than the constants were chosen on."""
    spec = replace(
        catalogue.DEMO_CITY, zones=260, towers=420, people=300_000, with_trips=False, seed=7,
        activity=Activity(mean=9.0, standard_deviation=14.0, maximum=500),
    )  # fmt: skip
    yield city("new city, 300,000 people", spec)
    spec = replace(
        catalogue.DEMO_CITY, zones=80, towers=90, people=20_000, with_trips=False, seed=11,
        activity=Activity(mean=20.0, standard_deviation=25.0, maximum=400),
    )  # fmt: skip
    yield city("new town, 20,000 people", spec)


def city(name: str, spec: catalogue.CitySpec, **clips: Any) -> Case:
    """Simulate a city; `clips` are those of its zoom tables."""
    places = make_places(spec)
    home = City(places.towers_m, places.land_use, reach_m=0.45 * places.radius_m)
    chunks = simulate(home, spec.people, spec.activity, seed=spec.seed + 2)
    case = in_memory(name, places.towers, places.zones, chunks, spec.people, **clips)
    # counting again takes a while
    again = partial(city, name, spec) if spec.people <= 20_000 else None
    return replace(case, recount=again)


def bikes() -> Iterator[Case]:
    """Real bike trips: both ends are visits, and each person's week counts as a person."""
    if not REAL_DATA.exists():
        return
    stations = pd.read_csv(REAL_DATA / "stations.csv").drop_duplicates("id")
    files = [pd.read_csv(path) for path in sorted(REAL_DATA.glob("trips_*.csv"))]
    trips = pd.concat(files, ignore_index=True)
    ends = [
        pd.DataFrame(
            {
                "uid": trips["Usuario_Id"].astype(str),
                "at": pd.to_datetime(trips[time], errors="coerce"),
                "station": trips[station],
            }
        )
        for time, station in (("Inicio_del_viaje", "Origen_Id"), ("Fin_del_viaje", "Destino_Id"))
    ]
    visits = pd.concat(ends).dropna()
    visits = visits[visits["station"].isin(stations["id"])]
    stations = stations[stations["id"].isin(visits["station"])].reset_index(drop=True)
    hours = (visits["at"] - pd.Timestamp("2014-12-01")) // pd.Timedelta(hours=1)
    number = dict(zip(stations["id"], range(len(stations)), strict=True))
    visits = visits.assign(
        person=visits["uid"] + " " + (hours // 168).astype(str),
        hour=(hours % 168).astype(np.int64),
        tower=visits["station"].map(number),
    )[hours >= 0]
    visits = visits.drop_duplicates(["person", "hour", "tower"]).sort_values(["person", "hour"])
    person = pd.factorize(visits["person"])[0].astype(np.int64)
    people = int(person.max()) + 1
    chunk = Visits(
        person=person,
        hour=visits["hour"].to_numpy(),
        tower=visits["tower"].to_numpy(np.int64),
        home=np.zeros(people, dtype=np.int64),
    )
    points = gpd.GeoSeries(
        gpd.points_from_xy(stations["longitude"], stations["latitude"]), crs=4326
    )
    projected = points.to_crs(projected_crs(points))
    cells = voronoi_cells(projected, hull_region(projected)).to_crs(4326)
    towers, zones = (
        gpd.GeoDataFrame(geometry=shape.to_numpy(), crs=4326) for shape in (points, cells)
    )
    case = in_memory(f"MiBici, {people:,} person-weeks (real)", towers, zones, [chunk], people)
    yield replace(case, least_visits=FEW_VISITS)


def in_memory(
    name: str,
    towers: gpd.GeoDataFrame,
    zones: gpd.GeoDataFrame,
    chunks: Any,
    people: int,
    **clips: Any,
) -> Case:
    """Count visits chunk by chunk."""
    counts = VisitCounts(len(towers), seed=1)
    zoom = ZoomCounts(
        build_tree(towers.geometry.get_coordinates().to_numpy()).districts, CAP, **clips
    )
    for chunk in chunks:
        counts.add(chunk)
        zoom.add(chunk)
    return Case(name, MemoryData(towers, zones, counts, zoom.tables(), people), people, seen=False)
