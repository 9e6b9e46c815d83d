"""Forms in which mobility data are published, by name: what their columns mean, how they read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError
from .inputs.mapping import plain, whole
from .inputs.sources import inspect
from .options import Choice, Kind, Reading


class Preset(NamedTuple):
    """One form; `columns` and `zones` are lines of canonical=name|other name."""

    name: str
    kind: Kind
    about: str
    columns: str
    zones: str = ""
    reading: Reading = Reading()
    leave_out: tuple[Choice, ...] = ()
    id_prefix: bool = False


_SPECTUS_ENDS = """
    origin_lat=start_lat
    origin_lng=start_lng
    destination_lat=end_lat
    destination_lng=end_lng"""
_TSMC = ("uid", "venue", "category_id", "category", "lat", "lng", "offset", "datetime")
PRESETS: tuple[Preset, ...] = (
    Preset(
        "tlc",
        "rides",
        "trips of New York's taxis, between taxi zones",
        """datetime=tpep_pickup_datetime|lpep_pickup_datetime|pickup_datetime
        end_datetime=tpep_dropoff_datetime|lpep_dropoff_datetime|dropoff_datetime
        origin=PULocationID
        destination=DOLocationID""",
        "zone_id=LocationID|location_id\nname=zone",
        leave_out=("repeated-places",),
    ),
    Preset(
        "citibike",
        "rides",
        "trips of a bike share (Citi Bike and others of Lyft), by coordinates",
        """datetime=started_at|starttime|Start Time
        end_datetime=ended_at|stoptime|Stop Time
        tid=ride_id
        origin_lat=start_lat|start station latitude
        origin_lng=start_lng|start station longitude
        destination_lat=end_lat|end station latitude
        destination_lng=end_lng|end station longitude""",
        leave_out=("unreadable",),
    ),
    Preset(
        "lodes",
        "flows",
        "trips from home to work (LODES), in the areas of the file of zones",
        "origin=h_geocode\ndestination=w_geocode\nflow=S000",
        "zone_id=GEOID|GEOID20|GEOID10",
        id_prefix=True,
    ),
    Preset(
        "mitma",
        "flows",
        "daily matrices of Spain's ministry of transport",
        "date=fecha\norigin=origen\ndestination=destino\nflow=viajes",
        "zone_id=ID",
        Reading(delimiter="|", number_times="yyyymmdd", decimal="."),
    ),
    Preset(
        "meta",
        "flows",
        "Meta's movement between polygons; suppressed cells are not known, not 0",
        """date=date_time|ds
        origin=start_polygon_id|start_quadkey
        destination=end_polygon_id|end_quadkey
        flow=n_crisis""",
        "zone_id=polygon_id",
        leave_out=("unknown-flows",),
    ),
    Preset(
        "spectus",
        "trips",
        "trajectories of Spectus (Cuebiq), by coordinates",
        "uid=cuebiq_id\ndatetime=start_zoned_datetime\nend_datetime=end_zoned_datetime"
        + _SPECTUS_ENDS,
    ),
    Preset(
        "spectus",
        "visits",
        "stops or pings of Spectus (Cuebiq), by coordinates",
        """uid=cuebiq_id
        datetime=stop_zoned_datetime|zoned_datetime|event_zoned_datetime
        lat=lat|latitude
        lng=lng|longitude""",
    ),
    Preset(
        "tsmc",
        "visits",
        "check-ins of Foursquare (TSMC2014), by coordinates, times in UTC",
        "uid=uid\ndatetime=datetime\nlat=lat\nlng=lng",
        reading=Reading(delimiter="\t", header=_TSMC),
    ),
    Preset(
        "tsmc",
        "visits",
        "check-ins of Foursquare (TSMC2014) with names of columns, times in UTC",
        "uid=userId\ndatetime=utcTimestamp\nlat=latitude\nlng=longitude",
    ),
    Preset(
        "census",
        "flows",
        "flows between counties of the US census, by FIPS codes",
        """origin=GEOID1|State FIPS Code:2+County FIPS Code:3|state1:2+county1:3|STATE_R:2+COUNTY_R:3
        destination=GEOID2|State FIPS Code (2):2+County FIPS Code (2):3|state2:2+county2:3|STATE_W:2+COUNTY_W:3
        flow=Workers in Commuting Flow|MOVEDIN|workers|flow|estimate""",  # noqa: E501
        "zone_id=GEOID|GEOID20|GEOID10",
        Reading(thousands=","),
    ),
)
NAMES = tuple(dict.fromkeys(preset.name for preset in PRESETS))


def _fits(preset: Preset, columns: Sequence[str]) -> bool:
    """Whether a table of these columns has all of a form."""
    return whole(preset.kind, found(preset.columns, columns))


def fitting(columns: Sequence[str]) -> Preset | None:
    """Return the form that the columns of a table are those of; None for any other."""
    named = (one for one in PRESETS if one.reading.header is None and _fits(one, columns))
    return next(named, None)


def chosen(name: str, path: Path, reading: Mapping[str, Any]) -> tuple[Preset, tuple[str, ...]]:
    """Return the form of that name that a table is, read as is said, and its columns; or refuse."""
    alike = [one for one in PRESETS if one.name == name]
    for one in alike:
        columns = inspect(path, replace(one.reading, **reading)).columns
        if _fits(one, columns):
            return one, columns
    known = ", ".join(line.strip() for line in alike[-1].columns.splitlines())
    raise InputError(
        f"the table is no '{name}', which has {known}",
        remedy="leave the preset out and map the columns",
        settings=("preset", "mapping"),
    )


def settings(preset: Preset, columns: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of `IngestOptions` that a form stands for in a table of `columns`."""
    return {
        "kind": preset.kind,
        "mapping": found(preset.columns, columns),
        "reading": preset.reading,
        "leave_out": preset.leave_out,
        "id_prefix": preset.id_prefix,
        "parts": ("density", "trips") if preset.kind in ("trips", "visits") else ("trips",),
    }


def found(wanted: str, columns: Sequence[str]) -> dict[str, str]:
    """Return canonical columns by the first of their names that are there, spelt as in the file."""
    spelt, result = {plain(column): column for column in columns}, dict[str, str]()
    for line in wanted.splitlines():
        canonical, _, names = line.strip().partition("=")
        for name in names.split("|"):
            parts = [part.partition(":") for part in name.split("+")]
            if all(plain(own) in spelt for own, _, _ in parts):
                result[canonical] = "+".join(spelt[plain(a)] + b + c for a, b, c in parts)
                break
    return result
