"""How datasets are described, whose data a page shows, and what it says where there is none."""

from engine.datasets import Metadata
from pages._ui.wording.numbers import file_size

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
    "No dataset is installed. Make the demonstration city with `python -m engine.synthetic` or "
    "build one from your own files with `python -m engine.ingest`."
)


def described(name: str, about: Metadata, zones: int, size_bytes: int, lacks: str = "") -> str:
    """Describe a dataset in the pickers: public facts only; `lacks` names a part it has not."""
    kind = "simulated" if about.simulated else "confidential"
    estimate = "" if about.simulated else "about "
    facts = (
        name,
        kind,
        f"no {lacks}" if lacks else "",
        f"{estimate}{about.people_public:,} people" if about.people_public else "",
        _some(len(about.days), "day"),
        _some(zones, "zone"),
        file_size(size_bytes),
    )
    # lines are broken between facts only
    return "\N{NO-BREAK SPACE}· ".join(
        fact.replace(" ", "\N{NO-BREAK SPACE}") for fact in facts if fact
    )


def _some(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
