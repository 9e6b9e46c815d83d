"""Colours and words of the outcomes of a flow, the same on maps, matrices and bars."""

import html
from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine.arrays import Integers
from engine.contract import Setting
from engine.datasets import Dataset
from pages._ui import cached, state
from pages._ui.drawing import colours, marks
from pages._ui.trips.drawn import methods

MAP_WIDTH = 640
"""Pixels that a map has in a window of 1024: in a wider one there is more around it."""


@dataclass(frozen=True)
class Outcome:
    """A outcome of a flow: its name, colour (safe for colour-blind readers) and meaning."""

    name: str
    colour: str
    meaning: str


KEPT = Outcome("kept", "#2a8fbd", "at least τ, and shown")
LOST = Outcome("lost", colours.LOST, "at least τ, but suppressed by noise or trimming")
SUPPRESSED = Outcome("suppressed", "#9a9a9a", "below τ, and suppressed as it should be")
REVEALED = Outcome("revealed", "#e0a100", "below τ, but noise lifts it into view")
PHANTOM = Outcome("phantom", colours.PHANTOM, "no trip at all, but noise shows one")
OUTCOMES = (KEPT, LOST, SUPPRESSED, REVEALED, PHANTOM)


def rgb(outcome: Outcome) -> list[int]:
    """Return the colour of an outcome for a map."""
    return [*(int(outcome.colour[i : i + 2], 16) for i in (1, 3, 5)), 235]


def signed(value: float) -> str:
    """Write a difference of trips with its sign.

    Examples
    --------
    >>> signed(-1200), signed(3.4)
    ('−1,200', '+3')
    """
    return f"{round(value):+,}".replace("-", "−")


def written(value: float) -> str:
    """Write a flow: whole trips, but for small ones that are estimates.

    Examples
    --------
    >>> written(42), written(0.4)
    ('42', '0.4')
    """
    return f"{value:,.0f}" if float(value).is_integer() else marks.estimate(value)


def beside(setting: Setting) -> list[Setting]:
    """Return the method on the page, and those with an exact law to read it against."""
    exact = [one for one in methods(setting) if cached.method_of(one).expected is not None]
    return [setting, *(one for one in exact if one != setting)]


def key(*outcomes: Outcome, hollow: bool = False) -> None:
    """Draw the colours of some outcomes with their names; hollow as maps draw wrong flows."""
    inside = 28 if hollow else 100
    swatches = "".join(
        f'<span style="display:inline-flex;align-items:center;gap:0.4rem;margin-right:1.1rem">'
        f'<span style="width:0.8rem;height:0.8rem;border-radius:0.15rem;'
        f"border:2px solid {each.colour};"
        f'background:color-mix(in srgb, {each.colour} {inside}%, transparent)">'
        f"</span>{html.escape(each.name)}: {html.escape(each.meaning)}</span>"
        for each in outcomes
    )
    st.html(f'<div class="outcomes" style="font-size:0.82rem">{swatches}</div>')


def zone_choice(label: str, setting: Setting, trips: Integers, *, key: str, off: bool) -> int:
    """Draw a picker of zones by name, at first on the busiest, and return the zone's number."""
    words = zone_names(setting)
    ids = list(words)
    if st.session_state.get(key) not in words:
        st.session_state[key] = ids[int(np.argmax(trips))]
    chosen = st.selectbox(
        label,
        sorted(ids, key=words.__getitem__),
        format_func=words.__getitem__,
        key=key,
        disabled=off,
        **state.KEPT,
    )
    return ids.index(chosen)


def zone_names(setting: Setting) -> dict[str, str]:
    """Return the names of the zones seen by their ids; a name used twice has its id."""
    return cached.of(_names, cached.view(setting))


def _names(dataset: Dataset) -> dict[str, str]:
    ids, names = (dataset.zones[name].astype(str) for name in ("zone_id", "name"))
    double = names.duplicated(keep=False)
    said = [f"{n} ({i})" if two else n for i, n, two in zip(ids, names, double, strict=True)]
    return dict(zip(ids, said, strict=True))


def zone_labels(setting: Setting) -> list[str]:
    """Return the names of the zones seen, in their order."""
    return list(zone_names(setting).values())
