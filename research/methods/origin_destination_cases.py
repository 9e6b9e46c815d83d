"""The matrices that `estimate` is measured on: shipped datasets and real trips of bikes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.cluster.vq import kmeans2
from scipy.spatial.distance import cdist

from engine import datasets, origin_destination as od
from engine.arrays import Floats, Integers
from engine.geography import centre_distances_m

REAL_DATA = Path(__file__).parents[3] / "shared" / "data" / "mibici"
DAY = 5
WEEK = 7
MONTHS = ("2015_02", "2015_09")
CLUSTERS = (30, 100)


@dataclass(frozen=True)
class Case:
    """True daily matrices, shape (days, zones, zones), with the zones' public distances."""

    name: str
    true: Integers
    distances_m: Floats


def shipped(days: int | slice = DAY) -> Iterator[Case]:
    for name in datasets.available():
        dataset = datasets.load(name)
        if dataset.has_trips and dataset.metadata.simulated:
            yield Case(name, od.truth(dataset, days=days), centre_distances_m(dataset.zones))


def bikes() -> Iterator[Case]:
    """Yield the trips of each month as one matrix."""
    for name, trips, distances_m in _bike_trips((*CLUSTERS, None)):
        yield Case(name, _stacked(trips, np.zeros(len(trips), dtype=np.int64), 1), distances_m)


def bike_days(days: int = WEEK) -> Iterator[Case]:
    """Yield the first days of each month, by clusters."""
    for name, trips, distances_m in _bike_trips(CLUSTERS):
        day = trips["day"].to_numpy() - 1
        first = day < days
        yield Case(name, _stacked(trips[first], day[first], days), distances_m)


def _stacked(trips: pd.DataFrame, day: Integers, days: int) -> Integers:
    size = int(trips.attrs["zones"])
    cells = (day * size + trips["origin"].to_numpy()) * size + trips["destination"].to_numpy()
    true = np.bincount(cells, minlength=days * size**2).reshape(days, size, size)
    return true * (1 - np.eye(size, dtype=np.int64))


def _bike_trips(clusterings: tuple[int | None, ...]) -> Iterator[tuple[str, pd.DataFrame, Floats]]:
    """Yield name, trips (day of the month, origin, destination) and distances of zones."""
    if not REAL_DATA.exists():
        return
    stations = pd.read_csv(REAL_DATA / "stations.csv").drop_duplicates("id")
    latitude, longitude = stations["latitude"].to_numpy(), stations["longitude"].to_numpy()
    place = np.column_stack([longitude * np.cos(np.radians(latitude.mean())), latitude]) * 111_195
    for month in MONTHS:
        trips = pd.read_csv(REAL_DATA / f"trips_{month}.csv")
        ends = [
            trips[column].map(dict(zip(stations["id"], range(len(stations)), strict=True)))
            for column in ("Origen_Id", "Destino_Id")
        ]
        known = ends[0].notna() & ends[1].notna()
        origin, destination = (end[known].to_numpy().astype(np.int64) for end in ends)
        day = pd.to_datetime(trips["Inicio_del_viaje"])[known].dt.day.to_numpy().astype(np.int64)
        for clusters in clusterings:
            centres, zone = place, np.arange(len(place))
            if clusters is not None:
                centres, zone = kmeans2(place, clusters, seed=0, minit="++", iter=50)
            table = pd.DataFrame(
                {"day": day, "origin": zone[origin], "destination": zone[destination]}
            )
            table.attrs["zones"] = len(centres)
            what = f"{len(centres)} " + ("stations" if clusters is None else "clusters")
            yield f"MiBici {month.replace('_', '-')}, {what}", table, cdist(centres, centres)
