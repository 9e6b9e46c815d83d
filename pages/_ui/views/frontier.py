"""All settings of a dataset by what they risk and what can be used: one picture, one table."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import streamlit as st

from engine.frontier import Candidate, tables, visits
from engine.parameters import ODParameters
from engine.privacy import PRECEDENTS, Guarantee
from pages._ui import jobs
from pages._ui.cache import (
    density as cached_density,
    privacy as cached_privacy,
    trips as cached_trips,
)
from pages._ui.cache.frontier import Advice, Line, span_of
from pages._ui.cache.window import declared
from pages._ui.drawing import charts, colours, tables as drawn_tables
from pages._ui.drawing.tables import Column
from pages._ui.jobs import Job
from pages._ui.shell import setting
from pages._ui.views import need as need_view, way_out
from pages._ui.views.context import Context
from pages._ui.wording import frontier as wording
from pages._ui.wording.numbers import percent
from pages._ui.wording.privacy import guess

HEIGHT = 430
_LEVELS = ("#b8860b", "#6f9e12", "#2a9d6f", "#21868c", "#2a7fb8", "#5a68c8", "#8e5bc9", "#b0479f")
"""Of zones, coarse to fine; legible on light and dark, and by lightness for the colour-blind."""
_SHAPES = {"whole": "circle", "week": "triangle-up", "day": "square"}
_DASHES = {"whole": [1, 0], "week": [10, 3], "day": [3, 3]}
_BEST = "#2a9d6f"
_BORDERS = {"whole": "solid", "week": "dashed", "day": "dotted"}
_TICKS = [0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 1.0]
_ERROR = "Error a trip or visit"
_RIGHT = 0.85
"""From this risk on words stand to the left of their mark."""
_LABEL = 0.1
"""Marks that lie closer, in risk and in use, have one label above and one below."""


def draw(
    context: Context[Any], *, need: bool = False, at: tuple[float, float] | None = None
) -> None:
    """Draw every setting of the context's dataset, and what to choose among them.

    Parameters
    ----------
    context : Context
        The setting at hand: *you are here*; its detail and protection are the need.
    need : bool
        Whether to draw the pickers of the need; a page that has them already does not.
    at : pair of float, optional
        Risk and use of the setting at hand, where the page has judged it; else it is judged here.
    """
    flows = isinstance(context.parameters, ODParameters)
    st.subheader("All settings: what they risk, and what can be used", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom", key="frontier_need"):
        if need:
            need_view.draw("trips" if flows else "density", unit=False)
        setting.draw(
            st.select_slider,
            "The most an attacker may guess right",
            way_out.RISK,
            way_out.RISKS,
            format_func="{:.0%}".format,
            help="A coin gets 50%; up to 75% is called strong. What is recommended keeps to it.",
        )
    work = way_out.job(context)
    work.hurry()
    place = at or judged(context)

    def show(work: Job) -> None:
        jobs.progress(work, "Judging every setting", "frontier")
        known = way_out.advice(context, work)
        if known is not None:
            _picture(known, context, place)
        if known is not None and not work.running:
            _why(known)
            _table(known, context)
        elif not work.running and work.state != "failed":
            st.info("No setting meets this need: ask for coarser zones, or a longer time.")

    jobs.follow("frontier_view", work, show)


def judged(context: Context[Any]) -> tuple[float, float]:
    """Return risk and use of the setting at hand as pages judge it, the published flows exactly."""
    entry, parameters = context.entry, context.parameters
    if not isinstance(parameters, ODParameters):
        risk = cached_privacy.risk_of_density(context.key, parameters)
        release = cached_density.judged(context.key, parameters, context.seed)
        return risk.best_guess, release.usable_share
    risk = cached_privacy.risk_of_trips(parameters, entry.metadata)
    published, window = context.vary(method="published").parameters, declared(parameters)
    return risk.best_guess, cached_trips.usable_share(context.key, published, window)


def _picture(known: Advice, context: Context[Any], at: tuple[float, float]) -> None:
    lines, shown = known.lines, known.dots
    levels = sorted({(one.zones, one.seen.zones) for one in shown})
    edge = {id(one) for line in lines.values() for one in line}
    limit = setting.value(way_out.RISK)
    data = {
        "dots": {
            "risk": [one.risk for one in shown],
            "use": [one.use for one in shown],
            "zones": [one.seen.zones for one in shown],
            "span": [span_of(one) for one in shown],
            "edge": [id(one) in edge for one in shown],
            "meets": [known.frontier.meets(one) for one in shown],
            "setting": [wording.setting_words(one) for one in shown],
            "id": list(range(len(shown))),
        },
        "steps": _stairs(lines, known),
        "marks": _marks(known, context, at, shown),
        "limit": {"risk": [limit], "words": [f"your limit, {limit:.0%}"]},
        "uses": {
            "risk": [Guarantee(epsilon=one.epsilon).best_guess for one in PRECEDENTS],
            "use": [0.0] * len(PRECEDENTS),
            "setting": [f"{one.name}: ε = {one.epsilon:g} for {one.unit}" for one in PRECEDENTS],
        },
    }

    def pick(chosen: Mapping[str, Any]) -> None:
        number = chosen.get("id")  # of a known use there is none
        if number is not None and number >= 0:
            way_out.take(shown[int(number)], context.entry)

    st.html(_legend(lines, known, levels))
    charts.show(
        _layers(levels, flows="T" in shown[0].levers),
        data,
        key="frontier_chart",
        alt=f"{len(known.frontier.candidates):,} settings that meet the need by risk and use; "
        f"you are at a best guess of {guess(at[0], 1)} with {percent(at[1])} usable",
        height=HEIGHT,
        on_pick=pick,
    )
    drawn = (
        ""
        if wording.is_flows(shown[0])
        else f" Use is the mean of {visits.DRAWS} draws, ± its error."
    )
    st.caption(
        "Each dot is a setting; pale ones do not meet the need. Square dots and dotted lines are "
        "the shortest span of time, round ones the longest. Triangles at the foot are known uses "
        "of ε, by what one release of it allows. Click a dot to set all levers at once." + drawn
    )
    if known.frontier.confidential:
        st.caption(wording.LEAK)


def _stairs(lines: Mapping[Line, Sequence[Candidate]], known: Advice) -> dict[str, list[Any]]:
    """Return the corners of the steps; each line runs on to certainty."""
    rows: list[tuple[float, float, str, str, str, bool]] = []
    for (zones, span), line in lines.items():
        name, meets = f"{zones} {span}", known.frontier.meets(line[-1])
        rows += [(one.risk, one.use, zones, span, name, meets) for one in line]
        rows.append((1.0, line[-1].use, zones, span, name, meets))
    names = ("risk", "use", "zones", "span", "line", "meets")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _marks(
    known: Advice, context: Context[Any], at: tuple[float, float], shown: Sequence[Candidate]
) -> dict[str, list[Any]]:
    best, yours = known.recommended, "you are here"
    rows = [(*at, yours, colours.HERE, "as it is set now", -1, False)]
    if best is not None:
        number = next(i for i, one in enumerate(shown) if one is best)
        words, place = wording.setting_words(best), (best.risk, best.use)
        close = max(abs(one - other) for one, other in zip(place, at, strict=True)) < _LABEL
        below = close and best.use < at[1]  # one label would cover the other
        rows = [(*rows[0][:-1], close and not below)]
        rows.append((*place, "recommended", _BEST, words, number, below))
        if way_out.is_set(best, context):
            rows = [(*place, f"recommended, {yours}", _BEST, words, number, False)]
    names = ("risk", "use", "words", "colour", "setting", "id", "below")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _layers(levels: Sequence[tuple[int, str]], *, flows: bool) -> list[charts.Spec]:
    """Return the layers: steps, dots, known uses, the limit, here and recommended."""
    of = "trips in usable flows" if flows else "zones with usable counts"
    x = _axis("risk", [0.5, 1.0], "Risk: an attacker's best guess over everything released")
    x["axis"]["values"] = _TICKS
    y = _axis("use", [0.0, 1.0], f"Use: share of {of}")
    names = [zones for _, zones in levels]
    shades = [_LEVELS[i * (len(_LEVELS) - 1) // max(len(names) - 1, 1)] for i in range(len(names))]
    colour = {"field": "zones", "scale": {"domain": names, "range": shades}, "legend": None}
    spans = list(_SHAPES)
    shape = {
        "field": "span",
        "scale": {"domain": spans, "range": list(_SHAPES.values())},
        "legend": None,
    }
    dash = {
        "field": "span",
        "scale": {"domain": spans, "range": list(_DASHES.values())},
        "legend": None,
    }
    said = [
        {"field": "setting", "title": "Setting"},
        {"field": "use", "title": "Usable", "format": ".1%"},
        {"field": "risk", "title": "Best guess", "format": ".1%"},
    ]
    at = {"x": x, "y": y}

    def where(test: str, yes: float, no: float) -> charts.Spec:
        return {"condition": {"test": test, "value": yes}, "value": no}

    mark_colour = {"field": "colour", "scale": None, "legend": None}
    return [
        {
            "data": {"name": "steps"},
            "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
            "encoding": at
            | {"color": colour, "strokeDash": dash, "detail": {"field": "line"}}
            | {"opacity": where("datum.meets", 1.0, 0.4)},
        },
        {
            "params": [charts.picking("id")],
            "mark": {"type": "point", "filled": True, "cursor": "pointer"},
            "encoding": at
            | {"color": colour, "shape": shape, "tooltip": said}
            | {"size": where("datum.edge", 55, 16)}
            | {"opacity": where("datum.meets", 0.75, 0.3)},
        },
        {
            "data": {"name": "uses"},
            "mark": {"type": "point", "shape": "triangle-up", "size": 70, "color": colours.TRUE},
            "encoding": at | {"tooltip": said[:1]},
        },
        {
            "data": {"name": "limit"},
            "mark": {"type": "rule", "strokeDash": [3, 3], "color": colours.TRUE},
            "encoding": {"x": x},
        },
        {
            "data": {"name": "limit"},
            "mark": {
                "type": "text",
                "align": "right",
                "dx": -4,
                "y": {"expr": "height * 0.06 + 4"},
                "color": colours.TRUE,
            },
            "encoding": {"x": x, "text": {"field": "words"}},
        },
        {
            "data": {"name": "marks"},
            "mark": {"type": "point", "size": 260, "strokeWidth": 3, "filled": False},
            "encoding": at | {"color": mark_colour, "tooltip": said},
        },
        *(
            {
                "data": {"name": "marks"},
                "transform": [{"filter": f"datum.risk {side} {_RIGHT} && {below}datum.below"}],
                "mark": {"type": "text", "align": align, "dx": dx, "dy": dy, "fontWeight": "bold"},
                "encoding": at | {"color": mark_colour, "text": {"field": "words"}},
            }
            for side, align, dx in (("<", "left", 13), (">=", "right", -13))
            for below, dy in (("!", -10), ("", 14))
        ),
    ]


def _axis(field: str, domain: list[float], title: str) -> charts.Spec:
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": domain},
        "axis": {"format": ".0%", "title": title},
    }


def _legend(
    lines: Mapping[Line, Sequence[Candidate]], known: Advice, levels: Sequence[tuple[int, str]]
) -> str:
    """Return the name of each step and the most use within the limit of risk, the best first."""
    limit = setting.value(way_out.RISK)
    shades = {
        zones: _LEVELS[i * (len(_LEVELS) - 1) // max(len(levels) - 1, 1)]
        for i, (_, zones) in enumerate(levels)
    }
    rows: list[tuple[float, str]] = []
    for (zones, span), line in lines.items():
        best = max((one.use for one in line if one.within(limit)), default=0.0)
        faint = "" if known.frontier.meets(line[-1]) else "opacity:0.6;"
        rows.append(
            (
                best,
                f'<span style="{faint}white-space:nowrap"><i style="display:inline-block;'
                f"width:1.7rem;vertical-align:middle;border-top:3px {_BORDERS[span]} "
                f"{shades[zones]}"
                f'"></i> {wording.zones_words(line[0])}, {wording.span_words(line[0])}: '
                f"<b>{percent(best)}</b></span>",
            )
        )
    rows.sort(key=lambda row: -row[0])
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:0.1rem 1.2rem;font-size:0.82rem">'
        f"<span>Most use at a best guess of at most {limit:.0%}:</span>"
        f"{''.join(words for _, words in rows)}</div>"
    )


def _why(known: Advice) -> None:
    """Draw what each lever of the recommended setting costs or brings by one step."""
    best = known.recommended
    if best is None:
        return
    rows = [step for step in known.levers if step.less is not None or step.more is not None]

    def said(one: Candidate | None) -> str:
        return "–" if one is None else wording.axes_words(one)

    st.caption(
        f"Why this one: **{wording.setting_words(best)}** has {wording.axes_words(best)}. By one "
        "step of one lever, use at which best guess:"
    )
    drawn_tables.draw(
        {
            "Lever": Column([wording.lever_words(step.lever) for step in rows]),
            "One step less": Column([said(step.less) for step in rows]),
            "One step more": Column([said(step.more) for step in rows]),
        },
        key="frontier_why",
    )


def _table(known: Advice, context: Context[Any]) -> None:
    """Draw the settings that no other beats as a table; all that meet the need as a file."""
    line = known.frontier.frontier
    st.caption(
        f"{len(known.frontier.candidates):,} settings meet the need; no other beats these "
        f"{len(line)} on risk, use and detail."
    )
    writers = {"Best guess": "{:.1%}".format, "Usable": "{:.1%}".format}
    writers[_ERROR] = "{:.2f}".format
    drawn_tables.draw(
        {name: Column(values, writers.get(name)) for name, values in _columns(line).items()},
        key="frontier_table",
    )
    if known.frontier.confidential:  # a file is served to whoever knows its address
        return
    st.download_button(
        "All settings that meet the need (CSV)",
        data=lambda: "".join(_rows(known)),
        file_name=f"settings-{context.entry.name}.csv",
        mime="text/csv",
        key="frontier_csv",
        type="tertiary",
    )


def _columns(line: Sequence[Candidate]) -> dict[str, list[Any]]:
    """Return settings as columns, in words and numbers."""
    return {
        "Setting": [wording.setting_words(one) for one in line],
        "Best guess": [one.risk for one in line],
        "Usable": [one.use for one in line],
        _ERROR: [one.error for one in line],
    }


def _rows(known: Advice) -> Iterator[str]:
    """Yield the file's lines: numbers as numbers, one candidate a line."""
    line = set(map(id, known.frontier.frontier))
    for i, one in enumerate(known.frontier.candidates):
        row = tables.row(one) | {
            "on_frontier": id(one) in line,
            "recommended": one is known.recommended,
            "note": "exploration, not a release",
        }
        text = io.StringIO()
        writer = csv.DictWriter(text, fieldnames=list(row), lineterminator="\n")
        if i == 0:
            writer.writeheader()
        writer.writerow(row)
        yield text.getvalue()
