"""The engine: mechanisms, exact laws and judges, each beside a reference of the same run."""

import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from ot import emd2

from benchmarks.measure import Row, against, cpu_seconds, timed
from engine import datasets, density, frontier, metrics, origin_destination as od
from engine.contract import Selection, Setting, TimeSelection
from engine.frontier import Requirements
from engine.geography import centre_distances_m
from engine.origin_destination.matrices import truncated_counts
from engine.origin_destination.mechanism import perturb_and_suppress
from engine.release import BudgetLedger, opendp_noise, release
from engine.release.plan import safe_scale

PARIS = density.DensityParameters(epsilon=0.3, delta=2e-6, max_visits_per_user=30)
EPSILONS, THRESHOLDS = np.geomspace(0.01, 10, 40), np.arange(40)
DRAW_SHAPE = (7, 416, 416)


def rows() -> Iterator[Row]:
    """Yield the lines of the table of the engine."""
    yield from density_rows()
    yield from flow_rows()
    yield from frontier_rows()
    yield from release_rows()


def density_rows() -> Iterator[Row]:
    """Paris: 1,303 towers, 989 zones, 168 hours, 1,992,846 simulated people."""
    paris = datasets.load("paris")

    def make(method: str) -> density.DensityRelease:
        parameters = replace(PARIS, method=method)
        return density.release(paris, parameters, rng=np.random.default_rng(0))

    methods = "efpag_joint", "lpa"
    pairs = [  # called in turn, so that load is fair to both; the first calls warm up
        [timed(lambda m=method: make(m))[0] for method in methods] for _ in range(21)
    ][1:]
    ours, plain = map(statistics.median, zip(*pairs, strict=True))
    yield against("release of Paris, efpag_joint, against lpa", ours, plain, 4, "lpa")
    truth, counts = density.truth(paris), make("efpag_joint").counts
    distances_m = centre_distances_m(paris.zones)
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
    zoom = replace(PARIS, method="multiscale")
    ours = cpu_seconds(lambda: density.release(paris, zoom, rng=np.random.default_rng(0)), 7)
    yield Row("release of Paris by multiscale", ours, 0.15, "CPU")


def flow_rows() -> Iterator[Row]:
    """Draws and the exact map over ε × τ."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(1.3, DRAW_SHAPE)
    parameters = od.ODParameters(epsilon=0.5, unit="trip")

    def draw() -> object:
        return perturb_and_suppress(counts, parameters, rng.laplace(0.0, 1.0, DRAW_SHAPE))

    pairs = [
        [timed(draw)[0], timed(lambda: rng.laplace(0.0, parameters.noise_scale, DRAW_SHAPE))[0]]
        for _ in range(20)
    ]
    ours, bare = map(statistics.median, zip(*pairs, strict=True))
    yield against("one draw of 7 × 416², rounded and suppressed", ours, bare, 1.5, "NumPy's draw")
    for name, unit, limit in (("rwanda-sectors", "person-day", 4), ("afghanistan-2020", "trip", 1)):
        dataset = datasets.load(name)
        counted = od.compute_histogram(dataset, unit, limit)
        seconds, _ = timed(
            lambda c=counted, t=limit: od.compute_error_grid(c, EPSILONS, THRESHOLDS, t)
        )
        yield Row(f"map of 40 ε × 40 τ, {name}, {unit}", seconds, 1.0)
    sectors = datasets.load("rwanda-sectors")
    ours_of = od.ODParameters(epsilon=0.3, unit="trip", method="empirical_bayes")
    seconds = cpu_seconds(lambda: od.release(sectors, ours_of, rng=rng, days=0), 5)
    yield Row("one day of 416² by empirical Bayes", seconds, 0.4, "CPU")


def frontier_rows() -> Iterator[Row]:
    """Every setting of rwanda-sectors, the papers' flows exactly and ours by draws."""
    seen = Selection(dataset_id="rwanda-sectors", time=TimeSelection(aggregation="whole"))
    dataset, need = datasets.load(seen.dataset_id), Requirements(selection=seen, unit="person")
    first, *others = frontier.plan_batches(dataset, need)
    seconds, some = timed(lambda: frontier.evaluate_batch(dataset, first), time.process_time)
    yield Row("the required settings, rwanda-sectors", seconds, 0.5, "CPU")
    more, each = timed(
        lambda: [frontier.evaluate_batch(dataset, part) for part in others], time.process_time
    )
    many = len(some) + sum(map(len, each))
    yield Row("every setting, rwanda-sectors", seconds + more, 6.0, f"CPU; {many:,} settings")


def release_rows() -> Iterator[Row]:
    """Time a release against its sampler alone: how much is not OpenDP's."""
    name = "afghanistan-districts"
    dataset = datasets.load(name)
    parameters = od.ODParameters(epsilon=0.5, max_trips_per_user=4)
    pairs = ~np.eye(len(dataset.zones), dtype=bool)
    days = [truncated_counts(dataset, "person-day", 4, (day,))[0][pairs] for day in range(7)]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ledger = BudgetLedger(folder / "ledger.sqlite")
        ledger.declare("people", datasets=[name], unit="person", epsilon=1e6, manager="benchmark")

        def one_release(out: str, when: TimeSelection) -> None:
            setting = Setting(
                selection=Selection(dataset_id=name, time=when), parameters=parameters
            )
            given = {"ledger": ledger, "tuning": "simulated", "trips": 10**9}
            release(setting, datasets.load(name), folder / out, **given)

        one_release("one", TimeSelection(last_position=0))  # loads the libraries
        ours, _ = timed(lambda: one_release("all", TimeSelection()), time.process_time)
    scale = safe_scale(parameters.max_trips_per_user, parameters.epsilon)
    alone, _ = timed(
        lambda: [opendp_noise.discrete_laplace(counts, scale) for counts in days], time.process_time
    )
    work = "release of 7 × 421² flows, bundle and ledger"
    yield against(work, ours, alone, 1.2, "OpenDP's draws", "CPU")
