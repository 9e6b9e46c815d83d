"""The same expressions on Spark give the same bytes."""

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.datasets import Dataset
from engine.errors import InputError
from engine.ingest import Cancelled, IngestReport, Progress, ingest
from engine.ingest.backends.session import available
from engine.ingest.reading import Reading
from tests.reference.ingest_inputs import (
    TOWERS,
    options,
    table,
    table_bytes,
    write_csv,
    write_towers,
)
from tests.support.ingests import TABLES, built
from tests.support.messy_files import MESSY, trips

ROOT = Path(__file__).parents[3]
REAL = ROOT.parent / "shared" / "data" / "mibici"
HEADER = ("uid", "datetime", "end_datetime", "origin", "destination")
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets that PySpark leaves open
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java's compiler takes most of the time of a short run: these tests do with its first stage."""


@pytest.fixture(scope="module", autouse=True)
def java() -> Iterator[None]:
    """One Java machine for all tests of this file; skip without, or fail where REQUIRE_SPARK=1."""
    if not available():
        message = "needs PySpark (extra 'spark') and Java 17 (Debian: openjdk-17-jre-headless)"
        if os.environ.get("REQUIRE_SPARK") == "1":
            pytest.fail(message)
        pytest.skip(message)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", QUICK_START)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        yield
        stop_java()


def stop_java() -> None:
    """End the Java machine and collect the sockets that PySpark leaves open to it."""
    from pyspark import SparkContext

    if SparkContext._gateway is not None:
        SparkContext._gateway.shutdown()
        SparkContext._gateway.proc.stdin.close()
        SparkContext._gateway.proc.wait()
        SparkContext._gateway = SparkContext._jvm = None
    gc.collect()


def run(folder: Path, engine: str, *arguments: str) -> Path:
    """Run the command line in a process of its own; return the version's folder."""
    out = folder / engine
    environment = {k: v for k, v in os.environ.items() if k != "JDK_JAVA_OPTIONS"}
    subprocess.run(
        [
            *(sys.executable, "-m", "engine.ingest", *arguments, "--out", str(out)),
            *("--engine", engine, "--master", "local[2]", "--memory", "2GB", "--salt", "s"),
        ],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
    )
    return out / (out / "current").read_text(encoding="utf-8").strip()


def assert_same(one: Path, other: Path, names: tuple[str, ...] = TABLES) -> None:
    for name in names:
        assert table_bytes(one, name) == table_bytes(other, name), name


def both(
    folder: Path, kind: str, inputs: Path, **changes: Any
) -> list[tuple[Dataset, IngestReport]]:
    """Ingest the same files with both engines."""
    chosen = {"memory": "1GB", **changes}
    return [
        ingest(options(folder, kind, [inputs], engine=engine, out=folder / engine, **chosen))
        for engine in ("duckdb", "spark")
    ]


def messy_trips(count: int) -> list[tuple[str, str, str, str, str]]:
    rng = np.random.default_rng(3)
    names = [name for name, _, _ in TOWERS]
    rows = []
    for _ in range(count):
        start = datetime(2015, 9, 5) + timedelta(seconds=int(rng.integers(0, 11 * 86_400)))
        form = rng.integers(0, 5)
        at = [
            str(start),
            start.isoformat() + ".999Z",
            f"{start.isoformat()}+05:45",
            str(int(start.timestamp())),
            start.strftime("%Y-%m-%d %H:%M"),
        ][form]
        end = str(start + timedelta(minutes=20)) if rng.random() < 0.7 else ""
        uid = rng.choice(["p1", "p2", "ñandú", ' "q" ', "p,5", "6"])
        rows.append((uid, at, end, *rng.choice([*names, "?"], 2)))
    return [*rows, *rows[:30], ("p1", "2015-02-30", "", "A", "B"), ("", str(start), "", "A", "B")]


@pytest.mark.long
def test_both_engines_give_the_same_bytes_and_account_of_messy_trips(tmp_path: Path) -> None:
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    rows = messy_trips(1_000)
    write_csv(inputs / "a.csv", HEADER, rows[:600])
    write_csv(inputs / "b.csv", HEADER[::-1], [row[::-1] for row in rows[600:]])
    (one, account), (other, same) = both(
        tmp_path, "trips", inputs, skip_unparsable=True, max_visits_cap=20
    )
    assert_same(one.folder, other.folder)
    assert (account.rows, account.visits) == (same.rows, same.visits)
    assert account.rows.read == len(rows)
    assert account.trips_per_person == same.trips_per_person
    assert account.visits_per_person == same.visits_per_person


