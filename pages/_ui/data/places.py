"""The step of places and zones: a table of places, a file of zones, or none for a grid."""

from pathlib import Path

import streamlit as st

from pages._ui.data import files as data_files
from pages._ui.data.draft import Draft, position


def draw(draft: Draft) -> None:
    """Draw the step."""
    locations = data_files.choose(
        draft,
        "locations",
        "Stations, towers or other places",
        data_files.TABLES,
        "A table of ids with latitude and longitude.",
        several=False,
    )
    zones = data_files.choose(
        draft,
        "zones",
        "Zones (optional where there are places)",
        data_files.ZONES,
        "GeoJSON, GeoPackage, a zipped Shapefile or GeoParquet. Without zones, each place's own "
        "area is a zone.",
        several=False,
    )
    if locations:
        _locations(draft, locations[0])
    if zones:
        _zones(draft, zones[0])
    if not locations and not zones:
        if draft.by_points:
            st.caption("Without places and zones a grid is laid over an area: see Zones below.")
        else:
            draft.missing.append("places or zones")


def _locations(draft: Draft, path: Path) -> None:
    seen = data_files.look(path)
    if seen is None:
        draft.missing.append("a table of places that can be read")
        return
    columns = seen.source.columns
    chosen = _columns(draft, "locations", path, columns, ("location_id", "lat", "lng"))
    draft.place_columns = tuple(c for c in columns if c not in chosen.values())
    draft.longitude, draft.latitude = position(seen, chosen)


def _zones(draft: Draft, path: Path) -> None:
    seen = data_files.look_at_zones(path)
    if seen is None:
        draft.missing.append("zones that can be read")
        return
    chosen = _columns(draft, "zones", path, seen.columns, ("zone_id",))
    st.caption(f"{seen.zones:,} zones")
    draft.zone_columns = tuple(c for c in seen.columns if c not in chosen.values())
    if draft.longitude is None:
        draft.longitude, draft.latitude = seen.longitude, seen.latitude


def _columns(
    draft: Draft, name: str, path: Path, columns: tuple[str, ...], wanted: tuple[str, ...]
) -> dict[str, str]:
    """Draw which column means what, and note file and columns where nothing is missing."""
    chosen, missing = data_files.columns(draft, name, name, columns, wanted, ("name",))
    draft.missing += missing
    if not missing:
        draft.values |= {name: path, f"{name}_mapping": chosen}
    return chosen
