"""Origin–destination page: what trimming to T costs, and what it saves in noise."""

from dataclasses import replace

import altair as alt
import pandas as pd
import streamlit as st

from engine.parameters import ODParameters
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import Window
from pages._ui.drawing import cards, colours
from pages._ui.drawing.cards import Card
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import MAX_TRIPS_STOPS, use_settings
from pages._ui.wording.numbers import number, percent

_MANY_ROWS = 1_000_000
_LIMITS = tuple(stop for stop in MAX_TRIPS_STOPS if stop <= 50)
_CAUSES = ("trimmed", "noise", "suppression", "total")
_COLOURS = ("#e0a100", colours.PRIVATE, "#b5579c", colours.TRUE)
_BELOW = " Suppression below zero saves error: it sets the noise of empty pairs back to 0."
_SI = alt.Axis(labelExpr="format(datum.value, '~s')")
O4 = (
    "The T of least error is read from the confidential data. The guarantee (Theorem 1) holds only "
    "for a T chosen without looking at them; a release that uses this T, or a percentile of "
    "people's trips, must say so (erratum O4)."
)


def draw(entry: Entry, parameters: ODParameters, window: Window) -> None:
    """Draw the error at this T split by its causes, then the curve over T with its best point."""
    if parameters.unit == "trip":
        st.info(
            "At trip level nobody is trimmed: each trip is protected by itself and T is 1. Choose "
            "one person's day or the whole period in the sidebar to compare T."
        )
        return
    now = _row(entry.key, parameters, window)
    cards.row(_cards(now, parameters))
    st.subheader("The trade-off over T", anchor=False)
    if (
        window.several
        and _is_long(entry.key)
        and not setting.draw(
            st.toggle,
            "Compute it for all days (may take minutes)",
            setting.switch("od_trimming_all", default=False),
        )
    ):
        st.caption("Each T is another matrix for every day. One day shows the same shape at once.")
        return
    rows = _rows(entry.key, parameters, window)
    best = min(rows, key=lambda limit: rows[limit]["total"])
    _chart(rows, best, parameters)
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.caption(
        f"Left of the best point trimming drops too many trips, right of it noise (in proportion "
        f"to T) drowns the flows. Least total error here: **T = {best}**, which keeps "
        f"{percent(rows[best]['kept'])} of trips."
        + (_BELOW if any(row["suppression"] < 0 for row in rows.values()) else "")
    )
    right.button(
        f"Use T = {best}",
        icon=":material/tune:",
        on_click=use_settings,
        kwargs={"max_trips": best},
        key="od_use_trips",
        width="stretch",
    )
    st.warning(O4, icon=":material/policy:")


def _is_long(key: str) -> bool:
    """Whether each T takes seconds over all days, so that the person is asked first."""
    return len(cached_datasets.dataset(key).trips.n) > _MANY_ROWS


def _cards(now: dict[str, float], parameters: ODParameters) -> list[Card]:
    limit = parameters.max_trips_per_user
    spared = now["suppression"] < 0
    return [
        Card(
            f"Trimmed away (T = {limit})",
            number(now["trimmed"]),
            "trips",
            f"{percent(now['kept'])} of true trips are kept; nothing restores the others.",
        ),
        Card(
            "Noise adds",
            number(now["noise"]),
            "trips of error",
            f"Noise of scale T/ε = {parameters.noise_scale:.3g} trips in every pair of zones.",
        ),
        Card(
            "Suppression saves" if spared else "Suppression adds",
            number(abs(now["suppression"])),
            "trips of error",
            "Empty pairs read 0 again, which outweighs the real flows that are hidden."
            if spared
            else "Real flows below τ are set to 0.",
        ),
        Card(
            "In all",
            number(now["total"]),
            "trips of error",
            "Expected sum of |private − true| over all pairs of zones, exact.",
        ),
    ]


def _row(key: str, parameters: ODParameters, window: Window) -> dict[str, float]:
    """Return the expected error at one T by its causes, in trips, and the share that is kept."""
    curve = cached_trips.trimming(key, parameters, window)
    causes = {cause: float(getattr(curve, cause)[0]) for cause in _CAUSES}
    return {**causes, "kept": float(curve.kept_share[0])}


def _rows(key: str, parameters: ODParameters, window: Window) -> dict[int, dict[str, float]]:
    slot = st.empty()
    rows: dict[int, dict[str, float]] = {}
    for done, limit in enumerate(_LIMITS):
        slot.progress(done / len(_LIMITS), f"Trimming to T = {limit} …")
        rows[limit] = _row(key, replace(parameters, max_trips_per_user=limit), window)
    slot.empty()
    return rows


def _chart(rows: dict[int, dict[str, float]], best: int, parameters: ODParameters) -> None:
    table = pd.DataFrame(
        [
            {"limit": limit, "cause": cause, "trips": row[cause]}
            for limit, row in rows.items()
            for cause in _CAUSES
        ]
    )
    x = alt.X(
        "limit:Q",
        title="Trips kept per person (T), log scale",
        scale=alt.Scale(type="log", nice=False, domain=[_LIMITS[0], _LIMITS[-1]]),
        axis=alt.Axis(values=list(_LIMITS), grid=False),
    )
    y = alt.Y("trips:Q", title="Expected error (trips)", axis=_SI)
    colour = alt.Color(
        "cause:N",
        title=None,
        sort=list(_CAUSES),
        scale=alt.Scale(domain=list(_CAUSES), range=list(_COLOURS)),
        legend=alt.Legend(orient="top"),
    )
    lines = (
        alt.Chart(table)
        .mark_line(point={"size": 22}, strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=colour,
            strokeDash=alt.condition(
                alt.datum.cause == "total", alt.value([1, 0]), alt.value([5, 3])
            ),
            tooltip=[
                alt.Tooltip("limit:Q", title="T"),
                alt.Tooltip("cause:N", title="Part"),
                alt.Tooltip("trips:Q", title="Trips", format=",.0f"),
            ],
        )
    )
    mark = alt.Chart(pd.DataFrame({"limit": [best], "trips": [rows[best]["total"]]}))
    star = mark.mark_point(shape="diamond", size=190, filled=True, color="#2a9d6f", opacity=1)
    words = mark.mark_text(dy=-15, color="#2a9d6f", fontSize=12, fontWeight=600)
    here = min(parameters.max_trips_per_user, _LIMITS[-1])
    rule = alt.Chart(pd.DataFrame({"limit": [here]})).mark_rule(
        color=colours.HERE, strokeDash=[4, 3]
    )
    label = alt.Chart(pd.DataFrame({"limit": [here]})).mark_text(
        color=colours.HERE, align="left", dx=5, y=8, fontSize=12
    )
    st.altair_chart(
        alt.layer(
            rule.encode(x=x),
            label.encode(x=x, text=alt.value("you are here")),
            lines,
            star.encode(x=x, y=y),
            words.encode(x=x, y=y, text=alt.value(f"least error: T = {best}")),
        ).properties(height=360),
        key="od_trimming",
        alt=f"Expected error over T by its causes; least at T = {best}",
    )
