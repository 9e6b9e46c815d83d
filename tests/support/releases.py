"""What tests of releases have in common."""

from dataclasses import replace
from pathlib import Path

from engine import origin_destination as od
from engine.parameters import DensityParameters
from engine.release import Budget, Cost, Product
from engine.release.ledger import exact
from engine.release.statement import statement
from engine.report import ReportParameters

ROOT = Path(__file__).parents[2]


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
        datasets=list(datasets),
        total_epsilon=exact(round(left + spent, 12)),
        total_delta=exact(delta),
        spent=(exact(spent), exact(0.0)),
        releases=1,
        raised_by=["me"],
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
