"""Requirements on a release, and the zones, times and unit of privacy that are evaluated for it."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from .. import validation
from ..contract import Aggregation, Selection, TimeSelection
from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..origin_destination.noise_bounds import cell_half_width
from ..resolution import FINEST, ZoneLevel, suggested_clusters, zone_labels, zone_levels

ProtectedUnit = Literal["person-day", "person"]
"""Unit of privacy: a person's day, or a person over the whole period."""

Product = Literal["flows", "density"]
"""What is released: matrices of trips between zones, or visits by zone and hour of the week."""


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """Zones, time, product and protection that a release must have, or `ParameterError`.

    `unit` is the weakest accepted unit of privacy; a density always protects a person.
    `suppression_threshold` is τ, fixed by policy: a recommendation uses it, and only the
    alternative ``threshold`` drops it.
    """

    selection: Selection
    unit: ProtectedUnit = "person-day"
    product: Product = "flows"
    suppression_threshold: int = 15

    def __post_init__(self) -> None:
        remedy = "'person' protects most"
        validation.check_one_of("unit", self.unit, get_args(ProtectedUnit), remedy)
        remedy = "'flows' are trips between zones"
        validation.check_one_of("product", self.product, get_args(Product), remedy)
        name, remedy = "suppression_threshold", "15 as in Kohli et al. 2024"
        validation.check_whole_number(name, self.suppression_threshold, 0, remedy=remedy)

    def selection_at(self, zone_level: str, aggregation: Aggregation) -> Selection:
        """Return the selection at another zone level and aggregation."""
        time = replace(self.selection.time, aggregation=aggregation)
        return replace(self.selection, zone_level=zone_level, time=time)


def list_zone_levels(dataset: Dataset, required: str = FINEST) -> tuple[ZoneLevel, ...]:
    """Return the evaluated zone levels, coarsest first: the dataset's, clusters, and `required`."""
    zone_counts = {level.name: level.zone_count for level in zone_levels(dataset.zones)}
    clusters = {100, 30, 10} & {*suggested_clusters(len(dataset.zones))}
    zone_counts |= {f"clusters-{k}": k for k in clusters if k not in zone_counts.values()}
    if required not in zone_counts:
        zone_counts[required] = len(zone_labels(dataset.zones, required)[1])
    levels = sorted(zone_counts.items(), key=lambda level: level[1])
    return tuple(ZoneLevel(*level) for level in levels)


def list_aggregations(time: TimeSelection, day_count: int) -> tuple[Aggregation, ...]:
    """Return the evaluated aggregations, longest first, of a dataset of `day_count` days."""
    aggregations: tuple[Aggregation, ...] = ("whole", "week", "day")
    return tuple(
        aggregation
        for aggregation in aggregations
        if aggregation in ("whole", time.aggregation)
        or len(replace(time, aggregation=aggregation).days_per_matrix(day_count)) > 1
    )


def evaluated_unit(dataset: Dataset, aggregation: Aggregation) -> ProtectedUnit:
    """Return the unit of privacy at an aggregation: a person if one matrix adds up all days.

    At equal risk a person's day would then give hardly more utility. A person's day is the unit of
    several matrices, where a person would need T over all days, and of datasets without
    `Dataset.has_person_ranks`: positions of each trip in its person's random order of all days.
    """
    is_whole = aggregation == "whole" or dataset.metadata.people_once
    return "person" if is_whole and dataset.has_person_ranks else "person-day"


def check_requirements(dataset: Dataset, requirements: Requirements) -> None:
    """Raise `DatasetError` or `ParameterError` if no setting can meet the requirements."""
    name, aggregation = f"dataset '{dataset.id}'", requirements.selection.time.aggregation
    rule = remedy = ""
    if requirements.product == "density":
        if not dataset.has_density:
            rule = "no visits, so a density cannot be evaluated"
            remedy = "choose a dataset with visits, or read flows"
    elif not dataset.has_trips:
        rule = "no trips, so flows cannot be evaluated"
        remedy = "choose a dataset with trips, or read the density"
    elif not dataset.metadata.trips_have_people:
        rule = "trips that do not name their person, so none is protected"
        bars = (f"± {cell_half_width(epsilon)} trips at ε = {epsilon:g}" for epsilon in (0.1, 1.0))
        remedy = "choose a dataset whose trips name their person, or release single trips (unit "
        remedy += f"trip, T = 1). Then the 95% error bar of one flow is {' and '.join(bars)}"
    elif requirements.unit == "person" and not dataset.has_person_ranks:
        rule = "no position of each trip in its person's order of all days, by which "
        rule += "unit='person' counts T trips"
        remedy = "choose unit='person-day', or ingest the raw files again"
    elif requirements.unit == "person" and aggregation != "whole":
        rule = (
            "aggregation must be 'whole' for unit='person', which is evaluated for one matrix only"
        )
        remedy = "choose aggregation='whole', or unit='person-day'"
        raise ParameterError(rule, value=repr(aggregation), remedy=remedy)
    if rule:
        raise DatasetError(f"{name} has {rule}", remedy=remedy)
