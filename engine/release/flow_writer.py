"""Release of flows by Laplace with suppression or empirical Bayes, with noise from OpenDP.

Trips are truncated at full detail and then added up to coarser zones and longer times
(`Dataset`), so one unit changes coarse counts by at most T in L₁, as fine ones
(``docs/release.md``). Only the noise step reads counts; estimates from noisy cells may use floats.
"""

from collections.abc import Iterator, Mapping, Sequence
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
from ..origin_destination import change, empirical_bayes
from ..origin_destination.matrices import require_unit, truncated_matrices
from ..origin_destination.mechanism import perturb_and_threshold
from ..origin_destination.noise_bounds import FALSE_DETECTION_RATE, total_half_width
from ..parameters import ODParameters
from . import opendp_noise
from .bundle import escape_formulas, table_writer, write_table, write_zones, zone_points
from .flowmap import FlowSums, clear_bar, write_flowmap
from .plan import (
    ErrorBar,
    Progress,
    ReleasePlan,
    Stage,
    coverage_where_shown,
    laplace_bar,
    laplace_distribution,
    safe_scale,
)
from .statement import render_words

ACCURACY_SIZES = (0, 1, 5, 10, 20, 50, 100, 1000)
_AT_ONCE = 2**18  # cells between two progress reports, some seconds
_READING = 0.3  # share of estimation in the work


def plan(setting: Setting, view: Dataset) -> ReleasePlan:
    """Return the contents and cost of a release, from geometry and metadata alone."""
    parameters: ODParameters = setting.parameters
    require_unit(view, parameters.unit)
    zones, matrices = len(view.zones), len(view.metadata.periods)
    ours = parameters.method == "empirical_bayes"
    if zones < 2:
        rule = "a release of flows needs at least 2 zones"
        raise ParameterError(rule, value=f"{zones}", remedy="choose finer zones")
    stages = tuple(Stage.from_laplace(stage) for stage in od.compute_cost(view, parameters).stages)
    scale, flows, min_shown = (
        stages[0].scale,
        matrices * zones * (zones - 1),
        parameters.min_shown_count,
    )
    law, bar = laplace_distribution(scale), laplace_bar(scale)
    total_bar = total_half_width(1 / scale, matrices * (zones - 1))
    rows = [
        ErrorBar(
            what="a flow",
            size=size,
            half_width=bar,
            shown=float(law.upper_tail(min_shown - size)),
            holds=coverage_where_shown(scale, bar, size, min_shown),
        )
        for size in ACCURACY_SIZES
    ]
    if ours:
        rows = [ErrorBar(what="a flow, as measured", half_width=bar)]
    chosen = f"a flow picked because it is large{', as measured' * ours}"
    widest_bar = ErrorBar(what=chosen, half_width=clear_bar(scale, 1, flows))
    total = f"all trips out of a zone (or into it), all released days{', as measured' * ours}"
    odds = flows / (FALSE_DETECTION_RATE * (1 + np.exp(-1 / scale)))
    return ReleasePlan.from_setting(
        setting,
        view,
        product="od-estimate" if ours else "od",
        unit=parameters.unit,
        days=len(view.metadata.days),
        limit=parameters.max_trips_per_user,
        stages=stages,
        composition="basic composition" if len(stages) > 1 else "one mechanism",
        cells=flows + matrices * (len(stages) - 1),
        matrices=matrices,
        error_bars=(*rows, widest_bar, ErrorBar(what=total, half_width=total_bar)),
        total_bar=total_bar,
        truncation_limit=_truncation_limit(parameters, stages, matrices),
        min_shown_count=min_shown,
        mean_phantom_trips=0.0 if ours else float(law.partial_expectation(min_shown)),
        min_detected_alone=max(int(np.ceil(scale * np.log(odds))), 1) if ours else 0,
    )


def _truncation_limit(
    parameters: ODParameters, stages: Sequence[Stage], matrices: int
) -> int | None:
    """Return T if a trip costs at most 2ε/T, else None; proof in ``docs/release.md``.

    Without one trip of a person the number beyond T may change by one on two days: within 2ε/T if
    it counts T or more trips. In one matrix it changes by one, so T/2 suffices.
    """
    limit, number = parameters.max_trips_per_user, stages[1:]
    days_apart = parameters.unit == "person" and matrices > 1
    if parameters.unit == "trip" or (days_apart and number and number[0].sensitivity < limit):
        return None
    return limit


def prepare(plan: ReleasePlan, view: Dataset) -> None:
    """Read the trips to count and the positions of zones."""
    for number in range(plan.matrices):
        truncated_matrices(view, plan.parameters, days=(number,))
    centre_distances_m(view.zones)


