"""Where people went: destinations by the probability of being chosen, one draw, overlap over k."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine import decisions
from engine.decisions import Selection
from engine.parameters import ODParameters
from pages._ui.cache import decisions as cached_decisions
from pages._ui.cache.decisions import Emergency
from pages._ui.cache.draws import generator
from pages._ui.decisions import places
from pages._ui.drawing import charts
from pages._ui.drawing.colours import HERE, PRIVATE, TRUE
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed

SHOWN = 8
SLOPES = 8


def ranked(
    entry: Entry, shock: Emergency, parameters: ODParameters, k: int, selection: Selection
) -> None:
    """Draw the destinations most often chosen, in truth and in releases."""
    st.subheader(f"Who is among the first {k}", anchor=False)
    leaving = cached_decisions.leaving(entry.key, shock, parameters)
    names = list(places.names(entry.key).values())
    days = selection.chosen.shape[1]
    chance = selection.chosen[k - 1].mean(axis=0)
    truly = selection.truly[k - 1].mean(axis=0)
    received = leaving.true[:days].sum(axis=(0, 1))
    order = np.lexsort((-received, -chance, -truly))[: max(SHOWN, 2 * k)]
    order = order[(received[order] > 0) | (chance[order] >= 0.005)]
    if not len(order):
        st.caption("Nobody left the area, and no release names a destination.")
        return
    table = pd.DataFrame(
        {
            "zone": [names[leaving.destinations[at]] for at in order],
            "chance": chance[order],
            "truly": truly[order],
            "received": received[order],
        }
    )
    y = alt.Y("zone:N", title=None, sort=None, axis=alt.Axis(labelLimit=150, labelOverlap=False))
    x = alt.X(
        "chance:Q",
        title="Probability, mean over days",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="~%"),
    )
    tooltip = [
        alt.Tooltip("zone:N", title="Destination"),
        alt.Tooltip("chance:Q", title="Chosen in the release", format=".1%"),
        alt.Tooltip("truly:Q", title="Days truly among them", format=".0%"),
        alt.Tooltip("received:Q", title="Truly received (trips)", format=",.0f"),
    ]
    bars = alt.Chart(table).mark_bar(color=PRIVATE, height={"band": 0.6})
    ticks = alt.Chart(table).mark_tick(color=TRUE, thickness=4, height={"band": 0.95})
    st.altair_chart(
        alt.layer(
            bars.encode(x=x, y=y, tooltip=tooltip),
            ticks.encode(x=alt.X("truly:Q", title=""), y=y, tooltip=tooltip),
        )
        .resolve_scale(x="shared")
        .properties(height=60 + 27 * len(table)),
        key="decisions_ranked",
        alt="Bars of the probability of each destination to be chosen, with the share of days on "
        "which it truly is",
    )
    st.caption(
        "Blue: exact probability in a release. Grey tick: share of days on which the zone truly "
        "is among them."
    )


def overlap(selection: Selection, k: int) -> None:
    """Draw the expected overlap over k, with "you are here"."""
    st.subheader("If more or fewer are helped", anchor=False)
    means = [
        float(np.mean(row[np.isfinite(row)])) if np.isfinite(row).any() else np.nan
        for row in selection.overlap
    ]
    table = pd.DataFrame({"k": range(1, len(means) + 1), "overlap": means})
    x = alt.X(
        "k:Q",
        title="Destinations helped (k)",
        axis=alt.Axis(tickMinStep=1, format="d", grid=False),
        scale=alt.Scale(domain=[1, max(2, len(means))], nice=False),
    )
    line = (
        alt.Chart(table)
        .mark_line(point={"size": 34}, color=PRIVATE, strokeWidth=2)
        .encode(
            x=x,
            y=alt.Y(
                "overlap:Q",
                title="Right destinations",
                axis=alt.Axis(format="~%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            tooltip=[alt.Tooltip("k:Q"), alt.Tooltip("overlap:Q", title="Right", format=".1%")],
        )
    )
    current = charts.you_are_here(x, "k", k, leftward=k > len(means) / 2)
    st.altair_chart(
        alt.layer(line, *current).properties(height=260),
        key="decisions_overlap",
        alt="Expected share of right destinations over their number",
    )
    st.caption("Exact expected overlap with the true first k, mean over the days.")


def slope(entry: Entry, shock: Emergency, parameters: ODParameters, k: int, seed: Seed) -> None:
    """Draw ranks from the truth to one draw, all days added up."""
    st.subheader("From the truth to one release", anchor=False)
    leaving = cached_decisions.leaving(entry.key, shock, parameters)
    drawn = decisions.private_aid(
        leaving, [parameters], 1, min(k, leaving.kept.shape[2]), rng=generator(seed, "aid")
    ).first[0]
    names = list(places.names(entry.key).values())
    true, private = leaving.true.sum(axis=(0, 1)), drawn.sum(axis=0)
    ranks = [np.argsort(np.argsort(-values, kind="stable")) + 1 for values in (true, private)]
    most = max(SLOPES, k)
    shown = np.flatnonzero(((ranks[0] <= most) & (true > 0)) | ((ranks[1] <= most) & (private > 0)))
    if not len(shown):
        st.caption("Nobody left the area in truth or in this release.")
        return
    table = pd.DataFrame(
        [
            {
                "zone": names[leaving.destinations[at]],
                "side": side,
                "rank": min(int(rank[at]), most + 1),
                "trips": float(values[at]),
                "words": f"{names[leaving.destinations[at]]} · {values[at]:,.0f}",
                "kind": _kind(ranks, at, k),
            }
            for at in shown
            for side, rank, values in zip(("truth", "release"), ranks, (true, private), strict=True)
        ]
    )
    st.altair_chart(
        _slopes(table, k, most),
        key="decisions_slope",
        alt="Ranks of the main destinations in truth and in one release, joined by lines",
    )
    st.caption(
        f"Ranks over all days added up, in one draw. Red lines change sides of the first {k}; "
        f"zones beyond rank {most} stand on the last line. Redraw in the sidebar shows another."
    )


_KINDS = {"stays among the first": PRIVATE, "changes sides": HERE, "stays below": TRUE}


def _kind(ranks: list[np.ndarray], at: int, k: int) -> str:
    inside = [bool(rank[at] <= k) for rank in ranks]
    if inside[0] != inside[1]:
        return "changes sides"
    return "stays among the first" if inside[0] else "stays below"


def _slopes(table: pd.DataFrame, k: int, most: int) -> alt.LayerChart | alt.FacetChart:
    x = alt.X(
        "side:N",
        sort=["truth", "release"],
        title=None,
        axis=alt.Axis(orient="top", labelAngle=0, labelFontSize=13, domain=False, ticks=False),
        scale=alt.Scale(type="point", padding=0.9),
    )
    y = alt.Y(
        "rank:Q",
        title="Rank",
        scale=alt.Scale(reverse=True, domain=[0.5, most + 1.5], nice=False),
        axis=alt.Axis(
            values=list(range(1, most + 2)),
            labelExpr=f"datum.value > {most} ? 'below' : datum.value",
            grid=False,
            domain=False,
            ticks=False,
        ),
    )
    colour = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=list(_KINDS), range=list(_KINDS.values())),
        legend=alt.Legend(orient="top"),
    )
    lines = (
        alt.Chart(table)
        .mark_line(strokeWidth=2, point={"size": 42})
        .encode(x=x, y=y, color=colour, detail="zone:N", tooltip=["zone:N", "words:N"])
    )
    # zones that share the last line would write over each other
    ranked = table[table["rank"] <= most]
    words = [
        alt.Chart(ranked[ranked["side"] == side])
        .mark_text(align=align, dx=dx, fontSize=12, limit=190)
        .encode(x=x, y=y, text="words:N", color=colour)
        for side, align, dx in (("truth", "right", -10), ("release", "left", 10))
    ]
    line = (
        alt.Chart(pd.DataFrame({"rank": [k + 0.5]}))
        .mark_rule(strokeDash=[3, 3], color=TRUE)
        .encode(y=y)
    )
    return alt.layer(line, lines, *words).properties(height=max(260, 30 * (most + 1)))
