"""The steps of places and zones: files, columns, and the zones on a map before anything counts."""

from pathlib import Path
from typing import Any

import shapely
import streamlit as st

from engine.child_process import call_in_child
from engine.errors import ExplorerError
from engine.ingest import preview
from engine.ingest.inputs import column_mapping, hexagons, zone_hierarchy, zones
from engine.ingest.inputs.ids import REQUIRED_ID
from engine.ingest.inputs.places import Places
from engine.ingest.options import CHOICES, KEPT
from engine.text.numbers import make_inert
from pages._ui.components import colours, picture
from pages._ui.components.map_frame import fit_frame, map_html, place_labels
from pages._ui.components.picture import Picture
from pages._ui.data import files as data_files, messages
from pages._ui.data.builds import data_state
from pages._ui.data.files import Draft

_MAX_DOTS = 3_000
ANSWERS = {
    "people-guessed": "yes, each value of that column is a person",
    "far-places": KEPT["far-places"],
}
"""Answers to questions of a build, which are taken as they are."""
_ERROR_TITLE = "Cannot be read"


def draw(draft: Draft) -> None:
    """Draw both files, and the zones that would be built of them."""
    locations = data_files.choose_files(
        draft,
        "locations",
        "Stations, towers or other places",
        data_files.TABLE_ENDINGS,
        "A table with the id, latitude and longitude of each place.",
    )
    shapes = data_files.choose_files(
        draft,
        "zones",
        "Zones (optional if there are places)",
        data_files.ZONE_ENDINGS,
        "GeoJSON, GeoPackage, a zipped Shapefile or GeoParquet. Without zones, the area around "
        "each place is its zone.",
    )
    if locations:
        peek = messages.attempt(
            _ERROR_TITLE, data_files.read_once, column_mapping.preview_table, locations[0]
        )
        fields = ("location_id", "lat", "lng")
        _choose_columns(draft, "locations", locations[0], peek and peek.source.columns, fields)
    if shapes:
        columns = messages.attempt(_ERROR_TITLE, _read_columns, draft, shapes[0])
        _choose_columns(draft, "zones", shapes[0], columns, ("zone_id",))
    if draft.has_places or data_files.has_points(draft.kind, draft.columns):
        _draw_zoning(draft)
    elif draft.mappings is None:
        draft.missing.append("places or zones")
    else:
        st.caption("Ids that are H3, quadkey or geohash cells need neither places nor zones.")


def _read_columns(draft: Draft, path: Path) -> tuple[str, ...]:
    layers, layer = data_files.read_once(zone_layers, path), ""
    if len(layers) > 1:
        layer = draft.ask(st.selectbox, "Layer of the file", f"layer_{path.name}", layers)
        draft.values["layer"] = layer
    return data_files.read_once(zone_columns, path, layer)


def zone_layers(path: Path) -> list[str]:
    """Return the layers of a file of zones."""
    return call_in_child(zones.list_layers, path, files=[path])


def zone_columns(path: Path, layer: str = "") -> tuple[str, ...]:
    """Return the columns of a file of zones."""
    frame = call_in_child(zones.read_shapes, path, layer, files=[path])
    return tuple(str(column) for column in frame.columns if column != frame.geometry.name)


def _choose_columns(
    draft: Draft, name: str, path: Path, header: tuple[str, ...] | None, required: tuple[str, ...]
) -> None:
    """Ask for the columns of a file, and note both where nothing is missing."""
    if header is None:
        draft.missing.append(f"{name} that can be read")
        return
    missing_count = len(draft.missing)
    found = _find_id_column(draft, name, path)
    chosen = data_files.choose_columns(draft, name, header, required, ("name",), found)
    column = found.get(required[0])
    if column and chosen[required[0]] == column:
        st.caption(f"The ids of your rows stand in the column “{make_inert(column)}”.")
    if len(draft.missing) == missing_count:
        draft.values |= {name: path, f"{name}_mapping": chosen}


def _find_id_column(draft: Draft, name: str, path: Path) -> dict[str, str]:
    """Return the column that holds most ids of the rows; empty text where two hold as many."""
    fields = {field for field, column in draft.columns.items() if column}
    by_ids = fields & {"origin", "destination", "location_id"} and not draft.values.get("id_prefix")
    if draft.mappings is None or not by_ids or (name == "zones" and "locations" in draft.values):
        return {}
    layer = draft.values.get("layer", "")
    arguments = (name, path, layer, draft.mappings, draft.reading)
    key = str((name, path, layer, draft.files, sorted(draft.columns.items())))
    try:
        column = data_files.ask_once("ids", key, lambda: preview.preview_id_column(*arguments))
    except ExplorerError as problem:
        messages.show_error("Which column holds the ids?", str(problem))
        return {REQUIRED_ID[name]: ""} if problem.code == "id-column" else {}
    return {REQUIRED_ID[name]: column} if column else {}


