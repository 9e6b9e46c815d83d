"""Epidemic curves of a few zones: truth, suppression alone, and the range of the releases."""

import html

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine.arrays import Floats
from engine.parameters import ODParameters
from pages._ui.cache import decisions as cached_decisions
from pages._ui.cache.decisions import Outbreak
from pages._ui.decisions import places, work
from pages._ui.decisions.work import Epidemics
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE
from pages._ui.shell.catalogue import Entry

TRUTH, QUIET, DRAWN = "true data", "without noise", "releases, with a band of 90%"
MOST_ZONES = 6
_COLUMNS = 3
_COLOURS = {TRUTH: TRUE, QUIET: OTHER, DRAWN: PRIVATE}
_QUIET_EPSILON = 1.0
"""Without noise ε plays no part; a fixed one finds the same run."""


def draw(
    entry: Entry, outbreak: Outbreak, parameters: ODParameters, true: Floats, drawn: Epidemics
) -> None:
    """Draw the curves of the zones chosen, the origin and the first ones hit at first."""
    st.subheader("Epidemic curves", anchor=False)
    names = places.names(entry.key)
    ids = list(names)
    origin = outbreak.origins[0]
    usual = _usual(true, drawn, ids.index(origin))
    chosen = st.multiselect(
        f"Zones (at most {MOST_ZONES})",
        ids,
        [ids[zone] for zone in usual],
        format_func=names.__getitem__,
        max_selections=MOST_ZONES,
        key=f"decisions_curves_{entry.name}_{origin}",
    )
    if not chosen:
        st.caption("Choose a zone.")
        return
    quiet = cached_decisions.quiet(
        entry.key, outbreak, work.at(parameters, epsilon=_QUIET_EPSILON)
    )[0]
    days = pd.to_datetime(entry.metadata.days[outbreak.days[0] : outbreak.days[1] + 1])
    highest = float(max(true.max(), quiet.max(), drawn.high.max(), outbreak.threshold))
    _legend()
    for start in range(0, len(chosen), _COLUMNS):
        for column, zone in zip(
            st.columns(_COLUMNS), chosen[start : start + _COLUMNS], strict=False
        ):
            at = ids.index(zone)
            table = pd.DataFrame(
                {
                    "day": days,
                    TRUTH: true[:, at],
                    QUIET: quiet[:, at],
                    DRAWN: drawn.middle[:, at],
                    "low": drawn.low[:, at],
                    "high": drawn.high[:, at],
                }
            )
            with column:
                st.html(f'<div class="maptitle">{html.escape(names[zone])}</div>')
                st.altair_chart(
                    _chart(table, outbreak.threshold, highest),
                    key=f"decisions_curve_{zone}",
                    alt=f"Share of people infected in {names[zone]} over the days: with the true "
                    "data, without noise, and the range of the releases",
                )
    st.caption(
        "Share of a zone's people who are infected. The dashed red line is the share from which "
        "it acts. What lies between the grey and the blue line is bias; the blue band is chance."
    )


def _usual(true: Floats, drawn: Epidemics, origin: int) -> list[int]:
    """Return the origin and the zones whose curves differ most."""
    apart = np.abs(true - drawn.middle).max(axis=0)
    apart[origin] = np.inf
    return np.argsort(-apart, kind="stable")[:3].tolist()


def _legend() -> None:
    marks = "".join(
        '<span style="display:inline-flex;align-items:center;gap:0.4rem;margin-right:1.1rem">'
        f'<span style="width:1.5rem;border-top:0.18rem {"dashed" if run == QUIET else "solid"} '
        f'{colour}"></span>{run}</span>'
        for run, colour in _COLOURS.items()
    )
    st.html(f'<div style="font-size:0.85rem">{marks}</div>')


def _chart(
    table: pd.DataFrame, threshold: float, highest: float
) -> alt.LayerChart | alt.FacetChart:
    x = alt.X("day:T", title=None, axis=alt.Axis(format="%b", tickCount=5))
    scale = alt.Scale(domain=[0, highest], nice=True)
    axis = alt.Axis(format="~%", tickCount=5)
    base = alt.Chart(table)
    tooltip = [
        alt.Tooltip("day:T", title="Day", format="%d %b %Y"),
        *(alt.Tooltip(f"{run}:Q", format=".1%") for run in _COLOURS),
    ]
    band = base.mark_area(color=PRIVATE, opacity=0.3).encode(
        x=x, y=alt.Y("low:Q", title="Infected", scale=scale, axis=axis), y2="high:Q"
    )
    lines = [
        base.mark_line(
            color=colour, strokeWidth=1.8, strokeDash=[5, 3] if run == QUIET else [1, 0]
        ).encode(x=x, y=alt.Y(f"{run}:Q", title="Infected", scale=scale), tooltip=tooltip)
        for run, colour in _COLOURS.items()
    ]
    limit = (
        alt.Chart(pd.DataFrame({"share": [threshold]}))
        .mark_rule(color=HERE, strokeDash=[4, 3])
        .encode(y=alt.Y("share:Q", title="Infected", scale=scale))
    )
    return alt.layer(band, *lines, limit).properties(height=210)
