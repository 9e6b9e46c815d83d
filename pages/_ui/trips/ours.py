"""Origin–destination page under our own method: verdict, numbers and views of one draw."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from engine import usability
from engine.parameters import ODParameters
from pages._ui import jobs
from pages._ui.cache import estimates as cached_estimates
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.draws import REPEATS
from pages._ui.cache.estimates import Draws
from pages._ui.cache.window import Window
from pages._ui.drawing import cards
from pages._ui.jobs import Job, Step
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed
from pages._ui.trips import ours_check as trips_ours_check
from pages._ui.trips import ours_flows as trips_ours_flows
from pages._ui.trips import ours_totals as trips_ours_totals
from pages._ui.trips import side_by_side as trips_side_by_side
from pages._ui.trips.view import View
from pages._ui.wording import verdict

SIDE, FLOWS, TOTALS, CHECK = "Published | ours", "Flows", "Totals", "Unexpected – check"
SEVERAL_DAYS = (
    "for a week at ε = 0.1 the mean error of a flow falls by about a sixth (by 15 to 29% on the "
    "shipped data; docs/mechanisms.md)."
)
_JOB = "trips_ours"


def draw(
    entry: Entry,
    parameters: ODParameters,
    seed: Seed,
    window: Window,
    note: str,
    judgement: DeltaGenerator,
) -> None:
    """Draw the verdict in its place, which follows repeated draws, and the chosen view."""
    if window.several:
        judgement.info(
            "Choose one day: this page compares the methods on one matrix. The engine "
            "(od.estimate.release) reads several days at once, each with the help of all others: "
            f"{SEVERAL_DAYS} A trip is of one day, so at trip level that costs no more."
        )
        return
    true = cached_trips.truth(entry.key, window)
    release = cached_estimates.release(entry.key, parameters, seed, window)
    published = cached_trips.drawn(entry.key, parameters, seed, window).counts
    view = View(entry, parameters, seed, window, true, release, published)
    work = repeated(entry.key, parameters, seed, window)
    with judgement:
        jobs.live(_JOB, work, partial(_verdict, entry.name, parameters, true, note))
    chosen = setting.draw(
        st.segmented_control,
        "View",
        setting.choice("od_ours_view", [SIDE, FLOWS, TOTALS, CHECK], SIDE),
        [SIDE, FLOWS, TOTALS, CHECK],
        required=True,
        label_visibility="collapsed",
    )
    if chosen == SIDE:
        trips_side_by_side.draw(view, work)
    elif chosen == FLOWS:
        trips_ours_flows.draw(view)
    elif chosen == TOTALS:
        trips_ours_totals.draw(view)
    else:
        trips_ours_check.draw(view)


def repeated(key: str, parameters: ODParameters, seed: Seed, window: Window) -> Job:
    """Return the job of the repeated draws."""
    return jobs.job(_JOB, _steps, key, parameters, seed, window)


def _steps(key: str, parameters: ODParameters, seed: Seed, window: Window) -> Iterator[Step]:
    for done, draws in enumerate(cached_estimates.repeated(key, parameters, seed, window), 1):
        yield Step(done, REPEATS, draws)


def _verdict(
    name: str, parameters: ODParameters, true: NDArray[np.int64], note: str, work: Job
) -> None:
    draws: Draws | None = work.result
    if draws is None:
        st.html(
            cards.pending_html("Our method has no exact expectation: repeated draws are judged.")
        )
    else:
        finding = verdict.drawn_trips(
            usability.judge_drawn_trips(true, draws.near), parameters, draws.published, draws.ours
        )
        level, sentence = verdict.headline([finding])
        st.html(cards.verdict_html(level, sentence, f"{note} {finding.remedy}", of=name))
    jobs.progress(work, "Drawing repeatedly", _JOB)
