"""What sessions leave behind, in memory and on the disk: gone by time, else at the next start.

Streamlit forgets a session that has ended only when the next visitor comes; until then its uploads
stay in memory.
"""

import asyncio
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from engine import datasets, temp_folder
from engine.datasets import storage
from pages._ui.app import streamlit_internals

FOLDER_PREFIX = "mobility-session-"
"""Begins the name of a session's folder; the process that made it follows."""

GRACE_S = 150.0
"""How long a session may be away; Streamlit takes a lost browser back for two minutes."""

CHECK_INTERVAL_S = 15.0
_last_seen: dict[str, float] = {}
cleanups: dict[str, Callable[[], None]] = {}
"""By session what is done when it has ended: its folder goes."""


def note_session() -> None:
    """Remember the session at hand, so that it is ended by time."""
    session = streamlit_internals.session_id()
    if session is not None:
        _last_seen[session] = time.monotonic()


@asynccontextmanager
async def lifespan(app: object) -> AsyncGenerator[None]:
    """Sweep the disk when the server starts, and end sessions as long as it runs."""
    del app
    sweep_folders(is_start=True)
    watcher = asyncio.create_task(_watch_sessions())
    yield
    watcher.cancel()
    for cleanup in list(cleanups.values()):
        cleanup()


async def _watch_sessions() -> None:
    while True:
        await asyncio.sleep(CHECK_INTERVAL_S)
        end_absent_sessions()


def end_absent_sessions() -> None:
    """End the sessions that have been away too long, with their uploads; on the server's loop."""
    now = time.monotonic()
    for session, last_time in list(_last_seen.items()):
        if streamlit_internals.is_active(session):
            _last_seen[session] = now
        elif now - last_time > GRACE_S:
            del _last_seen[session]
            streamlit_internals.end_session(session)
            if cleanup := cleanups.pop(session, None):  # it waits for a build to stop
                threading.Thread(target=cleanup, name=f"clearing {session}").start()


def sweep_folders(*, is_start: bool = False) -> None:
    """Delete the folders that processes which no longer run have left."""
    storage.remove_abandoned(datasets.data_root() / "local", starting=is_start)
    storage.remove_abandoned(Path(tempfile.gettempdir()), FOLDER_PREFIX, starting=is_start)
    storage.remove_unfinished(datasets.data_root() / "local")
    temp_folder.remove_abandoned(Path(tempfile.gettempdir()))
