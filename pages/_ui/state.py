"""What is set: one typed list of fields, kept by Streamlit in the session and in the link."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, get_args

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine import parameters
from engine.contract import Aggregation, Setting, TimeSelection
from engine.parameters import EPSILON_STOPS, DensityParameters, ODParameters
from engine.report import STOPS, Analysis, ReportParameters, fit_to_table, has_report
from engine.resolution import FINEST
from engine.text.zones import count_zones, name_level
from pages._ui import cached, facts
from pages._ui.cached import Seed
from pages._ui.shell import catalogue
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import came_by_history, page, session
from pages._ui.wording.datasets import CONFIDENTIAL_BANNER, PARTS, SIMULATED_BANNER
from pages._ui.wording.labels import HELP, METHODS, OD_METHOD_NAMES, REPORT_METHODS, REPORT_UNITS
from pages._ui.wording.numbers import hour_of_week, scientific
from pages._ui.wording.privacy import UNITS
from pages._ui.wording.use import levers

T = TypeVar("T")
KEPT: dict[str, Any] = {"persist_state": "session"}
"""What a widget takes to keep its value on other pages."""

LINKED: dict[str, Any] = {"bind": "query-params", **KEPT}
"""What a widget takes to stand in the link as well; never one that offers names of one's own."""

SIMULATED_SEED = 20140824

_MANTISSAS = (
    *(1, 1.1, 1.2, 1.25, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.5, 2.8),
    *(3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 9),
)
EPSILON_SLIDER = (
    *(round(one * 10.0**power, 6) for power in (-2, -1, 0) for one in _MANTISSAS),
    EPSILON_STOPS[-1],
)
"""The slider's stops: round ones, close together where promises lie."""

SHOWN_WORDS = {"trips": "Flows", "density": "Density"}
VIEW_WORDS = {"explore": "Explore", "presenter": "Present"}
STEP_WORDS = {"day": "Days", "week": "Weeks", "whole": "Whole period"}
_PLAIN = "{:g}".format


@dataclass(frozen=True)
class Field(Generic[T]):
    """One thing that is set: its key in the session and the link, what it may be, and its words."""

    key: str
    label: str
    options: Sequence[T]
    words: Callable[[Any], str] = str

    @property
    def default(self) -> T:
        """Return what it is set to where nothing was set."""
        return DEFAULTS[LINK_VERSION][self.key]

    def read(self, text: str) -> T | None:
        """Return what a link says by words, by id or, between two stops, by number; else None."""
        for one in self.options:
            if text in (self.words(one), str(one), str(one).lower()):
                return one
        stops: list[Any] = [one for one in self.options if type(one) in (int, float)]
        try:
            number = float(text)
        except ValueError:
            return None
        return nearest(number, stops) if stops and stops[0] <= number <= stops[-1] else None

    def read_all(self, texts: Sequence[str]) -> Any:
        """Return what a link says by all its texts, of which the last counts; else None."""
        return self.read(texts[-1])

    def write(self, value: Any) -> str | tuple[str, ...]:
        """Return what a link says of a value."""
        return self.words(value).lower() if self.default is False else self.words(value)

    def has(self, value: Any) -> bool:
        """Whether it can be set to a value."""
        return value in self.options


class Several(Field[Any]):
    """What may be several of its options at a time, a list: one text of a link each."""

    def read_all(self, texts: Sequence[str]) -> list[Any] | None:
        """Return every option that a link says; None where one of them is none."""
        found = [self.read(text) for text in texts]
        return None if None in found else found

    def write(self, value: Any) -> tuple[str, ...]:
        """Return the words of all that are set."""
        return tuple(map(self.words, value))

    def has(self, value: Any) -> bool:
        """Whether every one is an option."""
        return isinstance(value, list) and all(one in self.options for one in value)


