"""Cached wrappers of origin–destination numbers: dataset key, settings and seed, never arrays."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from engine import origin_destination as od
from engine.arrays import Booleans, Numbers
from engine.contract import Seen
from engine.origin_destination.exact import Expectation, HeatMap, Outcomes, Population, Share
from engine.origin_destination.matrices import CountHistogram
from engine.origin_destination.scores import TripScores, drawn_outcomes
from engine.origin_destination.trimming import TrimmingCurve
from engine.parameters import EPSILON_STOPS, ODParameters
from pages._ui.cache import scope as cached_scope, verbs
from pages._ui.cache.datasets import dataset, frozen
from pages._ui.cache.draws import REPEATS
from pages._ui.cache.window import Window
from pages._ui.shell.settings import Seed

_CELLS_AT_ONCE = 2_000_000
GRID_THRESHOLDS = tuple(range(0, 101, 5))


@dataclass(frozen=True, eq=False)
class Drawn:
    """One draw of a window, whichever method made it; of several days what they add up to.

    `counts` are to add up, `shown` is the number of each flow by itself, 0 where it is not shown;
    `lost` and `phantom` are pairs with at least one matrix in which that happened.
    """

    counts: Numbers
    shown: Numbers
    outcomes: Outcomes
    lost: Booleans
    phantom: Booleans


@cached_scope.resource(max_entries=12, show_spinner="Drawing the noise …")
def drawn(key: Seen, parameters: ODParameters, seed: Seed, window: Window) -> Drawn:
    """Return the draw on the page; each day has noise of its own, which follows the settings."""
    source, least = dataset(key), parameters.least_shown
    days = range(len(source.metadata.periods)) if window.several else range(1)
    most = max(1, _CELLS_AT_ONCE // len(source.zones) ** 2)
    off = ~np.eye(len(source.zones), dtype=bool)
    counts: Any = 0
    shown: Any = 0
    records: list[Outcomes] = []
    lost, phantom = np.zeros((2, *off.shape), dtype=bool)
    for start in range(0, len(days), most):
        part = list(days[start : start + most])
        if window.several:
            true = od.truth(source, days=part)
            noises = [verbs.flow_noise(key, seed, Window(day)).cells for day in part]
            noise = od.ODNoise(cells=np.concatenate(noises))
            release = od.release(source, parameters, noise=noise, days=part)
        else:
            true = verbs.truth(key, window)[None]
            release = verbs.release(key, parameters, seed, window)
        seen = release.as_shown
        counts = counts + release.counts.sum(axis=0)
        shown = shown + seen.sum(axis=0)
        records.append(drawn_outcomes(true, seen, least))
        lost |= ((true >= least) & (seen == 0) & off).any(axis=0)
        phantom |= ((true == 0) & (seen > 0) & off).any(axis=0)
    return frozen(Drawn(counts, shown, _added(records), lost, phantom))


def agreed(
    key: Seen, parameters: ODParameters, seed: Seed, window: Window, repeat: int = 0
) -> TripScores:
    """Return how one draw of one matrix agrees with the truth; all methods read one noise."""
    return _agreed(key, verbs.used(parameters), seed, window, repeat)


@cached_scope.resource(max_entries=512, show_spinner=False)
def _agreed(
    key: Seen, parameters: ODParameters, seed: Seed, window: Window, repeat: int
) -> TripScores:
    one: Any = verbs.draw if repeat else verbs.release  # only the first draw is on the page
    release, true = one(key, parameters, seed, window, repeat), verbs.truth(key, window)
    return frozen(od.scores(true[None], release))


def repeated(
    key: Seen, methods: tuple[ODParameters, ...], seed: Seed, window: Window, repeats: int = REPEATS
) -> Iterator[tuple[tuple[TripScores, ...], ...]]:
    """Yield what one draw, two, … of each method have found, for those without an exact law."""
    every: list[list[TripScores]] = [[] for _ in methods]
    for repeat in range(repeats):
        for known, parameters in zip(every, methods, strict=True):
            known.append(agreed(key, parameters, seed, window, repeat))
        yield tuple(map(tuple, every))


def mean_error(key: Seen, parameters: ODParameters, seed: Seed, window: Window) -> float:
    """Return the mean absolute error of a flow, exactly where there is a law, else in one draw."""
    exact = verbs.expected(key, parameters, window)
    if exact is not None:
        return exact.mean_error()
    return agreed(key, parameters, seed, window).mean_error


def expectation(key: Seen, parameters: ODParameters, window: Window) -> Expectation:
    """Return the exact expectation over the window's matrices, of a method that has one."""
    exact = verbs.expected(key, parameters, window)
    assert exact is not None  # whoever asks has seen that the method has a law
    return exact


@cached_scope.data(max_entries=256, show_spinner="Computing the distribution of errors …")
def error_curve(
    key: Seen,
    parameters: ODParameters,
    window: Window,
    population: Population,
    relative: bool,
    points: tuple[float, ...],
) -> list[float]:
    """Return the share of cells whose error is at most each of `points` (P2, figure 2)."""
    exact = expectation(key, parameters, window)
    within = exact.relative_error_within if relative else exact.absolute_error_within
    return [float(share) for share in within(points, population)]


@cached_scope.resource(max_entries=24, show_spinner="Computing the grid …")
def grid(key: Seen, parameters: ODParameters, window: Window) -> HeatMap:
    """Return the exact measures over all stops of ε × `GRID_THRESHOLDS`, of flows with a trip.

    ε and τ of `parameters` should be fixed ones, so that moving a slider finds the same grid.
    """
    counted, limit = _counted(key, parameters, window), parameters.max_trips_per_user
    return od.heat_map(counted, EPSILON_STOPS, GRID_THRESHOLDS, limit, population="travelled")


@cached_scope.resource(max_entries=64, show_spinner="Comparing values of T …")
def trimming(key: Seen, parameters: ODParameters, window: Window) -> TrimmingCurve:
    """Return the expected error over T; the T of `parameters` should be a fixed one."""
    return od.trimming_curve(dataset(key), parameters, **window.arguments)


def _counted(key: Seen, parameters: ODParameters, window: Window) -> CountHistogram:
    """Return how many flows hold how many trips, before and after trimming."""
    limit = parameters.max_trips_per_user
    return od.histogram(dataset(key), parameters.unit, limit, **window.arguments)


def _added(records: list[Outcomes]) -> Outcomes:
    def total(name: str) -> Share:
        parts = [getattr(record, name) for record in records]
        return Share(
            cells=np.sum([part.cells for part in parts]),
            trips=np.sum([part.trips for part in parts]),
        )

    return Outcomes(**{field.name: total(field.name) for field in fields(Outcomes)})
