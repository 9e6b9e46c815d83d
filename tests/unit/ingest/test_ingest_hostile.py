"""Hostile files are refused early, cheaply, and without a word of their contents."""

import gzip
import io
import json
import os
import pickle
import re
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.ingest.duckdb_engine import DuckDB
from engine.ingest.progress import Monitor
from tests.support.ingests import refused, write_csv

HEADER = "uid,datetime,origin,destination\n"
ROW = "p1,2015-09-07 08:00:00,A,B\n"


def zip_with(*members: tuple[str, bytes]) -> bytes:
    contents = io.BytesIO()
    with zipfile.ZipFile(contents, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members:
            archive.writestr(name, member)
    return contents.getvalue()


def parquet() -> bytes:
    contents = io.BytesIO()
    pq.write_table(pa.table({"zone_id": ["a"]}), contents)
    return contents.getvalue()


TABLES: dict[str, tuple[bytes | str, str]] = {
    "disguise.parquet": (HEADER + ROW, "claims to be Parquet"),
    "cut.parquet": (b"PAR1" + b"\x00" * 500, "damaged"),
    "zip.csv": (zip_with(("a.csv", HEADER.encode()), ("b.csv", b"")), "the zip holds 2 files"),
    "book.xlsx": (zip_with(("xl/workbook.xml", b"x")), "Excel workbook"),
    "matrix.omx": (b"\x89HDF\r\n", "OMX"),
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
def test_hostile_files_are_refused(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents, word = (TABLES | ZONES)[name]
    (tmp_path / name).write_bytes(contents.encode() if isinstance(contents, str) else contents)
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spill))
    (tmp_path / "t.csv").write_text(HEADER + ROW)
    table, zones = ("t.csv", {"zones": tmp_path / name}) if name in ZONES else (name, {})
    error = refused(tmp_path, re.escape(word), tmp_path / table, spill=spill, **zones)
    assert name in str(error)
    assert "CANARY" not in f"{error!r}{error}{caplog.text}"
    assert error.__cause__ is None
    assert list(spill.iterdir()) == []
    assert not (tmp_path.parent / "z.shp").exists()


def test_the_embedded_engine_is_locked_down(tmp_path: Path) -> None:
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