EPSILON = Field[float]("epsilon", "Privacy loss (ε)", EPSILON_SLIDER, _PLAIN)
DELTA = Field[float]("delta", "Allowance beyond ε (δ)", parameters.DELTA_STOPS, scientific)
MAX_VISITS = Field[int](
    "max_visits", "Visits kept per person (ℓ)", range(1, parameters.MAX_VISITS_LIMIT + 1)
)
VARIANT = Field[str]("variant", "Method", get_args(parameters.DensityMethod), METHODS.__getitem__)
SCALING = Field[bool]("density_scaling", "Improved scaling", (False, True))
SMOOTHING = Field[bool]("density_smoothing", "Night smoothing", (False, True))
GAUSSIAN = Field[bool]("density_gaussian", "Analytic Gaussian", (False, True))
UNIT = Field[str]("unit", "What is protected", get_args(parameters.ODUnit), UNITS.__getitem__)
MAX_TRIPS = Field[int]("max_trips", "Trips kept (T)", parameters.MAX_TRIPS_STOPS)
THRESHOLD = Field[int]("threshold", "Suppress flows below (τ)", range(101))
OD_METHOD = Field[str](
    "od_method", "Method", get_args(parameters.ODMethod), OD_METHOD_NAMES.__getitem__
)
OD_TIME = Field[Aggregation]("od_time", "Time", get_args(Aggregation), STEP_WORDS.__getitem__)
RISK = Field[float](
    "risk_limit",
    "The most an attacker may guess right",
    (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99),
    "{:.0%}".format,
)
SHOWN = Field[str]("home_shown", "Shown", tuple(SHOWN_WORDS), SHOWN_WORDS.__getitem__)
HOURS = range(parameters.HOURS_PER_WEEK)
HOUR = Field[int]("density_hour", "Hour of the week (local time)", HOURS, hour_of_week)
VIEW = Field[str]("view", "View", tuple(VIEW_WORDS), VIEW_WORDS.__getitem__)
REPORT_UNIT = Field[str](
    "report_unit", "Who is protected", tuple(REPORT_UNITS), REPORT_UNITS.__getitem__
)
REPORT_TRIPS = Field[int]("report_trips", "Trips kept per person (M)", STOPS)
REPORT_METHOD = Field[str](
    "report_preset", "Budget", tuple(REPORT_METHODS), REPORT_METHODS.__getitem__
)
REPORT_OFF = Several(
    "report_off", "Leave out", [str(one) for one in Analysis], lambda one: Analysis(one).label
)
FIELDS: tuple[Field[Any], ...] = (
    *(EPSILON, DELTA, MAX_VISITS, VARIANT, SCALING, SMOOTHING, GAUSSIAN),
    *(UNIT, MAX_TRIPS, THRESHOLD, OD_METHOD, OD_TIME, RISK, SHOWN, HOUR, VIEW),
    *(REPORT_UNIT, REPORT_TRIPS, REPORT_METHOD, REPORT_OFF),
)
"""Everything that is set for all pages, but for names of datasets and zones."""

BEHIND: dict[str, dict[str, Field[Any]]] = {
    "density": {
        "epsilon": EPSILON,
        "delta": DELTA,
        "max_visits_per_user": MAX_VISITS,
        "method": VARIANT,
        "scaling": SCALING,
        "smoothing": SMOOTHING,
    },
    "trips": {
        "epsilon": EPSILON,
        "method": OD_METHOD,
        "unit": UNIT,
        "max_trips_per_user": MAX_TRIPS,
        "suppression_threshold": THRESHOLD,
    },
    "report": {
        "epsilon": EPSILON,
        "max_trips_per_user": REPORT_TRIPS,
        "unit": REPORT_UNIT,
        "method": REPORT_METHOD,
    },
}
"""Of each part the parameters of a setting, and what sets them."""

DATA = {"density": "density_data", "trips": "od_data"}
ZONES = {"density": "density_zones", "trips": "od_zones"}
NAMES = (*DATA.values(), *ZONES.values())
"""Keys of what is named: the dataset of each part, then its level of zones."""

_PART = {key: part for keys in (DATA, ZONES) for part, key in keys.items()}

_KEYS = {one.key: one for one in FIELDS}

LINK_VERSION = "2"
"""The `v` of every link that is written; a link without `v` has version 1."""

_DEFAULTS_1: dict[str, Any] = {
    "epsilon": 1.0,
    "delta": 1e-7,
    "max_visits": 30,
    "variant": "efpag_joint",
    "density_scaling": True,
    "density_smoothing": True,
    "density_gaussian": False,
    "unit": "person-day",
    "max_trips": 4,
    "threshold": 15,
    "od_method": "laplace_suppression",
    "od_time": "day",
    "risk_limit": 0.75,
    "home_shown": "trips",
    "density_hour": 2 * 24 + 18,  # a public choice, not the fullest hour
    "view": "explore",
    "report_unit": "user",
    "report_trips": 20,
    "report_preset": "derived",
    "report_off": [],
    # datasets in the order of preference: small enough to break visibly within the range of ε
    "density_data": ("demo-city", "paris"),
    "od_data": ("rwanda-districts", "demo-city"),
    "density_zones": FINEST,
    "od_zones": FINEST,
}
"""Defaults of version 1, never changed: its links lack each key that was at its default."""

