"""Which detail a release can carry, level by level: long work, the same for every session."""

from collections.abc import Iterator

from engine import resolution
from engine.parameters import EPSILON_STOPS, DensityParameters, ODParameters
from engine.resolution import Detail, HourStep, Key, Resolution
from pages._ui.cache import density as cached_density
from pages._ui.cache.datasets import dataset
from pages._ui.jobs.work import Step
from pages._ui.shell.settings import Seed

DENSITY_EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Fewer than for trips: each is a release, not a law."""


def trips(whole: Key, parameters: ODParameters) -> Iterator[Step]:
    """Yield what is known of each detail of the trips at all stops of ε; `parameters`' plays none.

    Parameters
    ----------
    whole : Key
        The dataset as it was ingested.
    """
    source = dataset(whole)
    spans = 1 if parameters.unit == "person" else len(resolution.times(source))
    total = len(resolution.details(source)) * spans
    known: tuple[Detail, ...] = ()
    for one in resolution.trip_details(source, parameters, EPSILON_STOPS):
        known = (*known, one)
        yield Step(len(known), total, known)


def density(
    whole: Key, parameters: DensityParameters, hours: HourStep, seed: Seed
) -> Iterator[Step]:
    """Yield the same of a density's zones, at `DENSITY_EPSILONS`, on the draw of the page."""
    levels = resolution.details(dataset(whole))
    known: list[Detail] = []
    for zones, count in levels:
        view = Resolution(zones=zones, hours=hours)
        key = whole.at(view)
        judged = []
        for epsilon in DENSITY_EPSILONS:
            judged.append(cached_density.judged(key, parameters.at(epsilon), seed))
            now = Detail(
                resolution=view,
                zones=count,
                shares=tuple(one.usable_share for one in judged),
                usable=tuple(one.level == "good" for one in judged),
            )
            known = [*(one for one in known if one.resolution != view), now]
            done = (len(known) - 1) * len(DENSITY_EPSILONS) + len(judged)
            yield Step(done, len(levels) * len(DENSITY_EPSILONS), tuple(known))
