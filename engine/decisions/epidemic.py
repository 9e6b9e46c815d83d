"""Epidemics with the true trips, with suppressed ones and with the expected release.

The model is in `engine.decisions.model`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..datasets import Dataset, remembered
from ..errors import ParameterError
from ..origin_destination.laws import LawName, NoiseLaw, mean_shift
from ..origin_destination.matrices import Days, day_indices, trimmed_counts
from ..parameters import ODParameters, ODUnit
from .model import Compartments, EpidemicParameters
from .places import zone_ids, zone_positions
from .populations import Populations, expected_private, home_populations

LONGEST_DENSE = 2**22
"""Most cells of a whole period that are kept as one stack (32 MB); beyond, day by day."""


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
    least = settings.least_shown

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


class Scene(NamedTuple):
    """Where epidemics happen: the checked arguments that every function here shares."""

    dataset: Dataset
    origins: tuple[int, ...]
    populations: Populations
    days: tuple[int, ...]

    @classmethod
    def of(
        cls, dataset: Dataset, origins: Sequence[str], populations: Populations | None, days: Days
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
        now = Compartments(people, self.origins, model)
        shape = (len(self.days), *now.infected.shape)
        susceptible, infected = np.empty(shape), np.empty(shape)
        susceptible[0], infected[0] = now.susceptible, now.infected
        departures = model.direction == "departures"
        for day, matrix in enumerate(matrices, start=1):
            now.next_day(matrix if departures else matrix.T)
            susceptible[day], infected[day] = now.susceptible, now.infected
        parts = (susceptible, infected, people - susceptible - infected)
        return Epidemic(*(np.swapaxes(part, 0, 1) for part in parts), populations=people)


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


def _period(
    dataset: Dataset, unit: ODUnit, max_trips_per_user: int, days: tuple[int, ...]
) -> Floats:
    """Return all days as one stack; a slider over ε asks for it again and again."""
    limit = 1 if unit == "trip" else max_trips_per_user

    def build() -> Floats:
        return trimmed_counts(dataset, unit, limit, days).astype(np.float64)

    return remembered(dataset, ("trips of a period", unit, limit, days), build)
