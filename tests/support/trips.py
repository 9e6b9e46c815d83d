"""Small datasets of trips, saved as an ingest would."""

from datetime import date, timedelta

import geopandas as gpd
import pyarrow as pa
import shapely

from engine import datasets

FIRST = date(2024, 1, 1)
_WIDTH = 10
"""Zones stand in rows of ten squares of a degree."""


def ranked(rows, first=FIRST):
    """Return rows (day, origin, destination, rank, number of trips) as a table of trips."""
    days, origins, destinations, ranks, numbers = zip(*rows, strict=True) if rows else ((),) * 5
    return pa.table(
        {
            "date": pa.array([first + timedelta(days=int(day)) for day in days], pa.date32()),
            "origin": pa.array([f"z{zone}" for zone in origins], pa.string()),
            "destination": pa.array([f"z{zone}" for zone in destinations], pa.string()),
            "rank": pa.array(ranks, pa.int16()),
            "n": pa.array(numbers, pa.int64()),
        }
    )


def save_trips(folder, rows, *, zones, days, first=FIRST, by_person=None, parents=None, **about):
    """Save ranked trips, those of the person as well where given, between so many zones."""
    ids = [f"z{i}" for i in range(zones)]
    boxes = [shapely.box(x, y, x + 1, y + 1) for y, x in (divmod(i, _WIDTH) for i in range(zones))]
    columns = {"zone_id": ids, "name": ids, **({"province_id": parents} if parents else {})}
    words = dict.fromkeys(("description", "source", "licence", "salt_id", "made_by"), "a test")
    metadata = datasets.Metadata(
        **{"name": folder.name, "simulated": True, "people_public": 100, **words, **about},
        first_day=first,
        last_day=first + timedelta(days=days - 1),
        time_zone="UTC",
        week=None,
        max_visits_cap=840,
    )
    tables = {"trips": ranked(rows, first)}
    if by_person is not None:
        tables["trips_person"] = ranked(by_person, first)
    places = gpd.GeoDataFrame(columns, geometry=boxes, crs=4326)
    return datasets.save(folder, metadata, zones=places, tables=tables)
