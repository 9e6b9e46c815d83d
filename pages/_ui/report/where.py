"""Where people are and where they travel: maps of visits by zone and of the largest flows."""

from typing import Any

import numpy as np
import streamlit as st

from engine.metrics import largest
from engine.report import Analysis
from pages._ui import cached, state
from pages._ui.drawing import maps, tables
from pages._ui.drawing.tables import Column
from pages._ui.report.charts import head
from pages._ui.report.question import Report
from pages._ui.wording.numbers import number

_VIEWS = ("True", "Private")
_MOST, _LISTED, _HEIGHT = 150, 200, 440


def visits(report: Report) -> None:
    """Draw the map of visits and the busiest zones beside it."""
    if not head(report, Analysis.VISITS):
        return
    result, true = report.release.results[Analysis.VISITS], report.numbers(Analysis.VISITS)
    view, outlines, names = _places(report)
    counts = {"True": true[:-1], "Private": result.shown[:-1]}
    places = st.grid(2, min_column_width=420, gap="medium")
    with places.cell():
        scale = _scale("starts and ends", counts)
        maps.zone_map(
            outlines,
            counts[view].astype(np.float64),
            scale,
            key="report_zone_map",
            alt=f"Map of zones: {view.lower()} visits",
            tooltip=_words(counts),
            height=_HEIGHT,
        )
    with places.cell():
        first = largest(counts[view], _LISTED)
        _list({"Zone": list(names[first])}, {name: one[first] for name, one in counts.items()})
    st.caption(
        f"Noise moves each zone by at most {number(result.half_widths()[0])} (95%). Outside all "
        f"zones: {number(int(result.shown[-1]))} (true {number(true[-1])})."
    )


def flows(report: Report) -> None:
    """Draw the largest flows, of the truth or of the private report."""
    if not head(report, Analysis.FLOWS):
        return
    result, true = report.release.results[Analysis.FLOWS], report.numbers(Analysis.FLOWS)
    view, outlines, names = _places(report)
    size = len(outlines.ids)
    counts = {"True": true.reshape(size, size), "Private": result.shown.reshape(size, size)}
    pairs = origins, destinations = maps.largest_flows(counts[view], _MOST + size)
    arcs = np.flatnonzero(origins != destinations)[-_MOST:]  # those within one zone have no arc
    drawn = {name: one[origins[arcs], destinations[arcs]] for name, one in counts.items()}
    places = st.grid(2, min_column_width=420, gap="medium")
    with places.cell():
        scale = _scale("trips", drawn)
        maps.flow_map(
            outlines,
            origins[arcs],
            destinations[arcs],
            drawn[view].astype(np.float64),
            scale,
            key="report_flow_arcs",
            alt=f"Map of the largest flows, {view.lower()}",
            tooltip=_words(drawn),
            height=_HEIGHT,
        )
    with places.cell():
        order = np.argsort(-counts[view][pairs], kind="stable")[:_LISTED]
        ends = {"From": list(names[origins[order]]), "To": list(names[destinations[order]])}
        _list(ends, {name: one[pairs][order] for name, one in counts.items()})
    st.caption(
        f"Noise moves each of the {size * size:,} flows by at most "
        f"{number(result.half_widths()[0])} (95%). Trips within a zone count here."
    )


def _places(report: Report) -> tuple[str, maps.Outlines, Any]:
    """Draw the switch of the map; return it, the zones ready to draw, and their names."""
    view = state.choose("Map", _VIEWS, "report_map", "Private", titled=True)
    seen = cached.view(report.setting)
    names = np.array(list(cached.of(maps.zone_names, seen).values()))
    return view, cached.of(maps.outlines, seen), names


def _scale(what: str, counts: dict[str, Any]) -> maps.Scale:
    scale = maps.Scale(0.0, float(max(one.max(initial=0) for one in counts.values())) or 1.0)
    scale.legend(f"{what}; one scale for true and private", "0", number(scale.high))
    return scale


def _list(names: dict[str, list[str]], counts: dict[str, Any]) -> None:
    columns = {name: Column(values.tolist(), number) for name, values in counts.items()}
    tables.draw({**names, **columns}, key="report_list")


def _words(counts: dict[str, Any]) -> dict[str, list[str]]:
    return {n.lower(): [number(float(value)) for value in one] for n, one in counts.items()}
