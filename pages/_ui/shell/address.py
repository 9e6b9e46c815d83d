"""The address of the page holds the settings: read at the start and after Back, written always.

Whoever writes it stands in the browser, and also says how wide the page is.

The entry of the browser's history at hand is replaced, so that one press of Back leads to the page
before; ``st.query_params`` would add one for every move of a slider. Streamlit's ``bind`` replaces
it as well, but writes whatever is set, also the name of a dataset of one's own, and drops without a
word what it cannot take.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages._ui.shell.session import came_by_history, session
from pages._ui.shell.setting import adopt, link

_SCRIPT = """
export default function ({ data, setStateValue }) {
  // a map is fitted to the page's width, which only the browser knows
  const narrow = window.innerWidth <= 640;
  if (narrow !== data.narrow) setStateValue("narrow", narrow);
  const last = window.location.pathname.split("/").filter(Boolean).pop() ?? "";
  const here = data.pages.includes(last) ? last : "";
  const search = data.query ? "?" + data.query : "";
  // a page that is being left must not write on the next one's address
  if (here === data.page && search !== window.location.search) {
    window.history.replaceState(window.history.state, "", window.location.pathname + search);
  }
}
"""


def read() -> None:
    """Take the settings of the address: when a session begins and after Back or Forward."""
    kept = session()
    if kept.adopted and not came_by_history():
        return
    texts = {key: str(text) for key, text in st.query_params.to_dict().items()}
    if not kept.adopted or texts != link():
        adopt(texts)
    kept.adopted = True


def write(path: str, pages: list[str]) -> None:
    """Write all settings into the address of the page `path`, one of `pages`."""
    kept = session()
    answer = _component()(
        key="address",
        height=0,
        on_narrow_change=lambda: None,  # without one the browser's word does not come back
        data={
            "narrow": kept.narrow,
            "query": urlencode(link()),
            "page": url_name(path),
            "pages": [name for name in map(url_name, pages) if name],
        },
    )
    if answer.get("narrow") is not None:
        kept.narrow = bool(answer["narrow"])


def url_name(path: str) -> str:
    """Return the last part of a page's address.

    Examples
    --------
    >>> url_name("pages/2_Origin_Destination.py"), url_name("app.py")
    ('Origin_Destination', '')
    """
    return "" if path == "app.py" else re.sub(r"^\d+_", "", Path(path).stem)


@cache
def _component() -> Any:
    return st.components.v2.component("mobility_address", html="<i></i>", js=_SCRIPT)
