"""Intervals that hold 95% whatever the truth: by the law of the noise, without chance."""

import numpy as np
import pytest

from engine.origin_destination.estimate import assisted
from engine.origin_destination.estimate.law import CountGrid
from engine.origin_destination.estimate.measurement import discrete_laplace
from engine.origin_destination.estimate.reading import expectations


def least_coverage(rate, priors, counts, noise_rate=None):
    """The least over counts of P(the interval of m + Z holds m), summed over the noise."""
    grid = CountGrid.of_cells(np.array([120]), rate)
    grid_priors = np.stack(
        [grid.negative_binomial(np.array([mean]), shape)[0] for mean, shape in priors]
    )
    q = np.exp(-(noise_rate or rate))
    z = np.arange(-int(30 / rate), int(30 / rate) + 1)
    chance = (1 - q) / (1 + q) * q ** np.abs(z)
    held = []
    for row in range(len(priors)):
        for m in counts:
            noisy = m + z
            below, above = assisted.tails(rate)
            low, high = noisy - above[0], noisy + below[0]
            on_grid = grid.holds(noisy)
            low[on_grid], high[on_grid] = assisted.hull(
                grid, grid_priors[row], noisy[on_grid], rate
            )
            held.append(chance[(np.maximum(low, 0) <= m) & (m <= np.maximum(high, 0))].sum())
    return min(held)


PRIORS = [(0.02, 0.1), (0.5, 100.0), (8.0, 0.3), (40.0, 50.0), (1e4, 1.0)]


@pytest.mark.parametrize("rate", [0.008, 0.1, 0.35, 2.0])
def test_every_count_is_held_with_ninety_five_percent_under_any_prior(rate):
    counts = [0, 1, 2, 5, 9, 17, 40, 77, 120]
    assert least_coverage(rate, PRIORS, counts) >= 0.95
    # wider noise than is said is noticed
    assert least_coverage(rate, PRIORS, counts, noise_rate=rate / 2) < 0.95


def test_the_model_of_a_cell_has_not_read_its_pairs_own_count(monkeypatch):
    rng = np.random.default_rng(0)
    zones, rate = 9, 0.4
    place = rng.random((zones, 2))
    distances = np.hypot(*(place[:, None] - place).T)
    cells = rng.poisson(rng.gamma(0.3, 20, (zones, zones)))
    cells += discrete_laplace(rng.laplace(0, 1, cells.shape), rate)
    cells *= 1 - np.eye(zones, dtype=np.int64)
    hull = assisted.hull

    def priors_of(own):
        """The prior of cell (2, 6), whose count is told from all others by being 25 + own."""
        used = []

        def seen(grid, prior, noisy, rate):
            used.extend(prior[:200] for y in noisy if y == 25 + own)
            return hull(grid, prior, noisy, rate)

        monkeypatch.setattr(assisted, "hull", seen)
        mine = cells.copy()
        mine[2, 6] = 25 + own
        assisted.of_day(mine, rate, next(expectations(mine[None], rate, distances)))
        (prior,) = used
        return prior

    cells[:] = np.minimum(cells, 20)
    first, second = priors_of(0), priors_of(17)
    least = min(len(first), len(second))
    np.testing.assert_array_equal(first[:least], second[:least])
