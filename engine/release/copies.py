"""What a dataset was made of, so that a copy under another name is not charged to other people."""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import datasets
from ..datasets import storage
from ..errors import DatasetError
from .entries import Entry, ReleaseError

SIMULATED_SALT = "simulated"
"""Salt id of all datasets of simulated people; it says nothing about who is in them."""

_TABLES = tuple(
    f"{name}.parquet"
    for name in (
        *("truth", "presampled", "trips", "trips_person", "report"),
        *("trips_days", "trips_person_days"),  # they list the files of every day
    )
)
"""Tables that no two groups of people share: public geometry and short sums may be equal."""


def fingerprint(version: Path) -> dict[str, Any]:
    """Return the salt's id and the checksums of the tables of people of a dataset's version.

    With them goes a secret number: an entry's hash stands in every bundle, and whoever knew all
    but one person could otherwise try what gives this hash.
    """
    document = storage.read_metadata(version)
    sums = document.get("checksums")
    known: Mapping[str, Any] = sums if isinstance(sums, dict) else {}
    return {
        "salt_id": str(document.get("salt_id", "")),
        "tables": {name: str(known[name]) for name in _TABLES if name in known},
        "secret": secrets.token_hex(16),
    }


def fingerprint_by_name(name: str) -> dict[str, Any] | None:
    """Return the fingerprint of an installed dataset; None where it cannot be opened by name."""
    folder = datasets.available().get(name)
    try:
        return None if folder is None else fingerprint(storage.current_version(folder))
    except DatasetError:
        return None


def refuse_copies(
    entries: Sequence[Entry], people: str, made_of: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raise `ReleaseError` where a dataset was made of what another budget's dataset was made of.

    Parameters
    ----------
    entries : sequence of Entry
        Older ledgers recorded no fingerprints: such entries are passed over.
    people : str
        Whose budget is to pay.
    made_of : mapping of str to mapping
        Fingerprints by the dataset's name.
    """
    for entry in entries:
        if entry.people == people:
            continue
        for other, theirs in _recorded(entry).items():
            for name, ours in made_of.items():
                if what := _shared(ours, theirs):
                    raise ReleaseError(
                        "a dataset of the same people must be charged to their budget",
                        value=f"'{name}' for '{people}', with {what} '{other}' of '{entry.people}'",
                        remedy=f"join it to the budget of '{entry.people}'; where they are other "
                        "people, make the dataset again with a salt of its own; nothing was "
                        "charged",
                        code="copy",
                    )


def _recorded(entry: Entry) -> Mapping[str, Mapping[str, Any]]:
    recorded = entry.body.get("made_of")
    if not isinstance(recorded, dict):
        return {}
    return {name: one for name, one in recorded.items() if isinstance(one, dict)}


def _shared(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """Say what two fingerprints have in common; nothing where that is nothing."""
    tables = theirs.get("tables")
    if isinstance(tables, dict) and set(ours["tables"].items()) & set(tables.items()):
        return "the same tables as"
    salt = ours["salt_id"]
    same = salt not in ("", SIMULATED_SALT) and salt == theirs.get("salt_id")
    return "the same salt as" if same else ""
