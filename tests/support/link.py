"""What the address of a page holds, and what its session keeps."""

from typing import TypeVar

from streamlit.testing.v1 import AppTest

S = TypeVar("S")


def link_of(app: AppTest) -> dict[str, str]:
    """Return what the address holds: texts by key."""
    return {key: "".join(texts) for key, texts in app.query_params.items()}


def held(app: AppTest, kind: type[S]) -> S:
    """Return what a page's package keeps in its session by a class of its own."""
    pages: dict[type, S] = app.session_state["session"].pages
    return pages.setdefault(kind, kind())
