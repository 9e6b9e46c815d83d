"""Everything that can be set: key in session and link, options, default, words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar, get_args

import streamlit as st

from engine import parameters
from engine.contract import Aggregation
from engine.parameters import EPSILON_STOPS
from engine.report import STOPS, Analysis
from engine.text.labels import (
    METHODS as DENSITY_METHOD_NAMES,
    OD_METHOD_NAMES,
    REPORT_METHODS,
    REPORT_UNITS,
)
from engine.text.numbers import hour_of_week, scientific
from engine.text.privacy_text import UNIT_LABELS

T = TypeVar("T")


class WidgetState(TypedDict):
    """Where a widget keeps its value."""

    persist_state: Literal["session"]
    bind: NotRequired[Literal["query-params"]]


PERSIST: WidgetState = {"persist_state": "session"}
"""What a widget takes to keep its value on other pages."""

LINKED: WidgetState = {"bind": "query-params", **PERSIST}
"""What a widget takes to stand in the link as well; never one that offers names of one's own."""

_MANTISSAS = (
    *(1, 1.1, 1.2, 1.25, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.5, 2.8),
    *(3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 9),
)
EPSILON_SLIDER = (
    *(round(digits * 10.0**power, 6) for power in (-2, -1, 0) for digits in _MANTISSAS),
    EPSILON_STOPS[-1],
)
"""The slider's stops: round ones, close together where promises lie."""

TIME_LABELS = {"day": "Days", "week": "Weeks", "whole": "Whole period"}


@dataclass(frozen=True)
class Field(Generic[T]):
    """One thing that is set: its key in the session and the link, what it may be, and its words."""

    key: str
    label: str
    options: Sequence[T]
    to_text: Callable[[Any], str] = str

    @classmethod
    def from_labels(cls, key: str, label: str, labels: Mapping[T, str]) -> "Field[T]":
        """Return what is one of several options, each with its own label."""
        return cls(key, label, tuple(labels), labels.__getitem__)

    @property
    def default(self) -> T:
        """Return the default of today's version of links."""
        return DEFAULTS[LINK_VERSION][self.key]

    def read(self, text: str) -> T | None:
        """Return the value of a link's text: words, id or a number between two stops; else None."""
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
        """Return the value of a link's last text, or None."""
        return self.read(texts[-1])

    def write(self, value: Any) -> str | tuple[str, ...]:
        """Return the text of a value in a link."""
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


EPSILON = Field[float]("epsilon", "Privacy loss (ε)", EPSILON_SLIDER, "{:g}".format)
DELTA = Field[float]("delta", "Allowance (δ)", parameters.DELTA_STOPS, scientific)
MAX_VISITS = Field[int]("max_visits", "Visit limit (ℓ)", range(1, parameters.MAX_VISITS_LIMIT + 1))
DENSITY_METHOD = Field[parameters.DensityMethod](
    "variant", "Method", get_args(parameters.DensityMethod), DENSITY_METHOD_NAMES.__getitem__
)
SCALING = Field[bool]("density_scaling", "Scale up to all visits", (False, True))
SMOOTHING = Field[bool]("density_smoothing", "Smooth the night hours", (False, True))
GAUSSIAN = Field[bool]("density_gaussian", "Analytic Gaussian", (False, True))
UNIT = Field[str]("unit", "Unit of privacy", get_args(parameters.ODUnit), UNIT_LABELS.__getitem__)
MAX_TRIPS = Field[int]("max_trips", "Trip limit (T)", parameters.MAX_TRIPS_STOPS)
THRESHOLD = Field[int]("threshold", "Suppress below (τ)", range(101))
OD_METHOD = Field.from_labels("od_method", "Method", OD_METHOD_NAMES)
OD_TIME = Field[Aggregation]("od_time", "Time", get_args(Aggregation), TIME_LABELS.__getitem__)
RISK = Field[float](
    "risk_limit",
    "Correct guesses of an attacker, at most",
    (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99),
    "{:.0%}".format,
)
HOME_PART = Field.from_labels("home_shown", "Shown", {"trips": "Flows", "density": "Density"})
HOURS = range(parameters.HOURS_PER_WEEK)
HOUR = Field[int]("density_hour", "Hour of the week (local time)", HOURS, hour_of_week)
SECOND_MAP = Field.from_labels(
    "second_map", "Second map", {"noise": "With noise", "difference": "Difference"}
)
VIEW = Field.from_labels("view", "View", {"explore": "Explore", "presenter": "Present"})
REPORT_UNIT = Field.from_labels("report_unit", "Who is protected", REPORT_UNITS)
REPORT_TRIPS = Field[int]("report_trips", "Trips kept per person (M)", STOPS)
REPORT_METHOD = Field.from_labels("report_preset", "Budget", REPORT_METHODS)
REPORT_OFF = MultiField(
    "report_off",
    "Leave out these analyses",
    [str(key) for key in Analysis],
    lambda key: Analysis(key).label,
)
FIELDS: tuple[Field[Any], ...] = (
    *(EPSILON, DELTA, MAX_VISITS, DENSITY_METHOD, SCALING, SMOOTHING, GAUSSIAN),
    *(UNIT, MAX_TRIPS, THRESHOLD, OD_METHOD, OD_TIME, RISK, HOME_PART, HOUR, SECOND_MAP, VIEW),
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

METHODS: dict[str, Field[Any]] = {"density": DENSITY_METHOD, "trips": OD_METHOD}
DATASET_KEYS = {"density": "density_data", "trips": "od_data"}
ZONE_KEYS = {"density": "density_zones", "trips": "od_zones"}
NAMES = (*DATASET_KEYS.values(), *ZONE_KEYS.values())
"""Keys of what is named: the dataset of each part, then its level of zones."""

PARTS_BY_KEY = {key: part for keys in (DATASET_KEYS, ZONE_KEYS) for part, key in keys.items()}

FIELDS_BY_KEY: dict[str, Field[Any]] = {field.key: field for field in FIELDS}

LINK_VERSION = "3"
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
    "second_map": "noise",
    "view": "explore",
    "report_unit": "user",
    "report_trips": 20,
    "report_preset": "derived",
    "report_off": [],
    # datasets in the order of preference: small enough to break visibly within the range of ε
    "density_data": ("demo-city", "paris"),
    "od_data": ("rwanda-districts", "demo-city"),
    # by dataset; any other opens on its own zones
    "density_zones": {},
    "od_zones": {},
}
"""Defaults of version 1, never changed: its links lack each key that was at its default."""

_OPENING_ZONES = {"demo-city": "clusters-30"}

DEFAULTS: dict[str, dict[str, Any]] = {
    "1": _DEFAULTS_1,
    "2": _DEFAULTS_1,
    LINK_VERSION: {
        **_DEFAULTS_1,
        # visits and trips of the same people, where one move of ε shows what it costs
        "od_data": ("demo-city", "rwanda-districts"),
        "density_zones": _OPENING_ZONES,
        "od_zones": _OPENING_ZONES,
        "max_trips": 10,
    },
}
"""Defaults by version of links, as long as links of that version are about."""


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


def value(field: Field[T]) -> T:
    """Return the current value of a field; its default if that is no option."""
    now: Any = st.session_state.get(field.key, field.default)
    return now if field.has(now) else field.default
