"""Origin–destination page: arrows of the largest flows, and a list of them."""

import numpy as np
import streamlit as st

from engine.arrays import Integers
from engine.origin_destination.scores import LARGE_FLOW_TRIPS
from pages._ui.answers import cached
from pages._ui.answers.matrix import Matrix, format_flow
from pages._ui.components import deck, maps, marks, picture, tables
from pages._ui.settings import fields, widgets

VIEWS = TRUE, NOISE, DIFFERENCE, WRONG = "True", "With noise", "Difference", "Phantom and lost"
ALL_ZONES = ""
_ZONE_KEY = "od_zone"
_POINTER_NOTE = "Click a zone to see its flows only; scroll to enlarge the map, drag to move it."
_RANGES_NOTE = (
    " “42 (95%: 31–55; 12–72 for all flows at once)” is an estimate with two intervals. The first "
    "is for a flow chosen before looking, the second also for flows noticed because they are "
    "large. Both hold whatever the model, for trips within the contribution limit. The estimate is "
    "of all trips, so it can lie above both."
)


def draw(matrix: Matrix) -> None:
    """Draw the switch, the zone, one large map on a scale that no setting moves, and a list."""
    view, zone, max_flows = _draw_controls(matrix)
    inside = np.full(matrix.truth.shape, zone is None)
    if zone is not None:
        inside[zone, :] = inside[:, zone] = True
    true, private = (np.where(inside, c, 0) for c in (matrix.truth, matrix.shown_counts))
    phantom, lost = (cells & inside for cells in matrix.wrong_flows())
    release, estimated = matrix.release, marks.has_ranges(matrix.release)
    off = picture.flow_differences(true, private, estimated=estimated)
    values = {
        TRUE: true,
        NOISE: private,
        DIFFERENCE: np.abs(off),
        WRONG: np.where(lost, true, np.where(phantom, private, 0)),
    }[view]
    pairs = maps.largest_flows(values, max_flows)
    inflated = ~phantom & (private > 2 * true)
    kinds = {
        TRUE: np.full(len(pairs[0]), ""),
        NOISE: np.where(phantom, "phantom", np.where(inflated, "inflated", ""))[pairs],
        DIFFERENCE: np.where(off > 0, "more", "less")[pairs],
        WRONG: np.where(lost, "lost", "phantom")[pairs],
    }[view].tolist()
    scale = maps.Scale(float(max(matrix.truth.max(initial=0), 1)))
    sizes = values[pairs].astype(float)
    is_faint = estimated and view == NOISE
    shapes = cached.read(picture.shapes, cached.view_key(matrix.setting))
    texts = marks.texts(release, pairs) if estimated else [""] * len(kinds)
    columns = (*pairs, true[pairs], private[pairs])
    flows = zip(*(column.tolist() for column in columns), texts, strict=True)
    noun = {DIFFERENCE: "differences", WRONG: "phantom and lost flows"}.get(view, "flows")
    topic = f"the {len(kinds)} largest {noun}"
    deck.draw_flow_map(
        shapes,
        pairs,
        widths=scale.widths(sizes),
        colours=marks.flow_colours(release, pairs, scale, sizes)
        if is_faint
        else scale.colours(sizes),
        kinds=kinds,
        words=[
            picture.describe_flow(
                f"{shapes.names[a]} → {shapes.names[b]}", t, p, text, estimated=estimated
            )
            for a, b, t, p, text in flows
        ],
        weights=(matrix.truth.sum(axis=0) + matrix.truth.sum(axis=1)).astype(float),
        marked_zone=zone,
        key="od_flows",
        alt=f"Map of {topic}: {view.lower()}",
        on_zone=lambda position: _toggle_zone(matrix, position),
    )
    key: list[str] = []
    if view in (TRUE, NOISE):
        key.append(picture.ramp_html(scale, matrix.say(f"trips{matrix.day_label}")))
    if view == DIFFERENCE:
        key.append(picture.difference_key_html(true, private, kinds, sizes, estimated=estimated))
    if view in (NOISE, WRONG):
        counts = f"{phantom.sum():,} in this draw", f"{lost.sum():,} in this draw"
        fate = picture.describe_lost(
            matrix.truth[inside], LARGE_FLOW_TRIPS, counts[1], estimated=estimated
        )
        key.append(picture.swatch_html("phantom", f"phantom, nobody travelled: {counts[0]}"))
        key.append(picture.swatch_html("lost", matrix.say(fate)))
    if view == NOISE:
        text = f"over twice the truth: {kinds.count('inflated')} of {len(kinds)}"
        key.append(picture.swatch_html("inflated", text))
    picture.draw_key(*key, *(marks.key_html() if is_faint else ()))
    st.caption(matrix.say(f"{topic.capitalize()}. {_POINTER_NOTE}{_RANGES_NOTE * estimated}"))
    _draw_list(matrix, (pairs[0][::-1], pairs[1][::-1]))  # the largest first


def _draw_controls(matrix: Matrix) -> tuple[str, int | None, int]:
    names = matrix.names
    if st.session_state.get(_ZONE_KEY) not in (None, ALL_ZONES, *names):  # of other zones
        st.session_state[_ZONE_KEY] = ALL_ZONES
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        view = widgets.choose("Show", VIEWS, "od_flows_show", NOISE, has_title=True)
        zone = st.selectbox(
            "Flows of",
            [ALL_ZONES, *sorted(names, key=names.__getitem__)],
            format_func=lambda zone_id: names.get(zone_id, "All zones"),
            key=_ZONE_KEY,
            help="Or click a zone on the map. Click it again to show all.",
            **fields.PERSIST,
        )
        key = "od_flows_most"
        max_flows = st.slider("Largest flows", 10, 300, 60, 10, key=key, **fields.LINKED)
    return view, list(names).index(zone) if zone else None, max_flows


def _toggle_zone(matrix: Matrix, position: int) -> None:
    """Pick the zone that was clicked, or all where it was picked before (a callback)."""
    zone = list(matrix.names)[position]
    st.session_state[_ZONE_KEY] = ALL_ZONES if st.session_state.get(_ZONE_KEY) == zone else zone


def _draw_list(matrix: Matrix, pairs: tuple[Integers, Integers]) -> None:
    """Draw the flows on the map as a table."""
    if not len(pairs[0]):
        return
    names = list(matrix.names.values())
    columns = {
        "From": [names[zone] for zone in pairs[0]],
        "To": [names[zone] for zone in pairs[1]],
        "True (trips)": [format_flow(value) for value in matrix.truth[pairs]],
        "With noise (trips)": [format_flow(value) for value in matrix.shown_counts[pairs]],
    }
    if marks.has_ranges(matrix.release):
        columns["With noise (trips)"] = marks.format_shown(matrix.release, pairs)
        one_by_one, at_once = marks.format_ranges(matrix.release, pairs)
        columns |= {marks.ONE_BY_ONE: one_by_one, marks.ALL_AT_ONCE: at_once}
        flows = zip(*(zones.tolist() for zones in pairs), strict=True)
        columns["Mark"] = [marks.name_mark(matrix.release, a, b) for a, b in flows]
    tables.draw({matrix.say(name): column for name, column in columns.items()})
