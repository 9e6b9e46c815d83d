"""How many of the flows named certain over several days are empty."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.origin_destination.estimate import certain_flows, measurement
from research.methods.origin_destination_cases import WEEK, bike_days, shipped
from research.rows import Row, row

EPSILON = 0.1
DRAWS = 20
MORE_DRAWS = 400
"""Of the bike trips: most releases of them name nothing."""
MONTH = 28
RULES = ("all days at once", "day by day")


def rows() -> Iterator[Row]:
    """Yield the share of named flows that are empty, and how many are named, by both rules.

    Means over releases; one that names none counts 0.
    """
    for days in (WEEK, MONTH):
        cases = [(case, DRAWS) for case in shipped(slice(0, days)) if len(case.true) == days]
        cases += [(case, MORE_DRAWS) for case in bike_days(days)]
        for case, draws in cases:
            setting = f"{case.name}, {days} days, ε = {EPSILON:g}"
            for rule, (empty, named) in zip(RULES, shares(case.true, draws), strict=True):
                yield row("certain flows", f"share that is empty: {rule}", setting, empty)
                yield row("certain flows", f"number named: {rule}", setting, named)


def shares(true: NDArray[np.int64], draws: int) -> NDArray[np.float64]:
    """Return the mean share of empty flows among the named, and their number, by both rules."""
    off = 1 - np.eye(true.shape[-1], dtype=np.int64)
    drawn: list[list[tuple[float, int]]] = []
    for seed in range(draws):
        variates = np.random.default_rng(seed).laplace(0.0, 1.0, true.shape)
        cells = (true + measurement.discrete_laplace(variates, EPSILON)) * off
        rules = (
            certain_flows(cells, EPSILON),
            np.stack([certain_flows(day, EPSILON) for day in cells]),
        )
        drawn.append(
            [((named & (true == 0)).sum() / max(named.sum(), 1), named.sum()) for named in rules]
        )
    return np.mean(drawn, axis=0)
