"""Epidemic curves of a few zones: truth, suppression alone, and the range of the releases."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine.parameters import ODParameters
from pages._ui.cache import decisions as cached_decisions
from pages._ui.cache.decisions import Floats, Outbreak
from pages._ui.decisions import places, work
from pages._ui.decisions.work import Here
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE
from pages._ui.shell.catalogue import Entry

TRUTH, QUIET, DRAWN = "true data", "suppression only, no noise", "releases, 90% of them"
MOST_ZONES = 6
_QUIET_EPSILON = 1.0
"""Without noise ε plays no part; a fixed one finds the same run."""


def draw(
    entry: Entry, outbreak: Outbreak, parameters: ODParameters, true: Floats, found: Here
) -> None:
    """Draw the curves of the zones chosen, the origin and the first ones hit at first."""
    st.subheader("Epidemic curves", anchor=False)
    names = places.names(entry.key)
    ids = list(names)
    origin = outbreak.origins[0]
    usual = _usual(true, found, ids.index(origin))
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
    lines, bands = [], []
    for zone in chosen:
        at = ids.index(zone)
        for name, values in ((TRUTH, true), (QUIET, quiet), (DRAWN, found.middle)):
            lines.append(
                pd.DataFrame(
                    {"day": days, "zone": names[zone], "run": name, "share": values[:, at]}
                )
            )
        bands.append(
            pd.DataFrame(
                {
                    "day": days,
                    "zone": names[zone],
                    "low": found.low[:, at],
                    "high": found.high[:, at],
                }
            )
        )
    st.altair_chart(
        _chart(pd.concat(lines), pd.concat(bands), outbreak.threshold, len(chosen)),
        key="decisions_curves",
        alt="Share of people infected over the days, for each zone chosen: with the true data, "
        "with suppression only, and the range of the releases",
    )
    st.caption(
        "Share of a zone's people who are infected. The dashed red line is the share from which "
        "it acts. Bias moves the curves, chance hardly does: the band of the releases is narrow."
    )


def _usual(true: Floats, found: Here, origin: int) -> list[int]:
    """Return the origin and the zones whose curves differ most."""
    apart = np.abs(true - found.middle).max(axis=0)
    apart[origin] = np.inf
    return np.argsort(-apart, kind="stable")[:3].tolist()


def _chart(
    lines: pd.DataFrame, bands: pd.DataFrame, threshold: float, panels: int
) -> alt.FacetChart:
    kinds = [TRUTH, QUIET, DRAWN]
    x = alt.X("day:T", title=None, axis=alt.Axis(format="%b", tickCount=5))
    y = alt.Y("share:Q", title="Infected", axis=alt.Axis(format="~%", tickCount=5))
    base = alt.Chart()
    drawn = base.mark_line(strokeWidth=1.8).encode(
        x=x,
        y=y,
        color=alt.Color(
            "run:N",
            title=None,
            scale=alt.Scale(domain=kinds, range=[TRUE, OTHER, PRIVATE]),
            legend=alt.Legend(orient="top", labelLimit=240),
        ),
        strokeDash=alt.StrokeDash(
            "run:N",
            title=None,
            scale=alt.Scale(domain=kinds, range=[[1, 0], [5, 3], [1, 0]]),
            legend=None,
        ),
        tooltip=[
            alt.Tooltip("zone:N", title="Zone"),
            alt.Tooltip("day:T", title="Day", format="%d %b %Y"),
            alt.Tooltip("run:N", title="Run"),
            alt.Tooltip("share:Q", title="Infected", format=".1%"),
        ],
    )
    band = (
        alt.Chart()
        .mark_area(color=PRIVATE, opacity=0.3)
        .encode(x=x, y=alt.Y("low:Q", title="Infected"), y2="high:Q")
    )
    limit = base.mark_rule(color=HERE, strokeDash=[4, 3]).encode(y=alt.datum(threshold))
    data = pd.concat([lines, bands])
    return (
        alt.layer(
            band.transform_filter("isValid(datum.low)"),
            drawn.transform_filter("isValid(datum.share)"),
            limit,
            data=data,
        )
        .properties(width=310, height=190)
        .facet(alt.Facet("zone:N", title=None, sort=None), columns=min(3, panels))
    )
