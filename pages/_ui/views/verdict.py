"""The verdict on one setting: exact where the method has a law, else by repeated draws."""

from typing import Any

import streamlit as st

from engine import usability
from engine.parameters import DensityParameters
from pages._ui import jobs
from pages._ui.cache import density as cached_density, trips as cached_trips
from pages._ui.drawing import cards
from pages._ui.jobs import Job
from pages._ui.views import draws, way_out
from pages._ui.views.context import Context
from pages._ui.wording import verdict
from pages._ui.wording.verdict import Finding

DRAWS = "trips_draws"
PENDING = "This method has no exact expectation: repeated draws are judged."


def finding(context: Context[Any]) -> Finding | None:
    """Return what can be said at once; None where only repeated draws can tell."""
    if isinstance(context.parameters, DensityParameters):
        return verdict.density(cached_density.judged(*context.asked))
    if context.method.expected is None:
        return None
    return verdict.trips(cached_trips.numbers(*context.exact).judged, context.parameters)


def html(context: Context[Any], judgement: Finding, note: str = "") -> str:
    """Return the verdict as a coloured block, with a note of who is protected."""
    level, sentence = verdict.headline([judgement])
    small = " ".join(part for part in (note, verdict.remedies([judgement])) if part)
    return cards.verdict_html(level, sentence, small, of=context.entry.name)


def draw(context: Context[Any], note: str = "") -> None:
    """Draw the verdict; without an exact law it follows the draws as they come."""
    known = finding(context)
    if known is not None:
        st.html(html(context, known, note))
        if known.level == "noisy":
            way_out.draw(context, key="verdict")
        return
    work = draws.job(DRAWS, context.methods)  # one job, whichever view asks for draws
    place = [one.method for one in context.methods].index(context.method)

    def show(running: Job) -> None:
        if running.result is None:
            st.html(cards.pending_html(PENDING))
        else:
            own, other = running.result[place], running.result[0]
            judged = usability.judge_drawn_trips(context.truth, own.near)
            judgement = verdict.drawn_trips(judged, context.parameters, other.scores, own.scores)
            st.html(html(context, judgement, note))
        jobs.progress(running, "Drawing repeatedly", DRAWS)

    jobs.live(DRAWS, work, show)
