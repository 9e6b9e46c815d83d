"""The second door of the Data page: a twin of one's own zones, without any data."""

import numpy as np
from streamlit.testing.v1 import AppTest

from engine import datasets, origin_destination as od
from pages._ui.data.builds import DataState
from tests.support.data_page import PAGE, button, ended, text, upload, widget
from tests.support.ingests import squares
from tests.support.page import held

RESIDENTS = (4_000, 0, 1_000, 5_000)
NAMED = {"zone": ["Z0", "Z1", "Z2", "Z3"], "name": ["=cmd()"] * 4}
BARE = squares(**NAMED).to_json().encode()
ZONES = squares(**NAMED, population=RESIDENTS).to_json().encode()


def opened(open_page) -> AppTest:
    app = open_page(PAGE)
    door = next(one for one in app.segmented_control if one.key == "data_door")
    door.set_value("No data yet, or none I may look at").run()
    assert not app.exception, app.exception
    return app


def test_a_twin_is_four_actions_from_the_page_to_home(open_page) -> None:
    app = upload(opened(open_page), "twin", "my zones.geojson", ZONES)
    assert widget(app.number_input, "data_twin_people").value == sum(RESIDENTS) / 10
    assert "4 zones" in text(app)
    button(app, "data_twin_start").click().run()
    assert not app.exception, app.exception
    ended(held(app, DataState).build)
    app.run()
    assert "twin-my-zones was built in" in text(app)
    folder = app.session_state["session"].datasets["twin-my-zones"]
    twin = datasets.load(folder)
    assert twin.metadata.simulated
    homes = np.asarray(twin.homes)
    assert homes.sum() == 1_000
    assert homes[1] == 0
    assert od.truth(twin).sum() / 1_000 / 7 > 0.7
    button(app, "data_home_twin-my-zones").click().run()
    assert not app.exception, app.exception
    assert twin.metadata.scenario["twin"]["people"] == 1_000


def test_beside_a_twin_that_is_kept_the_next_has_another_name(open_page, monkeypatch) -> None:
    kept = {**datasets.available(), "twin-few": datasets.data_root() / "local" / "twin-few"}
    monkeypatch.setattr(datasets, "available", lambda: kept)
    app = upload(opened(open_page), "twin", "few.geojson", ZONES)
    widget(app.checkbox, "data_twin_one_trip").set_value(True).run()
    button(app, "data_twin_start").click().run()
    build = held(app, DataState).build
    ended(build)
    folder = app.run().session_state["session"].datasets["twin-few-2"]
    assert datasets.load(folder).metadata.scenario["twin"]["one_trip"]
    assert build.name == "twin-few-2"


def test_a_file_without_residents_says_so_and_one_that_is_none_is_refused(open_page) -> None:
    app = upload(opened(open_page), "twin", "bare.geojson", BARE)
    assert widget(app.selectbox, "data_twin_residents").value is None
    assert widget(app.number_input, "data_twin_people").value == 10_000
    app = upload(opened(open_page), "twin", "wrong.geojson", b"{}")
    assert "Cannot be read" in text(app)


def test_what_cannot_be_made_is_said_before_it_is_tried(open_page) -> None:
    app = upload(opened(open_page), "twin", "few.geojson", ZONES)
    widget(app.number_input, "data_twin_trips").set_value(200.0).run()
    assert not app.exception, app.exception
    assert "trips_a_day must be" in text(app)
    assert button(app, "data_twin_start").disabled
