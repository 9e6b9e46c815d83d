"""The steps of places and zones: files, columns, and the zones on a map before anything counts."""

import base64
from pathlib import Path
from typing import Any

import numpy as np
import shapely
import streamlit as st

from engine.arrays import Floats
from engine.errors import ExplorerError
from engine.ingest import look
from engine.ingest.inputs import coarse, mapping, parents
from engine.ingest.inputs.places import Places
from engine.ingest.options import CHOICES
from pages._ui.data import files as data_files, wording as data_wording
from pages._ui.data.files import Draft
from pages._ui.data.store import own

_WIDTH, _HEIGHT, _MARGIN = 640, 300, 10
_MOST_DOTS = 3_000


def draw(draft: Draft) -> None:
    """Draw both files, and the zones that would be built of them."""
    locations = data_files.choose(
        draft,
        "locations",
        "Stations, towers or other places",
        data_files.TABLES,
        "A table of ids with latitude and longitude.",
    )
    zones = data_files.choose(
        draft,
        "zones",
        "Zones (optional where there are places)",
        data_files.ZONES,
        "GeoJSON, GeoPackage, a zipped Shapefile or GeoParquet. Without zones, each place's own "
        "area is a zone.",
    )
    if locations:
        _locations(draft, locations[0])
    if zones:
        _zones(draft, zones[0])
    if draft.has_places or draft.by_points:
        _zoning(draft)
    elif draft.mappings is None:
        draft.missing.append("places or zones")
    else:
        st.caption("Ids that are H3, quadkey or geohash cells need neither places nor zones.")


def _locations(draft: Draft, path: Path) -> None:
    seen = data_files.drawn(data_files.look(path))
    if seen is None:
        draft.missing.append("a table of places that can be read")
        return
    _columns(draft, "locations", path, seen.source.columns, ("location_id", "lat", "lng"))


def _zones(draft: Draft, path: Path) -> None:
    layers, layer = data_files.layers_of(path), ""
    if len(layers) > 1:
        layer = draft.field(st.selectbox, "Layer of the file", f"layer_{path.name}", layers)
        draft.values["layer"] = layer
    columns = data_files.drawn(data_files.columns_of_zones(path, layer))
    if columns is None:
        draft.missing.append("zones that can be read")
        return
    _columns(draft, "zones", path, columns, ("zone_id",))


def _columns(
    draft: Draft, name: str, path: Path, columns: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    """Note file and columns where nothing is missing."""
    before = len(draft.missing)
    guessed = mapping.guess(name, columns)
    chosen = data_files.columns(draft, name, guessed, columns, wanted, ("name",))
    if len(draft.missing) == before:
        draft.values |= {name: path, f"{name}_mapping": chosen}


def _zoning(draft: Draft) -> None:
    """Draw which zones are built, with their number on a map; refuse too many."""
    draft.values["hexagon_m"] = _hexagons(draft)
    if not draft.has_places:
        draft.values |= _area(draft)
        if "area" not in draft.values:
            return
    places = _shown(draft)
    if places is None:
        draft.missing.append("coarser zones")
        return
    west, south, east, north = places.zones.total_bounds
    draft.at = float(west + east) / 2, float(south + north) / 2


def _hexagons(draft: Draft) -> float | None:
    return draft.field(
        st.number_input,
        "Zones are hexagons, so many metres across",
        "hexagons",
        min_value=100.0,
        max_value=200_000.0,
        value=None if draft.has_places else coarse.USUAL_M,
        step=100.0,
        format="%.0f",
        placeholder="zones as given",
        help="All from public geometry; no row is looked at. Fewer zones hold more people each, so "
        "the same noise hides less of them.",
    )


def _shown(draft: Draft) -> Places | None:
    """Draw the zones that would be built; None where they cannot be, which is then said."""
    try:
        places = _places(draft.values)
        st.caption(f"**{len(places.zones):,} zones** · {len(places.towers):,} places")
        if levels := parents.kept(places.zones):
            st.caption(f"Coarser zones kept: {levels}")
        for note in places.notes:
            st.caption(note)
        st.html(picture(places))
        coarse.check_size(places)
    except ExplorerError as problem:
        data_wording.problem("These zones cannot be built", data_wording.on_page(problem))
        choice(problem.code)
        return None
    return places


def choice(code: str) -> None:
    """Draw the choice beside a refusal, if it has one: what may be left out instead."""
    if code not in CHOICES or code in own().leave_out:
        return
    words = CHOICES[code]
    st.button(
        f"{words[0].upper()}{words[1:]}",
        icon=":material/playlist_remove:",
        key=f"data_choice_{code}",
        on_click=own().leave_out.add,
        args=(code,),
    )


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


def _places(values: dict[str, Any]) -> Places:
    """Return places and zones; read and made once for what was chosen."""
    known, left = own().read("places"), tuple(sorted(own().leave_out))
    names = ("locations", "zones", "locations_mapping", "zones_mapping", "layer", "hexagon_m")
    asked = {name: values[name] for name in (*names, "area") if name in values}
    key = repr(sorted(asked.items(), key=lambda item: item[0])), left
    if key not in known:
        known[key] = look.places_of(leave_out=left, **asked)
    return known[key]


def picture(places: Places) -> str:
    """Return zones and places as a small map with the degrees at its edges."""
    zones, towers = (table.geometry.to_numpy() for table in (places.zones, places.towers))
    west, south, east, north = shapely.total_bounds([*zones, *towers])
    stretch = float(np.cos(np.radians((south + north) / 2)))
    wide, high = max((east - west) * stretch, 1e-6), max(north - south, 1e-6)
    scale = min(_WIDTH / wide, _HEIGHT / high)

    def flat(degrees: Floats) -> Floats:
        x, y = (degrees[:, 0] - west) * stretch, north - degrees[:, 1]
        return np.column_stack((x, y)) * scale + _MARGIN

    drawn = shapely.simplify(shapely.transform(zones, flat), 1)
    rings = shapely.get_rings(shapely.get_parts(drawn))
    lines = "".join(
        f"M{'L'.join(f'{x:.0f} {y:.0f}' for x, y in shapely.get_coordinates(ring))}Z"
        for ring in rings
    )
    dots = flat(shapely.get_coordinates(towers))[:: max(1, len(towers) // _MOST_DOTS)]
    marks = "".join(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="1.6"/>' for x, y in dots)
    label = f"Zones and places, {south:.2f}° to {north:.2f}° north, {west:.2f}° to {east:.2f}° east"
    across, down = wide * scale + 2 * _MARGIN, high * scale + 2 * _MARGIN
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:.0f}" height="{down:.0f}">'
        f'<path d="{lines}" fill="#2a6f97" fill-opacity="0.12" fill-rule="evenodd" '
        f'stroke="#7a8794" stroke-width="0.7"/><g fill="#d9972b">{marks}</g></svg>'
    )
    source = base64.b64encode(drawing.encode()).decode()
    return (
        f'<figure class="picture"><img src="data:image/svg+xml;base64,{source}" alt="{label}">'
        f"<figcaption>{label}</figcaption></figure>"
    )
