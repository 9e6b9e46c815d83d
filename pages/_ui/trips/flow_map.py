"""Origin–destination page: true flows beside released ones, and a block of the matrix below."""

import numpy as np
import streamlit as st

from engine.arrays import Integers
from pages._ui.answers import cached
from pages._ui.answers.matrix import Matrix, format_flow
from pages._ui.components import charts, maps, marks, picture, tables
from pages._ui.components.charts import Scale
from pages._ui.settings import fields

ALL_ZONES = ""
_BLOCK = 12
_ZONE_KEY = "od_zone"
_RANGES_NOTE = (
    "42 (95%: 31–55; 12–72 for all flows at once) gives the estimate and two ranges of the trips "
    "kept by trimming, whatever the model: the first for a flow you had in mind before you looked, "
    "the second also for flows that are shown because they came out large. The estimate is of all "
    "trips, and may lie above both."
)


def draw(matrix: Matrix) -> None:
    """Draw the zone and the number of flows, two maps on a scale that no setting moves, a list."""
    zone, max_flows = _draw_controls(matrix)
    true, private, release = matrix.truth, matrix.shown_counts, matrix.release
    inside = np.full(true.shape, zone is None)
    if zone is not None:
        inside[zone, :] = inside[:, zone] = True
    phantom, lost = (cells & inside for cells in matrix.wrong_flows())
    has_ranges, floor = marks.has_ranges(release), matrix.parameters.min_shown_count
    within = np.where(inside, true, 0), np.where(inside, private, 0)
    pairs, is_difference = maps.largest_flows(within[1], max_flows), picture.is_difference()
    texts = marks.texts(release, pairs) if has_ranges else []
    drawing = picture.flows_picture(
        cached.read(picture.shapes, cached.view_key(matrix.setting)),
        *within,
        floor=floor,
        epsilon=matrix.parameters.epsilon,
        when=matrix.day_label,
        words=dict(zip(zip(*(part.tolist() for part in pairs), strict=True), texts, strict=False)),
        estimated=has_ranges,
        is_difference=is_difference,
        max_flows=max_flows,
        high=float(max(true.max(initial=0), 1)),
        faint=~release.is_detected[0] if has_ranges else None,
        marked_zone=zone,
        say=matrix.say,
    )
    picture.draw(drawing, "flows", has_choice=True, on_zone=lambda i: _toggle_zone(matrix, i))
    if has_ranges and not is_difference:
        picture.draw_key(*marks.key_html())
    count = f"{lost.sum():,} flows"
    fate = picture.describe_lost(true[inside], floor, count, estimated=has_ranges)
    fate = matrix.say(fate)
    st.caption(f"In this draw: {phantom.sum():,} phantom flows; {fate}. {picture.POINTER_NOTE}")
    if has_ranges:
        st.caption(matrix.say(_RANGES_NOTE))
    if is_difference:
        off = picture.flow_differences(*within, estimated=has_ranges)
        pairs = maps.largest_flows(np.abs(off), max_flows)
    _draw_list(matrix, (pairs[0][::-1], pairs[1][::-1]))  # the largest first
    with st.expander("Busiest zones as a matrix"):
        _draw_block(matrix)


def _draw_controls(matrix: Matrix) -> tuple[int | None, int]:
    names = matrix.names
    if st.session_state.get(_ZONE_KEY) not in (None, ALL_ZONES, *names):  # of other zones
        st.session_state[_ZONE_KEY] = ALL_ZONES
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
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
    return list(names).index(zone) if zone else None, max_flows


def _toggle_zone(matrix: Matrix, position: int) -> None:
    """Pick the zone that was clicked, or all where it was picked before (a callback)."""
    zone = list(matrix.names)[position]
    st.session_state[_ZONE_KEY] = ALL_ZONES if st.session_state.get(_ZONE_KEY) == zone else zone


def _draw_list(matrix: Matrix, pairs: tuple[Integers, Integers]) -> None:
    """Draw the flows on the second map as a table."""
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
    tables.draw({matrix.say(name): column for name, column in columns.items()})


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
                scale=Scale(title=matrix.say(f"{name} trips"), kind="sqrt", domain=(0, top)),
                y_title="From",
                x_title="To",
                key=f"od_matrix_{name}",
                alt=f"Heat map of the {name.lower()} trips between {len(labels)} zones",
                height=480,
            )
