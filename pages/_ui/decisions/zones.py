"""Zones to act in, by the trips or the visits of a release: the picture, and the ε that will do."""

from typing import Any

import streamlit as st

from engine import decisions
from engine.decisions import PrivacyChoice, ZonesTarget
from engine.decisions.choice import least_draws
from engine.decisions.zones import ZoneRule
from engine.parameters import EPSILON_STOPS
from pages._ui import jobs
from pages._ui.cache import zones as cached_zones
from pages._ui.drawing import cards
from pages._ui.drawing.svg import stage
from pages._ui.drawing.svg.stage import Picture
from pages._ui.jobs import Job
from pages._ui.shell import setting
from pages._ui.views import way_out, zones as zones_view
from pages._ui.views.context import Context

TRIPS, VISITS = COUNTS = "Trips that arrive", "Visits"
_COUNTS = setting.choice("decisions_counts", COUNTS, TRIPS)
_AROUND = 420
_DRAWS = 40
"""Releases at every stop of ε: enough to show that 9 in 10 meet a target."""


def visits() -> bool:
    """Whether decisions on zones read visits, not trips."""
    return setting.value(_COUNTS) == VISITS


def choose_counts() -> None:
    """Draw the switch between trips and visits."""
    setting.draw(st.segmented_control, "Decided by", _COUNTS, COUNTS, label_visibility="collapsed")


def draw(context: Context[Any]) -> None:
    """Draw where a release decides rightly; it is home's picture and figure."""
    rule = zones_view.ask(context)

    def show(picture: Picture) -> None:
        said_below = {**picture, "note": ""}
        stage.draw(said_below, key="decisions_zones_picture", around=_AROUND)

    judged = zones_view.draw(context, rule, show)
    if judged is not None:
        st.html(
            cards.verdict_html(
                judged.level,
                zones_view.sentence(context, rule, judged),
                "By draws of the release. A zone is marked as wrong where more than one decision "
                "in ten is missed or needless. Right is the lower of two shares: of what is due, "
                "and of what is done.",
                of=context.entry.name,
            )
        )
        if judged.level != "good":
            way_out.draw(context, key="decisions_zones")


def over_epsilon(context: Context[Any], rule: ZoneRule, confidence: float) -> Job:
    """Return the job that decides with releases at every stop of ε."""
    draws = max(_DRAWS, least_draws(confidence))
    base = context.parameters.at(1.0)  # a slider over ε finds the same curve
    asked = (context.key, rule, base, context.seed, context.window, draws)
    return jobs.job("decisions_zones", cached_zones.right_over_epsilon, *asked)


def choose(work: Job, target: ZonesTarget) -> PrivacyChoice:
    """Return the smallest ε at which, and above which, enough releases meet the target."""
    met = target.met(work.result)
    return decisions.strongest_privacy(EPSILON_STOPS, met, target.confidence)
