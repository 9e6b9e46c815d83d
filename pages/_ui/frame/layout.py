"""The frame around every page: navigation, settings, title, banners and style."""

import gc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import streamlit as st

from engine.text import dataset_text
from engine.text.numbers import join_words, make_inert
from pages._ui.app import catalogue, error_pages, parallel, session_limit, shutdown
from pages._ui.app.catalogue import Entry
from pages._ui.app.session import session
from pages._ui.app.streamlit_internals import page_id
from pages._ui.frame import setting_row, sidebar, undo_bar
from pages._ui.frame.page_table import DATA, HOME, PAGES, has_page
from pages._ui.settings import current, fields, link, offers

PRODUCT = "Mobility Privacy Explorer"
_STYLE = Path(__file__).with_name("style.css")
_ICON = Path(__file__).with_name("favicon.svg")


def list_pages() -> list[Any]:
    """Return the pages of this server as ``st.navigation`` takes them."""
    return [  # an icon would be asked of the network, to stand on the tab
        st.Page(path, title=page.title, default=path == HOME)
        for path, page in PAGES.items()
        if has_page(path)
    ]


def run_page(page: Any) -> None:
    """Run a page with what stands around it; a failure is said in words under the navigation."""
    path = next(path for path, row in PAGES.items() if row.title == page.title)
    shutdown.note_session()
    with session_limit.take_turn() as busy:
        tab = PRODUCT if path == HOME else f"{page.title} · {PRODUCT}"
        st.set_page_config(
            page_title=tab,
            page_icon=str(_ICON),  # a Material icon would be fetched from the network
            layout="wide",
            # home is one screen; elsewhere it stands open, but on a phone, which it would cover
            initial_sidebar_state="collapsed" if path == HOME else "auto",
        )
        st.html(_STYLE)
        if busy:
            st.html(f'<div class="busy" role="status">{session_limit.BUSY_NOTE}</div>')
        with error_pages.catch_errors(st.container(key="problem")):
            session().shared_entries = catalogue.shared_entries()  # a run looks at the disk once
            session().shown_entries.clear()
            session().stamp = ""
            session().waiting_jobs.clear()
            link.read_link()
            undo_bar.draw()
            if path != DATA:  # beside a file they mean nothing
                sidebar.draw(path)
                setting_row.draw(path)
            page.run()
            for number, job in enumerate(session().waiting_jobs.values()):
                parallel.draw_live(f"utility_{number}", job, lambda *_: None)
            link.release_link()  # what a link said by id its widgets have taken out of it
            session().page = page_id()
    for notice in session().notices:
        st.toast(notice, icon=":material/link:")
    session().notices.clear()


def show_page(draw: Callable[[], None], title: str, lead: str = "") -> None:
    """Show what a page draws under its title and one sentence in plain words."""
    with st.container(key="head"):
        st.title(title, anchor=False)
        if lead:
            st.caption(lead)
    draw()


def draw_link(path: str, label: str, **query: str) -> None:
    """Draw a link to another page, or to a view of it; nothing where the page is absent."""
    if has_page(path):
        st.page_link(path, label=label, query_params={**query, "v": fields.LINK_VERSION})


def draw_banners(
    entries: Iterable[Entry | None], note: str = dataset_text.NOT_A_RELEASE, *, lead: str = ""
) -> None:
    """Draw whose data the page shows, by dataset, after a page's `lead` if it has no other."""
    used = {entry.name: entry for entry in entries if entry is not None}
    if not used:
        return
    session().shown_entries.update(used)
    real = [make_inert(name) for name, entry in used.items() if not entry.metadata.simulated]
    if real:
        st.warning(
            f"{dataset_text.CONFIDENTIAL_BANNER} Dataset: {join_words(real)}.",
            icon=":material/lock:",
        )
    names = [make_inert(name) for name, entry in used.items() if entry.metadata.simulated]
    text = f"**{dataset_text.SIMULATED_BANNER}** ({join_words(names)}). " if names else ""
    st.caption(f"{lead} {text}{note}".strip())


def explain_missing(entry: Entry | None, part: str) -> None:
    """Draw the note that a dataset lacks a part, with an offer of one that has it."""
    if entry is None:
        st.info(dataset_text.NO_DATASET)
        return
    st.info(f"The dataset {make_inert(entry.name)} has no {dataset_text.PART_NOUNS[part]}.")
    substitute = offers.preferred_entry(catalogue.entries().values(), part)
    if substitute is not None:
        offer_dataset(part, substitute)


def offer_dataset(part: str, entry: Entry) -> None:
    """Offer another dataset for a part, on every page."""
    label, key = f"Switch to {make_inert(entry.name)}", fields.DATASET_KEYS[part]
    st.button(label, key=f"missing_{key}", on_click=current.set_values, kwargs={key: entry.name})


# modules alone, before any session has data: else every full collection looks through them
gc.freeze()
