"""Error zone by zone: the map (P1, figure 11), and quartiles over ε (figure 10)."""

from typing import Any

import numpy as np
import streamlit as st

from engine.contract import Setting
from engine.text.numbers import decimal, percent
from pages._ui.answers import cached
from pages._ui.app import parallel
from pages._ui.components import charts, maps, picture
from pages._ui.components.charts import Line
from pages._ui.density.method_curves import results_in_place
from pages._ui.density.visit_map import selected_zone, zone_ids
from pages._ui.settings import offers, seeds
from pages._ui.settings.seeds import Seed

EPSILONS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0)
_QUARTILES = (0.25, 0.5, 0.75)


def draw(setting: Setting) -> None:
    """Draw the map of each zone's error beside the quartiles over ε."""
    seed = seeds.seed(offers.entry_of(setting))
    scores, scale = cached.scores(setting, seed), maps.Scale(1.0, "linear")
    places = st.grid(2, min_column_width=400, gap="medium")
    with places.cell():
        shapes = cached.read(picture.shapes, cached.view_key(setting))
        rows = zip(shapes.names, scores.error, scores.correlation, strict=True)
        words = [
            f"{name}\nrelative error: {percent(error)}\ncorrelation: {decimal(correlation)}"
            for name, error, correlation in rows
        ]
        fills = picture.format_colours(scale.colours(scores.error))
        paths = picture.zone_paths(shapes, fills, words)
        paths += picture.mark_zone(shapes, zone_ids(setting).index(selected_zone(setting)))
        busy = cached.truth(setting).sum(axis=1)
        title, alt = "Relative error of each zone", "Map of zones by relative error"
        figure = picture.figure_html(shapes, title, alt, paths, busy)
        topic = "relative error of each zone's week; grey: no visits"
        key = picture.ramp_html(scale, topic, "0%", "100% or more")
        picture.draw(picture.Picture(figure, key), "errors")
    with places.cell():
        points = [(setting.with_epsilon(epsilon), seed) for epsilon in EPSILONS]
        work = parallel.submit("density_quartiles", error_quartiles, points, delay_s=1.0)

        def show(_done: list[Any], _running: bool) -> None:
            low, middle, high = results_in_place(work).T
            if np.isnan(middle).all():
                return
            lowest, highest = np.nanmin(low), np.nanmax(high)
            charts.draw_curve(
                [Line(name="median, quartiles", y=middle, low=low, high=high)],
                x=EPSILONS,
                y_axis=charts.multiple_axis("Relative error of a zone, log scale", lowest, highest),
                current=setting.parameters.epsilon,
                key="density_zones_over",
                alt="Relative error over zones for each epsilon: median and quartiles",
            )

        parallel.draw_live("density_quartiles", work, show, noun="Values of ε")
        empty, flat = (int(np.isnan(errors).sum()) for errors in (scores.error, scores.correlation))
        gaps = f" Not included: {empty} zones without visits and {flat} zones with a constant week."
        st.caption(
            f"Mean over zones in this draw: relative error {percent(scores.mean_error)}, "
            f"correlation {decimal(scores.mean_correlation)}. Bright zones should not be used; "
            "quiet "
            f"ones on the edge go first (P1, figures 10 and 11).{gaps if empty or flat else ''}"
        )


def error_quartiles(setting: Setting, seed: Seed) -> list[float]:
    """Return the quartiles of the zones' errors in the draw shown; NaN where it is of zeros."""
    scores = cached.scores(setting, seed)
    finite_errors = scores.error[np.isfinite(scores.error) & (not scores.is_empty)]
    return np.quantile(finite_errors, _QUARTILES).tolist() if len(finite_errors) else [np.nan] * 3
