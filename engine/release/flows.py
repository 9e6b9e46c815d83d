"""Release of flows: Algorithm 1 of P2, or our own method, with whole-number noise from OpenDP.

Trips are trimmed at full detail and then added up to coarser zones and longer times, so one unit
changes the coarse counts by at most as much as the fine ones: T in L₁ (``docs/release.md``).
Noise in every cell is the only step that sees counts; what reads the noisy cells afterwards may
use floating point.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .. import origin_destination as od
from ..arrays import Booleans, Floats, Integers
from ..contract import Setting
from ..datasets import Dataset
from ..errors import ParameterError
from ..geography import centre_distances_m
from ..ledger import Kind
from ..origin_destination import estimate
from ..origin_destination.matrices import kept, require_unit
from ..origin_destination.mechanism import algorithm_1
from ..origin_destination.statements import FALSE_DISCOVERIES
from ..parameters import ODParameters
from ..resolution import look_at
from . import noise
from .bars import holds_where_shown, laplace_bar, law_of, safe_scale, sum_bar
from .files import CsvTable, clear_bar, neutral, require_counts, write_flowmap, write_zones
from .plan import Accuracy, Plan, Progress, Stage

SIZES = (0, 1, 5, 10, 20, 50, 100, 1000)
_ROOM = 1 + 1e-12  # so that two shares of ε never add up to more than ε
_WHOLE = ("measured_low_95", "measured_high_95", "low_95", "high_95")
_NAMES = {
    Kind.FLOWS: "trips of every origin and destination",
    Kind.TRIPS_BEYOND: "number of the next trips beyond the bound",
}
_COLUMNS: dict[str, dict[str, pa.DataType]] = {
    "published": {
        "flow": pa.int64(),
        "suppressed": pa.bool_(),
        "low_95": pa.int64(),
        "high_95": pa.int64(),
    },
    "estimate": {
        "mark": pa.string(),
        "trips": pa.float64(),
        "typical": pa.float64(),
        "measured": pa.int64(),
        **dict.fromkeys(_WHOLE, pa.int64()),
    },
}


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """A dataset at the zones seen, and the days of each matrix; of public facts alone."""

    view: Dataset
    parts: list[dict[str, Any]]
    groups: list[tuple[int, ...]]
    stages: tuple[Stage, ...]

    @classmethod
    def of(cls, setting: Setting, dataset: Dataset) -> "_Seen":
        parameters: ODParameters = setting.parameters
        require_unit(dataset, parameters.unit)
        view, when = look_at(dataset, setting.zones), setting.when
        days, groups = list(when.positions(len(dataset.metadata.days))), list[tuple[int, ...]]()
        for length in when.lengths(len(dataset.metadata.days)):
            groups.append(tuple(days[:length]))
            del days[:length]
        parts: list[dict[str, Any]] = [{"days": list(one), "sum_days": True} for one in groups]
        if when.step == "day":
            parts = [{"days": [day for one in groups for day in one]}]
        if len(view.zones) < 2 or not groups:
            raise ParameterError(
                "a release of flows needs at least 2 zones and a day",
                value=f"{len(view.zones)} zones, {len(groups)} matrices",
                remedy="choose finer zones, or days that were declared",
            )
        room = _ROOM if parameters.method == "estimate" else 1.0
        planned = [od.plan(view, parameters, **part).ledger.stages for part in parts]
        if any(one != planned[0] for one in planned):
            raise ParameterError(
                "all matrices of a release must have the same noise",
                value="a last week of fewer days",
                remedy="release whole weeks, or the whole period",
            )
        stages = (
            Stage.laplace(_NAMES[one.kind], int(one.sensitivity), one.epsilon, room)
            for one in planned[0]
        )
        return cls(view=view, parts=parts, groups=groups, stages=tuple(stages))

    @property
    def pairs(self) -> Booleans:
        return ~np.eye(len(self.view.zones), dtype=bool)


def plan(setting: Setting, dataset: Dataset) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone."""
    parameters: ODParameters = setting.parameters
    seen, ours = _Seen.of(setting, dataset), parameters.method == "estimate"
    zones, matrices, scale = len(seen.view.zones), len(seen.groups), seen.stages[0].scale
    flows, least, bar = matrices * zones * (zones - 1), parameters.least_shown, laplace_bar(scale)
    law, total_bar = law_of(scale), sum_bar(scale, matrices * (zones - 1))
    measured = ", as measured" * ours
    rows = [Accuracy(what="a flow, as measured", half_width=bar)]
    if not ours:
        rows = [
            Accuracy(
                what="a flow",
                size=size,
                half_width=bar,
                shown=float(law.tail(least - size)),
                holds=holds_where_shown(scale, bar, size, least),
            )
            for size in SIZES
        ]
    total = f"all trips out of a zone (or into it), all released days{measured}"
    odds = flows / (FALSE_DISCOVERIES * (1 + np.exp(-1 / scale)))
    return Plan(
        product="od-estimate" if ours else "od",
        setting=setting,
        metadata=dataset.metadata,
        unit=parameters.unit,
        days=sum(map(len, seen.groups)),
        limit=parameters.max_trips_per_user,
        stages=seen.stages,
        composition="basic composition" if len(seen.stages) > 1 else "one mechanism",
        cells=flows + matrices * (len(seen.stages) - 1),
        zones=zones,
        matrices=matrices,
        accuracy=(*rows, Accuracy(what=total, half_width=total_bar)),
        bar=bar,
        total_bar=total_bar,
        trimmed_to=None if parameters.unit == "trip" else parameters.max_trips_per_user,
        least=least,
        phantom=0.0 if ours else float(law.mean_beyond(least)),
        named_alone=max(int(np.ceil(scale * np.log(odds))), 1) if ours else 0,
    )


