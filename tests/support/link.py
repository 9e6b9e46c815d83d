"""What the links across the top of a page carry."""

from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest


def link_of(app: AppTest) -> dict[str, str]:
    """Return the settings that every link of the page holds."""
    queries = {element.proto.query_string for element in app.get("page_link")}
    assert len(queries) == 1, queries
    return dict(parse_qsl(queries.pop()))
