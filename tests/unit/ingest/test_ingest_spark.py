"""The same statements on Spark: the bytes of DuckDB, on a cluster that loses a worker midway."""

import importlib.util
import os
import shutil
import signal
import sys
from datetime import datetime, timedelta
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.ingest import ingest
from engine.ingest.row_report import Reason
from tests.support.ingests import BOTH, TABLES, TOWERS, options, refused, table_bytes

NAMES = [name for name, *_ in TOWERS]
needs_spark = pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is None or shutil.which("java") is None,
    reason="needs PySpark and Java",
)


def written(folder):
    """Typed trips of few people, some much on the way, with exact duplicates and missing ends."""
    rng = np.random.default_rng(6)
    people = zip(["NFC", "NFD"] * 450, rng.random(900), strict=True)
    starts = [datetime(2015, 9, 5) + timedelta(seconds=int(s)) for s in rng.integers(0, 10**6, 900)]
    lasting = [int(s) for s in rng.integers(60, 9_000, 900)]
    ends = [
        None if n % 9 == 0 else at + timedelta(seconds=n)
        for at, n in zip(starts, lasting, strict=True)
    ]
    columns = {
        "uid": [normalize(form, f"é{int(40 * x**3)}") for form, x in people],
        "datetime": pa.array(starts, pa.timestamp("us")),
        "end_datetime": pa.array(ends, pa.timestamp("us")),
        "origin": rng.choice([*NAMES, "?"], 900),
        "destination": rng.choice(NAMES, 900),
    }
    table = pa.table(columns)
    (folder / "lake").mkdir()
    pq.write_table(pa.concat_tables([table, table.slice(0, 30)]), folder / "lake" / "a.parquet")
    return folder / "lake"


def executors():
    """The processes of this user that run an executor of Spark, by their command lines."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            line = (place / "cmdline").read_bytes()
            if b"CoarseGrainedExecutorBackend" in line and place.stat().st_uid == os.getuid():
                found.append(int(place.name))
        except OSError:  # it has just ended
            continue
    return found


@pytest.mark.long
@needs_spark
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_cluster_gives_the_same_bytes_though_an_executor_dies(tmp_path):
    lake, before, killed = written(tmp_path), set(executors()), list[int]()

    def strike(progress):
        own = [one for one in executors() if one not in before]
        if progress.stage == "counting trips by person" and own and not killed:
            os.kill(own[0], signal.SIGKILL)
            killed.append(own[0])

    expected, told = ingest(options(tmp_path, "trips", [lake], max_visits_cap=30))
    cluster = {"engine": "spark", "master": "local-cluster[2,1,1024]", "memory": "1GB"}
    asked = options(tmp_path, "trips", [lake], max_visits_cap=30, out=tmp_path / "spark", **cluster)
    dataset, again = ingest(asked, strike)
    assert killed
    assert again.rows == told.rows
    for name in TABLES:
        assert table_bytes(dataset.folder, name) == table_bytes(expected.folder, name), name


@pytest.mark.long
@needs_spark
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("kind", ["flows", "visits"])
def test_folders_ties_and_forms_of_ids_are_read_alike(tmp_path, kind):
    rng = np.random.default_rng(7)
    for day in (7, 8):
        folder = tmp_path / "lake" / f"dt=2015-09-{day:02d}"
        folder.mkdir(parents=True)
        forms = ("é{}", "é{}\N{NO-BREAK SPACE}", normalize("NFD", "é{}"))
        times = [
            datetime(2015, 9, day, 17) + timedelta(hours=int(n)) for n in rng.integers(0, 7, 90)
        ]
        columns = {
            "uid": [forms[n % 3].format(n % 10) for n in range(90)],
            "datetime": pa.array(times, pa.timestamp("us")),
            "location_id": rng.choice(NAMES, 90),
            **{end: rng.choice(NAMES, 90) for end in ("origin", "destination")},
            "flow": [None if n % 30 == 0 else float(n) for n in range(90)],
        }
        pq.write_table(pa.table(columns), folder / "a.parquet")
    how = {"leave_out": ("unknown-flows",), **BOTH}
    expected, told = ingest(options(tmp_path, kind, [tmp_path / "lake"], **how))
    spark = {"engine": "spark", "out": tmp_path / "spark", "memory": "1GB"}
    dataset, again = ingest(options(tmp_path, kind, [tmp_path / "lake"], **how, **spark))
    assert (again.rows, again.trips) == (told.rows, told.trips)
    assert kind == "flows" or (told.trips and told.trips.rows_unused[Reason.TIED] > 0)
    for name in TABLES if kind == "visits" else ("trips",):
        assert table_bytes(dataset.folder, name) == table_bytes(expected.folder, name), name


@needs_spark
def test_text_is_refused_before_java_starts(tmp_path):
    error = refused(tmp_path, "Spark reads typed tables alone. Count text with", engine="spark")
    assert error.code == "spark-text"


def test_without_pyspark_one_sentence_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    error = refused(tmp_path, "needs PySpark, sqlglot and Java 17", engine="spark")
    assert error.settings == ("engine",)
