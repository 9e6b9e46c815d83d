"""Our flows beside the papers', on the same noise; and changes told."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine import datasets, frontier, origin_destination as od
from engine.contract import Selection, TimeSelection
from engine.datasets import Dataset
from engine.frontier.evaluation import DRAWN_RISKS, DRAWN_TRIP_LIMITS
from engine.origin_destination import change
from engine.utility import drawn_utilities
from research.rows import Row, row

EPSILONS, DRAWS, DAY = (0.3, 1.0, 3.0), 5, 6
LIMITS = {"trip": (1,), "person-day": (1, 4, 10), "person": (4, 30)}
NEEDS = (("person", "whole"), ("person-day", "week"), ("person-day", "day"))
FRESH_SEED, FRESH_DRAWS = 777, 4


def rows(*folders: str) -> Iterator[Row]:
    """Yield scores by data, ε and method; of the datasets in `folders`, only recommendations."""
    for folder in folders:
        yield from recommendations(datasets.load(folder), "clusters-30")
    if folders:
        return
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


def recommendations(dataset: Dataset, level: str) -> Iterator[Row]:
    """Yield the common part of recommended settings: promised, of fresh draws, and the regret.

    The regret is against every T at the same values of ε, and against all exact candidates.
    """
    for (unit, step), risk in itertools.product(NEEDS, DRAWN_RISKS):
        selection = Selection(
            dataset_id=dataset.id, zone_level=level, time=TimeSelection(aggregation=step)
        )
        need = frontier.Requirements(selection=selection, unit=unit)
        batches = [part for part in frontier.plan_batches(dataset, need) if part[0] == selection]
        judged = tuple(c for part in batches for c in frontier.evaluate_batch(dataset, part))
        found = frontier.EvaluatedSettings(
            requirements=need, candidates=judged, is_confidential=False
        )
        best = found.recommend(risk)
        within = [c for c in found.eligible_candidates if c.is_within_risk(risk)]
        shares = {
            c.setting.parameters: c.utility.common_part for c in within if not c.utility.draws
        }
        parameters = {
            replace(c.setting.parameters, max_trips_per_user=limit)
            for c, limit in itertools.product(within, DRAWN_TRIP_LIMITS)
            if c.utility.draws
        }
        fresh = drawn_utilities(
            dataset, selection, list(parameters), seed=FRESH_SEED, draws=FRESH_DRAWS
        )
        shares |= {each: utility.common_part for each, utility in fresh.items()}
        delivered = shares[best.setting.parameters]
        setting = f"{dataset.id}, {step}, risk {risk:g}: {best.setting.parameters}"
        for what, value in (
            ("promised", best.utility.common_part),
            ("delivered", delivered),
            ("regret", max(shares.values()) - delivered),
        ):
            yield row("recommendations", what, setting, value)
