"""The frame around every page: navigation, settings, title, banners and style."""

import gc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import streamlit as st

from pages._ui import state
from pages._ui.shell import catalogue, crowd, ended, problems, sidebar
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.local import public
from pages._ui.shell.session import page as shown, session
from pages._ui.wording import datasets
from pages._ui.wording.numbers import joined

PRODUCT = "Mobility Privacy Explorer"
HOME, DATA = "pages/0_Home.py", "pages/8_Data.py"
PAGES = {
    HOME: "Home",
    "pages/1_Density.py": "Density",
    "pages/2_Origin_Destination.py": "Origin–destination",
    "pages/3_Choose.py": "Choose",
    "pages/4_Decisions.py": "Decisions",
    "pages/6_Report.py": "Report",
    "pages/7_Release.py": "Release",
    DATA: "Data",
}
"""The pages: to explore, to decide, to publish, and their data."""

NOT_PUBLIC = ("pages/7_Release.py", DATA)
"""Pages that a public server does not have."""

_STYLE = Path(__file__).with_name("style.css")
_ICON = Path(__file__).with_name("favicon.svg")


def navigation() -> list[Any]:
    """Return the pages of this server as ``st.navigation`` takes them."""
    return [  # an icon would be asked of the network, to stand on the tab
        st.Page(path, title=title, default=path == HOME)
        for path, title in PAGES.items()
        if exists(path)
    ]


def run(page: Any) -> None:
    """Run a page with what stands around it; a failure is said in words under the navigation."""
    path = next(path for path, title in PAGES.items() if title == page.title)
    ended.note()
    with crowd.turn() as busy:
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
            st.html(f'<div class="busy" role="status">{crowd.BUSY}</div>')
        with problems.caught(st.container(key="problem")):
            session().installed = catalogue.shared()  # a run looks at the disk once
            session().shown.clear()
            session().said = ""
            state.start()
            if path != DATA:  # beside a file they mean nothing
                sidebar.draw(path)
            page.run()
            state.keep_link()  # what a link said by id its widgets have taken out of it
            session().told = shown()
    for notice in session().notices:
        st.toast(notice, icon=":material/link:")
    session().notices.clear()


def show(draw: Callable[[], None], title: str, lead: str) -> None:
    """Show what a page draws under its title and one sentence in plain words."""
    st.title(title, anchor=False)
    st.caption(lead)
    draw()


def exists(path: str) -> bool:
    """Whether a page is part of this server."""
    return not (public() and path in NOT_PUBLIC)


def link(path: str, label: str, **query: str) -> None:
    """Draw a link to another page, or to a view of it; nothing where the page is absent."""
    if exists(path):
        st.page_link(path, label=label, query_params={**query, "v": state.LINK_VERSION})


def banners(entries: Iterable[Entry | None], note: str = datasets.NOT_A_RELEASE) -> None:
    """Say whose data the page shows, by dataset: simulated people, or confidential data."""
    used = {entry.name: entry for entry in entries if entry is not None}
    if not used:
        return
    session().shown.update(used)
    real = [name for name, entry in used.items() if not entry.metadata.simulated]
    if real:
        st.warning(
            f"{datasets.CONFIDENTIAL_BANNER} Dataset: {joined(real)}.", icon=":material/lock:"
        )
    names = [name for name, entry in used.items() if entry.metadata.simulated]
    text = f"**{datasets.SIMULATED_BANNER}** ({joined(names)}). " if names else ""
    st.caption(f"{text}{note}")


def missing(entry: Entry | None, part: str) -> None:
    """Say that a dataset lacks a part (``density`` or ``trips``) and offer one that has it."""
    if entry is None:
        st.info(datasets.NO_DATASET)
        return
    st.info(f"The dataset {entry.name} has no {datasets.PARTS[part]}.")
    other = state.preferred(catalogue.entries().values(), part)
    if other is not None:
        offer(part, other)


def offer(part: str, entry: Entry) -> None:
    """Offer another dataset for a part, on every page."""
    label, key = f"Use {entry.name} instead", state.DATA[part]
    st.button(label, key=f"missing_{key}", on_click=state.put, kwargs={key: entry.name})


# modules alone, before any session has data: else every full collection looks through them
gc.freeze()
