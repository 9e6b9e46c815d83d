"""Attack: ROC, best guesses over ε, over flows and over days."""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine.attack import Attack, Reached
from pages._ui.drawing import charts
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE

BEST, LIMIT, BARE = "best attack", "guarantee allows", "suppression alone"
HEIGHT = 300
_CORNERS = 300


def roc(attack: Attack, *, key: str) -> None:
    """Draw the ROC of the attack in the region that the guarantee leaves."""
    limit, measured = attack.limit.thinned(_CORNERS), attack.roc.thinned(_CORNERS)
    region = pd.DataFrame({"wrong": limit.false_positives, "right": limit.true_positives})
    curve = pd.DataFrame({"wrong": measured.false_positives, "right": measured.true_positives})
    best = int(np.argmax(measured.true_positives - measured.false_positives))
    quarters = alt.Axis(format="~%", values=[0, 0.25, 0.5, 0.75, 1])
    whole = alt.Scale(domain=[0, 1])
    x = alt.X(
        "wrong:Q", title="Absent targets accused (false positives)", scale=whole, axis=quarters
    )
    y = alt.Y("right:Q", title="Present targets found", scale=whole, axis=quarters)
    tooltip = [
        alt.Tooltip("right:Q", title="found", format=".1%"),
        alt.Tooltip("wrong:Q", title="accused", format=".1%"),
    ]
    allowed = (
        alt.Chart(region)
        .mark_area(color=OTHER, opacity=0.22, line={"color": OTHER, "strokeWidth": 1.5})
        .encode(x=x, y=y, y2="wrong:Q", tooltip=tooltip)
    )
    coin = (
        alt.Chart(pd.DataFrame({"wrong": [0, 1], "right": [0, 1]}))
        .mark_line(color=TRUE, strokeDash=[4, 3], strokeWidth=1.2)
        .encode(x=x, y=y)
    )
    line = alt.Chart(curve).mark_line(color=PRIVATE, strokeWidth=2.4)
    at = alt.Chart(curve.iloc[[best]]).mark_circle(color=HERE, size=95, opacity=1)
    st.altair_chart(
        alt.layer(
            allowed,
            coin,
            line.encode(x=x, y=y, tooltip=tooltip),
            at.encode(x=x, y=y, tooltip=tooltip),
        ).properties(height=HEIGHT),
        key=key,
        alt=f"ROC of the best attack, AUC {attack.roc.area:.3f}; at most {attack.limit.area:.3f}",
    )
    st.caption(
        "Blue: the best attack. Orange: all that the guarantee allows. Dashed: a coin. Red: the "
        "test that is right most often."
    )


def over_epsilon(
    epsilons: tuple[float, ...], reached: Reached, current: float, best: float
) -> None:
    """Draw right guesses out of 100 over ε, with "you are here"."""
    x = charts.epsilon_axis()
    table = _table("epsilon", epsilons, reached)
    mark = pd.DataFrame({"epsilon": [current], "right": [100 * best]})
    left = current < 3  # below the curve, inside the axes
    chart = alt.layer(
        _lines(table, x),
        alt.Chart(mark).mark_circle(color=HERE, size=110, opacity=1).encode(x=x, y=_guesses()),
        alt.Chart(mark)
        .mark_text(
            color=HERE,
            dx=6 if left else -6,
            dy=15,
            align="left" if left else "right",
            fontSize=12,
            text="you are here",
        )
        .encode(x=x, y=_guesses()),
    )
    st.altair_chart(
        chart.properties(height=HEIGHT),
        key="attack_epsilon",
        alt=f"Right guesses out of 100 over epsilon; {100 * best:.1f} at {current:g}",
    )


