"""Forms in which mobility data are published, by name: what their columns mean, how they read."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InputError
from .inputs.mapping import PLACES, REQUIRED
from .options import Choice, Kind
from .reading import Reading


class Preset(NamedTuple):
    """One form: each canonical column with its names in order, and how files of it are read."""

    name: str
    kind: Kind
    columns: Mapping[str, Sequence[str]]
    reading: Reading = Reading()
    leave_out: tuple[Choice, ...] = ()
    id_prefix: bool = False
    zones: Mapping[str, Sequence[str]] = {}
    about: str = ""


PRESETS: tuple[Preset, ...] = (
    Preset(
        "tlc",
        "rides",
        {
            "datetime": ("tpep_pickup_datetime", "lpep_pickup_datetime", "pickup_datetime"),
            "end_datetime": ("tpep_dropoff_datetime", "lpep_dropoff_datetime", "dropoff_datetime"),
            "origin": ("PULocationID",),
            "destination": ("DOLocationID",),
        },
        zones={"zone_id": ("LocationID", "location_id"), "name": ("zone",)},
        about="trips of New York's taxis (TLC), between taxi zones",
    ),
    Preset(
        "citibike",
        "rides",
        {
            "datetime": ("started_at", "starttime", "Start Time"),
            "end_datetime": ("ended_at", "stoptime", "Stop Time"),
            "tid": ("ride_id",),
            "origin_lat": ("start_lat", "start station latitude"),
            "origin_lng": ("start_lng", "start station longitude"),
            "destination_lat": ("end_lat", "end station latitude"),
            "destination_lng": ("end_lng", "end station longitude"),
        },
        leave_out=("unreadable",),
        about="trips of a bike share (Citi Bike and others of Lyft), by coordinates",
    ),
    Preset(
        "lodes",
        "flows",
        {"origin": ("h_geocode",), "destination": ("w_geocode",), "flow": ("S000",)},
        id_prefix=True,
        zones={"zone_id": ("GEOID", "GEOID20", "GEOID10")},
        about="from home to work (LODES), blocks counted in the larger areas of the file of zones",
    ),
    Preset(
        "mitma",
        "flows",
        {
            "date": ("fecha",),
            "origin": ("origen",),
            "destination": ("destino",),
            "flow": ("viajes",),
        },
        Reading(delimiter="|", number_times="yyyymmdd", decimal="."),
        zones={"zone_id": ("ID", "id")},
        about="Spain's daily matrices of the ministry of transport (MITMA)",
    ),
    Preset(
        "meta",
        "flows",
        {
            "date": ("date_time", "ds"),
            "origin": ("start_polygon_id", "start_quadkey"),
            "destination": ("end_polygon_id", "end_quadkey"),
            "flow": ("n_crisis",),
        },
        leave_out=("unknown-flows",),
        zones={"zone_id": ("polygon_id",)},
        about="Meta's movement between polygons; suppressed cells are not known, not 0",
    ),
    Preset(
        "spectus",
        "trips",
        {
            "uid": ("cuebiq_id",),
            "datetime": ("start_zoned_datetime",),
            "end_datetime": ("end_zoned_datetime",),
            "origin_lat": ("start_lat",),
            "origin_lng": ("start_lng",),
            "destination_lat": ("end_lat",),
            "destination_lng": ("end_lng",),
        },
        about="trajectories of Spectus (Cuebiq), by coordinates",
    ),
    Preset(
        "spectus",
        "visits",
        {
            "uid": ("cuebiq_id",),
            "datetime": ("stop_zoned_datetime", "zoned_datetime", "event_zoned_datetime"),
            "lat": ("lat", "latitude"),
            "lng": ("lng", "longitude"),
        },
        about="stops or pings of Spectus (Cuebiq), by coordinates",
    ),
    Preset(
        "tsmc",
        "visits",
        {"uid": ("uid",), "datetime": ("datetime",), "lat": ("lat",), "lng": ("lng",)},
        Reading(
            delimiter="\t",
            header=("uid", "venue", "category_id", "category", "lat", "lng", "offset", "datetime"),
            time_format="%a %b %d %H:%M:%S %z %Y",
        ),
        about="check-ins of Foursquare (TSMC2014), by coordinates, times in UTC",
    ),
    Preset(
        "census",
        "flows",
        {
            "origin": (
                "GEOID1",
                "State FIPS Code:2+County FIPS Code:3",
                "STATE_R:2+COUNTY_R:3",
                "state1:2+county1:3",
                "residence_state:2+residence_county:3",
                "state_residence:2+county_residence:3",
            ),
            "destination": (
                "GEOID2",
                "State FIPS Code (2):2+County FIPS Code (2):3",
                "STATE_W:2+COUNTY_W:3",
                "state2:2+county2:3",
                "workplace_state:2+workplace_county:3",
                "state_work:2+county_work:3",
            ),
            "flow": ("Workers in Commuting Flow", "MOVEDIN", "workers", "flow", "estimate"),
        },
        Reading(thousands=","),
        zones={"zone_id": ("GEOID", "GEOID20", "GEOID10")},
        about="flows between counties of the US census, by FIPS codes",
    ),
)
NAMES = tuple(dict.fromkeys(preset.name for preset in PRESETS))


def fitting(columns: Sequence[str]) -> Preset | None:
    """Return the form that the columns of a table are those of; None for any other."""
    named = (one for one in PRESETS if one.name != "tsmc" and _fits(one, columns))
    return next(named, None)


def chosen(name: str, columns: Sequence[str]) -> Preset:
    """Return the form of that name that the columns fit."""
    alike = [one for one in PRESETS if one.name == name]
    found = next((one for one in alike if _fits(one, columns)), None)
    if found is None:
        needed = ", ".join(" or ".join(names[:3]) for names in alike[0].columns.values())
        raise InputError(
            f"the table is no '{name}': it needs the columns {needed}",
            remedy="leave the preset out and map the columns",
            code="preset",
            settings=("preset", "mapping"),
        )
    return found


def settings(preset: Preset, columns: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of `IngestOptions` that a form stands for in a table of `columns`."""
    mapping = {c: own for c, names in preset.columns.items() if (own := _first(names, columns))}
    return {
        "kind": preset.kind,
        "mapping": mapping,
        "reading": preset.reading,
        "leave_out": preset.leave_out,
        "id_prefix": preset.id_prefix,
        "parts": ("density", "trips") if preset.kind in ("trips", "visits") else ("trips",),
    }


def zone_columns(preset: Preset, columns: Sequence[str]) -> dict[str, str]:
    """Return which columns of a file of zones a form takes."""
    return {c: own for c, names in preset.zones.items() if (own := _first(names, columns))}


def _fits(preset: Preset, columns: Sequence[str]) -> bool:
    has = {c for c, names in preset.columns.items() if _first(names, columns)}
    ids, points = PLACES[preset.kind]
    placed = set(ids) <= has or (bool(points) and set(points) <= has)
    return placed and set(REQUIRED[preset.kind]) <= has


def _first(names: Sequence[str], columns: Sequence[str]) -> str:
    """Return the first of `names` whose columns are there, spelt as in the file; else nothing."""
    spelt = {column.lower(): column for column in columns}
    for name in names:
        parts = [
            part.rpartition(":") if part[-2:-1] == ":" else (part, "", "")
            for part in name.split("+")
        ]
        if all(part[0].lower() in spelt for part in parts):
            return "+".join(spelt[own.lower()] + colon + digits for own, colon, digits in parts)
    return ""
