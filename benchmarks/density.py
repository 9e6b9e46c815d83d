"""Density at Paris scale: 1,303 towers, 989 zones, 168 hours, 1,992,846 simulated people."""

import resource
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from ot import emd2

from benchmarks.measure import Row, against, bounded, median_seconds, timed
from engine import datasets, density, metrics
from engine.datasets import Dataset
from engine.density.mechanism import cluster_cells
from engine.sweeping import sweep

PARAMETERS = density.DensityParameters(epsilon=0.3, delta=2e-6, max_visits_per_user=30)
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0)


def rows() -> Iterator[Row]:
    paris = datasets.load("paris")
    yield from loading()
    yield from releasing(paris)
    yield from clustering()
    yield from sweeping(paris)
    yield earth_movers_distance(paris)


def loading() -> Iterator[Row]:
    def load() -> Dataset:
        dataset = datasets.load("paris")
        density.cover_series(dataset, 30)
        return dataset

    cold = median_seconds(load, repeats=3)
    yield bounded("load Paris, first pre-sampling", cold, 1)
    dataset = load()
    fresh = iter(range(31, 60))
    another = median_seconds(lambda: density.cover_series(dataset, next(fresh)))
    yield bounded("pre-sample another ℓ", another, 0.05)


def releasing(paris: Dataset) -> Iterator[Row]:
    def make(method: str) -> density.DensityRelease:
        parameters = replace(PARAMETERS, method=method)
        return density.release(paris, parameters, rng=np.random.default_rng(0))

    for method in ("efpag_joint", "efpag", "efpa"):
        pairs = [  # called in turn, so that load is fair to both
            [median_seconds(lambda v=one: make(v), 1) for one in (method, "lpa")] for _ in range(20)
        ]
        ours, plain = map(statistics.median, zip(*pairs, strict=True))
        work, note = f"release, {method}, against lpa", f"{len(make(method).shapes)} clusters"
        if method == "efpag_joint":
            yield against(work, ours, plain, 4, "lpa", note)
        else:
            yield Row(work, ours, plain, note=note)


def clustering() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    for cells, limit in ((930, 0.015), (9_300, 0.15)):
        totals, centres = rng.gamma(1.0, 1.0, cells), rng.uniform(0, 1e4, (cells, 2))

        def cluster(totals=totals, centres=centres) -> None:
            cluster_cells(totals, centres, np.ones(len(totals)), totals.sum() / 50)

        ours = median_seconds(cluster, repeats=10)
        yield bounded(f"cluster {cells:,} cells", ours, limit)


def sweeping(paris: Dataset) -> Iterator[Row]:
    methods = ("lpa", "efpa", "efpag", "efpag_joint")
    settings = [PARAMETERS.at(epsilon, method) for method in methods for epsilon in EPSILONS]
    before = peak_megabytes()
    start = time.perf_counter()
    results = sweep(density, paris, settings, 20, rng=np.random.default_rng(0))
    first, _ = timed(lambda: next(results))
    count = 1 + sum(1 for _ in results)
    whole = time.perf_counter() - start
    grown = peak_megabytes() - before
    yield bounded("sweep, first result", first, 1)
    note = f"{count} releases, peak memory {peak_megabytes():.0f} MB, of it {grown:.0f} MB new"
    yield bounded("sweep 10 ε × 20 repeats × 4 methods", whole, 20, note)


def earth_movers_distance(paris: Dataset) -> Row:
    truth = density.truth(paris)
    counts = density.release(paris, PARAMETERS, rng=np.random.default_rng(0)).counts
    distances_m = paris.tessellation.zone_distances_m
    ours, full, took, reference = [], [], 0.0, 0.0
    for hour in range(truth.shape[1]):  # hour by hour, so that a busy machine is fair to both
        p, q = truth[:, hour], counts[:, hour]
        start = time.perf_counter()
        ours += metrics.earth_movers_distance(p[:, None], q[:, None], distances_m).tolist()
        middle = time.perf_counter()
        full.append(emd2(p / p.sum(), q / q.sum(), distances_m, numItermax=10_000_000))
        took, reference = took + middle - start, reference + time.perf_counter() - middle
    equal = np.allclose(ours, full, rtol=1e-9, atol=0)
    note = f"equal to 1e-9: {'yes' if equal else 'no'}; mean {np.mean(ours):.0f} m"
    met = bool(equal and took <= 0.4 * reference)
    return Row("EMD, 168 hours, against POT's emd2", took, reference, "≤ 0.4 ×", met, note)


def peak_megabytes() -> float:
    """Return the peak resident memory of this process."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024**2 if sys.platform == "darwin" else 1024)
