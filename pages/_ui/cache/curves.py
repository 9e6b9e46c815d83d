"""Exact curves and grids of trips in steps: one setting after another, each computed once."""

from collections.abc import Iterator
from dataclasses import replace

from engine.origin_destination.trimming import TrimmingCurve, joined_curves
from engine.parameters import ODParameters
from engine.resolution import Key
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import Window
from pages._ui.jobs.work import Step
from pages._ui.shell.settings import MAX_TRIPS_STOPS

LIMITS = tuple(stop for stop in MAX_TRIPS_STOPS if stop <= 50)


def trimming(key: Key, parameters: ODParameters, window: Window) -> Iterator[Step]:
    """Yield the `TrimmingCurve` over the first T, then over the first two, and so on.

    The T of `parameters` plays no part.
    """
    curves: list[TrimmingCurve] = []
    for limit in LIMITS:
        at = replace(parameters, max_trips_per_user=limit)
        curves.append(cached_trips.trimming(key, at, window))
        yield Step(len(curves), len(LIMITS), joined_curves(curves))
