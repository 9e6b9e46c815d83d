"""Home: density and origin–destination side by side at one privacy loss."""

import streamlit as st

from pages._ui.drawing import cards
from pages._ui.home import choose as home_choose
from pages._ui.home import density as home_density
from pages._ui.home import trips as home_trips
from pages._ui.home import wording as home_wording
from pages._ui.shell import frame, problems, sidebar
from pages._ui.shell.settings import dataset_with
from pages._ui.wording import verdict


def draw() -> None:
    """Draw the page."""
    settings = sidebar.draw(od_method=True)
    visits, trips = settings.density_data, settings.od_data
    frame.banners([visits, trips])
    verdict_slot = st.container()  # keeps the old verdict until the new one is there: no jump
    if "home_judged" not in st.session_state:
        verdict_slot = verdict_slot.empty()
        verdict_slot.html(cards.pending_html("Reading the data and drawing the first noise."))
    for warning in home_wording.warnings(settings):
        st.warning(warning, icon=":material/warning:")

    with st.container(key="home_columns"):
        rows = [st.columns(2, gap="medium") for _ in range(4)]
    on_left, on_right = (home_density.Places(*(row[side] for row in rows)) for side in (0, 1))
    on_left.head.subheader("Density of visits", anchor=False)
    on_right.head.subheader("Origin–destination flows", anchor=False)
    drawn = {}
    # the quick one first: the browser loads what it needs while the other is computed
    if trips is not None and trips.has_trips:
        with problems.caught(on_right.head):
            drawn["trips"] = home_trips.draw(settings, trips, on_right)
    else:
        with on_right.head:
            frame.missing(trips, "trips", dataset_with("trips"), "od_data")
    if visits is not None and visits.has_density:
        with problems.caught(on_left.head):
            drawn["density"] = home_density.draw(settings, visits, on_left)
    else:
        with on_left.head:
            frame.missing(visits, "density", dataset_with("density"), "density_data")
    columns = [drawn[part] for part in ("density", "trips") if part in drawn]

    findings = [
        (entry.name, drawn[part].finding)
        for part, entry in (("density", visits), ("trips", trips))
        if entry is not None and part in drawn
    ]
    verdict_slot.html(home_wording.verdicts_html(findings))
    st.session_state["home_judged"] = True
    for column in columns:  # numbers and maps come first
        column.curve()
    ledger = drawn["density"].ledger if "density" in drawn else None
    for note in home_wording.notes(settings, verdict.LIMITS, ledger, flows="trips" in drawn):
        st.caption(note)

    st.divider()
    home_choose.worst(columns)
    numbers = {name: value for column in columns for name, value in column.numbers.items()}
    compared = home_choose.compare()
    home_choose.pinned(compared, settings, numbers)
    st.divider()
    home_choose.calculator(settings.trips().max_trips_per_user, settings.unit)
    # ranges and distances come last, the quick ones first: the next move of a slider interrupts
    for column in reversed(columns):
        numbers = {**numbers, **column.fill()}
        home_choose.pinned(compared, settings, numbers)


frame.show(draw, frame.PRODUCT, home_wording.LEAD)
