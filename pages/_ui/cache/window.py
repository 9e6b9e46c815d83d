"""The matrices a page looks at: one day, all days each, or the whole period."""

from dataclasses import dataclass
from typing import Any

from engine.parameters import ODParameters


@dataclass(frozen=True)
class Window:
    """The matrices that are looked at.

    Attributes
    ----------
    day : int or None
        Position of the day; None takes all days.
    summed : bool
        All days are one matrix and one release (unit person), rather than one each.
    """

    day: int | None
    summed: bool = False

    @property
    def arguments(self) -> dict[str, Any]:
        """The engine's ``days`` and ``sum_days``."""
        return {"days": self.day, "sum_days": self.summed}

    @property
    def several(self) -> bool:
        """Whether there are several releases, of which the page shows the sum."""
        return self.day is None and not self.summed


def declared(parameters: ODParameters) -> Window:
    """Return what home shows: the first declared day, or the whole period at unit person."""
    return Window(None, summed=True) if parameters.unit == "person" else Window(0)
