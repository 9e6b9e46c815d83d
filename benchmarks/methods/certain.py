"""How many flows named certain over several days are empty: tables of ``docs/mechanisms.md``."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.methods.origin_destination_cases import WEEK, bike_days, shipped
from engine.origin_destination.estimate import certain_flows, measurement

EPSILON = 0.1
DRAWS = 20
MORE_DRAWS = 400
"""Of the bike trips: most releases of them name nothing."""
MONTH = 28


def lines(report: Callable[[str], None]) -> Iterator[str]:
    """Yield the table: named over all days at once, and day by day for comparison."""
    yield (
        f"\nFlows named *certain* over several days, ε = {EPSILON:g}, trip level, {DRAWS} draws of "
        f"the shipped data and {MORE_DRAWS} of MiBici: of the flows that a release names, the "
        "share that is empty (mean over releases; one that names none counts 0), and how many it "
        "names:\n"
    )
    yield "| data | days | all days at once: empty, named | day by day: empty, named |"
    yield "| --- | ---: | ---: | ---: |"
    for days in (WEEK, MONTH):
        cases = [(case, DRAWS) for case in shipped(slice(0, days)) if len(case.true) == days]
        cases += [(case, MORE_DRAWS) for case in bike_days(days)]
        for case, draws in cases:
            once, apart = shares(case.true, draws)
            yield (
                f"| {case.name} | {days} | {once[0]:.1%}, {once[1]:,.1f} | "
                f"{apart[0]:.1%}, {apart[1]:,.1f} |"
            )
            report(f"{case.name}, certain flows of {days} days")


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
