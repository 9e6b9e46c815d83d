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

from engine import validation
from engine.errors import ParameterError

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
        alpha = validation.as_real(self.alpha)
        if alpha is None or not 0 <= alpha < float("inf"):
            raise ParameterError(
                "alpha must be a finite number of at least 0",
                value=repr(self.alpha),
                remedy="1 mixes travellers like residents",
                settings=("alpha",),
            )
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
