"""What is decided: which epidemic and among how many people, or which shock and how many helped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from engine import decisions
from engine.contract import Seen
from engine.decisions import EpidemicParameters, scoring
from engine.decisions.epidemic import scenario_origins
from engine.decisions.judgement import own_question
from engine.decisions.populations import read_populations
from engine.errors import ExplorerError
from engine.resolution import INHABITED
from pages._ui.cache import datasets as cached_datasets, decisions as cached_decisions
from pages._ui.cache.decisions import Emergency, Outbreak, People
from pages._ui.shell import dates, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import set_widget, state
from pages._ui.shell.setting import LONGEST_TEXT, Setting
from pages._ui.wording.numbers import counted

KINDS = {"largest": "largest", "mid_size": "mid-size", "random": "picked at random"}
DIRECTIONS = {
    "departures": "people who travel there (as P2 prints)",
    "arrivals": "visitors who come here (as P2 describes)",
}
HOMES, TABLE, SAME = "Homes in these data", "A table of mine (CSV)", "The same in every zone"
INHABITED_ONLY = "Homes in these data, empty zones left out"
MOST = 20
"""Most destinations that are ranked."""

THRESHOLD = setting.number("decisions_threshold", 100 * scoring.THRESHOLD, 0.1, 100.0)
_SOURCE = "decisions_source"
_ASSUMED = 1000.0
_WEEK = 7
_MISSING = object()


@dataclass
class Given:
    """Numbers of people by zone that were given, by dataset; a word where empty zones are out."""

    people: dict[Seen, Any] = field(default_factory=dict)


def which(
    key: str, entry: Entry, options: Sequence[str], *, epidemic: str, aid: str
) -> Setting[str]:
    """Return a setting that follows the dataset until another question is chosen.

    Parameters
    ----------
    key : str
        Of the setting.
    options : sequence of str
        What it offers, `epidemic` and `aid` among them.
    """
    own = aid if own_question(entry.metadata) == "aid" else epidemic
    return setting.following(setting.choice(key, options, own))


def epidemic(entry: Entry) -> tuple[Entry, Outbreak] | None:
    """Draw the question and return it; None where something is missing, which is then said.

    Returns
    -------
    Entry
        The dataset, or the view of it without the zones in which nobody lives.
    Outbreak
    """
    people, missing_words = _people_known(entry)
    start, act = st.columns([1.6, 1], gap="medium", vertical_alignment="bottom")
    missing = st.container()  # what lacks, and what would do, above a long form
    # not a popover: its widgets would start at their least values once it is opened
    with st.expander(
        "Model, days and populations", icon=":material/tune:", expanded=people is _MISSING
    ):
        people = _populations(entry, people)
        days = dates.day_range(
            st,
            "Days",
            "decisions_days",
            entry,
            (0, len(entry.metadata.days) - 1),
            help="The epidemic starts on the first day.",
        )
        model = _tried(_model)
    if people is _MISSING:
        with missing:
            st.info(missing_words, icon=":material/group:")
            _offers(entry)
        return None
    if people == INHABITED:
        entry, people = entry.at(zones=INHABITED), None
    scenario = _tried(lambda: _origins(entry, people))
    if scenario is None:
        return None
    with start:
        origin = _origin(entry, scenario)
    with act:
        threshold = share(
            st,
            "A zone acts from … % infected",
            THRESHOLD,
            format="%.3g",
            help="P2 lets a zone act on every day on which at least 20% of its people are "
            "infected.",
        )
    if model is None:
        return None
    origins = tuple(dict.fromkeys([origin, *scenario.values()]))
    return entry, Outbreak(origins, model, threshold, days, people)


def usual(entry: Entry, model: EpidemicParameters, threshold: float) -> Outbreak | None:
    """Return the question with the usual answers; None where the people are not known."""
    try:
        scenario = _origins(entry, None)
    except ExplorerError:
        return None
    days = (0, len(entry.metadata.days) - 1)
    return Outbreak(tuple(dict.fromkeys(scenario.values())), model, threshold, days, None)


def lower_threshold(highest: float) -> float:
    """Return a round share of people, at most half of the highest, from which zones would act.

    It is 0 where no zone comes near enough to the least that can be set.

    Examples
    --------
    >>> lower_threshold(0.13), lower_threshold(0.011), lower_threshold(0.001)
    (0.05, 0.005, 0.0)
    """
    rounds = [one * 10.0**power for power in (-3, -2, -1) for one in (1, 2, 5)]
    return max((one for one in rounds if one <= highest / 2), default=0.0)


def share(place: Any, label: str, about: Setting[float], **named: Any) -> float:
    """Draw a share in percent and return it from 0 to 1."""
    field = partial(place.number_input, **{"step": 1.0, "format": "%.4g", **named})
    return round(setting.draw(field, label, about) / 100, 6)


def _tried(ask: Callable[[], Any]) -> Any:
    """Return what is asked for; None where it is refused, which is then said."""
    try:
        return ask()
    except ExplorerError as problem:
        st.error(str(problem))
        return None


def _origins(entry: Entry, people: Any) -> dict[str, str]:
    known = cached_decisions.populations(entry.key, people)
    return scenario_origins(cached_datasets.dataset(entry.key), known)


def _origin(entry: Entry, scenario: dict[str, str]) -> str:
    names = cached_datasets.zone_names(entry.key)
    words = {zone: f"{names[zone]} · {KINDS.get(kind, kind)}" for kind, zone in scenario.items()}
    words |= {zone: names[zone] for zone in sorted(names, key=names.__getitem__)} | words
    return setting.draw(
        st.selectbox,
        "The epidemic starts in",
        setting.place("decisions_origin", words, next(iter(words)), shared=entry.shipped),
        words,
    )


def _model() -> EpidemicParameters:
    st.markdown("**How does the disease spread?** The values are P2's.")
    left, right = st.columns(2)

    def number(place: Any, label: str, name: str, usual: float, step: float, *ends: float) -> float:
        return setting.draw(
            partial(place.number_input, step=step, format="%.4g"),
            label,
            setting.number(f"decisions_{name}", usual, *ends),
        )

    return EpidemicParameters(
        beta=number(left, "Infections a day (β)", "beta", 0.10, 0.01, 0.001, 20.0),
        mu=number(right, "Recovered a day (μ)", "mu", 0.04, 0.01, 0.001, 20.0),
        alpha=number(left, "Mixing with travellers (α)", "alpha", 1.0, 0.1, 0.0, 20.0),
        seed_share=number(right, "Infected at the start (%)", "seeds", 1.0, 0.5, 0.01, 99.0) / 100,
        steps_per_day=int(
            setting.draw(
                left.number_input, "Steps a day", setting.whole_number("decisions_steps", 1, 1, 100)
            )
        ),
        direction=setting.draw(
            right.selectbox,
            "People meet",
            setting.choice("decisions_direction", DIRECTIONS, "departures"),
            DIRECTIONS,
        ),
    )


def _offers(entry: Entry) -> None:
    """Offer what is one press away where homes do not tell the people of every zone."""
    empty = cached_decisions.empty_zones(entry.key)
    zones = len(cached_datasets.zone_names(entry.key))
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


def _people_known(entry: Entry) -> tuple[object, str]:
    """Return None where the homes will do, what was given before, or that nothing is known."""
    given = state(Given).people.get(entry.key, _MISSING)
    if given is not _MISSING:
        return given, ""
    try:
        cached_decisions.populations(entry.key, None)
    except ExplorerError as problem:
        words = str(problem)
        return _MISSING, f"{words[0].upper()}{words[1:]}."
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
    if source in (HOMES, INHABITED_ONLY):
        people = None if source == HOMES else INHABITED
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
    if people is _MISSING:
        return people
    seen: tuple[Any, Any] = entry.key, people
    if people == INHABITED:
        seen = entry.at(zones=INHABITED).key, None
    if _tried(lambda: cached_decisions.populations(*seen)) is None:
        return _MISSING
    if people is None:
        state(Given).people.pop(entry.key, None)
    else:
        state(Given).people[entry.key] = people
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
    except UnicodeDecodeError:
        st.error("The table must be text in UTF-8; save it as CSV UTF-8.")
        return _MISSING
    people = _tried(lambda: read_populations(text))
    return _MISSING if people is None else tuple(sorted(people.items()))


def shock(entry: Entry) -> tuple[Emergency, int] | None:
    """Draw which shock; return it and how many are helped, or None where something is missing."""
    described, first, last = _described(entry)
    area, period, number = st.columns([2, 1.6, 1], gap="medium", vertical_alignment="bottom")
    zones = _several_zones(area, entry, described)
    days = dates.day_range(
        period, "Days after the shock", "decisions_shock_days", entry, (first, last)
    )
    left = len(cached_datasets.zone_names(entry.key)) - len(zones)
    if not zones:
        st.info(
            "Choose the affected zones: this dataset names none.", icon=":material/location_on:"
        )
        return None
    if left < 1:
        st.error("The affected area must leave a zone to go to; choose fewer zones.")
        return None
    most = min(MOST, left)
    about = setting.whole_number("decisions_k", min(3, most), 1, MOST)
    if setting.value(about) > most:  # set for another area
        setting.put(about, most)
    k = setting.draw(
        partial(number.number_input, max_value=most),
        "Destinations helped (k)",
        about,
        help="Every day the k zones that received most people from the area are helped. Ties go "
        "by the order of the zones.",
    )
    return Emergency(tuple(sorted(zones)), days), int(k)


def _described(entry: Entry) -> tuple[list[str], int, int]:
    try:
        event = decisions.shock(cached_datasets.dataset(entry.key))
    except ExplorerError:
        return [], 0, min(_WEEK, len(entry.metadata.days)) - 1
    ids = list(cached_datasets.zone_names(entry.key))
    return [ids[zone] for zone in event.zones], event.days[0], event.days[-1]


def _several_zones(place: Any, entry: Entry, usual: list[str]) -> list[str]:
    """Draw a picker of several zones by name and return their ids, at first `usual`."""
    names = cached_datasets.zone_names(entry.key)

    def read(text: str) -> list[str]:
        zones = text.split(",")
        if not set(zones) <= set(names):
            raise ValueError(text)
        return zones

    about = Setting(
        key="decisions_area",
        default=usual,
        read=read,
        write=",".join,
        shared=lambda zones: entry.shipped and 0 < len(",".join(zones)) <= LONGEST_TEXT,
    )
    if not set(setting.value(about)) <= set(names):  # set for another dataset
        setting.put(about, usual)
    return list(
        setting.draw(
            partial(place.multiselect, options=list(names), format_func=names.__getitem__),
            "Affected zones",
            about,
            placeholder="Where did the shock happen?",
            help="Trips that leave these zones are counted; trips between them are not.",
        )
    )
