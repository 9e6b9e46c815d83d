"""A small table whose rows can be chosen, by mouse or keyboard; plain HTML, so that it is saved."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

_STYLE = """
.rows { overflow-x: auto; }
.rows table { width: 100%; border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
.rows th, .rows td { text-align: left; vertical-align: top; padding: 0.35rem 0.9rem 0.35rem 0.25rem; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
.rows th { font-size: 0.8rem; font-weight: 500; opacity: 0.8; }
.rows tbody tr { cursor: pointer; }
.rows tbody tr:hover { background: color-mix(in srgb, currentColor 8%, transparent); }
.rows tr.chosen { box-shadow: inset 0.25rem 0 #d1495b; background: color-mix(in srgb, #d1495b 12%, transparent); }
.rows tr.chosen td:first-child { padding-left: 0.6rem; }
.rows button { font: inherit; color: inherit; text-align: left; background: none; border: 0; padding: 0; cursor: pointer; text-decoration: underline dotted; text-underline-offset: 0.2em; }
"""  # noqa: E501


def draw(
    columns: Mapping[str, Sequence[str]], *, key: str, chosen: int | None = None, what: str
) -> int | None:
    """Draw columns of equal length as one table; everything is shown as text.

    Parameters
    ----------
    columns : mapping
        Head → texts. The first is the button of its row.
    chosen : int, optional
        The row that stands out.
    what : str
        What a click does, for screen readers and as a hint, such as ``mark on the map``.

    Returns
    -------
    int or None
        The row that has just been clicked.
    """
    result = st.components.v2.component(
        "rows",
        html='<div class="rows"></div>',
        css=_STYLE,
        js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
        isolate_styles=False,
    )(
        key=key,
        data={
            "heads": list(columns),
            "rows": [list(row) for row in zip(*columns.values(), strict=True)],
            "chosen": chosen,
            "what": what,
        },
        on_row_change=lambda: None,
    )
    return result.get("row")
