"""Where people are and where they travel: maps of visits by zone and of the largest flows."""

import numpy as np
import streamlit as st

from engine.metrics import largest
from engine.report import Analysis
from engine.report.measures import windows_between
from engine.report.vectors import known_windows
from pages._ui.cache import datasets as cached_datasets
from pages._ui.drawing import maps, tables
from pages._ui.drawing.tables import Column
from pages._ui.report import block
from pages._ui.report.block import Report
from pages._ui.shell import frame, setting
from pages._ui.shell.settings import use_settings
from pages._ui.wording.numbers import number

_VIEWS = {"true": "True", "private": "Private", "error": "Error"}
_ALL = "all"
_FLOW_VIEWS = {"true": "True", "private": "Private"}
_MOST, _LISTED = 150, 300
_PAGE = "pages/2_Origin_Destination.py"


def zones(report: Report) -> None:
    """Draw the map and the busiest zones beside it."""
    windows = report.context.parameters.windows
    hours = [f"{low}–{high} h" for low, high in windows_between(windows)]
    times = {_ALL: "All visits"}
    times |= {f"d{i}": f"Weekdays {hour}" for i, hour in enumerate(hours)}
    times |= {f"e{i}": f"Weekends {hour}" for i, hour in enumerate(hours)}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        view = setting.draw(
            st.segmented_control, "Map", setting.choice("report_map", _VIEWS, "private"), _VIEWS
        )
        time = setting.draw(
            st.selectbox, "When", setting.choice("report_window", times, _ALL), times, width=260
        )
    analysis = Analysis.ZONES if time == _ALL else Analysis.ZONE_WINDOWS
    result = block.head(report, analysis, unit="m")
    if result is None:
        return
    counts = {"true": report.numbers(analysis), "private": result.noisy}
    widths = result.half_widths()
    if time != _ALL:
        column = int(time[1:]) + (len(hours) if time[0] == "e" else 0)
        counts = {name: known_windows(one, windows)[:, column] for name, one in counts.items()}
        widths = known_windows(widths, windows)[:, column]
    outside = counts["private"][-1], counts["true"][-1]
    counts = {name: values[:-1] for name, values in counts.items()}
    shown = np.maximum(counts["private"], 0)
    error = shown - counts["true"]
    places = st.grid(2, min_column_width=420, gap="medium")
    with places.cell():
        _map(report, counts["true"], shown, error, view, times[time].lower())
    with places.cell():
        _list(report, {"true": counts["true"], "private": shown, "error": np.abs(error)}, view)
    st.caption(
        f"Noise moves each zone by at most {number(widths[0])} nine times in ten. Outside all "
        f"zones: {number(max(outside[0], 0))} (true {number(outside[1])})."
    )


def _list(report: Report, values: dict[str, np.ndarray], view: str) -> None:
    """List the zones that the map shows brightest: most visits, or the largest errors."""
    names = list(cached_datasets.zone_names(report.context.key).values())
    first = largest(values[view], _LISTED)
    st.caption("Largest errors" if view == "error" else f"Most visits, {_VIEWS[view].lower()}")
    tables.draw(
        {
            "Zone": Column([names[zone] for zone in first]),
            "Private (visits)": Column(values["private"][first].tolist(), number),
            "True (visits)": Column(values["true"][first].tolist(), number),
        },
        key="report_zones",
    )


def _map(
    report: Report, true: np.ndarray, shown: np.ndarray, error: np.ndarray, view: str, when: str
) -> None:
    outlines = cached_datasets.outlines(report.context.key)
    if view == "error":
        largest = float(np.abs(error).max()) or 1.0
        scale = maps.Scale(-largest, largest, "diverging")
        ends = (f"{largest:,.0f} too few", f"{largest:,.0f} too many")
        scale.legend(f"private less true visits, {when}", *ends)
    else:
        most = float(max(true.max(), shown.max())) or 1.0
        scale = maps.Scale(0.0, most)
        scale.legend(f"{when}; one scale for true and private", "0", f"{most:,.0f}")
    values = {"true": true, "private": shown, "error": error}
    maps.zone_map(
        outlines,
        values[view].astype(np.float64),
        scale,
        key="report_zone_map",
        alt=f"Map of zones: {_VIEWS[view].lower()} visits, {when}",
        tooltip={name: [number(float(value)) for value in one] for name, one in values.items()},
        height=460,
    )


