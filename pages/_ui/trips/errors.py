"""Origin–destination page: methods side by side, and the distributions of errors (figure 2)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from engine.arrays import Floats, Numbers
from engine.datasets import Dataset
from engine.geography import centre_distances_m
from engine.origin_destination import METHODS
from engine.origin_destination.estimate.prediction import spread
from engine.origin_destination.exact import Expectation, Population
from engine.origin_destination.scores import TripScores, drawn_scores, total_error
from pages._ui import cached, state
from pages._ui.drawing import charts, colours, tables
from pages._ui.trips.matrix import Matrix, choose
from pages._ui.wording.numbers import number, percent

POPULATIONS: dict[Population, str] = {
    "travelled": "flows with a trip",
    "large": "flows of at least τ",
    "all": "all pairs of zones",
}
_EPSILONS = {0.1: "#9aa7b1", 0.5: "#5b9fc9", 1.0: "#2a6f97"}
_SHARES = (*np.linspace(0.0, 1.975, 80).round(3).tolist(), 1.9999, 2.0)  # a step at the end
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

    def add(name: str, scores: TripScores, sums: Numbers) -> None:
        off = percent(total_error(true.sum(axis=1), sums.sum(axis=1)))
        rows.append((name, number(scores.mean_error, 3), percent(scores.common_part), off))

    for key, method in METHODS.items():
        one = matrix.vary(method=key)
        scores = cached.scores(one.setting, matrix.seed, day=matrix.day)
        add(method.name, scores, one.release.counts[0])
    noisy = matrix.vary(method="estimate").release.measurement.cells[0]
    near = cached.of(_nearness, cached.view(matrix.setting))
    flows = spread(noisy.sum(axis=1), noisy.sum(axis=0), near)
    add("Noisy totals and the map alone", drawn_scores(true, flows, 1), noisy)
    tables.rows(("Method, one draw", "Mean error (trips)", "Common part", "Totals off by"), rows)
    st.caption(
        "All spend the same ε and read the same noise. Totals of zones are best by the noisy sums "
        "themselves. The last row knows how many trips leave and enter each zone and spreads them "
        "by distance: what a method must beat. "
        + " ".join(line for one in METHODS.values() for line in one.loses)
    )


def _nearness(dataset: Dataset) -> Floats:
    near = np.maximum(centre_distances_m(dataset.zones), _LEAST_DISTANCE_M) ** -2
    np.fill_diagonal(near, 0.0)
    return near


def _distributions(matrix: Matrix) -> None:
    population: Any = choose("Averaged over", POPULATIONS, "od_errors_population", **state.KEPT)
    own = matrix.parameters.epsilon
    others = {epsilon: shade for epsilon, shade in _EPSILONS.items() if epsilon != own}
    laws = {f"ε = {epsilon:g}": matrix.vary(epsilon=epsilon).expected for epsilon in others}
    laws[f"yours: ε = {own:g}"] = matrix.expected
    widest = next(iter(laws.values())) if not others or own > min(others) else matrix.expected
    if not widest.weights(population).any():
        st.info("There are no such flows in this window; choose others above.")
        return
    reach = max(20.0, 8 * widest.mean_error(population))
    trips = np.unique(np.geomspace(1, reach + 1, 48).round() - 1).tolist()
    absolute = {name: law.absolute_error_within(trips, population) for name, law in laws.items()}
    relative = {name: law.relative_error_within(_SHARES, population) for name, law in laws.items()}
    ticks = [x for x in _TICKS if x <= trips[-1]]
    colours_of = [*others.values(), colours.HERE]
    left, right = st.columns(2, gap="large")
    with left:
        at = charts.Axis(title="Error of at most … trips", kind="symlog", ticks=ticks)
        _curves(absolute, colours_of, trips, at, "absolute")
    with right:
        title = "Symmetric relative error of at most …"
        at = charts.share(title, domain=None, tip=".0%")
        _curves(relative, colours_of, _SHARES, at, "relative")
    heads = "Setting", "Median (trips)", "Mean (trips)", "Median symmetric", "Relative (MRE)"
    tables.rows(heads, [(name, *_figures(law, population)) for name, law in laws.items()])
    st.caption(
        f"Over {POPULATIONS[population]}. Exact, without drawing: each curve is the share of flows "
        "whose error is at most the value below; the step at 200% is flows that are suppressed or "
        "invented. The symmetric relative error is 2·|private − true| / (private + true), the "
        "other |private − true| / max(true, 1)."
    )


def _curves(
    within: dict[str, Floats], shades: list[str], x: Sequence[float], at: charts.Axis, name: str
) -> None:
    """Draw the share of flows whose error is at most so large, one curve a setting."""
    charts.curve(
        charts.lines(within, shades),
        x=x,
        at=at,
        of=charts.share("Share of flows"),
        step=name == "absolute",
        key=f"od_error_{name}",
        alt=f"Distribution: {at.title}",
        height=320,
    )


def _figures(law: Expectation, population: Population) -> tuple[str, ...]:
    return (
        number(law.median_error(population)),
        number(law.mean_error(population), 3),
        percent(law.median_relative_error(population)),
        percent(law.relative_error(population)),
    )
