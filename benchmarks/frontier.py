"""The frontier: every setting of the flows at once, against each judged by itself."""

import time
from collections.abc import Iterator
from itertools import islice

from benchmarks.measure import Row, bounded, cpu_seconds
from engine import datasets, frontier
from engine.frontier import Need, flows
from tests.reference import frontier_reference as reference

WHOLE = Need(time="period", zones=1)
SAMPLE = 960
"""Settings that the reference judges: two views of the coarsest level would be too easy."""


def rows() -> Iterator[Row]:
    for name, limit in (("rwanda-districts", 1.0), ("demo-city", 3.0), ("rwanda-sectors", 6.0)):
        dataset = datasets.load(name)
        start = time.process_time()
        next(flows.judged(dataset, WHOLE))
        first = time.process_time() - start
        yield bounded(f"the first settings, {name}", first, 0.5, "CPU")
        settings = len(frontier.frontier(dataset, WHOLE).judged)
        ours = cpu_seconds(lambda d=dataset: frontier.frontier(d, WHOLE), repeats=3)
        start = time.process_time()
        judged = sum(1 for _ in islice(reference.brute_force(dataset), SAMPLE))
        plain = (time.process_time() - start) * settings / judged
        yield Row(
            f"{settings:,} settings, {name}",
            ours,
            plain,
            f"≤ {limit:g} s, ratio ≤ 0.1",
            ours <= limit and ours <= 0.1 * plain,
            f"CPU; reference: the first {judged} settings, one by one",
        )
    line = frontier.frontier(datasets.load("rwanda-districts"), WHOLE).judged
    ours = cpu_seconds(lambda: frontier.undominated(line), repeats=3)
    plain = cpu_seconds(lambda: reference.undominated(line[:SAMPLE]), repeats=1)
    plain *= (len(line) / SAMPLE) ** 2
    yield Row(
        f"which of {len(line):,} are on the frontier",
        ours,
        plain,
        "ratio ≤ 0.1",
        ours <= 0.1 * plain,
        f"CPU; reference: every pair of {SAMPLE}, scaled by the number of pairs",
    )
