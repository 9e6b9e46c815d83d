"""What levels of zones and blocks of time are called, and what a coarser look changes."""

from collections.abc import Sequence
from math import log

from engine.parameters import EPSILON_STOPS
from engine.resolution import FINEST, Detail, Resolution, ZoneLevel, finest_usable
from pages._ui.wording.labels import HOUR_STEPS, TIME_STEPS

_PLURALS = {"y": "ies"}


def zone_words(named: Sequence[ZoneLevel], clusters: Sequence[int]) -> dict[str, str]:
    """Return what each level of zones that a dataset offers is called, finest first.

    Examples
    --------
    >>> zone_words((ZoneLevel("zones", 416), ZoneLevel("province", 5)), (100,))
    {'zones': 'All 416', 'province': '5 provinces', 'clusters-100': '100 clusters'}
    """
    words = {
        one.name: f"All {one.zones:,}"
        if one.name == FINEST
        else f"{one.zones:,} {plural(one.name)}"
        for one in named
    }
    return {**words, **{f"clusters-{k}": cluster_words(f"clusters-{k}") for k in clusters}}


def cluster_words(level: str) -> str:
    """Return what a number of clusters is called.

    Examples
    --------
    >>> cluster_words("clusters-30")
    '30 clusters'
    """
    return f"{int(level.removeprefix('clusters-')):,} clusters"


def plural(name: str) -> str:
    """Return the plural of a level's name.

    Examples
    --------
    >>> plural("district"), plural("county")
    ('districts', 'counties')
    """
    return name[:-1] + _PLURALS[name[-1]] if name[-1] in _PLURALS else f"{name}s"


def level_words(level: str) -> str:
    """Return what the zones of a level are called in a sentence.

    Examples
    --------
    >>> level_words("zones"), level_words("clusters-30"), level_words("province")
    ('all zones', '30 clusters', 'provinces')
    """
    if level == FINEST:
        return "all zones"
    return cluster_words(level) if level.startswith("clusters-") else plural(level)


def looked_at(resolution: Resolution, *, density: bool) -> str:
    """Say how far away a dataset is looked at; empty where nothing is made coarser.

    Examples
    --------
    >>> looked_at(Resolution(zones="clusters-30", time="week"), density=False)
    '30 clusters, weeks'
    """
    times = HOUR_STEPS[resolution.hours] if density else TIME_STEPS[resolution.time]
    plain = resolution.hours == "hour" if density else resolution.time == "day"
    parts = (
        "" if resolution.zones == FINEST else level_words(resolution.zones),
        "" if plain else times[0].lower() + times[1:],
    )
    return ", ".join(part for part in parts if part)


def counted_words(one: Detail) -> str:
    """Return what the zones of a detail are called, with their number.

    Examples
    --------
    >>> at = Resolution(zones="province")
    >>> counted_words(Detail(resolution=at, zones=5, shares=(), usable=()))
    '5 provinces'
    """
    zones = one.resolution.zones
    if zones == FINEST:
        return f"all {one.zones:,} zones"
    return level_words(zones) if zones.startswith("clusters-") else f"{one.zones:,} {plural(zones)}"


def detail_words(best: Detail | None, finer: Sequence[Detail]) -> str:
    """Say what can be used, and what cannot although it is finer.

    Examples
    --------
    >>> one, two = (
    ...     Detail(resolution=Resolution(zones=zones), zones=count, shares=(), usable=())
    ...     for zones, count in (("province", 5), ("zones", 416)))
    >>> detail_words(one, [two])
    'usable for 5 provinces, not for all 416 zones'
    >>> detail_words(None, [one, two])
    'not usable for any of these'
    """
    if best is None:
        return "not usable for any of these"
    nearest = min(finer, key=lambda one: one.zones, default=None)
    usable = f"usable for {counted_words(best)}"
    return usable if nearest is None else f"{usable}, not for {counted_words(nearest)}"


def details_words(
    details: Sequence[Detail],
    epsilon: float,
    stops: Sequence[float] = EPSILON_STOPS,
    *,
    density: bool = False,
) -> str:
    """Say at an ε which zones can be used, for each span of time.

    Parameters
    ----------
    details : sequence of Detail
        With shares at `stops`; those of a density may still be fewer.
    epsilon : float
        The stop nearest to it is spoken of.
    stops : sequence of float
    density : bool
        Whether the spans are hours of a week, not days.

    Examples
    --------
    >>> week = Resolution(time="week")
    >>> one = Detail(resolution=week, zones=30, shares=(), usable=(True,) * len(EPSILON_STOPS))
    >>> details_words([one], 1.0)
    'At ε = 1: **weeks** – usable for all 30 zones.'
    >>> details_words([one], 0.45)
    'At ε = 0.5, the nearest computed to 0.45: **weeks** – usable for all 30 zones.'
    """
    at = min(range(len(stops)), key=lambda i: abs(log(stops[i] / epsilon)))

    def span(one: Detail) -> str:
        seen = one.resolution
        return (HOUR_STEPS[seen.hours] if density else TIME_STEPS[seen.time]).lower()

    parts = []
    for named in dict.fromkeys(map(span, details)):
        some = [one for one in details if span(one) == named and len(one.usable) > at]
        best = finest_usable(some, at)
        finer = [one for one in some if best is None or one.zones > best.zones]
        parts.append(f"**{named}** – {detail_words(best, finer)}")
    stop = stops[at]
    nearest = "" if stop == epsilon else f", the nearest computed to {epsilon:g}"
    return f"At ε = {stop:g}{nearest}: {'; '.join(parts)}."


def details_sentence(details: Sequence[Detail] | None, epsilon: float, *, running: bool) -> str:
    """Say beside a verdict which detail would make the setting usable; empty where unknown."""
    if running:
        return "Which zones and spans of time could be used at this ε: calculating …"
    return f"What could be used. {details_words(details, epsilon)}" if details else ""
