"""The frontier: every setting of the flows at once, against each judged by itself."""

import time
from collections.abc import Iterator
from itertools import islice

import numpy as np

from benchmarks.measure import Row, against, bounded, cpu_seconds, timed
from engine import datasets, density, frontier, usability
from engine.frontier import Need, flows, visits
from engine.resolution import look_at
from tests.reference import frontier_reference as reference

WHOLE = Need(time="whole", zones=1)
SAMPLE = 960
"""Settings that the reference judges: two views of the coarsest level would be too easy."""
PLAIN_SETTINGS = 24


def rows() -> Iterator[Row]:
    for name, limit in (("rwanda-districts", 1.0), ("demo-city", 3.0), ("rwanda-sectors", 6.0)):
        dataset = datasets.load(name)
        first, _ = timed(lambda d=dataset: next(flows.judged(d, WHOLE)), time.process_time)
        yield bounded(f"the first settings, {name}", first, 0.5, "CPU")
        settings = len(frontier.frontier(dataset, WHOLE).judged)
        ours = cpu_seconds(lambda d=dataset: frontier.frontier(d, WHOLE), repeats=3)
        plain, some = timed(
            lambda d=dataset: list(islice(reference.brute_force(d), SAMPLE)), time.process_time
        )
        yield _both(
            f"{settings:,} settings, {name}",
            ours,
            plain * settings / len(some),
            (limit, 0.1),
            f"CPU; reference: the first {len(some)} settings, one by one",
        )
    yield _visits("paris", 15.0)
    line = frontier.frontier(datasets.load("rwanda-districts"), WHOLE).judged
    ours = cpu_seconds(lambda: frontier.undominated(line), repeats=3)
    plain = cpu_seconds(lambda: reference.undominated(line[:SAMPLE]), repeats=1)
    plain *= (len(line) / SAMPLE) ** 2
    note = f"CPU; reference: every pair of {SAMPLE}, scaled by the number of pairs"
    yield against(f"which of {len(line):,} are on the frontier", ours, plain, 0.1, note=note)


def _visits(name: str, limit: float) -> Row:
    """Judge every setting of a density by draws, against settings released one by one."""
    dataset, need = datasets.load(name), Need(time="whole", read="zones")
    ours, line = timed(lambda: frontier.frontier(dataset, need), time.process_time)
    judged = line.judged
    some = judged[:: max(len(judged) // PLAIN_SETTINGS, 1)]
    start = time.process_time()
    for one in some:
        view = look_at(dataset, one.seen.zones, one.seen.when)
        true = density.truth(view)
        for draw in range(visits.DRAWS):
            release = density.release(view, one.parameters, rng=np.random.default_rng(draw))
            usability.judge_density(density.scores(true, release), true.sum(axis=1) / 168)
    plain = (time.process_time() - start) * len(judged) / len(some)
    return _both(
        f"{len(judged)} settings by draws, {name}",
        ours,
        plain,
        (limit, 0.5),
        f"CPU, geometry and tables included; reference: {len(some)} settings, released one by one",
    )


def _both(work: str, ours: float, plain: float, most: tuple[float, float], note: str) -> Row:
    """Return the line of a bound in seconds and one on the ratio."""
    limit_s, ratio = most
    met = ours <= limit_s and ours <= ratio * plain
    return Row(work, ours, plain, f"≤ {limit_s:g} s, ratio ≤ {ratio:g}", met, note)
