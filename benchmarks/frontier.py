"""The frontier: every setting of the flows at once, against each judged by itself."""

import time
from collections.abc import Iterator
from itertools import islice

import numpy as np

from benchmarks.measure import Row, bounded, cpu_seconds
from engine import datasets, density, frontier, usability
from engine.frontier import Need, flows, visits
from engine.resolution import coarsen
from tests.reference import frontier_reference as reference

WHOLE = Need(time="period", zones=1)
SAMPLE = 960
"""Settings that the reference judges: two views of the coarsest level would be too easy."""
PLAIN_SETTINGS = 24


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
    yield _visits("paris", 15.0)
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


def _visits(name: str, limit: float) -> Row:
    """Judge every setting of a density by draws, against settings released one by one."""
    dataset, need = datasets.load(name), Need(time="period", read="zones")
    start = time.process_time()
    judged = frontier.frontier(dataset, need).judged
    ours = time.process_time() - start
    some = judged[:: max(len(judged) // PLAIN_SETTINGS, 1)]
    start = time.process_time()
    for one in some:
        view = coarsen(dataset, one.resolution)
        true = density.truth(view)
        for draw in range(visits.DRAWS):
            release = density.release(view, one.parameters, rng=np.random.default_rng(draw))
            usability.judge_density(density.scores(true, release), true.sum(axis=1) / 168)
    plain = (time.process_time() - start) * len(judged) / len(some)
    return Row(
        f"{len(judged)} settings by draws, {name}",
        ours,
        plain,
        f"≤ {limit:g} s, ratio ≤ 0.5",
        ours <= limit and ours <= 0.5 * plain,
        f"CPU, geometry and tables included; reference: {len(some)} settings, released one by one",
    )
