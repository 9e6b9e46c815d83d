"""Decisions over ε, and the epidemic over the days: truth, suppression alone, the releases."""

import html

import numpy as np
import pandas as pd
import streamlit as st

from engine.arrays import Floats
from engine.decisions.choice import least_draws
from engine.decisions.scoring import Comparison, one_origin
from engine.parameters import EPSILON_STOPS, ODParameters
from pages._ui import jobs
from pages._ui.cache.decisions import Outbreak
from pages._ui.decisions import wording, work
from pages._ui.decisions.work import Seen
from pages._ui.drawing import charts
from pages._ui.drawing.charts import DASHED, EPSILON, SOLID, Axis, Line, Rule
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE
from pages._ui.jobs import Job
from pages._ui.views.context import Context

ACCURACY, RECALL = "accuracy", "recall"
_WAIT_S = 0.5
"""What is drawn at the slider's ε goes first."""
TRUTH, QUIET, DRAWN = "true data", "without noise", "releases, with a band of 90%"
MOST_ZONES = 6
_COLUMNS = 3


def job(
    context: Context[ODParameters], outbreak: Outbreak, *, at_least: float | None = None
) -> Job:
    """Return the job that draws over all stops of ε; its result is a `Comparison`.

    `at_least` is a confidence that the draws must be able to show.
    """
    base = context.parameters.at(1.0)  # a slider over ε finds the same curve
    draws = work.draws_over_epsilon(context.key, outbreak)
    if at_least is not None:
        draws = max(draws, least_draws(at_least))
    return jobs.job(
        "decisions_curve",
        work.over_epsilon,
        context.key,
        outbreak,
        base,
        context.seed,
        draws,
        delay_s=_WAIT_S,
    )


def over_epsilon(context: Context[ODParameters], outbreak: Outbreak) -> None:
    """Draw the curve as its draws come in."""
    st.subheader("How it depends on ε", anchor=False)

    def show(running: Job) -> None:
        jobs.progress(running, "Releases at each ε", "decisions_curve")
        if running.result is None:
            st.caption("The first curve follows in a moment …")
            return
        first = one_origin(running.result, 0)
        _chart(first, context.epsilon)
        draws, missing = first.right.shape[1], wording.left_out(context.parameters)
        st.caption(
            f"Means over zones; lines are means and bands one standard deviation over {draws} "
            "releases with the same noise at every ε. Accuracy need not grow with ε: small ε adds "
            "phantom flows" + (f", large ε leaves out {missing}." if missing else ".")
        )

    jobs.live("decisions_curve", job(context, outbreak), show)


def _chart(comparison: Comparison, epsilon: float) -> None:
    never = float(comparison.never_acting_accuracy)
    looks = {
        ACCURACY: (comparison.accuracy.mean, PRIVATE, SOLID),
        RECALL: (comparison.recall.mean, OTHER, DASHED),
    }
    charts.curve(
        [_line(name, means, colour, dash) for name, (means, colour, dash) in looks.items()],
        x=EPSILON_STOPS,
        at=EPSILON,
        of=charts.share("Share of zone-days", whole=False),
        current=epsilon,
        rules=[Rule(y=never, words=f"accuracy of never acting, {never:.1%}")],
        dots=True,
        key="decisions_accuracy",
        alt="Accuracy and recall of decisions over the privacy loss, and the accuracy of "
        "never acting",
        height=320,
    )


def _line(name: str, means: Floats, colour: str, dash: tuple[int, int]) -> Line:
    """Return mean and standard deviation over draws; `means` has shape (settings, draws)."""
    some = np.where(np.isnan(means).all(axis=1, keepdims=True), 0.0, means)
    mean, deviation = np.nanmean(some, axis=1), np.nanstd(some, axis=1)
    return Line(
        name=name,
        y=mean,
        low=mean - deviation,
        high=mean + deviation,
        colour=colour,
        dash=dash,
        written=[f"{m:.1%} ± {sd:.2%}" for m, sd in zip(mean, deviation, strict=True)],
    )


def of_zones(seen: Seen) -> None:
    """Draw the curves of the zones chosen, the origin and the first ones hit at first."""
    st.subheader("Epidemic curves", anchor=False)
    names, outbreak, true, drawn = seen.names, seen.outbreak, seen.true[0], seen.drawn
    ids = list(names)
    origin = outbreak.origins[0]
    apart = np.abs(true - drawn.middle).max(axis=0)  # at first: the origin and where most differs
    apart[ids.index(origin)] = np.inf
    usual = np.argsort(-apart, kind="stable")[:3].tolist()
    chosen = st.multiselect(
        f"Zones (at most {MOST_ZONES})",
        ids,
        [ids[zone] for zone in usual],
        format_func=names.__getitem__,
        max_selections=MOST_ZONES,
        key=f"decisions_curves_{seen.context.entry.name}_{origin}",
    )
    if not chosen:
        st.caption("Choose a zone.")
        return
    quiet = seen.quiet[0]
    highest = float(max(true.max(), quiet.max(), drawn.high.max(), outbreak.threshold))

    def lines(zone: int) -> list[Line]:
        middle, low, high = (part[:, zone] for part in (drawn.middle, drawn.low, drawn.high))
        return [
            Line(name=TRUTH, y=true[:, zone], colour=TRUE),
            Line(name=QUIET, y=quiet[:, zone], colour=OTHER, dash=DASHED),
            Line(name=DRAWN, y=middle, low=low, high=high),
        ]

    charts.legend(lines(0))
    places = st.grid(_COLUMNS, min_column_width=220, gap="medium")
    for zone in chosen:
        with places.cell():
            st.html(f'<div class="maptitle">{html.escape(names[zone])}</div>')
            charts.curve(
                lines(ids.index(zone)),
                x=pd.to_datetime(seen.days),
                at=Axis(title="Day", kind="time", form="%b", tip="%d %b %Y", ticks=5),
                of=charts.share("Infected", domain=(0.0, highest), ticks=5),
                rules=[Rule(y=outbreak.threshold, colour=HERE)],
                legend=False,
                key=f"decisions_curve_{zone}",
                alt=f"Share of people infected in {names[zone]} over the days: with the true "
                "data, without noise, and the range of the releases",
                height=210,
            )
    st.caption(
        "Share of a zone's people who are infected. The dashed red line is the share from which "
        "it acts. What lies between the grey and the blue line is bias; the blue band is chance."
    )