def _draw_zoning(draft: Draft) -> None:
    """Draw which zones are built, with their number on a map; refuse too many."""
    draft.values["hexagon_m"] = draft.ask(
        st.number_input,
        "Use hexagonal zones, this many metres across",
        "hexagons",
        min_value=100.0,
        max_value=200_000.0,
        value=None if draft.has_places else hexagons.DEFAULT_SIZE_M,
        step=100.0,
        format="%.0f",
        placeholder="the zones as given",
        help="Made from public geometry only; no row is read. Fewer zones hold more people each, "
        "so the same noise changes their numbers less.",
    )
    if not draft.has_places:
        draft.values |= _ask_area(draft)
        if "area" not in draft.values:
            return
    try:
        places = _preview_places(draft)
        st.caption(f"**{len(places.zones):,} zones** · {len(places.towers):,} places")
        if levels := zone_hierarchy.format_levels(places.zones):
            st.caption(f"Coarser zones available: {make_inert(levels, None)}")
        for note in places.notes:
            st.caption(make_inert(note, None))
        draw_places(places)
        hexagons.check_zone_limits(places)
    except ExplorerError as problem:
        messages.show_error("These zones cannot be used", messages.format_error(problem))
        draw_choice(draft, problem.code)
        draft.missing.append("coarser zones")
        return
    west, south, east, north = places.zones.total_bounds
    draft.centre = float(west + east) / 2, float(south + north) / 2


def draw_choice(draft: Draft, code: str) -> None:
    """Draw the choice beside a refusal, if it has one: what may be left out instead."""
    state, words = data_state(), {**CHOICES, **ANSWERS}.get(code)
    if words and code not in draft.leave_out | state.accepted:
        icon = ":material/check:" if code in ANSWERS else ":material/playlist_remove:"
        add = (state.accepted if code in ANSWERS else state.leave_out).add
        label, key = f"{words[0].upper()}{words[1:]}", f"data_choice_{code}"
        st.button(label, key=key, args=(code,), icon=icon, on_click=add)


def _ask_area(draft: Draft) -> dict[str, Any]:
    """Ask for the area of the hexagons: its edges, or that it is read from the data."""
    if draft.ask(
        st.toggle,
        "Read the area from the data",
        "area_read",
        help=(
            "The statement of a release then says that the area reveals where people were. "
            "Otherwise type the area that you know."
        ),
    ):
        return {"area_from_data": True}
    text = draft.ask(
        st.text_input,
        "West, south, east and north, in degrees",
        "area",
        placeholder="such as -103.45, 20.55, -103.25, 20.75",
    )
    try:
        west, south, east, north = map(float, (text or "").split(","))
    except ValueError:
        draft.missing.append("the area of the hexagons")
        return {}
    return {"area": (west, south, east, north)}


def _preview_places(draft: Draft) -> Places:
    """Return places and zones; read and made once for what was chosen."""
    cache, left_out = data_state().cache_of("places"), tuple(sorted(draft.leave_out))
    names = ("locations", "zones", "locations_mapping", "zones_mapping", "layer", "hexagon_m")
    arguments = {name: draft.values[name] for name in (*names, "area") if name in draft.values}
    key = repr(arguments), left_out
    if key not in cache:
        cache[key] = preview.preview_places(leave_out=left_out, **arguments)
    return cache[key]


def draw_places(places: Places) -> None:
    """Draw zones and places as a small map, with the degrees at its edges."""
    shapes, towers = (table.geometry.to_numpy() for table in (places.zones, places.towers))
    west, south, east, north = bounds = shapely.total_bounds([*shapes, *towers])
    frame = fit_frame(bounds)
    areas = shapely.simplify(shapely.transform(shapes, frame.to_units), 2)
    inside = "".join(f'<path class="ground" d="{picture.polygon(area)}"/>' for area in areas)
    dots = frame.to_units(shapely.get_coordinates(towers))[:: max(1, len(towers) // _MAX_DOTS)]
    for x, y in dots.tolist():
        inside += f'<circle cx="{x:.0f}" cy="{y:.0f}" r="5" fill="{colours.PRIVATE}"/>'
    label = f"{south:.2f}° to {north:.2f}° north, {west:.2f}° to {east:.2f}° east"
    middles = shapely.get_coordinates(shapely.point_on_surface(areas))
    names = places.zones["name"].astype(str).tolist()
    labels = place_labels(frame, names, middles, shapely.area(areas), is_bar_left=False)
    figure = map_html(frame, label, "Zones and places", inside, labels, is_bar_left=False)
    picture.draw(Picture(figure, ""))
