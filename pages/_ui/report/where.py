"""Where people are and where they travel: maps of visits by zone and of the largest flows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from engine.metrics import largest
from engine.report import Analysis
from pages._ui import cached, state
from pages._ui.density.map import zone_names
from pages._ui.drawing import maps, tables
from pages._ui.drawing.tables import Column
from pages._ui.report.charts import head
from pages._ui.report.question import Report
from pages._ui.wording.numbers import number

_VIEWS = {"true": "True", "private": "Private"}
_MOST, _LISTED = 150, 200


def visits(report: Report) -> None:
    """Draw the map of visits and the busiest zones beside it."""
    if not head(report, Analysis.VISITS):
        return
    result = report.release.results[Analysis.VISITS]
    view = _view()
    true, shown = report.numbers(Analysis.VISITS), result.shown
    counts = {"true": true[:-1], "private": shown[:-1]}
    scale = maps.Scale(0.0, float(max(one.max() for one in counts.values())) or 1.0)
    places = st.grid(2, min_column_width=420, gap="medium")
    with places.cell():
        scale.legend("starts and ends; one scale for true and private", "0", number(scale.high))
        maps.zone_map(
            _outlines(report),
            counts[view].astype(np.float64),
            scale,
            key="report_zone_map",
            alt=f"Map of zones: {_VIEWS[view].lower()} visits",
            tooltip=_words(counts),
            height=440,
        )
    with places.cell():
        names = _names(report)
        first = largest(counts[view], _LISTED)
        _list({"Zone": list(names[first])}, {name: one[first] for name, one in counts.items()})
    st.caption(
        f"Noise moves each zone by at most {number(result.half_widths()[0])} (95%). Outside all "
        f"zones: {number(int(shown[-1]))} (true {number(true[-1])})."
    )


def flows(report: Report) -> None:
    """Draw the largest flows, of the truth or of the private report."""
    if not head(report, Analysis.FLOWS):
        return
    result = report.release.results[Analysis.FLOWS]
    view = _view()
    outlines = _outlines(report)
    size = len(outlines.ids)
    counts = {"true": report.numbers(Analysis.FLOWS), "private": result.shown}
    counts = {name: one.reshape(size, size) for name, one in counts.items()}
    pairs = origins, destinations = maps.largest_flows(counts[view], _MOST + size)
    arcs = np.flatnonzero(origins != destinations)[-_MOST:]  # those within one zone have no arc
    drawn = {name: one[origins[arcs], destinations[arcs]] for name, one in counts.items()}
    scale = maps.Scale(0.0, float(max(one.max(initial=0) for one in drawn.values())) or 1.0)
    places = st.grid(2, min_column_width=420, gap="medium")
    with places.cell():
        scale.legend("trips; one scale for true and private", "0", number(scale.high))
        maps.flow_map(
            outlines,
            origins[arcs],
            destinations[arcs],
            drawn[view].astype(np.float64),
            scale,
            key="report_flow_arcs",
            alt=f"Map of the largest flows, {_VIEWS[view].lower()}",
            tooltip=_words(drawn),
            height=440,
        )
    with places.cell():
        names = _names(report)
        order = np.argsort(-counts[view][pairs], kind="stable")[:_LISTED]
        ends = {"From": list(names[origins[order]]), "To": list(names[destinations[order]])}
        _list(ends, {name: one[pairs][order] for name, one in counts.items()})
    st.caption(
        f"Noise moves each of the {size * size:,} flows by at most "
        f"{number(result.half_widths()[0])} (95%). Trips within a zone count here."
    )


def _view() -> str:
    view = st.segmented_control(
        "Map",
        list(_VIEWS),
        default="private",
        required=True,
        format_func=_VIEWS.__getitem__,
        key="report_map",
        **state.LINKED,
    )
    return view or "private"


def _outlines(report: Report) -> maps.Outlines:
    return cached.of(maps.outlines, cached.view(report.setting))


def _names(report: Report) -> Any:
    return np.array(list(cached.of(zone_names, cached.view(report.setting)).values()))


def _list(names: Mapping[str, list[str]], counts: Mapping[str, Any]) -> None:
    columns = {_VIEWS[name]: Column(values.tolist(), number) for name, values in counts.items()}
    tables.draw({**names, **columns}, key="report_list")


def _words(counts: Mapping[str, Any]) -> dict[str, list[str]]:
    return {name: [number(float(value)) for value in one] for name, one in counts.items()}
