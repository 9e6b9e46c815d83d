"""Release of flows by Laplace with suppression or empirical Bayes, with noise from OpenDP.

A *flow* is an ordered pair of different zones; a *matrix* counts the trips of all flows in one day,
week or period. Counts are of at most T trips of each unit of privacy, which are chosen at full
detail and then added up to coarser zones and longer times. So one unit changes counts by at most T
in L₁. Only the noise step reads counts; estimates from noisy counts may use floats.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .. import origin_destination as od
from ..arrays import Booleans, Integers
from ..contract import Setting
from ..datasets import Dataset
from ..errors import ParameterError
from ..geography import centre_distances_m
from ..origin_destination import NoiseDistribution, change, empirical_bayes, noise_bounds
from ..origin_destination.matrices import require_unit, truncated_matrices
from ..parameters import ODParameters
from . import opendp_noise
from .bundle import escape_formulas, table_writer, write_table, write_zones, zone_points
from .flowmap import FlowSums, simultaneous_bar, write_flowmap
from .plan import ErrorBar, Progress, ReleasePlan, ReleaseStage, safe_scale
from .statement import render_words

_CELLS_PER_DRAW = 2**18  # drawn between two reports of progress: some seconds
_ESTIMATION_SHARE = 0.3  # of the running time of empirical Bayes; the rest draws noise


def plan(setting: Setting, view: Dataset) -> ReleasePlan:
    """Return the contents and cost of a release, from geometry and metadata alone."""
    parameters: ODParameters = setting.parameters
    require_unit(view, parameters.unit)
    unit, limit = parameters.unit, parameters.max_trips_per_user
    if view.metadata.people_once and (unit, limit) != ("person", 1):
        raise ParameterError(
            "each person counts once over the whole period in these flows",
            value=f"unit {unit!r} and T = {limit}",
            remedy="choose unit='person' and max_trips_per_user=1",
            settings=("unit", "max_trips"),
        )
    zones, matrices = len(view.zones), len(view.metadata.periods)
    is_estimated = parameters.method == "empirical_bayes"
    if zones < 2:
        rule = "a release of flows needs at least 2 zones"
        raise ParameterError(rule, value=f"{zones}", remedy="choose finer zones")
    stages = tuple(map(ReleaseStage.from_laplace, od.compute_cost(view, parameters).stages))
    scale, min_shown = stages[0].scale, parameters.min_shown_count
    flows = matrices * zones * (zones - 1)
    noise, bar = laplace_distribution(scale), noise_bounds.cell_half_width(1 / scale)
    flow_bars = [
        ErrorBar(
            quantity="a flow",
            truncated_count=count,
            half_width=bar,
            shown_probability=float(noise.upper_tail(min_shown - count)),
            coverage=coverage_where_shown(scale, bar, count, min_shown),
        )
        for count in (0, 1, 5, 10, 20, 50, 100, 1000)
    ]
    if is_estimated:
        flow_bars = [ErrorBar(quantity="a flow, as measured", half_width=bar)]
    total = "sum of trips out of one zone (or into it)"
    # how many flows are added up, and from how many such sums one is picked
    sums = {"a flow picked because it is large": (1, flows)}
    if is_estimated and matrices > 1:
        period = "period" if setting.time.compared_days else setting.time.aggregation
        sums[f"difference of one flow between two {period}s"] = (2, 1)
        sums[f"{total} in one {period}"] = (zones - 1, 1)
        sums[f"sum of all flows of one {period}"] = (zones * (zones - 1), 1)
    total += " over all released days"
    if view.metadata.people_once:
        total = "all people with home in a zone (or work in it)"
    sums[total] = (matrices * (zones - 1), 1)
    sums["the largest such sum of all zones"] = (matrices * (zones - 1), 2 * zones)
    suffix = ", as measured" * is_estimated
    sum_bars = [
        ErrorBar(quantity=f"{name}{suffix}", half_width=simultaneous_bar(scale, *counts))
        for name, counts in sums.items()
    ]
    # a flow by itself is detected if P(Z ≥ z) = e^(−z/scale)/(1 + e^(−1/scale)) ≤ 5%/flows
    detection_ratio = flows / (noise_bounds.FALSE_DETECTION_RATE * (1 + np.exp(-1 / scale)))
    threshold = max(int(np.ceil(scale * np.log(detection_ratio))), 1)
    return ReleasePlan.from_setting(
        setting,
        view,
        product="od-estimate" if is_estimated else "od",
        unit=parameters.unit,
        days=len(view.metadata.days),
        contribution_limit=parameters.max_trips_per_user,
        stages=stages,
        composition="basic composition" if len(stages) > 1 else "one mechanism",
        cell_count=flows + matrices * (len(stages) - 1),
        matrix_count=matrices,
        error_bars=(*flow_bars, *sum_bars),
        zone_total_bar=sum_bars[-2].half_width,
        trip_cost_divisor=_trip_cost_divisor(parameters, stages, matrices),
        min_shown_count=min_shown,
        mean_phantom_trips=0.0 if is_estimated else float(noise.partial_expectation(min_shown)),
        detection_threshold=threshold if is_estimated else 0,
    )


def laplace_distribution(scale: float) -> NoiseDistribution:
    """Return the distribution of discrete Laplace noise."""
    return NoiseDistribution(1 / scale, "discrete_laplace")


def coverage_where_shown(scale: float, bar: int, true_count: int, min_shown_count: int) -> float:
    """Return P(|noise| ≤ bar | true_count + noise ≥ min_shown_count), discrete Laplace noise."""
    noise, least_noise = laplace_distribution(scale), max(min_shown_count - true_count, -bar)
    if least_noise > bar:
        return 0.0
    covered = float(noise.upper_tail(least_noise) - noise.upper_tail(bar + 1))
    return covered / float(noise.upper_tail(min_shown_count - true_count))


def _trip_cost_divisor(
    parameters: ODParameters, stages: Sequence[ReleaseStage], matrices: int
) -> int | None:
    """Return T if one trip costs a budget per trip at most 2ε/T, else None.

    Empirical Bayes may have a second stage, the number of the next n trips beyond T of each unit,
    where n is its sensitivity. The stage exists only if n ≥ T/2. That suffices in a single matrix,
    where one trip changes the number by at most 1. In several matrices of a person it may change by
    2: then n ≥ T is needed. ``docs/release.md`` has the proof.
    """
    limit, beyond_stages = parameters.max_trips_per_user, stages[1:]
    if parameters.unit == "person" and matrices > 1 and beyond_stages:
        return limit if beyond_stages[0].sensitivity >= limit else None
    return None if parameters.unit == "trip" else limit


def load_counts(plan: ReleasePlan, view: Dataset) -> None:
    """Read each matrix and the zones' centres once; raise if the dataset lacks them."""
    for matrix_index in range(plan.matrix_count):
        truncated_matrices(view, plan.parameters, days=(matrix_index,))  # days: a view's matrices
    centre_distances_m(view.zones)


