"""What a session has done on the page Data."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pages._ui.shell.session import state

MOST_KNOWN = 20


@dataclass
class OwnData:
    """The form of the page Data, and what the session has made with it.

    Attributes
    ----------
    round : int
        How often the form has been emptied; each round's widgets have keys of their own.
    uploads, kept : dict
        Ids of the files in each uploader, and where they lie on this disk.
    known : dict
        What has been read of the files, by kind, once for what was asked.
    time_zone : str or None
        The one chosen last, for the rows shown above it.
    failed : str
        Why the last button could not do what it says; shown once.
    workspace, build : object or None
        The session's folder, and its last build.
    example : bool
        Whether a twin is made of the shipped example where no file was given.
    """

    round: int = 0
    uploads: dict[str, set[str]] = field(default_factory=dict)
    kept: dict[str, list[Path]] = field(default_factory=dict)
    known: dict[str, dict[Any, Any]] = field(default_factory=dict)
    time_zone: str | None = None
    failed: str = ""
    workspace: Any = None
    build: Any = None
    example: bool = False

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
        self.example = False


def own() -> OwnData:
    """Return what this session has done on the page."""
    return state(OwnData)
