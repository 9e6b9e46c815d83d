"""Accuracy and recall over ε beside never acting, with "you are here"."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine import decisions
from engine.decisions import Comparison
from engine.parameters import EPSILON_STOPS, ODParameters
from pages._ui import jobs
from pages._ui.cache.decisions import Outbreak
from pages._ui.decisions import wording, work
from pages._ui.drawing import charts
from pages._ui.drawing.colours import OTHER, PRIVATE, TRUE
from pages._ui.jobs import Job
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed

ACCURACY, RECALL = "accuracy", "recall"
_WAIT_S = 0.5
"""What is drawn at the slider's ε goes first."""


def job(
    entry: Entry,
    outbreak: Outbreak,
    parameters: ODParameters,
    seed: Seed,
    *,
    at_least: float | None = None,
) -> Job:
    """Return the job that draws over all stops of ε; its result is a `Comparison`.

    `at_least` is a confidence that the draws must be able to show.
    """
    base = work.at(parameters, epsilon=1.0)  # a slider over ε finds the same curve
    draws = work.draws_over_epsilon(entry.key, outbreak)
    if at_least is not None:
        draws = max(draws, decisions.least_draws(at_least))
    return jobs.job(
        "decisions_curve",
        work.over_epsilon,
        entry.key,
        outbreak,
        base,
        seed,
        draws,
        delay_s=_WAIT_S,
    )


def draw(entry: Entry, outbreak: Outbreak, parameters: ODParameters, seed: Seed) -> None:
    """Draw the curve as its draws come in."""
    st.subheader("How it depends on ε", anchor=False)

    def show(running: Job) -> None:
        jobs.progress(running, "Releases at each ε", "decisions_curve")
        if running.result is None:
            st.caption("The first curve follows in a moment …")
            return
        first = decisions.one_origin(running.result, 0)
        st.altair_chart(
            _chart(first, parameters.epsilon),
            key="decisions_accuracy",
            alt="Accuracy and recall of decisions over the privacy loss, and the accuracy of "
            "never acting",
        )
        draws, missing = first.right.shape[1], wording.left_out(parameters)
        st.caption(
            f"Means over zones; lines are means and bands one standard deviation over {draws} "
            "releases with the same noise at every ε. Accuracy need not grow with ε: small ε adds "
            "phantom flows" + (f", large ε leaves out {missing}." if missing else ".")
        )

    jobs.live("decisions_curve", job(entry, outbreak, parameters, seed), show)


def _chart(comparison: Comparison, epsilon: float) -> alt.LayerChart | alt.FacetChart:
    table = pd.concat(
        [
            _rows(ACCURACY, comparison.accuracy.mean),
            _rows(RECALL, comparison.recall.mean),
        ]
    )
    never = float(comparison.never_acting_accuracy)
    x = charts.epsilon_axis()
    y = alt.Y(
        "mean:Q",
        title="Share of zone-days",
        scale=alt.Scale(zero=False, nice=True),
        axis=alt.Axis(format="~%"),
    )
    colours = alt.Scale(domain=[ACCURACY, RECALL], range=[PRIVATE, OTHER])
    colour = alt.Color(
        "figure:N",
        title=None,
        scale=colours,
        legend=alt.Legend(orient="top", symbolOpacity=1),
    )
    lines = (
        alt.Chart(table)
        .mark_line(point={"size": 28}, strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=colour,
            strokeDash=alt.StrokeDash(
                "figure:N",
                legend=None,
                scale=alt.Scale(domain=[ACCURACY, RECALL], range=[[1, 0], [5, 3]]),
            ),
            tooltip=[
                alt.Tooltip("epsilon:Q", title="ε"),
                alt.Tooltip("figure:N", title="Figure"),
                alt.Tooltip("mean:Q", title="Mean", format=".1%"),
                alt.Tooltip("deviation:Q", title="Standard deviation", format=".2%"),
            ],
        )
    )
    band = (
        alt.Chart(table)
        .mark_area(opacity=0.2)
        .encode(
            x=x,
            y=alt.Y("low:Q", title="Share of zone-days"),
            y2="high:Q",
            color=colour,
        )
    )
    idle = pd.DataFrame({"mean": [never], "epsilon": [EPSILON_STOPS[-1]]})
    rule = alt.Chart(idle).mark_rule(color=TRUE, strokeDash=[6, 4], strokeWidth=1.6).encode(y=y)
    words = (
        alt.Chart(idle)
        .mark_text(align="right", dy=12, color=TRUE, fontSize=12)
        .encode(x=x, y=y, text=alt.value(f"accuracy of never acting, {never:.1%}"))
    )
    current = charts.you_are_here(x, "epsilon", epsilon, leftward=epsilon >= 3)
    return alt.layer(band, rule, words, *current, lines).properties(height=320)


def _rows(figure: str, means: np.ndarray) -> pd.DataFrame:
    """Return one row for each ε; `means` has shape (settings, draws)."""
    some = np.where(np.isnan(means).all(axis=1, keepdims=True), 0.0, means)
    mean, deviation = np.nanmean(some, axis=1), np.nanstd(some, axis=1)
    return pd.DataFrame(
        {
            "epsilon": EPSILON_STOPS,
            "figure": figure,
            "mean": mean,
            "deviation": deviation,
            "low": mean - deviation,
            "high": mean + deviation,
        }
    )
