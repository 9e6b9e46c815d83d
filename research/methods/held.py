"""What `estimate` says of flows whatever the world is like: how often it holds."""

from collections.abc import Iterator

import numpy as np

from engine.arrays import Floats, Integers
from engine.origin_destination import estimate
from engine.origin_destination.estimate import assisted, reading
from research.methods.law import EPSILONS, noisy
from research.methods.origin_destination_cases import WEEK, Case, bike_days, bikes, shipped
from research.rows import Row, row

RELEASES = 2_000
ANY_EPSILON = (0.03, *EPSILONS, 3.0)
LARGE = 150
"""Most zones of the sets that 2,000 releases are drawn of."""

FARTHEST = 30.0
"""Scales of the noise beyond which no chance is summed: e^−30."""

DAYS = (WEEK, 28)
FEW_CELLS, BIKE_DRAWS, DRAWS = 25_000, 400, 20
"""Certain flows of several days: 2,000 releases of so few cells, else 400 of bikes, else 20."""

RULES = ("all days at once", "day by day")


def rows() -> Iterator[Row]:
    """Yield exact ranges, totals and certain flows over 2,000 releases, and 90% intervals."""
    cases = [*shipped(), *bikes()]
    for case in cases:
        for epsilon in EPSILONS if len(case.true[0]) <= LARGE else ():
            yield from _exact(case, epsilon)
    yield from _certain_over_days()
    for case in cases:
        for epsilon in ANY_EPSILON if len(case.true[0]) <= LARGE else EPSILONS:
            yield from _intervals(case, epsilon)


def _exact(case: Case, epsilon: float) -> Iterator[Row]:
    true = case.true[0]
    zones, off = len(true), ~np.eye(len(true), dtype=bool)
    flows = zones * (zones - 1)
    one, every = (estimate.cell_reach(epsilon, cells=n) for n in (1, flows))
    total, totals = (
        estimate.total_reach(epsilon, zones - 1, confidence=1 - 0.05 / n) for n in (1, zones)
    )
    held: list[tuple[float, ...]] = []
    for seed in range(RELEASES):
        cells = noisy(true, epsilon, seed)
        error = np.abs(cells - true)
        out = np.abs((cells - true).sum(axis=1))
        named = estimate.certain_flows(cells, epsilon)
        empty = (named & (true == 0)).sum() / max(named.sum(), 1)
        held.append(
            (
                float((error[off] <= one).mean()),
                float(error.max() <= every),
                float((out <= total).mean()),
                float(out.max() <= totals),
                float(empty),
            )
        )
    words = (
        *("a flow is in its exact range", "all flows are in theirs at once"),
        *("a zone's out-total is in its range", "all zones' are in theirs at once"),
        "share of certain flows that are empty",
    )
    setting = f"{case.name}, ε = {epsilon:g}, {RELEASES:,} releases"
    for what, share in zip(words, np.mean(held, axis=0), strict=True):
        yield row("exact statements", what, setting, float(share))


def _certain_over_days() -> Iterator[Row]:
    """Yield the share of named flows that are empty, and how many are named, by both rules.

    Means over releases; one that names none counts 0.
    """
    epsilon = EPSILONS[0]
    for days in DAYS:
        cases = [(case, DRAWS) for case in shipped(slice(0, days)) if len(case.true) == days]
        for case, usual in (*cases, *((case, BIKE_DRAWS) for case in bike_days(days))):
            draws = RELEASES if case.true.size <= FEW_CELLS else usual
            setting = f"{case.name}, {days} days, ε = {epsilon:g}, {draws:,} releases"
            for rule, (empty, named) in zip(RULES, _named(case.true, draws), strict=True):
                yield row("certain flows", f"share that is empty: {rule}", setting, empty)
                yield row("certain flows", f"number named: {rule}", setting, named)


def _named(true: Integers, draws: int) -> Floats:
    """Return the mean share of empty flows among the named, and their number, by both rules."""
    rate, drawn = EPSILONS[0], list[list[tuple[float, int]]]()
    for seed in range(draws):
        cells = noisy(true, rate, seed)
        each = np.stack([estimate.certain_flows(day, rate) for day in cells])
        rules = (estimate.certain_flows(cells, rate), each)
        drawn.append(
            [((named & (true == 0)).sum() / max(named.sum(), 1), named.sum()) for named in rules]
        )
    return np.mean(drawn, axis=0)


def chances(
    true: Integers, cells: Integers, rate: float, distances_m: Floats, *, scale: float = 1.0
) -> Floats:
    """Return P(the 90% interval holds the kept count) of every flow, given all other noise.

    Exact: summed over the noise of the flow itself, which the model that chooses for it has not
    read. The mean over the noise elsewhere is the chance; none below 90% makes that at least 90%.
    With `scale` the noise is so much wider than is said.
    """
    held, reach = np.ones(true.shape), int(FARTHEST / rate)
    below, above = assisted.tails(rate)
    z = np.arange(-reach, reach + 1)
    law = np.tanh(rate / scale / 2) * np.exp(-rate / scale * np.abs(z))
    expect = next(reading.expectations(cells[None], rate, distances_m))
    for grid, prior, at in assisted.models(cells, rate, expect):
        counts, which = np.unique(true.flat[at], return_inverse=True)
        seen = np.unique(counts[:, None] + z)
        low, high = seen - above[0], seen + below[0]
        on_grid = grid.holds(seen)
        low[on_grid], high[on_grid] = assisted.hull(grid, prior, seen[on_grid], rate)
        low, high = np.maximum(low, 0), np.maximum(high, 0)
        start = np.searchsorted(seen, counts - reach)
        near = [slice(first, first + len(z)) for first in start]
        inside = [(low[n] <= m) & (m <= high[n]) for n, m in zip(near, counts, strict=True)]
        held.flat[at] = (np.array(inside) @ law)[which]
    return held


def _intervals(case: Case, epsilon: float) -> Iterator[Row]:
    true = case.true[0]
    off = ~np.eye(len(true), dtype=bool)
    held = chances(true, noisy(true, epsilon, 0), epsilon, case.distances_m)[off]
    setting = f"{case.name}, ε = {epsilon:g}"
    table = "90% intervals, chance given all other noise"
    yield row(table, "flow least often held", setting, float(held.min()))
    yield row(table, "all flows", setting, float(held.mean()))
    yield row(table, "flows with a trip", setting, float(held[true[off] > 0].mean()))
