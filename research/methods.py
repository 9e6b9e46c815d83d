"""Our flows beside the papers', on the same noise; and changes told."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine import datasets, origin_destination as od
from engine.datasets import Dataset
from engine.origin_destination import change
from research.rows import Row, row

EPSILONS, DRAWS, DAY = (0.3, 1.0, 3.0), 5, 6
LIMITS = {"trip": (1,), "person-day": (1, 4, 10), "person": (4, 30)}


def rows() -> Iterator[Row]:
    """Yield scores by data, ε and method."""
    for name in datasets.available():
        dataset = datasets.load(name)
        if dataset.metadata.simulated and dataset.has_trips:
            yield from flows(name, dataset)
    for name in ("rwanda-districts", "afghanistan-provinces"):
        yield from changes(name, datasets.load(name))


def flows(name: str, dataset: Dataset) -> Iterator[Row]:
    """Yield mean absolute error and common part of the papers' flows (τ 15 and 0) and of ours."""
    for unit, limits in LIMITS.items():
        if unit == "person" and not dataset.has_person_ranks:
            continue
        whole = unit == "person"
        when = {"days": None if whole else slice(DAY, DAY + 1), "sum_days": whole}
        true = od.truth(dataset, **when)
        for limit in limits:
            for epsilon in EPSILONS:
                plain = od.ODParameters(epsilon=epsilon, max_trips_per_user=limit, unit=unit)
                methods = {
                    "τ = 15": plain,
                    "τ = 0": replace(plain, suppression_threshold=0),
                    "estimate": replace(plain, method="empirical_bayes"),
                }
                scored = {method: [] for method in methods}
                for draw in range(DRAWS):
                    rng = np.random.default_rng(draw)
                    noise = od.draw_noise(dataset, plain, rng=rng, **when)
                    for method, parameters in methods.items():
                        drawn = od.release(dataset, parameters, noise=noise, **when)
                        scored[method].append(od.scores(true, drawn))
                setting = f"{name}, T = {limit}, ε = {epsilon:g}"
                for method, each in scored.items():
                    errors, common = zip(
                        *((s.mean_error, s.common_part) for s in each), strict=True
                    )
                    yield row(f"flows, {unit}", f"mean absolute error: {method}", setting, errors)
                    yield row(f"flows, {unit}", f"common part: {method}", setting, common)


def changes(name: str, dataset: Dataset) -> Iterator[Row]:
    """Yield what is told between the first and the last three days, and of changes by a fifth."""
    spans = slice(0, 3), slice(4, 7)
    plain = od.ODParameters(epsilon=1.0, max_trips_per_user=4)
    true = [od.truth(dataset, days=days, sum_days=True)[0] for days in spans]
    counts = [od.truncated_matrices(dataset, plain, days=days, sum_days=True)[0] for days in spans]
    for epsilon in (0.1, 0.5, 1.0, 2.0):
        at = plain.with_epsilon(epsilon)
        known = change.simulate_power(
            counts, true, change.noise_distribution(at), least_shown=at.min_shown_count,
            rng=np.random.default_rng(0), size=100,
        )  # fmt: skip
        for what, value in known._asdict().items():
            yield row("changes", what, f"{name}, ε = {epsilon:g}", value)
