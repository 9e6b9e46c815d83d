"""Error zone by zone: boxes over ε (P1, figure 10) and maps of each zone's error (figure 11)."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import streamlit as st

from engine.arrays import Floats, Integers
from engine.contract import Seen
from engine.density import DensityScores
from engine.parameters import DensityParameters
from pages._ui import jobs
from pages._ui.cache import datasets as cached_datasets, density as cached_density, verbs
from pages._ui.density import map as density_map, wording as density_wording
from pages._ui.density.map import MAP_WIDTH
from pages._ui.drawing import charts, maps, tables
from pages._ui.drawing.charts import Axis, Mark
from pages._ui.drawing.colours import HERE, PRIVATE, TRUE
from pages._ui.jobs import Job, Step
from pages._ui.shell.session import map_size
from pages._ui.shell.settings import Seed
from pages._ui.views.context import Density
from pages._ui.wording.numbers import fixed, number, percent

EPSILONS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0)
_LEAST = 0.001
"""Smaller errors are drawn here: a logarithmic axis has no 0."""

_QUANTILES = {"low": 0.05, "lower": 0.25, "median": 0.5, "upper": 0.75, "high": 0.95}
_MEASURES = {"error": "Relative error (MRE)", "correlation": "Rhythm kept (Pearson r)"}


def draw(context: Density) -> None:
    """Draw the map of each zone's error, then boxes over ε."""
    _map(context)
    _boxes(context)


def _map(context: Density) -> None:
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
    judged = context if method == "here" else context.vary(method="lpa")
    scores = verbs.scores(*judged.asked)
    values = scores.error if measure == "error" else np.maximum(scores.correlation, 0.0)
    scale = maps.Scale(0.0, 1.0, "linear")
    zones = cached_datasets.outlines(context.key)
    places = st.grid(2, min_column_width=MAP_WIDTH - 30, gap="medium")
    with places.cell():
        maps.zone_map(
            zones,
            values,
            scale,
            key=f"density_quality_{context.key}",
            alt=f"Map of zones by {_MEASURES[measure]}",
            tooltip={
                "relative error": [percent(value) for value in scores.error],
                "correlation": [fixed(value) for value in scores.correlation],
            },
            **map_size(MAP_WIDTH, 400),
            marked=zones.ids.index(density_map.zone(context.key)),
        )
        ends = ("0%", "100% or more") if measure == "error" else ("0 or less", "1")
        scale.legend(f"{_MEASURES[measure]} of each zone's week; grey: undefined", *ends)
    with places.cell():
        st.markdown(
            f"Mean over zones: relative error **{percent(scores.mean_error)}**, "
            f"correlation **{fixed(scores.mean_correlation)}**."
        )
        st.caption(f"{density_wording.LOOK['quality']} {_undefined(scores)}")
        tables.draw(_worst(context, scores, _order(scores)))


def _undefined(scores: DensityScores) -> str:
    """Say how many zones are left out of the means."""
    empty = int(np.isnan(scores.error).sum())
    flat = int(np.isnan(scores.correlation).sum())
    if not empty and not flat:
        return ""
    return (
        f"Left out: {empty} zones without any visit have no relative error, and {flat} zones "
        "whose true or private week is constant have no correlation."
    )


def _order(scores: DensityScores) -> Integers:
    return np.argsort(-np.nan_to_num(scores.error, nan=-1.0), kind="stable")[:6]


def _worst(context: Density, scores: DensityScores, order: Integers) -> dict[str, list[str]]:
    names = cached_datasets.dataset(context.key).zones["name"].to_numpy()
    visits = cached_density.visits_an_hour(context.key)[order]
    return {
        "Zones that lose most": [str(name) for name in names[order]],
        "Visits an hour": [number(value) for value in visits],
        "MRE": [percent(value) for value in scores.error[order]],
        "r": [fixed(value) for value in scores.correlation[order]],
    }


def _boxes(context: Density) -> None:
    st.markdown("**How different are the zones?** Each box is the middle half of all zones")
    epsilons = sorted({*EPSILONS, context.epsilon})
    settings = tuple((one, context.vary(epsilon=one).parameters) for one in epsilons)
    work = jobs.job("boxes", _steps, context.key, settings, context.seed)

    def show(running: Job) -> None:
        jobs.progress(running, "Values of ε", "boxes")
        tables = running.result or {}
        for column, (measure, title) in zip(
            st.columns(2, gap="large"), _MEASURES.items(), strict=True
        ):
            if tables.get(measure):
                with column:
                    _box(tables[measure], measure, title, context.epsilon)
        st.caption(
            "Box: quartiles; red: median; line: 5% to 95% of zones. "
            + f"{density_wording.LOOK['boxes']} {density_wording.ABOVE_FOUR}"
        )

    jobs.live("boxes", work, show)


def _box(rows: list[dict[str, float]], measure: str, title: str, current: float) -> None:
    """Draw one box an ε: the middle half of the zones, their median and 5% to 95%."""
    table = pd.DataFrame(rows)
    quantiles = table[list(_QUANTILES)].clip(lower=_LEAST if measure == "error" else None)
    lowest, highest = float(quantiles["low"].min()), float(quantiles["high"].max())
    shades = [PRIVATE if one == current else f"{PRIVATE}66" for one in table["epsilon"]]
    low, lower, median, upper, high = (quantiles[name].tolist() for name in _QUANTILES)
    charts.bars(
        [f"{one:g}" for one in table["epsilon"]],
        [
            Mark(name="5% to 95%", values=low, to=high, colour=TRUE, kind="rule"),
            Mark(name="25% to 75%", values=lower, to=upper, colour=shades, kind="narrow"),
            Mark(name="Median", values=median, colour=HERE, kind="tick"),
        ],
        of=charts.multiples(title, 0.9 * lowest, highest)
        if measure == "error"
        else Axis(title=title, form=",~f", tip=".3f", ticks=6, zero=False),
        title="Privacy loss (ε)",
        upright=True,
        legend=False,
        key=f"density_boxes_{measure}",
        alt=f"{title} over zones for each epsilon, as box plots",
        height=320,
    )


def _steps(
    key: Seen, settings: tuple[tuple[float, DensityParameters], ...], seed: Seed
) -> Iterator[Step]:
    tables: dict[str, list[dict[str, float]]] = {measure: [] for measure in _MEASURES}
    for done, (epsilon, parameters) in enumerate(settings, start=1):
        scores = verbs.scores(key, parameters, seed)
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