def write(plan: ReleasePlan, view: Dataset, folder: Path, progress: Progress) -> ReleasePlan:
    """Write flows, zones and flowmap tables from one draw; return the plan with its `scale_up`."""
    off_diagonal = ~np.eye(plan.zone_count, dtype=bool)
    ids = pa.array(escape_formulas(view.zones["zone_id"]))
    origins, destinations = (ids.take(pa.array(index)) for index in np.nonzero(off_diagonal))
    first_days, days = view.metadata.periods, view.metadata.days
    once = view.metadata.people_once
    last_day = view.metadata.last_day if once else days[-1]
    last_days = [*(days[days.index(first) - 1] for first in first_days[1:]), last_day]
    is_daily = plan.setting.time.aggregation == "day" and not once
    date_names = ("date",) if is_daily else ("period_from", "period_to")
    sums, last_two_matrices = FlowSums(len(origins)), list[Integers]()
    files = [folder / name for name in {"flows.parquet", plan.flows_file}]
    names, comment = escape_formulas(view.zones["name"]), render_words(plan, "recommended")[0]
    lon, lat = map(pa.array, zone_points(view.zones))
    zone_columns = {"": ids, "_name": pa.array(names), "_lat": lat, "_lon": lon}
    measurement = _measure(plan, view, off_diagonal, progress) if plan.has_estimates else None
    with (
        table_writer(*files, comment=comment) as write_flows,
        table_writer(folder / "flows_shown.csv") as write_shown,
    ):
        matrices = (
            _estimate_matrices(plan, view, off_diagonal, measurement, progress)
            if measurement
            else _draw_laplace(plan, view, off_diagonal, progress)
        )
        for matrix, first_day, last_day in zip(matrices, first_days, last_days, strict=True):
            sums.add(matrix.noisy_counts, matrix.is_shown, matrix.columns.get("trips", 0.0))
            last_two_matrices[:] = [*last_two_matrices[-1:], matrix.noisy_counts]
            dates = zip(date_names, (first_day, last_day), strict=False)
            date_columns = {name: pa.repeat(f"{day}", len(origins)) for name, day in dates}
            keys = {**date_columns, "origin": origins, "destination": destinations}
            write_flows({**keys, **matrix.columns})
            positions = np.flatnonzero(off_diagonal.ravel())[matrix.is_shown]
            zone_indices = np.divmod(positions, plan.zone_count)
            write_shown(_shown_flows(date_columns, zone_columns, zone_indices, matrix))
    _write_totals(plan, view, sums, off_diagonal, folder)
    if plan.compares_periods:
        _write_change(plan, last_two_matrices, ids, folder)
    write_flowmap(plan, view, folder / "flowmap", (origins, destinations), sums)
    scale_up = empirical_bayes.state_scale_up(measurement) if measurement else None
    return replace(plan, scale_up=scale_up)


