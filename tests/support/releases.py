"""What tests of releases have in common."""

from pathlib import Path

from engine import origin_destination as od
from engine.release import Budget, Cost, ODProduct
from engine.release.statement import statement

ROOT = Path(__file__).parents[2]


def flows(epsilon=0.5, unit="person-day", **rest):
    limit = 1 if unit == "trip" else 2
    parameters = od.ODParameters(epsilon=epsilon, max_trips_per_user=limit, unit=unit)
    return ODProduct(parameters=parameters, **rest)


def statement_of(dataset, plan, tuning="public"):
    budget = Budget(
        people="p",
        unit="person",
        datasets=(dataset.id,),
        epsilon=9.0,
        delta=0.0,
        spent_epsilon=1.0,
        spent_delta=0.0,
        releases=1,
        raised_by=("me",),
    )
    return statement(
        plan,
        name=dataset.id,
        simulated=True,
        budget=budget,
        cost=Cost(epsilon=1.0),
        others=(),
        tuning=tuning,
        tuning_note="",
        made_on="2026-01-01",
        version="1",
    )
