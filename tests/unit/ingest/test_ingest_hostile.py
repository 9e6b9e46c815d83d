"""Hostile files are refused early, cheaply, and without a word of their contents."""

import gzip
import io
import json
import os
import pickle
import re
import resource
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from contextlib import closing
from pathlib import Path

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine import child_process
from engine.errors import InputError
from engine.ingest import Cancelled, ingest
from engine.ingest.duckdb_engine import DuckDB
from engine.ingest.inputs import zones
from engine.ingest.progress import Monitor
from tests.support.ingests import arguments, built, options, refused, squares, write_csv

ROOT = Path(__file__).parents[3]
HEADER = "uid,datetime,origin,destination\n"
ROW = "p1,2015-09-07 08:00:00,A,B\n"


def zip_with(*members):
    contents = io.BytesIO()
    with zipfile.ZipFile(contents, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members:
            archive.writestr(name, member)
    return contents.getvalue()


def parquet():
    contents = io.BytesIO()
    pq.write_table(pa.table({"zone_id": ["a"]}), contents)
    return contents.getvalue()


TABLES: dict[str, tuple[bytes | str, str]] = {
    "disguise.parquet": (HEADER + ROW, "claims to be Parquet"),
    "cut.parquet": (b"PAR1" + b"\x00" * 500, "damaged"),
    "zip.csv": (zip_with(("a.csv", HEADER.encode()), ("b.csv", b"")), "the zip holds 2 files"),
    "book.xlsx": (zip_with(("xl/workbook.xml", b"x")), "Excel workbook"),
    "matrix.omx": (b"\x89HDF\r\n", "OMX"),
    "zeros.csv": ((HEADER + ROW * 60_000).encode() + bytes(4_000_000), "ends in zero bytes"),
    "zeros.csv.gz": (
        gzip.compress((HEADER + ROW * 60_000).encode() + bytes(4_000_000)),
        "ends in zero bytes",
    ),
    "nul.csv": (HEADER + "\x00" * 100, "NUL"),
    "line.csv": ("u" * 3_000_000, "cannot be read"),
    "broken.csv.gz": (gzip.compress(os.urandom(5_000))[:-40], "gzip"),
    "ragged.csv": (HEADER + ROW * 3 + "CANARY,b\n", "columns"),
    "quote.csv": (HEADER + ROW * 3 + '"CANARY,b,c,d\n', "quote"),
    "late.csv": ((HEADER + ROW * 60_000 + "CANARY").encode() + b"\xff,,,\n", "encoding"),
}


CURVE = {
    "type": "Feature",
    "properties": {"zone_id": "CANARY"},
    "geometry": {"type": "CircularString", "coordinates": [[0, 0], [1, 1], [2, 0]]},
}
ZONES: dict[str, tuple[bytes | str, str]] = {
    "deep.geojson": ('{"features":' + "[" * 100_000, "cannot be read"),
    "no.geojson": ('{"type": "Topology", "CANARY": 1}', "TopoJSON"),
    "curve.geojson": (json.dumps({"type": "FeatureCollection", "features": [CURVE]}), "zone"),
    "two.zip": (zip_with(("a.shp", b"x"), ("b.shp", b"x")), "the zip holds 2 files"),
    "shape.zip": (zip_with(("a.shp", b"x" * 200), ("a.shx", b"x"), ("a.dbf", b"x")), "cannot be"),
    "text.gpkg": ("SQLite format 3\x00" + "x" * 300, "cannot be read"),
    "plain.parquet": (parquet(), "without geometry"),
    "pickle.geojson": (pickle.dumps([1]), "not a file of"),
}


@pytest.mark.parametrize("name", [*TABLES, *ZONES])
def test_hostile_files_are_refused(tmp_path, name, caplog, monkeypatch):
    contents, word = (TABLES | ZONES)[name]
    (tmp_path / name).write_bytes(contents.encode() if isinstance(contents, str) else contents)
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spill))
    (tmp_path / "t.csv").write_text(HEADER + ROW)
    table, files = ("t.csv", {"zones": tmp_path / name}) if name in ZONES else (name, {})
    error = refused(tmp_path, re.escape(word), tmp_path / table, spill=spill, **files)
    assert name in str(error)
    assert "CANARY" not in f"{error!r}{error}{caplog.text}"
    assert error.__cause__ is None
    assert list(spill.iterdir()) == []
    assert not (tmp_path.parent / "z.shp").exists()


