"""Printed figures of P1 (KDD 2014) and P2 (Scientific Reports 14:28565) beside ours."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine import datasets, density, metrics, origin_destination as od
from engine.geography import centre_distances_m
from research.rows import Row, row

P1 = density.DensityParameters(epsilon=0.3, delta=2e-6, max_visits_per_user=30, method="efpag")
P1_PRINTED = {
    ("lpa", 30): (1.01, 0.47, 341),
    ("efpa", 30): (np.nan, np.nan, 258),
    ("efpag", 30): (0.17, 0.96, 188),
    ("efpag", 10): (0.2, 0.95, np.nan),
    ("efpag", 168): (0.2, 0.95, np.nan),
    ("efpag_joint", 30): (np.nan, np.nan, np.nan),
}
"""Mean relative error, Pearson correlation and distance in metres: figures 9b and 11, §6.1."""
REPEATS, DISTANCE_REPEATS = 20, 5
P2_PRINTED = {
    "rwanda-districts": (49.3, 47.6, 49.2, 49.4),
    "rwanda-sectors": (78.1, 88.3, 90.6, 78.0),
    "afghanistan-provinces": (75.9, 65.9, 75.7, 76.0),
    "afghanistan-districts": (96.7, 88.2, 97.1, 96.5),
    "afghanistan-2020": (73.6, 64.1, 73.5, 73.6),
}
"""Table S2: percent of daily counts below 15, not private and at ε = 0.1, 0.5, 1."""
P2_EPSILONS, P2_THRESHOLD = (0.1, 0.5, 1.0), 15


def rows() -> Iterator[Row]:
    """Yield every figure."""
    yield from density_rows()
    for name, printed in P2_PRINTED.items():
        yield from small_shares(name, printed)


def density_rows() -> Iterator[Row]:
    """Yield error, correlation and distance of the papers' schemes."""
    city = datasets.load("paris")
    truth, distances_m = density.truth(city), centre_distances_m(city.zones)
    for (method, kept), printed in P1_PRINTED.items():
        parameters = replace(P1, method=method, max_visits_per_user=kept)
        errors, correlations, moved_m = [], [], []
        for repeat in range(REPEATS):
            drawn = density.release(city, parameters, rng=np.random.default_rng([0, repeat]))
            scored = density.scores(truth, drawn)
            errors.append(scored.mean_error)
            correlations.append(scored.mean_correlation)
            if repeat < DISTANCE_REPEATS:
                hours = metrics.earth_movers_distance(truth, drawn.counts, distances_m)
                moved_m.append(metrics.mean_of_finite(hours))
        setting = f"{method}, ℓ = {kept}"
        values = {"MRE": errors, "Pearson": correlations, "EMD, m": moved_m}
        for (what, draws), figure in zip(values.items(), printed, strict=True):
            yield row("P1, ε = 0.3", what, setting, draws, figure)


def small_shares(name: str, printed: tuple[float, ...]) -> Iterator[Row]:
    """Yield the percentage of daily counts below 15, exact, before and after."""
    dataset = datasets.load(name)
    what = "% of daily counts below 15"
    for number, epsilon in enumerate(P2_EPSILONS, start=1):
        parameters = od.ODParameters(
            epsilon=epsilon, suppression_threshold=P2_THRESHOLD, unit="trip"
        )
        shares = od.expected(dataset, parameters).share_below(P2_THRESHOLD)
        true, released = (100 * share for share in shares)
        if number == 1:
            yield row("P2, Table S2", what, f"{name}, not private", true, printed[0])
        yield row("P2, Table S2", what, f"{name}, ε = {epsilon:g}", released, printed[number])
