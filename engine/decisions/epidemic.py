"""A mobility epidemic and what suppression and noise do to it (P2, "Empirical Simulations").

The model is the mobility SIR of Goel and Sharma: each zone i has N_i people, each day t a matrix
M of trips, and with p_j = I_j/N_j

    dS_i/dt = −β·S_i·p_i − α·β·S_i·(Σ_j M_ij·p_j)/(N_i + Σ_j M_ij),
    dR_i/dt = μ·I_i,    dI_i/dt = −dS_i/dt − dR_i/dt.

Erratum E1: P2 prints dR_i/dt = μ·I_i/N_i, which lets fewer than one person a day recover, and
dI_i/dt = dS_i/dt − dR_i/dt, whose sign is wrong. P2 also prints departures M_ij where its words
("visitors") suggest arrivals M_ji; both are offered.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args
from weakref import WeakKeyDictionary

import numpy as np

from engine import validation
from engine.arrays import Floats
from engine.datasets import Dataset
from engine.decisions.places import zone_ids, zone_positions
from engine.decisions.populations import Populations, expected_private, home_populations
from engine.errors import ParameterError
from engine.origin_destination.laws import LawName, NoiseLaw, mean_shift
from engine.origin_destination.matrices import Days, day_indices, trimmed_counts
from engine.parameters import ODParameters, ODUnit

Direction = Literal["departures", "arrivals"]
"""``departures`` mixes a zone with the places its people go to (M_ij, as P2 prints);
``arrivals`` with the places its visitors come from (M_ji, as P2 describes)."""

LONGEST_DENSE = 2**22
"""Most cells of a whole period that are kept as one stack (32 MB); beyond, day by day."""


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


@dataclass(frozen=True, eq=False)
class Epidemic:
    """One epidemic from each of several origins.

    Attributes
    ----------
    susceptible, infected, recovered : arrays, shape (origins, days, zones)
        People; the first day is the seed.
    populations : array, shape (zones,)
        N, constant: the three compartments add up to it.
    """

    susceptible: Floats
    infected: Floats
    recovered: Floats
    populations: Floats

    @property
    def prevalence(self) -> Floats:
        """I/N, from 0 to 1, shape (origins, days, zones)."""
        return self.infected / self.populations


def true_epidemic(
    dataset: Dataset,
    origins: Sequence[str],
    parameters: EpidemicParameters | None = None,
    *,
    populations: Populations | None = None,
    days: Days = None,
) -> Epidemic:
    """Return the epidemics with the true trips (confidential).

    Parameters
    ----------
    dataset : Dataset
        With trips on at least two days.
    origins : sequence of str
        Zone ids; one epidemic starts in each.
    parameters : EpidemicParameters or None
        None takes P2's.
    populations : Populations or None
        None takes the dataset's homes.
    days : int, slice, sequence of int or None
        Positions in the declared period, in order; None takes all days. State 1 is the seed; the
        matrix of each day but the last leads to the next day's state.

    Returns
    -------
    Epidemic

    Raises
    ------
    ParameterError
        If an origin is not a zone of the dataset, or fewer than two days are chosen.
    DatasetError
        If the dataset has no trips, or no people by zone and none are given.

    Examples
    --------
    >>> from engine import datasets
    >>> year = datasets.load("afghanistan-2020")
    >>> kabul = true_epidemic(year, ["AFG-1767"])
    >>> int((kabul.prevalence >= 0.2).sum())
    1500
    """
    scene = Scene.of(dataset, origins, populations, days)
    return scene.spread(scene.matrices("trip", 1), parameters, scene.populations.counts)


def suppressed_epidemic(
    dataset: Dataset,
    origins: Sequence[str],
    parameters: EpidemicParameters | None,
    settings: ODParameters,
    *,
    populations: Populations | None = None,
    days: Days = None,
) -> Epidemic:
    """Return the epidemics if trips were trimmed to T and counts below τ suppressed, without noise.

    What is left of the error when ε grows without bound. Arguments and errors as
    `true_epidemic`.
    """
    scene = Scene.of(dataset, origins, populations, days)
    least = max(settings.suppression_threshold, 1)

    def shown(matrix: Floats) -> Floats:
        return np.where(matrix >= least, matrix, 0.0)

    matrices = scene.matrices(settings.unit, settings.max_trips_per_user)
    return scene.spread(map(shown, matrices), parameters, scene.populations.counts)


def expected_epidemic(
    dataset: Dataset,
    origins: Sequence[str],
    parameters: EpidemicParameters | None,
    settings: ODParameters,
    *,
    populations: Populations | None = None,
    days: Days = None,
    law: LawName = "rounded_laplace",
) -> Epidemic:
    """Return the epidemics with the exact expected matrices in place of a release.

    A first estimate without drawing: the epidemic is not linear in the matrices, so draws may
    differ. Arguments and errors as `true_epidemic`.
    """
    scene = Scene.of(dataset, origins, populations, days)
    noise = NoiseLaw(1 / settings.noise_scale, law)
    threshold = settings.suppression_threshold

    def expected(matrix: Floats) -> Floats:
        # one exponential for each distinct size of a flow, not for each cell
        sizes, place = np.unique(matrix, return_inverse=True)
        means = sizes + mean_shift(noise, sizes, threshold)
        expected = means[place.reshape(matrix.shape)]
        np.fill_diagonal(expected, 0.0)
        return expected

    people = scene.populations.counts
    if scene.populations.confidential:
        people = expected_private(people, 1 / settings.epsilon)
    matrices = scene.matrices(settings.unit, settings.max_trips_per_user)
    return scene.spread(map(expected, matrices), parameters, people)


class State(NamedTuple):
    """People in each compartment, shape (…, zones, origins)."""

    susceptible: Floats
    infected: Floats
    recovered: Floats

    @classmethod
    def seed(cls, populations: Floats, origins: tuple[int, ...], share: float) -> "State":
        """Return the first day: `share` of each origin's people infected, the rest susceptible."""
        infected = np.zeros((*populations.shape, len(origins)))
        for column, zone in enumerate(origins):
            infected[..., zone, column] = share * populations[..., zone]
        susceptible = populations[..., None] - infected
        return cls(susceptible, infected, np.zeros_like(infected))

    def next_day(
        self,
        populations: Floats,
        contact: Callable[[Floats], tuple[Floats, Floats]],
        parameters: EpidemicParameters,
    ) -> "State":
        """Return the next day's state.

        `contact` takes p, shape (…, zones, origins), and returns Σ_j M_ij·p_j of the same shape
        and Σ_j M_ij, shape (…, zones, 1).
        """
        step = 1 / parameters.steps_per_day
        people = populations[..., None]
        susceptible, infected, recovered = self
        for _ in range(parameters.steps_per_day):
            prevalence = infected / people
            met, trips = contact(prevalence)
            pressure = prevalence + parameters.alpha * met / (people + trips)
            infections = step * parameters.beta * susceptible * pressure
            recoveries = step * parameters.mu * infected
            susceptible = susceptible - infections
            infected = infected + infections - recoveries
            recovered = recovered + recoveries
        return State(susceptible, infected, recovered)


