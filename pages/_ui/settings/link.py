"""The link: what is set, read when a session begins or Back is pressed, and written."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from engine import parameters
from engine.text.numbers import make_inert
from pages._ui.app import streamlit_internals
from pages._ui.app.session import session
from pages._ui.app.streamlit_internals import is_history_run, page_id
from pages._ui.settings import fields, offers
from pages._ui.settings.fields import DEFAULTS, FIELDS, FIELDS_BY_KEY, LINK_VERSION, NAMES

_OLD_VALUES = {
    ("od_time", "period"): "whole",
    ("report_preset", "Ask nothing twice"): "derived",
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

_OLD_KEYS = {("density_map_view", "Error"): ("second_map", "difference")}
"""Keys of shared links, with a value, that are another key now."""


def read_link() -> None:
    """Set what the link says: when a session begins, and after Back or Forward.

    At the beginning a link of an earlier version sets the defaults of then where it says nothing.
    """
    memo, values, is_back = session(), st.session_state, is_history_run()
    if memo.page != page_id():  # the browser has new widgets, which would show defaults
        values.update({key: values[key] for key in (*FIELDS_BY_KEY, *NAMES) if key in values})
        if not is_back:  # its link is cut, and what that was left with before is not what it means
            memo.values_by_link.pop((page_id(),), None)
    if memo.is_link_read and not is_back:
        write_link()
        return
    texts: dict[str, Any] = st.query_params.to_dict()
    version = texts.get("v", "1") if texts else LINK_VERSION  # a plain address is no link
    if not memo.is_link_read and version not in DEFAULTS:
        raw = f"The link has v = {make_inert(version)}, which is not known."
        memo.notices.append(f"{raw} It is read with v = {LINK_VERSION}.")
    elif not memo.is_link_read and version != LINK_VERSION:
        values.update(offers.default_values(version))
    for (old_key, text), (key, value) in _OLD_KEYS.items():
        if st.query_params.get(old_key) == text:
            values[key] = value
            del st.query_params[old_key]
    for field in FIELDS:
        raw = st.query_params.get_all(field.key)
        if not raw:
            continue
        parsed = field.read_all([_OLD_VALUES.get((field.key, text), text) for text in raw])
        if parsed is None:
            wish = make_inert(", ".join(raw))
            memo.notices.append(
                f"The link sets {field.key} = {wish}, which is not a valid "
                "value. The default is used."
            )
            if isinstance(field, fields.MultiField):  # its widget would take what it can read
                del st.query_params[field.key]
            continue
        values[field.key] = parsed
        if isinstance(field, fields.MultiField):
            texts[field.key] = field.write(parsed)
            if list(texts[field.key]) != raw:  # its widget reads no ids
                st.query_params[field.key] = texts[field.key]
    for key in NAMES:  # datasets first: they have the zones
        options = offers.choices(key)
        raw = [option for option in options if texts.get(key) in (option, options[option])]
        if raw and offers.is_linkable(key, raw[0]):
            values[key] = raw[0]
        elif key in texts and not raw:
            memo.notices.append(
                f"The link names {key} = {make_inert(texts[key])}, which is not available "
                "here. The default is used."
            )
        if key in texts and not offers.is_linked(key):
            del st.query_params[key]
    here = {key: text for key, text in texts.items() if key in FIELDS_BY_KEY or key in NAMES}
    if is_back:  # the link of another page may be cut; what it does not say stays as it is
        values.update(memo.values_by_link.get((page_id(), *sorted(here.items())), {}))
        write_link(anew=True)
    else:  # Back leads to what a session opened on, however its link was written
        for link in (here, link_texts()):
            memo.values_by_link[page_id(), *sorted(link.items())] = offers.read_values()
    memo.is_link_read = True


def link_texts() -> dict[str, str | tuple[str, ...]]:
    """Return the texts of a link to the current settings, by key."""
    values = st.session_state
    texts = {
        field.key: field.write(values[field.key])
        for field in FIELDS
        if field.key in values and fields.value(field) != field.default
    }
    for key in NAMES:
        if key in values and offers.is_linked(key) and not offers.is_default(key):
            label = offers.choices(key).get(values[key])
            if label is not None:
                texts[key] = label
    return texts


def write_link(*, stale: Iterable[str] = (), anew: bool = False) -> None:
    """Write what is set into the link of another page, which drops it; all in one step of Back."""
    owned = (*FIELDS_BY_KEY, *NAMES)  # any other key its widget writes
    stale = {key for key in stale if key in owned or not streamlit_internals.is_bound(key)}
    texts = link_texts()
    if texts or st.query_params.keys() - stale:  # a plain address stays one until something is set
        texts["v"] = LINK_VERSION
    # where a key goes, its widget would go back to its default
    streamlit_internals.write_query(texts, stale=stale, anew=anew or bool(stale))


def release_link() -> None:
    """Write the link at the end of a run, and let go of it: else what no page draws is taken out.

    Streamlit takes out what a widget was bound to that the next run does not draw, in a step of
    Back of its own; the browser goes on writing what is moved.
    """
    stale = [key for key in NAMES if key in st.query_params and not offers.is_linked(key)]
    stale += ["v"] if st.query_params.get("v", LINK_VERSION) != LINK_VERSION else []
    write_link(stale=stale)
    if st.query_params:  # hidden: a browser takes to the next page only what a widget is bound to
        st.session_state["v"] = LINK_VERSION
        st.text_input("Version of the link", key="v", bind="query-params")
    streamlit_internals.unbind((*FIELDS_BY_KEY, *NAMES, "v"))
