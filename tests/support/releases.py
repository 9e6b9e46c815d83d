"""What tests of releases have in common."""

from pathlib import Path

from engine import origin_destination as od
from engine.release import ODProduct

ROOT = Path(__file__).parents[2]


def flows(epsilon=0.5, unit="person-day", **rest):
    limit = 1 if unit == "trip" else 2
    parameters = od.ODParameters(epsilon=epsilon, max_trips_per_user=limit, unit=unit)
    return ODProduct(parameters=parameters, **rest)
