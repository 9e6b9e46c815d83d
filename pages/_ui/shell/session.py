"""What one session remembers beside its widgets: every field in one place."""

import os
from dataclasses import dataclass, field
from pathlib import Path
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
class OwnData:
    """The form of the page Data, and what the session has made with it.

    Attributes
    ----------
    round : int
        How often the form has been emptied; each round's widgets have keys of their own.
    uploads, kept : dict
        Ids of the files in each uploader, and where they lie on this disk.
    looks, times, days, areas, places, strangers, forecasts : dict
        What has been read of the files, once for what was asked.
    time_zone : str or None
        The one chosen last, for the rows shown above it.
    failed : str
        Why the last button could not do what it says; shown once.
    workspace, build : object or None
        The session's folder, and its last build.
    """

    round: int = 0
    uploads: dict[str, set[str]] = field(default_factory=dict)
    kept: dict[str, list[Path]] = field(default_factory=dict)
    looks: dict[Any, Any] = field(default_factory=dict)
    times: dict[Any, Any] = field(default_factory=dict)
    days: dict[Any, Any] = field(default_factory=dict)
    areas: dict[Any, Any] = field(default_factory=dict)
    places: dict[Any, Any] = field(default_factory=dict)
    strangers: dict[Any, Any] = field(default_factory=dict)
    forecasts: dict[Any, Any] = field(default_factory=dict)
    time_zone: str | None = None
    failed: str = ""
    workspace: Any = None
    build: Any = None


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
    details : dict
        What each row of a picture of usable details stands for, by the picture's key.
    jobs : dict
        Long work asked for, by name; what nobody asks for any more is left.
    datasets : dict
        Folders of the datasets made in this session, by name.
    tuned_on : dict or None
        What ε was tuned on at the page Decisions, for the record of a release.
    tuning_filled : tuple or None
        What of it was last filled in on the page Release.
    judged_on_release : set of str
        Datasets whose verdict by the data was looked at on the page Release.
    people : dict
        Numbers of people by zone given on the page Decisions, by dataset key; a word where empty
        zones are left out.
    report_pinned : tuple or None
        The setting pinned on the page Report, behind the key of its dataset.
    own : OwnData
        The form of the page Data and what was made with it.
    stands_in : str or None
        The dataset that the page at hand shows in place of the trips dataset that is set.
    real_shown : set of str
        The datasets of real people that the page at hand shows, whatever is set.
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
    details: dict[str, dict[str, Any]] = field(default_factory=dict)
    jobs: dict[str, Any] = field(default_factory=dict)
    datasets: dict[str, Path] = field(default_factory=dict)
    tuned_on: dict[str, Any] | None = None
    tuning_filled: tuple[str, str] | None = None
    judged_on_release: set[str] = field(default_factory=set)
    people: dict[str, Any] = field(default_factory=dict)
    report_pinned: tuple[str, Any] | None = None
    own: OwnData = field(default_factory=OwnData)
    stands_in: str | None = None
    real_shown: set[str] = field(default_factory=set)


def session() -> Session:
    """Return what this session remembers."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
    return st.session_state[_KEY]


def has_widget(key: str) -> bool:
    """Whether Streamlit holds a value for the widget of that key."""
    return key in st.session_state


def widget_value(key: str, default: Any = None) -> Any:
    """Return the value of the widget of that key as the browser last sent it."""
    return st.session_state.get(key, default)


def set_widget(key: str, value: Any) -> None:
    """Give a widget its value, before it is drawn or in a callback."""
    st.session_state[key] = value


def forget_widget(key: str) -> None:
    """Let a widget begin anew."""
    st.session_state.pop(key, None)


def picked(key: str, name: str) -> list[dict[str, Any]]:
    """Return what has just been chosen in a chart's selection of that name."""
    return list(st.session_state[key]["selection"].get(name, []))


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
