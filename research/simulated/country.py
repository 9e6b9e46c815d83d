"""Simulated countries: trips between zones on two levels, saved as datasets."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import geopandas as gpd
import numpy as np
import pyarrow as pa

from engine import datasets
from engine.arrays import Integers
from engine.synthetic.counted import homes_table, simulated
from research.simulated.triptables import TripTable

from .countryplaces import CountryPlaces, make_country_places, with_parents
from .mobility import CountrySpec, Population, Trips

Level = Literal["coarse", "fine"]

SAMPLE = 600_000
"""People whose trips are followed over the period for the percentiles of trips per person."""
_MOST_A_DAY = 1_000


def make_country(spec: CountrySpec, level: Level, folder: Path) -> datasets.Dataset:
    """Simulate one level of a country, day by day, and save it in `folder`."""
    places = make_country_places(spec.plan)
    population = Population(spec, places)
    zones = places.coarse if level == "coarse" else places.fine
    day_trips = population.coarse_day if level == "coarse" else population.fine_day
    days = (
        _count_day(day_trips(day), day, len(zones), population, spec) for day in range(spec.days)
    )
    tables, marginals = _tables(spec, days, zones)
    tables["homes"] = _homes(population, places, level)
    metadata = _metadata(spec, folder.name, marginals, _scenario(spec, places, level, tables))
    return datasets.save(folder, metadata, zones=with_parents(zones, spec.plan), tables=tables)


def _count_day(
    trips: Trips, day: int, zones: int, population: Population, spec: CountrySpec
) -> dict[str, Integers]:
    """Return the counts of one day and, where needed later, its trips person by person."""
    table = TripTable(zones, seed=[spec.seed, 7, day])
    when = np.full(len(trips.person), day)
    table.add(trips.person, when, trips.origin, trips.destination)
    keys, counts = table.counts()
    sample = min(SAMPLE, population.people)
    counted = {
        "keys": keys,
        "counts": counts,
        "sample": np.bincount(trips.person[trips.person < sample], minlength=sample),
    }
    if spec.with_person_ranks:
        counted |= {"person": trips.person, "origin": trips.origin, "dest": trips.destination}
    return counted


def _tables(
    spec: CountrySpec, days: Iterable[dict[str, Integers]], zones: gpd.GeoDataFrame
) -> tuple[dict[str, pa.Table], dict[str, Any]]:
    ids = list(zones["zone_id"])
    by_day = TripTable(len(ids), seed=0)
    by_person = TripTable(len(ids), seed=[spec.seed, 8])
    per_person = np.zeros(min(SAMPLE, spec.people), dtype=np.int64)
    busy = np.zeros(_MOST_A_DAY, dtype=np.int64)
    everyone: list[tuple[Integers, Integers, Integers, Integers]] = []
    for day, stored in enumerate(days):
        by_day.add_counts(stored["keys"], stored["counts"])
        per_person += stored["sample"]
        busy += np.bincount(stored["sample"][stored["sample"] > 0], minlength=_MOST_A_DAY)
        if spec.with_person_ranks:
            when = np.full(len(stored["person"]), day)
            everyone.append((stored["person"], when, stored["origin"], stored["dest"]))
    tables = {"trips": by_day.table(spec.first_day, ids)}
    if spec.with_person_ranks:
        columns = [np.concatenate(parts) for parts in zip(*everyone, strict=True)]
        by_person.add(*columns)
        tables["trips_person"] = by_person.table(spec.first_day, ids)
    marginals = {
        "people": spec.people,
        "trips_mean": float(tables["trips"]["n"].to_numpy().sum() / spec.people),
        "percentiles_from_people": len(per_person),
        "trips_percentiles": {
            str(q): float(np.percentile(per_person, q, method="inverted_cdf")) for q in (5, 95)
        },
        "daily_trips_percentiles": {
            str(q): int(np.searchsorted(np.cumsum(busy), q / 100 * busy.sum()))
            for q in (90, 95, 99)
        },
    }
    return tables, marginals


def _homes(population: Population, places: CountryPlaces, level: Level) -> pa.Table:
    zones = places.coarse if level == "coarse" else places.fine
    home = population.home if level == "fine" else places.coarse_of_fine[population.home]
    return homes_table(list(zones["zone_id"]), np.bincount(home, minlength=len(zones)))


def _scenario(
    spec: CountrySpec, places: CountryPlaces, level: Level, tables: dict[str, pa.Table]
) -> dict[str, Any]:
    """Where an epidemic begins and what the shock was, in the ids of this level."""
    homes = tables["homes"]["n"].to_numpy()
    ids = np.array(places.coarse["zone_id"] if level == "coarse" else places.fine["zone_id"])
    coarse_ids = np.array(places.coarse["zone_id"])
    coarse_of = np.arange(len(ids)) if level == "coarse" else places.coarse_of_fine
    in_middle = np.flatnonzero(coarse_ids[coarse_of] == spec.mid_size_zone_id)
    chance = int(np.random.default_rng(spec.seed + 9).integers(len(ids)))
    scenario: dict[str, Any] = {
        "epidemic_origins": {
            "largest": str(ids[homes.argmax()]),
            "mid_size": str(ids[in_middle[homes[in_middle].argmax()]]),
            "random": str(ids[chance]),
        }
    }
    if spec.shock is not None:
        scenario["shock"] = {
            "zone_ids": [str(i) for i in ids[coarse_ids[coarse_of] == spec.shock.zone_id]],
            "first_day": spec.first_day.isoformat(),
            "days": spec.days,
            "factor": spec.shock.factor,
            "fading_days": spec.shock.fading_days,
        }
    return scenario


def _metadata(
    spec: CountrySpec, name: str, marginals: dict[str, Any], scenario: dict[str, Any]
) -> datasets.Metadata:
    return simulated(
        name,
        spec.first_day,
        spec.days,
        spec.people,
        description=spec.description,
        source=spec.source,
        licence="MIT; outlines from Natural Earth, public domain",
        time_zone=spec.time_zone,
        week=None,
        made_by=f"python -m research.simulated {name}",
        scenario={**scenario, "marginals": marginals},
    )