def _shown_flows(
    date_columns: Mapping[str, pa.Array],
    zone_columns: Mapping[str, pa.Array],
    zone_indices: tuple[Integers, Integers],
    matrix: "_NoisyMatrix",
) -> dict[str, pa.Array]:
    """Return a matrix's rows of ``flows_shown.csv``; zones are of shown flows' both ends.

    `zone_columns` are by what follows ``origin`` or ``destination`` in a column's name.
    """
    columns = {name: dates[: len(zone_indices[0])] for name, dates in date_columns.items()}
    for end, indices in zip(("origin", "destination"), map(pa.array, zone_indices), strict=True):
        columns |= {f"{end}{suffix}": zones.take(indices) for suffix, zones in zone_columns.items()}
    shown_rows = pa.array(np.flatnonzero(matrix.is_shown))
    numbers = {name: column for name, column in matrix.columns.items() if name != "suppressed"}
    return columns | {name: pa.array(column).take(shown_rows) for name, column in numbers.items()}


def _write_totals(
    plan: ReleasePlan, view: Dataset, sums: FlowSums, off_diagonal: Booleans, folder: Path
) -> None:
    """Write zones; if the plan has sums, with noisy totals, and with estimates if it has any."""
    columns, bar = dict[str, Any](), int(plan.zone_total_bar)
    noisy_sums, estimates = np.zeros(off_diagonal.shape, np.int64), np.zeros(off_diagonal.shape)
    noisy_sums[off_diagonal], estimates[off_diagonal] = sums.noisy_sums, sums.estimate_sums
    for direction, axis in (("out", 1), ("in", 0)) if plan.has_sums else ():
        totals, name = noisy_sums.sum(axis=axis), f"{direction}_trips"
        if plan.has_estimates:
            columns[name] = np.rint(estimates.sum(axis=axis))
            name = f"{direction}_measured"
        columns |= {name: totals, f"{name}_low_95": totals - bar, f"{name}_high_95": totals + bar}
    write_zones(view.zones, columns, folder)


def _write_change(
    plan: ReleasePlan, noisy_matrices: Sequence[Integers], ids: pa.Array, folder: Path
) -> None:
    """Write ``change.csv``: the change between two matrices, from noisy counts alone.

    All rows have a verdict. A flow has numbers if both matrices show it, a total (of a zone or of
    all trips) if the plan has sums before suppression.
    """
    off_diagonal = ~np.eye(plan.zone_count, dtype=bool)
    old_counts, new_counts = (np.zeros(off_diagonal.shape, dtype=np.int64) for _ in range(2))
    old_counts[off_diagonal], new_counts[off_diagonal] = noisy_matrices
    min_shown = -np.inf if plan.has_estimates else plan.min_shown_count
    noise = laplace_distribution(plan.stages[0].scale)
    changes = change.find_changes(old_counts, new_counts, noise, least_shown=min_shown)
    origins, destinations = (ids.take(pa.array(index)) for index in np.nonzero(off_diagonal))
    no_ids, has_totals = pa.nulls(len(ids), pa.string()), np.full(len(ids), plan.has_sums)
    shown_flows = changes.shown_flows[off_diagonal]
    parts = {
        "flow": (changes.flows, off_diagonal, origins, destinations, shown_flows),
        "out": (changes.outflows, ..., ids, no_ids, has_totals),
        "in": (changes.inflows, ..., no_ids, ids, has_totals),
        "all": (changes.total, None, no_ids[:1], no_ids[:1], has_totals[:1]),
    }
    verdicts = np.array(["cannot tell", "rise", "fall"])  # by the change's sign: 0, 1, −1

    def rows() -> Iterator[dict[str, Any]]:
        for subject, (estimates, cells, origin, destination, is_shown) in parts.items():
            differences, bar = estimates.change[cells], estimates.half_width
            bounds = {"low_95": differences - bar, "high_95": differences + bar}
            numbers = {"change": differences, **bounds}
            yield {
                "of": pa.repeat(subject, len(differences)),
                "origin": origin,
                "destination": destination,
                "verdict": verdicts[estimates.signs[cells]],
                **{name: pa.array(values, mask=~is_shown) for name, values in numbers.items()},
                "beyond_chance": estimates.signs_beyond_chance[cells] != 0,
            }

    write_table(folder / "change.csv", rows())


