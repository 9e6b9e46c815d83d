"""What is said of a release that fails or is stopped: what is spent, and what is there."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ..errors import ExplorerError
from .ledger import Entry, ReleaseError


class Stopped(KeyboardInterrupt):
    """A release was interrupted; the message says what was spent and what is there."""


@contextmanager
def unspent(rule: str, code: str) -> Generator[None]:
    """Refuse what fails in the block, which runs before the charge."""
    try:
        yield
    except ExplorerError:
        raise
    except Exception as error:
        raise ReleaseError(
            f"{rule} ({type(error).__name__})",
            remedy="install this software whole, or build the dataset again; nothing was spent",
            code=code,
        ) from error


def stopped(spent: Entry | None, out: Path) -> str:
    """Say what is spent, and whether the bundle is there."""
    if spent is None:
        return "stopped: nothing was spent, and nothing was written"
    due = f"ε = {spent.body['epsilon']:g}, entry {spent.id} of the ledger,"
    if (out / "SHA256SUMS").is_file():
        return f"stopped, but the bundle '{out.name}' is there, whole: use it; {due} is spent"
    return f"stopped: {due} is spent, since noise may have been drawn; no bundle was written"


def failed(error: Exception, intent: Entry, folder: Path, out: Path) -> ReleaseError:
    """Say what a failure after the charge leaves behind: the cost is spent whatever failed."""
    why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""
    why = why or type(error).__name__
    spent = f"its cost, entry {intent.id} of the ledger, stays spent, since its noise was drawn"
    if (out / "SHA256SUMS").is_file() and not folder.exists():  # moved there, so it is this one
        rule = f"the bundle '{out.name}' is there, whole, but what follows it failed ({why})"
        remedy = f"{spent}; use the bundle, and do not release again for it"
        return ReleaseError(rule, remedy=remedy, code="unfinished")
    remedy = f"{spent}; make space and release again at a new cost"
    return ReleaseError(f"the bundle could not be written ({why})", remedy=remedy, code="unwritten")
