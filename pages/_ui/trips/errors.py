"""Origin–destination page: methods side by side, and the distributions of errors (figure 2)."""

from typing import Any

import numpy as np
import streamlit as st

from engine.arrays import Floats, Numbers
from engine.datasets import Dataset
from engine.geography import centre_distances_m
from engine.origin_destination import METHODS
from engine.origin_destination.estimate.prediction import spread
from engine.origin_destination.exact import Expectation, Population
from engine.origin_destination.scores import drawn_scores, total_error
from pages._ui import cached, state
from pages._ui.drawing import charts, colours, tables
from pages._ui.drawing.charts import STROKES, Line
from pages._ui.trips.matrix import Matrix
from pages._ui.wording.numbers import number, percent

POPULATIONS: dict[Population, str] = {
    "travelled": "flows with a trip",
    "large": "flows of at least τ",
    "all": "all pairs of zones",
}
_SHADES = {0.1: "#9aa7b1", 0.5: "#5b9fc9", 1.0: "#2a6f97"}
_RELATIVE = (*np.linspace(0.0, 1.975, 80).round(3).tolist(), 1.9999, 2.0)  # a step at the end
_TICKS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_LEAST_DISTANCE_M = 500.0


def draw(matrix: Matrix) -> None:
    """Draw the methods' table of one matrix, then the distributions of the published method."""
    _methods(matrix)
    if matrix.has_law:
        _distributions(matrix)


def _methods(matrix: Matrix) -> None:
    """Draw every method on the same noise, and what the map alone makes of noisy zone totals."""
    true = matrix.truth
    rows: list[tuple[str, ...]] = []
    for key, method in METHODS.items():
        one = matrix.vary(method=key)
        scores = cached.scores(one.setting, matrix.seed, day=matrix.day)
        sums = one.release.counts[0]
        rows.append(_row(method.name, scores.mean_error, scores.common_part, true, sums))
    noisy = matrix.vary(method="estimate").release.measurement.cells[0]
    metres = cached.of(_distances, cached.view(matrix.setting))
    near = 1 / np.maximum(metres, _LEAST_DISTANCE_M) ** 2
    np.fill_diagonal(near, 0.0)
    flows = spread(noisy.sum(axis=1), noisy.sum(axis=0), near)
    map_alone = drawn_scores(true, flows, 1)
    rows.append(
        _row("Noisy totals and the map alone", map_alone.mean_error, map_alone.common_part,
             true, noisy)
    )  # fmt: skip
    tables.rows(("Method, one draw", "Mean error (trips)", "Common part", "Totals off by"), rows)
    st.caption(
        "All spend the same ε and read the same noise. Totals of zones are best by the noisy sums "
        "themselves. The last row knows how many trips leave and enter each zone and spreads them "
        "by distance: what a method must beat. "
        + " ".join(line for one in METHODS.values() for line in one.loses)
    )


def _row(name: str, error: float, common: float, true: Numbers, sums: Numbers) -> tuple[str, ...]:
    off = total_error(true.sum(axis=1), sums.sum(axis=1))
    return name, number(error, 3), percent(common), percent(off)


def _distributions(matrix: Matrix) -> None:
    population: Any = st.segmented_control(
        "Averaged over",
        list(POPULATIONS),
        default="travelled",
        required=True,
        format_func=POPULATIONS.__getitem__,
        key="od_errors_population",
        **state.KEPT,
    )
    shades = {
        epsilon: shade for epsilon, shade in _SHADES.items() if epsilon != matrix.parameters.epsilon
    }
    settings = {f"ε = {epsilon:g}": matrix.vary(epsilon=epsilon) for epsilon in shades}
    settings[f"yours: ε = {matrix.parameters.epsilon:g}"] = matrix
    shown = [*shades.values(), colours.HERE]
    worst = min(settings.values(), key=lambda one: one.parameters.epsilon).expected
    if not worst.weights(population).any():
        st.info("There are no such flows in this window; choose others above.")
        return
    reach = max(20.0, 8 * worst.mean_error(population))
    absolute = tuple(np.unique(np.geomspace(1, reach + 1, 48).round() - 1).tolist())
    for column, points in zip(st.columns(2, gap="large"), (absolute, _RELATIVE), strict=True):
        with column:
            _curves(settings, shown, population, points, relative=points is _RELATIVE)
    tables.rows(*_summary(settings, population))
    st.caption(
        f"Over {POPULATIONS[population]}. Exact, without drawing: each curve is the share of flows "
        "whose error is at most the value below; the step at 200% is flows that are suppressed or "
        "invented. The symmetric relative error is 2·|private − true| / (private + true), the "
        "other |private − true| / max(true, 1)."
    )


def _curves(
    settings: dict[str, Matrix],
    shades: list[str],
    population: Population,
    points: tuple[float, ...],
    *,
    relative: bool,
) -> None:
    """Draw the share of flows whose error is at most so large, one curve a setting."""
    title = "Symmetric relative error of at most …" if relative else "Error of at most … trips"
    charts.curve(
        [
            Line(
                name=name,
                y=_within(one.expected, points, population, relative=relative),
                colour=shade,
                dash=dash,
            )
            for (name, one), shade, dash in zip(settings.items(), shades, STROKES, strict=False)
        ],
        x=points,
        at=charts.share(title, domain=None, tip=".0%")
        if relative
        else charts.Axis(title=title, kind="symlog", ticks=[x for x in _TICKS if x <= points[-1]]),
        of=charts.share("Share of flows"),
        step=not relative,
        key=f"od_error_{'relative' if relative else 'absolute'}",
        alt=f"Distribution: {title}",
        height=320,
    )


def _within(
    exact: Expectation, points: tuple[float, ...], population: Population, *, relative: bool
) -> list[float]:
    within = exact.relative_error_within if relative else exact.absolute_error_within
    return within(points, population).tolist()


def _distances(dataset: Dataset) -> Floats:
    return centre_distances_m(dataset.zones)


def _summary(settings: dict[str, Matrix], population: Population) -> tables.Lines:
    heads = "Setting", "Median (trips)", "Mean (trips)", "Median symmetric", "Relative (MRE)"
    laws = {name: one.expected for name, one in settings.items()}
    return heads, [
        (
            name,
            number(exact.median_error(population)),
            number(exact.mean_error(population), 3),
            percent(exact.median_relative_error(population)),
            percent(exact.relative_error(population)),
        )
        for name, exact in laws.items()
    ]
