"""What is decided and what must be kept: the questions, draws as they come, ε from a decision."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import date
from typing import Any
from zlib import crc32

import numpy as np
import streamlit as st

from engine import decisions
from engine.arrays import Booleans
from engine.contract import Selection, Setting, TimeSelection
from engine.decisions import EpidemicParameters, Shock, strongest_privacy
from engine.decisions.decision_evaluation import EPIDEMIC_DAYS
from engine.errors import ExplorerError
from engine.parameters import EPSILON_STOPS
from engine.text.setting_text import LEAK_NOTE
from pages._ui.answers import cached
from pages._ui.app import parallel
from pages._ui.app.parallel import Job
from pages._ui.app.session import session
from pages._ui.decisions import trials
from pages._ui.decisions.trials import Outbreak
from pages._ui.settings import current, fields

KINDS = {"largest": "largest", "mid_size": "mid-size", "random": "picked at random"}
P2 = {"threshold": 20.0, "beta": 0.10}
FAST = {"threshold": 0.5, "beta": 0.50}
"""Of few days: P2's epidemic hardly leaves its zone in a week, so that nothing would be decided."""
_WEEK = 7
CONFIDENCE = 0.9


def draw_number(place: Any, label: str, key: str, start: float, *ends: float, **look: Any) -> float:
    """Draw a number that keeps its value on other pages and stands in the link."""
    low, high = ends
    limits = {"min_value": low, "max_value": high, "step": 1.0, "format": "%.4g", **look}
    return place.number_input(label, value=start, key=key, **limits, **fields.LINKED)


def ask_outbreak(key: Selection) -> Outbreak:
    """Draw the question and return it; `ExplorerError` where nobody's home is known."""
    start, act = st.columns([1.6, 1], gap="medium", vertical_alignment="bottom")
    days = len(cached.dataset(key).metadata.days)
    values = P2 if days >= EPIDEMIC_DAYS else FAST
    model = EpidemicParameters(beta=values["beta"])
    few = f"; Kohli et al. use {P2['beta']:g}, too slow for {days} days" * (values is FAST)
    st.caption(
        f"{model.beta:g} infections (β{few}) and {model.mu:g} recoveries (μ) a day and infected "
        f"person. Travellers mix like residents (α {model.alpha:g}). {model.seed_share:.0%} of the "
        "first zone are infected on the first day."
    )
    with start:
        origin = _ask_origin(key)
    share = draw_number(
        act,
        "A zone acts when … % are infected",
        f"decisions_threshold{'_fast' * (values is FAST)}",  # another one where days are too few
        values["threshold"],
        0.1,
        100.0,
        help="In Kohli et al., a zone acts on each day with at least 20% of its people infected.",
    )
    return Outbreak(origin, model, round(share / 100, 6))


def _ask_origin(key: Selection) -> str:
    names, scenario = trials.names(key), decisions.seed_zones(cached.dataset(key))
    words = {zone: f"{names[zone]} · {KINDS.get(kind, kind)}" for kind, zone in scenario.items()}
    words |= {zone: names[zone] for zone in sorted(names, key=names.__getitem__)} | words
    return st.selectbox(
        "The epidemic starts in",
        list(words),
        format_func=words.__getitem__,
        key=f"decisions_origin_{_zones_tag(key, words)}",
        **fields.PERSIST,
    )


def ask_shock(key: Selection) -> tuple[Shock, int] | None:
    """Draw the question; return the shock and k, None where no area is chosen, which is said."""
    names = trials.names(key)
    place, ids = cached.dataset(key), list(names)
    daily = cached.dataset(replace(key, time=TimeSelection()))
    days = daily.metadata.days
    try:
        described = decisions.load_shock(daily)
        default = [ids[zone] for zone in described.zones]
        span = described.days[0], described.days[-1]
    except ExplorerError:  # it names none, or other zones than these
        default, span = [_busiest_zone(place)], (0, min(_WEEK, len(days)) - 1)
    where, which, helped = st.columns([2, 1.4, 0.8], gap="medium", vertical_alignment="bottom")
    area = where.multiselect(
        "Affected area",
        ids,
        default,
        format_func=names.__getitem__,
        key=f"decisions_area_{_zones_tag(key, ids)}",
        **fields.PERSIST,
    )
    matrices = _ask_matrices(which, key, days, span)
    if not area or len(area) == len(ids):
        st.info(
            "Choose the affected zones and leave at least one destination.",
            icon=":material/warning:",
        )
        return None
    limit = len(ids) - len(area)
    ends = 1.0, float(min(20, limit))
    k = draw_number(
        helped,
        "Destinations that get help (k)",
        f"decisions_k_{limit}",
        float(min(3, limit)),
        *ends,
    )
    return decisions.load_shock(place, area, days=matrices), int(k)


