"""Requirements on a release: product, zones, time, unit of privacy and suppression threshold."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from .. import validation
from ..contract import Aggregation, Selection, TimeSelection
from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..resolution import FINEST, ZoneLevel, suggested_clusters, zone_labels, zone_levels

ProtectedUnit = Literal["person-day", "person"]
"""A person's day, or a person over the whole period."""

Product = Literal["flows", "density"]

CLUSTER_COUNTS = (100, 30, 10)
"""Numbers of clusters that are evaluated beside the dataset's own zone levels."""


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """What a release must provide; an invalid field raises `ParameterError`.

    `unit` is the least unit of privacy (a density protects a person). `threshold` is τ, a policy
    that every recommendation keeps.
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
        """Return the selection at another zone level and aggregation."""
        return replace(
            self.selection, zone_level=zones, time=replace(self.selection.time, aggregation=step)
        )


def list_zone_levels(dataset: Dataset, required: str = FINEST) -> tuple[ZoneLevel, ...]:
    """Return the evaluated zone levels, coarsest first; `required` is among them."""
    zone_counts = {level.name: level.zone_count for level in zone_levels(dataset.zones)}
    clusters = [k for k in suggested_clusters(len(dataset.zones)) if k in CLUSTER_COUNTS]
    zone_counts |= {f"clusters-{k}": k for k in clusters if k not in zone_counts.values()}
    if required not in zone_counts:
        zone_counts[required] = len(zone_labels(dataset.zones, required)[1])
    return tuple(
        ZoneLevel(*level) for level in sorted(zone_counts.items(), key=lambda level: level[1])
    )


def list_aggregations(when: TimeSelection, days: int) -> dict[Aggregation, int]:
    """Return the number of matrices of each distinct aggregation, longest first."""
    aggregations: tuple[Aggregation, ...] = ("whole", "week", "day")
    matrix_counts: dict[Aggregation, int] = {
        step: len(replace(when, aggregation=step).days_per_matrix(days)) for step in aggregations
    }
    return {
        step: n for step, n in matrix_counts.items() if step in ("whole", when.aggregation) or n > 1
    }


def protectable_unit(dataset: Dataset, step: Aggregation) -> ProtectedUnit:
    """Return the unit of privacy at an aggregation: a person if one matrix covers all days.

    In that case a person's day would be less protection for hardly more utility.
    """
    return "person" if step == "whole" and dataset.has_trips_by_person else "person-day"


def check_requirements(dataset: Dataset, requirements: Requirements) -> None:
    """Raise `DatasetError` or `ParameterError` if no setting can meet the requirements."""
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
