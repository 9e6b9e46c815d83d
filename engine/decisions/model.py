"""A mobility epidemic and what suppression and noise do to it (P2, "Empirical Simulations").

The model is the mobility SIR of Goel and Sharma: each zone i has N_i people, each day t a matrix
M of trips, and with p_j = I_j/N_j

    dS_i/dt = −β·S_i·p_i − α·β·S_i·(Σ_j M_ij·p_j)/(N_i + Σ_j M_ij),
    dR_i/dt = μ·I_i,    dI_i/dt = −dS_i/dt − dR_i/dt.

Erratum E1: P2 prints dR_i/dt = μ·I_i/N_i, which lets fewer than one person a day recover, and
dI_i/dt = dS_i/dt − dR_i/dt, whose sign is wrong. P2 also prints departures M_ij where its words
("visitors") suggest arrivals M_ji; both are offered.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from .. import validation
from ..arrays import Floats
from ..errors import ParameterError

Direction = Literal["departures", "arrivals"]
"""``departures`` mixes a zone with the places its people go to (M_ij, as P2 prints);
``arrivals`` with the places its visitors come from (M_ji, as P2 describes)."""


@dataclass(frozen=True, kw_only=True)
class EpidemicParameters:
    """Settings of the epidemic model; the defaults are P2's.

    Parameters
    ----------
    beta : float
        β, infections per infected person and day among residents, above 0.
    mu : float
        μ, share of the infected who recover in a day, above 0.
    alpha : float
        α, mixing with travellers relative to mixing with residents, at least 0.
    seed_share : float
        Share of the origin's people infected on the first day, above 0 and below 1.
    steps_per_day : int
        Euler steps a day, 1 to 100. P2's day-by-day reading takes 1; more come nearer to the
        differential equation.
    direction : str
        One of `Direction`.

    Raises
    ------
    ParameterError
        If a setting is outside its domain, or a step is so long that more people could leave a
        compartment than are in it: β·(1 + α) and μ must be at most `steps_per_day`.

    Examples
    --------
    >>> EpidemicParameters(beta=0.2).mu
    0.04
    """

    beta: float = 0.10
    mu: float = 0.04
    alpha: float = 1.0
    seed_share: float = 0.01
    steps_per_day: int = 1
    direction: Direction = "departures"

    def __post_init__(self) -> None:
        validation.finite_above("beta", self.beta, 0, "0.06 to 0.39 was fitted to COVID-19")
        validation.finite_above("mu", self.mu, 0, "0.04 to 0.19 was fitted to COVID-19")
        validation.finite_at_least("alpha", self.alpha, 0, "1 mixes travellers like residents")
        validation.inside_open_interval("seed_share", self.seed_share, 0, 1, "0.01 is P2's")
        validation.whole_number("steps_per_day", self.steps_per_day, 1, 100, remedy="1 is P2's")
        validation.one_of(
            "direction", self.direction, get_args(Direction), "'departures' is what P2 prints"
        )
        for rule, value in (
            ("beta·(1 + alpha)/steps_per_day", self.beta * (1 + self.alpha) / self.steps_per_day),
            ("mu/steps_per_day", self.mu / self.steps_per_day),
        ):
            if value > 1:
                raise ParameterError(
                    f"{rule} must be at most 1, or a step could move more people than there are",
                    value=f"{value:.4g}",
                    remedy="take more steps a day",
                    settings=("steps_per_day",),
                )


class Compartments:
    """People in each compartment on the present day, for many epidemics side by side.

    The first day is the seed: one epidemic starts in each of the zones `origins`, among
    `populations`, shape (…, zones), above 0. `susceptible` and `infected`, shape (…, origins,
    zones), are changed by `next_day`; the rest has recovered. A year takes thousands of small
    steps, so that what costs time is the number of array operations: room is taken once, and one
    product with a day's trips gives both the infected shares met and the trips of each zone.
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
        """Move on by a day, given trips of each zone (row) with those that its people mix with."""
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
