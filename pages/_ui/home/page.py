"""Home: the answer on one screen, then density and flows side by side, and the calculators."""

from pathlib import Path

import streamlit as st

from pages._ui.home import (
    card as home_card,
    choose as home_choose,
    density as home_density,
    stage as home_stage,
    trips as home_trips,
    wording as home_wording,
)
from pages._ui.home.density import Column
from pages._ui.shell import frame, problems
from pages._ui.shell.settings import Settings, current, dataset_with
from pages._ui.views import need as need_view

_STYLE = Path(__file__).with_name("home.css")


def draw() -> None:
    """Draw the page."""
    st.html(_STYLE)
    settings = current(resolution=True)
    visits, trips = settings.density_data, settings.od_data
    real = any(entry is not None and not entry.metadata.simulated for entry in (visits, trips))
    if real:
        frame.banners([visits, trips])
    for warning in home_wording.warnings(settings):
        st.warning(warning, icon=":material/warning:")
    has = {
        "trips": trips is not None and trips.has_trips,
        "density": visits is not None and visits.has_density,
    }
    available = [name for name, there in has.items() if there]
    part = home_stage.header(available)
    side = None
    if part is not None:
        with problems.caught():
            side = home_stage.draw(settings, part, available)
    if not real:
        frame.banners([visits, trips])
    if side is not None:
        home_card.draw_all(side)
    drawn = _columns(settings, has, part)
    ledger = drawn["density"].ledger if "density" in drawn else None
    for note in home_wording.notes(settings, ledger, flows="trips" in drawn):
        st.caption(note)


def _columns(settings: Settings, has: dict[str, bool], part: str | None) -> dict[str, Column]:
    """Draw density and flows side by side, each with its data, then the calculators."""
    drawn: dict[str, Column] = {}
    with st.container(key="home_columns"):
        sides = st.columns(2, gap="large")
        for place, (name, title, draw_column, entry) in zip(
            sides,
            (
                ("density", "Density of visits", home_density.draw, settings.density_data),
                ("trips", "Origin–destination flows", home_trips.draw, settings.od_data),
            ),
            strict=True,
        ):
            with place:
                st.subheader(title, anchor=False)
                if name != part:
                    with st.container(horizontal=True, gap="xsmall", key="home_need_other"):
                        need_view.draw(name)
                if has[name] and entry is not None:
                    with problems.caught():
                        drawn[name] = draw_column(settings, entry)
                else:
                    key = "density_data" if name == "density" else "od_data"
                    frame.missing(entry, name, dataset_with(name), key)
    with st.container(key="home_calculator"):
        home_choose.calculator(settings.trips().max_trips_per_user, settings.unit)
    return drawn
