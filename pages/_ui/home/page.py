"""Home: one stage for the trade-off, then density, flows and calculators side by side."""

import streamlit as st

from pages._ui.home import choose as home_choose
from pages._ui.home import density as home_density
from pages._ui.home import details as home_details
from pages._ui.home import play as home_play
from pages._ui.home import stage as home_stage
from pages._ui.home import tour as home_tour
from pages._ui.home import trips as home_trips
from pages._ui.home import uncertainty as home_uncertainty
from pages._ui.home import wording as home_wording
from pages._ui.shell import frame, problems, sidebar
from pages._ui.shell.settings import dataset_with


def draw() -> None:
    """Draw the page."""
    home_play.hold()
    shown = not home_stage.presenting()
    settings = sidebar.draw(
        density=shown,
        trips=shown,
        epsilon=False,
        noise=shown,
        od_method=shown,
        resolution=True,
    )
    visits, trips = settings.density_data, settings.od_data
    frame.banners([visits, trips])
    for warning in home_wording.warnings(settings):
        st.warning(warning, icon=":material/warning:")
    has = {
        "trips": trips is not None and trips.has_trips,
        "density": visits is not None and visits.has_density,
    }
    if shown:
        home_tour.draw()
    part = home_stage.header(settings, [name for name, there in has.items() if there])
    if part is not None:
        with problems.caught():
            home_stage.draw(settings, part)

    with st.container(key="home_columns"):
        on_left, on_right, last = st.columns(3, gap="large")
    drawn = {}
    with on_left:
        st.subheader("Density of visits", anchor=False)
        if has["density"]:
            with problems.caught():
                drawn["density"] = home_density.draw(settings, visits)
        else:
            frame.missing(visits, "density", dataset_with("density"), "density_data")
    with on_right:
        st.subheader("Origin–destination flows", anchor=False)
        if has["trips"]:
            with problems.caught():
                drawn["trips"] = home_trips.draw(settings, trips)
        else:
            frame.missing(trips, "trips", dataset_with("trips"), "od_data")
    with last, st.container(key="home_calculator"):
        home_choose.calculator(settings.trips().max_trips_per_user, settings.unit)
    columns = list(drawn.values())
    ledger = drawn["density"].ledger if "density" in drawn else None
    for note in home_wording.notes(settings, ledger, flows="trips" in drawn):
        st.caption(note)
    if part is not None:
        home_uncertainty.draw(settings, part)
    home_details.draw(columns)
