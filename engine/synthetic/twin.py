"""A twin: simulated people in a custodian's own zones, from public facts alone.

Everything can be tried on a twin, and the confidential data are touched once, at the release. What
transfers is the choice of settings, not the level of the errors: real flows are more concentrated
than any model (``docs/data.md``).

The model: a place pulls by its residents, unevenly and in clusters; pairs of zones have an affinity
of their own; people differ in how often they travel, and repeat their way to work. Every day begins
at home.
"""

from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import shapely

from .. import datasets
from ..arrays import Floats
from .reporttrips import ReportTrips
from .triptables import Progress, TripTable, homes_table, simulated
from .twininputs import TwinInputs
from .twinpeople import People, Week, chunk_size, report_trips

MOST_REPORTED = 8_000_000
"""Trips up to which the mobility report's table is made too; it holds them all at once."""


def twin(
    zones: gpd.GeoDataFrame,
    inputs: TwinInputs,
    folder: Path,
    *,
    flows: Floats | None = None,
    progress: Progress = lambda _: None,
    report: bool = True,
) -> datasets.Dataset:
    """Simulate people in the given zones and save them as an ordinary dataset.

    Parameters
    ----------
    zones : GeoDataFrame
        ``zone_id``, ``name`` and polygons, at least two; with a column ``residents``, else people
        live by area.
    inputs : TwinInputs
    folder : Path
        Folder of the dataset.
    flows : array, shape (zones, zones), optional
        A public table of another source, such as commuters of a census: the pattern of flows in
        place of gravity. Its level does not matter.
    progress : callable, optional
        Called with the share done, 0 to 1.
    report : bool
        Whether to make the mobility report's table, too.

    Raises
    ------
    InputError, ParameterError
        If the zones or inputs cannot make a dataset; nothing is written.

    Examples
    --------
    >>> import tempfile
    >>> city = datasets.load("demo-city").zones
    >>> folder = Path(tempfile.mkdtemp()) / "twin"
    >>> town = twin(city, TwinInputs(people=500, trips_a_day=1.0), folder)
    >>> town.metadata.simulated, len(town.zones), town.has_trips
    (True, 150, True)
    """
    model = People(zones, inputs, flows)
    ids = list(zones["zone_id"])
    trips, by_person = (TripTable(len(ids), seed=[inputs.seed, 10 + part]) for part in range(2))
    week = Week(model, inputs) if inputs.visits_a_week and inputs.monday else None
    expected = inputs.people * inputs.days * inputs.trips_a_day
    timed = None
    if report and 0 < expected <= MOST_REPORTED:
        places, zone = shapely.get_coordinates(model.points), np.arange(len(ids))
        timed = ReportTrips(places, zone, len(ids), inputs.first_day)
    homes, travelled = np.zeros(len(ids), dtype=np.int64), 0
    for first, chunk in model.chunks():
        homes += np.bincount(chunk.home, minlength=len(ids))
        travelled += len(chunk.day)
        trips.add(first * inputs.days + chunk.person * inputs.days + chunk.day, *chunk.trip)
        by_person.add(chunk.person, *chunk.trip)
        if week is not None:
            week.add(chunk)
        if timed is not None:
            report_trips(timed, first, chunk)
        progress(0.9 * min(1.0, (first + chunk_size(inputs)) / inputs.people))
    tables = {
        "trips": trips.table(inputs.first_day, ids),
        "trips_person": by_person.table(inputs.first_day, ids),
        "homes": homes_table(ids, homes),
    }
    if timed is not None:
        tables["report"] = timed.table()
    towers = None
    if week is not None:
        tables |= week.tables(ids)
        towers = gpd.GeoDataFrame(
            {"location_id": ids, "name": list(zones["name"])},
            geometry=gpd.GeoSeries(model.points, crs=zones.crs),
        ).to_crs(4326)
    residents = float(np.sum(zones["residents"].to_numpy())) if "residents" in zones else None
    described = inputs.described(
        zones=len(ids), residents=residents, public_flows=flows is not None
    )
    metadata = _metadata(
        inputs, folder.name, described, week is not None, travelled / inputs.people
    )
    saved = datasets.save(folder, metadata, zones=zones.to_crs(4326), towers=towers, tables=tables)
    progress(1.0)
    return saved


def _metadata(
    inputs: TwinInputs, name: str, described: dict[str, Any], visits: bool, trips: float
) -> datasets.Metadata:
    return simulated(
        name,
        inputs.first_day,
        inputs.days,
        inputs.people,
        description="A twin: simulated people in your own zones, from public facts",
        source="simulated people; zones and totals as stated by its maker",
        licence="as the zones' own",
        time_zone=inputs.time_zone,
        week=inputs.monday if visits else None,
        made_by="mobility-privacy-explorer twin",
        scenario={"twin": described, "marginals": {"people": inputs.people, "trips_mean": trips}},
    )
