"""Simulated people in a custodian's own zones, from public facts alone (a twin).

Settings can be tried on a twin, and the confidential data are used once, at the release. The choice
of settings transfers, the level of the errors does not: real flows are more concentrated than any
model (``docs/data.md``).

The model: a place attracts by its residents, unevenly and in clusters; pairs of zones have an
affinity of their own; people differ in their number of trips, and repeat their way to work. Every
day begins at home.
"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import geopandas as gpd
import numpy as np

from .. import datasets
from ..ingest.inputs.places import places_from_zones
from .simulated_rows import DAY_S, SimulatedRows, residents_table, simulated_metadata
from .twin_inputs import TwinInputs, count_trips
from .twin_people import TwinPopulation, WeekRecords, arrival_times_s, chunk_size

Progress = Callable[[float], None]


def twin(
    zones: gpd.GeoDataFrame,
    inputs: TwinInputs,
    folder: Path,
    *,
    progress: Progress = lambda _: None,
) -> datasets.Dataset:
    """Return a dataset of simulated people in `zones` (``zone_id``, ``name``, ``residents``)."""
    model = TwinPopulation(zones, inputs)
    ids, plane = list(zones["zone_id"]), zones.to_crs(4326)
    places = places_from_zones(plane)
    points = places.towers.geometry.to_numpy()
    week = WeekRecords(inputs) if inputs.visits_a_week and inputs.monday else None
    expected = int(count_trips(vars(inputs)) + inputs.people * inputs.visits_a_week)
    homes, travelled = np.zeros(len(ids), dtype=np.int64), 0
    period = inputs.first_day, inputs.first_day + timedelta(days=inputs.days - 1)
    with SimulatedRows.open(places, period, f"twin {inputs.seed}", expected) as rows:
        for first, chunk in model.simulate_chunks():
            homes += np.bincount(chunk.home, minlength=len(ids))
            travelled += len(chunk.day)
            second, ends = chunk.day * DAY_S + chunk.second, (chunk.origin, chunk.destination)
            rows.add_trips(first + chunk.person, second, arrival_times_s(points, chunk), ends)
            if week is not None:
                person, zone, hour = week.draw_records(chunk)
                rows.add_records(first + person, zone, hour)
            progress(0.5 * min(1.0, (first + chunk_size(inputs)) / inputs.people))
        tables = rows.count_tables() | {"homes": residents_table(ids, homes)}
    residents = float(np.sum(zones["residents"].to_numpy())) if "residents" in zones else None
    metadata = simulated_metadata(
        folder.name,
        inputs.first_day,
        inputs.days,
        inputs.people,
        description="A twin: simulated people in your own zones, from public facts",
        source="simulated people; zones and totals as stated by its maker",
        licence="as the zones' own",
        time_zone=inputs.time_zone,
        week=inputs.monday if week is not None else None,
        made_by="mobility-privacy-explorer twin",
        scenario={
            "twin": inputs.to_json(len(ids), residents),
            "marginals": {"people": inputs.people, "trips_mean": travelled / inputs.people},
        },
    )
    saved = datasets.save(
        folder, metadata, zones=plane, towers=places.towers if week else None, tables=tables
    )
    progress(1.0)
    return saved
