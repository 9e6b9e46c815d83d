"""Cached wrappers of origin–destination numbers: dataset key, settings and seed, never arrays."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from engine import origin_destination as od
from engine import usability
from engine.arrays import Integers
from engine.datasets import Dataset
from engine.origin_destination import HeatMap, Outcomes, Share, TripScores, laws
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.usability import Flows, TripsUsability
from pages._ui.cache import scope as cached_scope
from pages._ui.cache.datasets import dataset, frozen
from pages._ui.cache.draws import generator
from pages._ui.cache.window import Window
from pages._ui.shell.settings import Seed

_CELLS_AT_ONCE = 2_000_000
GRID_THRESHOLDS = tuple(range(0, 101, 5))


@dataclass(frozen=True, eq=False)
class Drawn:
    """One draw of a window.

    Attributes
    ----------
    counts : array, shape (zones, zones)
        Released trips; for several days the sum of their releases.
    outcomes : Outcomes
        Over all matrices.
    lost, phantom : bool arrays, shape (zones, zones)
        Pairs with at least one matrix in which a flow of at least max(τ, 1) reads 0, and in which
        a flow is shown where nobody travelled.
    below, below_travelled : float
        Share of released cells under τ′ = max(τ, 1), of all and of those with a true trip; NaN
        where there is none.
    """

    counts: Integers
    outcomes: Outcomes
    lost: NDArray[np.bool_]
    phantom: NDArray[np.bool_]
    below: float
    below_travelled: float


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
    account: od.TripAccount
    zeros: od.ZeroAccount
    judged: TripsUsability


@cached_scope.resource(max_entries=16, show_spinner="Reading the trips …")
def truth(key: str, window: Window) -> Integers:
    """Return the true matrix, shape (zones, zones), read-only; several days are added up."""
    return frozen(od.truth(dataset(key), days=window.day, sum_days=window.day is None)[0])


@cached_scope.resource(max_entries=12, show_spinner="Drawing the noise …")
def drawn(key: str, parameters: ODParameters, seed: Seed, window: Window) -> Drawn:
    """Return the draw on the page; each day has noise of its own, which follows the settings."""
    source = dataset(key)
    zones = len(source.zones)
    days = range(len(source.metadata.periods)) if window.several else [window.day]
    most = max(1, _CELLS_AT_ONCE // zones**2)
    total = np.zeros((zones, zones), dtype=np.int64)
    records: list[Outcomes] = []
    lost, phantom = np.zeros((2, zones, zones), dtype=bool)
    cells = np.zeros(4)
    for start in range(0, len(days), most):
        part = list(days[start : start + most])
        chosen: dict[str, Any] = {"days": part} if window.several else window.arguments
        true = od.truth(source, **chosen)
        noise = np.concatenate([_noise(source, seed, day).cells for day in part])
        out = od.release(source, parameters, noise=od.ODNoise(cells=noise), **chosen).counts
        total += out.sum(axis=0)
        records.append(od.drawn_outcomes(true, out, parameters.suppression_threshold))
        one = od.drawn_cells(true, out, parameters.suppression_threshold)
        lost |= one.lost.any(axis=0)
        phantom |= one.phantom.any(axis=0)
        cells += (one.below, one.cells, one.below_travelled, one.travelled)
    for values in (total, lost, phantom):
        values.flags.writeable = False
    return Drawn(total, _added(records), lost, phantom, _share(*cells[:2]), _share(*cells[2:]))


@cached_scope.data(max_entries=4096, show_spinner=False)
def drawn_scores(
    key: str, parameters: ODParameters, seed: Seed, window: Window, repeat: int
) -> TripScores:
    """Return the scores of one draw of one matrix; the first is the draw on the page."""
    if repeat == 0:
        private = drawn(key, parameters, seed, window).counts
    else:
        source = dataset(key)
        noise = _noise(source, seed, window.day, repeat)
        private = od.release(source, parameters, noise=noise, **window.arguments).counts[0]
    return od.drawn_scores(truth(key, window), private, parameters)


@cached_scope.resource(max_entries=64, show_spinner="Computing the exact expectation …")
def expectation(key: str, parameters: ODParameters, window: Window) -> od.Expectation:
    """Return the exact expectation over the window's matrices; no noise is drawn."""
    return od.expectation(dataset(key), parameters, **window.arguments)


