"""Cached wrappers of the origin–destination page: dataset key, settings and seed, never arrays."""

from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from engine import origin_destination as od
from engine.origin_destination import HeatMap, Outcomes, Share, laws
from engine.parameters import EPSILON_STOPS, ODParameters
from pages._ui.cache import scope as cached_scope
from pages._ui.cache.datasets import dataset, finite_mean, frozen, generator
from pages._ui.cache.window import Window
from pages._ui.shell.settings import Seed

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_CELLS_AT_ONCE = 2_000_000
GRID_THRESHOLDS = tuple(range(0, 101, 5))
Span = Literal["first day", "all days"]
"""The trips in one matrix: one declared day, or the whole period added up."""


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
class TripScores:
    """Errors of one matrix, drawn or expected.

    Attributes
    ----------
    median_error : float
        Median absolute error in trips over the flows of at least τ (and 1), which would be shown
        without noise.
    relative_error : float
        Mean of |x̂ − x| / x over the same flows.
    suppressed, suppressed_anyway : float
        Share of off-diagonal cells that read 0, and of those that would without noise.
    trips_kept : float
        Share of all trips, trimmed ones too, in those flows that stay visible.
    trimmed : float
        Share of all trips that trimming drops.
    """

    median_error: float
    relative_error: float
    suppressed: float
    suppressed_anyway: float
    trips_kept: float
    trimmed: float


def span(parameters: ODParameters) -> Span:
    """Return what home shows: the first declared day, or all days as one matrix at unit person."""
    return "all days" if parameters.unit == "person" else "first day"


def days_of(period: Span) -> dict[str, Any]:
    """Return the engine's arguments for a span: ``days`` and ``sum_days``."""
    if period == "all days":
        return {"days": None, "sum_days": True}
    return {"days": 0, "sum_days": False}


@cached_scope.resource(max_entries=8, show_spinner="Reading the trips …")
def span_truth(key: str, period: Span) -> Integers:
    """Return the true matrix of a span, shape (zones, zones), read-only."""
    return frozen(od.truth(dataset(key), **days_of(period))[0])


@cached_scope.resource(max_entries=24, show_spinner=False)
def span_release(
    key: str, parameters: ODParameters, seed: Seed, period: Span, repeat: int = 0
) -> Integers:
    """Return one private matrix, shape (zones, zones), read-only; noise is carried over."""
    made = od.release(dataset(key), parameters, rng=generator(seed, repeat), **days_of(period))
    return frozen(made.counts[0])


def span_histogram(
    key: str, parameters: ODParameters, period: Span
) -> tuple[Floats, Floats, Floats]:
    """Return distinct flows after trimming, the true ones above 0, and how many pairs have both.

    The engine keeps the histogram, which depends on the unit and T only.
    """
    counted = od.histogram(
        dataset(key), parameters.unit, parameters.max_trips_per_user, **days_of(period)
    )
    some = counted.true > 0
    return counted.kept[some], counted.true[some], counted.cells[some]


@cached_scope.data(max_entries=4096, show_spinner=False)
def span_expected(key: str, parameters: ODParameters, period: Span) -> TripScores:
    """Return what a release is expected to do to the trips of a span, exactly, no draw."""
    exact = od.expectation(dataset(key), parameters, **days_of(period))
    errors, outcomes, counted = exact.errors["large"], exact.outcomes, exact.histogram
    cells = float(counted.cells.sum())
    hidden = float(outcomes.kept_suppressed.cells + outcomes.lost.cells)
    large = counted.true >= max(parameters.suppression_threshold, 1)
    return TripScores(
        median_error=errors.median_absolute,
        relative_error=errors.mean_bounded_relative,
        suppressed=_share(hidden, cells),
        suppressed_anyway=_share(float(counted.cells[~large].sum()), cells),
        trips_kept=_share(float(outcomes.kept.trips), counted.true_trips),
        trimmed=1 - _share(float(counted.kept @ counted.cells), counted.true_trips),
    )