def prepare(plan: Plan, dataset: Dataset) -> None:
    """Read the trips that will be counted, and where zones lie."""
    seen = _Seen.of(plan.setting, dataset)
    for group in seen.groups:
        counted = kept(seen.view, plan.parameters, days=group, sum_days=len(group) > 1)
        require_counts(dataset, counted)
    centre_distances_m(seen.view.zones)


def write(plan: Plan, dataset: Dataset, folder: Path, progress: Progress) -> None:
    """Draw the noise of every cell once, and write flows, zones and the flowmap tables."""
    seen = _Seen.of(plan.setting, dataset)
    drawn = _estimate if plan.parameters.method == "estimate" else _published
    _write(plan, seen, drawn(plan, seen, folder), folder, progress)


class _Matrix(NamedTuple):
    """One matrix as it is written: noisy cells and columns by pair, and what a model expects."""

    noisy: Integers
    columns: Sequence[Any]
    expected: Floats | None = None


def _published(plan: Plan, seen: _Seen, _folder: Path) -> Iterator[_Matrix]:
    scale, bar = plan.stages[0].scale, int(plan.bar)
    for group in seen.groups:
        counts = kept(seen.view, plan.parameters, days=group, sum_days=len(group) > 1)[0]
        noisy, shown = algorithm_1(
            counts[seen.pairs], plan.parameters, lambda kept: noise.discrete_laplace(kept, scale)
        )
        low, high = np.maximum(noisy - bar, 0), noisy + bar
        flow, low, high = (pa.array(each, mask=~shown) for each in (noisy, low, high))
        yield _Matrix(noisy, (flow, ~shown, low, high))


