"""A year of trips between thousands of zones: opened and counted.

The year is generated: 4 million cells by default, ``BENCH_YEAR=200000000`` for as many as a country
of 10 million people has (2 GB on disk). Zones are squares; seven days differ, and the weeks repeat
them. Distinct counts are kept at any size here.
"""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import geopandas as gpd
import numpy as np
import pyarrow.parquet as pq
import shapely

from benchmarks.measure import Row, child, timed
from engine import origin_destination as od
from engine.datasets import Dataset, storage, trip_files
from engine.datasets.trip_counts import TripCounts
from engine.synthetic.simulated_rows import simulated_metadata

DAYS, ZONES = 365, 3_000
CELLS = int(os.environ.get("BENCH_YEAR") or 4_000_000)
FIRST = date(2023, 1, 1)
_WEEK = 7


def rows() -> Iterator[Row]:
    """Yield the lines of the table of a year."""
    trip_files.MAX_UNCOUNTED_ROWS = min(trip_files.MAX_UNCOUNTED_ROWS, CELLS // 2)
    with tempfile.TemporaryDirectory(prefix="bench-days-") as name:
        writing_s, year = timed(lambda: make_year(Path(name) / "year", ZONES, DAYS, CELLS))
        yield _opened(year, writing_s)
        yield from _counted(year)


def make_year(folder: Path, zones: int, days: int, cells: int) -> Dataset:
    """Write a dataset of so many zones and days, as an ingest would."""
    ids = [f"z{number:04}" for number in range(zones)]
    side = int(np.ceil(np.sqrt(zones)))
    y, x = np.divmod(np.arange(zones), side)
    boxes = shapely.box(x / 20, y / 20, (x + 1) / 20, (y + 1) / 20)
    places = gpd.GeoDataFrame({"zone_id": ids, "name": ids}, geometry=boxes, crs=4326)
    about = dict.fromkeys(("description", "source", "licence", "made_by"), "generated")
    metadata = simulated_metadata(folder.name, FIRST, days, 1, time_zone="UTC", week=None, **about)
    week = [one_day(zones, cells // days, number) for number in range(min(days, _WEEK))]

    def of(day: int) -> TripCounts:
        rows = week[day % _WEEK]
        return replace(rows, day=np.broadcast_to(np.int32(day), rows.day.shape))

    def write(version: Path) -> None:
        places.to_parquet(version / "zones.parquet", index=False)
        trip_files.write_days(version, "trips", of, ids, metadata.days)

    return Dataset(storage.write_version(folder, metadata.to_json(), write))


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
    ours = child(
        f"year = Dataset(Path({str(year.folder)!r}))\n_ = year.zones, year.trips.days",
        before="from pathlib import Path\nfrom engine.datasets import Dataset",
    )
    paths = sorted(year.folder.glob("trips*.parquet"))
    cells = pq.read_metadata(paths[0]).num_rows
    reading_s, _ = timed(lambda: [storage.sha256(path) for path in paths])
    return Row(
        f"open {ZONES:,} zones × {DAYS} days",
        ours.seconds,
        reading_s,
        "≤ 1 s, ≤ 300 MB",
        ours.seconds <= 1 and ours.grown_mb <= 300,
        f"{cells:,} cells, {year.size_bytes / 1e6:,.0f} MB on disk, {ours.grown_mb:.0f} "
        f"MB in memory; written in {writing_s:.0f} s; reference: reading all days for their "
        "checksums",
    )


def _counted(year: Dataset) -> Iterator[Row]:
    for unit, limit in (("trip", 1), ("person-day", 4)):
        kept, first = timed(
            lambda u=unit, t=limit: od.compute_histogram(Dataset(year.folder), u, t)
        )
        plain = Dataset(year.folder)
        plain.trips.distinct = None
        counted, second = timed(lambda d=plain, u=unit, t=limit: od.compute_histogram(d, u, t))
        assert np.array_equal(first.cell_counts, second.cell_counts)
        bound = "≤ 0.5" if year.trips.distinct else "–"
        yield Row(
            f"distinct counts of all days, {unit}, T = {limit}",
            kept,
            counted,
            bound,
            kept <= 0.5 * counted if year.trips.distinct else None,
            "reference: counted from the days",
        )
    day, _ = timed(lambda: od.truth(Dataset(year.folder), days=3))
    total, _ = timed(lambda: od.truth(Dataset(year.folder), sum_days=True))
    yield Row("a day's matrix beside that of the period", day, total)
