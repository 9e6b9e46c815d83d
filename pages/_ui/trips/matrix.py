"""Origin–destination page: a block of the matrix, true beside private (P2, figures 1A and 1C)."""

from typing import Any

import numpy as np
import streamlit as st

from engine.arrays import Booleans, Integers
from pages._ui.cache import trips as cached_trips
from pages._ui.drawing import charts
from pages._ui.drawing.charts import Scale
from pages._ui.shell import setting
from pages._ui.trips import look as trips_look
from pages._ui.views.context import Flows

_BUSIEST, _AROUND = "Busiest zones", "One zone and its largest partners"
_SIZES = (8, 12, 20, 30, 40)
_LABELLED = 20
"""Axis labels are left out of larger blocks: they would overlap, and the tooltip has the names."""

# long names often differ at their ends only: both ends stay
_SHORT = (
    "length(datum.label) > 23 ? slice(datum.label, 0, 9) + '…' + slice(datum.label, -13) "
    ": datum.label"
)


def draw(context: Flows) -> None:
    """Draw the block's choice, then two heat maps on one scale with wrong cells outlined."""
    key, true, drawn = context.key, context.truth, cached_trips.drawn(*context.asked)
    names = trips_look.zone_labels(key)
    busy = true.sum(axis=0) + true.sum(axis=1)
    left, middle, right = st.columns([1.2, 1.2, 1], gap="medium", vertical_alignment="bottom")
    kind = setting.draw(
        left.selectbox,
        "Block",
        setting.choice("od_block", [_BUSIEST, _AROUND], _BUSIEST),
        [_BUSIEST, _AROUND],
    )
    with middle:
        zone = trips_look.zone_choice("Zone", key, busy, key="od_block_zone", off=kind == _BUSIEST)
    size = setting.draw(
        right.select_slider, "Zones in the block", setting.stop("od_block_size", _SIZES, 12), _SIZES
    )
    ranked = busy if kind == _BUSIEST else true[zone, :] + true[:, zone]
    if kind == _AROUND:
        ranked[zone] = ranked.max(initial=0) + 1
    chosen = np.argsort(-ranked, kind="stable")[:size]
    block = np.ix_(chosen, chosen)
    seen = {"true": true[block], "private": drawn.shown[block]}
    off = ~np.eye(len(chosen), dtype=bool)
    top = float(max(*(counts[off].max(initial=0) for counts in seen.values()), 1))
    wrong = {trips_look.PHANTOM: drawn.phantom[block], trips_look.LOST: drawn.lost[block]}
    labels = [names[i] for i in chosen]
    places = st.grid(2, min_column_width=400, gap="large")
    for name in ("true", "private"):
        with places.cell():
            st.markdown(f"**{name.capitalize()}**")
            charts.heat(
                labels,
                labels,
                seen[name],
                {f"{one.capitalize()} trips": _off(counts, off) for one, counts in seen.items()},
                scale=Scale(
                    title="Trips (square-root scale)",
                    kind="sqrt",
                    domain=(0, top),
                    form=",d",
                    orient="bottom",
                    zero=True,
                ),
                outlined={outcome.colour: cells & off for outcome, cells in wrong.items()}
                if name == "private"
                else None,
                of="From",
                at="To",
                axis={
                    "labels": len(labels) <= _LABELLED,
                    "labelExpr": _SHORT,
                    "labelLimit": 150,
                    "labelAngle": -60,
                },
                key=f"od_matrix_{name}",
                alt=f"Heat map of the {name} trips between {len(labels)} zones",
                height=600,
            )
    trips_look.key(trips_look.PHANTOM, trips_look.LOST)
    st.caption(
        "Rows are origins, columns destinations; grey cells read 0. Check whether the pattern of "
        "rows and columns survives, and where outlines cluster."
    )


def _off(counts: Integers, off: Booleans) -> Any:
    """Return counts between zones; a zone has no flow to itself."""
    return np.where(off, counts.astype(object), "")
