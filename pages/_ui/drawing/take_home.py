"""Save what a page shows: pictures, tables, a report of one page, a link; all in the browser."""

import html
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from engine.arrays import Numbers

NOTICE = "Exploration, not a release."
LINK = (
    "The link holds the settings and the names of shipped datasets. It leaves out data of your "
    "own and its name, and the seed of the noise: others see the draw that their own page makes."
)
_STYLE = """
.take-home details { border-top: 1px solid rgba(127, 127, 127, 0.35); padding-top: 0.5rem; font-size: 0.92rem; }
.take-home summary { cursor: pointer; font-weight: 600; }
.take-home .row { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0.6rem 0; }
.take-home ul { list-style: none; padding: 0; margin: 0; }
.take-home li { display: flex; flex-wrap: wrap; gap: 0.4rem; align-items: baseline; padding: 0.2rem 0; }
.take-home li span { flex: 1 1 14rem; }
.take-home button { font: inherit; color: inherit; background: transparent; border: 1px solid currentColor; border-radius: 0.35rem; padding: 0.15rem 0.7rem; cursor: pointer; }
.take-home .said { margin: 0.2rem 0; }
@page { margin: 9mm; }
@media print {
  [data-testid="stSidebar"], [data-testid="stHeader"], .st-key-navigation, .take-home, .st-key-home_need, .st-key-home_views, .stage .tools, [data-testid="stMain"] [data-testid="stButton"], [data-testid="stMain"] [data-testid="stPageLink"], [data-testid="stMain"] [data-testid="stCheckbox"] { display: none !important; }
  [data-testid="stMainBlockContainer"] { zoom: 0.55; padding: 0 !important; }
  [data-testid="stElementContainer"]:has(.saved) { display: block !important; } .saved { display: block !important; } [data-testid="stElementContainer"]:has([data-testid="stDataFrame"]) { display: none !important; }
  .card { min-height: 0; break-inside: avoid; } .verdict, .gauge, .stage { break-inside: avoid; }
  [data-testid="stMain"], [data-testid="stAppViewContainer"], [data-testid="stApp"] { position: static !important; overflow: visible !important; height: auto !important; }
}
"""  # noqa: E501


def draw(title: str, settings: Mapping[str, str], banners: Sequence[str]) -> None:
    """Draw the fold "Take it home" of a page.

    Parameters
    ----------
    title : str
        Of the page; names the files.
    settings : mapping
        Label → value of what is set: it stands in everything that is saved.
    banners : sequence of str
        What must be said of the data beside `NOTICE`.
    """
    _component()(
        key="take_home",
        data={
            "title": title,
            "settings": [list(pair) for pair in settings.items()],
            "banners": list(banners),
            "notice": NOTICE,
            "link": LINK,
        },
    )


def keep(sheet: Mapping[str, Sequence[Any] | Numbers]) -> None:
    """Keep the columns of what was drawn last, with their heads, for saving as CSV.

    They are hidden texts: what a graphics card or a chart has drawn is not read back.
    """
    columns = [[_text(value) for value in column] for column in sheet.values()]
    kept = json.dumps([list(sheet), *zip(*columns, strict=True)], ensure_ascii=False)
    st.html(f'<div class="maprows" hidden>{html.escape(kept)}</div>')


def _text(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return "" if value != value else f"{value:.6g}"
    return "" if value is None else f"{value}"


@cache
def _component() -> Any:
    return st.components.v2.component(
        "take_home",
        html='<div class="take-home"></div>',
        css=_STYLE,
        js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
        isolate_styles=False,
    )
