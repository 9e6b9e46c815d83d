"""What one session remembers beside its widgets: the fields of the shell, and of each page."""

import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine.contract import Selection, Setting

S = TypeVar("S")
_KEY = "session"
_local = threading.local()
"""Of a thread: the state of the session that it last ran for, and what that remembers."""
PHONE_MAP = (310, 340)
IN_WORKER = "MOBILITY_IN_WORKER"
"""Set in the environment of a process that works for sessions and has none itself."""


@dataclass
class Session:
    """The fields of one session; pages read and write them, nothing of it reaches a file."""

    notices: list[str] = field(default_factory=list)
    adopted: bool = False
    told: str = ""
    left: dict[tuple[Any, ...], dict[str, Any]] = field(default_factory=dict)
    redraws: int = 0
    before: dict[str, Any] | None = None
    shown: dict[str, Any] = field(default_factory=dict)
    installed: Any = None
    said: str = ""
    secret_seeds: dict[Selection, int] = field(default_factory=dict)
    jobs: dict[str, Any] = field(default_factory=dict)
    datasets: dict[str, Path] = field(default_factory=dict)
    on_twin: tuple[str, Setting] | None = None
    pinned: tuple[Setting, ...] = ()
    judged: set[str] = field(default_factory=set)
    tuned: str = "these data"
    pages: dict[type, Any] = field(default_factory=dict)


def session() -> Session:
    """Return what this session remembers; a run asks for it hundreds of times."""
    context = get_script_run_ctx(suppress_warning=True)
    of = None if context is None else context.session_state
    if of is not None and getattr(_local, "of", None) is of:
        return _local.session
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
    kept: Session = st.session_state[_KEY]
    _local.of, _local.session = of, kept
    return kept


def state(kind: type[S]) -> S:
    """Return what the package of a page remembers in this session: an object of its own class."""
    pages = session().pages
    if kind not in pages:
        pages[kind] = kind()
    return pages[kind]


def in_worker() -> bool:
    """Whether this process only works for the sessions of another."""
    return IN_WORKER in os.environ


def map_size(width: int, height: int) -> dict[str, int]:
    """Return the pixels that a map must fit into: those given but for a phone, which has fewer."""
    if "Mobi" not in (st.context.headers.get("User-Agent") or ""):
        return {"width": width, "height": height}
    return {"width": min(width, PHONE_MAP[0]), "height": min(height, PHONE_MAP[1])}


def page() -> str:
    """Return an id of the page that is running."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.page_script_hash


def came_by_history() -> bool:
    """Whether the browser's Back or Forward asked for this run."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation
