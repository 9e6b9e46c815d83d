"""Which zones to build: given or coarser ones, drawn and judged before anything is counted."""

import html
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.errors import ExplorerError
from engine.ingest import IngestOptions, look, whereabouts
from engine.ingest.coarseness import MOST_CELLS_A_DAY, MOST_ZONES, Coarseness
from engine.ingest.inputs import coarse, parents
from engine.ingest.inputs.places import Places, read_places
from engine.ingest.whereabouts import Area
from pages._ui.data import picture as data_picture
from pages._ui.data import wording as data_wording
from pages._ui.data.draft import Draft
from pages._ui.data.files import Asked
from pages._ui.shell.session import session
from pages._ui.wording.numbers import percent

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
LEVELS = {"good": "usable", "partly": "usable in part", "noisy": "not usable"}
_UNITS = {"trip": "a single trip is protected", "person": "all trips of a person are protected"}


@dataclass(frozen=True)
class Zoned:
    """The coarseness that was chosen, and the places with their zones where they can be made."""

    coarseness: Coarseness
    places: Places | None


def choose(asked: Asked, draft: Draft) -> Zoned:
    """Draw the choice of zones with a map, their number and size; refuse too many."""
    values, columns = draft.values, draft.parent_columns
    usual = [level.ids for level in parents.guess(columns)]
    offered = [k for k in ZONINGS if k != "parents" or columns]
    offered = [k for k in offered if k != "voronoi" or "locations" in values]
    area: Area | None = None
    if not draft.has_places:
        offered = list(GRIDS)
        area = grid_area(asked, draft)
    zoning = st.segmented_control(
        "Zones to build",
        offered,
        default=offered[0],
        required=True,
        format_func=ZONINGS.__getitem__,
        key=asked.key("zoning" if draft.has_places else "grid"),
        persist_state="session",
        help="All from public geometry; no row is looked at. Fewer zones hold more people each, so "
        "the same noise hides less of them.",
    )
    size, clusters, parent = 2_000.0, 30, ""
    if zoning in ("hexagon", "square"):
        size = st.number_input(
            "Size of a cell in metres",
            100,
            200_000,
            2_000,
            100,
            key=asked.key("cell"),
            persist_state="session",
        )
    elif zoning == "clusters":
        clusters = st.number_input(
            "Number of clusters",
            2,
            MOST_ZONES,
            30,
            key=asked.key("clusters"),
            persist_state="session",
        )
    elif zoning == "parents":
        parent = st.selectbox(
            "Column of coarser zones",
            list(dict.fromkeys((*usual, *columns))),
            key=asked.key("parent"),
            persist_state="session",
        )
    if columns and (zoning in ("given", "parents") or "zones" not in values):
        _keep(asked, draft, columns, usual)
    how = Coarseness(zoning=zoning, size_m=float(size), clusters=int(clusters), parent=parent)
    if not draft.has_places and area is None:
        return Zoned(how, None)
    try:
        how = replace(how, area=area)
        places = _places(values, how)
        size = look.size(places)
        st.caption(
            f"**{size.zones:,} zones**, half of them smaller than {size.median_km2:,.2g} km² · "
            f"{len(places.towers):,} places"
        )
        _kept(places)
        st.html(data_picture.picture(places))
        visits = values.get("kind") == "visits"
        coarse.check_size(places, trips=not visits)
        if visits and (pairs := len(places.zones) ** 2) > MOST_CELLS_A_DAY:
            values["parts"] = ("density",)
            st.caption(
                f"The visits alone are built: trips between them would have {pairs:,} pairs of "
                f"zones a day, and at most {MOST_CELLS_A_DAY:,} can be shown. Choose coarser zones "
                "for both."
            )
    except ExplorerError as problem:
        data_wording.problem("These zones cannot be built", data_wording.on_page(problem))
        return Zoned(how, None)
    return Zoned(how, places)


def _keep(asked: Asked, draft: Draft, columns: tuple[str, ...], usual: list[str]) -> None:
    """Draw which columns are kept as levels to look at the dataset by."""
    kept = st.multiselect(
        "Coarser zones to keep",
        list(columns),
        default=usual,
        key=asked.key(f"parents_{abs(hash(columns))}"),
        persist_state="session",
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


def forecast(options: IngestOptions, key: str) -> None:
    """Draw a button that says before building what the trips would read as."""
    known = session().own.forecasts
    question = (
        options.inputs,
        options.coarseness,
        options.first_day,
        options.last_day,
        options.zones,
        options.locations,
        options.reading,
    )
    if st.button("What verdict to expect?", key=key, icon=":material/query_stats:"):
        try:
            with st.spinner("Counting the trips …", show_time=True):
                known[question] = look.forecast(options)
        except ExplorerError as problem:
            data_wording.problem("No forecast", data_wording.on_page(problem))
            return
    for one in known.get(question, []):
        share = f"{percent(one.usable_share)} of all trips lie in flows off by at most a quarter"
        if one.epsilon is None:
            text = f"not usable at any ε up to 1 ({share} at best): choose coarser zones"
        else:
            t = f", T = {one.max_trips_per_user}" if one.unit == "person" else ""
            text = f"{LEVELS[one.level]} from ε = {one.epsilon:g}{t} on: {share}"
        st.html(
            f'<div class="verdict {one.level}" role="status"><strong>Sum of all days, where '
            f"{_UNITS[one.unit]}</strong>{html.escape(text)}. Read from the data: for its "
            "custodians only.</div>"
        )


def grid_area(asked: Asked, draft: Draft) -> Area | None:
    """Draw the four edges of a grid's area; None until all are there."""
    known: dict[Any, Area] = session().own.areas
    inputs = tuple(draft.values.get("inputs", ()))
    if draft.mappings is not None and st.button(
        "Read the area from the data",
        key="data_area",
        icon=":material/select_all:",
        help="Read from the data: type it from what you know if where people were is sensitive.",
    ):
        try:
            with st.spinner("Reading the coordinates …", show_time=True):
                known[inputs] = whereabouts.area(draft.mappings, draft.values["reading"])
        except ExplorerError as problem:
            data_wording.problem("Cannot be read", data_wording.on_page(problem))
    area = known.get(inputs)
    edges = [
        column.number_input(
            f"{name}, degrees",
            min_value=-float(limit),
            max_value=float(limit),
            value=None if area is None else area[number],
            step=0.05,
            placeholder="such as -103.45" if limit == 180 else "such as 20.55",
            key=asked.key(f"edge_{number}_{area}"),
            persist_state="session",
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


def public_places(asked: Asked, draft: Draft, column: DeltaGenerator) -> None:
    """Draw whether the places are public, which a release states."""
    public = column.selectbox(
        "Are the places public?",
        (True, False),
        index=None,
        format_func=lambda known: "yes" if known else "no",
        placeholder="not said",
        key=asked.key("public"),
        persist_state="session",
        help="Zones of a statistical office are; a list of private places is not, nor an area that "
        "was read from the data. A release states it.",
    )
    # an area that was read from the data stays that, whatever is said of the places
    draft.values.setdefault("places_public", public)


def _places(values: dict[str, Any], how: Coarseness) -> Places:
    """Return places and zones; read and made once for what was chosen."""
    known: dict[Any, Places] = session().own.places
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
        known.clear() if len(known) > 20 else None
        known[key] = (
            coarse.grid_places(how)
            if how.area is not None
            else coarse.coarsen(read_places(options), how)
        )
    return known[key]
