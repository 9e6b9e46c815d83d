"""What the links across the top of a page carry."""

from typing import TypeVar
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

S = TypeVar("S")


def link_of(app: AppTest) -> dict[str, str]:
    """Return the settings that every link of the page holds."""
    queries = {element.proto.query_string for element in app.get("page_link")}
    assert len(queries) == 1, queries
    return dict(parse_qsl(queries.pop()))


def held(app: AppTest, kind: type[S]) -> S:
    """Return what a page's package keeps in its session by a class of its own."""
    pages: dict[type, S] = app.session_state["session"].pages
    return pages.setdefault(kind, kind())
