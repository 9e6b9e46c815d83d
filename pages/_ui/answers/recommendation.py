"""What to choose for what is asked: the recommended setting, *Use this*, and the ways out."""

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from engine import frontier
from engine.contract import Setting
from engine.errors import ExplorerError
from engine.frontier import Alternative, Batch, Candidate, EvaluatedSettings, Requirements
from engine.resolution import finest_selection
from engine.text import setting_text as words
from engine.text.numbers import make_inert
from engine.text.utility_text import format_hundred
from pages._ui.answers import cached
from pages._ui.app import parallel
from pages._ui.app.cache import cache_of
from pages._ui.app.session import session
from pages._ui.components import cards
from pages._ui.settings import current, fields, offers, seeds


def requirements_of(setting: Setting) -> Requirements:
    """Return the requirements of a setting: zones, time, unit of privacy and τ."""
    parameters: Any = setting.parameters
    if not words.is_flows(setting):
        return Requirements(selection=setting.selection, product="density")
    unit = "person" if parameters.unit == "person" else "person-day"
    return Requirements(
        selection=setting.selection, unit=unit, suppression_threshold=fields.value(fields.THRESHOLD)
    )


def judge_batch(batch: Batch, seed: int) -> tuple[Candidate, ...]:
    """Judge one part of all settings: a piece of long work."""
    return frontier.evaluate_batch(cached.full_dataset(batch.selection), batch, seed=seed)


def request_judging(setting: Setting) -> parallel.Job:
    """Return the work that judges every setting of the dataset of `setting`."""
    need, product = requirements_of(setting), "flows" if words.is_flows(setting) else "density"
    seed = seeds.utility_seed(offers.entry_of(setting))
    batches = [
        (part, seed)
        for part in cached.read(frontier.plan_batches, finest_selection(setting.selection), need)
    ]
    return parallel.submit(f"frontier_{product}", judge_batch, batches, delay_s=parallel.REST_S)


class Recommendation(NamedTuple):
    """What is judged, what is best of it, and what one other thing would bring."""

    frontier: EvaluatedSettings
    best_candidate: Candidate | None
    alternatives: tuple[Alternative, ...]


def recommend(setting: Setting, job: parallel.Job) -> Recommendation | None:
    """Return the recommendation from the settings evaluated so far; None before any is eligible."""
    entry, need = offers.entry_of(setting), requirements_of(setting)
    limit = fields.value(fields.RISK)

    def weigh() -> Recommendation | None:
        candidates = tuple(candidate for batch in job.ordered_results for candidate in batch)
        frontier = EvaluatedSettings(
            requirements=need, candidates=candidates, is_confidential=not entry.metadata.simulated
        )
        if not frontier.eligible_candidates:
            return None
        best = None if frontier.are_all_negligible else frontier.recommend(limit)
        return Recommendation(frontier, best, frontier.find_alternatives(limit))

    key = ("known", need, need.selection, limit, seeds.utility_seed(entry))
    # a slider over ε finds the whole again
    return cache_of(key).get(key, weigh) if job.is_complete else weigh()


def describe_advice(setting: Setting) -> str:
    """Return the recommendation as sentences; empty if none is usable or not all is evaluated."""
    try:
        job = request_judging(setting)
    except ExplorerError:
        return ""
    advice = recommend(setting, job) if job.is_complete else None
    best = None if advice is None else advice.best_candidate
    if best is None or not best.is_usable:
        return ""
    return (
        f"{'the current setting.' if best.setting == setting else words.describe_candidate(best)} "
        f"{_explain_ranking()}"
    )


def draw(
    setting: Setting, *, key: str, add: Callable[[Recommendation, Setting], None] | None = None
) -> None:
    """Draw the recommendation for what a setting asks, once all settings are judged.

    `add` draws more, from what is judged so far.
    """
    try:
        job = request_judging(setting)
    except ExplorerError as problem:
        st.caption(f"Nothing is recommended. {make_inert(str(problem), None)}")
        return

    def show(done: list[tuple[Candidate, ...]], running: bool) -> None:
        if running and add is None:
            parts = f"{len(done)} of {len(job.pieces)} parts"
            wait = job.describe_wait()
            st.caption(f"A recommendation follows. Settings evaluated: {parts} …{wait}")
            return
        advice = recommend(setting, job)
        if advice is not None and not running:  # what may change is not recommended
            _draw_advice(advice, setting, key=key)
        if advice is not None and add is not None:
            add(advice, setting)

    noun = "" if add is None else "Evaluating all settings"
    parallel.draw_live(f"recommend_{key}", job, show, noun=noun)


def _draw_advice(advice: Recommendation, setting: Setting, *, key: str) -> None:
    (frontier, best, options), limit = advice, fields.value(fields.RISK)
    if best is None:
        level, title, why = "noisy", "No recommendation", ""
        text = (
            "No setting that meets your requirement retains anything, so none is better."
            if frontier.are_all_negligible
            else f"No setting that meets your requirement keeps correct guesses within {limit:.0%}."
        )
    else:
        title = "Recommended" if best.is_usable else "Highest utility available, and poor"
        level = "good" if best.is_usable else "noisy"
        text, why = words.describe_candidate(best), _explain_ranking()
        if best.setting.parameters.method != setting.parameters.method:
            title += ", by another method"
        if best.setting == setting:
            title += ": your current setting"
            text, why = why, ""
    st.html(cards.verdict_html(level, text, title=title, rule=why, css_class="advice"))
    if best is not None and best.setting != setting:
        label = "Use this" if best.is_usable else "Apply it anyway"
        _draw_button(label, best, f"{key}_use", primary=best.is_usable, help=None)
    enough = best is not None and best.is_usable
    for option in options[: 2 if enough else 3]:
        helps = option.candidate.is_usable and not enough
        hint = words.describe_candidate(option.candidate)
        _draw_button(
            words.button_label(option),
            option.candidate,
            f"{key}_{option.control}",
            primary=helps,
            help=hint,
        )
    if frontier.is_confidential:
        st.caption(words.LEAK_NOTE)


def _explain_ranking() -> str:
    limit = format_hundred(fields.value(fields.RISK))
    return (
        "No other tested setting for this need (zones, time, unit) ranks clearly higher by "
        f"retained and genuine together. Settings with more than {limit} correct guesses in 100 "
        "(the risk limit) are left out."
    )


def _draw_button(
    label: str, candidate: Candidate, key: str, *, primary: bool, help: str | None
) -> None:
    st.button(
        make_inert(label, None),
        key=f"way_{key}",
        on_click=_use_candidate,
        args=(candidate,),
        type="primary" if primary else "secondary",
        width="stretch",
        help=None if help is None else make_inert(help, None),
    )


def _use_candidate(candidate: Candidate) -> None:
    """Set all of a setting (a callback); a release then says on which data it was chosen."""
    entry = offers.entry_of(candidate.setting)
    current.set_values(**current.values_by_key(candidate.setting))
    if entry.is_twin:
        session().twin_choice = entry.name, candidate.setting
    if not entry.metadata.simulated:
        session().judged_names.add(entry.name)
