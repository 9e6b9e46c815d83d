"""People by zone: what the epidemic spreads among, and whether it is confidential itself."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import validation
from ..arrays import Floats
from ..datasets import Dataset
from ..errors import DatasetError, InputError, ParameterError
from ..resolution import InhabitedDataset
from .places import zone_ids

LEAST_PRIVATE_POPULATION = 1.0
"""A noisy population below one person is taken as one, so that prevalence stays defined."""


@dataclass(frozen=True, eq=False)
class Populations:
    """People by zone.

    Attributes
    ----------
    counts : array, shape (zones,)
        People, above 0, in the order of the dataset's zones.
    confidential : bool
        Whether they were counted from the same people: a private run then adds Lap(1/ε) to each
        (P2, "Empirical Simulations"). Public figures, such as a census, take no noise.
    source : str
        Where they come from, in words for a person.
    """

    counts: Floats
    confidential: bool
    source: str


def home_populations(dataset: Dataset) -> Populations:
    """Return the people by home zone that the dataset holds.

    Raises
    ------
    DatasetError
        If the dataset tells no homes, or a zone has none.

    Examples
    --------
    >>> from engine import datasets
    >>> int(home_populations(datasets.load("afghanistan-2020")).counts.sum())
    7120000
    """
    homes = dataset.homes
    remedy = "give a table of populations (zone_id, population) or one number for every zone"
    left_out = dataset.left_out if isinstance(dataset, InhabitedDataset) else 0
    if homes is None:
        raise DatasetError(
            f"an epidemic needs people by zone, and dataset '{dataset.id}' holds no homes",
            remedy=remedy,
            settings=("populations",),
        )
    if empty := empty_zones(dataset):
        raise DatasetError(
            "every zone needs a population above 0, and in dataset "
            f"'{dataset.id}' nobody lives in {empty} of {len(homes)} zones",
            remedy=f"leave them out with their trips, or {remedy}",
            settings=("populations",),
        )
    source = "homes in the same data"
    if left_out:
        source += f", without the {left_out:,} zones in which nobody lives and the trips to them"
    return Populations(counts=homes.astype(np.float64), confidential=True, source=source)


def empty_zones(dataset: Dataset) -> int:
    """Return in how many zones nobody lives; 0 where the dataset tells no homes.

    Examples
    --------
    >>> from engine import datasets
    >>> empty_zones(datasets.load("afghanistan-2020"))
    0
    """
    homes = dataset.homes
    return 0 if homes is None else int((homes <= 0).sum())


def given_populations(
    dataset: Dataset, people: Mapping[str, Any] | float, *, confidential: bool = False
) -> Populations:
    """Return populations that a person gives: a table by zone, or one number for every zone.

    Parameters
    ----------
    people : mapping of zone id to number, or number
        Above 0 and finite; a table may name zones that the dataset does not have.
    confidential : bool
        Whether a private run must protect them as well.

    Raises
    ------
    ParameterError
        If zones of the dataset are missing from the table, or a number is NaN, infinite, 0 or
        below.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city")
    >>> given_populations(demo, 500).counts[:2]
    array([500., 500.])
    """
    remedy = "count at least one person, or leave the zone out of the dataset"
    if not isinstance(people, Mapping):
        constant = validation.finite_above("population", people, 0, remedy)
        return Populations(
            counts=np.full(len(dataset.zones), constant),
            confidential=confidential,
            source=f"{constant:,.0f} people assumed in every zone",
        )
    ids = zone_ids(dataset)
    if missing := [zone for zone in ids if zone not in people]:
        raise ParameterError(
            "a table of populations must name every zone of the dataset",
            value=f"none for {len(missing)} of {len(ids)} zones, the first '{missing[0]}'",
            remedy="add a row for each with the zone_id that the dataset uses",
            settings=("populations",),
        )
    counts = [
        validation.finite_above(f"population of zone '{zone}'", people[zone], 0, remedy)
        for zone in ids
    ]
    return Populations(
        counts=np.array(counts), confidential=confidential, source="a table that was given"
    )


def read_populations(text: str) -> dict[str, float]:
    r"""Return the table of populations in a CSV file with the columns zone_id and population.

    Raises
    ------
    InputError
        If a column is missing, a zone stands twice or a population is no number. The message
        counts rows and quotes none.

    Examples
    --------
    >>> read_populations("zone_id,population\nnorth,1200\nsouth,800")
    {'north': 1200.0, 'south': 800.0}
    """
    rows = csv.DictReader(text.lstrip("\ufeff").splitlines())
    names = [name.strip() for name in rows.fieldnames or []]
    remedy = "write one row for each zone, such as zone_id,population"
    if not {"zone_id", "population"} <= set(names):
        raise InputError(
            "a table of populations needs the columns zone_id and population",
            value=f"{len(names)} columns without them",
            remedy=remedy,
            settings=("populations",),
        )
    people: dict[str, float] = {}
    bad = double = 0
    for row in rows:
        values = {name.strip(): value for name, value in row.items() if isinstance(value, str)}
        zone = values.get("zone_id", "").strip()
        double += zone in people
        try:
            people[zone] = float(values.get("population", "").replace(",", ""))
        except ValueError:
            bad += 1
    if bad or double:
        raise InputError(
            "every zone of a table of populations needs one number",
            value=f"{bad} rows without a number and {double} zones named twice",
            remedy=remedy,
            settings=("populations",),
        )
    return people


def expected_private(counts: Floats, scale: float) -> Floats:
    """Return E[max(N + Lap(scale), 1)] for populations N of any size."""
    # E[(1 − N − η)⁺] for Laplace η; the branch whose exponent is at most 0 never overflows
    gap = counts - LEAST_PRIVATE_POPULATION
    lift = scale / 2 * np.exp(-np.abs(gap) / scale)
    return counts + lift + np.maximum(-gap, 0.0)