@cached_scope.data(max_entries=4096, show_spinner=False)
def span_drawn(
    key: str, parameters: ODParameters, seed: Seed, period: Span, repeat: int
) -> TripScores:
    """Return the same figures for one drawn matrix."""
    truth = span_truth(key, period)
    private = od.release(
        dataset(key), parameters, rng=generator(seed, repeat), **days_of(period)
    ).counts[0]
    large = truth >= max(parameters.suppression_threshold, 1)
    error = np.abs(private - truth)[large]
    cells = truth.size - len(truth)
    hidden = int((private == 0).sum()) - len(truth)
    return TripScores(
        median_error=float(np.median(error)) if error.size else float("nan"),
        relative_error=finite_mean(error / truth[large]),
        suppressed=_share(hidden, cells),
        suppressed_anyway=_share(int((~large).sum()) - len(truth), cells),
        trips_kept=_share(float(truth[large & (private > 0)].sum()), float(truth.sum())),
        trimmed=float("nan"),  # does not depend on the draw
    )


@cached_scope.resource(max_entries=16, show_spinner="Reading the trips …")
def truth(key: str, window: Window) -> Integers:
    """Return the true matrix, shape (zones, zones), read-only; several days are added up."""
    counts = od.truth(dataset(key), days=window.day, sum_days=window.day is None)[0]
    counts.flags.writeable = False
    return counts


@cached_scope.resource(max_entries=12, show_spinner="Drawing the noise …")
def drawn(key: str, parameters: ODParameters, seed: Seed, window: Window) -> Drawn:
    """Return one draw; each day has noise of its own, which follows the settings."""
    source = dataset(key)
    zones = len(source.zones)
    days = range(len(source.metadata.days)) if window.several else [window.day or 0]
    most = max(1, _CELLS_AT_ONCE // zones**2)
    total = np.zeros((zones, zones), dtype=np.int64)
    records: list[Outcomes] = []
    lost, phantom = np.zeros((2, zones, zones), dtype=bool)
    cells = np.zeros(4)
    for start in range(0, len(days), most):
        part = days[start : start + most]
        noise = np.stack([od.standard_noise(generator(seed, day), (zones, zones)) for day in part])
        chosen: dict[str, Any] = window.arguments if window.summed else {"days": tuple(part)}
        true = od.truth(source, **chosen)
        out = od.release(source, parameters, noise=od.ODNoise(cells=noise), **chosen).counts
        total += out.sum(axis=0)
        records.append(od.drawn_outcomes(true, out, parameters.suppression_threshold))
        limit = max(parameters.suppression_threshold, 1)
        lost |= ((true >= limit) & (out == 0)).any(axis=0)
        phantom |= ((true == 0) & (out > 0)).any(axis=0)
        small, some = out < limit, true > 0
        off = zones * len(out)  # the diagonals are 0 and never counted
        cells += (small.sum() - off, out.size - off, (small & some).sum(), some.sum())
    np.fill_diagonal(phantom, False)
    for values in (total, lost, phantom):
        values.flags.writeable = False
    return Drawn(total, _added(records), lost, phantom, _share(*cells[:2]), _share(*cells[2:]))


@cached_scope.resource(max_entries=64, show_spinner="Computing the exact expectation …")
def expectation(key: str, parameters: ODParameters, window: Window) -> od.Expectation:
    """Return the exact expectation over the window's matrices; no noise is drawn."""
    return od.expectation(dataset(key), parameters, **window.arguments)


def empty_share(key: str, parameters: ODParameters, window: Window) -> float:
    """Return the share of ordered pairs of zones on which nobody travelled."""
    counted = expectation(key, parameters, window).histogram
    return _share(float(counted.cells[counted.true == 0].sum()), float(counted.cells.sum()))


@cached_scope.data(max_entries=256, show_spinner=False)
def below(key: str, parameters: ODParameters, window: Window) -> dict[str, tuple[float, float]]:
    """Return the true and expected share of cells under τ′, by population (Table S2)."""
    exact = expectation(key, parameters, window)
    counted, limit = exact.histogram, max(parameters.suppression_threshold, 1)
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
def split(key: str, parameters: ODParameters, window: Window) -> dict[str, float]:
    """Return the expected sum of absolute errors by its causes, in trips, and the share kept."""
    exact = od.expectation(dataset(key), parameters, **window.arguments)
    trips = exact.histogram.true_trips
    kept = 1 - _share(exact.histogram.trimmed_trips, trips)
    return {**vars(exact.split), "kept": kept}


@st.cache_data(max_entries=512, show_spinner="Adding up the days …")
def person_total(parameters: ODParameters, days: int, delta: float) -> od.PersonTotal:
    """Return what so many daily releases cost a person: the sum, and the tighter total."""
    return od.person_total(parameters, days, delta=delta)


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
