"""Which epidemic: where it starts, from when a zone acts, how it spreads, how many people."""

from functools import partial
from typing import Any

import streamlit as st

from engine import decisions
from engine.decisions import EpidemicParameters
from engine.errors import ExplorerError
from engine.resolution import INHABITED, Resolution
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import decisions as cached_decisions
from pages._ui.cache.decisions import Outbreak, People
from pages._ui.decisions import places
from pages._ui.shell import dates, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session, set_widget
from pages._ui.wording.numbers import counted

KINDS = {"largest": "largest", "mid_size": "mid-size", "random": "picked at random"}
DIRECTIONS = {
    "departures": "people who travel there (as P2 prints)",
    "arrivals": "visitors who come here (as P2 describes)",
}
HOMES, TABLE, SAME = "Homes in these data", "A table of mine (CSV)", "The same in every zone"
INHABITED_ONLY = "Homes in these data, empty zones left out"
_SOURCE = "decisions_source"
_ASSUMED = 1000.0


def ask(entry: Entry) -> tuple[Entry, Outbreak] | None:
    """Draw the question and return it; None where something is missing, which is then said.

    Returns
    -------
    Entry
        The dataset, or the view of it without the zones in which nobody lives.
    Outbreak
    """
    people, said_of_people = _people_known(entry)
    start, act = st.columns([1.6, 1], gap="medium", vertical_alignment="bottom")
    missing = st.container()  # what lacks, and what would do, above a long form
    # not a popover: its widgets would start at their least values once it is opened
    with st.expander(
        "Model, days and populations", icon=":material/tune:", expanded=people is _MISSING
    ):
        people = _populations(entry, people)
        every = len(entry.metadata.days)
        days = dates.day_range(
            st,
            "Days",
            "decisions_days",
            entry,
            (0, every - 1),
            help="The epidemic starts on the first day.",
        )
        model = _model()
    if people is _MISSING:
        with missing:
            st.info(said_of_people, icon=":material/group:")
            _offers(entry)
        return None
    if people == INHABITED:
        entry, people = entry.at(Resolution(zones=INHABITED)), None
    try:
        scenario = decisions.scenario_origins(
            cached_datasets.dataset(entry.key), cached_decisions.populations(entry.key, people)
        )
    except ExplorerError as problem:
        st.error(str(problem))
        return None
    with start:
        origin = _origin(entry, scenario)
    with act:
        threshold = _threshold()
    if model is None:
        return None
    origins = tuple(dict.fromkeys([origin, *scenario.values()]))
    return entry, Outbreak(origins, model, threshold, days, people)


def _offers(entry: Entry) -> None:
    """Offer what is one press away where homes do not tell the people of every zone."""
    empty = cached_decisions.empty_zones(entry.key)
    zones = len(places.ids(entry.key))
    with st.container(horizontal=True, gap="small"):
        if 0 < empty < zones - 1:
            st.button(
                f"Leave out the {counted(empty, 'empty zone')}",
                key="decisions_leave_out",
                icon=":material/location_off:",
                on_click=set_widget,
                args=(_SOURCE, INHABITED_ONLY),
                help="The epidemic then runs in the zones where people live, on the trips between "
                "them. Which zones those are is read from these data.",
            )
        st.button(
            f"Use equal numbers ({_ASSUMED:,.0f} a zone)",
            key="decisions_equal",
            icon=":material/group:",
            on_click=set_widget,
            args=(_SOURCE, SAME),
        )


def usual(entry: Entry, model: EpidemicParameters, threshold: float) -> Outbreak | None:
    """Return the question with the usual answers; None where the people are not known."""
    try:
        people = cached_decisions.populations(entry.key, None)
        scenario = decisions.scenario_origins(cached_datasets.dataset(entry.key), people)
    except ExplorerError:
        return None
    days = (0, len(entry.metadata.days) - 1)
    return Outbreak(tuple(dict.fromkeys(scenario.values())), model, threshold, days, None)


_MISSING = object()


def _people_known(entry: Entry) -> tuple[object, str]:
    """Return None where the homes will do, what was given before, or that nothing is known."""
    given = session().people.get(entry.key, _MISSING)
    if given is not _MISSING:
        return given, ""
    try:
        cached_decisions.populations(entry.key, None)
    except ExplorerError as problem:
        said = str(problem)
        return _MISSING, f"{said[0].upper()}{said[1:]}."
    return None, ""


