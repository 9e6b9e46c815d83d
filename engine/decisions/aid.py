"""Aid after a shock: the people who leave an affected area, and their destinations (P2, Table 3).

The total's mean follows from the exact distribution of the cells; the first k
destinations are evaluated by draws. Table S3 sets T to percentiles of the daily trips (erratum O4),
and its figures are not Algorithm 1's (erratum E2: see ``docs/flows.md``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import origin_destination as od, validation
from ..arrays import Floats, Integers
from ..contract import draw_generators
from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..metrics import mean_of_finite
from ..origin_destination import NoiseDistribution
from ..origin_destination.matrices import Days, day_indices, truncated_counts, truncated_matrices
from ..origin_destination.noise_distribution import bias_and_variance
from ..parameters import ODParameters
from .epidemic import add_noise_and_suppress, standard_laplace
from .rules import first_zones, top_k_overlap, zone_positions


@dataclass(frozen=True, kw_only=True)
class Shock:
    """An affected area and the days on which people leave it: positions, ascending."""

    zones: tuple[int, ...]
    days: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Outflow:
    """Trips out of an affected area (confidential).

    `true_trips` and `truncated_trips`, shape (days, area, destinations), lead from each affected
    zone to each zone outside. `destinations`, shape (destinations,), are positions of the zones
    outside, ascending. `internal_trips`, shape (days,), are true trips within the area, which are
    not counted.
    """

    true_trips: Floats
    truncated_trips: Floats
    destinations: Integers
    internal_trips: Floats


@dataclass(frozen=True, kw_only=True)
class ShockTotals:
    """Total out-migration by day, shape (days,), by the distribution of the released flows.

    `expected_total` is trips out of the area expected in a release. `causes` add up to its bias:
    trips beyond T (``trimming``), counts below τ without noise (``suppression``), ``noise`` in
    cells with true trips, ``phantoms`` elsewhere.
    """

    expected_total: Floats
    causes: dict[str, Floats]


def load_shock(
    dataset: Dataset, zone_ids: Sequence[str] | None = None, *, days: Days = None
) -> Shock:
    """Return the affected area and its days, as given or described, else the first seven days."""
    described: Mapping[str, Any] = dataset.metadata.scenario.get("shock", {})
    if zone_ids is None:
        zone_ids = described.get("zone_ids")
        if not zone_ids:
            need = f"choose an affected area: dataset '{dataset.id}' defines none"
            raise DatasetError(need, remedy="choose one or more zones")
    area = zone_positions(dataset, zone_ids, "zone_ids")
    if len(area) == len(dataset.zones):
        rule, value = "zone_ids must leave at least one destination zone", f"all {len(area)}"
        raise ParameterError(rule, value=value, remedy="choose fewer")
    if days is None:
        first = 0
        if "first_day" in described:
            first = (date.fromisoformat(described["first_day"]) - dataset.metadata.first_day).days
        days = slice(first, first + int(described.get("days", 7)))
    return Shock(zones=tuple(sorted(area)), days=day_indices(dataset, days))


def count_outflow(dataset: Dataset, event: Shock, settings: ODParameters) -> Outflow:
    """Return the trips out of the affected area, true and truncated to T (confidential)."""
    area, days = np.array(event.zones), np.arange(len(event.days))
    outside = np.setdiff1d(np.arange(len(dataset.zones)), area)
    true = truncated_counts(dataset, "trip", 1, event.days)
    truncated = truncated_matrices(dataset, settings, days=event.days)
    leaving = np.ix_(days, area, outside)
    return Outflow(
        true_trips=true[leaving].astype(np.float64),
        truncated_trips=truncated[leaving].astype(np.float64),
        destinations=outside,
        internal_trips=true[np.ix_(days, area, area)].sum(axis=(1, 2), dtype=np.float64),
    )


def compute_shock_totals(leaving: Outflow, settings: ODParameters) -> ShockTotals:
    """Return the total out-migration by day in a release, and the causes of its bias.

    Their method `has_flow_distribution`; unit and T are those of `leaving`.
    """
    law = NoiseDistribution(1 / settings.noise_scale)
    counts = leaving.true_trips, leaving.truncated_trips
    true, truncated = (trips.reshape(len(trips), -1) for trips in counts)
    without_noise = np.where(truncated >= settings.min_shown_count, truncated, 0.0)
    bias, _ = bias_and_variance(law, truncated, settings.suppression_threshold)
    shifted = truncated + bias
    return ShockTotals(
        expected_total=shifted.sum(axis=1),
        causes={
            "trimming": (truncated - true).sum(axis=1),
            "suppression": (without_noise - truncated).sum(axis=1),
            "noise": np.where(true > 0, shifted - without_noise, 0.0).sum(axis=1),
            "phantoms": np.where(true == 0, shifted, 0.0).sum(axis=1),
        },
    )


class AidDraws(NamedTuple):
    """Drawn releases of the trips out of an affected area.

    `totals`, shape (settings, draws), are of all days together; `overlap`, shape (settings, draws,
    max_k), is the share of the true first k = 1 … max_k that are selected, mean over days, NaN
    where nobody left; `targeting_rate`, shape (settings, destinations), the share of draws in which
    a destination is among the first k; `shortfall_rate`, shape (settings,), the share with fewer
    than k destinations above 0.
    """

    totals: Floats
    overlap: Floats
    targeting_rate: Floats
    shortfall_rate: Floats


def score_each_zone(true: Floats, released: Floats, k: int) -> tuple[Floats, Floats]:
    """Return what one release says of each zone as an affected area by itself.

    `true` and `released` have shape (days, zones, zones). Returned are the released trips out of
    each zone over all days, and the share of its true first `k` destinations that are selected,
    mean over days, NaN where nobody left; both of shape (zones,).
    """
    crosses = ~np.eye(true.shape[-1], dtype=bool)
    true, released = true * crosses, released * crosses
    overlaps = top_k_overlap(true, released, k)[..., k - 1]
    return released.sum(axis=(0, 2)), np.array([mean_of_finite(days) for days in overlaps.T])


def simulate_private_aid(
    dataset: Dataset,
    event: Shock,
    settings: Sequence[ODParameters],
    draws: int,
    k: int = 3,
    *,
    rng: np.random.Generator,
) -> AidDraws:
    """Return draws under several settings, with common noise and the first k destinations of each.

    All settings have the same method, unit and T; `k` destinations are helped a day. Draw i of a
    longer run equals draw i of a shorter one.
    """
    leaving = count_outflow(dataset, event, settings[0])
    truncated, true = leaving.truncated_trips, leaving.true_trips.sum(axis=1)
    shape = truncated.shape
    draw_count = validation.check_whole_number("draws", draws, 1, remedy="100 is usual")
    remedy = "the area leaves that many destinations; P2 uses 3"
    helped = validation.check_whole_number("k", k, 1, shape[2], remedy=remedy)
    rank_count = min(shape[2], max(helped, 20))
    numbered = draw_generators(rng)
    totals = np.empty((len(settings), draw_count))
    overlap = np.empty((len(settings), draw_count, rank_count))
    targeting, shortfall = np.zeros((len(settings), shape[2])), np.zeros(len(settings))
    pair, room = np.empty((2, *shape), np.float32), np.empty(shape, np.float32)
    standard, released = np.empty(shape, np.float32), np.empty(shape)
    cells = np.ix_(np.array(event.zones), leaving.destinations)
    is_by_flow = od.METHODS[settings[0].method].has_flow_distribution
    for done in range(draw_count):
        generator = numbered(done)
        noises = list[Floats]()
        if is_by_flow:
            standard_laplace(generator, pair, out=standard)
        else:
            draw_noise = partial(od.draw_noise, dataset, settings[0], rng=generator)
            noises = [draw_noise(days=(day,)) for day in event.days]
        for row, parameters in enumerate(settings):
            if is_by_flow:
                add_noise_and_suppress(truncated, standard, parameters, room=room, out=released)
            else:
                for place, (day, noise) in enumerate(zip(event.days, noises, strict=True)):
                    matrix = od.release(dataset, parameters, noise=noise, days=(day,)).counts[0]
                    released[place] = matrix[cells]
            by_destination = released.sum(axis=1)
            totals[row, done] = by_destination.sum()
            overlaps = top_k_overlap(true, by_destination, rank_count)
            overlap[row, done] = [mean_of_finite(of_days) for of_days in overlaps.T]
            first = first_zones(by_destination, helped)
            targeting[row] += first.mean(axis=0)
            shortfall[row] += (first.sum(axis=1) < helped).mean()
    return AidDraws(
        totals=totals,
        overlap=overlap,
        targeting_rate=targeting / draw_count,
        shortfall_rate=shortfall / draw_count,
    )
