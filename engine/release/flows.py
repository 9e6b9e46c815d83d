"""Release of flows: Algorithm 1 of P2, or our own method, with whole-number noise from OpenDP.

Trips are trimmed at full detail and then added up to coarser zones and longer times (`View`), so
one unit changes the coarse counts by at most as much as the fine ones: T in L₁
(``docs/release.md``). Noise in every cell is the only step that sees counts; what reads the noisy
cells afterwards may use floating point.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from .. import origin_destination as od
from ..arrays import Booleans, Floats, Integers
from ..contract import Setting
from ..datasets import Dataset
from ..errors import ParameterError
from ..geography import centre_distances_m
from ..origin_destination import change, estimate
from ..origin_destination.matrices import kept, require_unit
from ..origin_destination.mechanism import algorithm_1
from ..origin_destination.statements import FALSE_DISCOVERIES, total_reach
from ..parameters import ODParameters
from . import noise
from .bundle import clear_bar, neutral, write_flowmap, write_table, write_zones
from .plan import (
    Accuracy,
    Plan,
    Progress,
    Stage,
    holds_where_shown,
    laplace_bar,
    law_of,
    safe_scale,
)

SIZES = (0, 1, 5, 10, 20, 50, 100, 1000)


def plan(setting: Setting, view: Dataset) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone."""
    parameters: ODParameters = setting.parameters
    require_unit(view, parameters.unit)
    zones, matrices = len(view.zones), len(view.metadata.periods)
    ours = parameters.method == "estimate"
    if zones < 2:
        rule = "a release of flows needs at least 2 zones"
        raise ParameterError(rule, value=f"{zones}", remedy="choose finer zones")
    stages = tuple(Stage.laplace(one) for one in od.ledger(parameters).stages)
    scale, flows, least = stages[0].scale, matrices * zones * (zones - 1), parameters.least_shown
    law, bar = law_of(scale), laplace_bar(scale)
    total_bar = total_reach(1 / scale, matrices * (zones - 1))
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
    chosen = f"a flow picked because it is large{', as measured' * ours}"
    every = Accuracy(what=chosen, half_width=clear_bar(scale, 1, flows))
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
        accuracy=(*rows, every, Accuracy(what=total, half_width=total_bar)),
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
        kept(view, plan.parameters, days=(number,))
    centre_distances_m(view.zones)


def write(plan: Plan, view: Dataset, folder: Path, progress: Progress) -> estimate.ScaleUp | None:
    """Draw the noise of every cell once, and write flows, zones and the flowmap tables.

    Returns by how much a method of our own scaled sums up for the trips beyond T.
    """
    pairs = ~np.eye(plan.zones, dtype=bool)
    ids = pa.array(neutral(view.zones["zone_id"]))
    start, end = (ids.take(pa.array(index)) for index in np.nonzero(pairs))
    firsts, days = view.metadata.periods, view.metadata.days
    lasts = [*(days[days.index(first) - 1] for first in firsts[1:]), days[-1]]
    names = ("date",) if plan.setting.when.step == "day" else ("period_from", "period_to")
    whole, read = np.zeros(pairs.shape, dtype=np.int64), np.zeros(pairs.shape)
    last_two: list[Integers] = []
    measured = _measure(plan, view, pairs) if plan.ours else None

    def parts() -> Iterator[dict[str, Any]]:
        drawn = (
            _estimate(plan, view, pairs, measured) if measured else _published(plan, view, pairs)
        )
        for number, (noisy, columns) in enumerate(drawn):
            whole[pairs] += noisy
            read[pairs] += columns.get("trips", 0.0)
            last_two[:] = [*last_two[-1:], noisy]
            ends = zip(names, (firsts[number], lasts[number]), strict=False)
            times = {name: pa.repeat(day.isoformat(), len(noisy)) for name, day in ends}
            yield {**times, "origin": start, "destination": end, **columns}
            progress((number + 1) / plan.matrices)

    write_table(folder / "flows.csv", parts(), parquet=True)
    _write_totals(plan, view, whole, read, folder)
    if plan.compares:
        _write_change(plan, last_two, ids, folder)
    write_flowmap(plan, view.zones, folder / "flowmap", (start, end), whole[pairs])
    return estimate.state_scale_up(measured) if measured else None


