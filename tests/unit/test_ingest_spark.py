"""The same expressions on Spark give the same bytes."""

import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.ingest.spark import available
from tests.reference.ingest_inputs import TOWERS, write_csv, write_towers

ROOT = Path(__file__).parents[2]
REAL = ROOT.parent / "shared" / "data" / "mibici"
pytestmark = pytest.mark.skipif(not available(), reason="needs PySpark (extra 'spark') and Java 17")
TABLES = ("truth", "presampled", "single_visit", "homes", "trips", "trips_person")


def run(folder: Path, engine: str, *arguments: str) -> Path:
    """Run the command line in a process of its own; return the version's folder."""
    out = folder / engine
    subprocess.run(
        [
            *(sys.executable, "-m", "engine.ingest", *arguments, "--out", str(out)),
            *("--engine", engine, "--master", "local[2]", "--memory", "2GB", "--salt", "s"),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return out / (out / "current").read_text(encoding="utf-8").strip()


def assert_same(one: Path, other: Path, names: tuple[str, ...] = TABLES) -> None:
    for name in names:
        file = f"{name}.parquet"
        assert (one / file).read_bytes() == (other / file).read_bytes(), name


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


def test_both_engines_give_the_same_bytes(tmp_path: Path) -> None:
    header = ("uid", "datetime", "end_datetime", "origin", "destination")
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    rows = messy_trips(1_000)
    write_csv(inputs / "a.csv", header, rows[:600])
    write_csv(inputs / "b.csv", header[::-1], [row[::-1] for row in rows[600:]])
    towers = write_towers(tmp_path)
    arguments = (
        *("trips", str(inputs), "--locations", str(towers), "--skip-unparsable", "--cap", "20"),
        *("--timezone", "Europe/Paris", "--from", "2015-09-06", "--to", "2015-09-14"),
    )
    assert_same(run(tmp_path, "duckdb", *arguments), run(tmp_path, "spark", *arguments))


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
