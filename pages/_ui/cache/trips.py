"""Cached wrappers of origin–destination numbers: dataset key, settings and seed, never arrays."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from engine import origin_destination as od, usability
from engine.arrays import Booleans, Floats, Numbers
from engine.origin_destination import laws
from engine.origin_destination.agreement import Agreement
from engine.origin_destination.drawn import drawn_cells, drawn_outcomes
from engine.origin_destination.exact.expected import Expectation, Population
from engine.origin_destination.exact.grid import HeatMap
from engine.origin_destination.exact.histogram import CountHistogram
from engine.origin_destination.exact.outcomes import Outcomes, Share
from engine.origin_destination.scoring import (
    TripAccount,
    TripScores,
    ZeroAccount,
    expected_scores,
    trip_account,
    zero_account,
)
from engine.origin_destination.trimming import TrimmingCurve
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.resolution import Key
from engine.usability import Flows, TripsUsability
from pages._ui.cache import scope as cached_scope, verbs
from pages._ui.cache.datasets import dataset, frozen
from pages._ui.cache.draws import REPEATS
from pages._ui.cache.window import Window
from pages._ui.shell.settings import Seed

_CELLS_AT_ONCE = 2_000_000
GRID_THRESHOLDS = tuple(range(0, 101, 5))


@dataclass(frozen=True, eq=False)
class Drawn:
    """One draw of a window, whichever method made it.

    Attributes
    ----------
    counts : array, shape (zones, zones)
        Released trips, to add up; for several days the sum of their releases.
    shown : array, shape (zones, zones)
        The number that is shown of each flow by itself, 0 where it is not shown.
    outcomes : Outcomes
        Over all matrices, of what is shown.
    lost, phantom : bool arrays, shape (zones, zones)
        Pairs with at least one matrix in which a flow of at least max(τ, 1) reads 0, and in which
        a flow is shown where nobody travelled.
    below, below_travelled : float
        Share of shown cells under τ′ = max(τ, 1), of all and of those with a true trip; NaN
        where there is none.
    """

    counts: Numbers
    shown: Numbers
    outcomes: Outcomes
    lost: Booleans
    phantom: Booleans
    below: float
    below_travelled: float


@dataclass(frozen=True, eq=False)
class Agreed:
    """How one draw agrees with the truth.

    Attributes
    ----------
    agreement : Agreement
    near : bool array, shape (zones, zones)
        Flows that are shown and within a quarter of the truth.
    """

    agreement: Agreement
    near: Booleans


@dataclass(frozen=True, eq=False)
class Draws:
    """What repeated draws of one method have found so far.

    Attributes
    ----------
    agreements : tuple of Agreement
        One a draw; the first is the draw on the page.
    near : array, shape (zones, zones)
        Share of draws in which a flow is shown and within a quarter of the truth.
    """

    agreements: tuple[Agreement, ...]
    near: Floats


@dataclass(frozen=True)
class TripNumbers:
    """What a release is expected to do, exactly: no draw.

    Attributes
    ----------
    scores : TripScores
    account : TripAccount
        Trips, from the truth to the release.
    zeros : ZeroAccount
        Pairs that read 0, from the truth to the release.
    judged : TripsUsability
    """

    scores: TripScores
    account: TripAccount
    zeros: ZeroAccount
    judged: TripsUsability


@cached_scope.resource(max_entries=12, show_spinner="Drawing the noise …")
def drawn(key: Key, parameters: ODParameters, seed: Seed, window: Window) -> Drawn:
    """Return the draw on the page; each day has noise of its own, which follows the settings."""
    source, threshold = dataset(key), parameters.suppression_threshold
    days = range(len(source.metadata.periods)) if window.several else range(1)
    most = max(1, _CELLS_AT_ONCE // len(source.zones) ** 2)
    counts: Any = 0
    shown: Any = 0
    records: list[Outcomes] = []
    lost, phantom = np.zeros((2, len(source.zones), len(source.zones)), dtype=bool)
    cells = np.zeros(4)
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
        counts = counts + release.counts.sum(axis=0)
        shown = shown + release.as_shown.sum(axis=0)
        records.append(drawn_outcomes(true, release.as_shown, threshold))
        one = drawn_cells(true, release.as_shown, threshold)
        lost |= one.lost.any(axis=0)
        phantom |= one.phantom.any(axis=0)
        cells += (one.below, one.cells, one.below_travelled, one.travelled)
    below, travelled = _share(*cells[:2]), _share(*cells[2:])
    return frozen(Drawn(counts, shown, _added(records), lost, phantom, below, travelled))


def agreed(
    key: Key, parameters: ODParameters, seed: Seed, window: Window, repeat: int = 0
) -> Agreed:
    """Return how one draw of one matrix agrees with the truth; all methods read one noise."""
    return _agreed(key, verbs.used(parameters), seed, window, repeat)


@cached_scope.resource(max_entries=512, show_spinner=False)
def _agreed(key: Key, parameters: ODParameters, seed: Seed, window: Window, repeat: int) -> Agreed:
    one: Any = verbs.draw if repeat else verbs.release  # only the first draw is on the page
    release, true = one(key, parameters, seed, window, repeat), verbs.truth(key, window)
    number, shown, sums = release.typical[0], release.shown[0], release.counts[0]
    agreement = od.agreement(true, number, shown, sums=sums)
    return frozen(Agreed(agreement, usability.near_flows(true, number, shown)))


def repeated(
    key: Key, methods: tuple[ODParameters, ...], seed: Seed, window: Window, repeats: int = REPEATS
) -> Iterator[tuple[Draws, ...]]:
    """Yield what one draw, two, … of each method have found, for those without an exact law."""
    every: list[list[Agreed]] = [[] for _ in methods]
    for repeat in range(repeats):
        for known, parameters in zip(every, methods, strict=True):
            known.append(agreed(key, parameters, seed, window, repeat))
        yield tuple(
            Draws(
                tuple(one.agreement for one in known), np.mean([one.near for one in known], axis=0)
            )
            for known in every
        )


def mean_error(key: Key, parameters: ODParameters, seed: Seed, window: Window) -> float:
    """Return the mean absolute error of a flow, exactly where there is a law, else in one draw."""
    exact = verbs.expected(key, parameters, window)
    if exact is not None:
        return exact.errors["all"].mean_absolute
    return agreed(key, parameters, seed, window).agreement.mean_error


def expectation(key: Key, parameters: ODParameters, window: Window) -> Expectation:
    """Return the exact expectation over the window's matrices, of a method that has one."""
    exact = verbs.expected(key, parameters, window)
    assert exact is not None  # whoever asks has seen that the method has a law
    return exact


