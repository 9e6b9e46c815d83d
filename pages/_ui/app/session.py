"""What one session remembers beside its widgets: the fields of the shell, and of each page."""

import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from engine.contract import Selection, Setting
from pages._ui.app import streamlit_internals

S = TypeVar("S")
_KEY = "session"
_thread_state = threading.local()
"""Of a thread: the state of the session that it last ran for, and what that remembers."""
IN_WORKER = "MOBILITY_IN_WORKER"
"""Set in the environment of a process that works for sessions and has none itself."""


@dataclass
class Session:
    """The fields of one session; pages read and write them, nothing of it reaches a file."""

    notices: list[str] = field(default_factory=list)
    is_link_read: bool = False
    page: str = ""
    values_by_link: dict[tuple[Any, ...], dict[str, Any]] = field(default_factory=dict)
    redraw_count: int = 0
    undo_step: Any = None
    shown_entries: dict[str, Any] = field(default_factory=dict)
    shared_entries: Any = None
    stamp: str = ""
    secret_seeds: dict[Selection, int] = field(default_factory=dict)
    jobs: dict[str, Any] = field(default_factory=dict)
    waiting_jobs: dict[Any, Any] = field(default_factory=dict)
    datasets: dict[str, Path] = field(default_factory=dict)
    trips_per_day: dict[str, float] = field(default_factory=dict)
    twin_choice: tuple[str, Setting] | None = None
    pins: tuple[Setting, ...] = ()
    judged_names: set[str] = field(default_factory=set)
    tuning_source: str = "these data"
    watched_release: Any = None
    page_states: dict[type, Any] = field(default_factory=dict)


def session() -> Session:
    """Return the memory of this session; a run asks for it hundreds of times."""
    run_state = streamlit_internals.run_state()
    if run_state is not None and getattr(_thread_state, "run_state", None) is run_state:
        return _thread_state.session
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
    memo: Session = st.session_state[_KEY]
    _thread_state.run_state, _thread_state.session = run_state, memo
    return memo


def page_state(kind: type[S]) -> S:
    """Return a page package's memory in this session: an object of its own class."""
    pages = session().page_states
    if kind not in pages:
        pages[kind] = kind()
    return pages[kind]


def is_worker() -> bool:
    """Whether this process only works for the sessions of another."""
    return IN_WORKER in os.environ