DEFAULTS = {"1": _DEFAULTS_1, LINK_VERSION: {**_DEFAULTS_1}}
"""Defaults by version of links; what changes since version 1 stands in the row of today's."""

_BEFORE = {
    ("od_time", "period"): "whole",
    **{
        (key, old): new
        for key in ("od_method", "variant")
        for old, new in parameters.RENAMED_METHODS.items()
    },
    ("od_method", "Ours: reads small flows"): "empirical_bayes",
    ("od_method", "Our method, without τ"): "empirical_bayes",
    ("od_method", "The papers' method, with τ"): "laplace_suppression",
    ("variant", "Five zoom levels (ours)"): "multiscale",
    ("variant", "Fourier, joint"): "efpag_joint",
    ("variant", "Fourier, Gaussian (EFPAG)"): "efpag",
    ("variant", "Fourier, Laplace (EFPA)"): "efpa",
    ("variant", "Laplace, counts (LPA)"): "lpa",
    ("variant", "Laplace, towers (naive)"): "towers_laplace",
    ("variant", "Laplace, zones (naive)"): "zones_laplace",
}
"""Values of shared links that are called otherwise now."""


def nearest(value: float, stops: Sequence[float]) -> Any:
    """Return the stop nearest to a number, by ratio where all are positive.

    >>> nearest(0.37, (0.2, 0.3, 0.5)), nearest(99, (0.2, 0.3, 0.5))
    (0.3, 0.5)
    """
    if value <= 0 or min(stops) <= 0:
        return min(stops, key=lambda one: abs(one - value))
    return min(stops, key=lambda one: max(one / value, value / one))


def above(value: float, stops: Sequence[T]) -> T:
    """Return the smallest stop of at least `value`, or the largest there is."""
    return next((one for one in stops if float(str(one)) >= value), stops[-1])


def start() -> None:
    """Set what the link says: when a session begins, and after Back or Forward.

    At the beginning a link of an earlier version sets the defaults of then where it says nothing.
    """
    kept, held, again = session(), st.session_state, came_by_history()
    if kept.told != page():  # its widgets are new to the browser, which would show defaults
        held.update({key: held[key] for key in (*_KEYS, *NAMES) if key in held})
        if not again:  # its link is cut, and what that was left with before is not what it means
            kept.left.pop((page(),), None)
    if kept.adopted and not again:
        into_link()
        return
    texts: dict[str, Any] = st.query_params.to_dict()
    version = texts.get("v", "1") if texts else LINK_VERSION  # a plain address is no link
    if not kept.adopted and version not in DEFAULTS:
        said = f"The link has v = {version}, which is not known."
        kept.notices.append(f"{said} It is read with v = {LINK_VERSION}.")
    elif not kept.adopted and version != LINK_VERSION:
        held.update(_defaults(version))
    for field in FIELDS:
        said = st.query_params.get_all(field.key)
        if not said:
            continue
        found = field.read_all([_BEFORE.get((field.key, text), text) for text in said])
        if found is None:
            asked = ", ".join(said)
            kept.notices.append(f"The link asks for {field.key} = {asked}, which cannot be set.")
            if isinstance(field, Several):  # its widget would take what it can read
                del st.query_params[field.key]
            continue
        held[field.key] = found
        if isinstance(field, Several):
            texts[field.key] = field.write(found)
            if list(texts[field.key]) != said:  # its widget reads no ids
                st.query_params[field.key] = texts[field.key]
    for key in NAMES:  # datasets first: they have the zones
        offered = names(key)
        said = [one for one in offered if texts.get(key) in (one, offered[one])]
        if said and linkable(key, said[0]):
            held[key] = said[0]
        elif key in texts and not said:
            kept.notices.append(f"The link asks for {key} = {texts[key]}, which is not here.")
        if key in texts and not linked(key):
            del st.query_params[key]
    if again:  # the link of another page may be cut; what it does not say stays as it is
        known = {key: text for key, text in texts.items() if key in _KEYS or key in NAMES}
        held.update(kept.left.get((page(), *sorted(known.items())), {}))
        into_link(again=True)
    kept.adopted = True


