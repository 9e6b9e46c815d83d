"""One side of home's stage, flows or density: what the gauges, the picture and the words need."""

from dataclasses import dataclass
from typing import Any

from engine import origin_destination as od, usability
from engine.privacy import Risk
from engine.steps import Level
from pages._ui.cache import (
    density as cached_density,
    pictures as cached_pictures,
    privacy as cached_privacy,
    trips as cached_trips,
    verbs,
)
from pages._ui.cache.window import declared
from pages._ui.drawing.svg.stage import Picture
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings, seed
from pages._ui.views import context as contexts
from pages._ui.views.context import Context


@dataclass(frozen=True, kw_only=True)
class Side:
    """What is known of one mechanism on one dataset, the only one that it speaks of.

    Attributes
    ----------
    part : str
        ``trips`` or ``density``.
    entry : Entry
    epsilon : float
        The slider's.
    unit : str
        What a release of trips protects; empty for the density.
    usable, level : float and str
        Share of trips in usable flows or of usable zones, and its judgement.
    risk : Risk
        What privacy is left once everything declared is released.
    picture : Picture
    context : Context
        The setting and its dataset, for the views that draw it.
    """

    part: str
    entry: Entry
    epsilon: float
    unit: str
    usable: float
    level: Level
    risk: Risk
    picture: Picture
    context: Context[Any]


def trips(settings: Settings, entry: Entry, zone: int | None = None) -> Side:
    """Return the flows of the declared window; `zone` picks those that the picture draws."""
    noise, parameters = seed(entry), settings.trips()
    window = declared(parameters)
    if od.METHODS[settings.od_method].expected is None:
        true = verbs.truth(entry.key, window)
        parameters = settings.trips(method=settings.od_method)
        *_, (draws,) = cached_trips.repeated(entry.key, (parameters,), noise, window)
        judged = usability.judge_drawn_trips(true, draws.near)
        picture = cached_pictures.estimates(entry.key, parameters, noise, window, zone)
    else:
        judged = cached_trips.numbers(entry.key, parameters, window).judged
        picture = cached_pictures.trips(entry.key, parameters, noise, window, zone)
    return Side(
        part="trips",
        entry=entry,
        epsilon=settings.epsilon,
        unit=settings.unit,
        usable=judged.usable_share,
        level=judged.level,
        risk=cached_privacy.risk_of_trips(parameters, entry.metadata),
        picture=picture,
        context=contexts.of(entry, settings.trips(method=settings.od_method), window),
    )


def density(settings: Settings, entry: Entry) -> Side:
    """Return the density of the week."""
    noise, parameters = seed(entry), settings.density()
    judged = cached_density.judged(entry.key, parameters, noise)
    return Side(
        part="density",
        entry=entry,
        epsilon=settings.epsilon,
        unit="",
        usable=judged.usable_share,
        level=judged.level,
        risk=cached_privacy.risk_of_density(entry.key, parameters),
        picture=cached_pictures.density(entry.key, parameters, noise),
        context=contexts.of(entry, parameters),
    )
