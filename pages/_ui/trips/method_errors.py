"""Origin–destination page: methods side by side, and the distributions of errors (figure 2)."""

import numpy as np
import streamlit as st

from engine.arrays import Numbers
from engine.origin_destination import METHODS
from engine.origin_destination.scores import TripScores, score_draw, total_error
from engine.origin_destination.suppression_alone import suppress_small_flows
from engine.text.numbers import number, percent
from engine.text.privacy_text import SUPPRESSION_ALONE
from pages._ui.answers import cached
from pages._ui.answers.matrix import Matrix
from pages._ui.components import charts, colours, tables

_EPSILONS = {0.1: "#9aa7b1", 0.5: "#5b9fc9", 1.0: "#2a6f97"}
_TICKS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def draw(matrix: Matrix) -> None:
    """Draw the methods' table of one matrix, and the exact distributions of errors."""
    _draw_methods(matrix)
    if matrix.expected is not None:
        _draw_distributions(matrix)


def _draw_methods(matrix: Matrix) -> None:
    """Draw every method on the same noise, and suppression without noise."""
    true, min_shown = matrix.truth, matrix.parameters.min_shown_count
    rows: list[tuple[str, ...]] = []

    def add_row(name: str, scores: TripScores, counts: Numbers) -> None:
        off = percent(total_error(true.sum(axis=1), counts.sum(axis=1)))
        figures = (scores.retained, scores.genuine, scores.common_part)
        rows.append((name, number(scores.mean_error, 3), *map(percent, figures), off))

    for key, method in METHODS.items():
        variant = matrix.vary(method=key)
        scores = cached.scores(variant.setting, matrix.seed, day=matrix.day)
        add_row(method.name, scores, variant.release.counts[0])
    shown_flows = suppress_small_flows(true, min_shown)
    add_row(f"{SUPPRESSION_ALONE} {min_shown}", score_draw(true, shown_flows), shown_flows)
    shares = "Retained", "Genuine", "Common part (CPC)"
    heads = f"Method, one draw{matrix.day_label}", "Mean error (trips)", *shares, "Totals off by"
    tables.draw_rows(tuple(map(matrix.say, heads)), rows)
    st.caption(
        "All methods spend the same ε and read the same noise. The last row adds no noise and "
        "protects nobody: it is no method of a release. "
        + " ".join(f"**{row.short_name}**: {' '.join(row.limitations)}" for row in METHODS.values())
    )


def _draw_distributions(matrix: Matrix) -> None:
    """Draw how far off flows with a trip are, exactly, at usual ε and at the one that is set."""
    epsilon_set = matrix.parameters.epsilon
    shades = {epsilon: shade for epsilon, shade in _EPSILONS.items() if epsilon != epsilon_set}
    laws = {f"ε = {epsilon:g}": matrix.vary(epsilon=epsilon).expected for epsilon in shades}
    laws[f"current: ε = {epsilon_set:g}"] = matrix.expected
    worst = max(law.mean_error("travelled") for law in laws.values())
    if not worst > 0:  # NaN without a trip
        st.info("No flow has a trip at this setting.")
        return
    trips = np.unique(np.geomspace(1, max(20.0, 8 * worst) + 1, 48).round() - 1).tolist()
    within = {name: law.absolute_error_within(trips, "travelled") for name, law in laws.items()}
    ticks, title = [x for x in _TICKS if x <= trips[-1]], matrix.say("Error of at most … trips")
    charts.draw_curve(
        charts.make_lines(within, [*shades.values(), colours.HERE]),
        x=trips,
        x_axis=charts.Axis(title=title, kind="symlog", ticks=ticks),
        y_axis=charts.share_axis("Share of flows"),
        step=True,
        key="od_errors",
        alt="Share of flows by size of their error",
    )
    columns = {
        f"Setting{matrix.day_label}": list(laws),
        "Median (trips)": [number(law.median_error("travelled")) for law in laws.values()],
        "Mean (trips)": [number(law.mean_error("travelled"), 3) for law in laws.values()],
        "Relative (MRE)": [percent(law.relative_error("travelled")) for law in laws.values()],
    }
    tables.draw({matrix.say(name): values for name, values in columns.items()})
    note = (
        "Flows with at least one trip. Exact, no noise is drawn. Each curve is the share of "
        "flows whose error is at most the value below. Relative error: |with noise − true| / "
        "true."
    )
    st.caption(matrix.say(note))