class Scene(NamedTuple):
    """Where epidemics happen: the checked arguments that every function here shares."""

    dataset: Dataset
    origins: tuple[int, ...]
    populations: Populations
    days: tuple[int, ...]

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        origins: Sequence[str],
        populations: Populations | None,
        days: Days,
    ) -> "Scene":
        """Check the arguments of an epidemic."""
        chosen = day_indices(dataset, days)
        if len(chosen) < 2:
            raise ParameterError(
                "an epidemic needs trips on at least 2 days",
                value="1",
                remedy="choose more days or a longer dataset",
                settings=("days",),
            )
        people = home_populations(dataset) if populations is None else populations
        if people.counts.shape != (len(dataset.zones),):
            raise ParameterError(
                f"populations must hold one number for each of {len(dataset.zones)} zones",
                value=f"shape {people.counts.shape}",
                remedy="make them for this dataset",
                settings=("populations",),
            )
        return cls(dataset, zone_positions(dataset, origins, "origins"), people, chosen)

    def matrices(self, unit: ODUnit, max_trips_per_user: int) -> Iterator[Floats]:
        """Yield the kept trips of each day but the last, shape (zones, zones)."""
        zones = len(self.dataset.zones)
        if len(self.days) * zones * zones <= LONGEST_DENSE:
            yield from _period(self.dataset, unit, max_trips_per_user, self.days)[:-1]
            return
        for day in self.days[:-1]:
            matrix = trimmed_counts(self.dataset, unit, max_trips_per_user, (day,))[0]
            yield matrix.astype(np.float64)

    def spread(
        self, matrices: Iterator[Floats], parameters: EpidemicParameters | None, people: Floats
    ) -> Epidemic:
        """Return the epidemics along the given matrices, one for each day but the last."""
        model = parameters or EpidemicParameters()
        state = State.seed(people, self.origins, model.seed_share)
        shape = (len(self.days), len(people), len(self.origins))
        history = [np.empty(shape) for _ in state]
        for values, now in zip(history, state, strict=True):
            values[0] = now
        for day, matrix in enumerate(matrices, start=1):
            flows = matrix if model.direction == "departures" else matrix.T
            trips = flows.sum(axis=1, keepdims=True)
            state = state.next_day(people, lambda p, m=flows, r=trips: (m @ p, r), model)
            for values, now in zip(history, state, strict=True):
                values[day] = now
        return Epidemic(*(np.moveaxis(values, -1, 0) for values in history), populations=people)


def scenario_origins(dataset: Dataset, populations: Populations | None = None) -> dict[str, str]:
    """Return P2's three kinds of origin: zone ids under ``largest``, ``mid_size``, ``random``.

    Those that the dataset's description names; for other datasets the zones with the largest and
    the median population, and none at random.

    Examples
    --------
    >>> from engine import datasets
    >>> scenario_origins(datasets.load("afghanistan-2020"))["mid_size"]
    'AFG-1742'
    """
    ids = zone_ids(dataset)
    named: Mapping[str, str] = dataset.metadata.scenario.get("epidemic_origins", {})
    if named and set(named.values()) <= set(ids):
        return dict(named)
    counts = (populations or home_populations(dataset)).counts
    order = np.argsort(-counts, kind="stable")
    return {"largest": ids[order[0]], "mid_size": ids[order[len(order) // 2]]}


_PERIODS: WeakKeyDictionary[Dataset, dict[tuple[object, ...], Floats]] = WeakKeyDictionary()
_MOST_PERIODS = 4


def _period(
    dataset: Dataset, unit: ODUnit, max_trips_per_user: int, days: tuple[int, ...]
) -> Floats:
    """Return all days as one stack; a slider over ε asks for it again and again."""
    known = _PERIODS.setdefault(dataset, {})
    key = (unit, 1 if unit == "trip" else max_trips_per_user, days)
    if key not in known:
        while len(known) >= _MOST_PERIODS:
            known.pop(next(iter(known)), None)
        stack = trimmed_counts(dataset, unit, max_trips_per_user, days).astype(np.float64)
        stack.flags.writeable = False
        known[key] = stack
    return known[key]
