"""Trips per person: the factor on ε that protection of single trips leaves (P2, Table 1)."""

import numpy as np

from ..datasets import Dataset
from ..errors import DatasetError


def trips_per_person(dataset: Dataset) -> tuple[float, int]:
    """Return the mean and 95% quantile of trips per person over the whole period; confidential.

    A person has a trip of rank r if they made at least r. People without trips count if their
    number is public. Raises `DatasetError` without trips ranked by person.

    >>> from engine import datasets
    >>> mean, most = trips_per_person(datasets.load("demo-city"))
    >>> round(mean, 2), most
    (7.73, 29)
    """
    if not (dataset.has_person_ranks and dataset.metadata.trips_have_people):
        raise DatasetError(
            f"dataset '{dataset.id}' does not rank trips within a person over the whole period",
            remedy="build it again from rows with people",
        )
    trips = dataset.trips_by_person.sum_days(range(len(dataset.metadata.periods)))
    # people with so many trips or more
    at_least = np.bincount(trips.rank, weights=trips.trip_count)[1:]
    people = max(dataset.metadata.people_public or 0, int(at_least[0]) if len(at_least) else 0)
    if not people:
        raise DatasetError(f"dataset '{dataset.id}' has no trip of a person")
    upper_trips = int(np.searchsorted(-at_least, -0.05 * people + 1e-9))
    return float(at_least.sum()) / people, upper_trips
