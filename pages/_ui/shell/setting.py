"""Settings of one page: kept by the session and read from a link; what is shared is in `state`."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import streamlit as st

from pages._ui import state
from pages._ui.state import nearest as nearest_stop

T = TypeVar("T")
L = TypeVar("L", bound=str)
LONGEST_TEXT = 200


@dataclass(frozen=True, kw_only=True)
class Setting(Generic[T]):
    """One setting of a page: its key, its default, and how a link says it."""

    key: str
    default: T
    read: Callable[[str], T]
    write: Callable[[T], str] = str
    shared: Callable[[T], bool] = lambda _: True
    label: str = ""
    limits: tuple[T, T] | None = None


def choice(key: str, options: Iterable[str], default: str, *, label: str = "") -> Setting[str]:
    """Return a setting that is one of some texts; a link writes them in small letters."""
    known = {_slug(option): option for option in options}
    return Setting(key=key, default=default, read=known.__getitem__, write=_slug, label=label)


def literal(key: str, options: Iterable[L], default: L) -> Setting[L]:
    """Return a setting that is one of some short ids."""
    known: dict[str, L] = {option: option for option in options}
    return Setting(key=key, default=default, read=known.__getitem__)


def place(key: str, ids: Iterable[str], default: str, *, shared: bool) -> Setting[str]:
    """Return a setting that is an id of the data's own, such as a zone or a day."""
    known = {one: one for one in ids}
    return Setting(key=key, default=default, read=known.__getitem__, shared=lambda _: shared)


def whole_number(key: str, default: int, low: int, high: int, *, label: str = "") -> Setting[int]:
    """Return a setting that is a whole number from `low` to `high`."""
    return Setting(
        key=key,
        default=default,
        read=lambda text: int(_within(text, low, high)),
        label=label,
        limits=(low, high),
    )


def number(key: str, default: float, low: float, high: float) -> Setting[float]:
    """Return a setting that is a number from `low` to `high`."""
    return Setting(
        key=key, default=default, read=lambda text: _within(text, low, high), limits=(low, high)
    )


def stop(key: str, stops: Sequence[float], default: float, **named: Any) -> Setting[float]:
    """Return a setting that is one of some rising numbers; one between two takes the nearer."""
    return Setting(
        key=key,
        default=default,
        read=lambda text: nearest_stop(_within(text, stops[0], stops[-1]), stops),
        **named,
    )


def whole_stop(key: str, stops: Sequence[int], default: int, *, label: str = "") -> Setting[int]:
    """Return a setting that is one of some rising whole numbers."""
    return Setting(
        key=key,
        default=default,
        read=lambda text: int(nearest_stop(_within(text, stops[0], stops[-1]), stops)),
        label=label,
    )


def switch(key: str, *, default: bool) -> Setting[bool]:
    """Return a setting that is on or off."""
    return Setting(key=key, default=default, read={"true": True, "false": False}.__getitem__)


def value(setting: Setting[T]) -> T:
    """Return what a setting is: as set, else as the link says, else its default."""
    if setting.key not in st.session_state:
        text = st.query_params.get(setting.key)
        try:
            st.session_state[setting.key] = setting.default if text is None else setting.read(text)
        except (ValueError, KeyError):
            st.session_state[setting.key] = setting.default
    return st.session_state[setting.key]


def put(setting: Setting[T], value: T) -> None:
    """Set a setting from code: in a callback, or before its widget is drawn."""
    st.session_state[setting.key] = value


def draw(
    widget: Callable[..., Any],
    label: str,
    setting: Setting[T],
    options: Sequence[T] | Mapping[T, str] | None = None,
    **named: Any,
) -> T:
    """Draw the widget of a setting and return its value."""
    if isinstance(options, Mapping):
        named, options = {"format_func": options.__getitem__, **named}, list(options)
    current = value(setting)
    if options is not None:
        named["options"] = options
        if current not in options:
            current = setting.default if setting.default in options else options[0]
            put(setting, current)
    kind = (widget.func if isinstance(widget, partial) else widget).__name__
    if setting.limits is not None and kind in ("number_input", "slider"):
        given = widget.keywords if isinstance(widget, partial) else {}
        named = dict(zip(("min_value", "max_value"), setting.limits, strict=True)) | given | named
    return widget(label, key=setting.key, **_start(kind, current, options), **state.KEPT, **named)


def following(setting: Setting[T]) -> Setting[T]:
    """Return a setting whose default is another one's value, as it is until a person chooses."""
    return setting


def views(
    key: str,
    options: Sequence[str] | Mapping[str, str],
    default: str = "",
    *,
    label: str = "View",
    place: Any = st,
) -> str:
    """Draw the switch between the views of a page, or of a part of it; return the one chosen."""
    return draw(
        place.segmented_control,
        label,
        choice(key, options, default or next(iter(options))),
        options,
        label_visibility="collapsed",
    )


def _start(kind: str, current: Any, options: Sequence[Any] | None) -> dict[str, Any]:
    if kind in ("selectbox", "radio"):
        return {"index": list(options or ()).index(current)}
    if kind == "segmented_control":  # one of them is always chosen
        return {"default": current, "required": True}
    if kind in ("pills", "multiselect"):
        return {"default": current}
    return {"value": current}


def _within(text: str, low: float, high: float) -> float:
    value = float(text)
    if not low <= value <= high:  # neither is NaN
        raise ValueError(text)
    return value


def _slug(text: str) -> str:
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-")
