"""Ingest of a table of Paris's size, in a process of its own."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np

from benchmarks.measure import Child, Row, child

TOWERS = 1_303
PARIS_ROWS = 27_000_000
ROWS_PER_PERSON = 13.5


def rows() -> Iterator[Row]:
    """Yield the lines of the table of ingest."""
    with tempfile.TemporaryDirectory(prefix="bench-ingest-") as name:
        folder = Path(name)
        write_towers(folder)
        write_visits(folder)
        work, ours, tight = (
            "27 M visits → density aggregates",
            ingest(folder),
            ingest(folder, "1GB"),
        )
        yield Row(work, ours.seconds, 45, f"processor time {ours.cpu:.0f} s")
        yield Row(f"{work}: memory", ours.peak_mb, 4000, unit="MB")
        peak = f"peak {tight.peak_mb / 1000:.2f} GB"
        yield Row("the same with --memory 1GB", tight.seconds, note=peak)


def write_towers(folder: Path) -> None:
    """Write 1,303 towers around Paris."""
    rng = np.random.default_rng(0)
    lines = ["location_id,lat,lng"]
    for i in range(TOWERS):
        lat, lng = 48.86 + 0.03 * rng.standard_normal(), 2.34 + 0.04 * rng.standard_normal()
        lines.append(f"T{i:04d},{lat:.6f},{lng:.6f}")
    (folder / "towers.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_visits(folder: Path) -> None:
    """Write visits of people who move around a home tower; some move a lot."""
    people = int(PARIS_ROWS / ROWS_PER_PERSON)
    duckdb.sql(
        f"""
        COPY (SELECT 'p' || uid AS uid,
            TIMESTAMP '2015-09-07' + to_seconds((hash(i * 5 + 1) % 604800)::BIGINT) AS datetime,
            'T' || lpad(((uid * 7919 + (hash(i * 5 + 2) % (1 + uid % 9))) % {TOWERS})::VARCHAR,
                        4, '0') AS location_id
          FROM (SELECT i, (pow((hash(i * 5 + 3) % 1000000007) / 1000000007.0, 1.3) * {people})
                   ::BIGINT AS uid FROM range({PARIS_ROWS}) t(i)))
        TO '{folder / "visits.parquet"}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 500000)
        """
    )


def ingest(folder: Path, memory: str = "3GB") -> Child:
    """Run the ingest with a bound of memory, in a process of its own."""
    typed = [
        *("visits", str(folder / "visits.parquet"), "--locations", str(folder / "towers.csv")),
        *("--out", str(folder / "out"), "--parts", "density", "--salt", "bench"),
        *("--timezone", "Europe/Paris", "--from", "2015-09-07", "--to", "2015-09-13"),
        *("--memory", memory),
    ]
    return child(f"from engine.ingest.command import main\nassert main({typed!r}) == 0")
