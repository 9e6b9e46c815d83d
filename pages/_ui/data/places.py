"""The steps of places and zones: files, columns, and the zones on a map before anything counts."""

from pathlib import Path
from typing import Any

import shapely
import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import preview
from engine.ingest.inputs import column_mapping, hexagons, zone_hierarchy, zones
from engine.ingest.inputs.places import Places
from engine.ingest.options import CHOICES
from pages._ui.data import files as data_files, wording as data_wording
from pages._ui.data.files import Draft
from pages._ui.data.store import own
from pages._ui.drawing import colours, picture
from pages._ui.drawing.picture import Picture

_MOST_DOTS = 3_000
_REFUSED = "Cannot be read"


def draw(draft: Draft) -> None:
    """Draw both files, and the zones that would be built of them."""
    locations = data_files.choose(
        draft,
        "locations",
        "Stations, towers or other places",
        data_files.TABLES,
        "A table of ids with latitude and longitude.",
    )
    shapes = data_files.choose(
        draft,
        "zones",
        "Zones (optional where there are places)",
        data_files.ZONES,
        "GeoJSON, GeoPackage, a zipped Shapefile or GeoParquet. Without zones, each place's own "
        "area is a zone.",
    )
    if locations:
        seen = data_wording.tried(
            _REFUSED, data_files.looked, column_mapping.preview_table, locations[0]
        )
        wanted = ("location_id", "lat", "lng")
        _columns(draft, "locations", locations[0], seen and seen.source.columns, wanted)
    if shapes:
        columns = data_wording.tried(_REFUSED, _zone_columns, draft, shapes[0])
        _columns(draft, "zones", shapes[0], columns, ("zone_id",))
    if draft.has_places or data_files.by_points(draft.kind, draft.chosen):
        _zoning(draft)
    elif draft.mappings is None:
        draft.missing.append("places or zones")
    else:
        st.caption("Ids that are H3, quadkey or geohash cells need neither places nor zones.")


def _zone_columns(draft: Draft, path: Path) -> tuple[str, ...]:
    layers, layer = data_files.looked(zones.list_layers, path), ""
    if len(layers) > 1:
        layer = draft.field(st.selectbox, "Layer of the file", f"layer_{path.name}", layers)
        draft.values["layer"] = layer
    return data_files.looked(columns_of_zones, path, layer)


def columns_of_zones(path: Path, layer: str = "") -> tuple[str, ...]:
    """Return the columns of a file of zones."""
    frame = zones.read_shapes(path, layer)
    return tuple(map(str, frame.columns.drop(frame.geometry.name)))


def _columns(
    draft: Draft, name: str, path: Path, there: tuple[str, ...] | None, wanted: tuple[str, ...]
) -> None:
    """Ask for the columns of a file, and note both where nothing is missing."""
    if there is None:
        draft.missing.append(f"{name} that can be read")
        return
    before = len(draft.missing)
    chosen = data_files.columns(draft, name, there, wanted, ("name",))
    if len(draft.missing) == before:
        draft.values |= {name: path, f"{name}_mapping": chosen}


def _zoning(draft: Draft) -> None:
    """Draw which zones are built, with their number on a map; refuse too many."""
    draft.values["hexagon_m"] = draft.field(
        st.number_input,
        "Zones are hexagons, so many metres across",
        "hexagons",
        min_value=100.0,
        max_value=200_000.0,
        value=None if draft.has_places else hexagons.DEFAULT_SIZE_M,
        step=100.0,
        format="%.0f",
        placeholder="zones as given",
        help="All from public geometry; no row is looked at. Fewer zones hold more people each, so "
        "the same noise changes their numbers less.",
    )
    if not draft.has_places:
        draft.values |= _area(draft)
        if "area" not in draft.values:
            return
    try:
        places = _places(draft)
        st.caption(f"**{len(places.zones):,} zones** · {len(places.towers):,} places")
        if levels := zone_hierarchy.format_levels(places.zones):
            st.caption(f"Coarser zones kept: {levels}")
        for note in places.notes:
            st.caption(note)
        show(places)
        hexagons.check_zone_limits(places)
    except ExplorerError as problem:
        data_wording.problem("These zones cannot be built", data_wording.on_page(problem))
        choice(draft, problem.code)
        draft.missing.append("coarser zones")
        return
    west, south, east, north = places.zones.total_bounds
    draft.at = float(west + east) / 2, float(south + north) / 2


def choice(draft: Draft, code: str) -> None:
    """Draw the choice beside a refusal, if it has one: what may be left out instead."""
    if code in CHOICES and code not in draft.leave_out:
        words, key = CHOICES[code], f"data_choice_{code}"
        mend = {"icon": ":material/playlist_remove:", "on_click": own().leave_out.add}
        st.button(f"{words[0].upper()}{words[1:]}", key=key, args=(code,), **mend)


def _area(draft: Draft) -> dict[str, Any]:
    """Ask for the area of the hexagons: its edges, or that it is read from the data."""
    if draft.field(
        st.toggle,
        "Read their area from the data",
        "area_read",
        help="A release then states that it tells where people were. Else type what you know.",
    ):
        return {"area_from_data": True}
    text = draft.field(
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


def _places(draft: Draft) -> Places:
    """Return places and zones; read and made once for what was chosen."""
    known, left = own().read("places"), tuple(sorted(draft.leave_out))
    names = ("locations", "zones", "locations_mapping", "zones_mapping", "layer", "hexagon_m")
    asked = {one: draft.values[one] for one in (*names, "area") if one in draft.values}
    key = repr(asked), left
    if key not in known:
        known[key] = preview.preview_places(leave_out=left, **asked)
    return known[key]


def show(places: Places) -> None:
    """Draw zones and places as a small map, with the degrees at its edges."""
    shapes, towers = (table.geometry.to_numpy() for table in (places.zones, places.towers))
    west, south, east, north = bounds = shapely.total_bounds([*shapes, *towers])
    placed, view_box = picture.plane(bounds)
    drawn = shapely.simplify(shapely.transform(shapes, placed), 2)
    inside = "".join(f'<path class="ground" d="{picture.polygon(one)}"/>' for one in drawn)
    dots = placed(shapely.get_coordinates(towers))[:: max(1, len(towers) // _MOST_DOTS)]
    for x, y in dots.tolist():
        inside += f'<circle cx="{x:.0f}" cy="{y:.0f}" r="5" fill="{colours.PRIVATE}"/>'
    label = f"{south:.2f}° to {north:.2f}° north, {west:.2f}° to {east:.2f}° east"
    picture.draw(Picture(picture.figure(view_box, label, "Zones and places", inside), ""))
