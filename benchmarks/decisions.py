"""Decisions: epidemics and aid, at 34 zones × 305 days and at 421 × 305."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.measure import Row, bounded, child, cpu_seconds, median_seconds
from benchmarks.origin_destination import DAYS, ZONES, SimulatedYear, traced
from engine import datasets, decisions
from engine.decisions.epidemic import scenario_origins
from engine.decisions.populations import given_populations
from engine.parameters import ODParameters

EPSILONS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 5.0, 10.0)
MEMORY_LIMIT_MB = 600
DISTRICTS = "afghanistan-2020-districts"
"""Made on first use by ``python -m engine.synthetic``; measured where it is installed."""


def rows() -> list[Row]:
    return [*_province_rows(), *_aid_rows(), *_district_rows()]


def _trip(epsilon: float) -> ODParameters:
    return ODParameters(epsilon=epsilon, unit="trip")


def _province_rows() -> Iterator[Row]:
    year = datasets.load("afghanistan-2020")
    origins = list(scenario_origins(year).values())
    size = "34 zones × 305 days, 3 origins"
    over_epsilons = [_trip(epsilon) for epsilon in EPSILONS]

    def draw(draws: int, settings: list[ODParameters]) -> list[float]:
        start = time.process_time()
        blocks = decisions.private_epidemics(
            year, origins, None, settings, draws, rng=np.random.default_rng(0)
        )
        return [time.process_time() - start for _ in blocks]

    for work, function, repeats, limit in (
        ("epidemic with the true trips", lambda: decisions.true_epidemic(year, origins), 20, 0.003),
        ("20 releases at one ε", lambda: draw(20, [_trip(0.5)]), 5, 0.15),
        ("100 releases × 10 ε", lambda: draw(100, over_epsilons), 3, 2.5),
    ):
        cpu, wall = cpu_seconds(function, repeats), median_seconds(function, repeats)
        note = f"CPU; {wall:.3g} s on the clock"
        yield bounded(f"{work}, {size}", cpu, limit, note)
    first = draw(100, over_epsilons)[0]
    yield bounded("the first of them", first, 0.3, "CPU")


def _aid_rows() -> list[Row]:
    lines = []
    for name, settings, most, limit in (
        ("afghanistan-provinces", _trip(0.1), 20, 0.8),
        ("rwanda-districts", ODParameters(epsilon=0.1, max_trips_per_user=14), 20, 0.8),
        ("afghanistan-districts", _trip(0.1), 10, None),
    ):
        dataset = datasets.load(name)
        leaving = decisions.outflow(dataset, decisions.shock(dataset), settings)
        seconds = cpu_seconds(
            lambda f=leaving, s=settings, k=most: decisions.selection_probability(f, s, k),
            repeats=3,
        )
        work = f"exact law of the first k ≤ {most}, 7 days, {name}, T = "
        work += f"{settings.max_trips_per_user}, ε = 0.1"
        lines.append(
            Row(work, seconds, note="CPU")
            if limit is None
            else bounded(work, seconds, limit, "CPU")
        )
    return lines


def _district_rows() -> Iterator[Row]:
    year: Any = SimulatedYear()
    year.zones = pd.DataFrame({"zone_id": [str(zone) for zone in range(ZONES)]})
    year.metadata.periods = year.metadata.days
    people = given_populations(year, 17_000, confidential=True)
    rng, origins = np.random.default_rng(0), ["0", "1", "2"]
    drawn = decisions.private_epidemics(
        year, origins, None, [_trip(0.5)], 1, rng=rng, populations=people
    )
    seconds, peak_mb, _ = traced(lambda: sum(1 for _ in drawn))
    work = f"1 release at one ε, {ZONES} zones × {DAYS} days, 3 origins"
    yield _in_memory(work, seconds, peak_mb, "beside the trips")
    if DISTRICTS in datasets.available():
        whole = child(_PROCESS)
        work = f"a process that loads {DISTRICTS} and decides with true and private trips"
        yield _in_memory(work, whole.seconds, whole.peak_mb, "in all, at its peak")


def _in_memory(work: str, seconds: float, peak_mb: float, of: str) -> Row:
    met, note = peak_mb <= MEMORY_LIMIT_MB, f"{peak_mb:.0f} MB {of}"
    return Row(work, seconds, limit=f"≤ {MEMORY_LIMIT_MB} MB", met=met, note=note)


_PROCESS = f"""
import numpy as np
from engine import datasets, decisions
from engine.decisions.epidemic import scenario_origins
from engine.parameters import ODParameters
year = datasets.load("{DISTRICTS}")
origins = list(scenario_origins(year).values())
decisions.true_epidemic(year, origins)
settings = [ODParameters(epsilon=0.5, unit="trip")]
for _ in decisions.private_epidemics(
    year, origins, None, settings, 1, rng=np.random.default_rng(0)
):
    pass
"""
