"""What `estimate` says of flows by its model: errors, P(no trip) and "likely".

`results/estimate_before.csv` holds the same rows, over the same noise, of the version before the
law of θ was learnt (commit 5c8ab5a, log-normal θ × gamma η).
"""

from collections.abc import Iterator

import numpy as np

from engine import origin_destination as od
from engine.arrays import Booleans, Floats, Integers
from engine.origin_destination import estimate
from engine.origin_destination.estimate import measurement
from research.methods.origin_destination_cases import Case, bikes, shipped
from research.rows import Row, row
from research.worlds import WORLDS, worlds

EPSILONS = (0.1, 0.3, 1.0)
DRAWS = 5


def ours(cells: Integers, rate: float, distances_m: Floats) -> estimate.EstimateRelease:
    """Return what `estimate` says of one noisy matrix, arrays of shape (1, zones, zones)."""
    return estimate.read_measurement(measured(cells[None], rate), distances_m)


def measured(cells: Integers, rate: float) -> estimate.Measurement:
    """Return noisy matrices as a measurement, at trip level."""
    parameters = od.ODParameters(epsilon=rate, unit="trip", method="estimate")
    return estimate.Measurement(
        parameters=parameters,
        cells=cells,
        rate=rate,
        capped_trips=None,
        days=tuple(range(len(cells))),
        ledger=od.ledger(parameters),
    )


def noisy(true: Integers, rate: float, seed: int) -> Integers:
    """Return matrices, shape (…, zones, zones), with their noise."""
    return with_noise(true, np.random.default_rng(seed).laplace(0.0, 1.0, true.shape), rate)


def with_noise(true: Integers, variates: Floats, rate: float) -> Integers:
    """Return matrices with discrete Laplace noise of standard variates; diagonals stay 0."""
    off = 1 - np.eye(true.shape[-1], dtype=np.int64)
    return (true + measurement.discrete_laplace(variates, rate)) * off


def rows() -> Iterator[Row]:
    """Yield errors by data and ε, and what is said of random worlds."""
    for case in (*shipped(), *bikes()):
        for epsilon in EPSILONS:
            yield from _errors(case, epsilon)
    yield from _worlds()


def _errors(case: Case, epsilon: float) -> Iterator[Row]:
    true = case.true[0]
    off = ~np.eye(len(true), dtype=bool)
    draws: list[tuple[float, float, float, float]] = []
    for seed in range(DRAWS):
        said = ours(noisy(true, epsilon, seed), epsilon, case.distances_m)
        agreement = od.agreement(true, said.typical[0], sums=said.counts[0])
        brier = float(((said.empty[0] - (true == 0))[off] ** 2).mean())
        errors = agreement.mean_error, agreement.outgoing_error
        draws.append((*errors, brier, _false(said.likely[0], true)))
    setting = f"{case.name}, ε = {epsilon:g}"
    names = ("mean absolute error", "relative error of out-totals", "Brier score of P(no trip)")
    for what, value in zip((*names, "likely, but empty"), np.transpose(draws), strict=True):
        yield row("law", what, setting, value)


def _worlds() -> Iterator[Row]:
    for epsilon in EPSILONS:
        shares: list[float] = []
        errors: list[float] = []
        for world in worlds(WORLDS):
            true = world.days()[0]
            said = ours(noisy(true, epsilon, 0), epsilon, world.distances_m)
            shares.append(_false(said.likely[0], true))
            errors.append(od.agreement(true, said.typical[0]).mean_error)
        setting = f"{WORLDS} random worlds, ε = {epsilon:g}"
        ninth = float(np.quantile(shares, 0.9))
        yield row("law", "likely, but empty: in nine of ten worlds at most", setting, ninth)
        mean = float(np.exp(np.mean(np.log(np.maximum(errors, 1e-6)))))
        yield row("law", "mean absolute error: geometric mean", setting, mean)


def _false(likely: Booleans, true: Integers) -> float:
    """Return the share of the likely flows that are empty."""
    return float((likely & (true == 0)).sum() / max(likely.sum(), 1))
