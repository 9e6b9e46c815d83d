"""How datasets and their zones are described, and whose data a page shows."""

from ..datasets import Metadata
from ..resolution import FINEST
from .numbers import count_noun, file_size

PART_NOUNS = {"density": "visits", "trips": "trips"}
SIMULATED_BANNER = "Simulated people"
CONFIDENTIAL_BANNER = (
    "**Computed from confidential data.** For the data's custodians only, not for publication."
)
NOT_A_RELEASE = (
    "Everything on this page is exploration, **not a release**. It compares with the "
    "truth and can be drawn again."
)
NO_DATASET = (
    "No dataset is installed. Build the demonstration city with `python -m research.simulated "
    "demo-city`, or build a dataset from your own files on the Data page."
)


def describe_dataset(metadata: Metadata, zones: int, size_bytes: int) -> str:
    """Describe a dataset under its picker: public facts only."""
    kind = "Simulated" if metadata.simulated else "Confidential"
    estimate = "" if metadata.simulated else "about "
    parts = (
        kind,
        f"{estimate}{metadata.people_public:,} people" if metadata.people_public else "",
        count_noun(metadata.period_length, "day") + ", each person once" * metadata.people_once,
        count_noun(zones, "zone"),
        f"{metadata.unknown_flows:,} rows not known, taken as 0" if metadata.unknown_flows else "",
        file_size(size_bytes),
    )
    # lines are broken between facts only
    facts = (fact.replace(" ", "\N{NO-BREAK SPACE}") for fact in parts if fact)
    return "\N{NO-BREAK SPACE}· ".join(facts)


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
