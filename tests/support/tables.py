"""The plain tables that a page shows."""

import html
import re
from typing import Any

import pandas as pd


def shown(app: Any) -> list[pd.DataFrame]:
    """Return the plain tables of a page from top to bottom, all texts."""
    bodies = [element.proto.body for element in app.get("html")]
    return [read(body) for body in bodies if body.startswith('<div class="plain"')]


def read(body: str) -> pd.DataFrame:
    """Return a table that is written in HTML."""
    lines = re.findall(r"<tr>(.*?)</tr>", body)
    cells = [[html.unescape(one) for one in re.findall(r"<t[hd]>(.*?)</t", line)] for line in lines]
    return pd.DataFrame(cells[1:], columns=cells[0])
