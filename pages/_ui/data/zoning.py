"""Which zones to build: given or coarser ones, drawn and judged before anything is counted."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import IngestOptions, look
from engine.ingest.coarseness import MOST_ZONES, Coarseness
from engine.ingest.inputs import coarse, parents
from engine.ingest.inputs.places import Places, read_places
from engine.ingest.look import Area, seem_swapped
from pages._ui.data import picture as data_picture, wording as data_wording
from pages._ui.data.draft import Draft
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
    """Draw the step: which zones, on a map with their number and size; refuse too many."""
    if not draft.has_places and not draft.by_points:
        st.caption("A map, and coarser zones to choose from, once there are places or zones.")
        return
    area = None if draft.has_places else _grid_area(draft)
    how = _coarseness(draft)
    draft.values["coarseness"] = how
    places = None
    if draft.has_places or area is not None:
        places = _shown(draft, how, area)
    if places is None:
        draft.missing.append("coarser zones" if draft.has_places else "the area of a grid")
        return
    longitude, latitude = draft.rows_at
    if longitude is not None and latitude is not None:
        west, south, east, north = places.zones.total_bounds
        if seem_swapped(longitude, latitude, (west, south, east, north)):
            st.warning(data_wording.SWAPPED, icon=":material/swap_horiz:")


def _coarseness(draft: Draft) -> Coarseness:
    """Draw how coarse the zones are."""
    values, columns = draft.values, draft.parent_columns
    usual = [level.ids for level in parents.guess(columns)]
    offered = [
        zoning
        for zoning in (ZONINGS if draft.has_places else GRIDS)
        if (zoning != "parents" or columns) and (zoning != "voronoi" or "locations" in values)
    ]
    zoning = draft.field(
        st.segmented_control,
        "Zones to build",
        "zoning" if draft.has_places else "grid",
        {zoning: ZONINGS[zoning] for zoning in offered},
        default=offered[0],
        required=True,
        help="All from public geometry; no row is looked at. Fewer zones hold more people each, so "
        "the same noise hides less of them.",
    )
    look_of: dict[str, Any] = {}
    if zoning in GRIDS:
        ends = {"min_value": 100, "max_value": 200_000, "value": 2_000, "step": 100}
        size = draft.field(st.number_input, "Size of a cell in metres", "cell", **ends)
        look_of["size_m"] = float(size)
    elif zoning == "clusters":
        ends = {"min_value": 2, "max_value": MOST_ZONES, "value": 30}
        clusters = draft.field(st.number_input, "Number of clusters", "clusters", **ends)
        look_of["clusters"] = int(clusters)
    elif zoning == "parents":
        named = dict.fromkeys((*usual, *columns))
        parent = draft.field(st.selectbox, "Column of coarser zones", "parent", list(named))
        look_of["parent"] = parent
    if columns and (zoning in ("given", "parents") or "zones" not in values):
        _keep(draft, columns, usual)
    return Coarseness(zoning=zoning, **look_of)


def _shown(draft: Draft, how: Coarseness, area: Area | None) -> Places | None:
    """Draw the zones that would be built; None where they cannot be, which is then said."""
    values = draft.values
    try:
        values["coarseness"] = how = replace(how, area=area)
        places = _places(values, how)
        size = look.size(places)
        st.caption(
            f"**{size.zones:,} zones**, half of them smaller than {size.median_km2:,.2g} km² · "
            f"{len(places.towers):,} places"
        )
        _kept(places)
        st.html(data_picture.picture(places))
        coarse.check_size(places)
    except ExplorerError as problem:
        data_wording.problem("These zones cannot be built", data_wording.on_page(problem))
        return None
    return places


def _keep(draft: Draft, columns: tuple[str, ...], usual: list[str]) -> None:
    """Draw which columns are kept as levels to look at the dataset by."""
    kept = draft.field(
        st.multiselect,
        "Coarser zones to keep",
        f"parents_{abs(hash(columns))}",
        columns,
        default=usual,
        placeholder="Choose columns such as province",
        help="Columns that name the coarser zone of each zone. The setting Zones then offers them "
        "on every page, so that one dataset can be looked at finely and coarsely.",
    )
    # what was guessed and is no hierarchy is left out; what was chosen is refused
    draft.values["parents"] = None if kept == usual else tuple(kept)


def _kept(places: Places) -> None:
    """Say which coarser zones stand beside the zones, and which guess was none."""
    if levels := parents.kept_levels(places.zones):
        text = ", ".join(f"{name} ({zones:,})" for name, zones in levels.items())
        st.caption(f"Coarser zones kept: {text}")
    for note in places.notes:
        if parents.NOT_KEPT in note:
            st.warning(note, icon=":material/account_tree:")


def _grid_area(draft: Draft) -> Area | None:
    """Draw the four edges of a grid's area; None until all are there."""
    known, mappings = own().read("areas"), draft.mappings
    if mappings is not None and st.button(
        "Read the area from the data",
        key="data_area",
        icon=":material/select_all:",
        help="Read from the data: type it from what you know if where people were is sensitive.",
    ):
        with st.spinner("Reading the coordinates …", show_time=True):
            reading = draft.values["reading"]
            where = data_wording.tried("Cannot be read", lambda: look.area(mappings, reading))
        if where is not None:
            known[draft.inputs] = where
    area: Area | None = known.get(draft.inputs)
    edges = [
        draft.field(
            column.number_input,
            f"{name}, degrees",
            f"edge_{number}_{area}",
            min_value=-float(limit),
            max_value=float(limit),
            value=None if area is None else area[number],
            step=0.05,
            placeholder="such as -103.45" if limit == 180 else "such as 20.55",
        )
        for number, (column, name, limit) in enumerate(
            zip(st.columns(4), ("West", "South", "East", "North"), (180, 90, 180, 90), strict=True)
        )
    ]
    west, south, east, north = edges
    if west is None or south is None or east is None or north is None:
        return None
    if area == (west, south, east, north):
        draft.values["places_public"] = False  # they were read from the data
    return west, south, east, north


def _places(values: dict[str, Any], how: Coarseness) -> Places:
    """Return places and zones; read and made once for what was chosen."""
    known = own().read("places")
    asked = {
        name: values[name]
        for name in ("locations", "zones", "locations_mapping", "zones_mapping", "parents")
        if name in values
    }
    key = (repr(sorted(asked.items(), key=lambda item: item[0])), how, values.get("kind"))
    if key not in known:
        options = IngestOptions(
            kind="visits",
            inputs=("rows",),
            out=Path("look"),
            time_zone="UTC",
            first_day=look.EARLIEST,
            last_day=look.EARLIEST,
            coarseness=how,
            parts=("density",) if values.get("kind") == "visits" else ("density", "trips"),
            **asked,
        )
        known[key] = (
            coarse.grid_places(how)
            if how.area is not None
            else coarse.look(read_places(options), how)
        )
    return known[key]
