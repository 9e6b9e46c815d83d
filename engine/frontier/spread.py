"""How the risk of a finer unit spreads over people: exactly, from trips (or days) per person.

P2 multiplies ε by the mean number of trips and reads 7 as "7 times as much information". Odds grow
by e^7, and the guess at the mean is not the mean, nor any share, of people's guesses (erratum E3).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..attack import limit
from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..parameters import MAX_TRIPS_LIMIT
from ..risk import Guarantee
from ..validation import whole_number

GUESSES = (0.6, 0.75, 0.95)
"""Best guesses below which people are counted."""
_MEMBER = "people by their number of trips, such as {0: 10, 1: 25}"


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Best guesses over everything released, person by person (confidential, like the counts).

    Attributes
    ----------
    shares : tuple of float
        Share of people whose best guess is at most each of `GUESSES`.
    median, percentile_95, worst : float
        Best guess of these people.
    mean_count : float
        Mean number of trips (days): what P2 multiplies ε by.
    at_mean : float
        Best guess at that multiple of ε, which is nobody's in particular.
    """

    people: int
    shares: tuple[float, ...]
    median: float
    percentile_95: float
    worst: float
    mean_count: float
    at_mean: float


def spread(people: Mapping[int, int], epsilon: float, *, separate: bool = False) -> Spread:
    """Return how the best guess spreads over people, each of whom pays ε for every trip or day.

    Parameters
    ----------
    people : mapping of int to int
        How many people have so many trips (released at unit ``trip``) or days with a trip
        (released at ``person-day``); those without any belong to it.
    epsilon : float
        Of one trip or day.
    separate : bool
        Whether each has a release with noise of its own, as days do whose matrices are not added
        up; what composition proves then counts. Else the losses add up in full: trips can share a
        cell and its one noise.

    Raises
    ------
    ParameterError
        If it is no histogram of at least one person, or ε is not one.

    Examples
    --------
    >>> shown = spread({0: 50, 1: 30, 20: 20}, 0.5)
    >>> shown.shares, shown.median, round(shown.worst, 4), round(shown.at_mean, 3)
    ((0.5, 0.8, 0.8), 0.5, 1.0, 0.896)
    """
    for pair in people.items():
        for number in pair:
            whole_number("people", number, 0, remedy=_MEMBER)
    counts = np.array(sorted(count for count in people if people[count]), dtype=np.int64)
    weights = np.array([people[int(count)] for count in counts], dtype=np.float64)
    if not len(counts):
        raise ParameterError(f"people must be at least one, got none; give {_MEMBER}")
    one = Guarantee(epsilon=epsilon)

    def best_guess(count: int) -> float:
        if separate and count > 1:
            return limit(one, count).best_guess
        return Guarantee(epsilon=count * one.epsilon).best_guess

    guesses = np.array([best_guess(int(count)) for count in counts])
    below = np.cumsum(weights) / weights.sum()
    mean = float(counts @ weights / weights.sum())

    def percentile(share: float) -> float:
        return float(guesses[np.searchsorted(below, share - 1e-12)])

    return Spread(
        people=int(weights.sum()),
        shares=tuple(float(weights[guesses <= most].sum() / weights.sum()) for most in GUESSES),
        median=percentile(0.5),
        percentile_95=percentile(0.95),
        worst=float(guesses[-1]),
        mean_count=mean,
        at_mean=Guarantee(epsilon=mean * one.epsilon).best_guess,
    )


def trips_per_person(dataset: Dataset) -> dict[int, int]:
    """Return how many people made so many trips over the whole period (confidential).

    A person has a trip of rank r if she made at least r. Those without a trip are counted where
    the number of people is public. Whoever made more than 256 is counted with the most that a
    single one of them can have made: their risk is overstated rather than understated.

    Raises
    ------
    DatasetError
        If trips are not ranked within a person over the whole period.

    Examples
    --------
    >>> from engine import datasets
    >>> people = trips_per_person(datasets.load("demo-city"))
    >>> sum(people.values()), people[0] + people[1]
    (50000, 15074)
    """
    if not (dataset.has_trips_by_person and dataset.metadata.trips_have_people):
        raise DatasetError(
            f"dataset '{dataset.id}' does not rank trips within a person over the whole period; "
            "trips per person cannot be told"
        )
    trips = dataset.trips_by_person.summed(range(len(dataset.metadata.periods)))
    at_least = np.bincount(trips.rank, weights=trips.n, minlength=MAX_TRIPS_LIMIT + 2)
    beyond = int(at_least[MAX_TRIPS_LIMIT + 1])
    ranked = at_least[1 : MAX_TRIPS_LIMIT + 1].astype(np.int64).tolist()
    people = {rank: more - most for rank, (more, most) in enumerate(pairwise(ranked), 1)}
    people[MAX_TRIPS_LIMIT + beyond] = ranked[-1]
    without = (dataset.metadata.people_public or 0) - ranked[0]
    return {count: n for count, n in {0: max(without, 0), **people}.items() if n}


def quantiles(people: Mapping[int, int]) -> tuple[int, float, int]:
    """Return the 5% point, the mean and the 95% point of a histogram of people (P2, Table 1).

    A point is the least number of trips that at least that share of people do not exceed.

    Examples
    --------
    >>> quantiles({0: 10, 1: 80, 7: 10})
    (0, 1.5, 7)
    """
    counts = sorted(count for count in people if people[count])
    if not counts:
        raise ParameterError(f"people must be at least one, got none; give {_MEMBER}")
    below = np.cumsum([people[count] for count in counts])
    low, high = (counts[int(np.searchsorted(below, s * below[-1] - 1e-9))] for s in (0.05, 0.95))
    return low, sum(count * people[count] for count in counts) / int(below[-1]), high
