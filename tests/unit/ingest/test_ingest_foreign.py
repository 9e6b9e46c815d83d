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

from engine.errors import InputError
from engine.ingest.command import main
from engine.ingest.inputs import mapping
from engine.ingest.inputs.places import read_places
from engine.ingest.inputs.sources import inspect
from engine.ingest.inputs.zones import read_shapes, read_zones
from tests.reference.ingest_inputs import trip_options as options, write_csv
from tests.support.ingests import HEADER, ROWS, refused


def not_utf8(rows: int = 2) -> pa.Array:
    """Text whose last value is no UTF-8, as a careless writer leaves it."""
    values = [b"ab"] * (rows - 1) + [b"\xff\xfe"]
    offsets = np.arange(0, 2 * rows + 2, 2, dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(pa.string(), rows, buffers)


def test_ids_of_places_are_short_and_utf8(tmp_path: Path) -> None:
    places = {"lat": [20.6, 20.7], "lng": [-103.3, -103.4]}
    for values, words in (
        (["A" * 2_000, "B"], "longer than 1000 characters in 1 of 2 rows"),
        (not_utf8(), "cannot be read|not in the encoding"),
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
        ("..", "out"),
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


def boxes(count: int = 4) -> gpd.GeoDataFrame:
    shapes = [shapely.box(i * 0.01, 0, i * 0.01 + 0.01, 0.01) for i in range(count)]
    return gpd.GeoDataFrame({"zone_id": [f"z{i}" for i in range(count)]}, geometry=shapes, crs=4326)


@pytest.mark.parametrize("crs", ["IAU_2015:30100", 'LOCAL_CS["x",UNIT["metre",1]]', "OGC:UnixTime"])
def test_foreign_reference_systems_are_refused(tmp_path: Path, crs: str) -> None:
    document = json.loads(boxes().to_json())
    document["crs"] = {"type": "name", "properties": {"name": crs}}
    path = tmp_path / "z.geojson"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match=r"z\.geojson"):
        read_zones(path, {})


@pytest.mark.parametrize("stated", [0, 2, -5, 10**12])
def test_every_row_of_a_geopackage_is_read_whatever_it_states(tmp_path: Path, stated: int) -> None:
    path = tmp_path / "z.gpkg"
    boxes().to_file(path, driver="GPKG")
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE gpkg_ogr_contents SET feature_count = ?", (stated,))
    assert read_shapes(path)["zone_id"].tolist() == ["z0", "z1", "z2", "z3"]


def test_a_second_file_without_a_column_is_named(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "b.csv", ("user", "datetime"), [("p", "2015-09-07")])
    with pytest.raises(InputError, match=r"b\.csv: column 'uid' is missing"):
        mapping.check(inspect(path), {"uid": "uid"})
