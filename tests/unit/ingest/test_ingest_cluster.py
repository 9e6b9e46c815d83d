"""Spark as it is run: workers of their own, another file system, tables, a server to connect to."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.errors import InputError
from engine.ingest.backends import lake
from engine.ingest.backends.session import available
from engine.ingest.backends.statements import of_engine
from engine.ingest.command import main
from tests.reference.ingest_inputs import options, table_bytes, write_towers
from tests.support.ingests import TABLES

ROOT = Path(__file__).parents[3]
PERIOD = ("--timezone", "UTC", "--from", "2015-09-07", "--to", "2015-09-13", "--salt", "s")
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def write_visits(folder: Path, count: int = 3_000) -> None:
    """Write visits at coordinates into two Parquet files."""
    rng = np.random.default_rng(5)
    folder.mkdir(parents=True)
    for part in range(2):
        at = rng.integers(1_441_584_000, 1_441_584_000 + 7 * 86_400, count)
        visits = {
            "uid": rng.integers(0, 60, count),
            "datetime": pa.array(at.astype("datetime64[s]").astype("datetime64[us]")),
            "lat": rng.uniform(20.65, 20.70, count).round(3),
            "lng": rng.uniform(-103.38, -103.33, count).round(3),
        }
        pq.write_table(pa.table(visits), folder / f"part-{part}.parquet")


def environment() -> dict[str, str]:
    """Workers import the package, too: a server's with the Python that it was started with."""
    own = {"PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    own["SPARK_LOCAL_IP"] = "127.0.0.1"
    return {**os.environ, **own, "JDK_JAVA_OPTIONS": JAVA_OPTIONS}


def ingested(out: Path, *arguments: str, meanwhile: Callable[[], None] | None = None) -> Path:
    """Run the command line; return the version's folder."""
    command = [sys.executable, "-m", "engine.ingest", *arguments, *PERIOD, "--out", str(out)]
    with (out.parent / f"{out.name}.log").open("w+") as said:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdout=said, stderr=subprocess.STDOUT
        )
        if meanwhile is not None:
            meanwhile()
        assert process.wait() == 0, (said.seek(0), said.read()[-3_000:])
    return out / (out / "current").read_text(encoding="utf-8").strip()


@contextmanager
def started(folder: Path, name: str, port: int, *command: str) -> Generator[psutil.Popen]:
    """Run a program of Spark's own distribution, ready once its port answers; end it after."""
    import pyspark

    log = folder / f"{name}.log"
    program = [str(Path(pyspark.__file__).parent / "bin" / command[0]), *command[1:]]
    with log.open("w") as said:
        process = psutil.Popen(program, cwd=folder, env=environment(), stdout=said, stderr=said)
    try:
        until = time.monotonic() + 180
        while True:
            assert process.poll() is None, log.read_text()[-2_000:]
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < until, f"no {name} within three minutes"
                time.sleep(0.2)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def two_workers(folder: Path) -> Generator[tuple[str, list[psutil.Popen]]]:
    """Start a master and two workers, three processes; yield its address and the workers."""
    deploy, port = "org.apache.spark.deploy", free_port()
    address, host = f"spark://127.0.0.1:{port}", ("--host", "127.0.0.1", "--webui-port", "0")
    with ExitStack() as running:
        master = ("spark-class", f"{deploy}.master.Master", "--port", str(port), *host)
        running.enter_context(started(folder, "master", port, *master))
        workers: list[psutil.Popen] = []
        for number in range(2):
            own = free_port()
            worker = ("spark-class", f"{deploy}.worker.Worker", "--port", str(own), *host)
            limits = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"{number}"))
            command = (*worker, *limits, address)
            workers.append(running.enter_context(started(folder, f"worker{number}", own, *command)))
        yield address, workers


def lose_an_executor(workers: list[psutil.Popen]) -> None:
    """Kill the executor of one worker as soon as both have theirs."""
    until = time.monotonic() + 300
    while not all(each := [worker.children() for worker in workers]):
        assert time.monotonic() < until, "no two executors"
        time.sleep(0.2)
    each[0][0].kill()


@pytest.mark.parametrize("executor", ["stays", "is lost"])
@pytest.mark.long
@pytest.mark.skipif(not available(), reason="needs PySpark and Java")
def test_two_workers_count_the_same_bytes_out_of_another_file_system(
    tmp_path: Path, executor: str
) -> None:
    write_visits(tmp_path / "lake" / "calls" / "2015")
    places = ("--locations", str(write_towers(tmp_path)))
    one = ingested(tmp_path / "one", "visits", str(tmp_path / "lake" / "calls"), *places)
    table = "spark.hadoop.fs.viewfs.mounttable.lake.link"
    with two_workers(tmp_path) as (address, workers):
        other = ingested(
            tmp_path / "other",
            *("visits", "viewfs://lake/calls", *places, "--engine", "spark"),
            *("--master", address, "--staging", "viewfs://lake/staged"),
            *("--conf", f"{table}./calls=file:{tmp_path}/lake/calls"),
            f"{table}./staged=file:{tmp_path}/staged",
            "spark.executor.memory=512m",
            "spark.sql.shuffle.partitions=3",
            meanwhile=(lambda: lose_an_executor(workers)) if executor == "is lost" else None,
        )
    for name in TABLES:
        assert table_bytes(one, name) == table_bytes(other, name), name
    left = list((tmp_path / "staged").rglob("*.parquet"))
    assert sum(pq.read_metadata(path).num_rows for path in left) == 0, "what was counted is gone"


