"""All settings over ε in one chart; a click on a point sets ε."""

from collections.abc import Iterator, Sequence

import altair as alt
import pandas as pd
import streamlit as st

from engine.parameters import EPSILON_STOPS, DensityParameters
from pages._ui import jobs
from pages._ui.cache import density as cached_density
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import declared
from pages._ui.compare.column import Column
from pages._ui.drawing.charts import epsilon_axis
from pages._ui.jobs import Job, Step
from pages._ui.shell.catalogue import in_session
from pages._ui.shell.session import picked
from pages._ui.shell.settings import EPSILON_SLIDER, Seed, use_settings
from pages._ui.wording.numbers import percent

_KEY, _JOB = "compare_curves", "compare_density"
_HEIGHT = 300
Ask = tuple[str, tuple[DensityParameters, ...], Seed]


def draw(columns: Sequence[Column], part: str) -> None:
    """Draw the share of usable zones, or of trips in usable flows, over ε."""
    if part == "trips":
        known = [column for column in columns if column.settings.od_method == "published"]
        _chart(known, [_trip_shares(column) for column in known], "Trips in usable flows")
        if len(known) < len(columns):
            st.caption("Our method for flows has no exact law, so it has no curve here.")
        return
    asked = tuple(_asked(column) for column in columns)
    own = [index for index, ask in enumerate(asked) if in_session(ask[0])]
    first = asked[own[0] if own else 0][0]
    work = jobs.job(_JOB, density_shares, first, asked)

    def show(running: Job) -> None:
        jobs.progress(running, "Points over ε", _JOB)
        shares = running.result or tuple(() for _ in columns)
        _chart(columns, shares, "Usable zones")

    jobs.live(_JOB, work, show)


def density_shares(key: str, asked: tuple[Ask, ...]) -> Iterator[Step]:
    """Yield the shares of usable zones of every setting, point by point.

    Parameters
    ----------
    key : str
        Of a dataset of one's own, where there is one: what is asked of it stays in the session.
    """
    del key
    total = sum(len(parameters) for _, parameters, _ in asked)
    shares: list[tuple[float, ...]] = [() for _ in asked]
    done = 0
    for point in range(max(len(parameters) for _, parameters, _ in asked)):
        for index, (dataset_key, parameters, seed) in enumerate(asked):
            if point < len(parameters):
                judged = cached_density.judged(dataset_key, parameters[point], seed)
                shares[index] = (*shares[index], judged.usable_share)
                done += 1
                yield Step(done, total, tuple(shares))


def _asked(column: Column) -> Ask:
    assert column.entry is not None
    each = tuple(column.settings.density(epsilon=stop) for stop in _stops(column))
    return column.entry.key, each, column.seed


def _trip_shares(column: Column) -> tuple[float, ...]:
    assert column.entry is not None
    key, settings = column.entry.key, column.settings
    return tuple(
        cached_trips.usable_share(key, settings.trips(epsilon=stop), declared(settings.trips()))
        for stop in _stops(column)
    )


def _stops(column: Column) -> list[float]:
    return sorted({column.settings.epsilon, *EPSILON_STOPS})


def _chart(columns: Sequence[Column], shares: Sequence[Sequence[float]], title: str) -> None:
    rows = [
        {
            "epsilon": stop,
            "setting": column.name,
            "share": share,
            "told": percent(share),
            "current": stop == column.settings.epsilon,
        }
        for column, known in zip(columns, shares, strict=True)
        for stop, share in zip(_stops(column), known, strict=False)
        if share == share
    ]
    if not rows:
        st.caption("No point of the curves is known yet.")
        return
    colour = alt.Color(
        "setting:N",
        title=None,
        sort=None,
        scale=alt.Scale(
            domain=[column.name for column in columns], range=[column.colour for column in columns]
        ),
        legend=alt.Legend(orient="top"),
    )
    picked = alt.selection_point(name="point", fields=["epsilon"], empty=False, on="click")
    base = alt.Chart(pd.DataFrame(rows)).encode(
        x=epsilon_axis(),
        y=alt.Y("share:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="~%")),
        color=colour,
        tooltip=[
            alt.Tooltip("setting:N", title="Setting"),
            alt.Tooltip("epsilon:Q", title="ε", format="~g"),
            alt.Tooltip("told:N", title=title),
        ],
    )
    line = base.mark_line(strokeWidth=2.2)
    points = base.mark_circle(size=70, opacity=0.9, cursor="pointer").add_params(picked)
    current = base.transform_filter(alt.datum.current).mark_point(size=190, strokeWidth=2.6)
    st.altair_chart(
        alt.layer(line, current, points).properties(height=_HEIGHT),
        key=_KEY,
        on_select=take_click,
        alt=f"{title} over epsilon, one curve a setting",
    )
    st.caption("Rings: the ε of each setting. Click a point to set ε in the sidebar to it.")


def take_click() -> None:
    """Set ε to that of the point that was clicked (the chart's callback)."""
    chosen = picked(_KEY, "point")
    if chosen:
        clicked = float(chosen[0]["epsilon"])
        use_settings(epsilon=min(EPSILON_SLIDER, key=lambda stop: abs(stop - clicked)))
