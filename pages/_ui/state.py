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
from engine.text.dataset_text import CONFIDENTIAL_BANNER, PART_NOUNS, SIMULATED_BANNER
from engine.text.labels import HELP, METHODS, OD_METHOD_NAMES, REPORT_METHODS, REPORT_UNITS
from engine.text.numbers import hour_of_week, scientific
from engine.text.privacy_text import UNIT_LABELS
from engine.text.setting_text import format_controls
from engine.text.zones import count_zones, name_level
from pages._ui.answers import cached, dataset_facts
from pages._ui.answers.cached import Seed
from pages._ui.app import catalogue
from pages._ui.app.catalogue import Entry
from pages._ui.app.session import is_history_run, page_id, session

T = TypeVar("T")
PERSIST: dict[str, Any] = {"persist_state": "session"}
"""What a widget takes to keep its value on other pages."""

LINKED: dict[str, Any] = {"bind": "query-params", **PERSIST}
"""What a widget takes to stand in the link as well; never one that offers names of one's own."""

SIMULATED_SEED = 20140824

_MANTISSAS = (
    *(1, 1.1, 1.2, 1.25, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.5, 2.8),
    *(3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 9),
)
EPSILON_SLIDER = (
    *(round(digits * 10.0**power, 6) for power in (-2, -1, 0) for digits in _MANTISSAS),
    EPSILON_STOPS[-1],
)
"""The slider's stops: round ones, close together where promises lie."""

PART_LABELS = {"trips": "Flows", "density": "Density"}
VIEW_LABELS = {"explore": "Explore", "presenter": "Present"}
TIME_LABELS = {"day": "Days", "week": "Weeks", "whole": "Whole period"}
_format_plain = "{:g}".format


@dataclass(frozen=True)
class Field(Generic[T]):
    """One thing that is set: its key in the session and the link, what it may be, and its words."""

    key: str
    label: str
    options: Sequence[T]
    to_text: Callable[[Any], str] = str

    @property
    def default(self) -> T:
        """Return what it is set to where nothing was set."""
        return DEFAULTS[LINK_VERSION][self.key]

    def read(self, text: str) -> T | None:
        """Return what a link says by words, by id or, between two stops, by number; else None."""
        for option in self.options:
            if text in (self.to_text(option), str(option), str(option).lower()):
                return option
        stops: list[Any] = [option for option in self.options if type(option) in (int, float)]
        try:
            number = float(text)
        except ValueError:
            return None
        return nearest_stop(number, stops) if stops and stops[0] <= number <= stops[-1] else None

    def read_all(self, texts: Sequence[str]) -> Any:
        """Return what a link says by all its texts, of which the last counts; else None."""
        return self.read(texts[-1])

    def write(self, value: Any) -> str | tuple[str, ...]:
        """Return what a link says of a value."""
        return self.to_text(value).lower() if self.default is False else self.to_text(value)

    def has(self, value: Any) -> bool:
        """Whether it can be set to a value."""
        return value in self.options


class MultiField(Field[Any]):
    """What may be several of its options at a time, a list: one text of a link each."""

    def read_all(self, texts: Sequence[str]) -> list[Any] | None:
        """Return every option that a link says; None where one of them is none."""
        values = [self.read(text) for text in texts]
        return None if None in values else values

    def write(self, value: Any) -> tuple[str, ...]:
        """Return the words of all that are set."""
        return tuple(map(self.to_text, value))

    def has(self, value: Any) -> bool:
        """Whether every one is an option."""
        return isinstance(value, list) and all(part in self.options for part in value)


