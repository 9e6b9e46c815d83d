"""How well flows can be read at all: the best reading of someone who is told what they are like.

The oracle is told what no reading of a measurement can know: the gravity prediction μ fitted to the
*true* totals of zones and bands, and, for every tenth of the pairs of zones by size of μ, the true
list of (θ there, θ back) of its pairs, θ = trips/μ. It is not told which pair has which. In
`World.deal` every pair draws its θ from that list and counts are Poisson. There the oracle's
reading is the posterior given both noisy counts of a pair: no method has a smaller expected error
of a flow (median), nor a smaller squared one of a total (sum of means). It is exact but for one
rounding: intensities μθ are rounded to steps of 5%, those below 0.01 trips to none.
"""

import numpy as np
from scipy import special

from engine.arrays import Floats, Integers
from engine.origin_destination.estimate.grid import CountGrid
from engine.origin_destination.estimate.prediction import predict

STRATA = 10
STEP = 0.05
_LEAST = -4.0
_ROWS = 500


class World:
    """Pairs of zones like those of one true matrix, and the best reading of them.

    Parameters
    ----------
    true : array of int64, shape (zones, zones)
        Trips; diagonal 0.
    distances_m : array, shape (zones, zones)
    """

    def __init__(self, true: Integers, distances_m: Floats) -> None:
        self.mu = predict(true, 1e-9, distances_m)
        first, second = np.triu_indices(len(true), 1)
        order = np.argsort(self.mu[first, second] * self.mu[second, first], kind="stable")
        self._strata = [
            (first[part], second[part]) for part in np.array_split(order, STRATA) if len(part)
        ]
        theta = true / np.where(self.mu > 0, self.mu, 1.0)
        # both orders of every pair: which zone comes first says nothing
        self._laws = [
            np.array([np.r_[theta[a, b], theta[b, a]], np.r_[theta[b, a], theta[a, b]]])
            for a, b in self._strata
        ]

    def deal(self, rng: np.random.Generator) -> Integers:
        """Return another matrix: every pair draws its θ, every count its chance."""
        intensity = np.zeros_like(self.mu)
        for (a, b), law in zip(self._strata, self._laws, strict=True):
            there, back = law[:, rng.integers(0, law.shape[1], len(a))]
            intensity[a, b], intensity[b, a] = self.mu[a, b] * there, self.mu[b, a] * back
        return rng.poisson(intensity)

    def read(self, cells: Integers, rate: float) -> tuple[Floats, Floats]:
        """Return posterior medians and means of noisy cells, shape (zones, zones).

        Intensities are rounded to steps of 5%, those below 0.01 trips to none.
        """
        m = np.arange(int(max(cells.max(), 1) + 12 / rate) + 50)
        steps = np.exp(_LEAST + STEP * np.arange(int((np.log(m[-1]) - _LEAST) / STEP) + 2))
        log_pmf = m * np.log(steps)[:, None] - steps[:, None] - special.gammaln(m + 1)
        poisson = np.vstack([m == 0, np.exp(np.maximum(log_pmf, -700.0))])
        node = np.maximum(cells, 0)  # below 0 the noise says the same of every count
        likelihood = CountGrid(rate=rate, packet=1, nodes=len(m)).likelihood(poisson)
        median, mean = np.zeros(cells.shape), np.zeros(cells.shape)
        for (a, b), law in zip(self._strata, self._laws, strict=True):
            for i, j in ((a, b), (b, a)):
                own = _level(self.mu[i, j][:, None] * law[0], len(poisson))
                back = _level(self.mu[j, i][:, None] * law[1], len(poisson))
                prior = np.zeros((len(i), len(poisson)))
                believed = likelihood[back, node[j, i][:, None]]
                np.add.at(prior, (np.arange(len(i))[:, None], own), believed)
                prior /= prior.sum(axis=1, keepdims=True)
                for rows in np.array_split(np.arange(len(i)), len(i) // _ROWS + 1):
                    x, y = i[rows], j[rows]
                    noise = np.exp(-rate * np.abs(node[x, y][:, None] - m))
                    posterior = prior[rows] @ poisson * noise
                    posterior /= posterior.sum(axis=1, keepdims=True)
                    mean[x, y] = posterior @ m
                    median[x, y] = (posterior.cumsum(axis=1) < 0.5).sum(axis=1)
        return median, mean


def _level(intensity: Floats, levels: int) -> Integers:
    """Return the number of the nearest step; 0 is no trip at all."""
    step = np.round((np.log(np.maximum(intensity, 1e-9)) - _LEAST) / STEP) + 1
    none = intensity <= np.exp(_LEAST) / 2
    return np.where(none, 0, np.clip(step, 1, levels - 1)).astype(np.int64)
