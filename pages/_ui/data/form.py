"""The form of the Data page: from files to the options of an ingest, in six steps."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import streamlit as st

from engine import datasets
from engine.errors import ExplorerError
from engine.ingest import IngestOptions, look
from engine.ingest.inputs import columns as usable
from engine.ingest.inputs import guess, mapping
from engine.ingest.inputs.mapping import Mappings
from engine.ingest.inputs.places import Places
from engine.ingest.reading import Reading
from engine.ingest.whereabouts import seem_swapped
from engine.parameters import DEFAULT_MAX_VISITS_CAP
from pages._ui.data import build as data_build
from pages._ui.data import files as data_files
from pages._ui.data import guesses as data_guesses
from pages._ui.data import reading as data_reading
from pages._ui.data import store as data_store
from pages._ui.data import when as data_when
from pages._ui.data import wording as data_wording
from pages._ui.data import zoning as data_zoning
from pages._ui.data.draft import Draft, position
from pages._ui.data.files import Asked
from pages._ui.data.wording import KINDS
from pages._ui.shell.session import session

TABLES = ("csv", "gz", "tsv", "txt", "parquet", "pq")
ZONES = ("geojson", "json", "gpkg", "zip", "parquet", "pq")
Names: TypeAlias = tuple[str, ...]
UPLOAD, PATH = "Upload", "Path on this computer"


def draw(*, busy: bool) -> None:
    """Draw the form; its button begins the build.

    While `busy` it is hidden but there, for Streamlit forgets uploads that are not drawn.
    """
    with st.container(key="data_form_hidden" if busy else "data_form"):
        _draw(busy)


def _draw(busy: bool) -> None:
    by_path = False
    if data_store.served_locally():
        way = st.segmented_control(
            "Where the files are",
            [UPLOAD, PATH],
            default=UPLOAD,
            required=True,
            key="data_way",
            persist_state="session",
        )
        by_path = way == PATH
    asked = Asked(by_path, busy)
    draft = Draft()
    # every step is always there: an uploader that moves loses what is being dropped into it
    with st.container(border=True):
        _table(asked, draft)
    with st.container(border=True):
        _reading(asked, draft)
    with st.container(border=True):
        _places(asked, draft)
    with st.container(border=True):
        data_when.draw(asked, draft)
    with st.container(border=True):
        _zoning(asked, draft)
    with st.container(border=True):
        _described(asked, draft)
        _button(draft)


def _table(asked: Asked, draft: Draft) -> None:
    st.markdown("**1 · Your table**")
    draft.files = data_files.choose(
        asked,
        "table",
        "Trips, visits or flows",
        TABLES,
        "CSV (also .gz) or Parquet; several files are read as one table.",
        several=True,
    )
    if not draft.files:
        draft.missing.append("a table")
        return
    with st.expander("Encoding and separator", icon=":material/text_fields:"):
        draft.encoding, delimiter = data_reading.marks(asked)
    seen = data_files.look(draft.files[0], draft.encoding, delimiter)
    if seen is None:
        draft.missing.append("a table that can be read")
        return
    draft.values["reading"] = Reading(delimiter=delimiter)
    columns = seen.source.columns
    guess = data_guesses.kind(columns)
    kind = st.segmented_control(
        "What it holds",
        list(KINDS),
        default=guess,
        required=True,
        format_func=KINDS.__getitem__,
        key=asked.key(f"kind_{abs(hash(columns))}"),
        persist_state="session",
    )
    draft.kind = kind
    st.caption(data_wording.KIND_HELP[kind])
    if not any(mapping.guess(table, columns) for table in ("trips", "visits", "flows")):
        st.warning(data_wording.unusual_columns(len(columns)), icon=":material/view_column:")
    guessed = mapping.guess("trips" if kind in ("trips", "journeys") else "visits", columns)
    split = kind != "flows" and st.toggle(
        "Dates and times are in two columns",
        value="clock" in guessed,
        key=asked.key(f"split_{kind}_{abs(hash(columns))}"),
        persist_state="session",
    )
    wanted, optional, absent = _columns_of(kind, split=split)
    engine_kind = {"points": "visits", "journeys": "trips"}.get(kind, kind)
    chosen, missing = data_files.columns(asked, kind, engine_kind, columns, wanted, optional)
    draft.missing += missing
    draft.values |= {
        "kind": engine_kind,
        "mapping": chosen | dict.fromkeys(absent, ""),
        "inputs": tuple(str(path) for path in draft.files),
    }
    draft.rows_at = position(seen, chosen)
    draft.longitude, draft.latitude = draft.rows_at
    draft.seen, draft.chosen = seen, chosen
    if len(draft.files) > 1:
        st.caption(f"The first of {len(draft.files)} files is shown; all must have these columns.")


def _columns_of(kind: str, *, split: bool) -> tuple[Names, Names, Names]:
    """Return the columns that a kind of table needs, may have, and must not be guessed to have."""
    ends = ("origin_lat", "origin_lng", "destination_lat", "destination_lng")
    both, one = ("clock", "end_clock"), ("clock",)
    clocks, clock = (both, one) if split else ((), ())
    no_clocks, no_clock = ((), ()) if split else (both, one)
    return {
        "trips": (
            ("uid", "datetime", "origin", "destination"),
            ("end_datetime", *clocks),
            (*ends, *no_clocks),
        ),
        "journeys": (
            ("uid", "datetime", *ends),
            ("end_datetime", *clocks),
            ("origin", "destination", *no_clocks),
        ),
        "visits": (("uid", "datetime", "location_id"), clock, ("lat", "lng", *no_clock)),
        "points": (("uid", "datetime", "lat", "lng"), clock, ("location_id", *no_clock)),
        "flows": (("origin", "destination", "flow"), ("date",), ()),
    }[kind]


def _reading(asked: Asked, draft: Draft) -> None:
    st.markdown("**2 · How it is read**")
    if draft.seen is None:
        st.caption("Dates, numbers and the first rows are shown here once there is a table.")
        return
    names = {canonical: column for canonical, column in draft.chosen.items() if column}
    zone = session().own.time_zone
    read = data_reading.choose(asked, draft.seen.source, names, draft.encoding, zone)
    draft.missing += read.missing
    draft.values |= {"reading": read.reading, "encoding": draft.encoding}
    with st.container(key="data_rows"):
        st.warning(data_wording.CONFIDENTIAL_ROWS, icon=":material/lock:")
        st.html(data_files.rows_html(draft.seen, draft.chosen, read.times))
    if read.times and None in read.times:
        st.warning(
            "Some of the first times cannot be read. Choose how they are written above, or the "
            "column of times under Your table.",
            icon=":material/schedule:",
        )
    longitude, latitude = draft.rows_at
    if longitude is not None and latitude is not None and seem_swapped(longitude, latitude):
        st.warning(data_wording.SWAPPED, icon=":material/swap_horiz:")
        draft.missing.append("latitude and longitude the right way round")
    _files(draft, read, names)


def _files(draft: Draft, read: data_reading.Read, names: dict[str, str]) -> None:
    """Judge each file by itself: whether it is a table, and has the columns."""
    known: Mappings = {}
    for path in draft.files if names else ():
        try:
            source = data_reading.inspected(path, read)
            usable.check(source, names)
            known[source] = names
        except ExplorerError as problem:
            data_wording.problem("Cannot be read", data_wording.on_page(problem))
    if names and len(known) < len(draft.files):
        draft.missing.append("tables that can be read, all with the same columns")
    if draft.missing:
        return
    try:
        guess.complete(known, read.reading)
        draft.mappings = known
    except ExplorerError as problem:
        data_wording.problem("Cannot be read", data_wording.on_page(problem))
        draft.missing.append("times that are written alike in all files")


def _zoning(asked: Asked, draft: Draft) -> None:
    st.markdown("**5 · Zones**")
    if not draft.has_places and not draft.by_points:
        st.caption("A map, and coarser zones to choose from, once there are places or zones.")
        return
    zoned = data_zoning.choose(asked, draft)
    draft.values["coarseness"] = zoned.coarseness
    if zoned.places is None:
        draft.missing.append("coarser zones" if draft.has_places else "the area of a grid")
        return
    longitude, latitude = draft.rows_at
    if longitude is not None and latitude is not None:
        west, south, east, north = zoned.places.zones.total_bounds
        if seem_swapped(longitude, latitude, (west, south, east, north)):
            st.warning(data_wording.SWAPPED, icon=":material/swap_horiz:")
    if draft.mappings is not None and not draft.by_points:
        _strangers(draft, zoned.places)


def _strangers(draft: Draft, places: Places) -> None:
    """Say how many rows name places that are not among those given; counted on request."""
    counted = session().own.strangers
    key = (tuple(draft.values["inputs"]), tuple(places.towers["location_id"][:50]))
    assert draft.mappings is not None
    if st.button("Do all rows name a known place?", key="data_match", icon=":material/rule:"):
        try:
            counted[key] = look.strangers(draft.mappings, places)
        except ExplorerError as problem:
            data_wording.problem("Not counted", data_wording.on_page(problem))
    if key in counted:
        unknown = counted[key]
        if unknown.ids:
            st.warning(
                f"{unknown.ids:,} ids in {unknown.rows:,} ends of rows are not among the places; "
                f"such rows count as outside. {unknown.shapes}",
                icon=":material/location_off:",
            )
        else:
            st.caption("Every id in the rows is among the places.")


def _places(asked: Asked, draft: Draft) -> None:
    st.markdown("**3 · Places and zones**")
    locations = data_files.choose(
        asked,
        "locations",
        "Stations, towers or other places",
        TABLES,
        "A table of ids with latitude and longitude.",
        several=False,
    )
    zones = data_files.choose(
        asked,
        "zones",
        "Zones (optional where there are places)",
        ZONES,
        "GeoJSON, GeoPackage, a zipped Shapefile or GeoParquet. Without zones, each place's own "
        "area is a zone.",
        several=False,
    )
    if locations:
        _locations(asked, draft, locations[0])
    if zones:
        _zones(asked, draft, zones[0])
    if not locations and not zones:
        if draft.by_points:
            st.caption("Without places and zones a grid is laid over an area: see Zones below.")
        else:
            draft.missing.append("places or zones")


def _locations(asked: Asked, draft: Draft, path: Path) -> None:
    seen = data_files.look(path)
    if seen is None:
        draft.missing.append("a table of places that can be read")
        return
    chosen, missing = data_files.columns(
        asked,
        "locations",
        "locations",
        seen.source.columns,
        ("location_id", "lat", "lng"),
        ("name",),
    )
    draft.missing += missing
    if not missing:
        draft.values |= {"locations": path, "locations_mapping": chosen}
    mapped = chosen.values()
    draft.place_columns = tuple(c for c in seen.source.columns if c not in mapped)
    draft.longitude, draft.latitude = position(seen, chosen)


def _zones(asked: Asked, draft: Draft, path: Path) -> None:
    seen = data_files.look_at_zones(path)
    if seen is None:
        draft.missing.append("zones that can be read")
        return
    chosen, missing = data_files.columns(
        asked, "zones", "zones", seen.columns, ("zone_id",), ("name",)
    )
    st.caption(f"{seen.zones:,} zones")
    draft.missing += missing
    if not missing:
        draft.values |= {"zones": path, "zones_mapping": chosen}
    draft.zone_columns = tuple(c for c in seen.columns if c not in chosen.values())
    if draft.longitude is None:
        draft.longitude, draft.latitude = seen.longitude, seen.latitude


def _described(asked: Asked, draft: Draft) -> None:
    st.markdown("**6 · Name and build**")
    guess = data_guesses.dataset_name([f.name for f in draft.files]) if draft.files else ""
    left, right = st.columns([2, 1])
    name = left.text_input(
        "Name of the dataset",
        value=guess,
        max_chars=data_guesses.LONGEST_NAME,
        key=asked.key(f"name_{guess}"),
        persist_state="session",
        help="Lower-case letters, digits, - and _.",
    )
    people = right.number_input(
        "People, public estimate",
        min_value=1,
        max_value=10**10,
        value=None,
        step=1,
        placeholder="unknown",
        key=asked.key("people"),
        persist_state="session",
        help="From public sources, never counted in the data. It tells whether δ is small enough.",
    )
    data_zoning.public_places(asked, draft, right)
    if not data_guesses.NAME.fullmatch(name or ""):
        draft.missing.append("a name in lower-case letters, digits, - and _")
    elif name in datasets.available():
        draft.missing.append("another name (this one is taken)")
    with st.expander("Advanced", icon=":material/tune:"):
        advanced = _advanced(asked, by_points=draft.by_points)
    draft.values |= {"people_public": people, **advanced}
    draft.values["out"] = name


def _advanced(asked: Asked, *, by_points: bool) -> Mapping[str, Any]:
    one, two, three = st.columns(3)
    values: dict[str, Any] = {
        "max_visits_cap": one.number_input(
            "Most visits of a person in the week (Kₘₐₓ)",
            1,
            10**6,
            DEFAULT_MAX_VISITS_CAP,
            key=asked.key("cap"),
            persist_state="session",
            help="A public bound, not read off the data. Visits beyond it are trimmed and counted "
            "in the report; a smaller bound means less noise.",
        ),
        "skip_unparsable": three.toggle(
            "Leave unreadable rows out, and count them",
            key=asked.key("skip"),
            persist_state="session",
            help="Rows without a person or a readable time are left out of the dataset and "
            "counted in the report. Without this, the file is refused.",
        ),
    }
    if by_points:
        values["max_distance_m"] = float(
            three.number_input(
                "Metres outside every zone that still count",
                1,
                100_000,
                1_000,
                key=asked.key("distance"),
            )
        )
    for column, name, label in (
        (one, "description", "Description"),
        (two, "source", "Source"),
        (three, "licence", "Licence"),
    ):
        values[name] = column.text_input(label, max_chars=200, key=asked.key(name))
    return values


def _button(draft: Draft) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        pressed = st.button(
            "Build the dataset",
            type="primary",
            icon=":material/play_arrow:",
            key="data_start",
            disabled=bool(draft.missing),
        )
        if draft.missing:
            st.caption(data_wording.needed(draft.missing))
    if draft.missing:
        return
    space = data_store.workspace()
    try:
        options = IngestOptions(**{**draft.values, "out": space.datasets / draft.values["out"]})
    except ExplorerError as problem:
        data_wording.problem("Cannot be built", data_wording.on_page(problem))
        return
    if pressed:
        data_build.start(options)
        st.rerun()
    if draft.kind != "flows" and "trips" in options.parts:
        data_zoning.forecast(replace(options, spill=space.spill), "data_forecast")
    build = data_build.current()
    if build is not None and build.state == "failed":
        data_wording.problem("Cannot be built", build.error)
