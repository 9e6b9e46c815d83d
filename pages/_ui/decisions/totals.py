"""The total out-migration: from the truth to what is expected, by cause, and day by day."""

import altair as alt
import pandas as pd
import streamlit as st

from engine.decisions import ShockTotals
from pages._ui.cache.decisions import Emergency
from pages._ui.drawing.colours import OTHER, PRIVATE, TRUE
from pages._ui.shell.catalogue import Entry

_STEPS = {
    "trimming": "trimming (T)",
    "suppression": "suppression (τ)",
    "noise": "noise on flows",
    "phantoms": "phantom flows",
}
_ALL = "in all"
_GAIN, _LOSS = OTHER, "#b5579c"


def causes(exact: ShockTotals) -> None:
    """Draw what each cause adds to the true total or takes from it, and the sum with its range."""
    st.subheader("What changes the total", anchor=False)
    together = exact.together
    true = float(together.true)
    changes = {label: float(getattr(exact.causes, name)) for name, label in _STEPS.items()}
    changes[_ALL] = float(together.bias)
    table = pd.DataFrame(
        [
            {
                "cause": f"{cause}: {_signed(change)}",
                "change": change,
                "colour": PRIVATE if cause == _ALL else _GAIN if change > 0 else _LOSS,
            }
            for cause, change in changes.items()
        ]
    )
    y = alt.Y("cause:N", title=None, sort=None, axis=alt.Axis(labelLimit=200, labelFontSize=12))
    x = alt.X("change:Q", title="Trips added or taken away", axis=alt.Axis(format="~s"))
    bars = (
        alt.Chart(table)
        .mark_bar(height={"band": 0.62})
        .encode(
            y=y,
            x=x,
            color=alt.Color("colour:N", scale=None),
            tooltip=[
                alt.Tooltip("cause:N", title="Cause"),
                alt.Tooltip("change:Q", title="Trips", format="+,.0f"),
            ],
        )
    )
    interval = pd.DataFrame(
        {
            "cause": [table["cause"].iloc[-1]],
            "low": [float(together.low) - true],
            "high": [float(together.high) - true],
        }
    )
    whisker = (
        alt.Chart(interval)
        .mark_rule(strokeWidth=2.5, color=TRUE)
        .encode(y=y, x=alt.X("low:Q", title="Trips added or taken away"), x2="high:Q")
    )
    st.altair_chart(
        alt.layer(bars, whisker).properties(height=250),
        key="decisions_causes",
        alt="Bars of the trips that trimming, suppression, noise and phantom flows add or take "
        "away, and of their sum with its 95% interval",
    )
    st.caption(
        "Exact. Phantom flows are trips that noise invents where nobody travelled. The grey line "
        "on the sum holds 95% of releases."
    )


def _signed(trips: float) -> str:
    sign = "+" if trips > 0.5 else "−" if trips < -0.5 else ""
    return f"{sign}{abs(trips):,.0f}"


def by_day(entry: Entry, shock: Emergency, exact: ShockTotals) -> None:
    """Draw the true and the expected total of each day, with its interval."""
    st.subheader("Day by day", anchor=False)
    days = entry.metadata.days[shock.days[0] : shock.days[1] + 1]
    table = pd.DataFrame(
        {
            "day": pd.to_datetime(days),
            "true": exact.by_day.true,
            "expected": exact.by_day.expected,
            "low": exact.by_day.low,
            "high": exact.by_day.high,
        }
    )
    x = alt.X("day:T", title=None, axis=alt.Axis(format="%d %b", tickCount=min(7, len(days))))
    base = alt.Chart(table)
    kinds = ["true", "expected in the release"]
    colour = alt.Color(
        "run:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=[TRUE, PRIVATE]),
        legend=alt.Legend(orient="top"),
    )
    band = base.mark_area(color=PRIVATE, opacity=0.25).encode(
        x=x, y=alt.Y("low:Q", title="Trips out of the area"), y2="high:Q"
    )
    tooltip = [
        alt.Tooltip("day:T", title="Day", format="%d %b %Y"),
        alt.Tooltip("true:Q", title="True", format=",.0f"),
        alt.Tooltip("expected:Q", title="Expected", format=",.0f"),
        alt.Tooltip("low:Q", title="95% from", format=",.0f"),
        alt.Tooltip("high:Q", title="to", format=",.0f"),
    ]
    lines = [
        base.transform_calculate(run=f"'{kind}'")
        .mark_line(point={"size": 26}, strokeWidth=2)
        .encode(
            x=x,
            y=alt.Y(f"{column}:Q", title="Trips out of the area", axis=alt.Axis(format="~s")),
            color=colour,
            tooltip=tooltip,
        )
        for kind, column in zip(kinds, ("true", "expected"), strict=True)
    ]
    st.altair_chart(
        alt.layer(band, *lines).properties(height=250),
        key="decisions_by_day",
        alt="True and expected trips out of the affected area by day, with the 95% interval",
    )
    st.caption("The band holds the released total of a day in 95% of releases.")
