"""How sure a large number is: 25 dots, one a draw, and draws that can be played."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from engine import origin_destination as od
from engine.density import DensityScores
from engine.origin_destination.agreement import Agreement
from engine.origin_destination.scoring import TripScores
from pages._ui import jobs
from pages._ui.cache.repeats import Moved, density_moves, density_scores, estimate_draws, trip_draws
from pages._ui.cache.window import declared
from pages._ui.drawing.svg.dots import DOTS, dot_plot
from pages._ui.jobs import Job
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings, seed
from pages._ui.wording.measures import MEAN_ERROR, trip_labels
from pages._ui.wording.numbers import fixed, metres, percent, trip_count

Scores = DensityScores | TripScores | Agreement | Moved
MOVES = "distance_m"
"""The number that takes seconds a draw, so that it is drawn for itself."""


@dataclass(frozen=True)
class Number:
    """A large number that repeated draws change: where it stands in their scores, how it reads."""

    label: str
    field: str
    write: Callable[[float], str]

    def of(self, draws: Sequence[Scores]) -> list[float]:
        """Return the number in each draw."""
        return [float(getattr(draw, self.field)) for draw in draws]


_TRIPS = trip_labels("τ or more")
_DRAWN = (
    Number(MEAN_ERROR, "mean_error", trip_count),
    Number("Error of totals leaving zones", "outgoing_error", percent),
    Number("Common part of commuters", "common_part", percent),
    Number("Empty among shown flows", "false_share", percent),
)
NUMBERS: dict[str, tuple[Number, ...]] = {
    "trips": (
        Number(_TRIPS["relative_error"], "relative_error", percent),
        Number(_TRIPS["median_error"], "median_error", trip_count),
        Number(_TRIPS["zero_share"], "zero_share", percent),
        Number(_TRIPS["visible_share"], "visible_share", percent),
    ),
    "density": (
        Number("Relative error (MRE)", "mean_error", percent),
        Number("Rhythm kept (Pearson r)", "mean_correlation", fixed),
        Number("Error of the total", "total_error", percent),
        Number("Displacement (EMD), takes longer", MOVES, metres),
    ),
    "ours": tuple(
        replace(one, label=f"Ours: {one.label[0].lower()}{one.label[1:]}") for one in _DRAWN
    ),
    "drawn": _DRAWN,
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
    reading = od.METHODS[settings.od_method]
    drawn = part == "trips" and reading.expected is None
    method = ("ours" if reading.ours else "drawn") if drawn else part
    numbers = {number.label: number for number in NUMBERS[method]}
    labels = list(numbers)
    chosen = numbers[
        setting.draw(
            st.selectbox, "Number", setting.choice(f"home_sure_{method}", labels, labels[0]), labels
        )
    ]
    entry = settings.od_data if part == "trips" else settings.density_data
    assert entry is not None
    work = _draws(settings, method, entry, moves=chosen.field == MOVES)
    jobs.live(_JOB, work, lambda job: _dots(job, chosen, entry.name))
    st.caption(NOTE)


def _draws(settings: Settings, method: str, entry: Entry, *, moves: bool) -> Job:
    noise = seed(entry)
    if method == "density":
        drawn = density_moves if moves else density_scores
        asked: tuple[Any, ...] = (drawn, entry.key, settings.density(), noise, DOTS)
    else:
        parameters = settings.trips(method=settings.od_method)
        drawn = trip_draws if method == "trips" else estimate_draws
        asked = (drawn, entry.key, parameters, noise, declared(parameters), DOTS)
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