@cached_scope.data(max_entries=4096, show_spinner=False)
def numbers(key: str, parameters: ODParameters, window: Window) -> TripNumbers:
    """Return what a release is expected to do to the window's trips, exactly."""
    exact = expectation(key, parameters, window)
    return TripNumbers(
        scores=od.expected_scores(exact),
        account=od.trip_account(exact),
        zeros=od.zero_account(exact),
        judged=usability.judge_trips(Flows.of(exact.histogram), parameters),
    )


@cached_scope.data(max_entries=4096, show_spinner=False)
def usable_share(key: str, parameters: ODParameters, window: Window) -> float:
    """Return the share of all trips that lies in usable flows."""
    return usability.usable_share(_flows(key, parameters, window), parameters)


def empty_share(key: str, parameters: ODParameters, window: Window) -> float:
    """Return the share of ordered pairs of zones on which nobody travelled."""
    counted = expectation(key, parameters, window).histogram
    return _share(float(counted.cells[counted.true == 0].sum()), float(counted.cells.sum()))


@cached_scope.data(max_entries=256, show_spinner=False)
def below(key: str, parameters: ODParameters, window: Window) -> dict[str, tuple[float, float]]:
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
    key: str,
    parameters: ODParameters,
    window: Window,
    population: od.Population,
    relative: bool,
    points: tuple[float, ...],
) -> list[float]:
    """Return the share of cells whose error is at most each of `points` (P2, figure 2)."""
    exact = expectation(key, parameters, window)
    within = exact.relative_error_within if relative else exact.absolute_error_within
    return [float(share) for share in within(points, population)]


@cached_scope.resource(max_entries=24, show_spinner="Computing the grid …")
def grid(key: str, parameters: ODParameters, window: Window, population: od.Population) -> HeatMap:
    """Return the exact measures over all stops of ε × `GRID_THRESHOLDS`.

    ε and τ of `parameters` should be fixed ones, so that moving a slider finds the same grid.
    """
    counted = od.histogram(
        dataset(key), parameters.unit, parameters.max_trips_per_user, **window.arguments
    )
    return od.heat_map(
        counted,
        EPSILON_STOPS,
        GRID_THRESHOLDS,
        parameters.max_trips_per_user,
        population=population,
    )


@cached_scope.data(max_entries=512, show_spinner=False)
def relative_row(
    key: str, parameters: ODParameters, window: Window, population: od.Population
) -> list[float]:
    """Return the mean relative error at the ε of `parameters` over `GRID_THRESHOLDS`."""
    counted = od.histogram(
        dataset(key), parameters.unit, parameters.max_trips_per_user, **window.arguments
    )
    rows = od.relative_error_rows(
        counted,
        [parameters.epsilon],
        GRID_THRESHOLDS,
        parameters.max_trips_per_user,
        population=population,
    )
    return [float(value) for value in next(rows)[1]]


@cached_scope.data(max_entries=512, show_spinner=False)
def trimming(key: str, parameters: ODParameters, window: Window) -> od.TrimmingCurve:
    """Return the curve over T at the one T of `parameters`, so that T arrive one by one."""
    limits = [parameters.max_trips_per_user]
    return od.trimming_curve(dataset(key), parameters, limits, **window.arguments)


@st.cache_data(max_entries=512, show_spinner="Adding up the days …")
def person_total(parameters: ODParameters, days: int, delta: float) -> od.PersonTotal:
    """Return what so many daily releases cost a person: the sum, and the tighter total."""
    return od.person_total(parameters, days, delta=delta)


def noise(key: str, seed: Seed, window: Window, repeat: int = 0) -> od.ODNoise:
    """Return the noise of one draw of one matrix, the same for every method."""
    return _noise(dataset(key), seed, window.day, repeat)


def _noise(source: Dataset, seed: Seed, day: int | None, repeat: int = 0) -> od.ODNoise:
    """Return the noise of one day's matrix, or of the one matrix of the whole period."""
    layer = 0 if day is None else 1 + day
    return od.ODNoise.draw(generator(seed, "trips", repeat, layer), source, days=0)


def _flows(key: str, parameters: ODParameters, window: Window) -> Flows:
    counted = od.histogram(
        dataset(key), parameters.unit, parameters.max_trips_per_user, **window.arguments
    )
    return Flows.of(counted)


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
