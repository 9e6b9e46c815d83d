"""Play: ε sweeps from 10 to 0.01, one stop at a time; the page is free in between."""

import time
from dataclasses import dataclass

import streamlit as st

from engine.parameters import EPSILON_STOPS
from pages._ui.shell import setting
from pages._ui.shell.problems import guarded
from pages._ui.shell.session import state
from pages._ui.shell.settings import EPSILON

TICK_S = 1.0
"""How long each stop is shown at least."""


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
class Play:
    """The sweep that is under way, and the ε at which it was paused last."""

    sweep: Sweep | None = None
    paused_at: float | None = None


def playing() -> bool:
    """Whether a sweep is under way."""
    sweep = state(Play).sweep
    return sweep is not None and sweep.epsilon == setting.value(EPSILON)


def hold() -> None:
    """Keep ε where the sweep has put it; called before the settings are read.

    A busy browser that has not drawn the new stop yet still reports the one before: that is an echo
    and not a person who moves the slider.
    """
    sweep = state(Play).sweep
    if sweep is not None and setting.value(EPSILON) == sweep.before != sweep.epsilon:
        setting.put(EPSILON, sweep.epsilon)


def button() -> None:
    """Draw the button that starts or pauses the sweep, and keep it going."""
    on = playing()
    st.button(
        "Pause" if on else "Play",
        icon=":material/pause:" if on else ":material/play_arrow:",
        key="home_play_button",
        on_click=_pause if on else _start,
        width="content",
        help="Takes ε from 10 to 0.01: watch corridors fade and phantoms grow as noise is "
        "added. Moving ε ends it.",
    )
    st.fragment(guarded(_step), run_every=TICK_S if on else None)()


def _start() -> None:
    """Start at the top, or go on from a stop at which it was paused (a callback)."""
    now = setting.value(EPSILON)
    paused = state(Play).paused_at
    first = now if paused == now and now > EPSILON_STOPS[0] else EPSILON_STOPS[-1]
    setting.put(EPSILON, first)
    state(Play).sweep = Sweep(first, time.monotonic(), before=now)


def _pause() -> None:
    """Stop where it stands (a callback)."""
    state(Play).paused_at = setting.value(EPSILON)
    state(Play).sweep = None


def _step() -> None:
    """Go to the next stop if the one at hand has been seen long enough."""
    hold()
    sweep = state(Play).sweep
    if sweep is None or not playing():
        state(Play).sweep = None
        return
    if time.monotonic() - sweep.since < 0.8 * TICK_S:
        return
    lower = [stop for stop in EPSILON_STOPS if stop < sweep.epsilon]
    if not lower:
        state(Play).sweep = None
    else:
        setting.put(EPSILON, lower[-1])
        state(Play).sweep = Sweep(lower[-1], time.monotonic(), before=sweep.epsilon)
    st.rerun()