def _texts() -> dict[str, str | tuple[str, ...]]:
    """Return what a link says of what is set."""
    held = st.session_state
    texts = {
        one.key: one.write(held[one.key])
        for one in FIELDS
        if one.key in held and value(one) != one.default
    }
    for key in NAMES:
        if key in held and linked(key) and not is_usual(key) and held[key] in names(key):
            texts[key] = names(key)[held[key]]
    return texts


def into_link(*, stale: Iterable[str] = (), again: bool = False) -> None:
    """Write what is set into the link of another page, which drops it; all in one step of Back."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    with context.session_state.query_params() as link:
        for key in stale:
            if key in _KEYS or key in NAMES or not link.is_bound(key):  # else its widget says it
                link.discard_param_no_forward_msg(key)
        texts = _texts()
        if texts or link:  # a plain address stays one until something is set
            texts["v"] = LINK_VERSION
        missing = {key: text for key, text in texts.items() if not link.has_param(key)}
        for key, text in missing.items():
            link.set_with_no_forward_msg(key, text if isinstance(text, str) else list(text))
        if again or stale:  # else a widget goes back to its default
            link.set_initial_query_params_from_current()
        if missing or stale:
            link.update({})


def keep_link() -> None:
    """Write the link at the end of a run, and let go of it: else what no page draws is taken out.

    Streamlit takes out what a widget was bound to that the next run does not draw, in a step of
    Back of its own; the browser goes on writing what is moved.
    """
    stale = [key for key in NAMES if key in st.query_params and not linked(key)]
    stale += ["v"] if st.query_params.get("v", LINK_VERSION) != LINK_VERSION else []
    into_link(stale=stale)
    if st.query_params:  # hidden: a browser takes to the next page only what a widget is bound to
        st.session_state["v"] = LINK_VERSION
        st.text_input("Version of the link", key="v", bind="query-params")
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    with context.session_state.query_params() as link:
        for key in (*_KEYS, *NAMES, "v"):
            binding = link.get_binding_for_param(key)
            if binding is not None:
                link.unbind_widget(binding.widget_id)


def value(field: Field[T]) -> T:
    """Return what a field is set to; its default where that is no option of it."""
    now: Any = st.session_state.get(field.key, field.default)
    return now if field.has(now) else field.default


def draw(
    field: Field[T], *, widget: str = "", options: Sequence[T] | None = None, **named: Any
) -> T:
    """Draw the widget of a field and return its value."""
    named = {"help": HELP.get(field.key), "label": field.label, **LINKED, **named}
    if isinstance(field, Several):
        several: Any = {"options": field.options, "format_func": field.words, **named}
        with app_wide():
            chosen: Any = st.multiselect(key=field.key, **several)
        return chosen
    offered, now = field.options if options is None else options, value(field)
    default = field.default if field.default in offered else offered[0]
    if now not in offered:
        now = default
        st.session_state[field.key] = now
    kind = "toggle" if isinstance(field.default, bool) else "select_slider"
    kind = widget or ("selectbox" if isinstance(field.default, str) else kind)
    given: dict[str, Any] = named
    if kind == "selectbox":
        given["index"] = list(offered).index(default)
    elif kind == "segmented_control":
        given |= {"default": default, "required": True}
    else:
        given["value"] = default
    if kind != "toggle":
        given |= {"options": offered, "format_func": field.words}
    with app_wide():
        return getattr(st, kind)(key=field.key, **given)


def choose(
    label: str,
    options: Sequence[str],
    key: str,
    default: str = "",
    *,
    linked: bool = True,
    titled: bool = False,
) -> str:
    """Draw a switch between options and return what is set."""
    return st.segmented_control(
        label,
        options,
        default=default or options[0],
        required=True,
        key=key,
        label_visibility="visible" if titled else "collapsed",
        **(LINKED if linked else KEPT),
    )


def put(**values: Any) -> None:
    """Set fields, datasets and zones by key: in a callback, or before their widgets are drawn.

    A number goes to a stop: ε and T up to the next, so that an accuracy asked for is reached.

    >>> above(0.2853, EPSILON_SLIDER)
    0.3
    >>> set(EPSILON_STOPS) <= set(EPSILON_SLIDER)
    True
    """
    before = {field.key: value(field) for field in FIELDS}
    before |= {key: st.session_state.get(key, _usual(key)) for key in NAMES}
    session().left[page(), *sorted(_texts().items())] = before
    for key, wanted in values.items():
        field, chosen = _KEYS.get(key), wanted
        if field is not None and not field.has(chosen):
            up = key in ("epsilon", "max_trips")
            chosen = (above if up else nearest)(float(wanted), list(field.options))
        st.session_state[key] = chosen
    into_link(stale=(*_KEYS, *NAMES, *values))


def is_usual(key: str) -> bool:
    """Whether one of `NAMES` is what a page opens on."""
    return st.session_state.get(key) in (None, _usual(key))


def by_key(one: Setting) -> dict[str, Any]:
    """Return what `put` takes to set all that a setting asks of one mechanism: *Use this*."""
    asked: Any = one.parameters
    part = "density" if isinstance(asked, DensityParameters) else "trips"
    values = {field.key: getattr(asked, name) for name, field in BEHIND[part].items()}
    values |= {DATA[part]: entry_of(one).name, ZONES[part]: one.zone_level}
    return values if part == "density" else {**values, "od_time": one.time.aggregation}


def reset() -> None:
    """Put every field back to its default, and the first noise; `undo` takes it back."""
    kept, held = session(), st.session_state
    kept.before = {key: held[key] for key in (*_KEYS, *NAMES) if key in held}
    # without a value the link would be read again
    put(**_defaults())
    kept.redraws = 0


def undo() -> None:
    """Take the last reset back (a callback)."""
    put(**(session().before or {}))
    session().before = None


def redraw() -> None:
    """Draw other noise with the same settings (a callback)."""
    session().redraws += 1


def entry(part: str) -> Entry | None:
    """Return the dataset that is set for ``density`` or ``trips``; None where none is installed."""
    known = catalogue.entries()
    chosen = known.get(st.session_state.get(DATA[part], ""))
    return chosen or preferred(known.values(), part) or next(iter(known.values()), None)


def preferred(known: Iterable[Entry], part: str, version: str = LINK_VERSION) -> Entry | None:
    """Return the dataset that opens first for a part, None where none has it."""
    able = {one.name: one for one in known if part in one.parts}
    order = (*DEFAULTS[version][DATA[part]], *able)
    return next((able[name] for name in order if name in able), None)


def zones(part: str) -> str:
    """Return the level of zones that is set for a part; its own where it has no such level."""
    return _offered(part, st.session_state.get(ZONES[part], DEFAULTS[LINK_VERSION][ZONES[part]]))


def _offered(part: str, level: str) -> str:
    """Return a level of zones where the dataset of a part has it; else that of its own zones."""
    of = entry(part)
    return level if of is not None and facts.facts(of.key).has(level) else FINEST


def units(of: Entry | None) -> tuple[str, ...]:
    """Return what can be protected in a dataset's trips, the default first."""
    every = ("person-day", "trip", "person")
    if of is None or (of.metadata.trips_have_people and of.has_person_ranks):
        return every
    return every[:2] if of.metadata.trips_have_people else ("trip",)


