"""Which column means what: guessed from its name, shown to the person, checked against the file."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError
from ..options import IngestOptions
from .samples import check_columns, first_rows
from .sources import Source, inspect, shown

Mappings = dict[Source, dict[str, str]]
"""Canonical to actual column names of every input file."""

TIMES = ("datetime", "end_datetime", "date")
"""Columns that hold times."""
CLOCKS = {"clock": "datetime", "end_clock": "end_datetime"}
"""The column of days that a column of times of the day belongs to."""
END_POINTS = (("origin_lat", "origin_lng"), ("destination_lat", "destination_lng"))
POINTS = (("lat", "lng"), *END_POINTS)
DEGREES = tuple(name for pair in POINTS for name in pair)
NUMBERS = (*DEGREES, "flow")
"""Columns that hold numbers with a decimal mark."""

REQUIRED: dict[str, tuple[str, ...]] = {
    "trips": ("uid", "datetime"),
    "visits": ("uid", "datetime"),
    "flows": ("origin", "destination", "flow"),
    "locations": ("location_id", "lat", "lng"),
    "zones": ("zone_id",),
}
OPTIONAL: dict[str, tuple[str, ...]] = {
    "trips": ("origin", "destination", "end_datetime", *DEGREES[2:], *CLOCKS),
    "visits": ("location_id", "lat", "lng", "tid", "clock"),
    "flows": ("date", "tid"),
    "locations": ("name",),
    "zones": ("name",),
}
PLACES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "visits": (("location_id",), ("lat", "lng")),
    "trips": (("origin", "destination"), DEGREES[2:]),
    "flows": (("origin", "destination"), ()),
}
"""For each kind of table the columns of place ids, and those of coordinates instead."""

_LAT = "lat, latitude, latitud, breite, breitengrad"
_LNG = "lng, lon, longitude, longitud, laenge, lange, laengengrad, langengrad"
_FROM = "start, pickup, origin, from, o, start station, depart, origine, origen, origem"
_TO = "end, dropoff, destination, dest, to, d, end station, ziel, arrivee, destino"


def _either_way(ends: str, axes: str) -> str:
    """Return names such as ``start lat`` and ``lat start``."""
    pairs = [(end, axis) for end in ends.split(", ") for axis in axes.split(", ")]
    return ", ".join(f"{end} {axis}, {axis} {end}" for end, axis in pairs)


_SYNONYMS: dict[str, str] = {
    "uid": "user id, user, usuario id, usuario, person id, person, subscriber id, subscriber, "
    "customer id, device id, imsi, msisdn, caller id, agent id, taxi id, medallion, vehicle id, "
    "rider id, cliente, abonne, client id, user id hash, bike id, nutzer, nutzer id, benutzer, "
    "benutzer id, kunde, kunden id, kundennummer, personen id, teilnehmer, geraet, geraete id, "
    "utilisateur, id utilisateur, usager, id usager, personne, id personne, client, id client, "
    "persona, id persona, id usuario, id cliente, viajero, abonado, id do usuario, pessoa, id "
    "pessoa, passageiro, assinante, fahrzeug, fahrzeug id, vehicule, id vehicule, vehiculo, id "
    "vehiculo, veiculo, id veiculo",
    "tid": "trip id, trip, traj id, trajectory id, trajectory, journey id, journey, ride id, viaje "
    "id, id viaje, fahrt id, fahrt, trajet id, id trajet, trajet, viagem id, id viagem",
    "datetime": "last reported, timestamp, time, start datetime, start time, started at, inicio "
    "del viaje, inicio, departure time, check in time, fecha hora, epoch, horodatage, utc, utc "
    "time, start, start date, pickup datetime, tpep pickup datetime, lpep pickup datetime, call "
    "time, date, fecha, dia, datum, jour, day, zeit, zeitstempel, zeitpunkt, datum zeit, "
    "startzeit, startzeitpunkt, abfahrt, abfahrtszeit, beginn, date heure, heure debut, debut, "
    "date debut, heure depart, date depart, fecha y hora, marca de tiempo, fecha inicio, hora "
    "salida, fecha salida, comienzo, data hora, data e hora, data hora inicio, inicio da viagem, "
    "data inicio, hora partida, data",
    "end_datetime": "end time, ended at, fin del viaje, fin, arrival time, stop time, end, end "
    "date, dropoff datetime, tpep dropoff datetime, lpep dropoff datetime, ende, endzeit, "
    "endzeitpunkt, ankunft, ankunftszeit, heure fin, date fin, heure arrivee, date arrivee, fecha "
    "fin, fecha llegada, hora llegada, fim, data hora fim, fim da viagem, data fim, hora chegada",
    "origin": "from stop id, boarding stop id, origin id, id origin, origen id, origen, start "
    "station id, from, from id, source, start location, origine, from district, from zone, origin "
    "zone, pickup location id, pulocationid, from station id, start zone, startort, herkunft, "
    "quelle, quellzone, von, startstation, abfahrtsort, depart, lieu depart, zone origine, station "
    "depart, id origine, zona origen, id origen, estacion origen, estacion de origen, desde, "
    "origem, id origem, zona origem, estacao origem, estacao de origem, de",
    "destination": "to stop id, alighting stop id, destination id, destino id, destino, end "
    "station id, to, to id, target, end location, dest, to district, to zone, destination zone, "
    "dropoff location id, dolocationid, to station id, end zone, ziel, zielort, zielzone, nach, "
    "endstation, zielstation, arrivee, lieu arrivee, zone destination, station arrivee, id "
    "destination, zona destino, id destino, estacion destino, estacion de destino, hasta, id do "
    "destino, estacao destino, estacao de destino, para",
    "location_id": "id, stop id, station id, tower id, cell id, site id, antenna id, venue id, "
    "tower, station, antenna, place id, location, cell, poi, poi id, venue, zone id, zone, lac ci, "
    "standort, standort id, ort, ort id, funkzelle, zelle, mast, haltestelle, messstelle, lieu, id "
    "lieu, antenne, id antenne, cellule, site, gare, arret, lugar, id lugar, estacion, id "
    "estacion, antena, id antena, torre, celda, parada, local, id local, estacao, id estacao, "
    "celula, zona, id zona",
    "origin_lat": _either_way(_FROM, _LAT),
    "origin_lng": _either_way(_FROM, _LNG),
    "destination_lat": _either_way(_TO, _LAT),
    "destination_lng": _either_way(_TO, _LNG),
    "clock": "hour, hora, time of day, heure, uhrzeit, time, start hour, start time, hora inicio, "
    "zeit, startzeit, heure debut",
    "end_clock": "end hour, hora fin, end time, hora arribo",
    "lat": "stop lat, latitude, latitud, y, breite, breitengrad, geogr breite",
    "lng": "stop lon, longitude, lon, long, longitud, x, laenge, lange, laengengrad, langengrad, "
    "geogr laenge",
    "name": "stop name, nombre, nom, label, tile name, title, station name, bezeichnung, "
    "stationsname, nome, libelle",
    "zone_id": "id, code, zone, tile id, iris, geoid, district id, sector id, adm1 code, zonen id, "
    "bezirk, kreis, gemeinde, ags, id zone, code insee, commune, quartier, zona, id zona, "
    "distrito, municipio, codigo, bairro",
    "flow": "count, n trips, trips, n, flows, volume, value, anzahl, fahrten, wege, nombre, "
    "effectif, deplacements, trajets, flux, viajes, cantidad, conteo, numero, viagens, quantidade, "
    "contagem, fluxo, total",
    "date": "day, started at, start time, fecha, jour, datum, tag, dia, data, datetime, time, "
    "timestamp",
}


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "", letters)


_NAMES = {
    canonical: tuple(_plain(name) for name in (canonical, *names.split(",")))
    for canonical, names in _SYNONYMS.items()
}
_USUAL = {name for names in _NAMES.values() for name in names}
LONGEST_VALUE = 80
"""Characters of a value that a preview shows."""
_NUMERIC = ("int", "uint", "float", "double", "halffloat", "decimal")
_USABLE = ("string", "large_string", "int", "uint", "float", "double", "halffloat", "timestamp")
_USABLE_TOO = ("string_view", "date32", "dictionary", "decimal128", "time32", "time64")

_NAME = re.compile(r"[^\W\d][\w .:/()\[\]#-]{0,59}")
_CLOCK_NAMES = {"time", "hour", "hora", "heure", "uhrzeit", "starttime", "horainicio", "zeit"}
_DAYS = {
    *("date", "fecha", "dia", "datum", "jour", "day", "tag", "data"),
    *("startdate", "enddate", "fechainicio"),
}


def guess(kind: str, columns: Sequence[str]) -> dict[str, str]:
    """Guess which of `columns` holds each canonical column of a `kind` of table.

    Examples
    --------
    >>> guess("locations", ["id", "name", "location", "latitude", "longitude"])
    {'location_id': 'id', 'lat': 'latitude', 'lng': 'longitude', 'name': 'name'}
    """
    plain = {_plain(column): column for column in reversed(columns)}
    names: dict[str, str] = {}
    known = REQUIRED[kind] + OPTIONAL[kind]
    for canonical in known:
        if canonical in CLOCKS and _plain(names.get(CLOCKS[canonical], "")) not in _DAYS:
            continue  # a time of its own belongs to a column of days alone
        for wanted in _NAMES[canonical]:
            if kind == "visits" and wanted == "id":  # there it numbers the rows
                continue
            column = plain.get(wanted)
            if column is not None and column not in names.values():
                names[canonical] = column
                break
    if kind == "flows" and "flow" in names:
        names.pop("tid", None)
    day = next((plain[name] for name in plain if name in _DAYS), None)
    if _plain(names.get("datetime", "")) in _CLOCK_NAMES and "clock" in known and day is not None:
        names |= {"clock": names["datetime"], "datetime": day}
    return names


def resolve(kind: str, given: Mapping[str, str], source: Source) -> dict[str, str]:
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
            fault = f"column '{shown(column)}' (for {canonical}) is missing"
            raise _missing(source, kind, fault, canonical)
    free = [column for column in source.columns if column not in given.values()]
    guessed = {k: v for k, v in guess(kind, free).items() if k not in given}
    mapping = {**guessed, **{k: column for k, column in given.items() if column}}
    for canonical in REQUIRED[kind]:
        if canonical not in mapping and not (canonical == "flow" and counts_itself(mapping)):
            raise _missing(source, kind, f"no column for {canonical}", canonical)
    return mapping


def counts_itself(names: Iterable[str]) -> bool:
    """Whether a table of flows needs no column of counts: one row a trip.

    Examples
    --------
    >>> counts_itself(["origin", "destination", "tid"]), counts_itself(["origin", "destination"])
    (True, False)
    """
    return "tid" in names


def one_place(
    kind: str, names: dict[str, str], given: Mapping[str, str], source: Source
) -> dict[str, str]:
    """Return `names` with either ids of places or coordinates.

    Ids count before coordinates, unless the coordinates were given and the ids were guessed.
    """
    ids, points = PLACES[kind]
    has_points = all(name in names for name in points)
    has_ids = all(name in names for name in ids)
    if not has_points and not has_ids:
        fault = f"no column for {' and '.join(ids)}, nor for {', '.join(points)}"
        raise _missing(source, kind, fault, "one or the other")
    asked = any(name in given for name in points) and not any(given.get(name) for name in ids)
    by_points = has_points and (not has_ids or asked)
    dropped = ids if by_points else points
    return {canonical: column for canonical, column in names.items() if canonical not in dropped}


def of_files(options: IngestOptions, files: list[Source]) -> Mappings:
    """Return the column mapping of every file, checked."""
    result: Mappings = {}
    for source in files:
        names = resolve(options.kind, options.mapping, source)
        if options.kind != "flows":
            names = one_place(options.kind, names, options.mapping, source)
        if options.gap_minutes is not None:
            names.pop("tid", None)
        check(source, names)
        result[source] = names
    _check_alike(result)
    return result


def check(source: Source, names: Mapping[str, str]) -> None:
    """Refuse columns of one file that are missing, far too long, or of no usable type."""
    check_columns(source, names.values())
    for canonical, column in names.items():
        kind = source.kinds[source.columns.index(column)]
        if not kind.startswith(_USABLE + _USABLE_TOO):
            raise InputError(
                f"{source.name}: column '{shown(column)}' (for {canonical}) is of type "
                f"{kind[:40]}; text, numbers and times are read"
            )


def _check_alike(files: Mappings) -> None:
    first, *others = files.items()
    for source, names in others:
        odd = sorted(set(names) ^ set(first[1]))
        if odd:
            raise InputError(
                f"{source.name}: {', '.join(odd)} is found in this file or in {first[0].name}, "
                "not in both; map the columns of all files alike"
            )


def bare(mappings: Mappings, canonical: tuple[str, ...]) -> bool:
    """Whether some file holds ids as numbers, which have no leading zeros, and another as text."""
    kinds = {
        source.kinds[source.columns.index(names[name])]
        for source, names in mappings.items()
        for name in canonical
        if name in names
    }
    numeric = {kind for kind in kinds if kind.startswith(_NUMERIC)}
    return bool(numeric) and bool(kinds - numeric)


def listed(columns: Sequence[str], most: int = 20) -> str:
    """Return column names fit for a message: those of a line that is no line of names are not told.

    Examples
    --------
    >>> listed(["uid", "datetime", "+33 6 12"]), listed(["p1", "A", "B"])
    ('uid, datetime and 1 more', '3 columns, none of a usual name')
    """
    if not columns:
        return "none"
    if sum(_plain(column) in _USUAL for column in columns) < min(2, len(columns)):
        count = "1 column" if len(columns) == 1 else f"{len(columns):,} columns"
        return f"{count}, none of a usual name"
    names = [shown(column) for column in columns if _NAME.fullmatch(column)][:most]
    more = len(columns) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _missing(source: Source, kind: str, fault: str, wanted: str) -> InputError:
    return InputError(
        f"{source.name}: {fault}",
        remedy=f"choose a column for {wanted}; the file has {listed(source.columns)}",
        code="column-missing",
        settings=(f"{kind}_mapping" if kind in ("locations", "zones") else "mapping",),
    )


@dataclass(frozen=True)
class Preview:
    """What a person needs to map columns. **Confidential**: it shows rows.

    Attributes
    ----------
    source : Source
        Format, encoding, columns and size of the file.
    mapping : dict of str to str
        Guessed columns by canonical name.
    required, optional : tuple of str
        Canonical columns of this kind of table.
    rows : list of list of str
        The first rows as text, long values cut; empty strings for nulls.
    """

    source: Source
    mapping: dict[str, str]
    required: tuple[str, ...]
    optional: tuple[str, ...]
    rows: list[list[str]]


def preview(
    kind: str, path: Path, rows: int = 10, encoding: str | None = None, delimiter: str | None = None
) -> Preview:
    """Look at the first `rows` of one raw table and guess its columns.

    `encoding` and `delimiter` are those of `IngestOptions` and `Reading`.

    Raises
    ------
    InputError
        If the file is empty, no table or not what it claims to be.
    """
    source = inspect(path, encoding, delimiter)
    return Preview(
        source,
        guess(kind, source.columns),
        REQUIRED[kind],
        OPTIONAL[kind],
        [[_short(value) for value in row] for row in first_rows(source, rows)],
    )


def _short(value: str) -> str:
    return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
