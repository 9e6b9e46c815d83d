"""Foreign text, names, reference systems and row counts: one line that names file and remedy."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine import datasets
from engine.errors import DatasetError, InputError
from engine.ingest.coarseness import check_count
from engine.ingest.command import main
from engine.ingest.inputs import geojson, ids, mapping
from engine.ingest.inputs.mapping import preview
from engine.ingest.inputs.places import read_places
from engine.ingest.inputs.sources import inspect
from engine.ingest.inputs.zonefiles import read_shapes
from tests.reference.ingest_inputs import trip_options as options, write_csv
from tests.support.ingests import HEADER, ROWS, built, refused, write_parquet


def not_utf8(rows: int = 2) -> pa.Array:
    """Text whose last value is no UTF-8, as a careless writer leaves it."""
    values = [b"ab"] * (rows - 1) + [b"\xff\xfe"]
    offsets = np.arange(0, 2 * rows + 2, 2, dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(pa.string(), rows, buffers)


@pytest.mark.parametrize("column", ["uid", "origin"])
@pytest.mark.parametrize("rows", [2, 5_000])
def test_parquet_text_that_is_not_utf8_is_refused(tmp_path: Path, column: str, rows: int) -> None:
    path = write_parquet(tmp_path / "t.parquet", rows, **{column: not_utf8(rows)})
    error = refused(tmp_path, r"t\.parquet.*not UTF-8.*export it again", path)
    assert (column in str(error)) == (rows == 2)  # later ones are found by the engine


def test_other_columns_may_hold_anything(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "t.parquet", note=not_utf8(), essay=["x" * 2_000_000] * 2)
    assert [row[4:] for row in preview("trips", path).rows] == [
        ["(not UTF-8)", "(long values)"]
    ] * 2
    assert built(tmp_path, path)[1].rows.used == 2


def test_ids_of_megabytes_are_refused_before_a_row_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_parquet(tmp_path / "t.parquet", uid=["p" * 3_000_000, "q" * 3_000_000])
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", lambda *_, **__: pytest.fail("was read"))
    refused(tmp_path, r"t\.parquet: column 'uid' takes .* bytes a row", path)


def test_ids_of_places_are_short_and_utf8(tmp_path: Path) -> None:
    places = {"lat": [20.6, 20.7], "lng": [-103.3, -103.4]}
    for values, words in (
        (["A" * 2_000, "B"], "longer than 1000 characters in 1 of 2 rows|bytes a row"),
        (not_utf8(), "not UTF-8"),
        (pa.array([b"\xff", b"B"]), "of type binary"),
        ([["A"], ["B"]], "of type list"),
    ):
        pq.write_table(pa.table({"location_id": values, **places}), tmp_path / "p.parquet")
        error = refused(tmp_path, words, locations=tmp_path / "p.parquet")
        assert "p.parquet" in str(error)


def test_empty_lines_above_the_names_of_places_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("\n\nlocation_id,lat,lng\nA,20.6,-103.3\nB,20.7,-103.3\n", encoding="utf-8")
    places = read_places(options(tmp_path, "trips", [path], locations=path))
    assert places.towers["location_id"].tolist() == ["A", "B"]


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("n" * 300, "out"),
        ("a\0b", "out"),
        ("a\udc80b", "out"),
        ("a\x1b[31mb", "out"),
        ("a\nb", "out"),
        ("a\0b", "locations"),
        ("a\0b", "zones"),
        ("a\0b", "spill"),
        ("a\0b", "inputs"),
    ],
)
def test_names_that_no_system_can_take_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, setting: str
) -> None:
    trips = write_csv(tmp_path / "t.csv", HEADER, ROWS)
    given = {"locations": trips, "inputs": trips, "out": tmp_path / "x"}
    given[setting] = tmp_path / name
    arguments = ["trips", str(given.pop("inputs")), "--timezone", "UTC"]
    arguments += ["--from", "2015-09-07", "--to", "2015-09-13"]
    for option, value in given.items():
        arguments += [f"--{option}", str(value)]
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("error: ")
    assert not {"\x1b", "\0"} & set(said)
    assert f"{setting} must" in said


@pytest.mark.parametrize("name", ["n" * 5_000, "a\0b", "a\udc80", "a\x1b[31m"])
def test_datasets_of_impossible_names_are_unknown(name: str) -> None:
    with pytest.raises(DatasetError, match="there is no dataset") as caught:
        datasets.load(name)
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()


def boxes(count: int = 4) -> gpd.GeoDataFrame:
    shapes = [shapely.box(i * 0.01, 0, i * 0.01 + 0.01, 0.01) for i in range(count)]
    return gpd.GeoDataFrame({"zone_id": [f"z{i}" for i in range(count)]}, geometry=shapes, crs=4326)


@pytest.mark.parametrize(
    "crs",
    ["IAU_2015:30100", 'LOCAL_CS["x",UNIT["metre",1]]', "OGC:UnixTime", "urn:ogc:def:crs:FOO::9"],
)
def test_foreign_reference_systems_are_refused(tmp_path: Path, crs: str) -> None:
    document = json.loads(boxes().to_json())
    document["crs"] = {"type": "name", "properties": {"name": crs}}
    path = tmp_path / "z.geojson"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match=r"z\.geojson: its coordinate reference.*EPSG:4326"):
        read_shapes(path)


@pytest.mark.parametrize("stated", [0, 2, -5, 10**12])
def test_every_row_of_a_geopackage_is_read_whatever_it_states(tmp_path: Path, stated: int) -> None:
    path = tmp_path / "z.gpkg"
    boxes().to_file(path, driver="GPKG")
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE gpkg_ogr_contents SET feature_count = ?", (stated,))
    assert read_shapes(path)["zone_id"].tolist() == ["z0", "z1", "z2", "z3"]


def test_geopackages_of_views_and_of_two_layers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "two.gpkg"
    boxes().to_file(path, driver="GPKG", layer="a")
    boxes(2).to_file(path, driver="GPKG", layer="b", mode="w")
    with pytest.raises(InputError, match=r"two\.gpkg: .* 2 layers.*alone"):
        read_shapes(path)
    path = tmp_path / "view.gpkg"
    boxes().to_file(path, driver="GPKG")
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(f"CREATE VIEW endless AS {endless}")
    with pytest.raises(InputError, match=r"view\.gpkg: .*computed"):
        read_shapes(path)


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        (b'{"type":"Feature","geometry":null},' * 60_000, "60,000 zones, more than 50,000"),
        (b"{}," * 400_000, "400,00. objects"),
        (b"1," * 6_000_000, "6,000,001 values"),
        (b'"",' * 2_000_000, "texts"),
    ],
)
def test_geojson_is_counted_before_it_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contents: bytes, words: str
) -> None:
    path = tmp_path / "z.geojson"
    path.write_bytes(b'{"type":"FeatureCollection","features":[' + contents + b"1]}")
    monkeypatch.setattr(geojson.json, "loads", lambda *_: pytest.fail("was parsed"))
    with pytest.raises(InputError, match=words) as caught:
        read_shapes(path)
    assert "z.geojson" in str(caught.value)


def test_zones_that_are_too_many_to_build_are_refused_before_they_are_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "z.geojson"
    path.write_text(boxes(5_001).to_json(), encoding="utf-8")
    monkeypatch.setattr(geojson.json, "loads", lambda *_: pytest.fail("was parsed"))
    with pytest.raises(InputError, match="5,001 zones, more than 5,000"):
        read_places(options(tmp_path, "visits", [path], zones=path))
    check_count(5_000)


ENDS = ("origin", "destination")
HEADERS = {
    "trips": [
        "Usuario_Id;Inicio_del_viaje;Fin_del_viaje;Origen_Id;Destino_Id",
        "Nutzer;Startzeit;Endzeit;Startort;Zielort",
        "Kunde;Zeitstempel;Ankunft;Herkunft;Ziel",
        "Usager;Date heure;Heure arrivée;Lieu départ;Lieu arrivée",
        "Abonné;Début;Date fin;Origine;Destination",
        "Usuario;Fecha y hora;Fecha llegada;Estación de origen;Estación de destino",
        "Cliente;Fecha salida;Hora llegada;Zona origen;Zona destino",
        "Pessoa;Data e hora;Fim;Origem;Destino",
        "Usuário;Data início;Data fim;Estação origem;Estação destino",
    ],
    "ends": [
        "Fahrzeug;Startzeit;Start Länge;Start Breite;Ziel Länge;Ziel Breite",
        "Usager;Début;Longitude départ;Latitude départ;Longitude arrivée;Latitude arrivée",
        "Usuario;Inicio;Longitud origen;Latitud origen;Longitud destino;Latitud destino",
        "Pessoa;Data hora;Longitude origem;Latitude origem;Longitude destino;Latitude destino",
    ],
    "visits": [
        "Teilnehmer;Zeitpunkt;Funkzelle",
        "Personne;Horodatage;Antenne",
        "Persona;Fecha hora;Antena",
        "Assinante;Data hora;Célula",
    ],
    "locations": [
        "Haltestelle;Breitengrad;Längengrad;Bezeichnung",
        "Arrêt;Latitude;Longitude;Libellé",
        "Estación;Latitud;Longitud;Nombre",
        "Estação;Latitude;Longitude;Nome",
    ],
    "flows": [
        "Quelle;Ziel;Anzahl;Tag",
        "Origine;Destination;Effectif;Jour",
        "Origen;Destino;Viajes;Fecha",
        "Origem;Destino;Viagens;Data",
    ],
}


@pytest.mark.parametrize(
    ("kind", "line"), [(kind, line) for kind, lines in HEADERS.items() for line in lines]
)
def test_common_headers_of_four_languages_are_guessed(kind: str, line: str) -> None:
    names = {
        "trips": ("uid", "datetime", "end_datetime", "origin", "destination"),
        "ends": ("uid", "datetime", *(f"{end}_{axis}" for end in ENDS for axis in ("lng", "lat"))),
        "visits": ("uid", "datetime", "location_id"),
        "locations": ("location_id", "lat", "lng", "name"),
        "flows": ("origin", "destination", "flow", "date"),
    }[kind]
    guessed = mapping.guess("trips" if kind == "ends" else kind, line.split(";"))
    assert guessed == dict(zip(names, line.split(";"), strict=True))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["1", "22"], "whole numbers"),
        (["1,0", "22,0"], "numbers with a decimal comma"),
        (["1.0"], "numbers with a decimal point"),
        (["007", "012"], "whole numbers with leading zeros"),
        (["A7", "B8"], "letters and digits"),
        (["a/b"], "text with other signs"),
    ],
)
def test_the_shape_of_ids_is_told_and_no_id(values: list[str], words: str) -> None:
    assert ids.shape(values) == words


def test_unmatched_ids_are_told_by_their_shape_on_both_sides(tmp_path: Path) -> None:
    rows = [("p1", "2015-09-07 08:00:00", "4711,0", "4712,0")]
    path = write_csv(tmp_path / "t.csv", HEADER, rows)
    text = str(refused(tmp_path, "outside", path))
    assert "numbers with a decimal comma; those of the places are letters" in text
    assert "471" not in text


def test_a_second_file_without_a_column_is_named(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "b.csv", ("user", "datetime"), [("p", "2015-09-07")])
    with pytest.raises(InputError, match=r"b\.csv: column 'uid' is missing"):
        mapping.check(inspect(path), {"uid": "uid"})
