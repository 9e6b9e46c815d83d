"""Draws of a release zone by zone, in steps: decisions on zones, and how wide numbers range."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine import decisions
from engine.arrays import Floats
from engine.contract import Seen
from engine.decisions.scoring import Comparison, concatenate
from engine.decisions.zones import ZoneRule, right_share
from engine.parameters import EPSILON_STOPS
from pages._ui.cache import verbs
from pages._ui.cache.draws import REPEATS
from pages._ui.cache.window import Window
from pages._ui.jobs.work import Step
from pages._ui.shell.settings import Seed

MIDDLE = (0.05, 0.95)
"""The ends of a range: the middle 90% of draws."""


def amounts(key: Seen, parameters: Any, window: Window | None) -> Floats:
    """Return what decisions on zones truly read, shape (moments, zones) (confidential)."""
    truth: Any = verbs.truth  # with a window or without
    return verbs.product_of(parameters).by_zone(truth(key, window))


def decided(
    key: Seen, rule: ZoneRule, parameters: Any, seed: Seed, window: Window | None
) -> Iterator[Step]:
    """Yield the decisions of one draw, two, …, shape (draws, zones); the first is on the page."""
    true, compared = amounts(key, parameters, window), list[Comparison]()
    for repeat in range(REPEATS):
        compared.append(_decided(key, rule, parameters, seed, window, repeat, true))
        yield Step(repeat + 1, REPEATS, concatenate(compared, axis=0))


def right_over_epsilon(
    key: Seen, rule: ZoneRule, parameters: Any, seed: Seed, window: Window | None, draws: int
) -> Iterator[Step]:
    """Yield the share of right decisions at every stop of ε, shape (settings, draws so far)."""
    true, columns = amounts(key, parameters, window), list[list[float]]()
    for repeat in range(draws):
        column: list[float] = []
        for epsilon in EPSILON_STOPS:
            at = parameters.at(epsilon)
            compared = _decided(key, rule, at, seed, window, repeat, true)
            column.append(float(right_share(compared)[0]))
        columns.append(column)
        yield Step(repeat + 1, draws, np.array(columns).T)


def _decided(
    key: Seen,
    rule: ZoneRule,
    parameters: Any,
    seed: Seed,
    window: Window | None,
    repeat: int,
    true: Floats,
) -> Comparison:
    counts = verbs.draw(key, verbs.used(parameters), seed, window, repeat).counts
    released = verbs.product_of(parameters).by_zone(counts)
    return decisions.decide_zones(rule, true, released[None])


def ranges(
    key: Seen, parameters: Any, seed: Seed, window: Window | None, block: int | None
) -> Iterator[Step]:
    """Yield, once all draws are there, the ends of the middle 90% of what a map shows.

    Parameters
    ----------
    block : int or None
        The hours that a map of visits shows; None for flows, of which it shows each.
    """
    drawn: list[Floats] = []
    for repeat in range(REPEATS):
        release = verbs.draw(key, verbs.used(parameters), seed, window, repeat)
        shown = release.as_shown[0] if block is None else np.maximum(release.counts[:, block], 0.0)
        drawn.append(shown.astype(np.float32))
        ends = None
        if len(drawn) == REPEATS:
            ends = tuple(np.quantile(np.stack(drawn), MIDDLE, axis=0))
        yield Step(len(drawn), REPEATS, ends)
