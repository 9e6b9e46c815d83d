"""Which zones and spans of time can be used, against ε: one picture for every product."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from engine.parameters import EPSILON_STOPS, DensityParameters
from engine.resolution import Detail
from engine.steps import GOOD_SHARE
from pages._ui import jobs
from pages._ui.cache import details as cached_details
from pages._ui.drawing import charts
from pages._ui.jobs import Job
from pages._ui.shell.setting import nearest_stop
from pages._ui.shell.settings import use_settings
from pages._ui.views.context import Context
from pages._ui.wording.labels import TIME_STEPS
from pages._ui.wording.numbers import percent
from pages._ui.wording.places import counted_words, details_sentence, details_words

LEAK = (
    "The picture is made from the confidential data: choosing a resolution here leaks a little "
    "about the data."
)


def draw(context: Context[Any], look: str) -> None:
    """Draw the sentence and the picture; a click sets zones, time and ε.

    Parameters
    ----------
    look : str
        What to look for, and what a click does not set.
    """
    name = f"{_part(context)}_details"
    work = _judged(name, context)

    def show(running: Job) -> None:
        jobs.progress(running, "Details judged", name)
        details: Sequence[Detail] = running.result or ()
        if details:
            density = isinstance(context.parameters, DensityParameters)
            stops = _epsilons(context)
            st.markdown(details_words(details, context.epsilon, stops, density=density))
            _picture(context, details, look)

    jobs.live(name, work, show)


def beside_verdict(context: Context[Any]) -> None:
    """Say under the verdict which detail would make this ε usable; it follows when it is known."""
    # it follows when the slider rests: the verdict and the map come first
    name = f"{_part(context)}_beside"
    work = _judged(name, context, delay_s=jobs.RESTED_S)

    def show(running: Job) -> None:
        text = details_sentence(running.result, context.epsilon, running=running.running)
        if text:
            st.caption(text)

    jobs.follow(name, work, show)


def _part(context: Context[Any]) -> str:
    return "density" if isinstance(context.parameters, DensityParameters) else "od"


def _epsilons(context: Context[Any]) -> Sequence[float]:
    if isinstance(context.parameters, DensityParameters):
        return cached_details.DENSITY_EPSILONS
    return EPSILON_STOPS


def _judged(name: str, context: Context[Any], *, delay_s: float = 0.0) -> Job:
    fixed = context.vary(epsilon=1.0).parameters  # so that the slider finds the same answer
    if isinstance(fixed, DensityParameters):
        hours = context.key.resolution.hours
        work: tuple[Any, ...] = (cached_details.density, context.key.finest, fixed, hours)
        return jobs.job(name, *work, context.seed, delay_s=delay_s)
    return jobs.job(name, cached_details.trips, context.key.finest, fixed, delay_s=delay_s)


def _picture(context: Context[Any], details: Sequence[Detail], look: str) -> None:
    part, seen = _part(context), context.key.resolution
    spans = list(dict.fromkeys(one.resolution.time for one in details))
    ordered = sorted(details, key=lambda one: spans.index(one.resolution.time))
    names = {_name(one, spans): one for one in ordered}
    time = seen.time if seen.time in spans else spans[-1]
    epsilons, known = _epsilons(context), list(names.values())
    shape = (len(known), len(epsilons))
    words, usable = np.full(shape, "", dtype=object), np.zeros(shape, dtype=bool)
    for row, one in enumerate(known):
        for column, (some, good) in enumerate(zip(one.shares, one.usable, strict=True)):
            words[row, column] = percent(some) if some == some else ""
            usable[row, column] = good
    places = [(one.resolution.zones, one.resolution.time) for one in known]
    nearest = epsilons.index(nearest_stop(context.epsilon, epsilons))
    at = (seen.zones, time)

    def take(row: int, column: int) -> None:
        zones, span = places[row]
        step = {"od_time": span} if len(spans) > 1 else {}
        use_settings(epsilon=epsilons[column], **{f"{part}_zones": zones}, **step)

    charts.heat(
        list(names),
        [f"{epsilon:g}" for epsilon in epsilons],
        usable,
        {"Usable zones" if part == "density" else "Trips in usable flows": words},
        chosen=(places.index(at), nearest) if at in places else None,
        at="Privacy loss (ε): more private ← → more accurate",
        key=f"{part}_detail",
        alt="Share that is usable by detail and epsilon",
        height=30 * len(names) + 60,
        on_pick=take,
    )
    st.caption(f"Blue: at least {GOOD_SHARE:.0%} {look} {LEAK}")


def _name(one: Detail, spans: Sequence[str]) -> str:
    words = counted_words(one)
    return f"{TIME_STEPS[one.resolution.time]} · {words}" if len(spans) > 1 else words
