"""What a page says, what its address holds and what its session keeps, as tests read it."""

import html
import re
from typing import TypeVar

import pandas as pd
from streamlit.testing.v1 import AppTest

from engine.text.numbers import WORD_JOINER

S = TypeVar("S")

_KINDS = ("markdown", "caption", "warning", "info", "error", "success", "subheader", "title")


def html_of(app: AppTest) -> str:
    """All that is drawn as HTML, but for styles."""
    bodies = [element.proto.body for element in app.main.get("html")]
    return "\n".join(body for body in bodies if "<style>" not in body)


def bodies(app: AppTest) -> list[str]:
    """Each piece of HTML on the page and beside it, as it is read."""
    return [html.unescape(element.proto.body) for element in app.get("html")]


def text(app: AppTest) -> str:
    """All words of the page."""
    parts = [str(part.value) for kind in _KINDS for part in app.main.get(kind)]
    return "\n".join([*map(plain, parts), html_of(app)])


def plain(markdown: str) -> str:
    """Return Markdown as it is read, where a text in it was made inert."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown).replace(WORD_JOINER, "")


def numbers(app: AppTest) -> dict[str, list[str]]:
    """Return the numbers of the table of measures by label: of flows and of the density."""
    (body,) = (body for body in bodies(app) if 'class="numbers"' in body)
    if "<caption>" in body:  # side by side under their labels
        labels = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', body)
        values = [re.sub("<.*?>", "", one) for one in re.findall(r"<td[^>]*>(.*?)</td>", body)]
        return {label: [value] for label, value in zip(labels, values, strict=True)}
    rows = re.findall(r'<th scope="row"[^>]*>(.*?)</th>(.*?)</tr>', body)
    return {
        label: [re.sub("<.*?>", "", one) for one in re.findall(r"<td[^>]*>(.*?)</td>", cells)]
        for label, cells in rows
    }


def tables(app: AppTest) -> list[pd.DataFrame]:
    """Return the plain tables of a page from top to bottom, all texts."""
    written = [element.proto.body for element in app.get("html")]
    plain = [body for body in written if body.startswith('<div class="plain"')]
    return [_table(body) for body in plain if 'class="numbers"' not in body]


def _table(body: str) -> pd.DataFrame:
    lines = re.findall(r"<tr>(.*?)</tr>", body)
    cells = [[html.unescape(one) for one in re.findall(r"<t[hd]>(.*?)</t", line)] for line in lines]
    return pd.DataFrame(cells[1:], columns=cells[0])


def advice(app: AppTest) -> list[tuple[str, str]]:
    """Return what is recommended: how it is judged, and in words."""
    found = re.findall(
        r'class="advice (\w+)" role="status"[^>]*>(.*?)</div>', "\n".join(bodies(app))
    )
    return [(level, re.sub(r"<[^>]+>", "", words)) for level, words in found]


def settings_of(app: AppTest) -> dict[str, object]:
    """Return value by key of what can be set."""
    return {one.key: one.value for one in (*app.selectbox, *app.select_slider, *app.toggle)}


def link_of(app: AppTest) -> dict[str, str]:
    """Return what the address holds: texts by key."""
    return {key: "".join(texts) for key, texts in app.query_params.items()}


def held(app: AppTest, kind: type[S]) -> S:
    """Return what a page's package keeps in its session by a class of its own."""
    pages: dict[type, S] = app.session_state["session"].page_states
    return pages.setdefault(kind, kind())
