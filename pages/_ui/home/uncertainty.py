"""How sure a large number is: 25 dots, one a draw, and draws that can be played."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.density import DensityScores
from engine.origin_destination import TripScores
from pages._ui import jobs
from pages._ui.cache.repeats import density_scores, trip_draws
from pages._ui.cache.window import declared
from pages._ui.drawing.svg.dots import DOTS, dot_plot
from pages._ui.jobs import Job
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings, seed
from pages._ui.wording.numbers import fixed, percent, trip_count

Scores = DensityScores | TripScores


@dataclass(frozen=True)
class Number:
    """A large number that repeated draws change: where it stands in their scores, how it reads."""

    label: str
    field: str
    write: Callable[[float], str]

    def of(self, draws: Sequence[Scores]) -> list[float]:
        """Return the number in each draw."""
        return [float(getattr(draw, self.field)) for draw in draws]


NUMBERS: dict[str, tuple[Number, ...]] = {
    "trips": (
        Number("Relative error of flows", "relative_error", percent),
        Number("Median error of flows", "median_error", trip_count),
        Number("Pairs of zones that read 0", "zero_share", percent),
        Number("Trips in flows still shown", "visible_share", percent),
    ),
    "density": (
        Number("Relative error (MRE)", "mean_error", percent),
        Number("Rhythm kept (Pearson r)", "mean_correlation", fixed),
        Number("Error of the total", "total_error", percent),
    ),
}
NOTE = (
    f"Each dot is one of {DOTS} draws of the noise at this setting: had it been released, any one "
    "of them might have been published. Where dots lie wide apart, do not rely on a single one."
)
_OPEN = setting.switch("home_sure", default=False)
_JOB = "home_dots"


def draw(settings: Settings, part: str) -> None:
    """Draw the switch and, while it is on, the dots of one number of the stage's dataset."""
    asked = setting.draw(
        st.toggle,
        "How sure is a number? Draw it again and again",
        _OPEN,
        help=f"Draws the noise {DOTS} times at this setting, only while this is on.",
    )
    if not asked:
        return
    if part == "trips" and settings.od_method == "estimate":
        st.caption("Our own method shows its draws on the Origin–destination page.")
        return
    numbers = {number.label: number for number in NUMBERS[part]}
    labels = list(numbers)
    chosen = numbers[
        setting.draw(
            st.selectbox,
            "Number",
            setting.choice(f"home_sure_{part}", labels, labels[0]),
            labels,
        )
    ]
    entry = settings.od_data if part == "trips" else settings.density_data
    assert entry is not None
    jobs.live(_JOB, _draws(settings, part, entry), lambda work: _dots(work, chosen, entry.name))
    st.caption(NOTE)


def _draws(settings: Settings, part: str, entry: Entry) -> Job:
    noise = seed(entry)
    if part == "density":
        asked: tuple[Any, ...] = (density_scores, entry.key, settings.density(), noise, DOTS)
    else:
        parameters = settings.trips()
        asked = (trip_draws, entry.key, parameters, noise, declared(parameters), DOTS)
    return jobs.job(_JOB, *asked)


def _dots(work: Job, number: Number, name: str) -> None:
    jobs.progress(work, "Drawing", _JOB)
    draws: Sequence[Scores] = work.result or ()
    values = number.of(draws)
    dot_plot(
        values,
        [number.write(value) for value in values],
        what=f"{number.label}, {name}",
        key="home_dots",
    )