def density() -> Setting | None:
    """Return the density that is set; None where its dataset has no visits."""
    of = entry("density")
    if of is None or "density" not in of.parts:
        return None
    given = {name: value(field) for name, field in BEHIND["density"].items()}
    wanted = "analytic" if value(GAUSSIAN) else "classical"
    noise = parameters.choose_calibration(given["method"], given["epsilon"], wanted)
    seen = replace(of.key, zone_level=zones("density"))
    return Setting(selection=seen, parameters=DensityParameters(**given, gaussian=noise))


def flows() -> Setting | None:
    """Return the flows that are set; None where their dataset has no trips."""
    of = entry("trips")
    if of is None or "trips" not in of.parts:
        return None
    given, allowed = {name: value(field) for name, field in BEHIND["trips"].items()}, units(of)
    if given["unit"] not in allowed:
        given["unit"] = allowed[0]
    if given["unit"] == "trip":
        given["max_trips_per_user"] = 1
    when = TimeSelection(aggregation="whole" if given["unit"] == "person" else value(OD_TIME))
    seen = replace(of.key, zone_level=zones("trips"), time=when)
    return Setting(selection=seen, parameters=ODParameters(**given))


def report(of: Entry | None) -> Setting | None:
    """Return the report of a dataset that is set; None where it has no tables of one."""
    if of is None or "trips" not in of.parts or not cached.of(has_report, of.key):
        return None
    given: dict[str, Any] = {name: value(field) for name, field in BEHIND["report"].items()}
    setting = Setting(selection=of.key, parameters=ReportParameters(**given))
    asked = fit_to_table(setting.parameters, cached.truth(setting))
    left_out = set(value(REPORT_OFF)) & set(asked.analyses)
    if left_out and left_out != set(asked.analyses):
        asked = asked.without(left_out)
    return Setting(selection=of.key, parameters=asked)


