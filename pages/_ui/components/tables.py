"""Plain tables, which scroll by themselves where they are long."""

import html
from collections.abc import Iterable, Mapping, Sequence

import streamlit as st


def draw(columns: Mapping[str, Sequence[object]]) -> None:
    """Draw columns of equal length under their names, which hold the units."""
    st.html(table_html(columns))


def draw_rows(heads: Sequence[str], lines: Sequence[Sequence[object]]) -> None:
    """Draw a table line by line."""
    draw(dict(zip(heads, zip(*lines, strict=True), strict=True)))


def table_html(columns: Mapping[str, Sequence[object]]) -> str:
    """Return columns of equal length as one plain table; everything is shown as text.

    >>> table_html({"Zone": ["<b>"]})  # doctest: +ELLIPSIS
    '<div class="plain" tabindex="0"><table>...<th>Zone</th>...<td>&lt;b&gt;</td>...</table></div>'
    """
    head = _row_html("th", columns)
    body = "".join(_row_html("td", row) for row in zip(*columns.values(), strict=True))
    return (
        f'<div class="plain" tabindex="0"><table><thead>{head}</thead><tbody>{body}</tbody>'
        "</table></div>"
    )


def _row_html(kind: str, values: Iterable[object]) -> str:
    cells = "".join(f"<{kind}>{html.escape(str(value))}</{kind}>" for value in values)
    return f"<tr>{cells}</tr>"
