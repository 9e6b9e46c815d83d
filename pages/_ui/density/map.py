"""One large map with an hour slider, and the week of the zone that is clicked."""

import time
from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine import density
from engine.arrays import Floats
from engine.contract import Seen
from engine.parameters import HOURS_PER_WEEK
from pages._ui import jobs
from pages._ui.cache import (
    datasets as cached_datasets,
    density as cached_density,
    verbs,
    zones as cached_zones,
)
from pages._ui.cache.pictures import MAP_HOUR
from pages._ui.density import wording as density_wording
from pages._ui.drawing import charts, maps
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE
from pages._ui.shell import catalogue, setting
from pages._ui.shell.problems import guarded
from pages._ui.shell.session import map_size, state, widget_value
from pages._ui.shell.setting import Setting
from pages._ui.views.context import Density
from pages._ui.wording.numbers import RANGE, between, fixed, inert, number, percent
from pages._ui.wording.places import hour_names

VIEWS = {"true": "True", "private": "Private", "error": "Error"}

HOUR = setting.whole_number("density_hour", MAP_HOUR, 0, HOURS_PER_WEEK - 1)
"""An hour; where hours are counted together, the first of their block."""
TICK_S = 0.9
MAP_HEIGHT = 440
MAP_WIDTH = 430
"""Pixels that a map needs beside another part; where there are fewer they stand in one column."""

_BESIDE = {
    "none": "nothing",
    "lpa": "Laplace on every count (figure 3)",
    "plain": "no scaling, no smoothing (figures 4, 5)",
}


@dataclass
class Week:
    """Whether the hours move on by themselves, when they did last, and the zone last clicked."""

    playing: bool = False
    moved_on_s: float = 0.0
    clicked: str | None = None


def draw(context: Density) -> None:
    """Draw the map and the week; the hour, the view and the zone rerun only this part."""
    playing = state(Week).playing

    def part() -> None:
        if state(Week).playing != playing:
            st.rerun()  # the whole page once: a part cannot change how often it runs
        with st.container(key="density_live_map"):
            _explore(context, playing=playing)

    st.fragment(guarded(part), run_every=TICK_S if playing else None)()


def _explore(context: Density, *, playing: bool) -> None:
    starts = list(range(HOURS_PER_WEEK))
    if playing:
        _advance(starts)
    _take_click(context.key)
    truth = verbs.truth(context.key)
    private = verbs.release(*context.asked).counts
    # side by side where there is room for the whole map, else one below the other
    places = st.grid(2, min_column_width=MAP_WIDTH - 30, gap="medium")
    with places.cell():
        view, block = _controls(starts, playing=playing)
        _map(context, truth, private, view, block, playing=playing)
    with places.cell():
        _week(context, truth, private)


def _controls(starts: list[int], *, playing: bool) -> tuple[str, int]:
    names = dict(zip(starts, hour_names(), strict=True))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        view = setting.draw(
            st.segmented_control,
            "Map of visits in one hour" if len(starts) == HOURS_PER_WEEK else "Map of visits",
            setting.choice("density_map_view", VIEWS, "private"),
            VIEWS,
        )
        st.button(
            "Pause" if playing else "Play",
            icon=":material/pause:" if playing else ":material/play_arrow:",
            key="density_play",
            help="Run through the week.",
            on_click=_play,
            args=(not playing,),  # said outright: a click that is told twice must not undo itself
        )
    # on a line of its own: 168 hours need the whole width
    start = setting.draw(
        st.select_slider,
        f"{'Hour' if len(starts) == HOURS_PER_WEEK else 'Time'} of the week (local time)",
        HOUR,
        names,
    )
    return view or "private", starts.index(start)


def _map(
    context: Density, truth: Floats, private: Floats, view: str, block: int, *, playing: bool
) -> None:
    """Draw the map of one hour or block; counts share one scale over the whole week.

    While the hours rest, releases are drawn beside the page, for the range of each zone.
    """
    most, largest_error = cached_density.map_limits(*context.asked)
    when = hour_names()[block]
    true_now, private_now = truth[:, block], private[:, block]
    error = private_now - true_now
    # the legend stands above the map, where the map's own toolbar would cover the controls
    if view == "error":
        scale = maps.Scale(-largest_error, largest_error, "diverging")
        ends = (f"{largest_error:,.0f} too few", f"{largest_error:,.0f} too many")
        scale.legend(f"private less true visits, {when}", *ends)
    else:
        scale = maps.Scale(0.0, most)
        scale.legend(f"visits, {when}; one scale for true and private", "0", f"{most:,.0f} or more")
    zones = cached_datasets.outlines(context.key)
    said = {
        "true": [number(value) for value in true_now],
        "private": [number(value) for value in private_now],
        "error": [_signed(value) for value in error],
    }
    if not playing:
        asked = context.key, context.parameters, context.seed, None, block
        work = jobs.job("density_ranges", cached_zones.ranges, *asked, delay_s=jobs.RESTED_S)
        jobs.live("density_ranges", work, lambda _: None)
        if work.result is not None:
            said[RANGE] = [between(*ends) for ends in zip(*work.result, strict=True)]
    maps.zone_map(
        zones,
        {"true": true_now, "private": private_now, "error": error}[view],
        scale,
        key=_map_key(context.key),
        alt=f"Map of zones: {VIEWS[view].lower()} visits, {when}",
        tooltip=said,
        **map_size(MAP_WIDTH, MAP_HEIGHT),
        selectable=True,
        marked=zones.ids.index(zone(context.key)),
    )


