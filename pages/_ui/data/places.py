"""The steps of places and zones: files, columns, and the zones on a map before anything counts."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import IngestOptions, look
from engine.ingest.coarseness import MOST_ZONES, Coarseness
from engine.ingest.inputs import coarse, mapping, parents
from engine.ingest.inputs.places import Places, read_places
from engine.ingest.look import Area, seem_swapped
from engine.ingest.options import CHOICES, Choice
from pages._ui.data import files as data_files, picture as data_picture, wording as data_wording
from pages._ui.data.draft import Draft, position
from pages._ui.data.own import own

ZONINGS = {
    "given": "As given",
    "voronoi": "One a place",
    "hexagon": "Hexagons",
    "square": "Squares",
    "clusters": "Clusters of places",
    "parents": "Coarser zones of the file",
}
GRIDS = ("hexagon", "square")
"""Zonings that need neither places nor zones, but an area."""


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
    elif draft.files and not draft.missing and own().read("cells").get(draft.inputs):
        st.caption("Zones are the cells that the rows name.")
    elif not locations and not zones:
        draft.missing.append("places or zones")
        if draft.mappings is not None:
            st.button(
                "The ids are cells (H3, quadkey, geohash)",
                key="data_cells",
                on_click=lambda: own().read("cells").update({draft.inputs: True}),
            )


def _locations(draft: Draft, path: Path) -> None:
    seen = data_files.drawn(data_files.look(path))
    if seen is None:
        draft.missing.append("a table of places that can be read")
        return
    columns = seen.source.columns
    chosen = _columns(draft, "locations", path, columns, ("location_id", "lat", "lng"))
    draft.offer_parents(tuple(c for c in columns if c not in chosen.values()), any_of_them=False)
    draft.longitude, draft.latitude = position(seen, chosen)


def _zones(draft: Draft, path: Path) -> None:
    layers = data_files.layers_of(path)
    layer = ""
    if len(layers) > 1:
        layer = draft.field(st.selectbox, "Layer of the file", f"layer_{path.name}", layers)
        draft.values["layer"] = layer
    seen = data_files.drawn(data_files.look_at_zones(path, layer))
    if seen is None:
        draft.missing.append("zones that can be read")
        return
    chosen = _columns(draft, "zones", path, seen.columns, ("zone_id",))
    draft.offer_parents(
        tuple(c for c in seen.columns if c not in chosen.values()), any_of_them=True
    )
    if draft.longitude is None:
        draft.longitude, draft.latitude = seen.longitude, seen.latitude


def _columns(
    draft: Draft, name: str, path: Path, columns: tuple[str, ...], wanted: tuple[str, ...]
) -> dict[str, str]:
    """Note file and columns where nothing is missing."""
    before = len(draft.missing)
    guessed = mapping.guess(name, columns)
    chosen = data_files.columns(draft, name, guessed, columns, wanted, ("name",))
    if len(draft.missing) == before:
        draft.values |= {name: path, f"{name}_mapping": chosen}
    return chosen


def _zoning(draft: Draft) -> None:
    """Draw which zones are built, with their number and size on a map; refuse too many."""
    area = None if draft.has_places else _grid_area(draft)
    how = _coarseness(draft)
    draft.values["coarseness"] = how
    places = None
    if draft.has_places or area is not None:
        places = _shown(draft, replace(how, area=area))
    if places is None:
        draft.missing.append("coarser zones" if draft.has_places else "the area of a grid")
        return
    longitude, latitude = draft.rows_at
    if longitude is not None and latitude is not None:
        west, south, east, north = places.zones.total_bounds
        if seem_swapped(longitude, latitude, (west, south, east, north)):
            st.warning(data_wording.SWAPPED, icon=":material/swap_horiz:")


def _coarseness(draft: Draft) -> Coarseness:
    values, columns = draft.values, draft.parent_columns
    usual = [level.ids for level in parents.guess(columns)]
    offered = {
        zoning: words
        for zoning, words in ZONINGS.items()
        if (draft.has_places or zoning in GRIDS)
        and (zoning != "parents" or columns)
        and (zoning != "voronoi" or "locations" in values)
    }
    zoning = draft.field(
        st.segmented_control,
        "Zones to build",
        "zoning" if draft.has_places else "grid",
        offered,
        default=next(iter(offered)),
        required=True,
        help="All from public geometry; no row is looked at. Fewer zones hold more people each, so "
        "the same noise hides less of them.",
    )
    sizes: dict[str, Any] = {}
    if zoning in GRIDS:
        ends = {"min_value": 100, "max_value": 200_000, "value": 2_000, "step": 100}
        size = draft.field(st.number_input, "Size of a cell in metres", "cell", **ends)
        sizes["size_m"] = float(size)
    elif zoning == "clusters":
        ends = {"min_value": 2, "max_value": MOST_ZONES, "value": 30}
        clusters = draft.field(st.number_input, "Number of clusters", "clusters", **ends)
        sizes["clusters"] = int(clusters)
    elif zoning == "parents":
        named = list(dict.fromkeys((*usual, *columns)))
        sizes["parent"] = draft.field(st.selectbox, "Column of coarser zones", "parent", named)
    if columns and (zoning in ("given", "parents") or "zones" not in values):
        kept = usual
        if usual or draft.every:
            kept = draft.field(
                st.multiselect,
                "Coarser zones to keep",
                f"parents_{abs(hash(columns))}",
                columns,
                default=usual,
                placeholder="Choose columns such as province",
                help="Columns that name the coarser zone of each zone. The setting Zones then "
                "offers them on every page.",
            )
        # what was guessed and is no hierarchy is left out; what was chosen is refused
        values["parents"] = None if kept == usual else tuple(kept)
    return Coarseness(zoning=zoning, **sizes)


def _shown(draft: Draft, how: Coarseness) -> Places | None:
    """Draw the zones that would be built; None where they cannot be, which is then said."""
    draft.values["coarseness"] = how
    try:
        places = _places(draft.values, how)
        size = look.size(places)
        st.caption(
            f"**{size.zones:,} zones**, half of them smaller than {size.median_km2:,.2g} km² · "
            f"{len(places.towers):,} places"
        )
        if levels := parents.kept_levels(places.zones):
            text = ", ".join(f"{name} ({zones:,})" for name, zones in levels.items())
            st.caption(f"Coarser zones kept: {text}")
        for note in places.notes:
            st.caption(note)
        st.html(data_picture.picture(places))
        coarse.check_size(places)
    except ExplorerError as problem:
        data_wording.problem("These zones cannot be built", data_wording.on_page(problem))
        if problem.code in CHOICES:
            choice(problem.code)
        return None
    return places


def choice(code: str) -> None:
    """Draw the choice beside a refusal: what may be left out instead."""
    words = CHOICES[cast(Choice, code)]
    st.button(
        f"{words[0].upper()}{words[1:]}",
        icon=":material/playlist_remove:",
        key=f"data_choice_{code}",
        on_click=own().leave_out.add,
        args=(code,),
    )


def _grid_area(draft: Draft) -> Area | None:
    """Draw the edges of a grid's area; None until all four are there."""
    known, mappings = own().read("areas"), draft.mappings
    if mappings is not None and st.button(
        "Read the area from the data",
        key="data_area",
        icon=":material/select_all:",
        help="Read from the data: type it from what you know if where people were is sensitive.",
    ):
        with st.spinner("Reading the coordinates …", show_time=True):
            where = data_wording.tried("Cannot be read", lambda: look.area(mappings, draft.reading))
        if where is not None:
            known[draft.inputs] = where
    area: Area | None = known.get(draft.inputs)
    text = draft.field(
        st.text_input,
        "West, south, east and north, in degrees",
        f"area_{area}",
        value="" if area is None else ", ".join(f"{edge:g}" for edge in area),
        placeholder="such as -103.45, 20.55, -103.25, 20.75",
    )
    try:
        west, south, east, north = map(float, (text or "").split(","))
    except ValueError:
        return None
    if area == (west, south, east, north):
        draft.values["places_public"] = False  # they were read from the data
    return west, south, east, north


def _places(values: dict[str, Any], how: Coarseness) -> Places:
    """Return places and zones; read and made once for what was chosen."""
    known, left = own().read("places"), tuple(sorted(own().leave_out))
    names = ("locations", "zones", "locations_mapping", "zones_mapping", "parents", "layer")
    asked = {name: values[name] for name in names if name in values}
    key = (repr(sorted(asked.items(), key=lambda item: item[0])), how, left)
    if key not in known:
        options = IngestOptions(
            kind="visits",
            inputs=("rows",),
            out=Path("look"),
            time_zone="UTC",
            first_day=look.EARLIEST,
            last_day=look.EARLIEST,
            coarseness=how,
            leave_out=left,
            **asked,
        )
        grid = how.area is not None
        known[key] = coarse.grid_places(how) if grid else coarse.coarsen(read_places(options), how)
    return known[key]