def write(
    plan: ReleasePlan, view: Dataset, folder: Path, progress: Progress
) -> empirical_bayes.ScaleUp | None:
    """Draw the noise of every cell once, and write flows, zones and the flowmap tables.

    Returns the factor by which empirical Bayes scaled sums up for the trips beyond T.
    """
    pairs = ~np.eye(plan.zones, dtype=bool)
    ids = pa.array(escape_formulas(view.zones["zone_id"]))
    start, end = (ids.take(pa.array(index)) for index in np.nonzero(pairs))
    firsts, days = view.metadata.periods, view.metadata.days
    lasts = [*(days[days.index(first) - 1] for first in firsts[1:]), days[-1]]
    names = ("date",) if plan.setting.time.aggregation == "day" else ("period_from", "period_to")
    sums, last_two = FlowSums(len(start)), list[Integers]()
    files = [folder / name for name in {"flows.parquet", plan.flows_file}]
    comment, places = render_words(plan, "recommended")[0], _places(view)
    measured = _measure(plan, view, pairs, progress) if plan.is_own_method else None
    with (
        table_writer(*files, comment=comment) as write_flows,
        table_writer(folder / "flows_shown.csv") as write_shown,
    ):
        matrices = (
            _draw_empirical_bayes(plan, view, pairs, measured, progress)
            if measured
            else _draw_laplace(plan, view, pairs, progress)
        )
        for number, matrix in enumerate(matrices):
            sums.add(matrix.noisy, matrix.shown, matrix.columns.get("trips", 0.0))
            last_two[:] = [*last_two[-1:], matrix.noisy]
            dates = zip(names, (firsts[number], lasts[number]), strict=False)
            times = {name: pa.repeat(day.isoformat(), len(start)) for name, day in dates}
            write_flows({**times, "origin": start, "destination": end, **matrix.columns})
            rows = np.flatnonzero(pairs.ravel())[matrix.shown]
            write_shown(_shown_rows(times, places, np.divmod(rows, plan.zones), matrix))
    _write_totals(plan, view, sums, pairs, folder)
    if plan.compares_spans:
        _write_change(plan, last_two, ids, folder)
    write_flowmap(plan, view.zones, folder / "flowmap", (start, end), sums)
    return empirical_bayes.state_scale_up(measured) if measured else None


def _places(view: Dataset) -> dict[str, pa.Array]:
    """Return the columns of either end of a flow, by the end of a column's name."""
    lon, lat = (pa.array(coordinates) for coordinates in zone_points(view.zones))
    ids, names = (pa.array(escape_formulas(view.zones[name])) for name in ("zone_id", "name"))
    return {"": ids, "_name": names, "_lat": lat, "_lon": lon}


def _shown_rows(
    times: Mapping[str, pa.Array],
    places: Mapping[str, pa.Array],
    ends: tuple[Integers, Integers],
    matrix: "_Matrix",
) -> dict[str, pa.Array]:
    """Return the shown flows of a matrix as a table of its own."""
    columns = {name: column[: len(ends[0])] for name, column in times.items()}
    for end, zones in zip(("origin", "destination"), ends, strict=True):
        columns |= {f"{end}{name}": column.take(pa.array(zones)) for name, column in places.items()}
    where = pa.array(np.flatnonzero(matrix.shown))
    numbers = {name: column for name, column in matrix.columns.items() if name != "suppressed"}
    return columns | {name: pa.array(column).take(where) for name, column in numbers.items()}


def _write_totals(
    plan: ReleasePlan, view: Dataset, sums: FlowSums, pairs: Booleans, folder: Path
) -> None:
    """Write zones with sums of noisy cells, if planned; of empirical Bayes also of estimates."""
    values: dict[str, Any] = {}
    noisy_sums, estimates = np.zeros(pairs.shape, dtype=np.int64), np.zeros(pairs.shape)
    noisy_sums[pairs], estimates[pairs] = sums.noisy, sums.estimates
    for name, axis in (("out", 1), ("in", 0)) if plan.has_sums else ():
        total, bar, measured = noisy_sums.sum(axis=axis), int(plan.total_bar), f"{name}_trips"
        if plan.is_own_method:
            values[measured] = np.rint(estimates.sum(axis=axis))
            measured = f"{name}_measured"
        values |= {measured: total, f"{measured}_low_95": total - bar}
        values[f"{measured}_high_95"] = total + bar
    write_zones(view.zones, values, folder)


