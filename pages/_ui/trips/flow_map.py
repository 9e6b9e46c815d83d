"""Origin–destination page: arrows of the largest flows, and a block of the matrix under them."""

import numpy as np
import streamlit as st

from engine.arrays import Integers
from pages._ui.answers import cached
from pages._ui.answers.matrix import LOST, PHANTOM, Matrix, format_flow
from pages._ui.app.session import map_size
from pages._ui.components import charts, maps, marks, picture, tables
from pages._ui.components.charts import Scale
from pages._ui.components.colours import rgb
from pages._ui.settings import fields, widgets

TRUE, PRIVATE, WRONG = "True", "Private", "Phantom and lost"
ALL_ZONES = ""
_SIZE = 640, 520
_BLOCK = 12
_ZONE_KEY = "od_zone"
_RANGES_NOTE = (
    "“42 (95%: 31–55; 12–72 for all flows at once)” is an estimate with two intervals. The first "
    "is for a flow chosen before looking, the second also for flows noticed because they are "
    "large. Both hold whatever the model, for trips within the contribution limit. The estimate is "
    "of all trips, so it can lie above both."
)


def draw(matrix: Matrix) -> None:
    """Draw the switch, the zone, one large map on a scale that no setting moves, and a list."""
    view, zone, max_flows = _draw_controls(matrix)
    true, private = matrix.truth, matrix.shown_counts
    inside = np.full(true.shape, zone is None)
    if zone is not None:
        inside[zone, :] = inside[:, zone] = True
    phantom, lost = (cells & inside for cells in matrix.wrong_flows())
    values = {
        TRUE: np.where(inside, true, 0),
        PRIVATE: np.where(inside, private, 0),
        WRONG: np.where(lost, true, np.where(phantom, private, 0)),
    }[view]
    pairs = maps.largest_flows(values, max_flows)
    scale = maps.Scale(float(max(true.max(initial=0), 1)))
    colours = scale.colours(values[pairs].astype(float))
    if view == PRIVATE and marks.has_ranges(matrix.release):
        colours = marks.flow_colours(matrix.release, pairs, scale, values[pairs].astype(float))
    wrong = ((PHANTOM, phantom), (LOST, lost)) if view != TRUE else ()
    for outcome, cells in wrong:
        colours[cells[pairs]] = [*rgb(outcome.colour), 235]
    maps.draw_flow_map(
        cached.read(maps.outlines, cached.view_key(matrix.setting)),
        *pairs,
        values[pairs].astype(float),
        scale,
        key="od_flows",
        alt=f"Arrows of the {max_flows} largest flows: {view.lower()}",
        tooltip=_tooltip_texts(matrix, pairs),
        colours=colours,
        is_wrong=(phantom | lost)[pairs] & (view != TRUE),
        marked_zone=zone,
        on_zone=_toggle_zone,
        ground_number=0 if zone is None else zone + 1,  # a picked zone brings a new ground
        size=map_size(*_SIZE),
    )
    key = [] if view == WRONG else [picture.ramp_html(scale, "trips of a flow")]
    estimated, floor = marks.has_ranges(matrix.release), matrix.parameters.min_shown_count
    for outcome, cells in wrong:
        count = f"{cells.sum():,} in this draw"
        text = f"{outcome.name}: {outcome.meaning}: {count}"
        if outcome is LOST:
            text = picture.describe_lost(true[inside], floor, count, estimated=estimated)
        key.append(picture.swatch_html(outcome.name, text))
    if estimated:
        key += marks.key_html()
    picture.draw_key(*key)
    if marks.has_ranges(matrix.release):
        st.caption(_RANGES_NOTE)
    _draw_list(matrix, (pairs[0][::-1], pairs[1][::-1]))  # the largest first
    with st.expander("Busiest zones as a matrix"):
        _draw_block(matrix)


def _draw_controls(matrix: Matrix) -> tuple[str, int | None, int]:
    names = matrix.names
    if st.session_state.get(_ZONE_KEY) not in (None, ALL_ZONES, *names):  # of other zones
        st.session_state[_ZONE_KEY] = ALL_ZONES
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        switch = TRUE, PRIVATE, WRONG
        view = widgets.choose("Show", switch, "od_flows_show", PRIVATE, has_title=True)
        zone = st.selectbox(
            "Flows of",
            [ALL_ZONES, *sorted(names, key=names.__getitem__)],
            format_func=lambda zone_id: names.get(zone_id, "All zones"),
            key=_ZONE_KEY,
            help="Or click a zone on the map; click it again to see all.",
            **fields.PERSIST,
        )
        key = "od_flows_most"
        max_flows = st.slider("Largest flows", 10, 300, 60, 10, key=key, **fields.LINKED)
    return view, list(names).index(zone) if zone else None, max_flows


def _toggle_zone(zone: str) -> None:
    """Pick the zone that was clicked, or all where it was picked before (a callback)."""
    st.session_state[_ZONE_KEY] = ALL_ZONES if st.session_state.get(_ZONE_KEY) == zone else zone


def _tooltip_texts(matrix: Matrix, pairs: tuple[Integers, Integers]) -> dict[str, list[str]]:
    true, private, release = matrix.truth[pairs], matrix.shown_counts[pairs], matrix.release
    ours = marks.has_ranges(release)
    errors = [f"{round(value):+,}".replace("-", "−") for value in private - true]
    if ours:
        errors = ["–" if not p else error for error, p in zip(errors, private, strict=True)]
    return {
        "true": [format_flow(value) for value in true],
        "private": marks.texts(release, pairs)
        if ours
        else [format_flow(value) for value in private],
        "error": errors,
    }


def _draw_list(matrix: Matrix, pairs: tuple[Integers, Integers]) -> None:
    """Draw the flows on the map as a table."""
    if not len(pairs[0]):
        return
    names = list(matrix.names.values())
    columns = {
        "From": [names[zone] for zone in pairs[0]],
        "To": [names[zone] for zone in pairs[1]],
        "True (trips)": [format_flow(value) for value in matrix.truth[pairs]],
        "Private (trips)": [format_flow(value) for value in matrix.shown_counts[pairs]],
    }
    if marks.has_ranges(matrix.release):
        columns["Private (trips)"] = marks.format_shown(matrix.release, pairs)
        one_by_one, at_once = marks.format_ranges(matrix.release, pairs)
        columns |= {marks.ONE_BY_ONE: one_by_one, marks.ALL_AT_ONCE: at_once}
        flows = zip(*(zones.tolist() for zones in pairs), strict=True)
        columns["Mark"] = [marks.name_mark(matrix.release, a, b) for a, b in flows]
    tables.draw(columns)


def _draw_block(matrix: Matrix) -> None:
    """Draw the trips between the busiest zones, true beside private (P2, figures 1A and 1C)."""
    true = matrix.truth
    busy = np.argsort(-(true.sum(axis=0) + true.sum(axis=1)), kind="stable")[:_BLOCK]
    block, names = np.ix_(busy, busy), list(matrix.names.values())
    panels = {"True": true[block], "Private": matrix.shown_counts[block]}
    labels = [names[zone] for zone in busy]
    top = float(max(*(counts.max(initial=0) for counts in panels.values()), 1))
    for column, (name, counts) in zip(st.columns(2, gap="large"), panels.items(), strict=True):
        with column:
            charts.draw_heat_map(
                labels,
                labels,
                counts,
                scale=Scale(title=f"{name} trips", kind="sqrt", domain=(0, top)),
                y_title="From",
                x_title="To",
                key=f"od_matrix_{name}",
                alt=f"Heat map of the {name.lower()} trips between {len(labels)} zones",
                height=480,
            )
