"""What a session has done on the page Data."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pages._ui.shell.session import state

MOST_KNOWN = 20


@dataclass
class OwnData:
    """The form of the page Data, and what the session has made with it."""

    round: int = 0  # how often the form was emptied: each round's widgets have keys of their own
    uploads: dict[str, set[str]] = field(default_factory=dict)  # ids of the files in each uploader
    kept: dict[str, list[Path]] = field(default_factory=dict)  # and where they lie on this disk
    known: dict[str, dict[Any, Any]] = field(default_factory=dict)  # what was read, once, by kind
    leave_out: set[str] = field(default_factory=set)  # choices made beside refusals
    refused: str = ""  # the code of the last refusal that has a choice
    time_zone: str | None = None
    failed: str = ""  # why the last button could not do what it says; shown once
    workspace: Any = None
    build: Any = None
    example: bool = False  # whether a twin is made of the shipped example

    def read(self, kind: str) -> dict[Any, Any]:
        """Return what has been read of a kind; where that is much, it is read anew."""
        known = self.known.setdefault(kind, {})
        if len(known) > MOST_KNOWN:
            known.clear()
        return known

    def next_round(self) -> None:
        """Empty the form (a callback)."""
        self.round += 1
        self.known, self.kept, self.uploads = {}, {}, {}
        self.leave_out, self.refused, self.example = set(), "", False


def own() -> OwnData:
    """Return what this session has done on the page."""
    return state(OwnData)
