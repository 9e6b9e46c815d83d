"""Tables: plain where a glance is enough, to sort and search where numbers are many."""

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

LONG = 6
"""From so many rows on a table of numbers can be sorted and searched."""

_HEIGHT_PX = 440


@dataclass(frozen=True)
class Column:
    """One column: its values, and how a number of it is written."""

    values: Sequence[Any]
    words: Callable[[Any], str] | None = None


def draw(columns: Mapping[str, Column | Sequence[Any]], *, key: str = "table") -> None:
    """Draw columns of equal length under their names, which hold the units."""
    whole = {n: one if isinstance(one, Column) else Column(one) for n, one in columns.items()}
    texts = {
        name: [column.words(value) if column.words else value for value in column.values]
        for name, column in whole.items()
    }
    writers = {name: column.words for name, column in whole.items() if column.words}
    if len(next(iter(texts.values()))) < LONG or not writers:
        st.html(table_html(texts))
        return
    import pandas as pd  # home has plain tables only

    frame = pd.DataFrame({name: list(column.values) for name, column in whole.items()})
    styled = frame.style.format(dict[Any, Any](writers))
    tall = min(_HEIGHT_PX, 36 * (len(frame) + 1))
    st.dataframe(styled, key=key, hide_index=True, height=tall)


def rows(heads: Sequence[str], lines: Sequence[Sequence[Any]]) -> None:
    """Draw a plain table line by line."""
    draw(dict(zip(heads, zip(*lines, strict=True), strict=True)))


def table_html(columns: Mapping[str, Sequence[object]]) -> str:
    """Return columns of equal length as one plain table; everything is shown as text.

    Examples
    --------
    >>> table_html({"Zone": ["<b>"]})  # doctest: +ELLIPSIS
    '<div class="plain"><table>...<th>Zone</th>...<td>&lt;b&gt;</td>...</table></div>'
    """
    head = _row("th", columns)
    body = "".join(_row("td", row) for row in zip(*columns.values(), strict=True))
    return f'<div class="plain"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def _row(kind: str, values: Iterable[object]) -> str:
    cells = "".join(f"<{kind}>{html.escape(str(value))}</{kind}>" for value in values)
    return f"<tr>{cells}</tr>"
