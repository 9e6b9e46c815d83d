"""Settings that outlive a page: kept by the session, drawn as widgets, written in the link.

Streamlit forgets a widget that a page does not draw, and gives one that moves to another page its
first option. So the session keeps every value itself, widgets are drawn from there, and whatever a
person changes is written back before the next run begins.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import streamlit as st

from pages._ui.shell.session import has_widget, page, session, set_widget, widget_value

T = TypeVar("T")
L = TypeVar("L", bound=str)

LONGEST_TEXT = 200
_MOST_UNREAD = 40
_KEY = re.compile(r"[a-z][a-z_]{1,30}")
RENAMED = {"od_ours_view": "od_view", "od_ours_view=totals": "od_view=days-and-totals"}
"""What links that were shared before say → what they say now: a ``key``, or one ``key=text``."""


@dataclass(frozen=True, kw_only=True)
class Setting(Generic[T]):
    """One setting: its key in the session and the link, its default, and how the link writes it.

    Attributes
    ----------
    key : str
        Also the key of its widget. A page's own settings begin with the page's name.
    default : T
        A value that needs no word in the link.
    read : callable
        Makes a value of the link's text; raises ValueError or KeyError for one it cannot take.
    write : callable
        Makes a text of a value.
    shared : callable
        Whether a value may stand in a link.
    label : str
        What a notice calls it, such as ``ε``.
    limits : tuple or None
        Least and most that a number may be; its field offers no others.
    """

    key: str
    default: T
    read: Callable[[str], T]
    write: Callable[[T], str] = str
    shared: Callable[[T], bool] = lambda _: True
    label: str = ""
    limits: tuple[T, T] | None = None


def choice(key: str, options: Iterable[str], default: str, *, label: str = "") -> Setting[str]:
    """Return a setting that is one of some texts; the link writes them in small letters.

    Examples
    --------
    >>> choice("od_flows", ["All zones", "Leaving a zone"], "All zones").write("Leaving a zone")
    'leaving-a-zone'
    """
    known = {_slug(option): option for option in options}
    return Setting(key=key, default=default, read=known.__getitem__, write=_slug, label=label)


def literal(key: str, options: Iterable[L], default: L) -> Setting[L]:
    """Return a setting that is one of some short ids, which stand in the link as they are."""
    known: dict[str, L] = {option: option for option in options}
    return Setting(key=key, default=default, read=known.__getitem__)


def place(key: str, ids: Iterable[str], default: str, *, shared: bool) -> Setting[str]:
    """Return a setting that is an id of the data's own, such as a zone or a day.

    Of another dataset's ids none is known: they give way to the default.
    """
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
        key=key,
        default=default,
        read=lambda text: _within(text, low, high),
        write="{:g}".format,
        limits=(low, high),
    )


def stop(
    key: str,
    stops: Sequence[float],
    default: float,
    *,
    write: Callable[[float], str] = "{:g}".format,
    label: str = "",
) -> Setting[float]:
    """Return a setting that is one of some rising numbers; one between two takes the nearer."""
    return Setting(
        key=key,
        default=default,
        read=lambda text: nearest_stop(_within(text, stops[0], stops[-1]), stops),
        write=write,
        label=label,
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
    return Setting(
        key=key,
        default=default,
        read={"true": True, "false": False}.__getitem__,
        write=lambda value: "true" if value else "false",
    )


def nearest_stop(value: float, stops: Sequence[float]) -> float:
    """Return the stop nearest to a number, by ratio where all are positive.

    Examples
    --------
    >>> nearest_stop(0.37, (0.2, 0.3, 0.5)), nearest_stop(99.0, (0.2, 0.3, 0.5))
    (0.3, 0.5)
    """
    if value <= 0 or min(stops) <= 0:
        return min(stops, key=lambda one: abs(one - value))
    return min(stops, key=lambda one: max(one / value, value / one))


def value(setting: Setting[T]) -> T:
    """Return what a setting is: as set, else as the link says, else its default."""
    kept = session()
    if setting.key not in kept.values:
        text = kept.unread.pop(setting.key, None)
        _remember(setting, setting.default if text is None else _read(setting, text))
    return kept.values[setting.key]


def put(setting: Setting[T], value: T) -> None:
    """Set a setting from code: in a callback, or before its widget is drawn."""
    _remember(setting, value)
    session().drawn_on[setting.key] = None


def forget(keys: Iterable[str] | None = None) -> None:
    """Put settings back to their defaults: those of some keys, or every one."""
    kept = session()
    for key in list({*kept.values, *kept.unread}) if keys is None else list(keys):
        for held in (kept.values, kept.texts, kept.unread):
            held.pop(key, None)
        kept.private.discard(key)
        kept.drawn_on[key] = None


def draw(
    widget: Callable[..., Any],
    label: str,
    setting: Setting[T],
    options: Sequence[T] | Mapping[T, str] | None = None,
    **named: Any,
) -> T:
    """Draw the widget of a setting and return its value.

    Parameters
    ----------
    widget : callable
        Such as ``st.slider`` or ``place.selectbox``.
    options : sequence or mapping, optional
        For widgets that take some, perhaps with the words for each: a value that is not among them
        gives way to the default, or to the first.
    **named
        The widget's own arguments; leave out its value, ``key``, ``on_change``, ``bind`` and
        ``persist_state``.
    """
    if isinstance(options, Mapping):
        named, options = {"format_func": options.__getitem__, **named}, list(options)
    kept, current_page, key = session(), page(), setting.key
    if has_widget(key) and kept.drawn_on.get(key, current_page) == current_page:
        _remember(setting, widget_value(key))
    current = value(setting)
    if options is not None and current not in options:
        current = setting.default if setting.default in options else options[0]
        _remember(setting, current)
    moved = kept.drawn_on.get(key, current_page) != current_page
    if moved or not has_widget(key) or widget_value(key) != current:
        set_widget(key, current)
    arguments = {"on_change": _take, "args": (setting,), **_limits(widget, setting), **named}
    if options is not None:
        arguments["options"] = options
    # Told twice: the browser makes a widget it has missed the first telling of from its own start.
    arguments |= _start(widget, current, options)
    drawn = widget(label, key=key, **arguments)
    kept.drawn_on[key] = current_page
    return drawn


def following(setting: Setting[T]) -> Setting[T]:
    """Return a setting whose default is another one's value, as it is until a person chooses."""
    if value(setting) != setting.default and setting.key not in session().texts:
        put(setting, setting.default)
    return setting