def _week(context: Density, truth: Floats, private: Floats) -> None:
    zones = cached_datasets.outlines(context.key)
    names = dict(zip(zones.ids, cached_datasets.dataset(context.key).zones["name"], strict=True))
    top, beside = st.columns([1, 1])
    zone = setting.draw(
        top.selectbox, "Week of zone (or click the map)", _zone_setting(context.key), names
    )
    other = setting.draw(
        beside.selectbox,
        "Compare with",
        setting.choice("density_beside", _BESIDE, "none"),
        [key for key in _BESIDE if key != "plain" or "scaling" in context.method.uses],
        format_func=_BESIDE.__getitem__,
    )
    row = zones.ids.index(zone)
    kept = context.parameters.max_visits_per_user
    sampled = "max_visits_per_user" in context.method.uses
    series = {"true": truth[row], "private": private[row]}
    if sampled:
        series[f"pre-sampled (ℓ = {kept})"] = verbs.of(density.presampled, context.key, kept)[row]
    if other != "none":
        varied = (
            context.vary(method="lpa")
            if other == "lpa"
            else context.vary(scaling=False, smoothing=False)
        )
        label = "Laplace on every count" if other == "lpa" else "no scaling, no smoothing"
        series[label] = verbs.release(*varied.asked).counts[row]
    x, at = charts.week()
    charts.curve(
        charts.lines(series, (TRUE, PRIVATE, OTHER, HERE)),
        x=x,
        at=at,
        of=charts.Axis(title="Visits", tip=",.1f"),
        key="density_week",
        alt=f"Visits over the week in {names[zone]}: true and private",
        height=400,
    )
    scores = verbs.scores(*context.asked)
    st.caption(
        f"{inert(names[zone])}: relative error {percent(scores.error[row])}, "
        f"correlation {fixed(scores.correlation[row])}. "
        f"{density_wording.LOOK['week' if sampled else 'week_zoom']}"
    )


def _map_key(key: Seen) -> str:
    return f"density_map_{key}"


def _take_click(key: Seen) -> None:
    """Choose the zone that was just clicked, before anything is drawn."""
    event = widget_value(_map_key(key))
    clicked = event["selection"]["objects"].get("zones") if event else None
    zone = str(clicked[0]["properties"]["id"]) if clicked else None
    if zone != state(Week).clicked:
        state(Week).clicked = zone
        if zone is not None:
            setting.put(_zone_setting(key), zone)


def zone(key: Seen) -> str:
    """Return the chosen zone, or a busy one near the middle of the region."""
    chosen = setting.value(_zone_setting(key))
    return (
        chosen if chosen in cached_datasets.outlines(key).ids else cached_density.central_zone(key)
    )


def mark(key: Seen, chosen: str) -> None:
    """Choose a zone from a table of the page (in a callback)."""
    setting.put(_zone_setting(key), chosen)


def _zone_setting(key: Seen) -> Setting[str]:
    ids = cached_datasets.outlines(key).ids
    middle = cached_density.central_zone(key)
    return setting.place("density_zone", ids, middle, shared=catalogue.shipped(key))


def _play(playing: bool) -> None:
    state(Week).playing = playing


def _advance(starts: list[int]) -> None:
    """Go to the next time, unless the last step was only a moment ago (a click between two)."""
    now = time.monotonic()
    if now - state(Week).moved_on_s > 0.7 * TICK_S:
        state(Week).moved_on_s = now
        later = [start for start in starts if start > setting.value(HOUR)]
        setting.put(HOUR, later[0] if later else starts[0])


def _signed(value: float) -> str:
    sign = "+" if value > 0 else "−" if value < 0 else ""
    return sign + number(abs(float(np.round(value, 6))))
