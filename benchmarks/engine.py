"""The engine: mechanisms, exact laws and judges, each beside a reference of the same run."""

import itertools
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from ot import emd2

from benchmarks.measure import Row, against, bounded, cpu_seconds, median_seconds, timed
from engine import datasets, density, frontier, metrics, origin_destination as od
from engine.frontier import Need

PARIS = density.DensityParameters(epsilon=0.3, delta=2e-6, max_visits_per_user=30)
EPSILONS, THRESHOLDS = np.geomspace(0.01, 10, 40), np.arange(40)
DRAW_SHAPE = (7, 416, 416)


def rows() -> Iterator[Row]:
    """Yield the lines of the table of the engine."""
    yield from density_rows()
    yield from flow_rows()
    yield from frontier_rows()


def density_rows() -> Iterator[Row]:
    """Paris: 1,303 towers, 989 zones, 168 hours, 1,992,846 simulated people."""
    paris = datasets.load("paris")

    def make(method: str) -> density.DensityRelease:
        parameters = replace(PARIS, method=method)
        return density.release(paris, parameters, rng=np.random.default_rng(0))

    pairs = [  # called in turn, so that load is fair to both
        [median_seconds(lambda m=method: make(m), 1) for method in ("efpag_joint", "lpa")]
        for _ in range(20)
    ]
    ours, plain = map(statistics.median, zip(*pairs, strict=True))
    yield against("release of Paris, efpag_joint, against lpa", ours, plain, 4, "lpa")
    truth, counts = density.truth(paris), make("efpag_joint").counts
    distances_m = paris.tessellation.zone_distances_m
    moved: list[float] = []
    full: list[float] = []
    took = reference = 0.0
    for hour in range(truth.shape[1]):  # hour by hour, so that a busy machine is fair to both
        p, q = truth[:, hour], counts[:, hour]
        start = time.perf_counter()
        moved += metrics.earth_movers_distance(p[:, None], q[:, None], distances_m).tolist()
        middle = time.perf_counter()
        full.append(emd2(p / p.sum(), q / q.sum(), distances_m, numItermax=10_000_000))
        took, reference = took + middle - start, reference + time.perf_counter() - middle
    equal = np.allclose(moved, full, rtol=1e-9, atol=0)
    note = f"equal to 1e-9: {'yes' if equal else 'no'}; mean {np.mean(moved):.0f} m"
    yield against("EMD, 168 hours of Paris", took, reference, 0.4, "POT's emd2", note)
    zoom = replace(PARIS, method="zoom")
    ours = cpu_seconds(lambda: density.release(paris, zoom, rng=np.random.default_rng(0)), 7)
    yield bounded("release of Paris by zoom", ours, 0.15, "CPU")


def flow_rows() -> Iterator[Row]:
    """Draws and the exact map over ε × τ."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(1.3, DRAW_SHAPE)
    parameters = od.ODParameters(epsilon=0.5, unit="trip")
    pairs = [
        [
            timed(lambda: od.release_matrix(counts, parameters, rng=rng))[0],
            timed(lambda: rng.laplace(0.0, parameters.noise_scale, DRAW_SHAPE))[0],
        ]
        for _ in range(20)
    ]
    ours, bare = map(statistics.median, zip(*pairs, strict=True))
    yield against("one draw of 7 × 416², rounded and suppressed", ours, bare, 1.5, "NumPy's draw")
    for name, unit, limit in (("rwanda-sectors", "person-day", 4), ("afghanistan-2020", "trip", 1)):
        dataset = datasets.load(name)
        counted = od.histogram(dataset, unit, limit)
        seconds, _ = timed(lambda c=counted, t=limit: od.heat_map(c, EPSILONS, THRESHOLDS, t))
        yield bounded(f"map of 40 ε × 40 τ, {name}, {unit}", seconds, 1.0)
    sectors = datasets.load("rwanda-sectors")
    ours_of = od.ODParameters(epsilon=0.3, unit="trip", method="estimate")
    seconds = cpu_seconds(lambda: od.release(sectors, ours_of, rng=rng, days=0), 5)
    yield bounded("one day of 416² by estimate", seconds, 0.4, "CPU")


def frontier_rows() -> Iterator[Row]:
    """Every setting of rwanda-sectors, the papers' flows exactly and ours by draws."""
    dataset = datasets.load("rwanda-sectors")
    need = Need(time="whole", zones=1)
    first, _ = timed(lambda: next(iter(frontier.candidates(dataset, need))), time.process_time)
    yield bounded("the first settings, rwanda-sectors", first, 0.5, "CPU")
    fresh = datasets.load("rwanda-sectors")
    seconds, each = timed(lambda: list(frontier.candidates(fresh, need)), time.process_time)
    many = sum(1 for _ in itertools.chain.from_iterable(each))
    yield bounded("every setting, rwanda-sectors", seconds, 6.0, f"CPU; {many:,} settings")
