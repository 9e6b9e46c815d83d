"""Rules for the published schemes, on random worlds: ℓ, T, and where the published is as good.

The best is known in hindsight only, and anew in every world. The constants of T were chosen on the
first `SEEN` worlds of trips; its rows are of later ones. ℓ has no constant but the usual mean.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from engine import density, metrics, origin_destination as od
from engine.arrays import Floats
from research import density_worlds, worlds
from research.methods import law
from research.methods.density_cases import Case
from research.rows import Row, row

KEPT = (5, 10, 14, 20, 30, 42, 60, 100, 168)
LIMITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
SEEN, UNSEEN = 150, 300
EPSILONS = (0.1, 0.3, 1.0, 2.0)
THRESHOLDS = (0, 15)
SPANS = {"person-day": 1, "person": 7}
MEAN_TRIPS = (0.05, 4.0)
"""Trips of a person a day."""

SHAPES = (0.2, 5.0)
"""Of the negative binomial of people's trips: small is heavy-tailed."""

PEOPLE = 50_000  # of which the share of trips within T is known
DENSE_WORLDS, MOST_ZONES = 200, 130
DENSITIES = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, np.inf)
"""Trips a flow × ε."""


def rows() -> Iterator[Row]:
    """Yield regrets: the error by the rule and by the default beyond the least, as shares."""
    cases = list(density_worlds.worlds())
    for epsilon in EPSILONS:
        setting = f"{len(cases)} random density worlds, ε = {epsilon:g}"
        regrets = np.array([visits_regret(case, epsilon) for case in cases])
        names = ("ℓ = 14", "ℓ by the mean", "ℓ = 30")
        yield from _regrets("ℓ by the rule, regret of MRE", setting, regrets, names)
    for unit in SPANS:
        for threshold in THRESHOLDS:
            regrets = np.array(
                [
                    trips_regret(worlds.world(number), unit, epsilon, threshold)
                    for number in range(SEEN, UNSEEN)
                    for epsilon in EPSILONS
                ]
            )
            setting = f"{UNSEEN - SEEN} random worlds, {unit}, τ = {threshold}"
            names = ("T by the rule", "T = 4")
            yield from _regrets("T by the rule, regret of error", setting, regrets, names)
    yield from _dense()


def _dense() -> Iterator[Row]:
    """Yield the error of ours over that of the published method, by how dense a table is."""
    ratios: list[tuple[float, ...]] = []
    for world in worlds.worlds(DENSE_WORLDS):
        true = world.days()[0]
        for epsilon in EPSILONS if len(true) <= MOST_ZONES else ():
            noise = od.ODNoise(cells=np.random.default_rng(0).laplace(0.0, 1.0, (1, *true.shape)))
            ours = law.ours(law.noisy(true, epsilon, 0), epsilon, world.distances_m)
            error = od.agreement(true, ours.typical[0]).mean_error
            settings = [
                od.ODParameters(epsilon=epsilon, suppression_threshold=threshold, unit="trip")
                for threshold in THRESHOLDS
            ]
            shown = [od.release_matrix(true[None], one, noise=noise)[0] for one in settings]
            published = [od.agreement(true, counts).mean_error for counts in shown]
            ratios.append((true.mean() * epsilon, *(error / one for one in published)))
    density, *errors = np.transpose(ratios)
    for least, most in pairwise(DENSITIES):
        within = (least <= density) & (density < most)
        for threshold, ratio in zip(THRESHOLDS, errors, strict=True):
            setting = f"{least:g} to {most:g} trips a flow × ε, τ = {threshold}"
            table = f"error of estimate over the published's, {len(density)} pairs of world and ε"
            yield row(table, "pairs", setting, int(within.sum()))
            yield row(
                table,
                "pairs in which the published is better",
                setting,
                int((ratio[within] > 1).sum()),
            )
            for share in (0.1, 0.5, 0.9):
                yield row(table, f"{share:.0%} below", setting, np.quantile(ratio[within], share))


def _regrets(table: str, setting: str, regrets: Floats, names: Sequence[str]) -> Iterator[Row]:
    for name, values in zip(names, regrets.T, strict=True):
        yield row(table, f"median: {name}", setting, float(np.median(values)))
        yield row(table, f"mean: {name}", setting, float(values.mean()))
        yield row(table, f"nine in ten below: {name}", setting, float(np.quantile(values, 0.9)))


def _beyond(errors: Floats, tried: Sequence[int], chosen: Sequence[int]) -> list[float]:
    """Return the error at each chosen limit beyond the least, as a share; the nearest is tried."""
    near = [int(np.abs(np.log(np.array(tried) / one)).argmin()) for one in chosen]
    return [float(errors[place] / errors.min() - 1) for place in near]


def visits_regret(case: Case, epsilon: float) -> list[float]:
    """Return the regret of MRE of ℓ = 14, of ℓ by the rule with the mean known, and of ℓ = 30."""
    errors = np.zeros(len(KEPT))
    size, fits = case.data.tessellation.cover_size, case.truth.sum(axis=1) > 0
    for place, kept in enumerate(KEPT):
        parameters = density.DensityParameters(
            epsilon=epsilon, max_visits_per_user=kept, gaussian="analytic"
        )
        fair = density.at_equal_proved_epsilon(parameters, epsilon, size)
        for seed in range(2):
            counts = density.release(case.data, fair, rng=np.random.default_rng(seed)).counts
            error = metrics.mean_relative_error(case.truth[fits], counts[fits])
            errors[place] += error[np.isfinite(error)].mean()
    mean = float(case.data.truth_by_tower.sum()) / case.people
    rules = density.suggested_max_visits(), density.suggested_max_visits(mean)
    return _beyond(errors, KEPT, (*rules, 30))


def trips_regret(world: worlds.World, unit: str, epsilon: float, threshold: int) -> list[float]:
    """Return the regret of the mean absolute error of T by the rule and of T = 4, one draw."""
    rng, days = np.random.default_rng([world.number, 5]), SPANS[unit]
    mean, shape = (np.exp(rng.uniform(*np.log(ends))) for ends in (MEAN_TRIPS, SHAPES))
    true = rng.poisson(world.expected * days)
    trips = rng.negative_binomial(shape, shape / (shape + mean * days), PEOPLE)
    people = max(round(world.expected.sum() / mean), 10)
    noise = rng.laplace(0.0, 1.0, true.shape)
    pairs, errors = ~np.eye(len(true), dtype=bool), np.zeros(len(LIMITS))
    for place, limit in enumerate(LIMITS):
        kept = true * (np.minimum(trips, limit).sum() / trips.sum())
        shown = np.maximum(np.rint(kept + noise * limit / epsilon), 0)
        errors[place] = np.abs(np.where(shown < threshold, 0, shown) - true)[pairs].mean()
    suggested = od.suggested_max_trips(people, len(true), epsilon, days=days)
    assert suggested is not None
    return _beyond(errors, LIMITS, (suggested, 4))
