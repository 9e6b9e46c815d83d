"""Trips out of the area: their total by cause and by day, and where people went."""

import numpy as np
import pandas as pd
import streamlit as st

from engine import decisions
from engine.decisions import Selection, ShockTotals
from pages._ui.cache.draws import generator
from pages._ui.decisions.work import Aid
from pages._ui.drawing import charts
from pages._ui.drawing.charts import DASHED, Axis, Line, Mark, Rule
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE

_STEPS = {
    "trimming": "trimming (T)",
    "suppression": "suppression (τ)",
    "noise": "noise on flows",
    "phantoms": "phantom flows",
}
_ALL = "in all"
_GAIN, _LOSS = OTHER, "#b5579c"
SHOWN = 8
SLOPES = 8


def causes(exact: ShockTotals) -> None:
    """Draw what each cause adds to the true total or takes from it, and the sum with its range."""
    st.subheader("What changes the total", anchor=False)
    together = exact.together
    true = float(together.true)
    changes = {label: float(getattr(exact.causes, name)) for name, label in _STEPS.items()}
    changes[_ALL] = float(together.bias)
    labels = [f"{cause}: {_signed(change)}" for cause, change in changes.items()]
    shades = [_GAIN if change > 0 else _LOSS for change in changes.values()]
    charts.bars(
        labels,
        [
            Mark(name="Trips", values=list(changes.values()), colour=[*shades[:-1], PRIVATE]),
            Mark(
                name="95% from",
                values=[float(together.low) - true],
                to=[float(together.high) - true],
                at=labels[-1:],
                colour=TRUE,
                kind="rule",
            ),
        ],
        of=Axis(title="Trips added or taken away", tip="+,.0f"),
        key="decisions_causes",
        alt="Bars of the trips that trimming, suppression, noise and phantom flows add or take "
        "away, and of their sum with its 95% interval",
        height=250,
    )
    st.caption(
        "Exact. Phantom flows are trips that noise invents where nobody travelled. The grey line "
        "on the sum holds 95% of releases."
    )


def _signed(trips: float) -> str:
    sign = "+" if trips > 0.5 else "−" if trips < -0.5 else ""
    return f"{sign}{abs(trips):,.0f}"


def by_day(aid: Aid) -> None:
    """Draw the true and the expected total of each day, with its interval."""
    st.subheader("Day by day", anchor=False)
    first, last = aid.shock.days
    days, exact = aid.context.entry.metadata.days[first : last + 1], aid.totals
    each = exact.by_day
    charts.curve(
        [
            Line(name="true", y=each.true, colour=TRUE, dash=DASHED),
            Line(name="expected in the release", y=each.expected, low=each.low, high=each.high),
        ],
        x=pd.to_datetime(days),
        at=Axis(title="Day", kind="time", form="%d %b", tip="%d %b %Y", ticks=min(7, len(days))),
        of=Axis(title="Trips out of the area", tip=",.0f"),
        dots=True,
        key="decisions_by_day",
        alt="True and expected trips out of the affected area by day, with the 95% interval",
        height=250,
    )
    st.caption("The band holds the released total of a day in 95% of releases.")


def ranked(aid: Aid, selection: Selection) -> None:
    """Draw the destinations most often chosen, in truth and in releases."""
    k, leaving, names = aid.k, aid.leaving, aid.destinations
    st.subheader(f"Who is among the first {k}", anchor=False)
    days = selection.chosen.shape[1]
    chance = selection.chosen[k - 1].mean(axis=0)
    truly = selection.truly[k - 1].mean(axis=0)
    received = leaving.true[:days].sum(axis=(0, 1))
    order = np.lexsort((-received, -chance, -truly))[: max(SHOWN, 2 * k)]
    order = order[(received[order] > 0) | (chance[order] >= 0.005)]
    if not len(order):
        st.caption("Nobody left the area, and no release names a destination.")
        return
    trips = [f"{received[at]:,.0f}" for at in order]
    charts.bars(
        [names[at] for at in order],
        [
            Mark(name="Chosen in the release", values=chance[order]),
            Mark(name="Days truly among them", values=truly[order], colour=TRUE, kind="tick"),
        ],
        of=charts.share("Probability, mean over days"),
        more={"Truly received (trips)": trips},
        key="decisions_ranked",
        alt="Bars of the probability of each destination to be chosen, with the share of days on "
        "which it truly is",
    )
    st.caption("Exact, over all draws; the grey ticks are of the truth.")