EPSILON = Field[float]("epsilon", "Privacy loss (ε)", EPSILON_SLIDER, _format_plain)
DELTA = Field[float]("delta", "Allowance beyond ε (δ)", parameters.DELTA_STOPS, scientific)
MAX_VISITS = Field[int](
    "max_visits", "Visits kept per person (ℓ)", range(1, parameters.MAX_VISITS_LIMIT + 1)
)
DENSITY_METHOD = Field[str](
    "variant", "Method", get_args(parameters.DensityMethod), METHODS.__getitem__
)
SCALING = Field[bool]("density_scaling", "Improved scaling", (False, True))
SMOOTHING = Field[bool]("density_smoothing", "Night smoothing", (False, True))
GAUSSIAN = Field[bool]("density_gaussian", "Analytic Gaussian", (False, True))
UNIT = Field[str]("unit", "What is protected", get_args(parameters.ODUnit), UNIT_LABELS.__getitem__)
MAX_TRIPS = Field[int]("max_trips", "Trips kept (T)", parameters.MAX_TRIPS_STOPS)
THRESHOLD = Field[int]("threshold", "Suppress flows below (τ)", range(101))
OD_METHOD = Field[str](
    "od_method", "Method", get_args(parameters.ODMethod), OD_METHOD_NAMES.__getitem__
)
OD_TIME = Field[Aggregation]("od_time", "Time", get_args(Aggregation), TIME_LABELS.__getitem__)
RISK = Field[float](
    "risk_limit",
    "The most an attacker may guess right",
    (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99),
    "{:.0%}".format,
)
HOME_PART = Field[str]("home_shown", "Shown", tuple(PART_LABELS), PART_LABELS.__getitem__)
HOURS = range(parameters.HOURS_PER_WEEK)
HOUR = Field[int]("density_hour", "Hour of the week (local time)", HOURS, hour_of_week)
VIEW = Field[str]("view", "View", tuple(VIEW_LABELS), VIEW_LABELS.__getitem__)
REPORT_UNIT = Field[str](
    "report_unit", "Who is protected", tuple(REPORT_UNITS), REPORT_UNITS.__getitem__
)
REPORT_TRIPS = Field[int]("report_trips", "Trips kept per person (M)", STOPS)
REPORT_METHOD = Field[str](
    "report_preset", "Budget", tuple(REPORT_METHODS), REPORT_METHODS.__getitem__
)
REPORT_OFF = MultiField(
    "report_off", "Leave out", [str(key) for key in Analysis], lambda key: Analysis(key).label
)
FIELDS: tuple[Field[Any], ...] = (
    *(EPSILON, DELTA, MAX_VISITS, DENSITY_METHOD, SCALING, SMOOTHING, GAUSSIAN),
    *(UNIT, MAX_TRIPS, THRESHOLD, OD_METHOD, OD_TIME, RISK, HOME_PART, HOUR, VIEW),
    *(REPORT_UNIT, REPORT_TRIPS, REPORT_METHOD, REPORT_OFF),
)
"""Everything that is set for all pages, but for names of datasets and zones."""

