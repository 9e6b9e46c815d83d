"""The verbs of `engine.contract` over every product and method, each answer computed once.

Arguments are the key of a dataset, parameters, seed and window, in this order: the window belongs
to flows, a density has its week and a report its one period. `of` asks the engine for anything
else that it reads from a dataset.
"""

from collections.abc import Callable
from functools import cache
from inspect import signature
from types import ModuleType
from typing import Any, Concatenate, ParamSpec, TypeVar, overload

import numpy as np

from engine import density, origin_destination as od, privacy, report
from engine.arrays import Floats, Integers
from engine.contract import Parameters, Seen
from engine.datasets import Dataset
from engine.density import DensityParameters, DensityRelease, DensityScores
from engine.ledger import Ledger
from engine.origin_destination import ODParameters
from engine.origin_destination.exact import Expectation
from engine.origin_destination.methods import Release as FlowRelease
from engine.origin_destination.scores import TripScores
from engine.report import Analysis, ReportParameters, ReportRelease
from pages._ui.cache import scope as cached_scope
from pages._ui.cache.datasets import dataset, frozen
from pages._ui.cache.draws import generator
from pages._ui.cache.window import Window
from pages._ui.shell.settings import Seed

Losses = dict[Analysis, dict[str, float]]
P = ParamSpec("P")
R = TypeVar("R")
_MOST = 64
_LARGE: dict[Any, tuple[int, str]] = {
    density.truth: (8, "Reading the visits …"),
    od.truth: (24, "Reading the trips …"),
    od.expected: (64, "Computing the exact expectation …"),
    report.truth: (8, "Reading the report …"),
    privacy.composed_epsilon: (512, "Adding up the days …"),
    density.presampled: (16, ""),
    density.cover_series: (16, ""),
}
"""How many answers of what is large or slow are kept, and what a page says while it waits."""


def product_of(parameters: Parameters) -> ModuleType:
    """Return the package of the engine that answers for parameters of a type."""
    return _PRODUCTS[type(parameters)]


def of(
    function: Callable[Concatenate[Dataset, P], R], key: Seen, /, *given: P.args, **named: P.kwargs
) -> R:
    """Return what a function of the engine reads from a dataset; nothing in it can be written to.

    Parameters
    ----------
    function : callable
        At the top of a module; draws no noise.
    *given, **named
        Its further arguments: settings, never arrays.
    """
    return _kept(function, reads=True)(key, *given, **named)


def computed(function: Callable[P, R], /, *given: P.args, **named: P.kwargs) -> R:
    """Return what a function of the engine makes of settings and public facts alone."""
    return _kept(function, reads=False)(*given, **named)


@cache
def _kept(function: Callable[..., Any], *, reads: bool) -> Callable[..., Any]:
    def answer(given: tuple[Any, ...], named: tuple[tuple[str, Any], ...]) -> Any:
        opened = (dataset(given[0]), *given[1:]) if reads else given
        return frozen(function(*opened, **dict(named)))

    # what Streamlit tells caches apart by
    answer.__qualname__ = f"{function.__module__}.{function.__qualname__}"
    most, words = _LARGE.get(function, (_MOST, ""))
    once = cached_scope.resource(max_entries=most, show_spinner=words or False)(answer)
    asked = signature(function)

    def call(*given: Any, **named: Any) -> Any:
        bound = asked.bind(*given, **named)
        bound.apply_defaults()
        return once(bound.args, tuple(bound.kwargs.items()))

    return call


@overload
def truth(key: Seen, window: None = None) -> Floats: ...
@overload
def truth(key: Seen, window: Window) -> Integers: ...
def truth(key: Seen, window: Window | None = None) -> Any:
    """Return the true flows of a window, shape (zones, zones); without one the visits by hour.

    Several days are added up.
    """
    if window is None:
        return of(density.truth, key)
    return of(od.truth, key, days=window.day, sum_days=window.day is None)[0]


