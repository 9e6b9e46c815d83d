"""What a person needs, stated before any setting is judged: zones, time, protection, reading."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from .. import validation
from ..contract import Seen, Step, When
from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..resolution import FINEST, ZoneLevel, labels_of, suggested_clusters, zone_levels

Protected = Literal["person-day", "person"]
"""All of a person on one day, or over the whole period, which is more."""

Read = Literal["flows", "density"]

CLUSTERS = (100, 30, 10)
"""Numbers of clusters that are judged beside the levels that a dataset names."""


@dataclass(frozen=True, kw_only=True)
class Need:
    """What is asked of a release.

    Parameters
    ----------
    seen : Seen
        The dataset, its zones, the days, and how long one matrix of flows collects.
    unit : str
        The least that is protected: ``person-day`` or ``person``. A density protects a person.
    read : str
        ``flows`` or ``density``.
    threshold : int
        τ, a policy and no lever of use: what is recommended keeps it.

    Raises
    ------
    ParameterError
        If one of them is none of these.
    """

    seen: Seen
    unit: Protected = "person-day"
    read: Read = "flows"
    threshold: int = 15

    def __post_init__(self) -> None:
        validation.one_of("unit", self.unit, get_args(Protected), "'person' protects most")
        validation.one_of("read", self.read, get_args(Read), "'flows' are trips between zones")
        validation.whole_number("threshold", self.threshold, 0, remedy="15 is usual")

    def look(self, zones: str, step: Step) -> Seen:
        """Return the same dataset and days at a level of zones and a step."""
        return replace(self.seen, zones=zones, when=replace(self.seen.when, step=step))


def levels(dataset: Dataset, asked: str = FINEST) -> tuple[ZoneLevel, ...]:
    """Return the levels of zones that are judged, coarsest first, with the one asked for."""
    known = {one.name: one.zones for one in zone_levels(dataset.zones)}
    clusters = [k for k in suggested_clusters(len(dataset.zones)) if k in CLUSTERS]
    known |= {f"clusters-{k}": k for k in clusters if k not in known.values()}
    if asked not in known:
        known[asked] = len(labels_of(dataset.zones, asked)[1])
    return tuple(ZoneLevel(*one) for one in sorted(known.items(), key=lambda one: one[1]))


def steps(when: When, days: int) -> dict[Step, int]:
    """Return the steps that differ over the days that are seen, longest first, with matrices."""
    every: tuple[Step, ...] = ("whole", "week", "day")
    known: dict[Step, int] = {step: len(replace(when, step=step).lengths(days)) for step in every}
    return {step: n for step, n in known.items() if step in ("whole", when.step) or n > 1}


def protected(dataset: Dataset, step: Step) -> Protected:
    """Return what is protected at a step: a person by one matrix of the whole period only.

    There a person's day would be protected less for hardly more use.
    """
    return "person" if step == "whole" and dataset.has_trips_by_person else "person-day"


def check(dataset: Dataset, need: Need) -> None:
    """Raise what a dataset lacks, or why nothing can meet the need."""
    if need.read == "density":
        if not dataset.has_density:
            raise DatasetError(
                f"dataset '{dataset.id}' has no visits, so a density cannot be judged; choose a "
                "dataset with visits, or read='flows'"
            )
        return
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
    if need.unit == "person-day":
        return
    if not dataset.has_trips_by_person:
        raise DatasetError(
            f"dataset '{dataset.id}' does not rank trips within a person over the whole period, "
            "so unit='person' cannot be met; choose unit='person-day', or build it again"
        )
    step = need.seen.when.step
    if step != "whole":
        raise ParameterError(
            f"no setting meets the need: unit='person' with a matrix for every {step}; a person is "
            "protected over the whole period by one matrix only: choose the whole period or "
            "unit='person-day'"
        )
