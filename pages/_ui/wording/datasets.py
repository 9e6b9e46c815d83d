"""How datasets and their zones are described, and whose data a page shows."""

from engine.datasets import Metadata
from pages._ui.wording.numbers import counted, file_size

PARTS = {"density": "visits", "trips": "trips"}
SIMULATED_BANNER = "Simulated people"
CONFIDENTIAL_BANNER = (
    "**Computed from confidential data** – for the data's custodians, not for publication."
)
NOT_A_RELEASE = (
    "Everything on this page is exploration, **not a release**: it compares with the truth and "
    "may be drawn again."
)
NO_DATASET = (
    "No dataset is installed. Make the demonstration city with "
    "`python -m research.simulated demo-city`, or build one from your own files on the page Data."
)


def facts(about: Metadata, zones: int, size_bytes: int) -> str:
    """Describe a dataset under its picker: public facts only."""
    kind = "Simulated" if about.simulated else "Confidential"
    estimate = "" if about.simulated else "about "
    said = (
        kind,
        f"{estimate}{about.people_public:,} people" if about.people_public else "",
        counted(len(about.days), "day"),
        counted(zones, "zone"),
        file_size(size_bytes),
    )
    # lines are broken between facts only
    return "\N{NO-BREAK SPACE}· ".join(
        fact.replace(" ", "\N{NO-BREAK SPACE}") for fact in said if fact
    )