def _busiest_zone(dataset: Any) -> str:
    """Return the id of the zone where most trips of all days begin."""
    rows = dataset.trips.all_days
    trips = np.bincount(rows.origin, rows.trip_count, minlength=len(dataset.zones))
    return str(dataset.zones["zone_id"].iloc[int(trips.argmax())])


def _ask_matrices(place: Any, key: Selection, days: Sequence[date], span: tuple[int, int]) -> slice:
    """Draw which days or weeks are looked at, at first those of a span; return their positions."""
    first, last = span
    sums, is_week = key.time.days_by_matrix(len(days)), key.time.aggregation == "week"
    touched = [i for i, group in enumerate(sums) if first <= group[-1] and group[0] <= last]
    start, end = touched[0], touched[-1]
    if len(sums) > 1:
        start, end = place.select_slider(
            "Weeks" if is_week else "Days",
            range(len(sums)),
            (start, end),
            format_func=lambda i: f"{'from ' * is_week}{days[sums[i][0]]:%-d %b %Y}",
            key=f"decisions_shock_{key.time.aggregation}s_{days[0]}_{days[-1]}",
            **fields.PERSIST,
        )
    return slice(start, end + 1)


def _zones_tag(key: Selection, zones: Collection[str]) -> str:
    """Return a key of a dataset's zones that does not name it."""
    return f"{crc32(key.dataset_id.encode()):x}_{len(zones)}"


def daily_setting(setting: Setting) -> tuple[Setting, str]:
    """Return flows as if they were released by day, and how a title says so."""
    parameters, mode = setting.parameters, "as if released daily"
    if parameters.unit == "person":
        parameters, mode = replace(parameters, unit="person-day"), f"{mode}, for a person's day"
    return Setting(
        selection=replace(setting.selection, time=TimeSelection()), parameters=parameters
    ), mode


def draw_live(
    name: str, job: Job, draw: Callable[[list[Any], bool], None], size: int = trials.PIECE
) -> None:
    """Draw what is known of draws as they come, and whether all are there."""

    def show(results: list[Any], running: bool) -> None:
        if results:
            draw(results, not running)

    parallel.draw_live(name, job, show, noun="Releases drawn", size=size)


def count_draws(count: int, job: Job, size: int = trials.PIECE) -> str:
    """Return of how many releases a mean is: ``10 of 200 releases`` until all are there."""
    total = size * len(job.pieces)
    return f"{count} releases" if count == total else f"{count} of {total} releases so far"


def ask_share(place: Any, label: str, key: str, start: float) -> float:
    """Draw what must be kept, in percent; return a share of 1."""
    return draw_number(place, label, key, start, 0.1, 100.0) / 100


def offer_epsilon(is_met: Booleans, promise: str, dataset: str, *, is_current: bool = True) -> None:
    """Draw the ε that keeps the promise in 9 of 10 releases there and above, with its button.

    Where what is shown `is_current` not, its ε is another setting's.
    """
    chosen = strongest_privacy(EPSILON_STOPS, is_met, CONFIDENCE)
    if chosen is None:
        st.caption(
            f"No ε up to {EPSILON_STOPS[-1]:g} keeps {promise} in 9 of 10 releases and goes on "
            "doing so at every larger ε. Try a larger T, or a lower τ if there is one."
        )
        return

    def take() -> None:
        session().judged_names.add(dataset)
        current.set_values(epsilon=chosen)

    if is_current:
        st.button(f"Use ε = {chosen:g}", key="decisions_use", icon=":material/tune:", on_click=take)
    else:
        st.markdown(f"**ε = {chosen:g}** of releases by day; what is set stays as it is.")
    st.caption(
        f"The smallest of {len(EPSILON_STOPS)} tested ε that keeps {promise} in at least 9 of 10 "
        f"releases, and so does every larger one (95% confidence). {LEAK_NOTE}"
    )
