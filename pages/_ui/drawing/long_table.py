"""A table that may be long: to sort and search where it is, plain where a glance is enough."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from pages._ui.drawing.tables import table_html

LONG = 20
"""A table with more rows than this can be sorted and searched."""

_HEIGHT_PX = 440


@dataclass(frozen=True)
class Column:
    """One column: its values, and how a number of it is written.

    Attributes
    ----------
    values : sequence
        Numbers stay numbers, so that they are sorted as such.
    words : callable, optional
        Writes one value; else it is shown as it is.
    """

    values: Sequence[Any]
    words: Callable[[Any], str] | None = None


def draw(columns: Mapping[str, Column], *, key: str) -> None:
    """Draw columns of equal length under their names, which hold the units.

    What is saved or printed is the whole table as text, whichever way it is shown.
    """
    texts = {
        name: [column.words(value) if column.words else value for value in column.values]
        for name, column in columns.items()
    }
    rows = len(next(iter(texts.values())))
    if rows <= LONG:
        st.html(table_html(texts))
        return
    frame = pd.DataFrame({name: list(column.values) for name, column in columns.items()})
    writers: dict[Any, Any] = {
        name: column.words for name, column in columns.items() if column.words
    }
    st.dataframe(
        frame.style.format(writers),
        key=key,
        hide_index=True,
        height=_HEIGHT_PX,
    )
    st.html(f'<div class="saved">{table_html(texts)}</div>')