def _write_totals(plan: Plan, view: Dataset, whole: Integers, read: Floats, folder: Path) -> None:
    """Write zones with their sums of noisy cells; of ours also with those of what is read."""
    values: dict[str, Any] = {}
    for name, axis in (("out", 1), ("in", 0)):
        total, bar, measured = whole.sum(axis=axis), int(plan.total_bar), f"{name}_trips"
        if plan.ours:
            values[measured] = np.rint(read.sum(axis=axis))
            measured = f"{name}_measured"
        values |= {measured: total, f"{measured}_low_95": total - bar}
        values[f"{measured}_high_95"] = total + bar
    write_zones(view.zones, values, folder)


def _write_change(plan: Plan, noisy: Sequence[Integers], ids: pa.Array, folder: Path) -> None:
    """Write ``change.csv``: what rose and fell between two matrices, from noisy cells alone."""
    pairs = ~np.eye(plan.zones, dtype=bool)
    before, after = (np.zeros(pairs.shape, dtype=np.int64) for _ in range(2))
    before[pairs], after[pairs] = noisy
    least = -np.inf if plan.ours else plan.least
    told = change.compare(before, after, law_of(plan.stages[0].scale), least_shown=least)
    start, end = (ids.take(pa.array(index)) for index in np.nonzero(pairs))
    none, every = pa.nulls(plan.zones, pa.string()), np.ones(plan.zones, dtype=bool)
    parts = {
        "flow": (told.flows, pairs, start, end, told.written[pairs]),
        "out": (told.leaving, ..., ids, none, every),
        "in": (told.arriving, ..., none, ids, every),
        "all": (told.total, None, none[:1], none[:1], every[:1]),
    }

    def rows() -> Iterator[dict[str, Any]]:
        for what, (one, cells, origin, destination, written) in parts.items():
            moved = one.change[cells]
            numbers = {"change": moved, "low_95": moved - one.reach, "high_95": moved + one.reach}
            yield {
                "of": pa.repeat(what, len(moved)),
                "origin": origin,
                "destination": destination,
                "verdict": np.array(["cannot tell", "rise", "fall"])[one.signs[cells]],  # by sign
                **{name: pa.array(each, mask=~written) for name, each in numbers.items()},
            }

    write_table(folder / "change.csv", rows())


_Matrix = tuple[Integers, dict[str, Any]]
"""One matrix as it is written: noisy cells, and columns by pair."""


def _published(plan: Plan, view: Dataset, pairs: Booleans) -> Iterator[_Matrix]:
    scale, bar = plan.stages[0].scale, int(plan.bar)
    for number in range(plan.matrices):
        counts = kept(view, plan.parameters, days=(number,))[0]
        noisy, shown = algorithm_1(
            counts[pairs], plan.parameters, lambda kept: noise.discrete_laplace(kept, scale)
        )
        low, high = np.maximum(noisy - bar, 0), noisy + bar
        flow, low, high = (pa.array(each, mask=~shown) for each in (noisy, low, high))
        ends = {"low_95": low, "high_95": high}
        yield noisy, {"flow": flow, "suppressed": ~shown, **ends}


def _measure(plan: Plan, view: Dataset, pairs: Booleans) -> estimate.Measurement:
    """Draw the noise of all matrices."""

    def add(counts: Integers, sensitivity: int, epsilon: float) -> Integers:
        scale = safe_scale(sensitivity, epsilon)
        if counts.ndim == 1:
            return noise.discrete_laplace(counts, scale)
        noisy = np.zeros_like(counts)
        noisy[pairs] = noise.discrete_laplace(counts[pairs], scale)
        return noisy

    return estimate.measure_with(view, plan.parameters, add)


def _estimate(
    plan: Plan, view: Dataset, pairs: Booleans, measured: estimate.Measurement
) -> Iterator[_Matrix]:
    """Read the measured matrices one by one."""
    bar, distances_m = int(plan.bar), centre_distances_m(view.zones)
    days = estimate.read_days(measured, distances_m)
    ranges = estimate.intervals(measured, distances_m)
    for read, (low, high) in zip(days, ranges, strict=True):
        cells: Integers = read.measurement.cells[0][pairs]
        mark = np.where(read.likely[0][pairs], "likely", "")
        yield (
            cells,
            {
                "mark": np.where(read.certain[0][pairs], "certain", mark),
                "trips": np.round(read.counts[0][pairs], 2),
                "typical": np.round(read.typical[0][pairs], 2),
                "measured": cells,
                "measured_low_95": np.maximum(cells - bar, 0),
                "measured_high_95": np.maximum(cells + bar, 0),
                "kept_low_95": low[pairs],
                "kept_high_95": high[pairs],
            },
        )