@contextmanager
def connect_server(folder: Path) -> Generator[str]:
    """Start a Spark Connect server with a warehouse of its own; yield its address."""
    port = free_port()
    settings = {
        "spark.connect.grpc.binding.port": port,
        "spark.sql.warehouse.dir": folder / "warehouse",
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
    }
    conf = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    server = ("--class", "org.apache.spark.sql.connect.service.SparkConnectServer")
    command = ("spark-submit", "--master", "local[2]", *conf, *server, "spark-internal")
    with started(folder, "server", port, *command):
        yield f"sc://127.0.0.1:{port}"


@pytest.mark.long
@pytest.mark.skipif(not available(), reason="needs PySpark and Java")
def test_a_table_behind_a_spark_connect_server_gives_the_same_bytes(tmp_path: Path) -> None:
    write_visits(tmp_path / "calls")
    places = ("--locations", str(write_towers(tmp_path)), "--parts", "trips")
    one = ingested(tmp_path / "one", "visits", str(tmp_path / "calls"), *places)
    with connect_server(tmp_path) as address:
        save = (
            "import sys; from pyspark.sql import SparkSession; "
            "spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate(); "
            "spark.read.parquet(sys.argv[2]).write.saveAsTable('calls'); spark.stop()"
        )
        command = [sys.executable, "-c", save, address, str(tmp_path / "calls")]
        subprocess.run(command, env=environment(), check=True)
        other = ingested(
            tmp_path / "other",
            *("visits", "spark_catalog.default.calls", *places, "--engine", "spark"),
            *("--remote", address, "--staging", f"file:{tmp_path}/staged"),
        )
    for name in ("trips", "trips_person", "report"):
        assert table_bytes(one, name) == table_bytes(other, name), name


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("ExpiredToken: The provided token has expired (403)", "wrong or has expired"),
        ("org.apache.hadoop.security.AccessControlException: Permission denied", "has expired"),
        ("ExecutorLostFailure (executor 1 exited) Reason: Remote RPC client", "lost a worker"),
        ("<_MultiThreadedRendezvous of RPC: StatusCode.UNAVAILABLE>", "can no longer be reached"),
        ("is bigger than spark.driver.maxResultSize (1024.0 MiB)", "more counts than one answer"),
        ("PythonException: ModuleNotFoundError: No module named 'engine'", "Python lacks this"),
        ("[PATH_NOT_FOUND] Path does not exist: s3a://lake/CANARY", "is not there"),
        ('No FileSystem for scheme "s3a"', "knows no such file system"),
    ],
)
def test_what_a_cluster_says_is_told_in_clear_words(said: str, words: str) -> None:
    error = type("Py4JJavaError", (Exception,), {"__module__": "py4j.protocol"})(said)
    refused = of_engine(error, [])
    assert re.search(words, str(refused))
    assert refused.remedy
    assert "CANARY" not in str(refused)
    assert words not in str(of_engine(OSError(said), [])), "only of a cluster"


@pytest.mark.skipif(not available(), reason="needs PySpark and Java")
def test_a_server_that_is_not_there_is_told_at_once_and_without_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    where = f"sc://127.0.0.1:{free_port()}"
    typed = ["visits", "s3a://lake/calls", *PERIOD, "--out", str(tmp_path / "city")]
    typed += ["--locations", str(write_towers(tmp_path)), "--engine", "spark"]
    begun = time.monotonic()
    assert main([*typed, "--remote", f"{where}/;token=CANARY"]) == 2
    assert time.monotonic() - begun < 30
    said = "".join(capsys.readouterr())
    assert f"cannot start at '{where}/' (ConnectionRefusedError)" in said
    assert "CANARY" not in said


def test_inputs_of_a_cluster_need_spark_and_no_setting_changes_what_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [lake.is_remote(name) for name in ("a.b.c", "calls.csv", "x.parquet")] == [1, 0, 0]
    (tmp_path / "a.b").write_text("", encoding="utf-8")
    assert not lake.is_remote(str(tmp_path / "a.b"))
    asked = options(tmp_path, "visits", [Path("calls.csv")])
    typed = ["visits", "s3a://lake/calls", *PERIOD, "--out", str(tmp_path / "city")]
    typed += ["--locations", str(asked.locations)]
    assert main(typed) == 2
    assert "no file of this machine" in (said := capsys.readouterr().err)
    assert "(--engine)" in said
    fixed = ["--engine", "spark", "--conf", "spark.sql.session.timeZone=Asia/Kabul"]
    if available():
        assert main([*typed, *fixed]) == 2
        assert "'spark.sql.session.timeZone' cannot be set" in capsys.readouterr().err
    with pytest.raises(InputError, match="no file of this machine"):
        lake.inspect(options(tmp_path, "visits", [Path("lake.raw.calls")]), None)
