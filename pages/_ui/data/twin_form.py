"""The second door: no data yet, or none that may be looked at. A twin from public facts."""

import threading
import time
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import streamlit as st

from engine import datasets
from engine.ingest import Cancelled, Progress
from engine.ingest.inputs.places import places_from_zones
from engine.synthetic.twin import twin
from engine.synthetic.twin_files import guess_residents, read_twin_zones
from engine.synthetic.twin_inputs import FIRST_DAY, MAX_PEOPLE, MAX_VISITS, TwinInputs
from engine.synthetic.twin_people import residents_by_zone
from pages._ui.app.background import Tell
from pages._ui.data import builds, files as data_files, messages, zone_form
from pages._ui.data.build_form import suggest_name
from pages._ui.data.files import Draft

DEFAULT_SHARE, DEFAULT_MAX_PEOPLE = 0.1, 200_000
"""People in the data where nothing else is known: a tenth of the residents, soon simulated."""
LEAD = (
    "Simulate people in your own zones from **public facts**. Choose all settings on them, and "
    "use the confidential data only once, for the release. No number here may come from the "
    "confidential data: take it from a census, an annual report or a press kit."
)
_NUMBERS: dict[str, tuple[str, float, float | None, float | None, str]] = {
    "people": ("People in the data to come", 1, MAX_PEOPLE, 10_000, ""),
    "trips_a_day": ("Trips between zones per person and day", 0.0, None, 0.8, ""),
    "days": ("Days", 1, None, 7, ""),
    "travellers": ("Share of people who ever travel, %", 1.0, 100.0, None, "not known: 90"),
    "friction_km": ("Distance over which flows fall to a third (km)", 0.001, 1e5, None,
                    "a third of the area's radius"),
    "visits_a_week": ("Records per person and week (0: no density)", 0.0, MAX_VISITS, 15.0, ""),
    "seed": ("Seed", 0, None, 1, ""),
}  # fmt: skip
"""Label, least, most, default, and what holds where it is left empty."""


def draw() -> None:
    """Draw the form of a twin, zones, people, trips and period; its button begins the build."""
    draft = Draft()
    with st.container(border=True):
        st.markdown(LEAD)
        files = data_files.choose_files(
            draft,
            "twin",
            "Zones, or a table of places",
            (*data_files.ZONE_ENDINGS, "csv"),
            "GeoJSON, GeoPackage, a zipped Shapefile or GeoParquet; or a CSV of places with "
            "latitude and longitude (the area around each place is its zone).",
        )
        if not files:
            return
        path = files[0]
        form_col, map_col = st.columns([1, 1.4], gap="large")
        with form_col:
            main = st.container()
            with st.expander("More, with defaults", icon=":material/tune:"):
                zones, details = _ask_details(draft, path)
            if zones is None:
                return
            with main:
                details |= _ask_main(draft, zones)
            inputs = messages.attempt("The twin cannot be made", _check_inputs, zones, details)
        with map_col:
            zone_form.draw_places(places_from_zones(zones))
            st.caption(f"{len(zones):,} zones")
        pressed = st.button(
            "Make the twin",
            type="primary",
            icon=":material/group_add:",
            key="data_twin_start",
            disabled=inputs is None,
        )
        builds.show_failure("The twin cannot be made")
    if pressed and inputs is not None:
        _start_build(f"twin-{suggest_name([path.name])}", zones, inputs)
        st.rerun()


def _check_inputs(zones: gpd.GeoDataFrame, inputs: dict[str, Any]) -> TwinInputs:
    residents_by_zone(zones)
    return TwinInputs(**inputs)


def _ask_main(draft: Draft, zones: gpd.GeoDataFrame) -> dict[str, Any]:
    residents = float(pd.Series(zones["residents"]).sum()) if "residents" in zones else 0.0
    default = None
    if 0 < residents < MAX_PEOPLE:  # else a wrong column; the build says so
        default = max(min(int(residents * DEFAULT_SHARE), DEFAULT_MAX_PEOPLE), 1)
    people = _ask_number(draft, "people", default)
    st.caption(
        "Subscribers or riders, from your press kit. If unknown, start with a tenth of the "
        "residents. A million people take about a minute."
    )
    numbers = {name: _ask_number(draft, name) for name in ("trips_a_day", "days")}
    one_trip = draft.ask(
        st.checkbox,
        "Everybody makes one trip in these days",
        "twin_one_trip",
        help="Settings found on people who make several trips do not transfer to such data.",
    )
    return {"people": people, **numbers, "one_trip": bool(one_trip)}


def _ask_number(draft: Draft, name: str, start: float | None = None) -> Any:
    label, low, high, default, empty = _NUMBERS[name]
    look = {"min_value": low, "max_value": high, "value": start or default}
    return draft.ask(st.number_input, label, f"twin_{name}", placeholder=empty, **look)


def _ask_details(draft: Draft, path: Path) -> tuple[gpd.GeoDataFrame | None, dict[str, Any]]:
    """Return the zones and what is seldom known, but for the source all with a default."""
    details: dict[str, Any] = {"sources": {}}
    column = None
    if path.suffix.lower() != ".csv":
        ask = data_files.read_once, zone_form.zone_columns, path
        columns = messages.attempt("Cannot be read", *ask)
        if columns is None:
            return None, details
        guess = guess_residents(columns)
        column = draft.ask(
            st.selectbox,
            "Residents",
            f"twin_residents_{path.name}",
            columns,
            index=None if guess is None else columns.index(guess),
            placeholder="not in the file (people are spread by area)",
        )
    zones = messages.attempt("Cannot be read", data_files.read_once, read_twin_zones, path, column)
    if column is not None:
        details["sources"]["residents"] = f"column “{column}” of the file of zones"
    source = draft.ask(
        st.text_input,
        "Source of these numbers",
        "twin_source",
        placeholder="such as the annual report 2025",
        help="It is recorded in the dataset and in the statement of a release tuned on this twin.",
    )
    if source and source.strip():
        details["sources"]["people"] = source.strip()
    first_day = draft.ask(st.date_input, "First day", "twin_first_day", value=FIRST_DAY)
    details["first_day"] = first_day or FIRST_DAY
    for name in ("travellers", "friction_km", "visits_a_week", "seed"):
        details[name] = _ask_number(draft, name)
    details["travellers"] = details["travellers"] and details["travellers"] / 100
    return zones, details


def _start_build(base: str, zones: gpd.GeoDataFrame, inputs: TwinInputs) -> None:
    # one that is kept on this computer has its name: it stays, and the next can be kept as well
    names = (base, *(f"{base}-{number}" for number in range(2, 1_000)))
    name = next(name for name in names if name not in datasets.available())

    def task(folder: Path, tell: Tell, cancel: threading.Event) -> dict[str, Any]:
        began = time.monotonic()

        def progress(share: float) -> None:
            if cancel.is_set():
                raise Cancelled("cancelled")
            tell(Progress("simulated people travel", share))

        twin(zones, inputs, folder, progress=progress)
        return {"seconds": time.monotonic() - began}

    builds.start_build(name, task)
