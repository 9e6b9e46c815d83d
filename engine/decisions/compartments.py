"""The compartments of many epidemics side by side, moved on day by day in place.

A year takes thousands of small steps, so that what costs time is the number of array operations
and not the arithmetic: room is taken once, and one product with a day's trips gives both the
infected shares met and the trips of each zone.
"""

import numpy as np

from engine.arrays import Floats
from engine.decisions.model import EpidemicParameters


class Compartments:
    """People in each compartment on the present day; the first is the seed.

    Parameters
    ----------
    populations : array, shape (…, zones)
        N, above 0.
    origins : tuple of int
        One epidemic starts in each of these zones.
    model : EpidemicParameters

    Attributes
    ----------
    susceptible, infected : arrays, shape (…, origins, zones)
        Changed by `next_day`; the rest of the population has recovered.
    """

    def __init__(
        self, populations: Floats, origins: tuple[int, ...], model: EpidemicParameters
    ) -> None:
        self._people = populations[..., None, :]
        shape = (*populations.shape[:-1], len(origins), populations.shape[-1])
        self._alpha = model.alpha
        self._steps = model.steps_per_day
        self._staying = 1 - model.mu / model.steps_per_day
        # infected times this is β·I/N in a step
        rate = model.beta / model.steps_per_day
        self._pressing = np.broadcast_to(rate / self._people, shape).copy()
        self.infected = np.zeros(shape)
        for row, zone in enumerate(origins):
            self.infected[..., row, zone] = model.seed_share * populations[..., zone]
        self.susceptible = self._people - self.infected
        # a last row of ones gives each zone's trips
        self._shares = np.ones((*shape[:-2], len(origins) + 1, shape[-1]))
        self._sums = np.empty_like(self._shares)
        self._pressure, self._met = self._shares[..., :-1, :], self._sums[..., :-1, :]
        self._trips = self._sums[..., -1:, :]
        self._moved = np.empty(shape)
        self._mixing = np.empty_like(self._people)

    def next_day(self, flows: Floats) -> None:
        """Move on by one day.

        Parameters
        ----------
        flows : array, shape (…, zones, zones)
            Trips of each zone (row) with those that its people mix with.
        """
        susceptible, infected, moved = self.susceptible, self.infected, self._moved
        pressure, mixing, columns = self._pressure, self._mixing, flows.swapaxes(-1, -2)
        for _ in range(self._steps):
            np.multiply(infected, self._pressing, pressure)
            np.matmul(self._shares, columns, self._sums)
            np.add(self._people, self._trips, mixing)
            np.divide(self._met, mixing, moved)
            if self._alpha != 1:
                moved *= self._alpha
            moved += pressure
            moved *= susceptible  # infections
            susceptible -= moved
            infected *= self._staying
            infected += moved
