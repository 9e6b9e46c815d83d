"""Every setting of the flows: the published ones exactly, methods without a law by draws.

One histogram serves all τ and ε of a view, unit and T.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
from scipy.special import bdtrc

from .. import attack, origin_destination as od, sweeping, usability
from ..arrays import Booleans, Counts, Floats
from ..datasets import Dataset
from ..parameters import EPSILON_STOPS, ODMethod, ODParameters
from ..resolution import Resolution, ZoneLevel, coarsen
from ..usability import CONFIDENCE, Flows
from .candidate import Candidate
from .need import Need, Protected, Span, levels, spans

LIMITS = (1, 2, 4, 10, 30, 100)
"""T."""
THRESHOLDS = (0, 5, 10, 15, 30)
"""τ. A τ of 1 is left out: what is released is the same as at 0."""

DRAWN_EPSILONS = (0.1, 0.3, 1.0)
DRAWN_LIMITS = {"day": 4, "week": 10, "period": 30}
"""ε, and T by span, of what is judged by draws: fewer, since a whole release is behind each."""
DRAWS = 20
"""Releases of each: a flow passes if 19 of them get it right, the 95% that exact laws ask."""
_YARDSTICK = next(method for method, row in od.METHODS.items() if row.expected is not None)


def steps(dataset: Dataset, need: Need) -> list[tuple[ZoneLevel, Span]]:
    """Return the views to judge: those that meet the need first, coarse before fine."""
    zones, matrices = need.least_zones(dataset), need.least_matrices(dataset)
    views = [(level, span) for level in levels(dataset) for span in spans(dataset)]
    views.sort(key=lambda view: view[0].zones < zones or view[1].matrices < matrices)
    return views


def meeting(dataset: Dataset, need: Need) -> list[tuple[ZoneLevel, Span, Protected]]:
    """Return the views that meet the need with what may be protected there, coarse before fine."""
    zones, matrices = need.least_zones(dataset), need.least_matrices(dataset)
    return [
        (level, span, unit)
        for level, span in steps(dataset, need)
        if level.zones >= zones and span.matrices >= matrices
        for unit in span.units
        if need.unit == "person-day" or unit == "person"
    ]


def judged(dataset: Dataset, need: Need) -> Iterator[tuple[float, tuple[Candidate, ...]]]:
    """Yield the share that is done and the candidates of one view, unit and T at a time.

    Views whose first matrix has no trip between zones have nothing to judge and are left out.
    """
    views = steps(dataset, need)
    days = len(dataset.metadata.days)
    risk = _risks(days)
    for index, (level, span) in enumerate(views):
        candidate = _at(level, span, days)
        view = coarsen(dataset, Resolution(zones=level.name, time=span.time))
        kept: list[tuple[Protected, int]] = list(product(span.units, LIMITS))
        for position, (unit, limit) in enumerate(kept, 1):
            done = (index + position / len(kept)) / len(views)
            counted = od.histogram(view, unit, limit, days=0)
            if counted.true_trips == 0:
                yield done, ()
                continue
            flows = Flows.of(counted)
            errors = od.heat_map(counted, EPSILON_STOPS, THRESHOLDS, limit).mean_absolute
            errors = errors * (counted.cells.sum() / counted.true_trips)
            batch: list[Candidate] = []
            settings = product(enumerate(EPSILON_STOPS), enumerate(THRESHOLDS))
            for (row, epsilon), (column, threshold) in settings:
                parameters = ODParameters(
                    epsilon=epsilon,
                    max_trips_per_user=limit,
                    suppression_threshold=threshold,
                    unit=unit,
                )
                batch.append(
                    candidate(
                        parameters=parameters,
                        risk=risk(unit, epsilon, span.time != "day"),
                        use=usability.usable_share(flows, parameters),
                        error=float(errors[row, column]),
                    )
                )
            yield done, tuple(batch)


def drawn(
    dataset: Dataset, need: Need, rng: np.random.Generator
) -> Iterator[tuple[float, tuple[Candidate, ...]]]:
    """Yield the share that is done and the candidates of one view, unit and method at a time.

    Methods without an exact law, in the views that meet the need, coarse before fine. Flows are
    judged as the published ones are: right in 95% of releases, one by one. Passing in 19 of 20
    draws is easier than that, by up to four points of use, so the draws of a method whose share is
    known exactly are judged beside it, and what the rule adds there is taken off here.
    """
    methods: list[ODMethod] = [method for method, row in od.METHODS.items() if row.expected is None]
    work = list(product(meeting(dataset, need), methods))
    days = len(dataset.metadata.days)
    risk, numbered = _risks(days), sweeping.generators(rng)
    for index, ((level, span, unit), method) in enumerate(work):
        candidate, batch = _at(level, span, days), list[Candidate]()
        view = coarsen(dataset, Resolution(zones=level.name, time=span.time))
        true = od.truth(view, days=0)[0]
        limit = DRAWN_LIMITS[span.time]
        settings = [
            ODParameters(epsilon=epsilon, max_trips_per_user=limit, unit=unit, method=method)
            for epsilon in DRAWN_EPSILONS
        ]
        plain = [replace(one, method=_YARDSTICK, suppression_threshold=0) for one in settings]
        both = [*settings, *plain] if true.any() else []
        hits: list[Floats] = [np.zeros(true.shape) for _ in both]
        errors = [0.0 for _ in both]
        for point in sweeping.sweep(
            od, view, both, DRAWS, rng=numbered(index), score=_near_and_off, days=0
        ):
            near, off = point.scores
            hits[point.setting] += near
            errors[point.setting] += off / DRAWS
        shares = [usability.judge_drawn_trips(true, near / DRAWS).usable_share for near in hits]
        spreads = [standard_error(true, near, DRAWS) for near in hits]
        counted = Flows.of(od.histogram(view, unit, limit, days=0))
        for own, parameters in enumerate(settings if both else []):
            other = own + len(settings)
            exact = usability.usable_share(counted, both[other])
            batch.append(
                candidate(
                    parameters=parameters,
                    risk=risk(unit, parameters.epsilon, span.time != "day"),
                    use=min(max(shares[own] - shares[other] + exact, 0.0), 1.0),
                    use_error=float(np.hypot(spreads[own], spreads[other])),
                    error=errors[own],
                )
            )
        yield (index + 1) / len(work), tuple(batch)


def _at(level: ZoneLevel, span: Span, days: int) -> "partial[Candidate]":
    """Return what makes candidates of one view."""
    resolution = Resolution(zones=level.name, time=span.time)
    matrices = span.matrices
    return partial(
        Candidate, resolution=resolution, zones=level.zones, matrices=matrices, days=days
    )


def _near_and_off(true: Counts, release: Any) -> tuple[Booleans, float]:
    """Return which flows a release gets right, and its absolute error per trip."""
    released = release.as_shown
    near = usability.near_flows(true, released, release.shown)[0]
    return near, float(np.abs(released - true).sum()) / float(true.sum())


def standard_error(true: Counts, near: Floats, draws: int) -> float:
    """Return the standard error of the share of trips in flows that nearly all draws get right.

    A flow that is right in a share p of all releases passes with P(Bin(draws, p) ≥ k), k of them
    being 95%; p is estimated by (near + ½)/(draws + 1). Flows have noise of their own, so that
    the variances of their trips add up.

    Parameters
    ----------
    true, near : arrays of one shape
        Trips, and in how many draws `usability.near_flows` holds.
    """
    needed = np.ceil(CONFIDENCE * draws - 1e-9)
    passes = bdtrc(needed - 1, draws, (near + 0.5) / (draws + 1))
    return float(np.sqrt((true**2 * passes * (1 - passes)).sum()) / true.sum())


def _risks(days: int) -> Callable[[Protected, float, bool], float]:
    @cache
    def risk(unit: Protected, epsilon: float, added_up: bool) -> float:
        parameters = ODParameters(epsilon=epsilon, unit=unit)
        return attack.worth_of_trips(parameters, days, added_up=added_up).best_guess

    return risk