def _populations(entry: Entry, known: object) -> People | object:
    st.markdown("**How many people live in each zone?**")
    homes = cached_datasets.dataset(entry.key).homes is not None
    own = INHABITED_ONLY if cached_decisions.empty_zones(entry.key) else HOMES
    options = [own, TABLE, SAME] if homes else [TABLE, SAME]
    before = TABLE if isinstance(known, tuple) else SAME if isinstance(known, float) else options[0]
    source = st.radio(
        "Populations",
        options,
        index=None if known is _MISSING else options.index(before),
        key=_SOURCE,
        label_visibility="collapsed",
        help="Homes are confidential: a private run adds noise to them at the same ε. A table of "
        "your own, such as a census, is taken as public.",
    )
    people: People | object = known
    if source == HOMES:
        people = None
    elif source == INHABITED_ONLY:
        people = INHABITED
    elif source == SAME:
        people = st.number_input(
            "People in every zone",
            1.0,
            1e8,
            known if isinstance(known, float) else _ASSUMED,
            step=100.0,
            format="%.0f",
            key="decisions_constant",
        )
    elif source == TABLE:
        people = _table(known)
    try:
        if people == INHABITED:
            cached_decisions.populations(entry.at(Resolution(zones=INHABITED)).key, None)
        elif people is not _MISSING:
            cached_decisions.populations(entry.key, people)
    except ExplorerError as problem:
        st.error(str(problem))
        return _MISSING
    if people is not _MISSING and people is not None:
        session().people[entry.key] = people
    elif people is None:
        session().people.pop(entry.key, None)
    return people


def _table(known: object) -> People | object:
    file = st.file_uploader(
        "Columns zone_id, population",
        type="csv",
        key="decisions_table",
        help="One row for each zone, with the zone_id of the dataset.",
    )
    if file is None:
        return known if isinstance(known, tuple) else _MISSING
    try:
        text = file.getvalue().decode("utf-8")
        return tuple(sorted(decisions.read_populations(text).items()))
    except UnicodeDecodeError:
        st.error("The table must be text in UTF-8; save it as CSV UTF-8.")
    except ExplorerError as problem:
        st.error(str(problem))
    return _MISSING


def _model() -> EpidemicParameters | None:
    st.markdown("**How does the disease spread?** The values are P2's.")
    left, right = st.columns(2)
    beta = _number(left, "Infections a day (β)", "beta", 0.10, (0.001, 20.0), 0.01)
    mu = _number(right, "Recovered a day (μ)", "mu", 0.04, (0.001, 20.0), 0.01)
    alpha = _number(left, "Mixing with travellers (α)", "alpha", 1.0, (0.0, 20.0), 0.1)
    share = _number(right, "Infected at the start (%)", "seeds", 1.0, (0.01, 99.0), 0.5)
    steps = setting.draw(
        partial(left.number_input, min_value=1, max_value=100, step=1),
        "Steps a day",
        setting.whole_number("decisions_steps", 1, 1, 100),
    )
    direction = setting.draw(
        right.selectbox,
        "People meet",
        setting.choice("decisions_direction", DIRECTIONS, "departures"),
        list(DIRECTIONS),
        format_func=DIRECTIONS.__getitem__,
    )
    try:
        return EpidemicParameters(
            beta=beta,
            mu=mu,
            alpha=alpha,
            seed_share=share / 100,
            steps_per_day=int(steps),
            direction=direction,
        )
    except ExplorerError as problem:
        st.error(str(problem))
        return None


def _number(
    place: Any, label: str, name: str, usual: float, limits: tuple[float, float], step: float
) -> float:
    low, high = limits
    return setting.draw(
        partial(place.number_input, min_value=low, max_value=high, step=step, format="%.4g"),
        label,
        setting.number(f"decisions_{name}", usual, low, high),
    )


def _origin(entry: Entry, scenario: dict[str, str]) -> str:
    names = places.names(entry.key)
    kinds = {zone: KINDS.get(kind, kind) for kind, zone in scenario.items()}
    rest = sorted((zone for zone in names if zone not in kinds), key=lambda zone: names[zone])
    options = [*kinds, *rest]
    return setting.draw(
        st.selectbox,
        "The epidemic starts in",
        setting.place("decisions_origin", options, options[0], shared=entry.shipped),
        options,
        format_func=lambda zone: names[zone] + (f" · {kinds[zone]}" if zone in kinds else ""),
    )


def _threshold() -> float:
    percent = setting.draw(
        partial(st.number_input, min_value=0.1, max_value=100.0, step=1.0, format="%.3g"),
        "A zone acts from … % infected",
        setting.number("decisions_threshold", 100 * decisions.THRESHOLD, 0.1, 100.0),
        help="P2 lets a zone act on every day on which at least 20% of its people are infected.",
    )
    return round(percent / 100, 6)
