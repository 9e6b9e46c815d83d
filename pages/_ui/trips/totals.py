"""Origin–destination page: what all days cost a person, and the totals of zones."""

import numpy as np
import streamlit as st

from engine.arrays import Numbers
from engine.origin_destination.scores import total_error
from engine.text.numbers import percent, signed_percent
from pages._ui.answers import assessments
from pages._ui.answers.matrix import Matrix
from pages._ui.components import charts, colours
from pages._ui.components.charts import Axis, Mark
from pages._ui.settings import widgets

LEAVING, ARRIVING = "Leaving", "Arriving"
_ZONES = 18


def draw(matrix: Matrix) -> None:
    """Draw the totals of the busiest zones and say what every day costs."""
    _draw_totals(matrix)
    st.subheader("Privacy loss of a person over all days", anchor=False)
    st.markdown(assessments.describe_risk(assessments.assess_setting(matrix.setting)))


def _draw_totals(matrix: Matrix) -> None:
    flow = widgets.choose(
        matrix.say("Trips"), (LEAVING, ARRIVING), "od_totals_way", in_link=False, has_title=True
    )
    axis = 1 if flow == LEAVING else 0
    true = matrix.truth.sum(axis=axis)
    private = matrix.release.counts[0].sum(axis=axis)
    order = np.argsort(-true, kind="stable")[:_ZONES]
    (low, high), caption = _total_intervals(matrix, flow, order.tolist())
    ranges = [Mark(name="95% from", values=low, end=high, kind="span")] if len(low) else []
    charts.draw_bars(
        list(np.array(list(matrix.names.values()))[order]),
        [
            *ranges,
            Mark(name="True", values=true[order], colour=colours.TRUE, kind="tick"),
            Mark(name="This draw", values=private[order].round(), colour=colours.PRIVATE,
                 kind="dot"),
        ],
        measure=Axis(title=matrix.say(f"Trips {flow.lower()}"), tip=",.0f"),
        key="od_totals",
        alt=f"Trips {flow.lower()} the busiest zones: true and released",
        height=430,
    )  # fmt: skip
    off = percent(total_error(true, private))
    st.caption(matrix.say(f"{caption} In this draw, zone totals are wrong by {off} of all trips."))


def _total_intervals(
    matrix: Matrix, flow: str, zones: list[int]
) -> tuple[tuple[Numbers, Numbers], str]:
    """Return a range of some zones' totals and what it is; empty if the method states none."""
    exact = matrix.expected
    if exact is not None:
        side = "outgoing" if flow == LEAVING else "incoming"
        true, expected = exact.histogram.total_trips, exact.released_trips
        trimmed = exact.histogram.dropped_trips / true if true else 0.0
        bias = signed_percent((expected - true) / true if true else float("nan"))
        return exact.interval_of_totals(side, zones), (
            "Each bar holds the zone's released total in at least 95% of releases (exact law). The "
            f"limit T drops {percent(trimmed)} of trips before any noise. All flows together: "
            f"{true:,.0f} true trips, {expected:,.0f} expected in the release ({bias})."
        )
    axis = -1 if flow == LEAVING else -2
    if not hasattr(matrix.release, "exact_totals"):
        name = matrix.method.short_name
        return (np.empty(0), np.empty(0)), f"{name} states no range of a zone's total."
    noisy, reach = matrix.release.exact_totals(axis)
    measured = noisy[0][zones]
    return (np.maximum(measured - reach, 0), np.maximum(measured + reach, 0)), (
        f"Bars: the sum of all noisy flows of the zone ± {reach:,}. In 95 of 100 releases the bars "
        "of all zones at once hold the trips within the contribution limit, whatever the model."
    )
