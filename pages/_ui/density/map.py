"""One large map with an hour slider, and the week of the zone that is clicked."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from engine import density
from engine.contract import Setting
from engine.datasets import Dataset
from engine.parameters import HOURS_PER_WEEK
from pages._ui import cached, state
from pages._ui.drawing import charts, maps
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE
from pages._ui.shell.problems import guarded
from pages._ui.shell.session import map_size, state as kept, widget_value
from pages._ui.wording.numbers import fixed, inert, number, percent

VIEWS = ("True", "Private", "Error")
TICK_S = 0.9
WIDTH, HEIGHT = 430, 440
"""Pixels that a map needs beside another part; where there are fewer they stand in one column."""
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_BUSY_HOUR = 2 * 24 + 18
_BESIDE = {
    "none": "nothing",
    "lpa": "Laplace on every count (P1, figure 3)",
    "plain": "no scaling, no smoothing (P1, figures 4, 5)",
}


@dataclass
class Week:
    """Whether the hours move on by themselves, when they did last, and the zone last clicked."""

    playing: bool = False
    moved_on_s: float = 0.0
    clicked: str | None = None


def draw(setting: Setting) -> None:
    """Draw the map and the week; the hour, the view and the zone rerun only this part."""
    playing = kept(Week).playing

    def part() -> None:
        if kept(Week).playing != playing:
            st.rerun()  # the whole page once: a part cannot change how often it runs
        with st.container(key="density_live_map"):
            _explore(setting)

    st.fragment(guarded(part), run_every=TICK_S if playing else None)()


def outlines(setting: Setting) -> maps.Outlines:
    """Return the zones seen, ready to draw."""
    return cached.of(maps.outlines, cached.view(setting))


def zone(setting: Setting) -> str:
    """Return the zone that is chosen, else a busy one near the middle."""
    chosen = st.session_state.get("density_zone")
    at = cached.view(setting)
    return chosen if chosen in outlines(setting).ids else cached.of(central_zone, at)


def central_zone(dataset: Dataset) -> str:
    """Return the id of the zone nearest to the middle among the busier half.

    It reads the truth, which the page shows beside it; no slider and no draw changes the choice.
    """
    visits = density.truth(dataset).sum(axis=1)
    centres = dataset.tessellation.zone_centres_m
    middle = (centres.min(axis=0) + centres.max(axis=0)) / 2
    away = ((centres - middle) ** 2).sum(axis=1)
    usual = np.median(visits[visits > 0]) if (visits > 0).any() else 0.0
    nearest = int(np.argmin(np.where(visits >= usual, away, np.inf)))
    return str(dataset.zones["zone_id"].iloc[nearest])


def _explore(setting: Setting) -> None:
    if kept(Week).playing:
        _advance()
    event = widget_value("density_map")
    clicked = event["selection"]["objects"].get("zones") if event else None
    found = str(clicked[0]["properties"]["id"]) if clicked else None
    if found != kept(Week).clicked:
        kept(Week).clicked = found
        if found is not None:
            st.session_state["density_zone"] = found
    places = st.grid(2, min_column_width=WIDTH - 30, gap="medium")
    with places.cell():
        _map(setting)
    with places.cell():
        _week(setting)


def _map(setting: Setting) -> None:
    playing = kept(Week).playing
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        view = st.segmented_control(
            "Map of visits in one hour",
            VIEWS,
            default="Private",
            required=True,
            key="density_map_view",
            **state.LINKED,
        )
        st.button(
            "Pause" if playing else "Play",
            icon=":material/pause:" if playing else ":material/play_arrow:",
            key="density_play",
            on_click=_play,
            args=(not playing,),  # said outright: a click told twice must not undo itself
        )
    hour = st.slider(
        "Hour of the week (local time)",
        0,
        HOURS_PER_WEEK - 1,
        _BUSY_HOUR,
        key="density_hour",
        **state.LINKED,
    )
    when = f"{_DAYS[hour // 24]} {hour % 24:02d}:00–{hour % 24 + 1:02d}:00"
    seed = state.seed(state.entry_of(setting))
    truth, private = cached.truth(setting), cached.release(setting, seed).counts
    error = private - truth
    # one cell or hour in 500 lies beyond and takes the colour of the end
    most, off = (max(float(np.quantile(each, 0.998)), 1.0) for each in (truth, np.abs(error)))
    if view == "Error":
        scale = maps.Scale(-off, off, "diverging")
        ends = f"{number(off)} too few", f"{number(off)} too many"
        scale.legend(f"private less true visits, {when}", *ends)
    else:
        scale = maps.Scale(0.0, most)
        what = f"visits, {when}; one scale for true and private"
        scale.legend(what, "0", f"{number(most)} or more")
    zones = outlines(setting)
    columns = {"True": truth[:, hour], "Private": private[:, hour], "Error": error[:, hour]}
    maps.zone_map(
        zones,
        columns[view or "Private"],
        scale,
        key="density_map",
        alt=f"Map of zones: {view} visits, {when}",
        tooltip={name.lower(): [number(one) for one in each] for name, each in columns.items()},
        **map_size(WIDTH, HEIGHT),
        selectable=True,
        marked=zones.ids.index(zone(setting)),
    )


def _week(setting: Setting) -> None:
    entry, seed = state.entry_of(setting), state.seed(state.entry_of(setting))
    names = cached.of(zone_names, cached.view(setting))
    st.session_state["density_zone"] = zone(setting)
    top, beside = st.columns([1, 1])
    chosen = top.selectbox(
        "Week of zone (or click the map)",
        list(names),
        format_func=names.__getitem__,
        key="density_zone",
        **(state.LINKED if entry.shipped else state.KEPT),
    )
    staged = "scaling" in cached.method_of(setting).uses
    other = beside.selectbox(
        "Compare with",
        [one for one in _BESIDE if one != "plain" or staged],
        format_func=_BESIDE.__getitem__,
        key="density_beside",
        **state.LINKED,
    )
    row = list(names).index(chosen)
    series: dict[str, Any] = {
        "true": cached.truth(setting)[row],
        "private": cached.release(setting, seed).counts[row],
    }
    limit = setting.parameters.max_visits_per_user
    if "max_visits_per_user" in cached.method_of(setting).uses:
        sampled = cached.of(density.presampled, cached.view(setting), limit)
        series[f"pre-sampled (ℓ = {limit})"] = sampled[row]
    if other != "none":
        changes: dict[str, Any] = {"method": "lpa"}
        if other == "plain":
            changes = {"method": setting.parameters.method, "scaling": False, "smoothing": False}
        varied = state.density(**changes)
        assert varied is not None  # as the setting itself
        name = _BESIDE[other].partition(" (")[0]
        series[name] = cached.release(varied, seed).counts[row]
    charts.curve(
        charts.lines(series, (TRUE, PRIVATE, OTHER, HERE)),
        x=range(HOURS_PER_WEEK),
        at=charts.Axis(
            title="Hour of the week (local time), from Monday",
            ticks=range(0, HOURS_PER_WEEK, 24),
            domain=(0, HOURS_PER_WEEK - 1),
        ),
        of=charts.Axis(title="Visits", tip=",.1f"),
        key="density_week",
        alt=f"Visits over the week in {names[chosen]}: true and private",
        height=400,
    )
    scores = cached.scores(setting, seed)
    st.caption(
        f"{inert(names[chosen])}: relative error {percent(scores.error[row])}, "
        f"correlation {fixed(scores.correlation[row])}. Pre-sampling lowers the curve, noise makes "
        "it rough; scaling lifts the private line back to the truth (P1, figures 3–5)."
        if "max_visits_per_user" in cached.method_of(setting).uses
        else f"{inert(names[chosen])}: relative error {percent(scores.error[row])}, correlation "
        f"{fixed(scores.correlation[row])}. What noise can explain is evened out: small bumps of "
        "one place go first."
    )


def zone_names(dataset: Dataset) -> dict[str, str]:
    """Return the names of the zones by their ids, in their order."""
    zones = dataset.zones
    return dict(zip(zones["zone_id"].astype(str), zones["name"].astype(str), strict=True))


def _play(playing: bool) -> None:
    kept(Week).playing = playing


def _advance() -> None:
    """Go to the next hour, unless the last step was only a moment ago (a click between two)."""
    now = time.monotonic()
    if now - kept(Week).moved_on_s > 0.7 * TICK_S:
        kept(Week).moved_on_s = now
        hour = st.session_state.get("density_hour", _BUSY_HOUR)
        st.session_state["density_hour"] = (hour + 1) % HOURS_PER_WEEK
