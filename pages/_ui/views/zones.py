"""Decisions on zones with a release instead of the truth: help where most are, or heed a limit."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from engine import decisions
from engine.decisions import AboveLimit, MostZones
from engine.decisions.scoring import Comparison
from engine.decisions.zones import ZoneRule, ZonesJudgement, usual_limit
from pages._ui import jobs
from pages._ui.cache import datasets as cached_datasets, zones as cached_zones
from pages._ui.drawing import colours
from pages._ui.drawing.svg.decided import decision_picture
from pages._ui.drawing.svg.stage import Picture
from pages._ui.jobs import Job
from pages._ui.shell import setting
from pages._ui.views.context import Context
from pages._ui.wording import zones as wording

MOST, LIMIT = "Help most", "Act above"
_USE = setting.choice("decisions_rule", (MOST, LIMIT), MOST)
_USUAL, _MOST_ZONES = 5, 50
_ASIDE: dict[str, Any] = {"label_visibility": "collapsed", "width": 110}


def ask(context: Context[Any]) -> ZoneRule:
    """Draw which decision is taken, and return it."""
    row = st.container(horizontal=True, vertical_alignment="center", key="zones_rule", gap="small")
    with row:
        use = setting.draw(
            st.segmented_control, "Decision", _USE, (MOST, LIMIT), label_visibility="collapsed"
        )
        rule = _most(context) if use == MOST else _limit(context)
        st.caption(wording.rule_words(rule, flows=context.window is not None), width="content")
    return rule


def _most(context: Context[Any]) -> MostZones:
    most = min(_MOST_ZONES, len(cached_datasets.zone_names(context.key)) - 1)
    about = setting.whole_number("decisions_most", min(_USUAL, most), 1, _MOST_ZONES)
    if setting.value(about) > most:  # set for other zones
        setting.put(about, most)
    field = partial(st.number_input, max_value=most, **_ASIDE)
    return MostZones(k=int(setting.draw(field, "Zones helped", about)))


def _limit(context: Context[Any]) -> AboveLimit:
    key, parameters, window = context.key, context.parameters, context.window
    usual = usual_limit(cached_zones.amounts(key, parameters, window))
    name = f"decisions_limit_{'visits' if window is None else 'trips'}"
    about = replace(setting.number(name, usual, 1.0, 1e9), shared=lambda _: context.entry.shipped)
    field = partial(st.number_input, format="%.6g", step=1.0, **_ASIDE)
    return AboveLimit(limit=setting.draw(field, "Limit", setting.following(about)))


def job(context: Context[Any], rule: ZoneRule, *, delay_s: float = 0.0) -> Job:
    """Return the work that draws releases and takes the decision with each."""
    asked = (context.key, rule, context.parameters, context.seed, context.window)
    return jobs.job("zones_decided", cached_zones.decided, *asked, delay_s=delay_s)


def draw(
    context: Context[Any], rule: ZoneRule, show: Callable[[Picture], None]
) -> ZonesJudgement | None:
    """Draw the picture of a decision as draws come; return their judgement once all are there."""
    work = job(context, rule)

    def part(work: Job) -> None:
        if work.result is None:
            st.caption(work.error or "Drawing releases and deciding with each …")
            return
        show(picture(context, rule, work.result))

    jobs.live("zones_decided", work, part)  # one place in the page, so that the map is kept
    return None if work.running or work.result is None else decisions.judge_zones(work.result)


def sentence(context: Context[Any], rule: ZoneRule, judged: ZonesJudgement) -> str:
    """Say how far a decision can be taken with a release."""
    return wording.sentence(context.epsilon, rule, judged)


def picture(context: Context[Any], rule: ZoneRule, compared: Comparison) -> Picture:
    """Return where to act in truth, beside where releases act."""
    judged, moments = decisions.judge_zones(compared), compared.days
    said = sentence(context, rule, judged)
    return decision_picture(
        cached_datasets.sketch(context.key),
        compared.acting_true / moments,
        judged.acting_share,
        judged.outcomes,
        wording.zone_words(compared, judged),
        titles=("Decided with the true data", f"With a release, ε = {context.epsilon:g}"),
        counts=wording.counts_words(judged, flows=moments == 1 or context.window is not None),
        note=f"{colours.SIGNS[judged.level]} {said}",
    )
