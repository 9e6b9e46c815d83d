"""Origin–destination: how fast the exact laws answer, at the size of a year of a whole country.

The simulated year has 305 daily matrices of 421 × 421 zones with the sparsity that P2 reports for
Afghanistan's districts (about 98 of 100 cells under 15 trips a day).
"""

import tracemalloc
from collections.abc import Callable
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.measure import Row, T, against, bounded, median_seconds, timed
from engine import origin_destination as od
from engine.datasets import TripCounts, Trips

DAYS, ZONES = 305, 421
EPSILONS = np.geomspace(0.01, 10, 40)
THRESHOLDS = np.arange(40)
DRAW_SHAPE = (7, 416, 416)
MEMORY_LIMIT_MB = 500


class SimulatedYear:
    """Counted trips of simulated people in memory, as a dataset of this size would give them."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.id = "simulated-year"
        self.zones = range(ZONES)
        first = date(2020, 1, 1)
        days = tuple(first + timedelta(days=i) for i in range(DAYS))
        self.metadata = SimpleNamespace(days=days, periods=days, trips_have_people=True)
        size = rng.lognormal(0.0, 1.3, ZONES)
        flow = np.outer(size, size) * rng.gamma(0.15, 1 / 0.15, (ZONES, ZONES))
        np.fill_diagonal(flow, 0.0)
        flow *= 1_200_000 / flow.sum()
        parts = []
        for day in range(DAYS):
            # four of five trips are a person's first of the day
            for rank, share in ((1, 0.8), (2, 0.2)):
                counts = rng.poisson(flow * share)
                origin, destination = np.nonzero(counts)
                n = counts[origin, destination]
                parts.append((day, rank, origin, destination, n))
        self.trips = Trips.of(_sorted_counts(parts), DAYS)


def _sorted_counts(parts: list[tuple[int, int, Any, Any, Any]]) -> TripCounts:
    day, rank = (
        np.concatenate([np.full(len(part[4]), part[i], dtype=np.int32) for part in parts])
        for i in (0, 1)
    )
    origin, destination, n = (np.concatenate([part[i] for part in parts]) for i in (2, 3, 4))
    order = np.lexsort((rank, destination, origin, day))
    return TripCounts(
        day=day[order],
        origin=origin[order].astype(np.int32),
        destination=destination[order].astype(np.int32),
        rank=rank[order].astype(np.int16),
        n=n[order].astype(np.int64),
    )


def rows() -> list[Row]:
    year: Any = SimulatedYear()
    return [*_histogram_rows(year), *_setting_rows(year), *_grid_rows(year), _draw_row()]


def _histogram_rows(year: Any) -> list[Row]:
    lines = []
    for unit, limit in (("trip", 1), ("person-day", 1)):
        seconds, peak_mb, counted = traced(lambda u=unit, t=limit: od.histogram(year, u, t))
        lines.append(
            Row(
                f"histogram of {DAYS} × {ZONES}² cells, {unit}, T = {limit}",
                seconds,
                limit=f"once, ≤ {MEMORY_LIMIT_MB} MB",
                met=peak_mb <= MEMORY_LIMIT_MB,
                note=f"{year.trips.rows:,} rows, {len(counted.true):,} distinct counts, "
                f"{peak_mb:.0f} MB beside the trips",
            )
        )
    return lines


def traced(function: Callable[[], T]) -> tuple[float, float, T]:
    """Return what one call takes in seconds, and at its peak in MB beside what was held before."""
    tracemalloc.start()
    seconds, result = timed(function)
    peak_mb = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return seconds, peak_mb, result


def _setting_rows(year: Any) -> list[Row]:
    lines = []
    for unit in ("trip", "person-day"):
        params = od.ODParameters(epsilon=0.5, unit=unit)
        seconds = median_seconds(lambda p=params: od.expected(year, p).split)
        lines.append(bounded(f"expectation at one setting, every measure, {unit}", seconds, 0.03))
    return lines


def _grid_rows(year: Any) -> list[Row]:
    size = f"{len(EPSILONS)} × {len(THRESHOLDS)} settings"
    lines = []
    for unit in ("trip", "person-day"):
        counted = od.histogram(year, unit, 1)
        grid = median_seconds(lambda c=counted: od.heat_map(c, EPSILONS, THRESHOLDS), repeats=7)
        lines.append(bounded(f"heat map, {unit}, {size}", grid, 1))
    return lines


def _draw_row() -> Row:
    rng = np.random.default_rng(0)
    counts = rng.poisson(1.3, DRAW_SHAPE)
    params = od.ODParameters(epsilon=0.5, unit="trip")
    bare = median_seconds(lambda: rng.laplace(0.0, params.noise_scale, DRAW_SHAPE))
    ours = median_seconds(lambda: od.release_matrix(counts, params, rng=rng))
    work = "one draw of 7 × 416², rounded and suppressed"
    return against(work, ours, bare, 1.5, "NumPy's bare Laplace draw")