@cached_scope.data(max_entries=4096, show_spinner=False)
def numbers(key: Key, parameters: ODParameters, window: Window) -> TripNumbers:
    """Return what a release is expected to do to the window's trips, exactly."""
    exact = expectation(key, parameters, window)
    return TripNumbers(
        scores=expected_scores(exact),
        account=trip_account(exact),
        zeros=zero_account(exact),
        judged=usability.judge_trips(Flows.of(exact.histogram), parameters),
    )


@cached_scope.data(max_entries=4096, show_spinner=False)
def usable_share(key: Key, parameters: ODParameters, window: Window) -> float:
    """Return the share of all trips that lies in usable flows."""
    return usability.usable_share(Flows.of(_counted(key, parameters, window)), parameters)


def empty_share(key: Key, parameters: ODParameters, window: Window) -> float:
    """Return the share of ordered pairs of zones on which nobody travelled."""
    counted = _counted(key, parameters, window)
    return _share(float(counted.cells[counted.true == 0].sum()), float(counted.cells.sum()))


@cached_scope.data(max_entries=256, show_spinner=False)
def below(key: Key, parameters: ODParameters, window: Window) -> dict[str, tuple[float, float]]:
    """Return the true and expected share of cells under τ′, by population (Table S2)."""
    exact = expectation(key, parameters, window)
    counted, limit = exact.histogram, parameters.least_shown
    # what is released is 0 or at least τ′
    reads_below = laws.suppressed_probability(
        exact.law, counted.kept, parameters.suppression_threshold
    )
    shares: dict[str, tuple[float, float]] = {}
    for population in ("all", "travelled"):
        weights = exact.weights(population)
        cells = float(weights.sum())
        shares[population] = (
            _share(float(weights[counted.true < limit].sum()), cells),
            _share(float(weights @ reads_below), cells),
        )
    return shares


@cached_scope.data(max_entries=256, show_spinner="Computing the distribution of errors …")
def error_curve(
    key: Key,
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
def grid(key: Key, parameters: ODParameters, window: Window, population: Population) -> HeatMap:
    """Return the exact measures over all stops of ε × `GRID_THRESHOLDS`.

    ε and τ of `parameters` should be fixed ones, so that moving a slider finds the same grid.
    """
    counted = _counted(key, parameters, window)
    return od.heat_map(
        counted,
        EPSILON_STOPS,
        GRID_THRESHOLDS,
        parameters.max_trips_per_user,
        population=population,
    )


@cached_scope.data(max_entries=512, show_spinner=False)
def trimming(key: Key, parameters: ODParameters, window: Window) -> TrimmingCurve:
    """Return the curve over T at the one T of `parameters`, so that T arrive one by one."""
    limits = [parameters.max_trips_per_user]
    return od.trimming_curve(dataset(key), parameters, limits, **window.arguments)


def _counted(key: Key, parameters: ODParameters, window: Window) -> CountHistogram:
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


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else float("nan")
