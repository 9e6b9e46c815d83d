"""How many trips people make."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..parameters import MAX_TRIPS_LIMIT

_MEMBER = "people by their number of trips, such as {0: 10, 1: 25}"


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
