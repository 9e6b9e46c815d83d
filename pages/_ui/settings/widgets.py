"""Widgets of fields and pickers, each the same one on every page."""

from collections.abc import Sequence
from typing import Any, TypeVar

import streamlit as st

from engine.text.labels import HELP
from pages._ui.app.streamlit_internals import app_wide_context
from pages._ui.settings import fields, offers
from pages._ui.settings.fields import LINKED, PARTS_BY_KEY, PERSIST, ZONE_KEYS

T = TypeVar("T")


def draw(
    field: fields.Field[T], *, widget: str = "", options: Sequence[T] | None = None, **look: Any
) -> T:
    """Draw the widget of a field and return its value."""
    look = {"help": HELP.get(field.key), "label": field.label, **LINKED, **look}
    menu = field.options if options is None else options
    if isinstance(field, fields.MultiField):
        kind = "multiselect"
    else:
        default = field.default if field.default in menu else menu[0]
        if fields.value(field) not in menu:
            st.session_state[field.key] = default
        kind = "toggle" if isinstance(field.default, bool) else "select_slider"
        kind = widget or ("selectbox" if isinstance(field.default, str) else kind)
        if kind == "selectbox":
            look["index"] = list(menu).index(default)
        elif kind == "segmented_control":
            look |= {"default": default, "required": True}
        else:
            look["value"] = default
    if kind != "toggle":
        look |= {"options": menu, "format_func": field.to_text}
    with app_wide_context():
        return getattr(st, kind)(key=field.key, **look)


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


def pick(key: str, label: str, *, help: str | None = None) -> str:
    """Draw the picker of one of `NAMES` and return what is picked."""
    words, part = offers.choices(key), PARTS_BY_KEY[key]
    source = offers.entry_for(part)
    now = offers.level(part) if key == ZONE_KEYS[part] else "" if source is None else source.name
    if st.session_state.get(key) != now:
        st.session_state[key] = now
    default = offers.default_name(key)
    with app_wide_context():
        return st.selectbox(
            label,
            list(words),
            index=list(words).index(default if default in words else now),
            format_func=words.__getitem__,
            key=key,
            help=help,
            **(LINKED if offers.is_linked(key) else PERSIST),
        )
