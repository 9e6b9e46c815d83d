"""What the person needs, stated before any setting is judged: time, zones, protection, reading."""

from dataclasses import dataclass
from typing import Literal, get_args

from .. import validation
from ..contract import Step, When
from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..resolution import ZoneLevel, judged_levels, judged_steps, labels_of
from ..resolution.views import groups_of

Protected = Literal["person-day", "person"]
"""The least that is protected: all of a person on one day, or over the whole period."""

Read = Literal["flows", "zones", "density"]
"""What must be read: flows between zones; how busy zones are, by blocks of hours; by every hour."""

MOST_ZONES = 100_000


@dataclass(frozen=True, kw_only=True)
class Need:
    """What a release must at least offer to be a candidate.

    Parameters
    ----------
    time : str
        The longest span of one matrix that is enough: ``day``, ``week`` or ``period``.
    zones : int or str
        The least number of zones, or the name of a level that is fine enough.
    unit : str
        The least that is protected. A person is more than a person's day.
    read : str
        One of `Read`. Time concerns flows only.

    Raises
    ------
    ParameterError
        If one of them is none of these.

    Examples
    --------
    >>> Need(time="whole", zones=30, unit="person").read
    'flows'
    """

    time: Step = "day"
    zones: int | str = 1
    unit: Protected = "person-day"
    read: Read = "flows"

    def __post_init__(self) -> None:
        validation.one_of("time", self.time, get_args(Step), "'whole' is the whole period")
        validation.one_of("unit", self.unit, get_args(Protected), "'person' protects most")
        validation.one_of("read", self.read, get_args(Read), "'flows' are trips between zones")
        if not isinstance(self.zones, str):
            validation.whole_number(
                "zones", self.zones, 1, MOST_ZONES, remedy="30 asks for at least 30 zones"
            )

    def least_zones(self, dataset: Dataset) -> int:
        """Return the least number of zones of `dataset` that meets the need.

        Raises
        ------
        ParameterError
            If the dataset has no such level, or not as many zones.
        """
        if isinstance(self.zones, str):
            return len(labels_of(dataset.zones, self.zones)[1])
        most = len(dataset.zones)
        if self.zones > most:
            raise ParameterError(
                f"zones must be at most {most}, the zones of '{dataset.id}', got {self.zones}; "
                "no setting makes zones finer than they were ingested"
            )
        return self.zones

    def least_matrices(self, dataset: Dataset) -> int:
        """Return into how many matrices the declared period must at least be cut."""
        return len(groups_of(range(len(dataset.metadata.days)), When(step=self.time)))


@dataclass(frozen=True)
class Span:
    """A span of time and what may be released of it.

    Attributes
    ----------
    matrices : int
        Into how many the declared period is cut.
    units : tuple of str
        A person is protected by one matrix of the whole period only: nothing else is released.
    """

    time: Step
    matrices: int
    units: tuple[Protected, ...]


def spans(dataset: Dataset) -> tuple[Span, ...]:
    """Return the spans of a dataset of trips and the units of each, longest first.

    Raises
    ------
    DatasetError
        If it has no trips, or none of people.

    Examples
    --------
    >>> from engine import datasets
    >>> [(span.time, span.units) for span in spans(datasets.load("demo-city"))]
    [('whole', ('person', 'person-day')), ('day', ('person-day',))]
    """
    if not dataset.has_trips:
        raise DatasetError(
            f"dataset '{dataset.id}' has no trips, so flows cannot be judged; choose a dataset "
            "with trips, or read='density'"
        )
    if not dataset.metadata.trips_have_people:
        raise DatasetError(
            f"dataset '{dataset.id}' holds flows without people: no setting protects a person or "
            "a person's day, only single trips; choose a dataset whose trips name their person"
        )
    known: list[Span] = []
    for time in reversed(judged_steps(dataset)):
        whole = time == "whole" and dataset.has_trips_by_person
        units: tuple[Protected, ...] = ("person", "person-day") if whole else ("person-day",)
        matrices = len(groups_of(range(len(dataset.metadata.days)), When(step=time)))
        known.append(Span(time, matrices, units))
    return tuple(known)


def levels(dataset: Dataset) -> tuple[ZoneLevel, ...]:
    """Return the levels of zones that are judged, coarsest first."""
    return judged_levels(dataset)[::-1]