def over_flow(
    flows: tuple[int, ...],
    reached: Reached,
    suppressed: Sequence[float] | None,
    *,
    current: int,
    threshold: int,
) -> None:
    """Draw right guesses over the flow's size, with τ, and those that suppression alone leaves.

    Without `suppressed` nothing is suppressed, and τ is not drawn.
    """
    x = alt.X(
        "flow:Q",
        title="Other trips on each route (log scale)",
        scale=alt.Scale(type="symlog", constant=1, domain=[0, max(flows)], nice=False),
        axis=alt.Axis(values=_ticks(max(flows)), format=",d", grid=False),
    )
    shown = max(threshold, 1)
    table = _table("flow", flows, reached)
    if suppressed is not None:
        bare = pd.DataFrame({"flow": flows, "right": 100 * np.array(suppressed), "line": BARE})
        table = pd.concat([table, bare])
    rule = alt.Chart(pd.DataFrame({"flow": [shown]})).encode(x=x)
    mark = pd.DataFrame({"flow": [min(current, max(flows))]})
    at_threshold = [
        rule.mark_rule(color=TRUE, strokeDash=[2, 2]),
        rule.mark_text(color=TRUE, y=-7, fontSize=12, text=f"τ = {threshold}"),
    ]
    layers = [
        _lines(table, x),
        *(at_threshold if suppressed is not None else []),
        alt.Chart(mark).mark_rule(color=HERE, strokeDash=[4, 3], strokeWidth=1.6).encode(x=x),
    ]
    st.altair_chart(
        alt.layer(*layers).properties(height=HEIGHT),
        key="attack_flow",
        alt="Right guesses out of 100 over the size of the flow"
        + (f"; suppressed below {threshold}" if suppressed is not None else ""),
    )


def over_days(days: tuple[int, ...], reached: Reached) -> None:
    """Draw right guesses after so many daily releases."""
    names = [f"{count:,} day" if count == 1 else f"{count:,} days" for count in days]
    table = _table("days", names, reached)
    x = alt.X("days:N", title="Daily matrices released", sort=names, axis=alt.Axis(labelAngle=0))
    lines = _lines(table, x, points=True)
    texts = [
        alt.Chart(table[table["line"] == line])
        .mark_text(dy=dy, fontSize=12)
        .encode(x=x, y=_guesses(), text=alt.Text("right:Q", format=".0f"), color=_colour(table))
        for line, dy in ((LIMIT, -13), (BEST, 16))  # so that they never lie on each other
    ]
    st.altair_chart(
        alt.layer(lines, *texts).properties(height=HEIGHT),
        key="attack_days",
        alt="Right guesses out of 100 after 1, 7, 30 and all days",
    )


def _table(name: str, values: object, reached: Reached) -> pd.DataFrame:
    return pd.concat(
        pd.DataFrame({name: values, "right": 100 * shares, "line": line})
        for line, shares in ((LIMIT, reached.limit), (BEST, reached.best_guess))
    )


def _lines(table: pd.DataFrame, x: alt.X, *, points: bool = False) -> alt.Chart:
    mark = alt.Chart(table).mark_line(strokeWidth=2.2, point={"size": 70} if points else False)
    return mark.encode(
        x=x,
        y=_guesses(),
        color=_colour(table),
        strokeDash=alt.condition(alt.datum["line"] == BARE, alt.value([5, 4]), alt.value([1, 0])),
        tooltip=[
            alt.Tooltip("line:N", title=" "),
            alt.Tooltip(x.shorthand, title=str(x.shorthand).split(":")[0]),
            alt.Tooltip("right:Q", title="right of 100", format=".1f"),
        ],
    )


def _guesses() -> alt.Y:
    return alt.Y(
        "right:Q",
        title="Right guesses out of 100",
        scale=alt.Scale(domain=[50, 102], nice=False),
        axis=alt.Axis(values=[50, 60, 70, 80, 90, 100]),
    )


def _colour(table: pd.DataFrame) -> alt.Color:
    drawn = set(table["line"])
    colours = {BEST: PRIVATE, LIMIT: OTHER, BARE: TRUE}
    domain = [line for line in colours if line in drawn]
    return alt.Color(
        "line:N",
        title=None,
        scale=alt.Scale(domain=domain, range=[colours[line] for line in domain]),
        legend=alt.Legend(orient="top", columns=2 if len(domain) < 3 else 1, labelLimit=220),
    )


def _ticks(largest: int) -> list[int]:
    return [0, *(10**power for power in range(7) if 10**power <= largest)]
