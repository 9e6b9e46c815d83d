"""One side of home's stage, flows or density: what the gauges, the picture and the words need."""

from dataclasses import dataclass

from engine import usability
from engine.risk import Worth
from engine.steps import Level
from pages._ui.cache import attack as cached_attack
from pages._ui.cache import density as cached_density
from pages._ui.cache import estimates as cached_estimates
from pages._ui.cache import pictures as cached_pictures
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import declared
from pages._ui.drawing.svg.stage import Picture
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import EPSILON_SLIDER, Settings, seed


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
    worth : Worth
        What privacy is left once everything declared is released.
    strong : float
        The largest ε of the slider at which privacy is strong.
    picture : Picture
    """

    part: str
    entry: Entry
    epsilon: float
    unit: str
    usable: float
    level: Level
    worth: Worth
    strong: float
    picture: Picture


def trips(settings: Settings, entry: Entry, zone: int | None = None) -> Side:
    """Return the flows of the declared window; `zone` picks those that the picture draws."""
    noise, parameters = seed(entry), settings.trips()
    window, days = declared(parameters), len(entry.metadata.days)
    added_up = entry.resolution.time != "day"
    if settings.od_method == "estimate":
        true = cached_trips.truth(entry.key, window)
        *_, draws = cached_estimates.repeated(entry.key, parameters, noise, window)
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
        worth=cached_attack.worth_of_trips(parameters, days, added_up=added_up),
        strong=cached_attack.strong_trips(
            settings.trips(epsilon=1.0), days, EPSILON_SLIDER, added_up=added_up
        ),
        picture=picture,
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
        worth=cached_attack.worth_of_density(entry.key, parameters),
        strong=cached_attack.strong_density(
            entry.key, settings.density(epsilon=1.0), EPSILON_SLIDER
        ),
        picture=cached_pictures.density(entry.key, parameters, noise),
    )