class _NoisyMatrix(NamedTuple):
    """One matrix: noisy counts by flow, whether each is shown, and the columns of its table."""

    noisy_counts: Integers
    is_shown: Booleans
    columns: dict[str, Any]


def _add_noise(counts: Integers, scale: float, progress: Progress) -> Integers:
    """Return the noisy counts of one matrix; report which share of it is drawn."""
    noisy_counts = np.empty_like(counts)
    for start in range(0, len(counts), _CELLS_PER_DRAW):
        end = start + _CELLS_PER_DRAW
        noisy_counts[start:end] = opendp_noise.discrete_laplace(counts[start:end], scale)
        progress(min(end / len(counts), 1.0))
    return noisy_counts


def _draw_laplace(
    plan: ReleasePlan, view: Dataset, off_diagonal: Booleans, progress: Progress
) -> Iterator[_NoisyMatrix]:
    """Yield the matrices of Laplace with suppression one by one."""
    scale, bar = plan.stages[0].scale, int(plan.bar)
    for matrix_index in range(plan.matrix_count):
        matrix = truncated_matrices(view, plan.parameters, days=(matrix_index,))[0]

        def report(share: float, finished_matrices: int = matrix_index) -> None:
            progress((finished_matrices + share) / plan.matrix_count)

        noisy_counts = _add_noise(matrix[off_diagonal], scale, report)
        is_shown = noisy_counts >= plan.min_shown_count
        bounds = np.maximum(noisy_counts - bar, 0), noisy_counts + bar
        flow, low, high = (pa.array(values, mask=~is_shown) for values in (noisy_counts, *bounds))
        columns = {"flow": flow, "suppressed": ~is_shown, "low_95": low, "high_95": high}
        yield _NoisyMatrix(noisy_counts, is_shown, columns)


def _measure(
    plan: ReleasePlan, view: Dataset, off_diagonal: Booleans, progress: Progress
) -> empirical_bayes.Measurement:
    """Return the noisy counts of all matrices, and of the next trips beyond T if measured."""
    measured_matrices = 0

    def add_noise(counts: Integers, sensitivity: int, epsilon: float) -> Integers:
        nonlocal measured_matrices
        scale = safe_scale(sensitivity, epsilon)
        if counts.ndim == 1:  # the next trips beyond T by matrix
            return opendp_noise.discrete_laplace(counts, scale)

        def report(share: float) -> None:
            progress((1 - _ESTIMATION_SHARE) * (measured_matrices + share) / plan.matrix_count)

        noisy_matrix = np.zeros_like(counts)
        noisy_matrix[off_diagonal] = _add_noise(counts[off_diagonal], scale, report)
        measured_matrices += 1
        return noisy_matrix

    return empirical_bayes.measure_with(view, plan.parameters, add_noise)


def _estimate_matrices(
    plan: ReleasePlan,
    view: Dataset,
    off_diagonal: Booleans,
    measurement: empirical_bayes.Measurement,
    progress: Progress,
) -> Iterator[_NoisyMatrix]:
    """Yield the empirical-Bayes estimates of the measured matrices one by one."""
    bar, distances_m = int(plan.bar), centre_distances_m(view.zones)
    estimates = empirical_bayes.estimate_days(measurement, distances_m)
    intervals = empirical_bayes.iterate_intervals(measurement, distances_m)
    matrices = zip(estimates, intervals, strict=True)
    for finished_matrices, (estimate, (low, high)) in enumerate(matrices, start=1):
        noisy_counts: Integers = estimate.measurement.cells[0][off_diagonal]
        mark = np.where(estimate.is_likely[0][off_diagonal], "likely", "")
        trips = np.round(estimate.counts[0][off_diagonal], 2)
        columns = {  # mean; mark (on average at most 5% of the detected are empty); median
            "trips": trips,
            "mark": np.where(estimate.is_detected[0][off_diagonal], "detected", mark),
            "typical": np.round(estimate.point_estimates[0][off_diagonal], 2),
            "measured": noisy_counts,
            "measured_low_95": np.maximum(noisy_counts - bar, 0),
            "measured_high_95": np.maximum(noisy_counts + bar, 0),
            "kept_low_95": low[off_diagonal],
            "kept_high_95": high[off_diagonal],
        }
        yield _NoisyMatrix(noisy_counts, trips >= 1, columns)  # shown: at least 1 trip
        progress(1 - _ESTIMATION_SHARE * (1 - finished_matrices / plan.matrix_count))
