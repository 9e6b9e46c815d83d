"""Flows between zones: the largest ones, and the way to the page that knows more of them."""

import numpy as np
import streamlit as st

from engine.arrays import Integers
from engine.metrics import largest
from engine.report import Analysis
from pages._ui.cache import datasets as cached_datasets
from pages._ui.drawing import long_table, maps
from pages._ui.drawing.long_table import Column
from pages._ui.report import block
from pages._ui.report.block import Report
from pages._ui.shell import frame, setting
from pages._ui.shell.settings import use_settings
from pages._ui.wording.numbers import number

_VIEWS = {"true": "True", "private": "Private"}
_MOST, _LISTED = 150, 300
_PAGE = "pages/2_Origin_Destination.py"


def draw(report: Report) -> None:
    """Draw the largest flows of the truth or of the private report on one scale."""
    view = setting.draw(
        st.segmented_control,
        "Map",
        setting.choice("report_flow_map", _VIEWS, "private"),
        list(_VIEWS),
        format_func=_VIEWS.__getitem__,
        required=True,
    )
    result = block.head(report, Analysis.FLOWS)
    if result is None:
        return
    zones = cached_datasets.outlines(report.chosen.key)
    size = len(zones.ids)
    true, private = result.truth.reshape(size, size), result.shown.reshape(size, size)
    between = {"true": true, "private": private}
    most = float(max(_largest_between(matrix) for matrix in between.values())) or 1.0
    scale = maps.Scale(0.0, most)
    origins, destinations = _between(between[view])
    places = st.grid(2, min_column_width=420, gap="medium")
    with places.cell():
        words = f"trips of the {len(origins)} largest flows between zones"
        scale.legend(f"{words}; one scale for true and private", "0", f"{most:,.0f}")
        maps.flow_map(
            zones,
            origins,
            destinations,
            between[view][origins, destinations].astype(np.float64),
            scale,
            key="report_flow_arcs",
            alt=f"Map of the largest flows, {_VIEWS[view].lower()}",
            tooltip={
                name: [number(float(value)) for value in matrix[origins, destinations]]
                for name, matrix in between.items()
            },
            height=440,
        )
    with places.cell():
        _list(report, true, private, view)
    kept = result.kept.reshape(size, size)
    st.caption(
        f"Noise moves each of the {size * size:,} flows by at most "
        f"{number(result.half_widths()[0])} nine times in ten. Of the {len(origins)} drawn, "
        f"{np.count_nonzero(kept[origins, destinations] == 0)} have no kept trip behind them. "
        "Trips within a zone count here: private "
        f"{number(int(np.trace(result.noisy.reshape(size, size))))}, kept "
        f"{number(int(np.trace(kept)))}, true {number(int(np.trace(true)))}."
    )
    _onward(report, result.epsilon)


def _between(matrix: Integers) -> tuple[Integers, Integers]:
    """Return the largest flows between two zones; those within one are listed and have no arc."""
    origins, destinations = maps.largest_flows(matrix, _MOST + len(matrix))
    apart = origins != destinations
    return origins[apart][-_MOST:], destinations[apart][-_MOST:]


def _largest_between(matrix: Integers) -> int:
    size = len(matrix)
    off_diagonal = matrix.reshape(-1)[:-1].reshape(size - 1, size + 1)[:, 1:]
    return int(off_diagonal.max(initial=0))


def _list(report: Report, true: np.ndarray, private: np.ndarray, view: str) -> None:
    names = cached_datasets.dataset(report.chosen.key).zones["name"].astype(str).tolist()
    ordered = largest((true if view == "true" else private).ravel(), _LISTED)
    origin, destination = np.unravel_index(ordered, true.shape)
    long_table.draw(
        {
            "From": Column([names[i] for i in origin]),
            "To": Column([names[i] for i in destination]),
            "Private (trips)": Column(private[origin, destination].tolist(), number),
            "True (trips)": Column(true[origin, destination].tolist(), number),
        },
        key="report_flows",
    )


def _onward(report: Report, epsilon: float) -> None:
    params = report.chosen.parameters
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
            "od_data": report.chosen.name,
        },
    ):
        st.switch_page(_PAGE)