def stamp() -> tuple[list[str], bool]:
    """Return what every saved picture says, and whether any people set or shown are real."""
    kept, asked = session(), flows()
    known = (*kept.shown.values(), entry("trips"), entry("density"))
    real = any(one is not None and not one.metadata.simulated for one in known)
    whose = CONFIDENTIAL_BANNER.replace("**", "") if real else f"{SIMULATED_BANNER}."
    said = [kept.said or f"ε {value(EPSILON):g}"]
    if asked is not None and not kept.said:
        said = [levers(asked), UNITS[asked.parameters.unit]]
        said += [name_level(asked.zone_level)] if asked.zone_level != FINEST else []
        said += (
            [STEP_WORDS[asked.time.aggregation].lower()] if asked.time.aggregation != "day" else []
        )
    names = f"{' and '.join(kept.shown)}: " if kept.shown else ""
    return [f"Exploration, not a release. {whose}", names + ", ".join(said)], real


def entry_of(setting: Setting) -> Entry:
    """Return the dataset of a setting as the catalogue knows it."""
    return next(
        one for one in catalogue.entries().values() if one.key.dataset_id == setting.dataset_id
    )


def seed(of: Entry) -> Seed:
    """Return the seed of the noise for a dataset: fixed for simulated people, else secret."""
    kept = session()
    if of.metadata.simulated:
        return SIMULATED_SEED, kept.redraws
    secret = kept.secret_seeds.setdefault(of.key, secrets.randbits(128))
    return secret, kept.redraws


def use_seed(of: Entry) -> int:
    """Return the seed of the draws by which use is judged, alike on every page of a session."""
    return 0 if of.metadata.simulated else seed(of)[0]


def names(key: str) -> dict[str, str]:
    """Return what can be picked under one of `NAMES`, with its words; what is set among them."""
    part = _PART[key]
    of = entry(part)
    if key == DATA[part]:
        known = catalogue.entries()
        able = sorted(known, key=lambda name: part not in known[name].parts)
        return {
            name: name if part in known[name].parts else f"{name} (no {PARTS[part]})"
            for name in able
        }
    if of is None:
        return {}
    offered, now = facts.facts(of.key), zones(part)
    levels = [*offered.levels, *((f"clusters-{k}", k) for k in offered.clusters)]
    words = {level: count_zones(level, count) for level, count in levels}
    return words if now in words else {**words, now: name_level(now)}


def linkable(key: str, name: str) -> bool:
    """Whether a link may hold a name: of a shipped dataset or its levels, or clusters of any."""
    if key in DATA.values():
        return catalogue.entries()[name].shipped
    of = entry(_PART[key])
    return of is None or of.shipped or name == FINEST or name.startswith("clusters-")


def linked(key: str) -> bool:
    """Whether the picker of one of `NAMES` is bound: its browser writes any name it offers."""
    return all(linkable(key, name) for name in names(key))


def pick(key: str, label: str, **named: Any) -> str:
    """Draw the picker of one of `NAMES` and return what is picked."""
    words, part = names(key), _PART[key]
    of = entry(part)
    now = zones(part) if key == ZONES[part] else "" if of is None else of.name
    if st.session_state.get(key) != now:
        st.session_state[key] = now
    usual = _usual(key)
    given: dict[str, Any] = {**(LINKED if linked(key) else KEPT), **named}
    with app_wide():
        return st.selectbox(
            label,
            list(words),
            index=list(words).index(usual if usual in words else now),
            format_func=words.__getitem__,
            key=key,
            **given,
        )


def _usual(key: str, version: str = LINK_VERSION) -> str:
    """Return what one of `NAMES` is set to where nothing was set."""
    part = _PART[key]
    if key in ZONES.values():
        return _offered(part, DEFAULTS[version][key])
    first = preferred(catalogue.entries().values(), part, version)
    return "" if first is None else first.name


def _defaults(version: str = LINK_VERSION) -> dict[str, Any]:
    """Return by key what is set where nothing was set, by the defaults of a version of links."""
    return {**DEFAULTS[version], **{key: _usual(key, version) for key in DATA.values()}}


def app_wide() -> AbstractContextManager[None]:
    """Return what makes a widget the same one on every page, whichever draws it."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return nullcontext()
    return context.run_with_active_hash(context.pages_manager.main_script_hash)
