"""Choose ε: what ε means for one person, and what others have used."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine.parameters import EPSILON_STOPS
from engine.risk import GROUP, PRECEDENTS, Guarantee
from pages._ui.drawing import cards, charts, colours
from pages._ui.drawing.cards import Card
from pages._ui.wording.numbers import number
from pages._ui.wording.privacy import PROTECTED, UNITS, guess

_AXIS_END = 50.0


def draw(epsilon: float, unit: str, days: int | None) -> None:
    """Draw the odds and the best guess, the guess over ε, and the deployments on one axis.

    Parameters
    ----------
    epsilon : float
        The slider's ε.
    unit : str
        The unit of protection chosen for the flows.
    days : int or None
        Days of the dataset chosen, for the sum over days at person-day.
    """
    guarantee = Guarantee(epsilon=epsilon)
    odds, group = guarantee.odds_factor, guarantee.together(GROUP)
    are = "is" if unit == "trip" else "are"
    cards.row(
        [
            Card(
                "Odds change by at most (e^ε)",
                f"× {odds:.2f}" if odds < 100 else f"× {odds:,.0f}",
                f"at ε = {epsilon:g}",
                f"Whatever is published is at most {number(odds, 3)} times as likely with "
                f"{UNITS[unit]} in the data as without.",
            ),
            Card(
                "Best possible guess",
                guess(guarantee.best_guess, 1),
                "50% is a coin toss",
                "An attacker who knows all other records and starts from even odds is right at "
                "most this often: e^ε / (1 + e^ε).",
            ),
            Card(
                "From a suspicion of 10%",
                guess(guarantee.suspicion(0.1), 1),
                "at most",
                f"How far a suspicion that {PROTECTED[unit]} {are} in the data can grow, of an "
                "attacker who knows the others or believes them independent.",
            ),
            Card(
                f"{GROUP} who travel together",
                guess(group.suspicion(0.1), 1),
                f"from 10%, at {GROUP} × ε = {number(group.epsilon)}",
                "What the same suspicion can grow to where a household or a bus is believed to "
                "travel together or not at all: k of them have k·ε.",
            ),
        ]
    )
    if unit == "person-day" and days is not None and days > 1:
        st.caption(
            f"This is for one day. All {days} days of the chosen dataset add up to at most "
            f"ε = {days * epsilon:g} for a person who travels on every one of them."
        )
    elif unit == "trip":
        st.caption(
            "This is for one trip. The trips of a person add up: somebody with 30 of them may lose "
            f"up to ε = {30 * epsilon:g}."
        )
    left, right = st.columns([1, 1.55], gap="large")
    with left:
        st.subheader("How good a guess can get", anchor=False)
        _guess_curve(epsilon)
        st.caption("Below ε = 0.1 the curve is flat: a guess stays close to a coin toss.")
    with right:
        st.subheader("What others have used", anchor=False)
        _axis(epsilon)
        st.caption(
            "The dashed line is your ε. Compare the unit before the number: the same ε for a day "
            "protects far less than for a person. A used value is no proof that it is a good one."
        )
    with st.expander("Sources"):
        for known in PRECEDENTS:
            st.markdown(
                f"- {known.name}: ε = {known.epsilon:g} per {known.unit} ({known.note}) – "
                f"[{known.source.removeprefix('https://')}]({known.source})"
            )


def _guess_curve(epsilon: float) -> None:
    stops = np.geomspace(0.01, 10, 80)
    x = charts.epsilon_axis()
    y = alt.Y(
        "guess:Q",
        title="Right at most",
        scale=alt.Scale(domain=[0.5, 1]),
        axis=alt.Axis(format="~%"),
    )
    points = pd.DataFrame(
        {"epsilon": stops, "guess": [Guarantee(epsilon=stop).best_guess for stop in stops]}
    )
    current = pd.DataFrame({"epsilon": [epsilon], "guess": [Guarantee(epsilon=epsilon).best_guess]})
    tooltip = [alt.Tooltip("epsilon:Q", format=".2~g"), alt.Tooltip("guess:Q", format=".1%")]
    line = alt.Chart(points).mark_line(color=colours.PRIVATE).encode(x=x, y=y, tooltip=tooltip)
    dot = alt.Chart(current).mark_circle(color=colours.HERE, size=110, opacity=1)
    left = epsilon < 0.1  # the words stay inside the axes
    words = alt.Chart(current).mark_text(
        color=colours.HERE,
        dx=9 if left else -9,
        dy=-9,
        align="left" if left else "right",
        fontSize=12,
    )
    chart = alt.layer(
        line,
        dot.encode(x=x, y=y, tooltip=tooltip),
        words.encode(x=x, y=y, text=alt.value("you are here")),
    )
    st.altair_chart(
        chart.properties(height=330),
        key="choose_guess",
        alt=f"Best possible guess over epsilon; {current['guess'][0]:.0%} at {epsilon:g}",
    )


def _axis(epsilon: float) -> None:
    table = pd.DataFrame([vars(known) for known in PRECEDENTS])
    # one axis label on two lines: what it was, and whom it protects
    table["label"] = table["name"] + "|protects " + table["unit"]
    x = alt.X(
        "epsilon:Q",
        title="Privacy loss (ε), log scale",
        scale=alt.Scale(type="log", domain=[EPSILON_STOPS[0], _AXIS_END], nice=False),
        axis=alt.Axis(values=[0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30], format="~g"),
    )
    y = alt.Y(
        "label:N",
        title=None,
        sort=list(table["label"]),
        axis=alt.Axis(
            labelExpr="split(datum.label, '|')",
            labelLimit=260,
            labelLineHeight=13,
            ticks=False,
            domain=False,
            grid=True,
        ),
    )
    base = alt.Chart(table).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("name:N", title="Used in"),
            alt.Tooltip("epsilon:Q", title="ε", format="~g"),
            alt.Tooltip("unit:N", title="Protects"),
            alt.Tooltip("note:N", title="Note"),
        ],
    )
    dots = base.mark_circle(color=colours.PRIVATE, size=90, opacity=1)
    values = base.mark_text(align="left", dx=9, fontSize=12, color=colours.PRIVATE).encode(
        text=alt.Text("epsilon:Q", format="~g")
    )
    rule = (
        alt.Chart(pd.DataFrame({"epsilon": [epsilon]}))
        .mark_rule(color=colours.HERE, strokeDash=[4, 3], strokeWidth=2)
        .encode(x=x)
    )
    st.altair_chart(
        alt.layer(rule, dots, values).properties(height=330),
        key="choose_deployments",
        alt=f"Known deployments on the epsilon axis; you are at {epsilon:g}",
    )
