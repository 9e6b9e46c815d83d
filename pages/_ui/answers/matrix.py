"""What every view of the page reads: one matrix of the flows that are set, true and private."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from engine.arrays import Booleans, Numbers
from engine.contract import Setting
from engine.origin_destination.scores import LARGE_FLOW_TRIPS
from pages._ui.answers import cached
from pages._ui.components import colours, maps, marks
from pages._ui.settings import offers, seeds
from pages._ui.settings.seeds import Seed


class Outcome(NamedTuple):
    """An outcome of a flow, its colour told apart by colour-blind readers too."""

    name: str
    colour: str
    meaning: str


RETAINED = Outcome("kept", "#2a8fbd", "at least τ trips, shown")
LOST = Outcome("lost", colours.LOST, "at least τ trips, not shown: noise, or T")
SUPPRESSED = Outcome("small, not shown", "#9a9a9a", "below τ trips, not shown (as intended)")
REVEALED = Outcome("revealed", "#e0a100", "below τ trips, shown because of noise")
PHANTOM = Outcome("phantom", colours.PHANTOM, "no trips, shown because of noise")
OUTCOMES = (RETAINED, LOST, SUPPRESSED, REVEALED, PHANTOM)


@dataclass(frozen=True)
class Matrix:
    """One matrix: a setting, and the position of its day, week or period."""

    setting: Setting
    day: int = 0

    @property
    def parameters(self) -> Any:
        """Of the mechanism."""
        return self.setting.parameters

    @property
    def method(self) -> Any:
        """The method's row."""
        return cached.method_of(self.setting)

    @property
    def seed(self) -> Seed:
        """Of the noise: the same for a dataset, whatever is set."""
        return seeds.seed(offers.entry_of(self.setting))

    def say(self, text: str) -> str:
        """Return a text about trips in the words of what the setting counts."""
        return self.setting.say_counts(text)

    @property
    def truth(self) -> Any:
        """True trips, shape (zones, zones); confidential."""
        return cached.truth(self.setting, self.day)

    @property
    def release(self) -> Any:
        """The draw on the page."""
        return cached.release(self.setting, self.seed, day=self.day)

    @property
    def expected(self) -> Any:
        """The exact law's answer; None where the method has no law."""
        return cached.expected(self.setting, self.day)

    @property
    def shown_counts(self) -> Numbers:
        """The number that is shown of each flow by itself, 0 where none is."""
        return self.release.shown_counts[0]

    @property
    def names(self) -> dict[str, str]:
        """Names of the zones by their ids, in their order."""
        return cached.read(maps.zone_names, cached.view_key(self.setting))

    @property
    def day_label(self) -> str:
        """Which of several matrices it is, for a label."""
        starts = cached.dataset(cached.view_key(self.setting)).metadata.periods
        week = "week from " * (self.setting.time.aggregation == "week")
        many = cached.matrix_count(self.setting) > 1
        return f", {week}{starts[self.day]:%-d %B}" if many else ""

    def wrong_flows(self) -> tuple[Booleans, Booleans]:
        """Return which flows are phantoms, and which are lost."""
        off = ~np.eye(len(self.truth), dtype=bool)
        lost = (self.truth >= LARGE_FLOW_TRIPS) & (self.shown_counts == 0) & off
        return (self.truth == 0) & (self.shown_counts > 0) & off, lost

    def vary(self, **changes: Any) -> "Matrix":
        """Return the same with other parameters; the noise stays."""
        parameters = replace(self.parameters, **changes)
        return replace(self, setting=replace(self.setting, parameters=parameters))


def pick_matrix(setting: Setting) -> Matrix:
    """Draw the picker of the day or week, where there are several, and return its matrix."""
    count = cached.matrix_count(setting)
    if count < 2 or setting.parameters.unit == "person":
        return Matrix(setting)
    starts = cached.dataset(cached.view_key(setting)).metadata.periods
    day = st.selectbox(
        "Week from" if setting.time.aggregation == "week" else "Day",
        range(count),
        format_func=lambda position: f"{starts[position]:%a %-d %b %Y}",
        key="od_matrix",
    )
    return Matrix(setting, min(day or 0, count - 1))


def format_flow(value: float) -> str:
    """Write a flow: whole trips, but for small ones that are estimates.

    >>> format_flow(42), format_flow(0.4)
    ('42', '0.4')
    """
    return f"{value:,.0f}" if float(value).is_integer() else marks.format_estimate(value)
