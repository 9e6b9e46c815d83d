"""Release of flows: Algorithm 1 of P2, or our own method, with whole-number noise from OpenDP.

Trips are trimmed at full detail and then added up to coarser zones and longer times (`View`), so
one unit changes the coarse counts by at most as much as the fine ones: T in L₁
(``docs/release.md``). Noise in every cell is the only step that sees counts; what reads the noisy
cells afterwards may use floating point.
"""

import tempfile
from collections.abc import Iterator, Sequence
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
from ..origin_destination import change, estimate
from ..origin_destination.matrices import kept, require_unit
from ..origin_destination.mechanism import algorithm_1
from ..origin_destination.statements import FALSE_DISCOVERIES
from ..parameters import ODParameters
from . import noise
from .files import REAL, TEXT, WHOLE, CsvTable, neutral, require_counts, write_flowmap, write_zones
from .plan import (
    Accuracy,
    Plan,
    Progress,
    Stage,
    holds_where_shown,
    laplace_bar,
    law_of,
    safe_scale,
    sum_bar,
)

SIZES = (0, 1, 5, 10, 20, 50, 100, 1000)
_ROOM = 1 + 1e-12  # so that two shares of ε never add up to more than ε
_NAMES = {
    Kind.FLOWS: "trips of every origin and destination",
    Kind.TRIPS_BEYOND: "number of the next trips beyond the bound",
}
_COLUMNS: dict[str, dict[str, pa.DataType]] = {
    "published": {"flow": WHOLE, "suppressed": pa.bool_(), "low_95": WHOLE, "high_95": WHOLE},
    "estimate": {
        "mark": TEXT,
        "trips": REAL,
        "typical": REAL,
        "measured": WHOLE,
        "measured_low_95": WHOLE,
        "measured_high_95": WHOLE,
        "low_95": WHOLE,
        "high_95": WHOLE,
    },
}

_CHANGE = {
    **dict.fromkeys(("of", "origin", "destination", "verdict"), TEXT),
    **dict.fromkeys(("change", "low_95", "high_95"), WHOLE),
}