def star(path, points=3_001):
    """Write a ring that crosses itself again and again, beside a zone of the rows."""
    turn = np.arange(points + 1) * (points // 2) * 2 * np.pi / points
    shapes = [
        shapely.Polygon(np.column_stack((np.cos(turn), np.sin(turn)))),
        shapely.box(2, 0, 3, 1),
    ]
    gpd.GeoDataFrame({"zone_id": ["A", "B"]}, geometry=shapes, crs=4326).to_file(path)
    return path


def endless(path):
    """Write a GeoPackage whose layer is a view without an end."""
    squares(1).to_file(path, layer="real")
    with closing(sqlite3.connect(path)) as opened:
        opened.executescript(
            "CREATE VIEW g AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
            "SELECT c.x AS fid, r.geom, 'q' || c.x AS zone_id FROM c, real r;"
            "UPDATE gpkg_contents SET table_name = 'g', identifier = 'g';"
        )
    return path


def blanks(path):
    """Write a GeoJSON of little else than ``{}``."""
    empty = ",".join(["{}"] * 1_000_000)
    path.write_text(f'{{"type": "FeatureCollection", "x": [{empty}], "features": []}}')
    return path


@pytest.mark.parametrize(
    ("write", "name", "words"),
    [
        (star, "z.geojson", "within 1 s of computing and .* MB of memory .given: z.geojson"),
        (endless, "z.gpkg", "z.gpkg: its layers are views"),
        (blanks, "z.geojson", "and 52 MB of memory .given: z.geojson, which was not.. Simplify it"),
    ],
)
def test_zones_without_an_end_are_refused_in_time_and_memory(
    tmp_path, monkeypatch, write, name, words
):
    monkeypatch.setattr(child_process, "DEADLINE_S", 1)
    if write is blanks:
        monkeypatch.setattr(child_process, "_FREE_BYTES", 4_000_000)
    path, before = write(tmp_path / name), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    refused(tmp_path, words, [("p1", "2015-09-07 08:00:00", "A", "B")], zones=path)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss - before < 1_000_000  # KB


def test_a_repair_has_a_bound_of_vertices(tmp_path, monkeypatch):
    monkeypatch.setattr(zones, "MAX_REPAIRED_VERTICES", 1_000)
    with pytest.raises(InputError, match="zone 1 crosses itself so often that it has over 1,000"):
        zones.read_zones(star(tmp_path / "z.geojson", 61), {})


def test_cancel_and_sigterm_end_the_reading_of_zones_in_time(tmp_path):
    (tmp_path / "t.csv").write_text(HEADER + ROW)
    path, cancel = star(tmp_path / "z.geojson", 401), threading.Event()
    stopper = threading.Timer(1, cancel.set)
    stopper.start()
    with pytest.raises(Cancelled):
        ingest(options(tmp_path, "trips", [tmp_path / "t.csv"], zones=path), None, cancel)
    stopper.join()
    words = arguments(tmp_path, "--zones", str(path))
    command_line = [sys.executable, "-m", "engine", "ingest", *words]
    with subprocess.Popen(command_line, cwd=ROOT, stderr=subprocess.PIPE, text=True) as running:
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        while not (started := children.read_text().split()):
            assert running.poll() is None
            time.sleep(0.1)
        running.terminate()
        assert "stopped; nothing was written" in running.communicate(timeout=60)[1]
    assert running.returncode == 130
    assert not Path(f"/proc/{started[0]}").exists()
    assert not (tmp_path / "city").exists()


def test_a_column_of_parquet_that_nobody_asks_for_is_not_read(tmp_path):
    columns = {"uid": ["p"], "datetime": [1_441_612_800], "origin": ["A"], "destination": ["B"]}
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({**columns, "note": ["CANARY" * 99]}), path, compression="none")
    places = {"location_id": ["A", "B"], "lat": [20.6, 20.7], "lng": [-103.3, -103.4]}
    stations = tmp_path / "p.parquet"
    pq.write_table(pa.table({**places, "note": ["CANARY" * 99] * 2}), stations, compression="none")
    for damaged in (path, stations):
        chunk = (
            pq.ParquetFile(damaged)
            .metadata.row_group(0)
            .column(len(columns) - (damaged == stations))
        )
        assert chunk.path_in_schema == "note"
        contents, start = bytearray(damaged.read_bytes()), chunk.dictionary_page_offset
        contents[start : start + 40] = b"\xff" * 40
        damaged.write_bytes(contents)
    dataset, _ = built(tmp_path, path, locations=stations)
    assert dataset.trips.all_days.trip_count.sum() == 1


def test_the_embedded_engine_is_locked_down(tmp_path):
    path = write_csv(tmp_path / "t.csv", ["uid"], [["p"]])
    secret = write_csv(tmp_path / "secret.csv", ["uid"], [["CANARY"]])
    (tmp_path / "spill").mkdir()
    engine = DuckDB(Monitor(), tmp_path / "spill", paths={str(path): path.name})
    try:
        for statement in (
            f"SELECT * FROM read_csv('{secret}')",
            f"SELECT * FROM '{secret}'",
            f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
            f"ATTACH '{tmp_path / 'x.db'}'",
            "INSTALL httpfs",
            "LOAD spatial",
            "SET enable_external_access = true",
            "SET memory_limit = '100GB'",
            "SELECT * FROM settings",
        ):
            with pytest.raises(Exception, match=r"(?i)permission|disabled|locked|exist|access"):
                engine.connection.execute(statement)
    finally:
        engine.close()
    assert not (tmp_path / "out.csv").exists()
    assert not (tmp_path / "x.db").exists()
