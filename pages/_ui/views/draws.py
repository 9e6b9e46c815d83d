"""Repeated draws behind the numbers of one setting or of several side by side."""

from collections.abc import Iterator, Sequence
from typing import Any

from engine.contract import Seen
from engine.parameters import DensityParameters, ODParameters
from pages._ui import jobs
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.draws import REPEATS
from pages._ui.cache.repeats import density_draws
from pages._ui.cache.window import Window
from pages._ui.jobs import Job, Step
from pages._ui.shell.settings import Seed
from pages._ui.views.context import Context


def job(name: str, contexts: Sequence[Context[Any]], *, delay_s: float = 0.0) -> Job:
    """Return the job that draws repeatedly; it yields a tuple with what is known of each context.

    The contexts must be of one dataset, and of one window where they are of flows.
    """
    first, settings = contexts[0], tuple(one.parameters for one in contexts)
    steps = _visits if isinstance(first.parameters, DensityParameters) else flows
    key, _, *noise = first.asked
    return jobs.job(name, steps, key, settings, *noise, delay_s=delay_s)


def _visits(key: Seen, settings: tuple[DensityParameters, ...], seed: Seed) -> Iterator[Step]:
    known: list[Any] = [None] * len(settings)
    done = total = 0
    for place, parameters in enumerate(settings):
        for step in density_draws(key, parameters, seed):
            known[place], total = step.result, step.total
            yield Step(done + step.done, total * len(settings), tuple(known))
        done += total


def flows(
    key: Seen, settings: tuple[ODParameters, ...], seed: Seed, window: Window
) -> Iterator[Step]:
    """Yield the `Draws` of every method, one draw of each after another."""
    for done, draws in enumerate(cached_trips.repeated(key, settings, seed, window), 1):
        yield Step(done, REPEATS, draws)
