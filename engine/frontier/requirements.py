"""What a person needs, stated before any setting is judged: zones, time, protection, reading."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from .. import validation
from ..contract import Aggregation, Selection, TimeSelection
from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..resolution import FINEST, ZoneLevel, suggested_clusters, zone_labels, zone_levels

ProtectedUnit = Literal["person-day", "person"]
"""All of a person on one day, or over the whole period, which is more."""

Product = Literal["flows", "density"]

CLUSTER_COUNTS = (100, 30, 10)
"""Numbers of clusters that are judged beside the levels that a dataset names."""


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """What is asked of a release.

    `seen` names the dataset, its zones, the days, and how long one matrix of flows collects; `unit`
    is the least that is protected (a density protects a person); `threshold` is τ, a policy and no
    lever of use: what is recommended keeps it. `ParameterError` where one of them is none of these.
    """

    selection: Selection
    unit: ProtectedUnit = "person-day"
    product: Product = "flows"
    threshold: int = 15

    def __post_init__(self) -> None:
        validation.check_one_of(
            "unit", self.unit, get_args(ProtectedUnit), "'person' protects most"
        )
        validation.check_one_of(
            "read", self.product, get_args(Product), "'flows' are trips between zones"
        )
        validation.check_whole_number("threshold", self.threshold, 0, remedy="15 is usual")

    def selection_at(self, zones: str, step: Aggregation) -> Selection:
        """Return the same dataset and days at a level of zones and a step."""
        return replace(
            self.selection, zone_level=zones, time=replace(self.selection.time, aggregation=step)
        )


def list_zone_levels(dataset: Dataset, required: str = FINEST) -> tuple[ZoneLevel, ...]:
    """Return the levels of zones that are judged, coarsest first, with the one asked for."""
    zone_counts = {level.name: level.zone_count for level in zone_levels(dataset.zones)}
    clusters = [k for k in suggested_clusters(len(dataset.zones)) if k in CLUSTER_COUNTS]
    zone_counts |= {f"clusters-{k}": k for k in clusters if k not in zone_counts.values()}
    if required not in zone_counts:
        zone_counts[required] = len(zone_labels(dataset.zones, required)[1])
    return tuple(
        ZoneLevel(*level) for level in sorted(zone_counts.items(), key=lambda level: level[1])
    )


def list_aggregations(when: TimeSelection, days: int) -> dict[Aggregation, int]:
    """Return the steps that differ over the days that are seen, longest first, with matrices."""
    aggregations: tuple[Aggregation, ...] = ("whole", "week", "day")
    matrix_counts: dict[Aggregation, int] = {
        step: len(replace(when, aggregation=step).days_per_matrix(days)) for step in aggregations
    }
    return {
        step: n for step, n in matrix_counts.items() if step in ("whole", when.aggregation) or n > 1
    }


def protectable_unit(dataset: Dataset, step: Aggregation) -> ProtectedUnit:
    """Return what is protected at a step: a person by one matrix of the whole period only.

    There a person's day would be protected less for hardly more use.
    """
    return "person" if step == "whole" and dataset.has_trips_by_person else "person-day"


def check_requirements(dataset: Dataset, requirements: Requirements) -> None:
    """Raise what a dataset lacks, or why nothing can meet the need."""
    if requirements.product == "density":
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
    if requirements.unit == "person-day":
        return
    if not dataset.has_trips_by_person:
        raise DatasetError(
            f"dataset '{dataset.id}' does not rank trips within a person over the whole period, "
            "so unit='person' cannot be met; choose unit='person-day', or build it again"
        )
    step = requirements.selection.time.aggregation
    if step != "whole":
        raise ParameterError(
            f"no setting meets the need: unit='person' with a matrix for every {step}; a person is "
            "protected over the whole period by one matrix only: choose the whole period or "
            "unit='person-day'"
        )
