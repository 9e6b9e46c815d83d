"""Who acts when, one row a zone, and a map of how far the first day moves."""

from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st

from engine.arrays import Booleans, Integers
from engine.decisions.scoring import NEVER, Comparison, acts, one_origin
from pages._ui.cache import datasets as cached_datasets
from pages._ui.decisions import wording
from pages._ui.decisions.work import Seen
from pages._ui.drawing import charts, maps
from pages._ui.drawing.charts import Axis, Mark
from pages._ui.drawing.maps import Scale

RIGHT, MISSED, NEEDLESS = "acts, rightly", "should act, does not", "acts, should not"
COLOURS = {RIGHT: "#2a8fbd", MISSED: "#b5579c", NEEDLESS: "#e0a100"}
"""Blue, purple and amber: told apart by colour-blind readers; the width of the bar tells too."""

_KINDS: dict[str, Literal["bar", "narrow", "thin"]] = {
    RIGHT: "bar",
    MISSED: "narrow",
    NEEDLESS: "thin",
}
_NAMED = 60
_HEIGHT = 620
_LEAST_SCALE = 14.0
_WIDTH = 330
"""Pixels that the map has beside the strip in a window of 1024."""


def strip(seen: Seen) -> None:
    """Draw the strip of what most releases decide."""
    st.subheader("Which zones act, and when", anchor=False)
    truly = acts(seen.true[0], seen.outbreak.threshold)
    now = seen.drawn.acting >= 0.5
    order = _order(truly, now)
    if not len(order):
        st.caption("No zone acts, in truth or in the release.")
        return
    names = [list(seen.names.values())[zone] for zone in order]
    shown = len(order)
    charts.bars(
        names,
        [_mark(seen, decision, truly, now, order) for decision in COLOURS],
        of=Axis(title="Day", kind="time", form="%b %Y"),
        axis={"labels": shown <= _NAMED, "labelLimit": 130, "labelFontSize": 11},
        key="decisions_strip",
        alt="Bars of the days on which each zone acts: wide where rightly, half as wide where it "
        "is missed, narrow where needless",
        height=round(max(1.6, min(18.0, _HEIGHT / shown)) * shown + 70),
    )
    what = "the estimate decides" if seen.drawn.estimate else "at least half of the releases decide"
    rest = (
        f" {truly.shape[1] - shown} zones that never act are left out."
        if shown < truly.shape[1]
        else ""
    )
    st.caption(
        f"What {what}; zones in the order of their true first day. Wide bars are right, half as "
        f"wide ones missed, narrow ones needless.{rest}"
    )


def _order(truly: Booleans, now: Booleans) -> Integers:
    """Return the zones that act, by their first day in truth, then in the release."""
    never = len(truly)
    first, second = (
        np.where(acts.any(axis=0), acts.argmax(axis=0), never) for acts in (truly, now)
    )
    order = np.lexsort((second, first))
    return order[np.minimum(first, second)[order] < never]


def _mark(seen: Seen, decision: str, truly: Booleans, now: Booleans, order: Integers) -> Mark:
    """Return one bar for each run of days with the same decision."""
    days = {RIGHT: truly & now, MISSED: truly & ~now, NEEDLESS: now & ~truly}[decision]
    names, calendar = list(seen.names.values()), pd.date_range(seen.days[0], periods=len(now) + 1)
    runs = [
        (zone, start, end)
        for zone in order
        for start, end in np.flatnonzero(
            np.diff(np.r_[0, days[:, zone].astype(np.int8), 0])
        ).reshape(-1, 2)
    ]
    return Mark(
        name=decision,
        values=[calendar[start] for _, start, _ in runs],
        to=[calendar[end] for _, _, end in runs],
        at=[names[zone] for zone, _, _ in runs],
        written=[
            f"{calendar[start]:%d %b %Y} to {calendar[end - 1]:%d %b %Y}, {end - start} days"
            for _, start, end in runs
        ],
        colour=COLOURS[decision],
        kind=_KINDS[decision],
    )


def shift(seen: Seen) -> None:
    """Draw the map of the shift, in days, median over draws."""
    st.subheader("How far the first day moves", anchor=False)
    comparison = one_origin(seen.drawn.comparison, 0)
    shifts = comparison.shift
    some = np.isfinite(shifts).any(axis=0)
    median = np.full(shifts.shape[1], np.nan)
    median[some] = np.nanmedian(shifts[:, some], axis=0)
    reach = max(_LEAST_SCALE, float(np.nanmax(np.abs(median), initial=0.0)))
    scale = Scale(-reach, reach, "diverging")
    outbreak, outlines = seen.outbreak, cached_datasets.outlines(seen.context.key)
    truly = np.any(acts(seen.true[0], outbreak.threshold), axis=0)
    maps.zone_map(
        outlines,
        median,
        scale,
        key="decisions_shift",
        alt="Map of the shift of the first acting day by zone",
        tooltip={
            "Should act from": [
                f"{seen.days[first]:%d %b %Y}" if first != NEVER else "never"
                for first in comparison.first_true
            ],
            "In the release": [
                wording.shift(value)
                if np.isfinite(value)
                else ("never acts" if truly[zone] else _phantom(comparison, zone))
                for zone, value in enumerate(median)
            ],
        },
        height=460,
        width=_WIDTH,
        marked=list(outlines.ids).index(outbreak.origins[0]),
    )
    scale.legend(
        "shift of the first acting day, median over releases",
        f"{wording.duration(reach)} early",
        f"{wording.duration(reach)} late",
    )
    st.caption(
        "Grey: the zone never acts, in truth or in the release. The red outline is where the "
        "epidemic starts."
    )


def _phantom(comparison: Comparison, zone: int) -> str:
    share = float((comparison.first[:, zone] != NEVER).mean())
    return "never acts" if share == 0 else f"acts in {share:.0%} of releases, and should not"
