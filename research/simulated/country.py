"""Simulated countries: trips between zones on two levels, saved as datasets."""

from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import geopandas as gpd
import numpy as np

from engine import datasets
from engine.arrays import Integers
from engine.ingest.inputs.places import places_from_zones
from engine.synthetic.simulated_rows import (
    DAY_S,
    SimulatedRows,
    residents_table,
    simulated_metadata,
)

from .countryplaces import CountryPlaces, make_country_places, with_parents
from .mobility import CountrySpec, Population

Level = Literal["coarse", "fine"]

SAMPLE = 600_000
"""People whose trips are followed over the period for the percentiles of trips per person."""
_MOST_A_DAY = 1_000


def make_country(spec: CountrySpec, level: Level, folder: Path) -> datasets.Dataset:
    """Simulate one level of a country day by day, count it as an ingest would and save it."""
    places = make_country_places(spec.plan)
    population = Population(spec, places)
    zones = places.coarse if level == "coarse" else places.fine
    day_trips = population.coarse_day if level == "coarse" else population.fine_day
    rng = np.random.default_rng([spec.seed, 7])
    sample = min(SAMPLE, population.people)
    per_person, busy, total = np.zeros(sample, dtype=np.int64), np.zeros(_MOST_A_DAY, np.int64), 0
    period = spec.first_day, spec.first_day + timedelta(days=spec.days - 1)
    expected, salt = int(spec.people * spec.days * 3), f"{folder.name} {spec.seed}"
    with SimulatedRows.open(places_from_zones(zones), period, salt, expected) as rows:
        for day in range(spec.days):
            trips = day_trips(day)
            second = day * DAY_S + rng.integers(0, DAY_S, len(trips.person))
            rows.add_trips(trips.person, second, second, (trips.origin, trips.destination))
            today = np.bincount(trips.person[trips.person < sample], minlength=sample)
            per_person += today
            busy += np.bincount(today[today > 0], minlength=_MOST_A_DAY)
            total += len(trips.person)
        tables = rows.count_tables()
    tables.pop("report")
    if not spec.with_person_ranks:
        tables.pop("trips_person")
    home = population.home if level == "fine" else places.coarse_of_fine[population.home]
    residents = np.bincount(home, minlength=len(zones))
    tables["homes"] = residents_table(list(zones["zone_id"]), residents)
    marginals = {
        "people": spec.people,
        "trips_mean": total / spec.people,
        "percentiles_from_people": sample,
        "trips_percentiles": {
            str(q): float(np.percentile(per_person, q, method="inverted_cdf")) for q in (5, 95)
        },
        "daily_trips_percentiles": {
            str(q): int(np.searchsorted(np.cumsum(busy), q / 100 * busy.sum()))
            for q in (90, 95, 99)
        },
    }
    metadata = _metadata(spec, folder.name, marginals, _scenario(spec, places, zones, residents))
    return datasets.save(folder, metadata, zones=with_parents(zones, spec.plan), tables=tables)


def _scenario(
    spec: CountrySpec, places: CountryPlaces, zones: gpd.GeoDataFrame, residents: Integers
) -> dict[str, Any]:
    """Where an epidemic begins and what the shock was, in the ids of these zones."""
    ids, coarse_ids = np.array(zones["zone_id"]), np.array(places.coarse["zone_id"])
    coarse_of = places.coarse_of_fine if zones is places.fine else np.arange(len(ids))
    in_middle = np.flatnonzero(coarse_ids[coarse_of] == spec.mid_size_zone_id)
    chance = int(np.random.default_rng(spec.seed + 9).integers(len(ids)))
    scenario: dict[str, Any] = {
        "epidemic_origins": {
            "largest": str(ids[residents.argmax()]),
            "mid_size": str(ids[in_middle[residents[in_middle].argmax()]]),
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
    return simulated_metadata(
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
