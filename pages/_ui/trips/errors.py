"""Origin–destination page: exact distributions of absolute and relative errors (P2, figure 2)."""

import numpy as np
import streamlit as st

from engine.origin_destination.exact.expected import Population
from pages._ui.cache import trips as cached_trips
from pages._ui.drawing import charts, colours, tables
from pages._ui.drawing.charts import STROKES, Line
from pages._ui.shell import setting
from pages._ui.views.context import Flows
from pages._ui.wording.numbers import number, percent

POPULATIONS: dict[Population, str] = {
    "travelled": "flows with a trip",
    "large": "flows of at least τ",
    "all": "all pairs of zones",
}
_SHADES = {0.1: "#9aa7b1", 0.5: "#5b9fc9", 1.0: "#2a6f97"}
_RELATIVE = (*np.linspace(0.0, 1.975, 80).round(3).tolist(), 1.9999, 2.0)  # a step at the end


def draw(context: Flows) -> None:
    """Draw both distributions for the paper's ε and yours, and their means and medians."""
    population = setting.draw(
        st.segmented_control,
        "Averaged over",
        setting.literal("od_errors_population", POPULATIONS, "travelled"),
        POPULATIONS,
    )
    shades = {epsilon: shade for epsilon, shade in _SHADES.items() if epsilon != context.epsilon}
    settings = {f"ε = {epsilon:g}": context.vary(epsilon=epsilon) for epsilon in shades}
    settings[f"yours: ε = {context.epsilon:g}"] = context
    shown = [*shades.values(), colours.HERE]
    worst = min(settings.values(), key=lambda one: one.epsilon).expected.errors[population]
    if not worst.cells:
        st.info("There are no such flows in this window; choose others above.")
        return
    reach = max(20.0, 8 * worst.mean_absolute)
    absolute = tuple(np.unique(np.geomspace(1, reach + 1, 48).round() - 1).tolist())
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Absolute error", anchor=False)
        _curves(settings, shown, population, absolute, relative=False)
    with right:
        st.subheader("Symmetric relative error", anchor=False)
        _curves(settings, shown, population, _RELATIVE, relative=True)
    st.caption(
        f"Over {POPULATIONS[population]}. Exact, without drawing: each curve is the share of flows "
        "whose error is at most the value below. The earlier it rises, the better; the step at "
        "200% is flows that are suppressed or invented, and where it is above half of them the "
        "median reads 200%, also at a larger ε that suppresses more of them as it should. The "
        "symmetric relative error is 2·|private − true| / (private + true), the other "
        "|private − true| / max(true, 1), which the cards above take over flows of at least τ."
    )
    tables.rows(*_summary(settings, population))


def _curves(
    settings: dict[str, Flows],
    shades: list[str],
    population: Population,
    points: tuple[float, ...],
    *,
    relative: bool,
) -> None:
    """Draw the share of flows whose error is at most so large, one curve a setting."""
    ticks = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
    title = "Symmetric relative error of at most …" if relative else "Error of at most … trips"
    charts.curve(
        [
            Line(
                name=name,
                y=cached_trips.error_curve(
                    *one.exact, population=population, relative=relative, points=points
                ),
                colour=shade,
                dash=dash,
            )
            for (name, one), shade, dash in zip(settings.items(), shades, STROKES, strict=False)
        ],
        x=points,
        at=charts.share(title, domain=None, tip=".0%")
        if relative
        else charts.Axis(title=title, kind="symlog", ticks=[x for x in ticks if x <= points[-1]]),
        of=charts.share("Share of flows"),
        step=not relative,
        key=f"od_error_{'relative' if relative else 'absolute'}",
        alt=f"Distribution: {title}",
        height=320,
    )


def _summary(settings: dict[str, Flows], population: Population) -> tables.Lines:
    exact = {name: one.expected.errors[population] for name, one in settings.items()}
    heads = (
        "Setting",
        "Median error (trips)",
        "Mean error (trips)",
        "Median symmetric error",
        "Mean symmetric error",
        "Relative error (MRE)",
    )
    return heads, [
        (
            name,
            number(errors.median_absolute),
            number(errors.mean_absolute, 3),
            percent(errors.median_relative),
            percent(errors.mean_relative),
            percent(errors.mean_bounded_relative),
        )
        for name, errors in exact.items()
    ]
