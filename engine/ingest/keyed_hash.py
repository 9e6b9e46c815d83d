"""Keyed hashes: random ranks that are the same on every engine and every machine.

Each purpose has its own key, derived from the dataset's salt. With one key for all, the visit
chosen within a crowded hour (a small hash) would also rank first too often.

The guarantee does not need a secret salt: every bound on one person's change holds for any fixed
ranking, because a person's ranks depend on that person's records alone. The salt is stored with the
dataset (owner-only), so that the same data gives the same tables again.
"""

import hashlib
import secrets
from enum import StrEnum
from pathlib import Path

from ..errors import DatasetError
from ..validation import check_rule

SALT_FILE = "salt"
_SALT_BYTES = 16
_MAX_SALT_BYTES = 200


class Purpose(StrEnum):
    """Purposes of a hash; one key each."""

    HOUR = "one visit within an hour"
    RANK = "rank of an hour within a person"
    SINGLE = "one visit of a person"
    CAP = "visits of a person beyond the cap"
    TRIP_DAY = "rank of a trip within a person-day"
    TRIP_PERSON = "rank of a trip within a person"


def derive_key(salt: str, purpose: Purpose) -> str:
    """Return the key of `purpose`: 16 hexadecimal digits."""
    return hashlib.sha256(f"{salt}|{purpose.value}".encode()).hexdigest()[:16]


def salt_id(salt: str) -> str:
    """Return an id of `salt` that does not reveal it: 12 hexadecimal digits."""
    return hashlib.sha256(f"{salt}|name of this salt".encode()).hexdigest()[:12]


def hash_sql(salt: str, purpose: Purpose, *parts: str) -> str:
    """Return SQL for md5 of key and parts, none of which may be NULL: concat_ws drops those."""
    return f"md5(concat_ws('|', '{derive_key(salt, purpose)}', {', '.join(parts)}))"


def resolve_salt(folder: Path, chosen_salt: str | None) -> str:
    """Return the salt to use: `chosen_salt`, the one stored in `folder`, or a new random one."""
    if chosen_salt is not None:
        check_rule(
            1 <= len(chosen_salt) <= _MAX_SALT_BYTES and chosen_salt == chosen_salt.strip(),
            f"salt must be 1 to {_MAX_SALT_BYTES} characters without spaces at its ends",
            f"{len(chosen_salt)} characters",
            "leave it out to have one made",
        )
        return chosen_salt
    pointer = folder / "current"
    name = pointer.read_text(encoding="utf-8").strip() if pointer.is_file() else ""
    path = folder / name / SALT_FILE
    if not name or not path.is_file():
        return secrets.token_hex(_SALT_BYTES)
    if not (salt := path.read_text(encoding="utf-8").strip()):
        raise DatasetError(
            f"dataset '{folder.name}': its file '{SALT_FILE}' is empty",
            remedy="restore it, or remove it to have new random ranks",
        )
    return salt
