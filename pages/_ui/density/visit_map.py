"""Two maps with an hour slider, and the week of the zone that is clicked."""

from typing import Any

import numpy as np
import streamlit as st

from engine import density
from engine.contract import Setting
from engine.parameters import HOURS_PER_WEEK
from engine.text.numbers import decimal, hour_of_week, make_inert, number, percent
from pages._ui.answers import cached
from pages._ui.app import error_pages
from pages._ui.components import charts, maps, picture
from pages._ui.components.colours import OTHER, PRIVATE, TRUE
from pages._ui.settings import current, fields, offers, seeds, widgets

SAMPLING_NOTE = (
    "Counting at most ℓ visits lowers the curve. Noise makes it rough, unless the method smooths "
    "it. *Scale up to all visits* lifts the line with noise to about the level of the truth (Acs & "
    "Castelluccia 2014, figures 3–5)."
)
ONE_CLUSTER_NOTE = (
    "All cells were merged into one cluster: before the last merge a cluster was below the cluster "
    "minimum of {} visits. So every zone gets the same weekly profile."
)


def draw(setting: Setting) -> None:
    """Draw the map and the week; the hour, the view and the zone rerun only this part."""

    def part() -> None:
        _draw_maps(setting)
        _draw_week(setting)

    st.fragment(error_pages.catch_errors()(part))()


def zone_ids(setting: Setting) -> list[str]:
    """Return the ids of the zones, in their order."""
    return list(cached.read(maps.zone_names, cached.view_key(setting)))


def selected_zone(setting: Setting) -> str:
    """Return the zone that is chosen, else the busiest one."""
    chosen, ids = st.session_state.get("density_zone"), zone_ids(setting)
    return chosen if chosen in ids else ids[int(cached.truth(setting).sum(axis=1).argmax())]


def _draw_maps(setting: Setting) -> None:
    hour = widgets.draw(fields.HOUR)
    when = f"{hour_of_week(hour)}–{hour % 24 + 1:02d}:00"
    seed = seeds.seed(offers.entry_of(setting))
    truth, private = cached.truth(setting), cached.release(setting, seed).counts
    ids = zone_ids(setting)
    drawing = picture.zones_picture(
        cached.read(picture.shapes, cached.view_key(setting)),
        truth[:, hour],
        private[:, hour],
        topic=f"visits, {when}",
        epsilon=setting.parameters.epsilon,
        is_difference=picture.is_difference(),
        # one cell or hour in 500 lies beyond and takes the colour of the end
        high=max(float(np.quantile(truth, 0.998)), 1.0),
        weights=truth.sum(axis=1),
        marked_zone=ids.index(selected_zone(setting)),
    )

    def choose(position: int) -> None:
        current.set_values(density_zone=ids[position])

    picture.draw(drawing, "visits", has_choice=True, on_zone=choose)


def _draw_week(setting: Setting) -> None:
    entry, view = offers.entry_of(setting), cached.view_key(setting)
    seed, names = seeds.seed(entry), cached.read(maps.zone_names, view)
    release = cached.release(setting, seed)
    st.session_state["density_zone"] = selected_zone(setting)
    chosen = st.selectbox(
        "Week of zone (or click a map)",
        list(names),
        format_func=names.__getitem__,
        key="density_zone",
        **(fields.LINKED if entry.shipped else fields.PERSIST),
    )
    row = list(names).index(chosen)
    series: dict[str, Any] = {"true": cached.truth(setting)[row], "with noise": release.counts[row]}
    limit = setting.parameters.max_visits_per_user
    sampled = "max_visits_per_user" in cached.method_of(setting).used_fields
    if sampled:
        kept_visits = cached.read(density.presampled_counts, view, limit)
        series[f"after sampling (ℓ = {limit})"] = kept_visits[row]
    charts.draw_curve(
        charts.make_lines(series, (TRUE, PRIVATE, OTHER)),
        x=range(HOURS_PER_WEEK),
        x_axis=charts.WEEK,
        y_axis=charts.Axis(title="Visits", tip=",.1f"),
        key="density_week",
        alt=f"Visits over the week in {names[chosen]}: true and noisy counts",
        height=400,
    )
    scores, why = cached.scores(setting, seed), SAMPLING_NOTE if sampled else ""
    if density.ONE_CLUSTER in release.flags:
        why = ONE_CLUSTER_NOTE.format(number(release.cluster_minimum))
    st.caption(
        f"{make_inert(names[chosen])}, in this draw: relative error {percent(scores.error[row])}, "
        f"correlation {decimal(scores.correlation[row])}. {why}"
    )
