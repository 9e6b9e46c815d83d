"""Origin–destination page: what all days cost a person, and the totals of zones."""

import numpy as np
import streamlit as st

from engine.arrays import Numbers
from engine.privacy import composed_epsilon
from pages._ui.cache import trips as cached_trips, verbs
from pages._ui.drawing import cards, charts, colours
from pages._ui.drawing.cards import Card
from pages._ui.drawing.charts import Axis, Mark
from pages._ui.shell import setting
from pages._ui.trips import look as trips_look
from pages._ui.views.context import Flows
from pages._ui.wording.numbers import percent, scientific, signed_percent
from pages._ui.wording.privacy import up_to

LEAVING, ARRIVING = "Leaving", "Arriving"
_POINTS = 14
_ZONES = 18
_LOOKS = ((colours.PRIVATE, "dot"), (colours.OTHER, "diamond"))


def draw(context: Flows, delta: float) -> None:
    """Draw the cost of releasing every day, then the totals of the busiest zones."""
    left, right = st.columns([1, 1.15], gap="large")
    with left:
        st.subheader("What all days cost a person", anchor=False)
        _composition(context, delta)
    with right:
        st.subheader("Totals of zones, with the 95% interval", anchor=False)
        _totals(context)


def _composition(context: Flows, delta: float) -> None:
    parameters, about = context.parameters, context.entry.metadata
    days = len(about.days)
    if parameters.unit == "trip":
        st.info(
            f"Each single trip is protected with ε = {parameters.epsilon:g}, on whichever of the "
            f"{days} days it lies. This does not protect a person: somebody with 30 trips may lose "
            "up to 30 times as much."
        )
        return
    if parameters.unit == "person":
        st.info(
            f"One release covers all {days} days: a person loses ε = {parameters.epsilon:g}, once, "
            f"however many of the days they travel on. At most {parameters.max_trips_per_user} of "
            "their trips count in the whole period."
        )
        return
    if len(about.periods) < days:
        st.info(
            f"Days are added up here. One noise is added to each matrix, but a person who travels "
            f"on all {days} days changes it on each of them: they lose up to {days} × "
            f"{parameters.epsilon:g} = {days * parameters.epsilon:.4g}, as if every day were "
            "released by itself. The tighter total of single days does not hold for such sums."
        )
        return
    one = (parameters.epsilon, 0.0)
    counts = np.unique(np.linspace(1, days, min(days, _POINTS)).round().astype(int)).tolist()
    totals = [verbs.computed(composed_epsilon, (one,) * count, delta) for count in counts]
    plain, tight = days * parameters.epsilon, totals[-1]
    cards.row(
        [
            Card(
                f"{days} days, added up",
                f"ε = {plain:.4g}",
                "always holds",
                f"{days} × {parameters.epsilon:g} for a person who travels every day.",
            ),
            Card(
                "Tighter total",
                f"ε = {tight:.3g}",
                f"at δ = {scientific(delta)}",
                "Optimal composition: " + up_to(delta) + "."
                if tight < 0.995 * plain
                else "Too few days, or too large an ε, to gain anything.",
            ),
        ]
    )
    charts.curve(
        charts.lines(
            {"added up": [count * parameters.epsilon for count in counts], "tighter total": totals},
            (colours.TRUE, colours.PRIVATE),
        ),
        x=counts,
        at=charts.Axis(title="Days released", form="d", tip="d", more={"tickMinStep": 1}),
        of=charts.Axis(title="Privacy loss of a person (ε)", tip=".3~g", zero=True),
        dots=True,
        key="od_days",
        alt="Privacy loss of a person over the days released",
        height=270,
    )
    st.caption(
        "Each day is a release of its own. To spend ε once, protect the person over the whole "
        "period (sidebar), or release fewer days."
    )


def _totals(context: Flows) -> None:
    way = setting.draw(
        st.segmented_control,
        "Trips",
        setting.choice("od_ours_way", [LEAVING, ARRIVING], LEAVING),
        [LEAVING, ARRIVING],
    )
    axis = 1 if way == LEAVING else 0
    true = context.truth.sum(axis=axis)
    private = cached_trips.drawn(*context.asked).counts.sum(axis=axis)
    order = np.argsort(-true, kind="stable")[:_ZONES]
    interval, said = _interval(context, way)
    numbers = {"This draw": private}
    if not context.several:
        for one in trips_look.beside(context)[1:]:
            numbers[one.method.short] = one.release.counts[0].sum(axis=axis)
    marks = [Mark(name="True", values=true[order], colour=colours.TRUE, kind="tick")]
    if interval is not None:
        low, high = (end[order] for end in interval)
        marks.insert(0, Mark(name="95% from", values=low, to=high, kind="span"))
    for (name, values), (colour, kind) in zip(numbers.items(), _LOOKS, strict=False):
        marks.append(Mark(name=name, values=values[order].round(), colour=colour, kind=kind))
    charts.bars(
        list(np.array(trips_look.zone_labels(context.key))[order]),
        marks,
        of=Axis(title=f"Trips {way.lower()}", tip=",.0f"),
        legend=False,
        key="od_totals",
        alt=f"Trips {way.lower()} the busiest zones: true, released, and a range",
        height=430,
    )
    others = "".join(f"; orange diamond: {name}, same noise" for name in list(numbers)[1:2])
    st.caption(f"Grey tick: true; blue dot: this draw{others}. {said}{_off(context, way)}")


def _interval(context: Flows, way: str) -> tuple[tuple[Numbers, Numbers] | None, str]:
    """Return a range of each zone's total and what it is: by the law, or whatever the model."""
    exact = context.expected
    if exact is not None:
        totals, grand = exact.outgoing if way == LEAVING else exact.incoming, exact.grand
        true, expected = float(grand.true), float(grand.expected)
        bias = (expected - true) / true if true else float("nan")
        return (totals.low, totals.high), (
            "Bars: the release lies within in at least 95% of draws, from the exact law of the "
            f"sum. {_gap(exact.histogram.trimmed_trips, true)}All flows together: {true:,.0f} true "
            f"trips, {expected:,.0f} expected in the release ({signed_percent(bias)}; 95%: "
            f"{float(grand.low):,.0f} to {float(grand.high):,.0f})."
        )
    if not hasattr(context.release, "exact_totals"):
        return None, "This method has neither an exact law nor ranges of its own."
    noisy, reach = context.release.exact_totals(-1 if way == LEAVING else -2, at_once=True)
    trimmed = (
        ""
        if context.parameters.unit == "trip"
        else " They are of trips kept by trimming: tick and dot, of all trips, may lie beyond."
    )
    return (np.maximum(noisy[0] - reach, 0), np.maximum(noisy[0] + reach, 0)), (
        f"Bars: the sum of all noisy flows of the zone ± {reach:,}: in 95 of 100 releases the bars "
        f"of all zones at once hold their kept trips, whatever the model.{trimmed}"
    )


def _off(context: Flows, way: str) -> str:
    """Say by how much the totals are off in this draw, of one matrix."""
    if context.several:
        return ""
    errors = {
        one.method.short: cached_trips.agreed(*one.asked).agreement
        for one in trips_look.beside(context)
    }
    off = [
        f"{percent(one.outgoing_error if way == LEAVING else one.incoming_error)} ({name})"
        for name, one in errors.items()
    ]
    return f" In this draw totals are off by {', '.join(off)} of all trips."


def _gap(trimmed: float, true: float) -> str:
    """Say how much of the gap between tick and dot is trimming."""
    if not trimmed or not true:
        return ""
    share = percent(trimmed / true)
    return f"Trimming drops {trimmed:,.0f} trips ({share}) before any noise. "