def plan(setting: Setting, view: Dataset) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone."""
    parameters: ODParameters = setting.parameters
    require_unit(view, parameters.unit)
    zones, matrices, ours = (
        len(view.zones),
        len(view.metadata.periods),
        parameters.method == "estimate",
    )
    if zones < 2:
        raise ParameterError(
            "a release of flows needs at least 2 zones",
            value=f"{zones}",
            remedy="choose finer zones",
        )
    stages = tuple(
        Stage.laplace(_NAMES[one.kind], int(one.sensitivity), one.epsilon, _ROOM if ours else 1.0)
        for one in od.ledger(parameters).stages
    )
    scale, flows, least = stages[0].scale, matrices * zones * (zones - 1), parameters.least_shown
    law, bar, total_bar = law_of(scale), laplace_bar(scale), sum_bar(scale, matrices * (zones - 1))
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
    if ours:
        rows = [Accuracy(what="a flow, as measured", half_width=bar)]
    total = f"all trips out of a zone (or into it), all released days{', as measured' * ours}"
    odds = flows / (FALSE_DISCOVERIES * (1 + np.exp(-1 / scale)))
    return Plan.of(
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
        accuracy=(*rows, Accuracy(what=total, half_width=total_bar)),
        total_bar=total_bar,
        trimmed_to=_trimmed_to(parameters, stages, matrices),
        least=least,
        phantom=0.0 if ours else float(law.mean_beyond(least)),
        named_alone=max(int(np.ceil(scale * np.log(odds))), 1) if ours else 0,
    )


def _trimmed_to(parameters: ODParameters, stages: Sequence[Stage], matrices: int) -> int | None:
    """Return T where a trip costs at most 2ε/T; ``docs/release.md`` proves when it does.

    Without one trip of a person the number beyond T may move by one on two days: that is within
    2ε/T where it counts T or more trips. In one matrix it moves by one, so T/2 is enough.
    """
    limit, number = parameters.max_trips_per_user, stages[1:]
    days_apart = parameters.unit == "person" and matrices > 1
    if parameters.unit == "trip" or (days_apart and number and number[0].sensitivity < limit):
        return None
    return limit


def prepare(plan: Plan, view: Dataset) -> None:
    """Read the trips that will be counted, and where zones lie."""
    for number in range(plan.matrices):
        require_counts(view, kept(view, plan.parameters, days=(number,)))
    centre_distances_m(view.zones)


def write(plan: Plan, view: Dataset, folder: Path, progress: Progress) -> None:
    """Draw the noise of every cell once, and write flows, zones and the flowmap tables."""
    pairs = ~np.eye(plan.zones, dtype=bool)
    ids = pa.array(neutral(view.zones["zone_id"]))
    origin, destination = (ids.take(pa.array(index)) for index in np.nonzero(pairs))
    starts, days = view.metadata.periods, view.metadata.days
    lasts = [*(days[days.index(start) - 1] for start in starts[1:]), days[-1]]
    names = ("date",) if plan.setting.when.step == "day" else ("period_from", "period_to")
    head = dict.fromkeys((*names, "origin", "destination"), TEXT)
    whole, scaled = np.zeros(pairs.shape, dtype=np.int64), np.zeros(pairs.shape)
    noisy: list[Integers] = []
    drawn = (_estimate if plan.ours else _published)(plan, view, pairs, folder)
    columns = {**head, **_COLUMNS[plan.parameters.method]}
    with CsvTable(folder / "flows.csv", columns, parquet=True) as table:
        for number, matrix in enumerate(drawn):
            ends = [starts[number].isoformat(), lasts[number].isoformat()]
            dates = [pa.repeat(day, len(origin)) for day in ends[: len(names)]]
            table.add(*dates, origin, destination, *matrix.columns)
            whole[pairs] += matrix.noisy
            scaled[pairs] += matrix.factor * matrix.noisy
            noisy = [*noisy[-1:], matrix.noisy]
            progress((number + 1) / plan.matrices)
    values: dict[str, Any] = {}
    for name, axis in (("out", 1), ("in", 0)):
        total, bar, measured = whole.sum(axis=axis), int(plan.total_bar), f"{name}_trips"
        if plan.ours:
            # the sums of our flows are further off than the measured ones
            values[measured] = np.rint(np.maximum(scaled.sum(axis=axis), 0))
            measured = f"{name}_measured"
        values |= {measured: total, f"{measured}_low_95": total - bar}
        values[f"{measured}_high_95"] = total + bar
    write_zones(view.zones, values, folder)
    if plan.compares:
        _write_change(plan, noisy, ids, folder)
    scale, ends = plan.stages[0].scale, (origin, destination)
    (folder / "flowmap").mkdir()
    write_flowmap(view.zones, folder / "flowmap", ends, whole[pairs], scale, plan.matrices)


def _write_change(plan: Plan, noisy: Sequence[Integers], ids: pa.Array, folder: Path) -> None:
    """Write ``change.csv``: what rose and fell between two matrices, from noisy cells alone."""
    pairs = ~np.eye(plan.zones, dtype=bool)
    before, after = (np.zeros(pairs.shape, dtype=np.int64) for _ in range(2))
    before[pairs], after[pairs] = noisy
    least = None if plan.ours else plan.least
    told = change.compare(before, after, law_of(plan.stages[0].scale), least_shown=least)
    start, end = (ids.take(pa.array(index)) for index in np.nonzero(pairs))
    none = pa.nulls(plan.zones, TEXT)
    parts = {
        "flow": (told.flows, pairs, start, end, told.written[pairs]),
        "out": (told.leaving, ..., ids, none, np.ones(plan.zones, dtype=bool)),
        "in": (told.arriving, ..., none, ids, np.ones(plan.zones, dtype=bool)),
        "all": (told.total, None, none[:1], none[:1], np.ones(1, dtype=bool)),
    }
    words = np.array(["cannot tell", "rise", "fall"])  # by sign
    with CsvTable(folder / "change.csv", _CHANGE) as table:
        for what, (one, cells, origin, destination, written) in parts.items():
            moved, signs = one.change[cells], one.signs[cells]
            numbers = (moved, moved - one.reach, moved + one.reach)
            masked = (pa.array(each, mask=~written) for each in numbers)
            names = pa.repeat(what, len(moved))
            table.add(names, origin, destination, words[signs], *masked)


class _Matrix(NamedTuple):
    """One matrix as it is written: noisy cells, columns by pair, what scales kept trips up."""

    noisy: Integers
    columns: Sequence[Any]
    factor: float = 1.0


def _published(plan: Plan, view: Dataset, pairs: Booleans, _folder: Path) -> Iterator[_Matrix]:
    scale, bar = plan.stages[0].scale, int(plan.bar)
    for number in range(plan.matrices):
        counts = kept(view, plan.parameters, days=(number,))[0]
        noisy, shown = algorithm_1(
            counts[pairs], plan.parameters, lambda kept: noise.discrete_laplace(kept, scale)
        )
        low, high = np.maximum(noisy - bar, 0), noisy + bar
        flow, low, high = (pa.array(each, mask=~shown) for each in (noisy, low, high))
        yield _Matrix(noisy, (flow, ~shown, low, high))


def _estimate(plan: Plan, view: Dataset, pairs: Booleans, folder: Path) -> Iterator[_Matrix]:
    """Measure all matrices, then read them; noisy cells wait in a file without a name."""
    bar = int(plan.bar)

    def add(counts: Integers, sensitivity: int, epsilon: float) -> Integers:
        scale = safe_scale(sensitivity, epsilon) * _ROOM
        if counts.ndim == 1:
            return noise.discrete_laplace(counts, scale)
        noisy = np.zeros_like(counts)
        noisy[pairs] = noise.discrete_laplace(counts[pairs], scale)
        return noisy

    with tempfile.TemporaryFile(dir=folder) as file:

        def keep(drawn: Iterator[Integers]) -> Integers:
            for cells in drawn:
                file.write(cells.data)
            file.flush()
            return np.asarray(np.memmap(file, np.int64, "r", shape=(plan.matrices, *pairs.shape)))

        measured = estimate.measure_with(view, plan.parameters, add, keep=keep)
        distances_m = centre_distances_m(view.zones)
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
            yield _Matrix(cells, columns, float(read.factor[0]))