@pytest.mark.long
def test_both_engines_place_coordinates_and_derive_trips_alike(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    count = 2_000
    at = rng.integers(1_441_584_000, 1_441_584_000 + 7 * 86_400, count)
    visits = {
        "uid": pa.array(rng.integers(0, 40, count).astype(np.float64)),
        "datetime": pa.array((at * 1_000).astype("datetime64[ms]"), pa.timestamp("ms", tz="UTC")),
        "lat": rng.uniform(20.65, 20.70, count).round(3),
        "lng": rng.uniform(-103.38, -103.33, count).round(3),
    }
    pq.write_table(pa.table(visits), tmp_path / "v.parquet")
    (one, account), (other, same) = both(tmp_path, "visits", tmp_path / "v.parquet")
    assert_same(one.folder, other.folder)
    assert (account.rows, account.trips) == (same.rows, same.trips)
    assert account.trips.used > 0


@pytest.mark.long
@pytest.mark.parametrize("name", MESSY)
def test_both_engines_read_dates_numbers_and_encodings_alike(tmp_path: Path, name: str) -> None:
    packed = ".gz" if name == "gzip" else ""  # Spark goes by the ending
    path = tmp_path / f"{name}.csv{packed}"
    path.write_bytes(MESSY[name])
    (one, account), (other, same) = both(tmp_path, "trips", path, parts=("trips",))
    assert_same(one.folder, other.folder, ("trips", "trips_person", "report"))
    assert account.rows == same.rows
    assert account.rows.used == len(trips())


@pytest.mark.long
def test_both_engines_read_thousands_and_decimals_of_flows_alike(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    rows = "A;B;1.234;07/09/2015\nB;C;12;08/09/2015\nC;A;1.000.001;13/09/2015\n"
    path.write_text(f"origin;destination;flow;date\n{rows}", encoding="utf-8")
    reading = Reading(decimal=",", thousands=".")
    (one, account), (other, same) = both(tmp_path, "flows", path, parts=("trips",), reading=reading)
    assert_same(one.folder, other.folder, ("trips",))
    assert account.rows == same.rows
    assert sum(table(one.folder, "trips").values()) == 1_001_247


@pytest.mark.long
def test_spark_stops_when_asked_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancel = threading.Event()

    def watch(progress: Progress) -> None:
        if progress.stage == "counting visits":
            cancel.set()

    spill = tmp_path / "spill"
    spill.mkdir()
    path = write_csv(tmp_path / "t.csv", HEADER, messy_trips(100))
    asked = options(
        tmp_path, "trips", [path], engine="spark", memory="1GB", skip_unparsable=True, spill=spill
    )
    with pytest.raises(Cancelled, match="nothing was written"):
        ingest(asked, watch, cancel)
    assert list(spill.iterdir()) == []
    assert not (tmp_path / "city").exists()


@pytest.mark.long
def test_sessions_in_one_java_machine_leave_no_folder(tmp_path: Path) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    path = write_csv(tmp_path / "t.csv", HEADER, messy_trips(20))
    for run_number in range(2):
        how = {"engine": "spark", "memory": "1GB", "skip_unparsable": True, "spill": spill}
        built(tmp_path, path, out=tmp_path / f"city{run_number}", **how)
    assert list(spill.iterdir()) == []


def test_spark_says_nothing_of_a_row_that_it_cannot_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    lines = [",".join(HEADER), "p1,2015-09-07 08:00:00,,A,B", "CANARY,CANARY"]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        ingest(options(tmp_path, "trips", [path], engine="spark", memory="1GB"))
    assert "t.csv" in str(caught.value)
    assert "CANARY" not in f"{caught.value!r}{caplog.text}{capfd.readouterr()}"
    assert caught.value.__cause__ is None
    assert not (tmp_path / "city").exists()


@pytest.mark.long
@pytest.mark.real_data
@pytest.mark.skipif(not REAL.exists(), reason="the real data are not at ../shared/data/mibici")
def test_both_engines_agree_on_real_bike_trips(tmp_path: Path) -> None:
    arguments = (
        *("trips", str(REAL / "trips_*.csv"), "--locations", str(REAL / "stations.csv")),
        *("--map", "uid=Usuario_Id", "datetime=Inicio_del_viaje", "end_datetime=Fin_del_viaje"),
        *("origin=Origen_Id", "destination=Destino_Id", "--timezone", "America/Mexico_City"),
        *("--from", "2014-12-01", "--to", "2015-09-30", "--week", "2015-09-07"),
    )
    assert_same(run(tmp_path, "duckdb", *arguments), run(tmp_path, "spark", *arguments))


@pytest.mark.long
def test_both_engines_agree_on_a_million_visits(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    count = 1_000_000
    seconds = rng.integers(1_441_584_000, 1_441_584_000 + 7 * 86_400, count)
    visits = pa.table(
        {
            "uid": (80_000 * rng.random(count) ** 2).astype(np.int64),
            "datetime": pa.array(seconds.astype("datetime64[s]").astype("datetime64[us]")),
            "location_id": rng.choice([name for name, _, _ in TOWERS], count),
        }
    )
    pq.write_table(visits, tmp_path / "v.parquet")
    towers = write_towers(tmp_path)
    arguments = (
        *("visits", str(tmp_path / "v.parquet"), "--locations", str(towers)),
        *("--timezone", "UTC", "--from", "2015-09-07", "--to", "2015-09-13"),
    )
    assert_same(run(tmp_path, "duckdb", *arguments), run(tmp_path, "spark", *arguments))
