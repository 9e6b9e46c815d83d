"""What a page says, as tests read it."""

import html

from streamlit.testing.v1 import AppTest

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
    return "\n".join([*parts, html_of(app)])


def figures(app: AppTest) -> list[str]:
    """The large numbers of the cards."""
    return [part.split("</span>")[0] for part in html_of(app).split('<span class="value">')[1:]]
