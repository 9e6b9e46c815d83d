"""What detail a release can carry: every level of zones and every span of time, judged alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .. import origin_destination as od, usability
from ..datasets import Dataset
from ..parameters import ODParameters
from ..steps import level_of
from ..usability import Flows
from .coarse import coarsen, period_starts
from .levels import Resolution, TimeStep, suggested_clusters, zone_levels

CLUSTERS = (100, 30, 10)
"""Numbers of clusters that are judged beside the levels that a dataset names."""


@dataclass(frozen=True, kw_only=True)
class Detail:
    """How usable a release is at one resolution.

    Attributes
    ----------
    zones : int
        How many it has.
    shares : tuple of float
        At each ε asked for: the share of all trips between its zones in usable flows, or of its
        zones with visits that are usable; NaN without any.
    usable : tuple of bool
        At each ε, whether the release counts as usable, by `engine.usability`.
    """

    resolution: Resolution
    zones: int
    shares: tuple[float, ...]
    usable: tuple[bool, ...]


def details(dataset: Dataset) -> tuple[tuple[str, int], ...]:
    """Return the levels of zones that are judged, finest first: name and number of zones.

    Examples
    --------
    >>> from engine import datasets
    >>> details(datasets.load("demo-city"))
    (('zones', 150), ('clusters-100', 100), ('clusters-30', 30), ('clusters-10', 10))
    """
    named = {level.name: level.zones for level in zone_levels(dataset.zones)}
    clusters = {f"clusters-{k}": k for k in suggested_clusters(len(dataset.zones)) if k in CLUSTERS}
    return tuple(sorted({**named, **clusters}.items(), key=lambda level: -level[1]))


def times(dataset: Dataset) -> tuple[TimeStep, ...]:
    """Return the spans of time that differ in a dataset of trips, shortest first.

    Examples
    --------
    >>> from engine import datasets
    >>> times(datasets.load("demo-city"))  # seven days: a week is the whole period
    ('day', 'period')
    """
    days = dataset.metadata.days
    steps: tuple[TimeStep, ...] = ("day", "week", "period")
    known: dict[int, TimeStep] = {}
    for step in steps:
        known[len(period_starts(days, step))] = step
    return tuple(known.values())


def trip_details(
    dataset: Dataset, parameters: ODParameters, epsilons: Sequence[float]
) -> Iterator[Detail]:
    """Judge one matrix of trips at every detail, exactly; no noise is drawn.

    Parameters
    ----------
    dataset : Dataset
        As it was ingested.
    parameters : ODParameters
        Its ε plays no part. At unit ``person`` the whole period is the only span of time.
    epsilons : sequence of float

    Yields
    ------
    Detail
        Finest zones first, for each the shortest time first. The first matrix is judged.

    Examples
    --------
    >>> from engine import datasets
    >>> details = trip_details(datasets.load("demo-city"), ODParameters(epsilon=1.0), [1.0])
    >>> next(details).resolution.text
    'zones,day'
    """
    person = parameters.unit == "person"
    spans: tuple[TimeStep, ...] = ("period",) if person else times(dataset)
    for zones, count in details(dataset):
        for time in spans:
            resolution = Resolution(zones=zones, time=time)
            view = coarsen(dataset, resolution)
            kept = parameters.max_trips_per_user
            days = None if person else 0
            counted = od.histogram(view, parameters.unit, kept, days=days, sum_days=person)
            flows = Flows.of(counted)
            at = [replace(parameters, epsilon=epsilon) for epsilon in epsilons]
            shares = tuple(usability.usable_share(flows, one) for one in at)
            usable = tuple(level_of(share) == "good" for share in shares)
            yield Detail(resolution=resolution, zones=count, shares=shares, usable=usable)


def finest_usable(candidates: Sequence[Detail], at: int) -> Detail | None:
    """Return the detail with most zones that is usable at one of the ε, None where none is.

    Parameters
    ----------
    candidates : sequence of Detail
        Of one span of time.
    at : int
        Position of the ε.

    Examples
    --------
    >>> one, two = (
    ...     Detail(resolution=Resolution(zones=f"clusters-{k}"), zones=k, shares=(share,),
    ...            usable=(share > 0.5,)) for k, share in ((30, 0.2), (10, 0.8)))
    >>> finest_usable([one, two], 0).zones
    10
    """
    usable = [one for one in candidates if one.usable[at]]
    return max(usable, key=lambda one: one.zones, default=None)
