"""Origin–destination page: a block of the matrix, true beside private (P2, figures 1A and 1C)."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine.arrays import Integers
from pages._ui.cache.trips import Drawn
from pages._ui.shell import setting
from pages._ui.trips import look as trips_look

_BUSIEST, _AROUND = "Busiest zones", "One zone and its largest partners"
_SIZES = (8, 12, 20, 30, 40)
_LABELLED = 20
"""Axis labels are left out of larger blocks: they would overlap, and the tooltip has the names."""

# long names often differ at their ends only: both ends stay
_SHORT = (
    "length(datum.label) > 23 ? slice(datum.label, 0, 9) + '…' + slice(datum.label, -13) "
    ": datum.label"
)


def draw(key: str, true: Integers, release: Drawn) -> None:
    """Draw the block's choice, then two heat maps on one scale with wrong cells outlined."""
    names = trips_look.zone_labels(key)
    busy = true.sum(axis=0) + true.sum(axis=1)
    left, middle, right = st.columns([1.2, 1.2, 1], gap="medium", vertical_alignment="bottom")
    block = setting.draw(
        left.selectbox,
        "Block",
        setting.choice("od_block", [_BUSIEST, _AROUND], _BUSIEST),
        [_BUSIEST, _AROUND],
    )
    with middle:
        zone = trips_look.zone_choice("Zone", key, busy, key="od_block_zone", off=block == _BUSIEST)
    size = setting.draw(
        right.select_slider, "Zones in the block", setting.stop("od_block_size", _SIZES, 12), _SIZES
    )
    ranked = busy if block == _BUSIEST else true[zone, :] + true[:, zone]
    if block == _AROUND:
        ranked[zone] = ranked.max(initial=0) + 1
    chosen = np.argsort(-ranked, kind="stable")[:size]
    table = _table(chosen, names, true, release)
    top = float(max(table[["true", "private"]].to_numpy().max(initial=0), 1))
    places = st.grid(2, min_column_width=400, gap="large")
    for name in ("true", "private"):
        with places.cell():
            st.markdown(f"**{name.capitalize()}**")
            _heat(table, name, top, [names[i] for i in chosen])
    trips_look.key(trips_look.PHANTOM, trips_look.LOST)
    st.caption(
        "Rows are origins, columns destinations; grey cells read 0. Check whether the pattern of "
        "rows and columns survives, and where outlines cluster."
    )


def _table(
    chosen: Integers,
    names: list[str],
    true: Integers,
    release: Drawn,
) -> pd.DataFrame:
    origins, destinations = np.meshgrid(chosen, chosen, indexing="ij")
    off = origins != destinations
    pairs = (origins[off], destinations[off])
    mark = np.where(release.phantom[pairs], trips_look.PHANTOM.name, "")
    mark = np.where(release.lost[pairs], trips_look.LOST.name, mark)
    return pd.DataFrame(
        {
            "from": [names[i] for i in pairs[0]],
            "to": [names[i] for i in pairs[1]],
            "true": true[pairs],
            "private": release.counts[pairs],
            "mark": mark,
        }
    )


def _heat(table: pd.DataFrame, name: str, top: float, order: list[str]) -> None:
    labels = alt.Axis(
        labels=len(order) <= _LABELLED,
        labelExpr=_SHORT,
        labelLimit=150,
        labelOverlap=False,
        ticks=False,
        domain=False,
    )
    turned = alt.Axis(
        labels=len(order) <= _LABELLED,
        labelExpr=_SHORT,
        labelLimit=150,
        labelOverlap=False,
        labelAngle=-60,
        ticks=False,
        domain=False,
    )
    x = alt.X("to:N", title="To", sort=order, axis=turned, scale=alt.Scale(padding=0.04))
    y = alt.Y("from:N", title="From", sort=order, axis=labels, scale=alt.Scale(padding=0.04))
    tooltip = [
        alt.Tooltip("from:N", title="From"),
        alt.Tooltip("to:N", title="To"),
        alt.Tooltip("true:Q", title="True trips", format=","),
        alt.Tooltip("private:Q", title="Private trips", format=","),
    ]
    base = alt.Chart(table).encode(x=x, y=y, tooltip=tooltip)
    ground = base.transform_filter(alt.datum[name] == 0).mark_rect(color="#8888884d")
    cells = base.transform_filter(alt.datum[name] > 0).mark_rect()
    cells = cells.encode(
        color=alt.Color(
            f"{name}:Q",
            title="Trips (square-root scale)",
            scale=alt.Scale(type="sqrt", scheme="viridis", domain=[0, top]),
            legend=alt.Legend(orient="bottom", gradientLength=240, format=",d", tickCount=3),
        )
    )
    layers = [ground, cells]
    if name == "private":
        layers += [
            base.transform_filter(alt.datum.mark == outcome.name).mark_rect(
                filled=False, stroke=outcome.colour, strokeWidth=2.2
            )
            for outcome in (trips_look.PHANTOM, trips_look.LOST)
        ]
    st.altair_chart(
        alt.layer(*layers).properties(height=600),
        key=f"od_matrix_{name}",
        alt=f"Heat map of the {name} trips between {len(order)} zones",
    )
