"""Which column means what: guessed from its name, shown to the person, checked against the file."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from engine.errors import InputError
from engine.ingest.inputs.sources import Source, shown

Mappings = dict[Source, dict[str, str]]
"""Canonical to actual column names of every input file."""

REQUIRED: dict[str, tuple[str, ...]] = {
    "trips": ("uid", "datetime"),
    "visits": ("uid", "datetime"),
    "flows": ("origin", "destination", "flow"),
    "locations": ("location_id", "lat", "lng"),
    "zones": ("zone_id",),
}
OPTIONAL: dict[str, tuple[str, ...]] = {
    "trips": (
        "origin",
        "destination",
        "end_datetime",
        "origin_lat",
        "origin_lng",
        "destination_lat",
        "destination_lng",
        "clock",
        "end_clock",
    ),
    "visits": ("location_id", "lat", "lng", "clock"),
    "flows": ("date",),
    "locations": ("name",),
    "zones": ("name",),
}
_SYNONYMS: dict[str, str] = {
    "uid": "user id, user, usuario id, usuario, person id, person, subscriber id, subscriber, "
    "customer id, device id, imsi, msisdn, caller id, agent id, taxi id, medallion, vehicle id, "
    "rider id, cliente, abonne, client id, user id hash, userid, bike id, nutzer, nutzer id, "
    "benutzer, benutzer id, kunde, kunden id, kundennummer, person id, personen id, teilnehmer, "
    "geraet, geraete id, utilisateur, id utilisateur, usager, id usager, personne, id personne, "
    "client, id client, persona, id persona, id usuario, id cliente, viajero, abonado, "
    "usuario, id do usuario, pessoa, id pessoa, passageiro, assinante, fahrzeug, fahrzeug id, "
    "vehicule, id vehicule, vehiculo, id vehiculo, veiculo, id veiculo",
    "datetime": "timestamp, time, date time, start datetime, start time, started at, inicio del "
    "viaje, inicio, departure time, check in time, fecha hora, epoch, horodatage, utc, utc time, "
    "start, start date, pickup datetime, tpep pickup datetime, lpep pickup datetime, call time, "
    "date, fecha, dia, datum, jour, day, zeit, zeitstempel, zeitpunkt, datum zeit, startzeit, "
    "startzeitpunkt, abfahrt, abfahrtszeit, beginn, date heure, heure debut, debut, date debut, "
    "heure depart, date depart, fecha y hora, marca de tiempo, fecha inicio, hora salida, fecha "
    "salida, comienzo, data hora, data e hora, data hora inicio, inicio da viagem, data inicio, "
    "hora partida, data",
    "end_datetime": "end time, ended at, fin del viaje, fin, arrival time, stop time, end, "
    "end date, dropoff datetime, tpep dropoff datetime, lpep dropoff datetime, end datetime, ende, "
    "endzeit, endzeitpunkt, ankunft, ankunftszeit, heure fin, date fin, heure arrivee, date "
    "arrivee, fecha fin, fecha llegada, hora llegada, fim, data hora fim, fim da viagem, data fim, "
    "hora chegada",
    "origin": "origin id, origen id, origen, start station id, from, from id, source, start "
    "location, origine, from district, from zone, origin zone, pickup location id, pulocationid, "
    "from station id, start zone, startort, herkunft, quelle, quellzone, von, startstation, "
    "abfahrtsort, depart, lieu depart, zone origine, station depart, id origine, zona origen, id "
    "origen, estacion origen, estacion de origen, desde, origem, id origem, zona origem, estacao "
    "origem, estacao de origem, de",
    "destination": "destination id, destino id, destino, end station id, to, to id, target, end "
    "location, dest, to district, to zone, destination zone, dropoff location id, dolocationid, "
    "to station id, end zone, ziel, zielort, zielzone, nach, endstation, zielstation, arrivee, "
    "lieu arrivee, zone destination, station arrivee, id destination, zona destino, id destino, "
    "estacion destino, estacion de destino, hasta, id do destino, estacao destino, estacao de "
    "destino, para",
    "location_id": "id, station id, tower id, cell id, site id, antenna id, venue id, tower, "
    "station, antenna, place id, location, cell, poi, poi id, venue, venueid, zone id, zone, "
    "lac ci, standort, standort id, ort, ort id, funkzelle, zelle, mast, haltestelle, messstelle, "
    "lieu, id lieu, antenne, id antenne, cellule, site, gare, arret, lugar, id lugar, estacion, id "
    "estacion, antena, id antena, torre, celda, parada, local, id local, estacao, id estacao, "
    "celula, zona, id zona",
    "origin_lat": "pickup latitude, start lat, start latitude, origin latitude, from lat, lat o, "
    "start station latitude, latitude origin, start breite, start breitengrad, "
    "breite start, latitude depart, latitude origine, latitud origen, latitude origem, lat depart, "
    "lat origen, lat origem",
    "origin_lng": "pickup longitude, start lng, start lon, start longitude, origin longitude, "
    "origin lon, from lng, from lon, lon o, start station longitude, longitude origin, start "
    "laenge, start lange, start laengengrad, start langengrad, laenge start, lange start, "
    "longitude depart, longitude origine, longitud origen, longitude origem, lon depart, lon "
    "origen, lon origem",
    "destination_lat": "dropoff latitude, end lat, end latitude, destination latitude, dest lat, "
    "to lat, lat d, end station latitude, latitude destination, ziel breite, ziel breitengrad, "
    "breite ziel, latitude arrivee, latitud destino, latitude destino, lat arrivee, lat destino",
    "destination_lng": "dropoff longitude, end lng, end lon, end longitude, destination longitude, "
    "destination lon, dest lon, dest lng, to lng, to lon, lon d, end station longitude, longitude "
    "destination, ziel laenge, ziel lange, ziel laengengrad, ziel langengrad, laenge ziel, lange "
    "ziel, longitude arrivee, longitud destino, longitude destino, lon arrivee, lon destino",
    "clock": "hour, hora, time of day, heure, uhrzeit, time, start hour, start time, hora inicio, "
    "zeit, startzeit, heure debut",
    "end_clock": "end hour, hora fin, end time, hora arribo",
    "lat": "latitude, latitud, y, breite, breitengrad, geogr breite",
    "lng": "longitude, lon, long, longitud, x, laenge, lange, laengengrad, langengrad, geogr "
    "laenge",
    "name": "nombre, nom, label, title, station name, bezeichnung, stationsname, nome, libelle",
    "zone_id": "id, code, zone, iris, geoid, district id, sector id, adm1 code, zonen id, bezirk, "
    "kreis, gemeinde, ags, id zone, code insee, commune, quartier, zona, id zona, distrito, "
    "municipio, codigo, bairro",
    "flow": "count, trips, n, flows, volume, value, anzahl, fahrten, wege, nombre, effectif, "
    "deplacements, trajets, flux, viajes, cantidad, conteo, numero, viagens, quantidade, contagem, "
    "fluxo, total",
    "date": "day, fecha, jour, datum, tag, dia, data",
}


PLACES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "visits": (("location_id",), ("lat", "lng")),
    "trips": (
        ("origin", "destination"),
        ("origin_lat", "origin_lng", "destination_lat", "destination_lng"),
    ),
    "flows": (("origin", "destination"), ()),
}
"""For each kind of table the columns of place ids, and those of coordinates instead."""
_NAME = re.compile(r"[^\W\d][\w .:/()\[\]#-]{0,59}")
_SETTINGS = {"locations": ("locations_mapping",), "zones": ("zones_mapping",)}
CLOCKS = {"clock": "datetime", "end_clock": "end_datetime"}
"""The column of days that a column of times of the day belongs to."""
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
        for wanted in (canonical, *_SYNONYMS[canonical].split(",")):
            if kind == "visits" and wanted == "id":  # there it numbers the rows
                continue
            column = plain.get(_plain(wanted))
            if column is not None and column not in names.values():
                names[canonical] = column
                break
    day = next((plain[name] for name in plain if name in _DAYS), None)
    if _plain(names.get("datetime", "")) in _CLOCK_NAMES and "clock" in known and day is not None:
        names |= {"clock": names["datetime"], "datetime": day}
    return names


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
                settings=_SETTINGS.get(kind, ("mapping",)),
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
                settings=_SETTINGS.get(kind, ("mapping",)),
            )
    return mapping


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
        raise InputError(
            f"{source.name}: no column for {' and '.join(ids)}, nor for {', '.join(points)}",
            remedy=_choose("one or the other", source),
            code="column-missing",
            settings=("mapping",),
        )
    asked = any(name in given for name in points) and not any(given.get(name) for name in ids)
    by_points = has_points and (not has_ids or asked)
    dropped = ids if by_points else points
    return {canonical: column for canonical, column in names.items() if canonical not in dropped}


def listed(columns: Sequence[str], most: int = 20) -> str:
    """Return column names fit for a message: those of a line that is no line of names are not told.

    Examples
    --------
    >>> listed(["uid", "datetime", "+33 6 12"]), listed(["p1", "A", "B"])
    ('uid, datetime and 1 more', '3 columns, none of a usual name')
    """
    if not columns:
        return "none"
    usual = {_plain(name) for words in _SYNONYMS.values() for name in words.split(",")}
    usual |= {_plain(name) for name in _SYNONYMS}
    if sum(_plain(column) in usual for column in columns) < min(2, len(columns)):
        count = "1 column" if len(columns) == 1 else f"{len(columns):,} columns"
        return f"{count}, none of a usual name"
    names = [shown(column) for column in columns if _NAME.fullmatch(column)][:most]
    more = len(columns) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _choose(canonical: str, source: Source) -> str:
    return f"choose a column for {canonical}; the file has {listed(source.columns)}"


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "", letters)
