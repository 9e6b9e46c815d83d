"""Estimate the posterior of the count behind each noisy cell, given its expectation.

M ~ Poisson(μθ), y = M + noise. μ is the prediction. The expectation of a cell uses the noisy flow
back, or those of other days; the deviations θ are learnt from all cells (`prior_fit`). This module
reads noisy cells, predictions and public distances only; it cannot see a count.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ...arrays import Booleans, Floats, Integers
from ...errors import ParameterError
from ..noise_bounds import cell_half_width, noise_variance
from .gravity import predict_trips
from .prior_fit import ExpectedTrips, fit_priors

ExpectationFunction = Callable[[Booleans | None], ExpectedTrips]
"""Maps the training cells to the expectation of all cells; None trains on all."""


class Posterior(NamedTuple):
    """Posterior mean, median and P(0) of truncated counts, and the intensity; (zones, zones) each.

    Mean and median are clipped to the range that the noise allows for all cells at once (95%), so
    that a clear count counts however unexpected its flow is.
    """

    mean: Floats
    median: Floats
    zero_probability: Floats
    intensity: Floats


def iterate_expectations(
    days: Integers, rate: float, distances_m: Floats
) -> Iterator[ExpectationFunction]:
    """Yield an expectation function for every noisy day, from its own cells or other days'."""
    if distances_m.shape != days.shape[1:] or not np.isfinite(distances_m).all():
        rule = f"distances_m must hold finite metres for each pair of {days.shape[-1]} zones"
        remedy = "take centre_distances_m(dataset.zones)"
        raise ParameterError(rule, value=f"shape {distances_m.shape}", remedy=remedy)
    other_days = len(days) - 1
    if not other_days:
        yield partial(estimate_expectation, days[0], rate, distances_m)
        return
    day_sum = days.sum(axis=0)
    # the sum of the other days has the noise of several cells: treated as one wide
    # discrete Laplace noise of the same variance, 1/(cosh a − 1)
    rest_rate = float(np.arccosh(1 + 1 / max(other_days * noise_variance(rate), 1e-12)))
    for day in days:
        rest = day_sum - day
        expected = estimate_expectation(rest, rest_rate, distances_m)
        trips, relative_variance = estimate_intensity(rest, rest_rate, expected)
        usual_trips = ExpectedTrips(trips / other_days, relative_variance)
        yield partial(_scale_to_volume, day, noise_variance(rate), usual_trips)


def _scale_to_volume(
    day: Integers, variance: float, expected: ExpectedTrips, training_cells: Booleans | None = None
) -> ExpectedTrips:
    """Return the expectation scaled to a day's volume, as far as that differs beyond the noise."""
    pairs = ~np.eye(len(day), dtype=np.bool_) if training_cells is None else training_cells
    volume = max(float(expected.trips[pairs].sum()), 1e-3)
    excess = shrink_to_signal(float(day[pairs].sum()) - volume, float(pairs.sum()) * variance)
    return expected._replace(trips=expected.trips * max(1 + excess / volume, 0.05))


def estimate_expectation(
    cells: Integers, rate: float, distances_m: Floats, training_cells: Booleans | None = None
) -> ExpectedTrips:
    """Return the expectation of every cell from linear sums of the matrix and the flow back."""
    predicted = predict_trips(cells, noise_variance(rate), distances_m, training_cells)
    expected = ExpectedTrips(predicted, np.ones_like(predicted))
    estimated = estimate_intensity(cells, rate, expected, training_cells)
    back = estimated.trips.T * predicted / np.where(predicted.T > 0, predicted.T, 1.0)
    return ExpectedTrips(back, estimated.relative_variance.T)


def estimate_intensity(
    cells: Integers, rate: float, expected: ExpectedTrips, training_cells: Booleans | None = None
) -> ExpectedTrips:
    """Return the intensity behind every cell, given its noisy count and its expectation."""
    laws = fit_priors(cells, rate, expected, training_cells)
    # far above the noise the count is almost exact
    trips = np.maximum(cells, 1).astype(np.float64)
    np.fill_diagonal(trips, 0.0)
    uncertainty = (noise_variance(rate) + trips) / np.maximum(trips, 1.0) ** 2
    mean, uncertainty.flat[laws.cell_positions] = laws.posterior_intensity()
    trips.flat[laws.cell_positions] = mean * expected.trips.flat[laws.cell_positions]
    return ExpectedTrips(trips, uncertainty)


def compute_posterior(cells: Integers, rate: float, expected: ExpectedTrips) -> Posterior:
    """Return the posterior of one matrix, given the expectation of every cell."""
    laws = fit_priors(cells, rate, expected)
    off, flows = ~np.eye(len(cells), dtype=np.bool_), max(cells.size - len(cells), 1)
    # far above the noise a cell is taken as it is
    readings: Floats = np.empty((5, *cells.shape))
    readings[:3] = cells
    readings[3] = noise_variance(rate)
    readings[4] = ~off
    mean, typical, behind, variance, empty = readings
    positions = laws.cell_positions
    behind.flat[positions] = laws.posterior_intensity()[0] * expected.trips.flat[positions]
    del expected  # frees memory: between thousands of zones each array is 70 MB
    for summary, values in zip((mean, typical, variance, empty), laws.posterior(), strict=True):
        summary.flat[positions] = values[laws.pair]
    del laws
    # the shortfall of the means against the noisy sum goes to the most uncertain cells
    difference = float(cells.sum(where=off) - mean.sum(where=off))
    lacking = shrink_to_signal(difference, flows * noise_variance(rate))
    variance *= off
    mean += variance * (lacking / max(float(variance.sum()), 1.0))
    reach = cell_half_width(rate, cells=flows)
    low, high = np.maximum(cells - reach, 0), np.maximum(cells, 0) + reach
    for estimate in (mean, typical):
        np.clip(estimate, low, high, out=estimate)
    readings[:3] *= off
    return Posterior(mean, typical, empty, behind)


def shrink_to_signal(difference: float, variance: float) -> float:
    """Return a difference shrunk by its noise (positive-part James–Stein)."""
    return max(0.0, 1 - variance / max(difference**2, 1.0)) * difference
