"""Origin–destination page: what trimming to T costs, and what it saves in noise."""

import streamlit as st

from engine.origin_destination.trimming import TrimmingCurve
from engine.parameters import ODParameters
from engine.resolution import Key
from pages._ui import jobs
from pages._ui.cache import (
    curves as cached_curves,
    datasets as cached_datasets,
    trips as cached_trips,
)
from pages._ui.cache.curves import LIMITS
from pages._ui.drawing import cards, charts, colours
from pages._ui.drawing.cards import Card
from pages._ui.drawing.charts import SOLID, STROKES, Axis, Line, Point
from pages._ui.jobs import Job
from pages._ui.shell import setting
from pages._ui.shell.settings import use_settings
from pages._ui.views.context import Flows
from pages._ui.wording.numbers import counted, number, percent

_JOB = "od_trimming_curve"
_MANY_ROWS = 1_000_000
_CAUSES = ("trimmed", "noise", "suppression", "total")
_COLOURS = ("#e0a100", colours.PRIVATE, "#b5579c", colours.TRUE)
_BELOW = " Suppression below zero saves error: it sets the noise of empty pairs back to 0."
O4 = (
    "The T of least error is read from the confidential data. The guarantee (Theorem 1) holds only "
    "for a T chosen without looking at them; a release that uses this T, or a percentile of "
    "people's trips, must say so (erratum O4)."
)


def draw(context: Flows) -> None:
    """Draw the error at this T split by its causes, then the curve over T with its best point."""
    parameters = context.parameters
    if parameters.unit == "trip":
        st.info(
            "At trip level nobody is trimmed: each trip is protected by itself and T is 1. Choose "
            "one person's day or the whole period in the sidebar to compare T."
        )
        return
    now = cached_trips.trimming(*context.exact)
    cards.row(_cards(now, parameters))
    st.subheader("The trade-off over T", anchor=False)
    if (
        context.several
        and _is_long(context.key)
        and not setting.draw(
            st.toggle,
            "Compute it for all days (may take minutes)",
            setting.switch("od_trimming_all", default=False),
        )
    ):
        st.caption("Each T is another matrix for every day. One day shows the same shape at once.")
        return
    fixed = context.vary(max_trips_per_user=1).exact  # a slider over T finds the same curve
    work = jobs.job(_JOB, cached_curves.trimming, *fixed)

    def show(running: Job) -> None:
        jobs.progress(running, "Trimming, values of T", _JOB)
        if running.result is not None:
            _chart(running.result, parameters, best_known=running.state == "finished")
        if running.state == "finished":
            _best(running.result)

    jobs.follow(_JOB, work, show)


def _best(curve: TrimmingCurve) -> None:
    """Name the T of least error, offer it, and say what choosing it costs."""
    spares = bool((curve.suppression < 0).any())
    kept = float(curve.kept_share[curve.limits == curve.best][0])
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.caption(
        "Left of the best point trimming drops too many trips, right of it noise (in proportion "
        f"to T) drowns the flows. Least total error here: **T = {curve.best}**, which keeps "
        f"{percent(kept)} of trips." + (_BELOW if spares else "")
    )
    right.button(
        f"Use T = {curve.best}",
        icon=":material/tune:",
        on_click=use_settings,
        kwargs={"max_trips": curve.best},
        key="od_use_trips",
        width="stretch",
    )
    st.warning(O4, icon=":material/policy:")


def _is_long(key: Key) -> bool:
    """Whether each T takes seconds over all days, so that the person is asked first."""
    trips = cached_datasets.dataset(key).trips
    return trips.distinct is None and trips.rows > _MANY_ROWS


def _cards(now: TrimmingCurve, parameters: ODParameters) -> list[Card]:
    trimmed, noise, suppression, total = (float(getattr(now, cause)[0]) for cause in _CAUSES)
    spared = suppression < 0
    return [
        Card(
            f"Trimmed away (T = {parameters.max_trips_per_user})",
            number(trimmed),
            "trips",
            f"{percent(float(now.kept_share[0]))} of true trips are kept; nothing restores the "
            "others.",
        ),
        Card(
            "Noise adds",
            number(noise),
            "trips of error",
            f"Noise of scale T/ε = {counted(parameters.noise_scale, 'trip')} in every pair of "
            "zones.",
        ),
        Card(
            "Suppression saves" if spared else "Suppression adds",
            number(abs(suppression)),
            "trips of error",
            "Empty pairs read 0 again, which outweighs the real flows that are hidden."
            if spared
            else "Real flows below τ are set to 0.",
        ),
        Card(
            "In all",
            number(total),
            "trips of error",
            "Expected sum of |private − true| over all pairs of zones, exact.",
        ),
    ]


def _chart(curve: TrimmingCurve, parameters: ODParameters, *, best_known: bool) -> None:
    least = curve.limits == curve.best
    star = Point(
        x=int(curve.best),
        y=float(curve.total[least][0]),
        words=f"least error: T = {curve.best}",
        colour="#2a9d6f",
        shape="diamond",
    )
    charts.curve(
        [
            Line(
                name=cause,
                y=getattr(curve, cause),
                colour=colour,
                dash=SOLID if cause == "total" else dash,
            )
            for cause, colour, dash in zip(_CAUSES, _COLOURS, STROKES[1:], strict=False)
        ],
        x=curve.limits,
        at=Axis(
            title="Trips kept per person (T), log scale",
            kind="log",
            form="d",
            tip="d",
            domain=(LIMITS[0], LIMITS[-1]),
            ticks=LIMITS,
        ),
        of=Axis(title="Expected error (trips)", tip=",.0f"),
        current=min(parameters.max_trips_per_user, LIMITS[-1]),
        points=[star] if best_known else [],
        dots=True,
        key="od_trimming",
        alt=f"Expected error over T by its causes; least at T = {curve.best}",
        height=360,
    )