@overload
def release(
    key: Seen, parameters: DensityParameters, seed: Seed, window: None = None, repeat: int = 0
) -> DensityRelease: ...
@overload
def release(
    key: Seen, parameters: ODParameters, seed: Seed, window: Window, repeat: int = 0
) -> FlowRelease: ...
@overload
def release(
    key: Seen, parameters: ReportParameters, seed: Seed, window: None = None, repeat: int = 0
) -> ReportRelease: ...
def release(
    key: Seen, parameters: Any, seed: Seed, window: Window | None = None, repeat: int = 0
) -> Any:
    """Return one draw: the same seed and repeat give the same noise, whatever the parameters.

    So a change that is seen is the setting's, and two methods of flows read the same noise. The
    first draw is the one on the page. A window of flows must be one matrix.
    """
    _fit(parameters, window)
    return _release(key, used(parameters), seed, window, repeat)


def _fit(parameters: Parameters, window: Window | None) -> None:
    if isinstance(parameters, ODParameters) == (window is None):
        raise TypeError("flows, and nothing else, are drawn for a window")


@cached_scope.resource(max_entries=32, show_spinner="Drawing the noise …")
def _release(key: Seen, parameters: Any, seed: Seed, window: Window | None, repeat: int) -> Any:
    return frozen(draw(key, parameters, seed, window, repeat))


def draw(key: Seen, parameters: Any, seed: Seed, window: Window | None, repeat: int) -> Any:
    """Return one draw that nothing keeps: of many, only what is said of each is kept."""
    source, product = dataset(key), product_of(parameters)
    if window is None:
        purpose = "density" if product is density else "report"
        return product.release(source, parameters, rng=generator(seed, purpose, repeat))
    noise = flow_noise(key, seed, window, repeat)
    return product.release(source, parameters, noise=noise, **window.arguments)


@cached_scope.resource(max_entries=8, show_spinner=False)
def flow_noise(key: Seen, seed: Seed, window: Window, repeat: int = 0) -> od.ODNoise:
    """Return the noise of one draw of one matrix: of each day other, and of the whole period."""
    return frozen(od.ODNoise.draw(_trip_generator(seed, window, repeat), dataset(key), days=0))


def _trip_generator(seed: Seed, window: Window, repeat: int) -> np.random.Generator:
    return generator(seed, "trips", repeat, 0 if window.day is None else 1 + window.day)


def used(parameters: Any) -> Any:
    """Return the parameters without what the method does not use: moving that finds one draw."""
    return parameters.used


def expected(key: Seen, parameters: ODParameters, window: Window) -> Expectation | None:
    """Return the exact law's answer for the window's matrices; None for a method without one."""
    return of(od.expected, key, parameters, **window.arguments)


@overload
def scores(
    key: Seen, parameters: DensityParameters, seed: Seed, window: None = None, repeat: int = 0
) -> DensityScores: ...
@overload
def scores(
    key: Seen, parameters: ODParameters, seed: Seed, window: Window, repeat: int = 0
) -> TripScores: ...
@overload
def scores(
    key: Seen, parameters: ReportParameters, seed: Seed, window: None = None, repeat: int = 0
) -> Losses: ...
def scores(
    key: Seen, parameters: Any, seed: Seed, window: Window | None = None, repeat: int = 0
) -> Any:
    """Return the errors of one draw; small, so that those of many draws can be kept."""
    _fit(parameters, window)
    return _scores(key, used(parameters), seed, window, repeat)


@cached_scope.resource(max_entries=4096, show_spinner=False)
def _scores(key: Seen, parameters: Any, seed: Seed, window: Window | None, repeat: int) -> Any:
    one: Any = draw if repeat else release  # only the first draw is on the page
    drawn = one(key, parameters, seed, window, repeat)
    if window is None:
        product = product_of(parameters)
        return frozen(product.scores(of(product.truth, key), drawn))
    return frozen(od.scores(truth(key, window)[None], drawn))


def ledger(key: Seen, parameters: Parameters) -> Ledger:
    """Return what one unit of protection pays; of the dataset only public facts are read."""
    return of(product_of(parameters).plan, key, parameters).ledger


_PRODUCTS: dict[type, ModuleType] = {
    DensityParameters: density,
    ODParameters: od,
    ReportParameters: report,
}
