"""Origin–destination page: which zones and spans of time can be used, against ε."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from engine.parameters import EPSILON_STOPS, ODParameters
from engine.resolution import Detail, folder_of
from engine.steps import GOOD_SHARE
from pages._ui import jobs
from pages._ui.cache import details as cached_details
from pages._ui.drawing.details import detail_chart
from pages._ui.jobs import Job
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import picked, session
from pages._ui.shell.settings import use_settings
from pages._ui.wording.labels import TIME_STEPS
from pages._ui.wording.places import counted_words, details_sentence, details_words

_KEY, _JOB, _BESIDE = "od_detail", "od_details", "od_beside"


def draw(entry: Entry, parameters: ODParameters) -> None:
    """Draw the sentence and the picture; a click sets zones, time and ε."""
    work = _judged(_JOB, entry, parameters)

    def show(running: Job) -> None:
        jobs.progress(running, "Details judged", _JOB)
        judged: Sequence[Detail] = running.result or ()
        if judged:
            st.markdown(details_words(judged, parameters.epsilon))
            _picture(judged, entry, parameters)

    jobs.live(_JOB, work, show)


def beside_verdict(entry: Entry, parameters: ODParameters) -> None:
    """Say under the verdict which detail would make this ε usable; it follows when it is known."""
    # it follows when the slider rests: the verdict and the map come first
    work = _judged(_BESIDE, entry, parameters, delay_s=jobs.RESTED_S)

    def show(running: Job) -> None:
        text = details_sentence(running.result, parameters.epsilon, running=running.running)
        if text:
            st.caption(text)

    jobs.follow(_BESIDE, work, show)


def _judged(name: str, entry: Entry, parameters: ODParameters, *, delay_s: float = 0.0) -> Job:
    fixed = replace(parameters, epsilon=1.0)  # so that the slider finds the same answer
    return jobs.job(name, cached_details.trips, folder_of(entry.key), fixed, delay_s=delay_s)


def _picture(judged: Sequence[Detail], entry: Entry, parameters: ODParameters) -> None:
    spans = list(dict.fromkeys(one.resolution.time for one in judged))
    names = {_name(one): one for span in spans for one in judged if one.resolution.time == span}
    session().details[_KEY] = {
        name: (one.resolution.zones, one.resolution.time) for name, one in names.items()
    }
    time = entry.resolution.time if entry.resolution.time in spans else spans[-1]
    now = (entry.resolution.zones, time)
    current = next((name for name, at in session().details[_KEY].items() if at == now), "")
    detail_chart(
        [(name, one.shares, one.usable) for name, one in names.items()],
        EPSILON_STOPS,
        (current, parameters.epsilon),
        what="Trips in usable flows",
        key=_KEY,
        alt_text="Share of trips in usable flows by detail and epsilon",
        on_select=_take,
    )
    st.caption(
        f"Blue: at least {GOOD_SHARE:.0%} of the trips between zones lie in usable flows of the "
        "first matrix, exactly; no noise is drawn. Red frame: you are here. Click a cell to set "
        "zones, time and ε. Coarser is not always better: trips inside a zone are dropped, and "
        f"with T = {parameters.max_trips_per_user} their places among a person's trips are lost, "
        "too. Days that are added up cost a person every one of them. The picture is made from the "
        "confidential data: choosing a resolution here leaks a little about the data."
    )


def _name(one: Detail) -> str:
    return f"{TIME_STEPS[one.resolution.time]} · {counted_words(one)}"


def _take() -> None:
    """Set what was clicked (the chart's callback)."""
    chosen = picked(_KEY, "detail")
    if chosen:
        zones, time = session().details[_KEY][chosen[0]["detail"]]
        use_settings(epsilon=float(chosen[0]["value"]), od_zones=zones, od_time=time)