def _estimate(plan: Plan, seen: _Seen, folder: Path) -> Iterator[_Matrix]:
    """Measure all matrices, then read them; noisy cells wait in a file without a name."""
    pairs, bar = seen.pairs, int(plan.bar)

    def add(counts: Integers, sensitivity: int, epsilon: float) -> Integers:
        scale = safe_scale(sensitivity, epsilon) * _ROOM
        if counts.ndim == 1:
            return noise.discrete_laplace(counts, scale)
        noisy = np.zeros_like(counts)
        noisy[pairs] = noise.discrete_laplace(counts[pairs], scale)
        return noisy

    with tempfile.TemporaryFile(dir=folder) as file:

        def keep(drawn: Iterator[Integers]) -> Integers:
            start = file.tell()
            for cells in drawn:
                file.write(cells.data)
            file.flush()
            shape = ((file.tell() - start) // (8 * pairs.size), *pairs.shape)
            return np.asarray(np.memmap(file, np.int64, "r", offset=start, shape=shape))

        several = [
            estimate.measure_with(seen.view, plan.parameters, add, keep=keep, **part)
            for part in seen.parts
        ]
        first = several[0]
        beyond = [one.beyond for one in several if one.beyond is not None]
        shape = (len(seen.groups), *pairs.shape)
        measured = replace(  # all matrices together, so that certain flows are named but once
            first,
            cells=np.asarray(np.memmap(file, np.int64, "r", shape=shape)),
            days=tuple(group[0] for group in seen.groups),
            beyond=np.concatenate(beyond) if beyond else None,
        )
        distances_m = centre_distances_m(seen.view.zones)
        for read, (low, high) in zip(
            estimate.read_days(measured, distances_m),
            estimate.intervals(measured, distances_m),
            strict=True,
        ):
            cells: Integers = read.measurement.cells[0][pairs]
            mark = np.where(read.likely[0][pairs], "likely", "")
            trips: Floats = read.counts[0]
            columns = (
                pa.array(np.where(read.certain[0][pairs], "certain", mark)),
                np.round(trips[pairs], 2),
                np.round(read.typical[0][pairs], 2),
                cells,
                np.maximum(cells - bar, 0),
                np.maximum(cells + bar, 0),
                low[pairs],
                high[pairs],
            )
            yield _Matrix(cells, columns, trips)


def _write(
    plan: Plan, seen: _Seen, drawn: Iterator[_Matrix], folder: Path, progress: Progress
) -> None:
    """Write matrices as they are drawn, the totals of the zones, and the flowmap tables."""
    pairs, text = seen.pairs, pa.string()
    ids = pa.array([neutral(one) for one in seen.view.zones["zone_id"]])
    origin, destination = (ids.take(pa.array(index)) for index in np.nonzero(pairs))
    daily = plan.setting.when.step == "day"
    periods = ("date",) if daily else ("period_from", "period_to")
    head = dict.fromkeys((*periods, "origin", "destination"), text)
    columns: Mapping[str, Any] = _COLUMNS[plan.parameters.method]
    whole, expected = np.zeros(pairs.shape, dtype=np.int64), None
    scale, clear_from = plan.stages[0].scale, clear_bar(plan.stages[0].scale, 1, plan.flows)
    times = {"origin": text, "dest": text, "count": pa.int64(), "time": text}
    (folder / "flowmap").mkdir()
    with (
        CsvTable(folder / "flows.csv", {**head, **columns}, parquet=True) as table,
        CsvTable(folder / "flowmap" / "flows_by_time.csv", times) as by_time,
    ):
        for number, matrix in enumerate(drawn):
            group = seen.groups[number]
            ends = [plan.metadata.days[day].isoformat() for day in (group[0], group[-1])]
            first = pa.array(np.zeros(len(origin), dtype=np.int8))
            dates = [pa.array([one]).take(first) for one in ends[: len(periods)]]
            table.add(*dates, origin, destination, *matrix.columns)
            whole[pairs] += matrix.noisy
            clear = np.flatnonzero(matrix.noisy > clear_from)
            some = (column.take(pa.array(clear)) for column in (origin, destination))
            by_time.add(*some, matrix.noisy[clear], [ends[0]] * len(clear))
            if matrix.expected is not None:
                expected = matrix.expected + (0.0 if expected is None else expected)
            progress((number + 1) / plan.matrices)
    values: dict[str, Any] = {}
    for name, axis in (("out", 1), ("in", 0)):
        total, bar, measured = whole.sum(axis=axis), int(plan.total_bar), f"{name}_trips"
        if expected is not None:
            values[measured] = np.rint(expected.sum(axis=axis))
            measured = f"{name}_measured"
        values |= {
            measured: total,
            f"{measured}_low_95": total - bar,
            f"{measured}_high_95": total + bar,
        }
    write_zones(seen.view.zones, values, folder)
    write_flowmap(
        seen.view.zones,
        folder / "flowmap",
        origin,
        destination,
        whole[pairs],
        scale=scale,
        matrices=plan.matrices,
    )
