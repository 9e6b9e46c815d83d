"""Plain tables, which scroll by themselves where they are long."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import streamlit as st


class Cell(NamedTuple):
    """A number as text, with a small note beside it and its meaning on hover."""

    value: str
    note: str = ""
    meaning: str = ""


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


def number_table_html(heads: Sequence[Cell], rows: Iterable[tuple[str, Sequence[Cell]]]) -> str:
    """Return numbers line by line under the head of each column."""
    head = "".join(_cell_html(cell, "th") for cell in heads)
    body = "".join(
        f'<tr><th scope="row"{help_html(cells[0].meaning)}>{html.escape(label)}</th>'
        f"{''.join(map(_cell_html, cells))}</tr>"
        for label, cells in rows
    )
    return f'<table class="numbers"><thead><tr><td></td>{head}</tr></thead>{body}</table>'


def strip_html(cells: Sequence[tuple[str, Cell]], *, title: str) -> str:
    """Return numbers side by side under their labels."""
    heads = "".join(
        f'<th scope="col"{help_html(cell.meaning)}>{html.escape(label)}</th>'
        for label, cell in cells
    )
    values = "".join(_cell_html(cell) for _, cell in cells)
    return (
        f'<div class="plain" tabindex="0"><table class="numbers"><caption>{html.escape(title)}'
        f"</caption><thead><tr>{heads}</tr></thead><tr>{values}</tr></table></div>"
    )


def help_html(text: str) -> str:
    """Return the attributes of an element whose meaning is drawn on hover and read aloud."""
    words = html.escape(text)
    return f' data-help="{words}" aria-description="{words}"' if text else ""


def _cell_html(cell: Cell, kind: str = "td") -> str:
    note = f" <small>{html.escape(cell.note)}</small>" if cell.note else ""
    hint = f' title="{html.escape(cell.meaning)}"' if cell.meaning else ""
    return f"<{kind}{hint}>{html.escape(cell.value)}{note}</{kind}>"


def _row_html(kind: str, values: Iterable[object]) -> str:
    cells = "".join(f"<{kind}>{html.escape(str(value))}</{kind}>" for value in values)
    return f"<tr>{cells}</tr>"