PARAMETERS: dict[str, dict[str, Field[Any]]] = {
    "density": {
        "epsilon": EPSILON,
        "delta": DELTA,
        "max_visits_per_user": MAX_VISITS,
        "method": DENSITY_METHOD,
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

DATASET_KEYS = {"density": "density_data", "trips": "od_data"}
ZONE_KEYS = {"density": "density_zones", "trips": "od_zones"}
NAMES = (*DATASET_KEYS.values(), *ZONE_KEYS.values())
"""Keys of what is named: the dataset of each part, then its level of zones."""

_PARTS = {key: part for keys in (DATASET_KEYS, ZONE_KEYS) for part, key in keys.items()}

_KEYS = {field.key: field for field in FIELDS}

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

_OLD_VALUES = {
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


def nearest_stop(value: float, stops: Sequence[float]) -> Any:
    """Return the stop nearest to a number, by ratio where all are positive.

    >>> nearest_stop(0.37, (0.2, 0.3, 0.5)), nearest_stop(99, (0.2, 0.3, 0.5))
    (0.3, 0.5)
    """
    if value <= 0 or min(stops) <= 0:
        return min(stops, key=lambda stop: abs(stop - value))
    return min(stops, key=lambda stop: max(stop / value, value / stop))


def stop_above(value: float, stops: Sequence[T]) -> T:
    """Return the smallest stop of at least `value`, or the largest there is."""
    return next((stop for stop in stops if float(str(stop)) >= value), stops[-1])


def read_link() -> None:
    """Set what the link says: when a session begins, and after Back or Forward.

    At the beginning a link of an earlier version sets the defaults of then where it says nothing.
    """
    memo, values, is_back = session(), st.session_state, is_history_run()
    if memo.page != page_id():  # the browser has new widgets, which would show defaults
        values.update({key: values[key] for key in (*_KEYS, *NAMES) if key in values})
        if not is_back:  # its link is cut, and what that was left with before is not what it means
            memo.values_by_link.pop((page_id(),), None)
    if memo.is_link_read and not is_back:
        write_link()
        return
    texts: dict[str, Any] = st.query_params.to_dict()
    version = texts.get("v", "1") if texts else LINK_VERSION  # a plain address is no link
    if not memo.is_link_read and version not in DEFAULTS:
        raw = f"The link has v = {version}, which is not known."
        memo.notices.append(f"{raw} It is read with v = {LINK_VERSION}.")
    elif not memo.is_link_read and version != LINK_VERSION:
        values.update(_defaults(version))
    for field in FIELDS:
        raw = st.query_params.get_all(field.key)
        if not raw:
            continue
        parsed = field.read_all([_OLD_VALUES.get((field.key, text), text) for text in raw])
        if parsed is None:
            wish = ", ".join(raw)
            memo.notices.append(f"The link asks for {field.key} = {wish}, which cannot be set.")
            if isinstance(field, MultiField):  # its widget would take what it can read
                del st.query_params[field.key]
            continue
        values[field.key] = parsed
        if isinstance(field, MultiField):
            texts[field.key] = field.write(parsed)
            if list(texts[field.key]) != raw:  # its widget reads no ids
                st.query_params[field.key] = texts[field.key]
    for key in NAMES:  # datasets first: they have the zones
        options = choices(key)
        raw = [option for option in options if texts.get(key) in (option, options[option])]
        if raw and is_linkable(key, raw[0]):
            values[key] = raw[0]
        elif key in texts and not raw:
            memo.notices.append(f"The link asks for {key} = {texts[key]}, which is not here.")
        if key in texts and not is_linked(key):
            del st.query_params[key]
    if is_back:  # the link of another page may be cut; what it does not say stays as it is
        here = {key: text for key, text in texts.items() if key in _KEYS or key in NAMES}
        values.update(memo.values_by_link.get((page_id(), *sorted(here.items())), {}))
        write_link(anew=True)
    memo.is_link_read = True


def _link_texts() -> dict[str, str | tuple[str, ...]]:
    """Return what a link says of what is set."""
    values = st.session_state
    texts = {
        field.key: field.write(values[field.key])
        for field in FIELDS
        if field.key in values and value(field) != field.default
    }
    for key in NAMES:
        if key in values and is_linked(key) and not is_default(key) and values[key] in choices(key):
            texts[key] = choices(key)[values[key]]
    return texts


def write_link(*, stale: Iterable[str] = (), anew: bool = False) -> None:
    """Write what is set into the link of another page, which drops it; all in one step of Back."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    with context.session_state.query_params() as link:
        for key in stale:
            if key in _KEYS or key in NAMES or not link.is_bound(key):  # else its widget says it
                link.discard_param_no_forward_msg(key)
        texts = _link_texts()
        if texts or link:  # a plain address stays one until something is set
            texts["v"] = LINK_VERSION
        missing = {key: text for key, text in texts.items() if not link.has_param(key)}
        for key, text in missing.items():
            link.set_with_no_forward_msg(key, text if isinstance(text, str) else list(text))
        if anew or stale:  # else a widget goes back to its default
            link.set_initial_query_params_from_current()
        if missing or stale:
            link.update({})


def release_link() -> None:
    """Write the link at the end of a run, and let go of it: else what no page draws is taken out.

    Streamlit takes out what a widget was bound to that the next run does not draw, in a step of
    Back of its own; the browser goes on writing what is moved.
    """
    stale = [key for key in NAMES if key in st.query_params and not is_linked(key)]
    stale += ["v"] if st.query_params.get("v", LINK_VERSION) != LINK_VERSION else []
    write_link(stale=stale)
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
    field: Field[T], *, widget: str = "", options: Sequence[T] | None = None, **look: Any
) -> T:
    """Draw the widget of a field and return its value."""
    look = {"help": HELP.get(field.key), "label": field.label, **LINKED, **look}
    if isinstance(field, MultiField):
        several: Any = {"options": field.options, "format_func": field.to_text, **look}
        with app_wide_context():
            chosen: Any = st.multiselect(key=field.key, **several)
        return chosen
    menu, now = field.options if options is None else options, value(field)
    default = field.default if field.default in menu else menu[0]
    if now not in menu:
        now = default
        st.session_state[field.key] = now
    kind = "toggle" if isinstance(field.default, bool) else "select_slider"
    kind = widget or ("selectbox" if isinstance(field.default, str) else kind)
    arguments: dict[str, Any] = look
    if kind == "selectbox":
        arguments["index"] = list(menu).index(default)
    elif kind == "segmented_control":
        arguments |= {"default": default, "required": True}
    else:
        arguments["value"] = default
    if kind != "toggle":
        arguments |= {"options": menu, "format_func": field.to_text}
    with app_wide_context():
        return getattr(st, kind)(key=field.key, **arguments)


def choose(
    label: str,
    options: Sequence[str],
    key: str,
    default: str = "",
    *,
    in_link: bool = True,
    has_title: bool = False,
) -> str:
    """Draw a switch between options and return what is set."""
    return st.segmented_control(
        label,
        options,
        default=default or options[0],
        required=True,
        key=key,
        label_visibility="visible" if has_title else "collapsed",
        **(LINKED if in_link else PERSIST),
    )


def set_values(**values: Any) -> None:
    """Set fields, datasets and zones by key: in a callback, or before their widgets are drawn.

    A number goes to a stop: ε and T up to the next, so that an accuracy asked for is reached.

    >>> stop_above(0.2853, EPSILON_SLIDER)
    0.3
    >>> set(EPSILON_STOPS) <= set(EPSILON_SLIDER)
    True
    """
    old_values = {field.key: value(field) for field in FIELDS}
    old_values |= {key: st.session_state.get(key, _default(key)) for key in NAMES}
    session().values_by_link[page_id(), *sorted(_link_texts().items())] = old_values
    for key, target in values.items():
        field, chosen = _KEYS.get(key), target
        if field is not None and not field.has(chosen):
            up = key in ("epsilon", "max_trips")
            chosen = (stop_above if up else nearest_stop)(float(target), list(field.options))
        st.session_state[key] = chosen
    write_link(stale=(*_KEYS, *NAMES, *values))


def is_default(key: str) -> bool:
    """Whether one of `NAMES` is what a page opens on."""
    return st.session_state.get(key) in (None, _default(key))


def values_by_key(setting: Setting) -> dict[str, Any]:
    """Return what `put` takes to set all that a setting asks of one mechanism: *Use this*."""
    parameters: Any = setting.parameters
    part = "density" if isinstance(parameters, DensityParameters) else "trips"
    values = {field.key: getattr(parameters, name) for name, field in PARAMETERS[part].items()}
    values |= {DATASET_KEYS[part]: entry_of(setting).name, ZONE_KEYS[part]: setting.zone_level}
    return values if part == "density" else {**values, "od_time": setting.time.aggregation}


def reset() -> None:
    """Put every field back to its default, and the first noise; `undo` takes it back."""
    memo, values = session(), st.session_state
    memo.undo_values = {key: values[key] for key in (*_KEYS, *NAMES) if key in values}
    # without a value the link would be read again
    set_values(**_defaults())
    memo.redraw_count = 0


def undo() -> None:
    """Take the last reset back (a callback)."""
    set_values(**(session().undo_values or {}))
    session().undo_values = None


def redraw() -> None:
    """Draw other noise with the same settings (a callback)."""
    session().redraw_count += 1


def entry_for(part: str) -> Entry | None:
    """Return the dataset that is set for ``density`` or ``trips``; None where none is installed."""
    entries = catalogue.entries()
    chosen = entries.get(st.session_state.get(DATASET_KEYS[part], ""))
    return chosen or preferred_entry(entries.values(), part) or next(iter(entries.values()), None)


def preferred_entry(
    entries: Iterable[Entry], part: str, version: str = LINK_VERSION
) -> Entry | None:
    """Return the dataset that opens first for a part, None where none has it."""
    by_name = {entry.name: entry for entry in entries if part in entry.parts}
    order = (*DEFAULTS[version][DATASET_KEYS[part]], *by_name)
    return next((by_name[name] for name in order if name in by_name), None)


def level(part: str) -> str:
    """Return the level of zones that is set for a part; its own where it has no such level."""
    return _offered(
        part, st.session_state.get(ZONE_KEYS[part], DEFAULTS[LINK_VERSION][ZONE_KEYS[part]])
    )


def _offered(part: str, level: str) -> str:
    """Return a level of zones where the dataset of a part has it; else that of its own zones."""
    of = entry_for(part)
    return level if of is not None and dataset_facts.load_facts(of.key).has(level) else FINEST


def units(entry: Entry | None) -> tuple[str, ...]:
    """Return what can be protected in a dataset's trips, the default first."""
    kinds = ("person-day", "trip", "person")
    if entry is None or (entry.metadata.trips_have_people and entry.has_person_ranks):
        return kinds
    return kinds[:2] if entry.metadata.trips_have_people else ("trip",)


def density() -> Setting | None:
    """Return the density that is set; None where its dataset has no visits."""
    source = entry_for("density")
    if source is None or "density" not in source.parts:
        return None
    values = {name: value(field) for name, field in PARAMETERS["density"].items()}
    calibration = "analytic" if value(GAUSSIAN) else "classical"
    gaussian = parameters.choose_calibration(values["method"], values["epsilon"], calibration)
    selection = replace(source.key, zone_level=level("density"))
    return Setting(selection=selection, parameters=DensityParameters(**values, gaussian=gaussian))


def flows() -> Setting | None:
    """Return the flows that are set; None where their dataset has no trips."""
    source = entry_for("trips")
    if source is None or "trips" not in source.parts:
        return None
    values, allowed = (
        {name: value(field) for name, field in PARAMETERS["trips"].items()},
        units(source),
    )
    if values["unit"] not in allowed:
        values["unit"] = allowed[0]
    if values["unit"] == "trip":
        values["max_trips_per_user"] = 1
    when = TimeSelection(aggregation="whole" if values["unit"] == "person" else value(OD_TIME))
    selection = replace(source.key, zone_level=level("trips"), time=when)
    return Setting(selection=selection, parameters=ODParameters(**values))


def report(entry: Entry | None) -> Setting | None:
    """Return the report of a dataset that is set; None where it has no tables of one."""
    if entry is None or "trips" not in entry.parts or not cached.read(has_report, entry.key):
        return None
    values: dict[str, Any] = {name: value(field) for name, field in PARAMETERS["report"].items()}
    setting = Setting(selection=entry.key, parameters=ReportParameters(**values))
    fitted = fit_to_table(setting.parameters, cached.truth(setting))
    left_out = set(value(REPORT_OFF)) & set(fitted.analyses)
    if left_out and left_out != set(fitted.analyses):
        fitted = fitted.without(left_out)
    return Setting(selection=entry.key, parameters=fitted)


def stamp() -> tuple[list[str], bool]:
    """Return what every saved picture says, and whether any people set or shown are real."""
    memo, setting = session(), flows()
    entries = (*memo.shown_entries.values(), entry_for("trips"), entry_for("density"))
    real = any(entry is not None and not entry.metadata.simulated for entry in entries)
    banner = CONFIDENTIAL_BANNER.replace("**", "") if real else f"{SIMULATED_BANNER}."
    words = [memo.stamp or f"ε {value(EPSILON):g}"]
    if setting is not None and not memo.stamp:
        words = [format_controls(setting), UNIT_LABELS[setting.parameters.unit]]
        words += [name_level(setting.zone_level)] if setting.zone_level != FINEST else []
        words += (
            [TIME_LABELS[setting.time.aggregation].lower()]
            if setting.time.aggregation != "day"
            else []
        )
    names = f"{' and '.join(memo.shown_entries)}: " if memo.shown_entries else ""
    return [f"Exploration, not a release. {banner}", names + ", ".join(words)], real


def entry_of(setting: Setting) -> Entry:
    """Return the dataset of a setting as the catalogue knows it."""
    return next(e for e in catalogue.entries().values() if e.key.dataset_id == setting.dataset_id)


def seed(entry: Entry) -> Seed:
    """Return the seed of the noise for a dataset: fixed for simulated people, else secret."""
    memo = session()
    if entry.metadata.simulated:
        return SIMULATED_SEED, memo.redraw_count
    secret = memo.secret_seeds.setdefault(entry.key, secrets.randbits(128))
    return secret, memo.redraw_count


def utility_seed(entry: Entry) -> int:
    """Return the seed of the draws by which use is judged, alike on every page of a session."""
    return 0 if entry.metadata.simulated else seed(entry)[0]


def choices(key: str) -> dict[str, str]:
    """Return what can be picked under one of `NAMES`, with its words; what is set among them."""
    part = _PARTS[key]
    source = entry_for(part)
    if key == DATASET_KEYS[part]:
        entries = catalogue.entries()
        ordered = sorted(entries, key=lambda name: part not in entries[name].parts)
        return {
            name: name if part in entries[name].parts else f"{name} (no {PART_NOUNS[part]})"
            for name in ordered
        }
    if source is None:
        return {}
    info, now = dataset_facts.load_facts(source.key), level(part)
    levels = [*info.levels, *((f"clusters-{k}", k) for k in info.cluster_counts)]
    words = {level_name: count_zones(level_name, count) for level_name, count in levels}
    return words if now in words else {**words, now: name_level(now)}


def is_linkable(key: str, name: str) -> bool:
    """Whether a link may hold a name: of a shipped dataset or its levels, or clusters of any."""
    if key in DATASET_KEYS.values():
        return catalogue.entries()[name].shipped
    source = entry_for(_PARTS[key])
    return source is None or source.shipped or name == FINEST or name.startswith("clusters-")


def is_linked(key: str) -> bool:
    """Whether the picker of one of `NAMES` is bound: its browser writes any name it offers."""
    return all(is_linkable(key, name) for name in choices(key))


def pick(key: str, label: str, **look: Any) -> str:
    """Draw the picker of one of `NAMES` and return what is picked."""
    words, part = choices(key), _PARTS[key]
    source = entry_for(part)
    now = level(part) if key == ZONE_KEYS[part] else "" if source is None else source.name
    if st.session_state.get(key) != now:
        st.session_state[key] = now
    default = _default(key)
    arguments: dict[str, Any] = {**(LINKED if is_linked(key) else PERSIST), **look}
    with app_wide_context():
        return st.selectbox(
            label,
            list(words),
            index=list(words).index(default if default in words else now),
            format_func=words.__getitem__,
            key=key,
            **arguments,
        )


def _default(key: str, version: str = LINK_VERSION) -> str:
    """Return what one of `NAMES` is set to where nothing was set."""
    part = _PARTS[key]
    if key in ZONE_KEYS.values():
        return _offered(part, DEFAULTS[version][key])
    first = preferred_entry(catalogue.entries().values(), part, version)
    return "" if first is None else first.name


def _defaults(version: str = LINK_VERSION) -> dict[str, Any]:
    """Return by key what is set where nothing was set, by the defaults of a version of links."""
    return {**DEFAULTS[version], **{key: _default(key, version) for key in DATASET_KEYS.values()}}


def app_wide_context() -> AbstractContextManager[None]:
    """Return what makes a widget the same one on every page, whichever draws it."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return nullcontext()
    return context.run_with_active_hash(context.pages_manager.main_script_hash)
