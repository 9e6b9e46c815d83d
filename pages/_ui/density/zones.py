"""Error zone by zone: boxes over ε (P1, figure 10) and maps of each zone's error (figure 11)."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import streamlit as st

from engine.arrays import Floats, Integers
from engine.parameters import DensityParameters
from pages._ui import jobs
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import density as cached_density
from pages._ui.density import charts as density_charts
from pages._ui.density import map as density_map
from pages._ui.density import wording as density_wording
from pages._ui.density.map import MAP_WIDTH
from pages._ui.density.settings import Chosen
from pages._ui.drawing import maps, rows
from pages._ui.jobs import Job, Step
from pages._ui.shell.session import map_size
from pages._ui.shell.settings import Seed
from pages._ui.wording.numbers import fixed, number, percent

EPSILONS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0)
_ROWS = "density_worst_rows"
_QUANTILES = {"low": 0.05, "lower": 0.25, "median": 0.5, "upper": 0.75, "high": 0.95}
_MEASURES = {"error": "Relative error (MRE)", "correlation": "Rhythm kept (Pearson r)"}


def draw(chosen: Chosen) -> None:
    """Draw the map of each zone's error, then boxes over ε."""
    _map(chosen)
    _boxes(chosen)


def _map(chosen: Chosen) -> None:
    st.markdown("**Which zones can be used?**")
    with st.container(horizontal=True, gap="large"):
        measure = st.segmented_control(
            "Measure", list(_MEASURES), format_func=_MEASURES.__getitem__, default="error",
            required=True, key="density_quality_measure",
        )  # fmt: skip
        method = st.segmented_control(
            "Method",
            ["here", "lpa"],
            format_func={"here": "this setting", "lpa": "Laplace on the cover (LPA)"}.__getitem__,
            default="here",
            required=True,
            key="density_quality_method",
        )
    parameters = chosen.parameters if method == "here" else chosen.vary(method="lpa")
    scores = cached_density.scores(chosen.key, parameters, chosen.seed)
    values = scores.error if measure == "error" else np.maximum(scores.correlation, 0.0)
    scale = maps.Scale(0.0, 1.0, "linear")
    zones = cached_datasets.outlines(chosen.key)
    places = st.grid(2, min_column_width=MAP_WIDTH - 30, gap="medium")
    with places.cell():
        maps.zone_map(
            zones,
            values,
            scale,
            key=f"density_quality_{cached_density.version_name(chosen.key)}",
            alt=f"Map of zones by {_MEASURES[measure]}",
            tooltip={
                "relative error": [percent(value) for value in scores.error],
                "correlation": [fixed(value) for value in scores.correlation],
            },
            **map_size(MAP_WIDTH, 400),
            marked=zones.ids.index(density_map.zone(chosen.key)),
        )
        ends = ("0%", "100% or more") if measure == "error" else ("0 or less", "1")
        scale.legend(f"{_MEASURES[measure]} of each zone's week; grey: undefined", *ends)
    with places.cell():
        st.markdown(
            f"Mean over zones: relative error **{percent(scores.mean_error)}**, "
            f"correlation **{fixed(scores.mean_correlation)}**."
        )
        st.caption(f"{density_wording.LOOK['quality']} {_undefined(scores)}")
        order = _order(scores)
        at = zones.ids.index(density_map.zone(chosen.key))
        clicked = rows.draw(
            _worst(chosen, scores, order),
            key=_ROWS,
            chosen=order.tolist().index(at) if at in order else None,
            what="Mark this zone on both maps",
        )
        if clicked is not None and clicked < len(order):
            density_map.mark(chosen.key, zones.ids[order[clicked]])
            st.rerun()
        st.caption("Click a row to mark the zone on both maps of this page.")


def _undefined(scores: cached_density.DensityScores) -> str:
    """Say how many zones are left out of the means."""
    empty = int(np.isnan(scores.error).sum())
    flat = int(np.isnan(scores.correlation).sum())
    if not empty and not flat:
        return ""
    return (
        f"Left out: {empty} zones without any visit have no relative error, and {flat} zones "
        "whose true or private week is constant have no correlation."
    )


def _order(scores: cached_density.DensityScores) -> Integers:
    return np.argsort(-np.nan_to_num(scores.error, nan=-1.0), kind="stable")[:6]


def _worst(
    chosen: Chosen, scores: cached_density.DensityScores, order: Integers
) -> dict[str, list[str]]:
    names = cached_datasets.dataset(chosen.key).zones["name"].to_numpy()
    visits = cached_density.visits_an_hour(chosen.key)[order]
    return {
        "Zones that lose most": [str(name) for name in names[order]],
        "Visits an hour": [number(value) for value in visits],
        "MRE": [percent(value) for value in scores.error[order]],
        "r": [fixed(value) for value in scores.correlation[order]],
    }


def _boxes(chosen: Chosen) -> None:
    st.markdown("**How different are the zones?** Each box is the middle half of all zones")
    epsilons = sorted({*EPSILONS, chosen.epsilon})
    settings = {epsilon: chosen.vary(epsilon=epsilon) for epsilon in epsilons}
    work = jobs.job("boxes", _steps, chosen.key, tuple(settings.items()), chosen.seed)

    def show(running: Job) -> None:
        jobs.progress(running, "Values of ε", "boxes")
        tables = running.result or {}
        for column, (measure, title) in zip(
            st.columns(2, gap="large"), _MEASURES.items(), strict=True
        ):
            if tables.get(measure):
                with column:
                    density_charts.boxes(
                        pd.DataFrame(tables[measure]),
                        title=title,
                        percent=measure == "error",
                        current=chosen.epsilon,
                        key=f"density_boxes_{measure}",
                        alt_text=f"{title} over zones for each epsilon, as box plots",
                    )
        st.caption(
            "Box: quartiles; red: median; line: 5% to 95% of zones. "
            + f"{density_wording.LOOK['boxes']} {density_wording.ABOVE_FOUR}"
        )

    jobs.live("boxes", work, show)


def _steps(
    key: str, settings: tuple[tuple[float, DensityParameters], ...], seed: Seed
) -> Iterator[Step]:
    tables: dict[str, list[dict[str, float]]] = {measure: [] for measure in _MEASURES}
    for done, (epsilon, parameters) in enumerate(settings, start=1):
        scores = cached_density.scores(key, parameters, seed)
        for measure, boxes in tables.items():
            summary = _quantiles(getattr(scores, measure))
            if summary:
                boxes.append({"epsilon": epsilon, **summary})
        yield Step(done, len(settings), {name: list(rows) for name, rows in tables.items()})


def _quantiles(values: Floats) -> dict[str, float]:
    known = values[np.isfinite(values)]
    if not len(known):
        return {}
    quantiles = np.quantile(known, list(_QUANTILES.values()))
    return dict(zip(_QUANTILES, quantiles.tolist(), strict=True))
