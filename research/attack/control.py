"""The attack on raw, on private, and on matrices from which the target has been removed."""

import sys
from collections.abc import Iterator

import numpy as np

from engine import origin_destination as od
from engine.arrays import Integers
from engine.membership.classifiers import CLASSIFIERS, Classifier, area
from research.attack.people import DAYS, ZONES, Country, Habit, Target, make_country
from research.rows import Row, Spread, row

RAW, REMOVED = "raw", "target removed"
HABITS: tuple[Habit, ...] = ("rhythm", "random")


COUNTRIES, EPSILONS = 10, (0.1, 0.5, 1.0)
TARGETS = {"rhythm": 10, "random": 4}
"""Of each kind in each simulated country."""


def rows() -> Iterator[Row]:
    """Yield mean AUC, ± standard error over the countries, by habit, matrices and classifier.

    A private matrix is what the classifier is trained and tested on. Noise is P2's: trip level,
    τ = 15. Countries are drawn from fixed seeds.
    """
    for habit in HABITS:
        areas = [_country_areas(habit, seed) for seed in range(COUNTRIES)]
        for matrices, classifier in areas[0]:
            each = Spread.of([country[matrices, classifier] for country in areas])
            error = Spread(each.mean, each.deviation / np.sqrt(COUNTRIES))
            what = f"mean AUC, {classifier}, ± standard error"
            yield row(f"control: travel follows {habit}", what, matrices, error)


def _country_areas(habit: Habit, seed: int) -> dict[tuple[str, Classifier], float]:
    rng = np.random.default_rng((seed, HABITS.index(habit)))
    country = make_country(rng, TARGETS[habit], habit)
    private = {f"ε = {epsilon:g}": _released(country, epsilon, rng) for epsilon in EPSILONS}
    areas: dict[tuple[str, Classifier], list[float]] = {}
    for place, target in enumerate(country.targets):
        seen = {RAW: country.counts, REMOVED: _without(country, target), **private}
        for matrices, counts in seen.items():
            for classifier in CLASSIFIERS:
                area_under_curve = area(classifier, counts, target.trips > 0, 1000 * seed + place)
                areas.setdefault((matrices, classifier), []).append(area_under_curve)
    print(f"{habit}, country {seed + 1} of {COUNTRIES}", file=sys.stderr, flush=True)
    return {key: float(np.mean(each)) for key, each in areas.items()}


def _without(country: Country, target: Target) -> Integers:
    counts = country.counts.copy()
    counts[:, target.cells] -= target.trips[:, None]
    return counts


def _released(country: Country, epsilon: float, rng: np.random.Generator) -> Integers:
    parameters = od.ODParameters(epsilon=epsilon, unit="trip")
    days = country.counts.reshape(DAYS, ZONES, ZONES)
    return od.release_matrix(days, parameters, rng=rng).reshape(DAYS, ZONES**2)
