"""What to choose for what is asked: the recommended setting, *Use this*, and the ways out."""

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from engine import frontier
from engine.contract import Setting
from engine.errors import ExplorerError
from engine.frontier import Alternative, Batch, Candidate, EvaluatedSettings, Requirements
from engine.resolution import finest_selection
from engine.text.utility import format_hundred
from pages._ui import cached, state
from pages._ui.drawing import cards
from pages._ui.jobs import pieces
from pages._ui.shell.session import session
from pages._ui.store import store_of
from pages._ui.wording import use as words


def need_of(setting: Setting) -> Requirements:
    """Return what a setting asks for: its detail, whom it protects, and τ."""
    parameters: Any = setting.parameters
    if not words.is_flows(setting):
        return Requirements(selection=setting.selection, product="density")
    unit = "person" if parameters.unit == "person" else "person-day"
    return Requirements(
        selection=setting.selection, unit=unit, suppression_threshold=state.value(state.THRESHOLD)
    )


def judged(part: Batch, seed: int) -> tuple[Candidate, ...]:
    """Judge one part of all settings: a piece of long work."""
    return frontier.evaluate_batch(cached.ingested(part.selection), part, seed=seed)


def job(setting: Setting) -> pieces.Job:
    """Return the work that judges every setting of the dataset of `setting`."""
    need, product = need_of(setting), "flows" if words.is_flows(setting) else "density"
    seed = state.use_seed(state.entry_of(setting))
    every = [
        (part, seed)
        for part in cached.of(frontier.plan_batches, finest_selection(setting.selection), need)
    ]
    return pieces.ask(f"frontier_{product}", judged, every, delay_s=pieces.RESTED_S)


class Known(NamedTuple):
    """What is judged, what is best of it, and what one other thing would bring."""

    every: EvaluatedSettings
    best: Candidate | None
    ways: tuple[Alternative, ...]


def known(setting: Setting, work: pieces.Job) -> Known | None:
    """Return what is judged so far; None before anything as asked is."""
    entry, need, limit = state.entry_of(setting), need_of(setting), state.value(state.RISK)

    def weighed() -> Known | None:
        judged = tuple(one for batch in work.done for one in batch)
        every = EvaluatedSettings(
            requirements=need, candidates=judged, is_confidential=not entry.metadata.simulated
        )
        if not every.eligible_candidates:
            return None
        best = None if every.are_all_negligible else every.recommend(limit)
        return Known(every, best, every.find_alternatives(limit))

    asked = ("known", need, need.selection, limit, state.use_seed(entry))
    # a slider over ε finds the whole again
    return store_of(asked).get(asked, weighed) if work.whole else weighed()


def said(setting: Setting) -> str:
    """Return what is recommended in words; nothing where none is usable or until all is judged."""
    try:
        work = job(setting)
    except ExplorerError:
        return ""
    judged = known(setting, work) if work.whole else None
    best = None if judged is None else judged.best
    if best is None or not best.is_usable:
        return ""
    return f"{'as it is set.' if best.setting == setting else words.sentence(best)} {_why()}"


def draw(
    setting: Setting, *, key: str, beside: Callable[[Known, Setting], None] | None = None
) -> None:
    """Draw the recommendation for what a setting asks, once all settings are judged.

    What stands `beside` it is drawn with what is judged so far.
    """
    try:
        work = job(setting)
    except ExplorerError as problem:
        st.caption(f"Nothing is recommended: {problem}.")
        return

    def show(done: list[tuple[Candidate, ...]], running: bool) -> None:
        if running and beside is None:
            parts = f"{len(done)} of {len(work.pieces)} parts"
            st.caption(f"Judging every setting of these data: {parts} …")
            return
        judged = known(setting, work)
        if judged is not None and not running:  # what may change is not recommended
            _recommended(judged, setting, key=key)
        if judged is not None and beside is not None:
            beside(judged, setting)

    what = "" if beside is None else "Judging every setting"
    pieces.live(f"recommend_{key}", work, show, what=what)


def _recommended(judged: Known, setting: Setting, *, key: str) -> None:
    (every, best, ways), limit = judged, state.value(state.RISK)
    if best is None:
        level, title, why = "noisy", "Nothing to recommend", ""
        text = (
            "No setting as asked retains anything, so none is better than another."
            if every.are_all_negligible
            else f"None as asked keeps an attacker's guesses within {limit:.0%}."
        )
    else:
        title = "Recommended" if best.is_usable else "Highest utility as asked, and poor"
        level = "good" if best.is_usable else "noisy"
        text, why = words.sentence(best), _why()
        if best.setting == setting:
            title += ": as you have it"
            text, why = why, ""
    st.html(cards.verdict_html(level, text, why, title=title, look="advice"))
    if best is not None and best.setting != setting:
        label = "Use this" if best.is_usable else "Use this all the same"
        _button(label, best, f"{key}_use", primary=best.is_usable, help=None)
    enough = best is not None and best.is_usable
    for way in ways[: 2 if enough else 3]:
        helps = way.candidate.is_usable and not enough
        said = words.sentence(way.candidate)
        _button(words.way(way), way.candidate, f"{key}_{way.control}", primary=helps, help=said)
    if every.is_confidential:
        st.caption(words.LEAK)


def _why() -> str:
    limit = format_hundred(state.value(state.RISK))
    return (
        "Settings rank by the harmonic mean of retained and genuine. No other tested setting ranks "
        f"clearly higher within your risk limit ({limit} correct guesses in 100)."
    )


def _button(label: str, one: Candidate, key: str, *, primary: bool, help: str | None) -> None:
    st.button(
        label,
        key=f"way_{key}",
        on_click=_take,
        args=(one,),
        type="primary" if primary else "secondary",
        width="stretch",
        help=help,
    )


def _take(one: Candidate) -> None:
    """Set all of a setting (a callback); a release then says on which data it was chosen."""
    entry = state.entry_of(one.setting)
    if entry.is_twin:
        session().on_twin = entry.name, one.setting
    if not entry.metadata.simulated:
        session().judged.add(entry.name)
    state.put(**state.by_key(one.setting))
