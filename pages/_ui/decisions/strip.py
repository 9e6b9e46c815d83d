"""Who acts when: one row a zone, one column a day, right, missed and needless."""

from datetime import timedelta

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from engine import decisions
from engine.arrays import Floats
from pages._ui.cache.decisions import Outbreak
from pages._ui.decisions import places
from pages._ui.decisions.work import Epidemics
from pages._ui.shell.catalogue import Entry

RIGHT, MISSED, NEEDLESS = "acts, rightly", "should act, does not", "acts, should not"
COLOURS = {RIGHT: "#2a8fbd", MISSED: "#b5579c", NEEDLESS: "#e0a100"}
"""Blue, purple and amber: told apart by colour-blind readers; the width of the bar tells too."""

_WIDTHS = {RIGHT: 0.9, MISSED: 0.45, NEEDLESS: 0.2}
_NAMED = 60
_HEIGHT = 620


def draw(entry: Entry, outbreak: Outbreak, true: Floats, drawn: Epidemics) -> None:
    """Draw the strip of what most releases decide."""
    st.subheader("Which zones act, and when", anchor=False)
    truly = decisions.acts(true, outbreak.threshold)
    now = drawn.acting >= 0.5
    order = _order(truly, now)
    table = _table(entry, outbreak, truly, now, order)
    if table.empty:
        st.caption("No zone acts, in truth or in the release.")
        return
    shown = int((truly | now).any(axis=0).sum())
    row = max(1.6, min(18.0, _HEIGHT / max(shown, 1)))
    y = alt.Y(
        "zone:N",
        title=None,
        sort=list(dict.fromkeys(table["zone"])),
        axis=alt.Axis(
            labels=shown <= _NAMED,
            ticks=False,
            labelLimit=130,
            labelFontSize=11,
            labelOverlap=False,
        ),
    )
    layers = [
        alt.Chart(table[table["decision"] == decision])
        .mark_bar(color=colour, height={"band": _WIDTHS[decision]})
        .encode(
            x=alt.X("start:T", title=None, axis=alt.Axis(format="%b %Y", tickCount="month")),
            x2="end:T",
            y=y,
            tooltip=[
                alt.Tooltip("zone:N", title="Zone"),
                alt.Tooltip("decision:N", title="Decision"),
                alt.Tooltip("start:T", title="From", format="%d %b %Y"),
                alt.Tooltip("last:T", title="To", format="%d %b %Y"),
                alt.Tooltip("days:Q", title="Days"),
            ],
        )
        for decision, colour in COLOURS.items()
    ]
    chart = alt.layer(*layers).properties(height=row * shown + 30)
    _legend()
    st.altair_chart(
        chart,
        key="decisions_strip",
        alt="Bars of the days on which each zone acts: wide where rightly, half as wide where it "
        "is missed, narrow where needless",
    )
    what = "the estimate decides" if drawn.estimate else "at least half of the releases decide"
    rest = (
        f" {truly.shape[1] - shown} zones that never act are left out."
        if shown < truly.shape[1]
        else ""
    )
    st.caption(
        f"What {what}; zones in the order of their true first day. Wide bars are right, half as "
        f"wide ones missed, narrow ones needless.{rest}"
    )


def _legend() -> None:
    """Draw the decisions with their colours and the heights of their bars."""
    marks = "".join(
        '<span style="display:inline-flex;align-items:center;gap:0.4rem;margin-right:1.1rem">'
        f'<span style="width:1.5rem;height:{0.95 * _WIDTHS[decision]:.2f}rem;background:{colour}">'
        f"</span>{decision}</span>"
        for decision, colour in COLOURS.items()
    )
    st.html(f'<div style="font-size:0.85rem">{marks}</div>')


def _order(truly: NDArray[np.bool_], now: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the zones that act, by their first day in truth, then in the release."""
    never = len(truly)
    first, second = (
        np.where(acts.any(axis=0), acts.argmax(axis=0), never) for acts in (truly, now)
    )
    order = np.lexsort((second, first))
    return order[np.minimum(first, second)[order] < never]


def _table(
    entry: Entry,
    outbreak: Outbreak,
    truly: NDArray[np.bool_],
    now: NDArray[np.bool_],
    order: NDArray[np.int64],
) -> pd.DataFrame:
    """Return one row for each run of days with the same decision."""
    labels = list(places.names(entry.key).values())
    first_day = pd.Timestamp(entry.metadata.days[outbreak.days[0]])
    rows: list[dict[str, object]] = []
    for zone in order:
        for decision, days in (
            (RIGHT, truly[:, zone] & now[:, zone]),
            (MISSED, truly[:, zone] & ~now[:, zone]),
            (NEEDLESS, now[:, zone] & ~truly[:, zone]),
        ):
            edges = np.flatnonzero(np.diff(np.r_[0, days.astype(np.int8), 0]))
            for start, end in edges.reshape(-1, 2):
                rows.append(
                    {
                        "zone": labels[zone],
                        "decision": decision,
                        "start": first_day + timedelta(days=int(start)),
                        "end": first_day + timedelta(days=int(end)),
                        "last": first_day + timedelta(days=int(end) - 1),
                        "days": int(end - start),
                    }
                )
    return pd.DataFrame(rows)
