"""What one session remembers beside its widgets: every field in one place."""

import os
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_KEY = "session"
PHONE_MAP = (310, 340)
IN_WORKER = "MOBILITY_IN_WORKER"
"""Set in the environment of a process that works for sessions and has none itself."""


@dataclass
class Sweep:
    """A sweep over ε that is under way.

    Attributes
    ----------
    epsilon : float
        Where it stands; whoever moves the slider elsewhere ends it.
    since : float
        When it came there, by the monotonic clock.
    before : float or None
        The stop it came from.
    """

    epsilon: float
    since: float
    before: float | None = None


@dataclass
class Session:
    """The fields of one session; pages read and write them, nothing of it reaches a file.

    Attributes
    ----------
    values : dict
        Settings by key, whether or not the page at hand draws them.
    texts : dict
        The same as they stand in the link; a setting at its default, or one that must not be
        shared, has none.
    unread : dict
        Texts of the link that no page has asked for yet.
    private : set of str
        Keys whose present value must not stand in a link (a dataset of one's own).
    drawn_on : dict
        The page on which the widget of a key was last drawn; None once code has set the value.
    notices : list of str
        What was not taken as the link says; shown once.
    narrow : bool
        Whether the page is as narrow as a phone.
    adopted : bool
        Whether the address the session began with has been read.
    epsilon_told : float
        The ε that the browser has been told last, for all controls of it.
    epsilon_moved_by : str
        The key of the control of ε that a person moved last.
    redraws : int
        How often other noise has been asked for.
    secret_seeds : dict
        Secret number by dataset key, for data that is not simulated.
    tour : int or None
        Step of home's tour, None once it has been ended.
    sweep : Sweep or None
        Home's sweep over ε that is under way.
    sweep_paused_at : float or None
        The ε at which it was paused last.
    week_playing : bool
        Whether the hours on the Density page move on by themselves.
    week_moved_on_s : float
        When they did so last, by the monotonic clock.
    zone_clicked : str or None
        The zone last clicked on the map of the Density page.
    flows_of : str or None
        The zone whose flows the map of flows drew last.
    flows_turn : int
        How often that has changed.
    """

    values: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    drawn_on: dict[str, str | None] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    narrow: bool = False
    adopted: bool = False
    epsilon_told: float = 1.0
    epsilon_moved_by: str = ""
    redraws: int = 0
    secret_seeds: dict[str, int] = field(default_factory=dict)
    tour: int | None = 0
    sweep: Sweep | None = None
    sweep_paused_at: float | None = None
    week_playing: bool = False
    week_moved_on_s: float = 0.0
    zone_clicked: str | None = None
    flows_of: str | None = None
    flows_turn: int = 0


def session() -> Session:
    """Return what this session remembers."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
    return st.session_state[_KEY]


def in_worker() -> bool:
    """Whether this process only works for the sessions of another."""
    return IN_WORKER in os.environ


def map_size(width: int, height: int) -> dict[str, int]:
    """Return the pixels that a map must fit into: those given but for a phone, which has fewer."""
    if not session().narrow:
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