def overlap(selection: Selection, k: int) -> None:
    """Draw the expected overlap over k, with "you are here"."""
    st.subheader("If more or fewer are helped", anchor=False)
    means = [
        float(np.mean(row[np.isfinite(row)])) if np.isfinite(row).any() else np.nan
        for row in selection.overlap
    ]
    charts.curve(
        charts.lines({"overlap": means}),
        x=range(1, len(means) + 1),
        at=Axis(
            title="Destinations helped (k)",
            form="d",
            tip="d",
            domain=(1, max(2, len(means))),
            more={"tickMinStep": 1, "grid": False},
        ),
        of=charts.share("Right destinations"),
        current=k,
        dots=True,
        key="decisions_overlap",
        alt="Expected share of right destinations over their number",
        height=260,
    )
    st.caption("Exact expected overlap with the true first k, mean over the days.")


def slope(aid: Aid) -> None:
    """Draw ranks from the truth to one draw, all days added up."""
    st.subheader("From the truth to one release", anchor=False)
    k, leaving, names = aid.k, aid.leaving, aid.destinations
    drawn = decisions.private_aid(
        leaving,
        [aid.context.parameters],
        1,
        min(k, leaving.kept.shape[2]),
        rng=generator(aid.context.seed, "aid"),
    ).first[0]
    true, private = leaving.true.sum(axis=(0, 1)), drawn.sum(axis=0)
    ranks = [np.argsort(np.argsort(-values, kind="stable")) + 1 for values in (true, private)]
    most = max(SLOPES, k)
    shown = np.flatnonzero(((ranks[0] <= most) & (true > 0)) | ((ranks[1] <= most) & (private > 0)))
    if not len(shown):
        st.caption("Nobody left the area in truth or in this release.")
        return
    lines = [
        Line(
            name=names[at],
            y=(places := [min(int(rank[at]), most + 1) for rank in ranks]),
            colour=_KINDS[_kind(ranks, at, k)],
            written=(trips := [f"{names[at]} · {values[at]:,.0f}" for values in (true, private)]),
            # zones that share the last line would write over each other
            texts=[
                words if rank <= most else "" for words, rank in zip(trips, places, strict=True)
            ],
            where="beside",
        )
        for at in shown
    ]
    charts.legend([Line(name=name, y=[], colour=colour) for name, colour in _KINDS.items()])
    look = {"domain": False, "ticks": False}
    charts.curve(
        lines,
        x=["truth", "release"],
        at=Axis(title="", kind="names", padding=0.9, more={"orient": "top", **look}),
        of=Axis(
            title="Rank",
            domain=(0.5, most + 1.5),
            reverse=True,
            ticks=range(1, most + 2),
            labels=f"datum.value > {most} ? 'below' : datum.value",
            more={"grid": False, **look},
        ),
        rules=[Rule(y=k + 0.5)],
        legend=False,
        dots=True,
        key="decisions_slope",
        alt="Ranks of the main destinations in truth and in one release, joined by lines",
        height=max(260, 30 * (most + 1)),
    )
    st.caption(
        f"Ranks over all days added up, in one draw. Red lines change sides of the first {k}; "
        f"zones beyond rank {most} stand on the last line. Redraw in the sidebar shows another."
    )


_KINDS = {"stays among the first": PRIVATE, "changes sides": HERE, "stays below": TRUE}


def _kind(ranks: list[np.ndarray], at: int, k: int) -> str:
    inside = [bool(rank[at] <= k) for rank in ranks]
    if inside[0] != inside[1]:
        return "changes sides"
    return "stays among the first" if inside[0] else "stays below"
