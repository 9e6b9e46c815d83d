"""What to choose instead, as buttons with their numbers: wherever a verdict is not the best."""

from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from engine.contract import Seen, When
from engine.frontier import Candidate
from engine.parameters import ODParameters
from engine.resolution import finest
from pages._ui import jobs
from pages._ui.cache import frontier as cached_frontier
from pages._ui.cache.frontier import Advice, Asked
from pages._ui.jobs import Job
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session, state
from pages._ui.shell.settings import (
    EPSILON,
    MAX_TRIPS,
    MAX_VISITS,
    THRESHOLD,
    UNIT,
    VARIANT,
    use_settings,
)
from pages._ui.views.context import Context
from pages._ui.wording import frontier as wording

RISKS = (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99)
RISK = setting.stop("risk_limit", RISKS, 0.75)
"""The most that an attacker may guess right, wherever a setting is recommended."""
_LESS = "Relax one requirement (share usable, at which best guess)"
_MORE = "Ask for more detail (share usable, at which best guess)"


def asked(context: Context[Any]) -> Asked:
    """Return the need that a setting states: its detail, what it protects, the limit of risk."""
    return Asked(
        flows=isinstance(context.parameters, ODParameters),
        at=_seen(context),
        unit=_unit(context),
        risk=setting.value(RISK),
    )


def job(context: Context[Any], *, delay_s: float = 0.0) -> Job:
    """Return the work that judges every setting of the context's dataset."""
    flows = isinstance(context.parameters, ODParameters)
    whole = finest(context.key)
    name = f"frontier_{'trips' if flows else 'density'}"
    return jobs.job(name, cached_frontier.judged, whole, flows, delay_s=delay_s)


def advice(context: Context[Any], work: Job) -> Advice | None:
    """Return what to choose, by what is judged so far; None where nothing meets the need yet."""
    return cached_frontier.advise(finest(context.key), asked(context), work.result or ())


def is_set(one: Candidate, context: Context[Any]) -> bool:
    """Whether a setting is the one at hand."""
    return (
        (one.seen.zones, one.seen.when) == (_seen(context).zones, _seen(context).when)
        and one.unit == _unit(context)
        and values(one).items() <= _values_of(context).items()
    )


def values(one: Candidate) -> dict[str, object]:
    """Return the sliders of a setting by their keys, for `use_settings`."""
    names = {"T": "max_trips", "τ": "threshold", "ε": "epsilon", "ℓ": "max_visits"}
    names["method"] = "variant"
    return {names[name]: value for name, value in one.levers.items() if name != "unit"}


def take(one: Candidate, entry: Entry) -> None:
    """Set all levers of a setting; a release then says on which data it was chosen (a callback)."""
    chosen = values(one)
    if wording.is_flows(one):
        chosen |= {"unit": one.unit, "od_method": "published", "od_zones": one.seen.zones}
        if one.unit != "person":  # one matrix of the whole period, however days are counted
            chosen["od_time"] = one.seen.when.step
    else:
        chosen |= {"density_zones": one.seen.zones}
    use_settings(**chosen)
    if entry.is_twin:
        session().on_twin = entry.name, one.levers["ε"]
    if not entry.metadata.simulated:
        session().judged.add(entry.name)


@dataclass
class Opened:
    """Datasets of one's own that have been looked at in this session, by name."""

    names: set[str] = field(default_factory=set)


def open_recommended(known: Advice, context: Context[Any]) -> bool:
    """Set the recommended setting of one's own data when they are first looked at, and say so.

    Who has moved a lever keeps it, and shipped data open where their links say.
    """
    entry, best, opened = context.entry, known.recommended, state(Opened).names
    levers: tuple[setting.Setting[Any], ...] = (EPSILON, MAX_TRIPS, THRESHOLD, UNIT, MAX_VISITS)
    moved = any(setting.value(one) != one.default for one in (*levers, VARIANT))
    if entry.shipped or entry.name in opened or best is None:
        return False
    opened.add(entry.name)
    if moved or is_set(best, context):
        return False
    take(best, entry)
    session().notices.append(
        f"{entry.name} opens on its recommended setting: {wording.setting_words(best)}."
        + ("" if entry.metadata.simulated else f" {wording.LEAK}")
    )
    return True


def draw(context: Context[Any], *, key: str) -> None:
    """Draw the recommended setting and the nearest ways out of a need as buttons.

    Parameters
    ----------
    context : Context
        The setting at hand; its detail and protection are the need.
    key : str
        Of the view, such as ``od``.
    """
    work = job(context, delay_s=jobs.RESTED_S)

    def show(work: Job) -> None:
        known = None if work.running else advice(context, work)
        if known is not None:
            buttons(known, context, key=key)

    jobs.follow(f"way_out_{key}", work, show)


def buttons(known: Advice, context: Context[Any], *, key: str, finer: bool = False) -> None:
    """Draw the buttons of what is known.

    Parameters
    ----------
    finer : bool
        Whether to offer more detail, too, where nothing needs to be given up.
    """
    entry, best = context.entry, known.recommended
    if best is not None and not is_set(best, context):
        _button("Use it", best, entry, f"{key}_recommended", primary=True)
    more = finer and not known.ways and known.finer
    if known.ways or more:
        st.caption(_MORE if more else _LESS)
    for way in known.ways:
        if way.lever == "days":  # days are declared where they are released
            st.caption(f"{wording.way_words(way)} (days are chosen on Release).")
        else:
            _button(wording.way_words(way), way.candidate, entry, f"{key}_{way.lever}")
    for one in known.finer if more else ():
        label = wording.finer_words(one, known.frontier.least_zones)
        _button(label, one, entry, f"{key}_finer_{one.zones}_{one.matrices}")
    if known.frontier.confidential:
        st.caption(wording.LEAK)


def _button(label: str, one: Candidate, entry: Entry, key: str, *, primary: bool = False) -> None:
    st.button(
        label,
        key=f"way_{key}",
        on_click=take,
        args=(one, entry),
        type="primary" if primary else "secondary",
        width="stretch",
        help=f"Sets all levers at once: {wording.setting_words(one)}.",
    )


def _seen(context: Context[Any]) -> Seen:
    """Return the detail at hand; a person's flows are one matrix of the whole period."""
    seen = context.key
    if not isinstance(context.parameters, ODParameters):
        return seen
    return replace(seen, when=When(step="whole")) if _unit(context) == "person" else seen


def _unit(context: Context[Any]) -> str:
    """Return what is protected: a density protects a person in its one week."""
    flows = isinstance(context.parameters, ODParameters)
    return context.parameters.unit if flows else "person"


def _values_of(context: Context[Any]) -> dict[str, object]:
    parameters = context.parameters
    if isinstance(parameters, ODParameters):
        return {
            "max_trips": parameters.max_trips_per_user,
            "threshold": parameters.suppression_threshold,
            "epsilon": parameters.epsilon,
            "od_method": parameters.method,
        }
    return {
        "max_visits": parameters.max_visits_per_user,
        "variant": parameters.method,
        "epsilon": parameters.epsilon,
    }
