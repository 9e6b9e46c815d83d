"""A year of trips between thousands of zones: opened, counted, and grown by a day.

The year is generated: 4 million cells by default, ``BENCH_YEAR=200000000`` for as many as a country
of 10 million people has (2 GB on disk). Zones are squares; seven days differ, and the weeks repeat
them. Distinct counts are kept at any size here.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely

from benchmarks.measure import Row
from engine import origin_destination as od
from engine.datasets import Dataset, Metadata, daily, storage
from engine.datasets.tripcounts import TripCounts
from engine.ingest import IngestOptions, ingest
from engine.ingest.append import append, options_for
from engine.ingest.counting import keys

DAYS, ZONES, MANY_ZONES = 365, 3_000, 5_000
FULL_DAY, WIDE_DAY = 548_000, 2_000_000
CELLS = int(os.environ.get("BENCH_YEAR") or 4_000_000)
FIRST = date(2023, 1, 1)
NEXT = FIRST + timedelta(days=DAYS)
SALT = "benchmark"
_WEEK = 7
_OPEN = """
import resource, sys, time
from pathlib import Path
from engine.datasets import Dataset
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
year = Dataset(Path(sys.argv[1]))
year.zones
rows = year.trips.rows
seconds = time.perf_counter() - start
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(f'[{seconds}, {grown / 1024}, {rows}]')
"""

_ESTIMATE = """
import resource, sys, time
from pathlib import Path
import numpy as np
from engine import origin_destination as od
from engine.datasets import Dataset
day = Dataset(Path(sys.argv[1]))
settings = od.ODParameters(epsilon=1.0, unit="trip", method="estimate")
start = time.process_time()
od.release(day, settings, rng=np.random.default_rng(0), days=0)
seconds = time.process_time() - start
print(f'[{seconds}, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000}]')
"""


def rows() -> Iterator[Row]:
    """Yield the lines of the table of a year."""
    daily.MOST_UNTALLIED = min(daily.MOST_UNTALLIED, CELLS // 2)
    with tempfile.TemporaryDirectory(prefix="bench-days-") as name:
        start = time.perf_counter()
        year = make_year(Path(name) / "year", ZONES, DAYS, CELLS)
        writing_s = time.perf_counter() - start
        yield _opened(year, writing_s)
        yield from _counted(year)
        yield from _appended(Path(name), year)
        yield from _full_day(Path(name))
        yield _wide(Path(name))


def make_year(folder: Path, zones: int, days: int, cells: int) -> Dataset:
    """Write a dataset of so many zones and days, as an ingest would."""
    ids = [f"z{number:04}" for number in range(zones)]
    side = int(np.ceil(np.sqrt(zones)))
    y, x = np.divmod(np.arange(zones), side)
    boxes = shapely.box(x / 20, y / 20, (x + 1) / 20, (y + 1) / 20)
    places = gpd.GeoDataFrame({"zone_id": ids, "name": ids}, geometry=boxes, crs=4326)
    about = dict.fromkeys(("description", "source", "licence"), "generated")
    metadata = Metadata(
        **about,
        name=folder.name,
        simulated=True,
        made_by="engine.ingest trips",
        salt_id=keys.salt_id(SALT),
        first_day=FIRST,
        last_day=FIRST + timedelta(days=days - 1),
        time_zone="UTC",
        week=None,
        people_public=None,
        max_visits_cap=840,
    )
    week = [one_day(zones, cells // days, number) for number in range(min(days, _WEEK))]

    def write(version: Path) -> None:
        places.to_parquet(version / "zones.parquet", index=False)
        writer = daily.Writer(version, "trips", ids)
        for number, day in enumerate(metadata.days):
            writer.add(day, week[number % _WEEK])
        writer.close()

    texts = {keys.SALT_FILE: SALT + "\n"}
    return Dataset(storage.write_version(folder, metadata.to_json(), write, texts))


def one_day(zones: int, rows: int, seed: int) -> TripCounts:
    """Draw a day of about so many rows: most trips are near, some zones draw many."""
    rng = np.random.default_rng(seed)
    side, trips = int(np.ceil(np.sqrt(zones))), int(rows * 1.1)
    popular = np.cumsum(1 / np.sqrt(np.random.default_rng(0).permutation(zones) + 1))
    drawn = np.searchsorted(popular / popular[-1], rng.random((2, trips)))
    step = np.rint(rng.standard_cauchy((2, trips)) * 2).astype(np.int64)
    near = (drawn[0] + step[0] + side * step[1]) % zones
    ends = np.where(rng.random(trips) < 0.7, near, drawn[1])
    rank = np.minimum(rng.geometric(0.35, trips), 257)
    keys_, n = np.unique((drawn[0] * zones + ends) * 258 + rank, return_counts=True)
    pair, rank = np.divmod(keys_, 258)
    origin, destination = np.divmod(pair, zones)
    off = origin != destination
    columns = (origin[off], destination[off], rank[off].astype(np.int16), n[off])
    return TripCounts(np.zeros(int(off.sum()), dtype=np.int32), *columns)


def _opened(year: Dataset, writing_s: float) -> Row:
    done = subprocess.run(
        [sys.executable, "-c", _OPEN, str(year.folder)], check=True, capture_output=True, text=True
    )
    seconds, grown_mb, cells = json.loads(done.stdout)
    start = time.perf_counter()
    for path in sorted((year.folder / "trips").glob("*-*.arrow")):
        storage.sha256(path)
    return Row(
        f"open {ZONES:,} zones × {DAYS} days",
        seconds,
        time.perf_counter() - start,
        "≤ 1 s, ≤ 300 MB",
        seconds <= 1 and grown_mb <= 300,
        f"{cells:,} cells, {year.size_bytes / 1e6:,.0f} MB on disk, {grown_mb:.0f} MB in memory; "
        f"written in {writing_s:.0f} s; reference: reading all days for their checksums",
    )


def _timed(work: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def _counted(year: Dataset) -> Iterator[Row]:
    for unit, limit in (("trip", 1), ("person-day", 4)):
        kept, first = _timed(lambda u=unit, t=limit: od.histogram(Dataset(year.folder), u, t))
        plain = Dataset(year.folder)
        plain.trips.tallies = None
        counted, second = _timed(lambda d=plain, u=unit, t=limit: od.histogram(d, u, t))
        assert np.array_equal(first.cells, second.cells)
        bound = "≤ 0.5" if year.trips.tallies else "–"
        yield Row(
            f"distinct counts of all days, {unit}, T = {limit}",
            kept,
            counted,
            bound,
            kept <= 0.5 * counted if year.trips.tallies else None,
            "reference: counted from the days",
        )
    day, _ = _timed(lambda: od.truth(Dataset(year.folder), days=3))
    total, _ = _timed(lambda: od.truth(Dataset(year.folder), sum_days=True))
    yield Row("a day's matrix beside that of the period", day, total, "–", None, "")


def _appended(folder: Path, year: Dataset) -> Iterator[Row]:
    table = raw_day(folder / "day.parquet", CELLS // DAYS)
    alone = IngestOptions(
        kind="trips",
        inputs=(str(table),),
        out=folder / "alone",
        time_zone="UTC",
        first_day=NEXT,
        last_day=NEXT,
        zones=year.folder / "zones.parquet",
        parts=("trips",),
        by_person=False,
        salt=SALT,
    )
    own, _ = _timed(lambda: ingest(alone))
    before = {path.name: path.stat().st_ino for path in (year.folder / "trips").glob("*-*")}
    asked = options_for(year.folder.parent, (str(table),), NEXT, NEXT)
    added, (grown, _) = _timed(lambda: append(asked))
    after = {path.name: path.stat().st_ino for path in (grown.folder / "trips").glob("*-*")}
    untouched = before.items() <= after.items()
    yield Row(
        "append a day to the year",
        added,
        own,
        "≤ 1.5, other days untouched",
        added <= 1.5 * own and untouched,
        f"{CELLS // DAYS:,} trips; reference: the ingest of that day alone; "
        f"{'no' if untouched else 'SOME'} file of another day changed",
    )


def raw_day(path: Path, trips: int) -> Path:
    """Write a day of raw trips."""
    rng = np.random.default_rng(1)
    at = np.datetime64(NEXT, "s") + rng.integers(0, 86_400, trips)
    ids = np.array([f"z{number:04}" for number in range(ZONES)])
    ends = rng.integers(0, ZONES, (2, trips))
    columns = {
        "uid": rng.integers(0, trips // 2 + 1, trips),
        "datetime": pa.array(at),
        "origin": ids[ends[0]],
        "destination": ids[ends[1]],
    }
    pq.write_table(pa.table(columns), path)
    return path


def _full_day(folder: Path) -> Iterator[Row]:
    """Count and release a day of the size that a year of 200 million cells has."""
    day = make_year(folder / "full", ZONES, 1, FULL_DAY)
    seconds, counted = _timed(lambda: od.histogram(Dataset(day.folder), days=0))
    plain, _ = _timed(lambda: np.unique(day.trips.day(0).n.astype(np.int64), return_counts=True))
    yield Row(
        f"distinct counts of a day of {FULL_DAY:,} cells",
        seconds,
        plain,
        "–",
        None,
        f"{day.trips.rows:,} rows, {len(counted.true):,} counts; reference: np.unique of the day",
    )
    done = subprocess.run(
        [sys.executable, "-c", _ESTIMATE, str(day.folder)],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, peak_mb = json.loads(done.stdout)
    plain, _ = _timed(lambda: np.sort(np.random.default_rng(0).random(ZONES**2)))
    yield Row(
        f"that day released by estimate, {ZONES:,} zones",
        seconds,
        plain,
        "≤ 5 s, ≤ 1 GB",
        seconds <= 5 and peak_mb <= 1000,
        f"processor time; peak {peak_mb:,.0f} MB; reference: NumPy sorts a number for every pair",
    )


def _wide(folder: Path) -> Row:
    wide = make_year(folder / "wide", MANY_ZONES, 1, WIDE_DAY)
    seconds, matrix = _timed(lambda: od.truth(wide, days=0))
    plain, _ = _timed(lambda: np.zeros((MANY_ZONES, MANY_ZONES), dtype=np.int64) + 1)
    return Row(
        f"a day between {MANY_ZONES:,} zones as a matrix",
        seconds,
        plain,
        "accepted",
        matrix.shape[-1] == MANY_ZONES,
        f"{wide.trips.rows:,} cells; reference: NumPy fills a matrix of that size",
    )
