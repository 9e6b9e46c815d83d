"""The frame around every page: title, navigation, banners and style."""

from collections.abc import Callable, Iterable
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._ui.shell import address, crowd, ended, local, problems, public, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import page, session
from pages._ui.shell.settings import use_settings
from pages._ui.wording.datasets import (
    CONFIDENTIAL_BANNER,
    NO_DATASET,
    NOT_A_RELEASE,
    PARTS,
    SIMULATED_BANNER,
)
from pages._ui.wording.numbers import joined

PRODUCT = "Mobility Privacy Explorer"
ROOT = Path(__file__).parents[3]
GROUPS = {
    "Explore": {
        "app.py": ("Home", ":material/home:"),
        "pages/1_Density.py": ("Density", ":material/grid_on:"),
        "pages/2_Origin_Destination.py": ("Origin–destination", ":material/swap_calls:"),
    },
    "Decide": {
        "pages/3_Choose_Epsilon.py": ("Choose ε", ":material/tune:"),
        "pages/4_Decisions.py": ("Decisions", ":material/balance:"),
    },
    "Publish": {
        "pages/6_Report.py": ("Report", ":material/description:"),
        "pages/7_Release.py": ("Release", ":material/outbox:"),
    },
    "Data": {"pages/8_Data.py": ("Data", ":material/database:")},
}
"""The pages across the top, by group; one that is not part of this version is left out."""

PAGES = {path: words for group in GROUPS.values() for path, words in group.items()}
_STYLE = Path(__file__).with_name("style.css")
_ICON = Path(__file__).with_name("favicon.svg")


def show(draw: Callable[[], None], title: str, lead: str = "") -> None:
    """Show a page: its frame, then what `draw` draws; a failure is said in words under the title.

    Parameters
    ----------
    draw : callable
        Draws the settings and everything under the title.
    title : str
        Heading of the page; home passes the product's name.
    lead : str
        One sentence under it in plain words.
    """
    ended.note()
    if not local.session_admitted():
        st.error(local.NOT_ADMITTED, icon=":material/lock:")
        return
    with crowd.turn() as busy:
        _open(title)
        _head(title, lead)
        if busy:
            st.html(f'<div class="busy" role="status">{crowd.BUSY}</div>')
        place = st.container(key="problem")
        if public.refused(_file()):
            place.error(public.REFUSED, icon=":material/lock:")
            return
        session().stands_in, session().real_shown = None, set()
        with problems.caught(place):
            draw()


def _open(title: str) -> None:
    tab = title if title == PRODUCT else f"{title} · {PRODUCT}"
    st.set_page_config(
        page_title=tab,
        page_icon=str(_ICON),  # a Material icon would be fetched from the network
        layout="wide",
        initial_sidebar_state="auto",  # on a phone it would cover the page
    )
    st.html(_STYLE)
    address.read()


def _head(title: str, lead: str) -> None:
    _navigation()
    st.title(title, anchor=False)
    if lead:
        st.caption(lead)


def _navigation() -> None:
    """Draw the pages in groups across the top; every link carries the settings."""
    texts = setting.link()
    with st.container(horizontal=True, gap="medium", key="navigation"):
        for group, pages in GROUPS.items():
            present = {path: words for path, words in pages.items() if exists(path)}
            if not present:
                continue
            with st.container(horizontal=True, gap="xxsmall", width="content"):
                if len(pages) > 1:
                    st.html(f'<span class="group">{group}</span>', width="content")
                for path, (label, icon) in present.items():
                    st.page_link(path, label=label, icon=icon, query_params=texts, width="content")


def path() -> str:
    """Return the path of the page that is running, such as ``pages/1_Density.py``."""
    return next((path for path in PAGES if Path(path).name == _file()), "app.py")


def _file() -> str:
    """Return the name of the file of the page that is running."""
    context = get_script_run_ctx(suppress_warning=True)
    known = {} if context is None else context.pages_manager.get_pages()
    return Path(known.get(page(), {}).get("script_path", "")).name


def exists(path: str) -> bool:
    """Whether a page is part of this version, and of this server."""
    return (ROOT / path).is_file() and not public.refused(Path(path).name)


def link(path: str, label: str) -> None:
    """Draw a link to another page that keeps the settings; nothing where the page is absent."""
    if exists(path):
        st.page_link(path, label=label, icon=PAGES[path][1], query_params=setting.link())


def banners(entries: Iterable[Entry | None]) -> None:
    """Say whose data the page shows, by dataset: simulated people, or confidential data."""
    used = {entry.name: entry for entry in entries if entry is not None}
    if not used:
        return
    real = [name for name, entry in used.items() if not entry.metadata.simulated]
    session().real_shown.update(real)
    if real:
        st.warning(f"{CONFIDENTIAL_BANNER} Dataset: {joined(real)}.", icon=":material/lock:")
    names = [name for name, entry in used.items() if entry.metadata.simulated]
    text = f"**{SIMULATED_BANNER}** ({joined(names)}). " if names else ""
    st.caption(f"{text}{NOT_A_RELEASE}")


def missing(entry: Entry | None, part: str, offer: Entry | None, key: str) -> None:
    """Say that a dataset lacks a part (``density`` or ``trips``) and offer one that has it.

    Parameters
    ----------
    entry : Entry or None
        The dataset picked.
    offer : Entry or None
        A dataset that has the part.
    key : str
        Setting key of the picker, ``density_data`` or ``od_data``.
    """
    if entry is None:
        st.info(NO_DATASET)
        return
    st.info(f"The dataset {entry.name} has no {PARTS[part]}.")
    if offer is not None:
        st.button(
            f"Use {offer.name} instead",
            key=f"missing_{key}",
            on_click=use_settings,
            kwargs={key: offer.name},
        )
