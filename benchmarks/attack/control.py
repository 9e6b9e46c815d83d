"""The attack on raw, on private, and on matrices from which the target has been removed."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmarks.attack.classifiers import CLASSIFIERS, Classifier, area
from benchmarks.attack.people import DAYS, ZONES, Country, Habit, Target, make_country
from engine import origin_destination as od

RAW, REMOVED = "raw", "target removed"
HABITS: tuple[Habit, ...] = ("rhythm", "random")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How many simulated countries, targets of each kind in each, and at which ε it is released."""

    countries: int = 10
    targets: Mapping[Habit, int] = field(default_factory=lambda: {"rhythm": 10, "random": 4})
    epsilons: tuple[float, ...] = (0.1, 0.5, 1.0)


@dataclass(frozen=True, kw_only=True)
class Score:
    """Mean AUC over all targets, with its standard error over the countries."""

    habit: Habit
    matrices: str
    classifier: Classifier
    mean: float
    error: float


def scores(plan: Plan) -> Iterator[Score]:
    """Yield every score; a private matrix is what the classifier is trained and tested on.

    Noise is P2's: trip level, τ = 15. Countries are drawn from fixed seeds.
    """
    for habit in HABITS:
        areas = [_country_areas(plan, habit, seed) for seed in range(plan.countries)]
        for key in areas[0]:
            each = np.array([country[key] for country in areas])
            error = float(each.std(ddof=1) / np.sqrt(len(each)))
            matrices, classifier = key
            yield Score(
                habit=habit,
                matrices=matrices,
                classifier=classifier,
                mean=float(each.mean()),
                error=error,
            )


def _country_areas(plan: Plan, habit: Habit, seed: int) -> dict[tuple[str, Classifier], float]:
    rng = np.random.default_rng((seed, HABITS.index(habit)))
    country = make_country(rng, plan.targets[habit], habit)
    private = {f"ε = {epsilon:g}": _released(country, epsilon, rng) for epsilon in plan.epsilons}
    areas: dict[tuple[str, Classifier], list[float]] = {}
    for place, target in enumerate(country.targets):
        seen = {RAW: country.counts, REMOVED: _without(country, target), **private}
        for matrices, counts in seen.items():
            for classifier in CLASSIFIERS:
                area_under_curve = area(classifier, counts, target.trips > 0, 1000 * seed + place)
                areas.setdefault((matrices, classifier), []).append(area_under_curve)
    print(f"{habit}, country {seed + 1} of {plan.countries}", file=sys.stderr, flush=True)
    return {key: float(np.mean(each)) for key, each in areas.items()}


def _without(country: Country, target: Target) -> NDArray[np.int64]:
    counts = country.counts.copy()
    counts[:, target.cells] -= target.trips[:, None]
    return counts


def _released(country: Country, epsilon: float, rng: np.random.Generator) -> NDArray[np.int64]:
    parameters = od.ODParameters(epsilon=epsilon, unit="trip")
    days = country.counts.reshape(DAYS, ZONES, ZONES)
    return od.release_matrix(days, parameters, rng=rng).reshape(DAYS, ZONES**2)
