"""Cached wrappers of our own origin–destination method: dataset key, settings and seed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import origin_destination as od
from engine import usability
from engine.arrays import Floats
from engine.geography import centre_distances_m
from engine.origin_destination import Agreement
from engine.origin_destination.estimate import EstimateRelease
from engine.parameters import ODParameters
from pages._ui.cache import scope as cached_scope
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.datasets import dataset, frozen
from pages._ui.cache.draws import REPEATS
from pages._ui.cache.window import Window
from pages._ui.shell.settings import Seed


@dataclass(frozen=True, eq=False)
class Compared:
    """One draw of the noise, read by both methods.

    Attributes
    ----------
    published, ours : Agreement
    near : array of bool, shape (zones, zones)
        Flows that our method shows and gets within a quarter of the truth.
    """

    published: Agreement
    ours: Agreement
    near: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Draws:
    """What repeated draws have found so far.

    Attributes
    ----------
    published, ours : tuple of Agreement
        One a draw; the first is the draw on the page.
    near : array, shape (zones, zones)
        Share of draws in which our method shows a flow and gets it within a quarter.
    """

    published: tuple[Agreement, ...]
    ours: tuple[Agreement, ...]
    near: Floats


@cached_scope.resource(max_entries=32, show_spinner=False)
def distances_m(key: str) -> Floats:
    """Return the public distances between the centres of zones, read-only."""
    return frozen(centre_distances_m(dataset(key).zones))


def release(
    key: str, parameters: ODParameters, seed: Seed, window: Window, repeat: int = 0
) -> EstimateRelease:
    """Return our reading of a draw; the first has the noise of the published draw on the page."""
    return _release(key, replace(parameters, suppression_threshold=0), seed, window, repeat)


@cached_scope.resource(max_entries=8, show_spinner="Reading the noisy flows …")
def _release(
    key: str, parameters: ODParameters, seed: Seed, window: Window, repeat: int
) -> EstimateRelease:
    noise = cached_trips.noise(key, seed, window, repeat)
    return od.estimate.release(
        dataset(key), parameters, noise=noise, distances_m=distances_m(key), **window.arguments
    )


@cached_scope.resource(max_entries=128, show_spinner=False)
def compared(
    key: str, parameters: ODParameters, seed: Seed, window: Window, repeat: int
) -> Compared:
    """Return how both methods agree with the truth on one draw of one matrix."""
    source, true = dataset(key), cached_trips.truth(key, window)
    noise = cached_trips.noise(key, seed, window, repeat)
    published = od.release(source, parameters, noise=noise, **window.arguments).counts[0]
    ours = release(key, parameters, seed, window, repeat)
    shown = ours.shown[0]
    return Compared(
        published=od.agreement(true, published),
        ours=od.agreement(true, ours.typical[0], shown, sums=ours.counts[0]),
        near=frozen(usability.near_flows(true, ours.typical[0], shown)),
    )


@cached_scope.data(max_entries=512, show_spinner=False)
def errors(key: str, parameters: ODParameters, seed: Seed, window: Window) -> tuple[float, float]:
    """Return the mean absolute error of a flow: published, exactly; ours, on one draw."""
    exact = cached_trips.expectation(key, parameters, window)
    ours = compared(key, parameters, seed, window, 0).ours
    return exact.errors["all"].mean_absolute, ours.mean_error


def repeated(
    key: str, parameters: ODParameters, seed: Seed, window: Window, repeats: int = REPEATS
) -> Iterator[Draws]:
    """Yield what one draw, two, … have found: our method has no exact expectation."""
    published: list[Agreement] = []
    ours: list[Agreement] = []
    near: Any = 0.0
    for repeat in range(repeats):
        comparison = compared(key, parameters, seed, window, repeat)
        published.append(comparison.published)
        ours.append(comparison.ours)
        near = near + comparison.near
        yield Draws(tuple(published), tuple(ours), np.asarray(near / (repeat + 1)))
