"""What the tests of the page Report share."""

import re

from streamlit.testing.v1 import AppTest


def texts(app: AppTest) -> str:
    """Return every sentence of the page, without its marks."""
    shown = [*app.markdown, *app.caption, *app.info, *app.error, *app.warning]
    bodies = [re.sub(r"<[^>]+>", "", one.proto.body) for one in app.get("html")]
    return "\n".join([*(one.value for one in shown), *bodies])