def views(
    key: str,
    options: Sequence[str] | Mapping[str, str],
    default: str = "",
    *,
    label: str = "View",
    place: Any = st,
) -> str:
    """Draw the switch between the views of a page, or of a part of it; return the one chosen.

    Without a `default` the first opens.
    """
    return draw(
        place.segmented_control,
        label,
        choice(key, options, default or next(iter(options))),
        options,
        label_visibility="collapsed",
    )


def link() -> dict[str, str]:
    """Return what the link says: every setting that is not at its default, on whatever page."""
    kept = session()
    return dict(sorted({**kept.unread, **kept.texts}.items()))


def adopt(texts: dict[str, str]) -> None:
    """Take all settings from a link; what it does not name goes back to its default.

    Values that no link can hold, such as a dataset of one's own, stay as they are.
    """
    kept = session()
    forget(key for key in list({*kept.values, *kept.unread}) if key not in kept.private)
    known = {
        key: text
        for key, text in map(_renamed, texts.items())
        if _KEY.fullmatch(key) and len(text) <= LONGEST_TEXT and key not in kept.private
    }
    kept.unread = dict(list(known.items())[:_MOST_UNREAD])


def _renamed(said: tuple[str, str]) -> tuple[str, str]:
    """Return a key and text of a link as they are called now."""
    key, text = said
    key, _, text = RENAMED.get(f"{key}={text}", f"{RENAMED.get(key, key)}={text}").partition("=")
    return key, text


def _take(setting: Setting[Any]) -> None:
    """Keep what a person has just set (a callback)."""
    _remember(setting, widget_value(setting.key))


def _remember(setting: Setting[T], value: T) -> None:
    kept = session()
    kept.values[setting.key] = value
    kept.unread.pop(setting.key, None)
    kept.texts.pop(setting.key, None)
    kept.private.discard(setting.key)
    if not setting.shared(value):
        kept.private.add(setting.key)
    elif value != setting.default:
        kept.texts[setting.key] = setting.write(value)


def _kind(widget: Callable[..., Any]) -> str:
    return (widget.func if isinstance(widget, partial) else widget).__name__


def _limits(widget: Callable[..., Any], setting: Setting[Any]) -> dict[str, Any]:
    """Return the least and the most that a field of a number offers, where it is not told."""
    if setting.limits is None or _kind(widget) not in ("number_input", "slider"):
        return {}
    given = widget.keywords if isinstance(widget, partial) else {}
    least, most = setting.limits
    return {"min_value": least, "max_value": most} | given


def _start(
    widget: Callable[..., Any], current: Any, options: Sequence[Any] | None
) -> dict[str, Any]:
    """Return the argument by which a kind of widget is told where it starts."""
    kind = _kind(widget)
    if kind in ("selectbox", "radio"):
        return {"index": list(options or ()).index(current)}
    if kind == "segmented_control":  # one of them is always chosen
        return {"default": current, "required": True}
    if kind in ("pills", "multiselect"):
        return {"default": current}
    return {"value": current}


def _read(setting: Setting[T], text: str) -> T:
    try:
        read = setting.read(text)
    except (ValueError, KeyError):
        if setting.label:
            session().notices.append(
                f"The link asks for {setting.label} = {text}, which cannot be set; "
                f"{setting.write(setting.default)} is taken."
            )
        return setting.default
    taken = setting.write(read)
    if setting.label and not _same(text, taken):
        session().notices.append(
            f"The link asks for {setting.label} = {text}; the nearest stop, {taken}, is taken."
        )
    return read


def _within(text: str, low: float, high: float) -> float:
    value = float(text)
    if not low <= value <= high:  # neither is NaN
        raise ValueError(text)
    return value


def _slug(text: str) -> str:
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-")


def _same(text: str, taken: str) -> bool:
    try:
        return float(text) == float(taken)
    except ValueError:
        return text == taken
