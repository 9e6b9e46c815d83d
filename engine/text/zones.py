"""Numbers and names of zones in words."""

from ..resolution import FINEST


def count_zones(level: str, zones: int) -> str:
    """Return the number of zones with the name of their level.

    >>> count_zones("zones", 416), count_zones("province", 5), count_zones("clusters-100", 100)
    ('416 zones', '5 provinces', '100 clusters')
    """
    if level == FINEST:
        return f"{zones:,} zones"
    name = name_level(level)
    return name if level.startswith("clusters-") else f"{zones:,} {name}"


def name_level(level: str) -> str:
    """Return the plural name of a zone level coarser than the dataset's own zones.

    >>> name_level("clusters-30"), name_level("province"), name_level("county")
    ('30 clusters', 'provinces', 'counties')
    """
    if level.startswith("clusters-"):
        return f"{int(level.removeprefix('clusters-')):,} clusters"
    return f"{level[:-1]}ies" if level.endswith("y") else f"{level}s"
