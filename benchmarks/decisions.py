"""Decisions: epidemics and aid, at 34 zones × 305 days and at 421 × 305."""

import time
import tracemalloc
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.measure import Row, median_seconds
from benchmarks.origin_destination import DAYS, ZONES, SimulatedYear
from engine import datasets, decisions
from engine.parameters import ODParameters

EPSILONS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 5.0, 10.0)
MEMORY_LIMIT_MB = 600


def rows() -> list[Row]:
    return [*_province_rows(), *_aid_rows(), *_district_rows()]


def _trip(epsilon: float) -> ODParameters:
    return ODParameters(epsilon=epsilon, unit="trip")


def _province_rows() -> list[Row]:
    year = datasets.load("afghanistan-2020")
    origins = list(decisions.scenario_origins(year).values())
    size = "34 zones × 305 days, 3 origins"
    true = median_seconds(lambda: decisions.true_epidemic(year, origins))

    def draw(draws: int, settings: list[ODParameters]) -> list[float]:
        start = time.perf_counter()
        blocks = decisions.private_epidemics(
            year, origins, None, settings, draws, rng=np.random.default_rng(0)
        )
        return [time.perf_counter() - start for _ in blocks]

    twenty = median_seconds(lambda: draw(20, [_trip(0.5)]), repeats=5)
    over = draw(100, [_trip(epsilon) for epsilon in EPSILONS])
    return [
        Row(f"epidemic with the true trips, {size}", true, None, "≤ 0.003 s", true <= 0.003),
        Row(f"20 releases at one ε, {size}", twenty, None, "≤ 0.15 s", twenty <= 0.15),
        Row(f"100 releases × 10 ε, {size}", over[-1], None, "≤ 2.5 s", over[-1] <= 2.5),
        Row("the first of them", over[0], None, "≤ 0.3 s", over[0] <= 0.3),
    ]


def _aid_rows() -> list[Row]:
    found = []
    for name, settings, most, limit in (
        ("afghanistan-provinces", _trip(0.1), 20, 0.8),
        ("rwanda-districts", ODParameters(epsilon=0.1, max_trips_per_user=14), 20, 0.8),
        ("afghanistan-districts", _trip(0.1), 10, None),
    ):
        dataset = datasets.load(name)
        leaving = decisions.outflow(dataset, decisions.shock(dataset), settings)
        seconds = median_seconds(
            lambda f=leaving, s=settings, k=most: decisions.selection_probability(f, s, k),
            repeats=3,
        )
        found.append(
            Row(
                f"exact law of the first k ≤ {most}, 7 days, {name}, T = "
                f"{settings.max_trips_per_user}, ε = 0.1",
                seconds,
                None,
                "–" if limit is None else f"≤ {limit:g} s",
                None if limit is None else seconds <= limit,
            )
        )
    return found


def _district_rows() -> list[Row]:
    year: Any = SimulatedYear()
    year.zones = pd.DataFrame({"zone_id": [str(zone) for zone in range(ZONES)]})
    year.metadata.periods = year.metadata.days
    people = decisions.given_populations(year, 17_000, confidential=True)
    tracemalloc.start()
    start = time.perf_counter()
    for _ in decisions.private_epidemics(
        year,
        ["0", "1", "2"],
        None,
        [_trip(0.5)],
        1,
        rng=np.random.default_rng(0),
        populations=people,
    ):
        pass
    seconds = time.perf_counter() - start
    peak_mb = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return [
        Row(
            f"1 release at one ε, {ZONES} zones × {DAYS} days, 3 origins",
            seconds,
            None,
            f"≤ {MEMORY_LIMIT_MB} MB",
            peak_mb <= MEMORY_LIMIT_MB,
            f"{peak_mb:.0f} MB beside the trips",
        )
    ]
