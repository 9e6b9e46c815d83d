"""Origin–destination page: exact distributions of absolute and relative errors (P2, figure 2)."""

from dataclasses import replace

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine.origin_destination import Population
from engine.parameters import ODParameters
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import Window
from pages._ui.drawing import colours
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.wording.numbers import number, percent

POPULATIONS: dict[Population, str] = {
    "travelled": "flows with a trip",
    "large": "flows of at least τ",
    "all": "all pairs of zones",
}
_EPSILONS = (0.1, 0.5, 1.0)
_SHADES = ("#9aa7b1", "#5b9fc9", "#2a6f97")
_RELATIVE = (*np.linspace(0.0, 1.975, 80).round(3).tolist(), 1.9999, 2.0)  # a step at the end


def draw(entry: Entry, parameters: ODParameters, window: Window) -> None:
    """Draw both distributions for the paper's ε and yours, and their means and medians."""
    population = population_choice("od_errors_population")
    settings = {f"ε = {value:g}": replace(parameters, epsilon=value) for value in _EPSILONS}
    yours = f"yours: ε = {parameters.epsilon:g}"
    settings = {
        name: value for name, value in settings.items() if value.epsilon != parameters.epsilon
    }
    settings[yours] = parameters
    shades = [
        colours.HERE if name == yours else _SHADES[_EPSILONS.index(value.epsilon)]
        for name, value in settings.items()
    ]
    worst = cached_trips.expectation(
        entry.key, min(settings.values(), key=lambda value: value.epsilon), window
    ).errors[population]
    if not worst.cells:
        st.info("There are no such flows in this window; choose others above.")
        return
    reach = max(20.0, 8 * worst.mean_absolute)
    absolute = tuple(np.unique(np.geomspace(1, reach + 1, 48).round() - 1).tolist())
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Absolute error", anchor=False)
        table = _curves(entry.key, settings, window, population, absolute, relative=False)
        _chart(table, list(settings), shades, "Error of at most … trips", key="od_error_absolute")
    with right:
        st.subheader("Symmetric relative error", anchor=False)
        table = _curves(entry.key, settings, window, population, _RELATIVE, relative=True)
        _chart(
            table,
            list(settings),
            shades,
            "Symmetric relative error of at most …",
            key="od_error_relative",
            as_percent=True,
        )
    st.caption(
        f"Over {POPULATIONS[population]}. Exact, without drawing: each curve is the share of flows "
        "whose error is at most the value below. The earlier it rises, the better; the step at "
        "200% is flows that are suppressed or invented, and where it is above half of them the "
        "median reads 200%, also at a larger ε that suppresses more of them as it should. The "
        "symmetric relative error is 2·|private − true| / (private + true), the other "
        "|private − true| / max(true, 1), which the cards above take over flows of at least τ."
    )
    st.table(
        _summary(entry.key, settings, window, population), hide_index=True, border="horizontal"
    )


def population_choice(key: str) -> Population:
    """Draw the switch between all pairs of zones, flows with a trip, and large flows."""
    return setting.draw(
        st.segmented_control,
        "Averaged over",
        setting.literal(key, POPULATIONS, "travelled"),
        list(POPULATIONS),
        format_func=POPULATIONS.__getitem__,
        required=True,
    )


def _curves(
    key: str,
    settings: dict[str, ODParameters],
    window: Window,
    population: Population,
    points: tuple[float, ...],
    *,
    relative: bool,
) -> pd.DataFrame:
    return pd.concat(
        pd.DataFrame(
            {
                "setting": name,
                "error": points,
                "share": cached_trips.error_curve(key, value, window, population, relative, points),
            }
        )
        for name, value in settings.items()
    )


def _chart(
    table: pd.DataFrame,
    names: list[str],
    shades: list[str],
    title: str,
    *,
    key: str,
    as_percent: bool = False,
) -> None:
    scale = alt.Scale(nice=False) if as_percent else alt.Scale(type="symlog", nice=False)
    axis = alt.Axis(format="~%") if as_percent else alt.Axis(format="~s", values=_ticks(table))
    chart = (
        alt.Chart(table)
        .mark_line(strokeWidth=2, interpolate="linear" if as_percent else "step-after")
        .encode(
            x=alt.X("error:Q", title=title, scale=scale, axis=axis),
            y=alt.Y(
                "share:Q",
                title="Share of flows",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="~%"),
            ),
            color=alt.Color(
                "setting:N",
                title=None,
                sort=names,
                scale=alt.Scale(domain=names, range=shades),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=[
                alt.Tooltip("setting:N", title="Setting"),
                alt.Tooltip(
                    "error:Q", title="Error at most", format=".0%" if as_percent else ",.0f"
                ),
                alt.Tooltip("share:Q", title="Share of flows", format=".1%"),
            ],
        )
        .properties(height=320)
    )
    st.altair_chart(chart, key=key, alt=f"Distribution: {title}")


def _ticks(table: pd.DataFrame) -> list[float]:
    most = float(table["error"].max())
    return [x for x in (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if x <= most]


def _summary(
    key: str, settings: dict[str, ODParameters], window: Window, population: Population
) -> pd.DataFrame:
    rows = []
    for name, value in settings.items():
        errors = cached_trips.expectation(key, value, window).errors[population]
        rows.append(
            {
                "Setting": name,
                "Median error (trips)": number(errors.median_absolute),
                "Mean error (trips)": number(errors.mean_absolute, 3),
                "Median symmetric error": percent(errors.median_relative),
                "Mean symmetric error": percent(errors.mean_relative),
                "Relative error (MRE)": percent(errors.mean_bounded_relative),
            }
        )
    return pd.DataFrame(rows)
