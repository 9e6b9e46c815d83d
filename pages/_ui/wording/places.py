"""What levels of zones and blocks of time are called, and what a coarser look changes."""

from collections.abc import Sequence

from engine.resolution import FINEST, ZoneLevel

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
    """Return what a number of clusters is called."""
    return f"{int(level.removeprefix('clusters-')):,} clusters"


def plural(name: str) -> str:
    """Return the plural of a level's name."""
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
