"""How a dataset is told in one line."""

from engine.datasets import Metadata
from pages._ui.cache.facts import Facts


def size(number: float) -> str:
    """Write a number of bytes.

    Examples
    --------
    >>> size(900), size(2_585_250), size(41e6)
    ('900 bytes', '2.6 MB', '41 MB')
    """
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= scale:
            return f"{number / scale:.{1 if number < 10 * scale else 0}f} {unit}"
    return f"{number:.0f} bytes"


def described(name: str, about: Metadata, facts: Facts, lacks: str = "") -> str:
    """Describe a dataset in the pickers: public facts only; `lacks` names a part it has not."""
    kind = "simulated" if about.simulated else "confidential"
    estimate = "" if about.simulated else "about "
    told = (
        name,
        kind,
        f"no {lacks}" if lacks else "",
        f"{estimate}{about.people_public:,} people" if about.people_public else "",
        _some(len(about.days), "day"),
        _some(facts.zones, "zone"),
        size(facts.size_bytes),
    )
    # lines are broken between facts only
    return "\N{NO-BREAK SPACE}· ".join(
        fact.replace(" ", "\N{NO-BREAK SPACE}") for fact in told if fact
    )


def _some(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
