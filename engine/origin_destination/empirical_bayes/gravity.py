"""Predict every cell by a gravity model from noisy cells and public distances alone."""

import math

import numpy as np

from ...arrays import Booleans, Floats, Integers

TOTAL_STEPS = 61
_TINY = 1e-30


def predict_trips(
    cells: Integers, variance: float, distances_m: Floats, training_cells: Booleans | None = None
) -> Floats:
    """Return the expected trips of every cell, shape (zones, zones), above 0 off the diagonal.

    Trips fall with the power of distance that the noisy cells make most likely, and add up to the
    totals of zones. `training_cells`, symmetric and none on the diagonal, are the cells used: the
    expectation of the others does not depend on their noisy counts. All where None.
    """
    if len(cells) == 1:
        return np.zeros((1, 1))
    off = ~np.eye(len(cells), dtype=np.bool_)
    pairs = off if training_cells is None else training_cells
    noisy = cells * pairs
    outflow, inflow = _zone_totals(noisy, variance * float(pairs.sum()) / len(cells))
    inflow = inflow * (outflow.sum() / inflow.sum())
    far = np.log(np.maximum(distances_m, 500.0))
    far -= far[off].mean()

    def flows(power: float, rounds: int) -> Floats:
        near = np.exp(-power * far)
        rows, columns = balancing_factors(outflow, inflow, near * pairs, rounds)
        return np.maximum(rows[:, None] * near * columns, 1e-9)

    def unlikely(power: float) -> float:
        trips = flows(power, rounds=3)
        total = variance + trips
        return float((((noisy - trips) ** 2 / total + np.log(total)) * pairs).sum())

    best, worth = 1.5, unlikely(1.5)
    for step in (1.0, 0.5, 0.25):
        for power in (best - step, best + step):
            if (objective := unlikely(power)) < worth:
                best, worth = power, objective
    return off * flows(best, rounds=12)


def positive_totals(totals: Floats, variance: float) -> Floats:
    """Return totals made positive by EM over a log grid of their distribution."""
    deviation = math.sqrt(variance)
    lowest = max(0.01 * deviation, 1e-3)
    highest = max(float(totals.max(initial=0.0)) + 3 * deviation, 10 * lowest)
    grid = np.exp(np.linspace(math.log(lowest), math.log(highest), TOTAL_STEPS))
    squares = ((totals[:, None] - grid) / max(deviation, 1e-9)) ** 2 / 2
    likelihood = np.exp(-np.minimum(squares - squares.min(axis=1, keepdims=True), 700.0))
    posterior = likelihood / likelihood.sum(axis=1, keepdims=True)
    for _ in range(TOTAL_STEPS - 1):
        posterior = likelihood * posterior.mean(axis=0)
        posterior /= posterior.sum(axis=1, keepdims=True)
    # a total with less uncertainty than the grid's step stays as it is
    fine = totals * (grid[1] / grid[0] - 1) > deviation
    return np.where(fine, totals, posterior @ grid)


def _zone_totals(noisy: Integers, variance: float) -> tuple[Floats, Floats]:
    """Return positive out- and in-totals, equal within √(2 log n) deviations (Donoho 1994)."""
    outflow, inflow = noisy.sum(axis=1), noisy.sum(axis=0)
    difference = outflow - inflow
    threshold = 2 * math.log(len(noisy)) * 2 * variance
    believed = np.maximum(0.0, 1 - threshold / np.maximum(difference**2, 1.0))
    both = positive_totals((outflow + inflow) / 2, variance / 2)
    tilt = np.clip(believed * difference / (2 * both), -0.95, 0.95)
    return both * (1 + tilt), both * (1 - tilt)


def balancing_factors(
    outflow: Floats, inflow: Floats, proximity: Floats, rounds: int
) -> tuple[Floats, Floats]:
    """Return factors of rows and columns that balance `proximity` to totals of zones."""
    rows = columns = np.ones(len(outflow))
    for _ in range(rounds):
        rows = outflow / np.maximum(proximity @ columns, _TINY)
        columns = inflow / np.maximum(rows @ proximity, _TINY)
    return rows, columns
