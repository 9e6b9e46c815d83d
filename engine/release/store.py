"""The file of a ledger: made whole, opened durably, refused in one line where it is unusable."""

import os
import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from .entries import FIRST_HASH, ReleaseError

_WAIT_S = 60.0
_MACHINE = ("SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY")
_SCHEMA = f"""
create table entries (
  id integer primary key,
  time text not null, kind text not null, people text not null, body text not null,
  previous text not null, hash text not null unique
);
create table head (one integer primary key check (one = 1), id integer, hash text);
insert into head values (1, 0, '{FIRST_HASH}');
"""  # a ledger has its head from the first moment: one without it was cut


def exists(path: Path) -> bool:
    """Whether anything is at `path`; raise `ReleaseError` where no file can be."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:  # too long, or no name for a file
        raise _unusable(path, "read", error) from error
    return True


@contextmanager
def opened(path: Path, *, writing: bool) -> Generator[sqlite3.Connection]:
    """Yield a durable connection to a ledger, made first where it is to be written.

    Raises
    ------
    ReleaseError
        If it is no ledger, damaged, or cannot be read or written.
    """
    try:
        if writing and not exists(path):
            _create(path)
        with closing(sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)) as connection:
            connection.execute("pragma synchronous=full")
            yield connection
    except (sqlite3.Error, OSError) as error:
        raise _unusable(path, "written" if writing else "read", error) from error


def _create(path: Path) -> None:
    """Make an empty ledger, whole, or leave the one that another process made meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".ledger-", dir=path.parent)  # the owner's only
    os.close(handle)
    try:
        with closing(sqlite3.connect(name)) as connection:
            connection.executescript(_SCHEMA)
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.unlink(name)


def _unusable(path: Path, how: str, error: Exception) -> ReleaseError:
    name = getattr(error, "sqlite_errorname", "")
    machine = isinstance(error, OSError) or name.startswith(_MACHINE)
    return ReleaseError(
        f"the ledger '{path.name[-100:]}' cannot be {how} ({type(error).__name__})",
        remedy="nothing was charged and nothing drawn: "
        + (
            "make its folder writable, with space left, or name another ledger"
            if machine
            else "it is no ledger, or was cut or damaged: restore a copy, or name another one"
        ),
        code="ledger",
    )