def _write_change(
    plan: ReleasePlan, noisy: Sequence[Integers], ids: pa.Array, folder: Path
) -> None:
    """Write ``change.csv``: the change between two matrices, from noisy cells alone.

    Flows have numbers if both matrices show them, totals if sums before suppression are written.
    """
    pairs = ~np.eye(plan.zones, dtype=bool)
    old_counts, new_counts = (np.zeros(pairs.shape, dtype=np.int64) for _ in range(2))
    old_counts[pairs], new_counts[pairs] = noisy
    min_shown = -np.inf if plan.is_own_method else plan.min_shown_count
    changes = change.find_changes(
        old_counts, new_counts, laplace_distribution(plan.stages[0].scale), least_shown=min_shown
    )
    start, end = (ids.take(pa.array(index)) for index in np.nonzero(pairs))
    none, all_zones = pa.nulls(plan.zones, pa.string()), np.full(plan.zones, plan.has_sums)
    parts = {
        "flow": (changes.flows, pairs, start, end, changes.shown_flows[pairs]),
        "out": (changes.outflows, ..., ids, none, all_zones),
        "in": (changes.inflows, ..., none, ids, all_zones),
        "all": (changes.total, None, none[:1], none[:1], all_zones[:1]),
    }

    def rows() -> Iterator[dict[str, Any]]:
        for subject, (estimates, cells, origin, destination, is_shown) in parts.items():
            differences = estimates.change[cells]
            numbers = {
                "change": differences,
                "low_95": differences - estimates.half_width,
                "high_95": differences + estimates.half_width,
            }
            yield {
                "of": pa.repeat(subject, len(differences)),
                "origin": origin,
                "destination": destination,
                "verdict": np.array(["cannot tell", "rise", "fall"])[
                    estimates.signs[cells]
                ],  # by sign of the change
                **{name: pa.array(values, mask=~is_shown) for name, values in numbers.items()},
            }

    write_table(folder / "change.csv", rows())


class _Matrix(NamedTuple):
    """One matrix to write: noisy cells by pair, whether they are shown, and columns."""

    noisy: Integers
    shown: Booleans
    columns: dict[str, Any]


def _noisy(counts: Integers, scale: float, progress: Progress) -> Integers:
    """Return the noisy counts of one matrix; report the share drawn."""
    noisy = np.empty_like(counts)
    for first in range(0, len(counts), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        noisy[part] = opendp_noise.discrete_laplace(counts[part], scale)
        progress(min(part.stop / len(counts), 1.0))
    return noisy


def _draw_laplace(
    plan: ReleasePlan, view: Dataset, pairs: Booleans, progress: Progress
) -> Iterator[_Matrix]:
    scale, bar = plan.stages[0].scale, int(plan.bar)
    for number in range(plan.matrices):
        counts = truncated_matrices(view, plan.parameters, days=(number,))[0]

        def sample(counts: Integers, number: int = number) -> Integers:
            return _noisy(counts, scale, lambda drawn: progress((number + drawn) / plan.matrices))

        noisy, is_shown = perturb_and_threshold(counts[pairs], plan.parameters, sample)
        low, high = np.maximum(noisy - bar, 0), noisy + bar
        flow, low, high = (pa.array(values, mask=~is_shown) for values in (noisy, low, high))
        columns = {"flow": flow, "suppressed": ~is_shown, "low_95": low, "high_95": high}
        yield _Matrix(noisy, is_shown, columns)


def _measure(
    plan: ReleasePlan, view: Dataset, pairs: Booleans, progress: Progress
) -> empirical_bayes.Measurement:
    """Return the noisy cells of all matrices."""
    measured_matrices = 0

    def add(counts: Integers, sensitivity: int, epsilon: float) -> Integers:
        nonlocal measured_matrices
        scale = safe_scale(sensitivity, epsilon)
        if counts.ndim == 1:
            return opendp_noise.discrete_laplace(counts, scale)

        def report(drawn: float) -> None:
            progress((1 - _READING) * (measured_matrices + drawn) / plan.matrices)

        noisy = np.zeros_like(counts)
        noisy[pairs] = _noisy(counts[pairs], scale, report)
        measured_matrices += 1
        return noisy

    return empirical_bayes.measure_with(view, plan.parameters, add)


def _draw_empirical_bayes(
    plan: ReleasePlan,
    view: Dataset,
    pairs: Booleans,
    measured: empirical_bayes.Measurement,
    progress: Progress,
) -> Iterator[_Matrix]:
    """Yield the empirical-Bayes estimates of the measured matrices one by one."""
    bar, distances_m = int(plan.bar), centre_distances_m(view.zones)
    days = empirical_bayes.estimate_days(measured, distances_m)
    ranges = empirical_bayes.iterate_intervals(measured, distances_m)
    for number, (read, (low, high)) in enumerate(zip(days, ranges, strict=True), start=1):
        cells: Integers = read.measurement.cells[0][pairs]
        mark = np.where(read.is_likely[0][pairs], "likely", "")
        trips = np.round(read.counts[0][pairs], 2)
        columns = {
            "trips": trips,
            "mark": np.where(read.is_detected[0][pairs], "detected", mark),
            "typical": np.round(read.point_estimates[0][pairs], 2),
            "measured": cells,
            "measured_low_95": np.maximum(cells - bar, 0),
            "measured_high_95": np.maximum(cells + bar, 0),
            "kept_low_95": low[pairs],
            "kept_high_95": high[pairs],
        }
        yield _Matrix(cells, trips >= 1, columns)
        progress(1 - _READING * (1 - number / plan.matrices))