def flows(report: Report) -> None:
    """Draw the largest flows of the truth or of the private report on one scale."""
    view = setting.draw(
        st.segmented_control,
        "Map",
        setting.choice("report_flow_map", _FLOW_VIEWS, "private"),
        _FLOW_VIEWS,
    )
    result = block.head(report, Analysis.FLOWS)
    if result is None:
        return
    outlines = cached_datasets.outlines(report.context.key)
    size = len(outlines.ids)
    true, kept = (
        report.numbers(Analysis.FLOWS, kept=each).reshape(size, size) for each in (False, True)
    )
    private = result.shown.reshape(size, size)
    between = {"true": true, "private": private}
    apart = ~np.eye(size, dtype=bool)
    most = float(max(matrix[apart].max(initial=0) for matrix in between.values())) or 1.0
    scale = maps.Scale(0.0, most)
    # those within one zone are listed and have no arc
    origins, destinations = maps.largest_flows(between[view], _MOST + size)
    arcs = np.flatnonzero(origins != destinations)[-_MOST:]
    origins, destinations = origins[arcs], destinations[arcs]
    places = st.grid(2, min_column_width=420, gap="medium")
    with places.cell():
        words = f"trips of the {len(origins)} largest flows between zones"
        scale.legend(f"{words}; one scale for true and private", "0", f"{most:,.0f}")
        maps.flow_map(
            outlines,
            origins,
            destinations,
            between[view][origins, destinations].astype(np.float64),
            scale,
            key="report_flow_arcs",
            alt=f"Map of the largest flows, {_FLOW_VIEWS[view].lower()}",
            tooltip={
                name: [number(float(value)) for value in matrix[origins, destinations]]
                for name, matrix in between.items()
            },
            height=440,
        )
    with places.cell():
        _list_flows(report, true, private, view)
    st.caption(
        f"Noise moves each of the {size * size:,} flows by at most "
        f"{number(result.half_widths()[0])} nine times in ten. Of the {len(origins)} drawn, "
        f"{np.count_nonzero(kept[origins, destinations] == 0)} have no kept trip behind them. "
        "Trips within a zone count here: private "
        f"{number(int(np.trace(result.noisy.reshape(size, size))))}, kept "
        f"{number(int(np.trace(kept)))}, true {number(int(np.trace(true)))}."
    )
    _onward(report, result.epsilon)


def _list_flows(report: Report, true: np.ndarray, private: np.ndarray, view: str) -> None:
    names = list(cached_datasets.zone_names(report.context.key).values())
    ordered = largest((true if view == "true" else private).ravel(), _LISTED)
    origin, destination = np.unravel_index(ordered, true.shape)
    tables.draw(
        {
            "From": Column([names[i] for i in origin]),
            "To": Column([names[i] for i in destination]),
            "Private (trips)": Column(private[origin, destination].tolist(), number),
            "True (trips)": Column(true[origin, destination].tolist(), number),
        },
        key="report_flows",
    )


def _onward(report: Report, epsilon: float) -> None:
    params = report.context.parameters
    if params.unit != "user" or not frame.exists(_PAGE):
        return
    if st.button(
        f"Open these flows in Origin–destination (ε = {epsilon:.2g}, T = M, a person)",
        icon=frame.PAGES[_PAGE][1],
        key="report_to_flows",
        on_click=use_settings,
        kwargs={
            "epsilon": epsilon,
            "max_trips": params.max_trips_per_user,
            "unit": "person",
            "od_data": report.context.entry.name,
        },
    ):
        st.switch_page(_PAGE)
