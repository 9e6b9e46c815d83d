"""Origin–destination page: arrows of the largest flows, and a block of the matrix under them."""

import numpy as np
import streamlit as st

from engine.arrays import Integers
from pages._ui import cached, state
from pages._ui.drawing import charts, maps, marks, picture, tables
from pages._ui.drawing.charts import Scale
from pages._ui.drawing.colours import rgb
from pages._ui.shell.session import map_size
from pages._ui.trips.matrix import LOST, PHANTOM, Matrix, written

TRUE, PRIVATE, WRONG = "True", "Private", "Phantom and lost"
ALL = ""
_SIZE = 640, 520
_BLOCK = 12
_ZONE = "od_zone"
_BANDS = (
    "42 (95%: 31–55; 12–72 for all flows at once) gives the estimate and two ranges of the trips "
    "kept by trimming, whatever the model: the first for a flow you had in mind before you looked, "
    "the second also for flows that are shown because they came out large. The estimate is of all "
    "trips, and may lie above both."
)


def draw(matrix: Matrix) -> None:
    """Draw the switch, the zone, one large map on a scale that no setting moves, and a list."""
    shown, zone, most = _controls(matrix)
    true, private = matrix.truth, matrix.shown
    inside = np.full(true.shape, zone is None)
    if zone is not None:
        inside[zone, :] = inside[:, zone] = True
    phantom, lost = (cells & inside for cells in matrix.wrong())
    values = {
        TRUE: np.where(inside, true, 0),
        PRIVATE: np.where(inside, private, 0),
        WRONG: np.where(lost, true, np.where(phantom, private, 0)),
    }[shown]
    pairs = maps.largest_flows(values, most)
    scale = maps.Scale(float(max(true.max(initial=0), 1)))
    colours = scale.colours(values[pairs].astype(float))
    if shown == PRIVATE and marks.has(matrix.release):
        colours = marks.colours(matrix.release, pairs, scale, values[pairs].astype(float))
    wrong = ((PHANTOM, phantom), (LOST, lost)) if shown != TRUE else ()
    for one, cells in wrong:
        colours[cells[pairs]] = [*rgb(one.colour), 235]
    maps.flow_map(
        cached.of(maps.outlines, cached.view(matrix.setting)),
        *pairs,
        values[pairs].astype(float),
        scale,
        key="od_flows",
        alt=f"Arrows of the {most} largest flows: {shown.lower()}",
        tooltip=_said(matrix, pairs),
        colours=colours,
        wrong=(phantom | lost)[pairs] & (shown != TRUE),
        marked=zone,
        on_zone=_take_zone,
        turn=0 if zone is None else zone + 1,  # a picked zone brings a new ground
        **map_size(*_SIZE),
    )
    key = [] if shown == WRONG else [picture.ramp(scale, "trips of a flow")]
    estimated, least = marks.has(matrix.release), matrix.parameters.min_shown_count
    for one, cells in wrong:
        count = f"{cells.sum():,} in this draw"
        said = f"{one.name}: {one.meaning}: {count}"
        if one is LOST:
            said = picture.describe_lost(true[inside], least, count, estimated=estimated)
        key.append(picture.swatch(one.name, said))
    if estimated:
        key += marks.key()
    picture.key(*key)
    if marks.has(matrix.release):
        st.caption(_BANDS)
    _list(matrix, (pairs[0][::-1], pairs[1][::-1]))  # the largest first
    with st.expander("Busiest zones as a matrix"):
        _block(matrix)


def _controls(matrix: Matrix) -> tuple[str, int | None, int]:
    names = matrix.names
    if st.session_state.get(_ZONE) not in (None, ALL, *names):  # of other zones
        st.session_state[_ZONE] = ALL
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        switch = TRUE, PRIVATE, WRONG
        shown = state.choose("Show", switch, "od_flows_show", PRIVATE, titled=True)
        zone = st.selectbox(
            "Flows of",
            [ALL, *sorted(names, key=names.__getitem__)],
            format_func=lambda one: names.get(one, "All zones"),
            key=_ZONE,
            help="Or click a zone on the map; click it again to see all.",
            **state.KEPT,
        )
        most = st.slider("Largest flows", 10, 300, 60, 10, key="od_flows_most", **state.LINKED)
    return shown, list(names).index(zone) if zone else None, most


def _take_zone(clicked: str) -> None:
    """Pick the zone that was clicked, or all where it was picked before (a callback)."""
    st.session_state[_ZONE] = ALL if st.session_state.get(_ZONE) == clicked else clicked


def _said(matrix: Matrix, pairs: tuple[Integers, Integers]) -> dict[str, list[str]]:
    true, private, release = matrix.truth[pairs], matrix.shown[pairs], matrix.release
    ours = marks.has(release)
    errors = [f"{round(value):+,}".replace("-", "−") for value in private - true]
    if ours:
        errors = ["–" if not p else error for error, p in zip(errors, private, strict=True)]
    return {
        "true": [written(value) for value in true],
        "private": marks.words(release, pairs) if ours else [written(value) for value in private],
        "error": errors,
    }


def _list(matrix: Matrix, pairs: tuple[Integers, Integers]) -> None:
    """Draw the flows on the map as a table."""
    if not len(pairs[0]):
        return
    names = list(matrix.names.values())
    columns = {
        "From": [names[zone] for zone in pairs[0]],
        "To": [names[zone] for zone in pairs[1]],
        "True (trips)": [written(one) for one in matrix.truth[pairs]],
        "Private (trips)": [written(one) for one in matrix.shown[pairs]],
    }
    if marks.has(matrix.release):
        columns["Private (trips)"] = marks.shown(matrix.release, pairs)
        one_by_one, at_once = marks.ranges(matrix.release, pairs)
        columns |= {marks.ONE_BY_ONE: one_by_one, marks.ALL_AT_ONCE: at_once}
        flows = zip(*(one.tolist() for one in pairs), strict=True)
        columns["Mark"] = [marks.mark(matrix.release, a, b) for a, b in flows]
    tables.draw(columns)


def _block(matrix: Matrix) -> None:
    """Draw the trips between the busiest zones, true beside private (P2, figures 1A and 1C)."""
    true = matrix.truth
    busy = np.argsort(-(true.sum(axis=0) + true.sum(axis=1)), kind="stable")[:_BLOCK]
    block, names = np.ix_(busy, busy), list(matrix.names.values())
    seen = {"True": true[block], "Private": matrix.shown[block]}
    labels = [names[zone] for zone in busy]
    top = float(max(*(counts.max(initial=0) for counts in seen.values()), 1))
    for column, (name, counts) in zip(st.columns(2, gap="large"), seen.items(), strict=True):
        with column:
            charts.heat(
                labels,
                labels,
                counts,
                scale=Scale(title=f"{name} trips", kind="sqrt", domain=(0, top)),
                of="From",
                at="To",
                key=f"od_matrix_{name}",
                alt=f"Heat map of the {name.lower()} trips between {len(labels)} zones",
                height=480,
            )
