"""Whether stated trips are enough to read single flows, from public facts alone."""

import math
from dataclasses import replace

from .contract import Aggregation, Setting
from .datasets import Dataset
from .parameters import ODParameters
from .resolution import suggested_clusters, zone_levels

MIN_SIGNAL = 0.07
"""Stated trips per flow × ε/T below which hardly any single flow can be read (docs/flows.md)."""


def describe_weak_signal(
    setting: Setting, dataset: Dataset, zones: int, trips: float | None
) -> str:
    """Return what lifts too little signal for single flows; empty if enough, or no trips stated.

    `trips` is the public number of trips made in the setting's days, between `zones` zones; no
    count is read. Of n zones, the mean error of a sum of n − 1 noisy flows is √((n − 1)/π) times
    that of a total with half of ε.
    """
    parameters, time = setting.parameters, setting.time
    if trips is None or zones < 2 or not isinstance(parameters, ODParameters):
        return ""

    def signal(zone_count: int, aggregation: Aggregation) -> float:
        days = replace(time, aggregation=aggregation).days_per_matrix(len(dataset.metadata.days))
        flows = len(days) * zone_count * (zone_count - 1)
        return trips / flows * parameters.epsilon / parameters.max_trips_per_user

    current = signal(zones, time.aggregation)
    if current >= MIN_SIGNAL:
        return ""
    usual = (level.zone_count for level in zone_levels(dataset.zones) if level.zone_count < zones)
    levels = sorted({*usual, *suggested_clusters(zones)}, reverse=True)
    coarser = [
        f"{n} zones, if most trips cross them"
        for n in levels
        if n > 1 and signal(n, time.aggregation) >= MIN_SIGNAL
    ]
    times: dict[Aggregation, str] = {"week": "one matrix a week", "whole": "one matrix in all"}
    is_fixed = time.compared_days is not None
    longer = [times[name] for name in times if not is_fixed and signal(zones, name) >= MIN_SIGNAL]
    remedy = f"Enough are {'; or '.join([*coarser[:1], *longer[:1]])}."
    if not (coarser or longer):
        remedy = "Coarser zones or a longer time alone are not enough: take both, or a larger ε."
    text = (
        f"Too little signal for single flows. Stated are {trips:,.0f} trips: per flow and times "
        f"ε/T that is {min(current, 0.99 * MIN_SIGNAL):.2g}. Below {MIN_SIGNAL} no method reads "
        f"more than a few single flows. {remedy}"
    )
    if (ratio := math.sqrt((zones - 1) / math.pi)) > 1:
        text += f" Totals by zone, released alone, would be {ratio:.1f} times as exact as sums of "
        text += "noisy flows."
    return text
