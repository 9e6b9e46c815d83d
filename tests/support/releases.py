"""What tests of releases have in common."""

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pyarrow.parquet as pq

from engine import datasets, origin_destination as od
from engine.datasets import growth
from engine.parameters import DensityParameters
from engine.release import Budget, Cost, Product
from engine.release.statement import statement
from engine.report import ReportParameters

ROOT = Path(__file__).parents[2]
_OF_A_WEEK = ("truth", "presampled", "single_visit", "zoom_")


def flows(epsilon=0.5, unit="person-day", **rest):
    limit = 1 if unit == "trip" else 2
    return Product(od.ODParameters(epsilon=epsilon, max_trips_per_user=limit, unit=unit), **rest)


def ours(parameters, **rest):
    """Return the release of flows by our own method at the same settings."""
    return Product(replace(parameters, method="estimate"), **rest)


def visits(epsilon=1.0, max_visits_per_user=30):
    method = {"method": "towers_laplace", "max_visits_per_user": max_visits_per_user}
    return Product(DensityParameters(epsilon=epsilon, **method))


def zoom(epsilon=1.0, delta=1e-7):
    return Product(DensityParameters(epsilon=epsilon, delta=delta, method="zoom"))


def report(**settings):
    return Product(ReportParameters(**{"epsilon": 1.0, **settings}))


def budget(left=8.0, unit="person", delta=0.0, spent=0.0, datasets=("demo-city",)):
    """Return a budget of which so much is left."""
    return Budget(
        people="people",
        unit=unit,
        datasets=datasets,
        epsilon=round(left + spent, 12),
        delta=delta,
        spent_epsilon=spent,
        spent_delta=0.0,
        releases=1,
        raised_by=("me",),
    )


def statement_of(dataset, plan, tuning="public"):
    return statement(
        plan,
        name=dataset.id,
        simulated=True,
        budget=budget(spent=1.0, datasets=(dataset.id,)),
        cost=Cost(epsilon=1.0),
        others=(),
        tuning=tuning,
        tuning_note="",
        made_on="2026-01-01",
        version="1",
    )


def with_weeks(folder, weeks, first_share=1.0):
    """Return demo-city in `folder` with weeks of its density, each with fewer rows of visits."""
    first = datasets.load("demo-city")
    shutil.copytree(first.folder.parent, folder)
    read = {path.stem: pq.read_table(path) for path in first.folder.glob("*.parquet")}
    of_week = {name: read[name] for name in read if name.startswith(_OF_A_WEEK)}

    def part(share):
        short = {name: of_week[name] for name in of_week}
        for name in ("truth", "presampled"):
            short[name] = short[name].slice(0, int(share * short[name].num_rows))
        return short

    monday = first.metadata.week
    further = {monday + timedelta(days=7 * week): part(1 / (week + 1)) for week in range(1, weeks)}
    if first_share < 1:
        further[monday] = part(first_share)
    dataset = datasets.load(folder)
    return growth.grown(dataset, dataset.metadata, weeks=further)
