"""Which column means what: guessed from its name, shown to the person, checked against the file."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from engine.errors import InputError
from engine.ingest.inputs.sources import Source, shown

Mappings = dict[Source, dict[str, str]]
"""Canonical to actual column names of every input file."""

REQUIRED: dict[str, tuple[str, ...]] = {
    "trips": ("uid", "datetime", "origin", "destination"),
    "visits": ("uid", "datetime"),
    "flows": ("origin", "destination", "flow"),
    "locations": ("location_id", "lat", "lng"),
    "zones": ("zone_id",),
}
OPTIONAL: dict[str, tuple[str, ...]] = {
    "trips": ("end_datetime",),
    "visits": ("location_id", "lat", "lng"),
    "flows": ("date",),
    "locations": ("name",),
    "zones": ("name",),
}
_SYNONYMS: dict[str, str] = {
    "uid": "user id, user, usuario id, usuario, person id, person, subscriber id, subscriber, "
    "customer id, device id, imsi, msisdn, caller id, agent id",
    "datetime": "timestamp, time, date time, start datetime, start time, started at, inicio del "
    "viaje, inicio, departure time, check in time, fecha hora, epoch, horodatage, date, fecha",
    "end_datetime": "end time, ended at, fin del viaje, fin, arrival time, stop time",
    "origin": "origin id, origen id, origen, start station id, from, from id, source, start "
    "location, origine",
    "destination": "destination id, destino id, destino, end station id, to, to id, target, end "
    "location, dest",
    "location_id": "id, station id, tower id, cell id, site id, antenna id, venue id, tower, "
    "station, antenna, place id, location, cell",
    "lat": "latitude, latitud, y",
    "lng": "longitude, lon, long, longitud, x",
    "name": "nombre, nom, label, title, station name",
    "zone_id": "id, code, zone, iris, geoid, district id, sector id, adm1 code",
    "flow": "count, trips, n, flows, volume, value",
    "date": "day, fecha, jour",
}


def guess(kind: str, columns: Sequence[str]) -> dict[str, str]:
    """Guess which of `columns` holds each canonical column of a `kind` of table.

    Examples
    --------
    >>> guess("locations", ["id", "name", "location", "latitude", "longitude"])
    {'location_id': 'id', 'lat': 'latitude', 'lng': 'longitude', 'name': 'name'}
    """
    plain = {_plain(column): column for column in reversed(columns)}
    found: dict[str, str] = {}
    for canonical in REQUIRED[kind] + OPTIONAL[kind]:
        for wanted in (canonical, *_SYNONYMS[canonical].split(",")):
            if kind == "visits" and wanted == "id":  # there it numbers the rows
                continue
            column = plain.get(_plain(wanted))
            if column is not None and column not in found.values():
                found[canonical] = column
                break
    return found


def resolve(
    kind: str, given: Mapping[str, str], source: Source, needed: Sequence[str] | None = None
) -> dict[str, str]:
    """Return canonical → actual column names for one file: what is given, the rest guessed.

    An empty name says that the file has no such column, whatever one might guess.

    Raises
    ------
    InputError
        If a given column is not in the file, or a required one is neither given nor guessed.
    """
    known = REQUIRED[kind] + OPTIONAL[kind]
    for canonical, column in given.items():
        if canonical not in known:
            raise InputError(
                f"'{shown(canonical)}' is no column of a table of {kind}; map {', '.join(known)}"
            )
        if column and column not in source.columns:
            raise InputError(
                f"{source.name}: column '{shown(column)}' (for {canonical}) is missing",
                remedy=_choose(canonical, source),
                code="column-missing",
                settings=("mapping",),
            )
    free = [column for column in source.columns if column not in given.values()]
    guessed = {k: v for k, v in guess(kind, free).items() if k not in given}
    mapping = {**guessed, **{k: column for k, column in given.items() if column}}
    for canonical in needed or REQUIRED[kind]:
        if canonical not in mapping:
            raise InputError(
                f"{source.name}: no column for {canonical}",
                remedy=_choose(canonical, source),
                code="column-missing",
                settings=("mapping",),
            )
    return mapping


def one_place(names: dict[str, str], given: Mapping[str, str], source: Source) -> dict[str, str]:
    """Return `names` of visits with either ``location_id`` or ``lat`` and ``lng``.

    An id counts before coordinates, unless the coordinates were given and the id was guessed.
    """
    points = "lat" in names and "lng" in names
    ids = "location_id" in names
    if not points and not ids:
        raise InputError(
            f"{source.name}: no column for location_id, nor for lat and lng",
            remedy=_choose("one of them", source),
            code="column-missing",
            settings=("mapping",),
        )
    by_points = points and (not ids or ("lat" in given and "location_id" not in given))
    dropped = ("location_id",) if by_points else ("lat", "lng")
    return {canonical: column for canonical, column in names.items() if canonical not in dropped}


def listed(columns: Sequence[str], most: int = 20) -> str:
    """Return column names fit for a message."""
    names = ", ".join(shown(column) for column in columns[:most])
    return names + (f" and {len(columns) - most} more" if len(columns) > most else "")


def _choose(canonical: str, source: Source) -> str:
    return f"choose a column for {canonical}; the file has {listed(source.columns)}"


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "", letters)
