"""The Data page's steps around a build: what it asks, warns of and offers."""

import json
from html import unescape

from engine import datasets
from engine.resolution import zone_levels
from pages._ui.data.builds import DataState
from tests.support.data_page import (
    HEADER,
    PLACES,
    TRIPS,
    built,
    button,
    filled,
    html_of,
    text,
    upload,
    upload_all,
    uploader,
    widget,
    zone,
)
from tests.support.ingests import TOWERS, squares
from tests.support.page import held

POINTS = "user,timestamp,latitude,longitude\n" + "".join(
    f"{i % 5},2015-09-{7 + i % 7:02d} 08:{i:02d}:00,{TOWERS[i % 4][1]},{TOWERS[i % 4][2]}\n"
    for i in range(40)
)
ZONES = squares(zone_id=[*"ABCD"], district=[*"wwxx"], half=[*"lrrr"]).to_json().encode()


def missing(app) -> str:
    return next((c.value for c in app.caption if c.value.startswith("Still needed")), "")


def test_hexagons_are_laid_over_an_area_where_there_are_no_places(open_data):
    app = zone(upload(open_data(), "table", "gps_2015_09.csv", POINTS.encode()), "UTC")
    assert "the area of the hexagons" in missing(app)
    widget(app.text_input, "data_area").set_value("-103.4, 20.65, -103.3, 20.7").run()
    assert not missing(app)
    assert "zones** ·" in text(app)
    assert [one.label for one in app.selectbox if one.key.startswith("data_public")] == [
        "Are the places public?"
    ]
    widget(app.toggle, "data_area_read").set_value(True).run()
    assert not missing(app)
    built(app)
    dataset = datasets.load(app.session_state["session"].datasets["gps-2015-09"])
    assert dataset.metadata.places_public is False


def test_cells_need_no_places(open_data):
    rows = "origin,destination,count\n" + "88390ca343fffff,88390ca345fffff,7\n"
    app = upload(open_data(), "table", "flows_2015_09.csv", rows.encode())
    assert "cells need neither places nor zones" in text(app)
    built(zone(app, "Europe/Madrid"))
    assert len(datasets.load(app.session_state["session"].datasets["flows-2015-09"]).zones) == 2


def test_more_zones_than_can_be_shown_are_offered_coarser_with_the_numbers(open_data, monkeypatch):
    monkeypatch.setattr("engine.ingest.options.MAX_ZONES", 3)
    app = upload_all(open_data())
    assert "4 zones, more than 3" in text(app)
    assert "coarser zones" in missing(app)
    widget(app.number_input, "data_hexagons").set_value(20_000.0).run()
    assert "zones are H3 hexagons of resolution" in text(app)
    assert "Voronoi" not in text(app)
    assert "coarser zones" not in missing(app)


def test_coarser_zones_of_the_file_are_kept_and_offered(open_data):
    app = upload(open_data(), "table", "trips_2015_09.csv", TRIPS)
    upload(app, "zones", "zones.geojson", ZONES)
    assert "Coarser zones available: district (2)" in text(app)
    built(zone(app, "America/Mexico_City"))
    dataset = datasets.load(app.session_state["session"].datasets["trips-2015-09"])
    assert [level.name for level in zone_levels(dataset.zones)] == ["zones", "district"]


def test_a_file_without_names_and_one_with_lines_above_offer_the_choice(open_data):
    rows = "\n".join(f"{i},2015-09-07 08:0{i}:00,A,B" for i in range(5))
    app = upload(open_data(), "table", "t_2015_09.csv", rows.encode())
    assert "the first line looks like data" in text(app)
    assert "2015-09-07 08:01" not in text(app)
    widget(app.toggle, "data_no_header").set_value(True).run()
    assert "a column for" in missing(app)
    for place, column in enumerate(("uid", "datetime", "origin", "destination"), 1):
        widget(app.selectbox, f"data_trips_{column}").set_value(f"column{place}").run()
    assert "a column for" not in missing(app)
    assert "→ Mon 7 Sep 2015 08:00<" in html_of(app)


def test_a_known_form_needs_no_choice_and_can_be_refused(open_data):
    rows = "tpep_pickup_datetime,tpep_dropoff_datetime,PULocationID,DOLocationID\n" + "".join(
        f"2015-09-0{7 + i} 08:00:00,2015-09-0{7 + i} 08:20:00,A,B\n" for i in range(3)
    )
    app = upload(open_data(), "table", "taxis_2015_09.csv", rows.encode())
    form = widget(app.toggle, "data_form_tlc")
    assert "New York" in form.label
    assert not [one for one in app.segmented_control if one.key.startswith("data_kind")]
    form.set_value(False).run()
    assert widget(app.segmented_control, "data_kind").value == "rides"


def test_what_a_form_leaves_out_is_its_own_and_its_joined_columns_are_named(open_data):
    counties = "state1,county1,state2,county2,flow\n1,1,1,3,5\n"
    app = upload(open_data(), "table", "flows_2015_09.csv", counties.encode())
    assert "state1 · Origin<" in html_of(app)
    rows = "lpep_pickup_datetime,lpep_dropoff_datetime,PULocationID,DOLocationID\n"
    rows += "2015-09-07 08:00:00,2015-09-07 08:20:00,A,B\n"
    upload(app, "table", "taxis_2015_09.csv", rows.encode())
    assert "keep the first row of a repeated place" in text(app)
    widget(app.toggle, "data_form_tlc").set_value(False).run()
    assert "keep the first row of a repeated place" not in text(app)


def test_trips_can_be_built_without_a_density_which_then_asks_nothing(open_data):
    app = filled(open_data)
    widget(app.selectbox, "data_week").set_value("").run()
    assert not [one for one in app.number_input if one.key.startswith(("data_cap", "data_mean"))]
    built(app)
    dataset = datasets.load(app.session_state["session"].datasets["trips-2015-09"])
    assert dataset.has_trips
    assert not dataset.has_density


def test_a_choice_stands_beside_a_refusal_and_mends_it(open_data):
    app = built(filled(open_data, TRIPS + b"\n,2015-09-07 08:00:00,,A,B\n"))
    assert "in 1 of 37 rows" in text(app)
    button(app, "data_choice_people").click().run()
    assert "leave out rows without a person" in text(app)
    built(app)
    assert held(app, DataState).build.result["rows"]["used"] == 21


def test_a_mark_that_may_be_of_thousands_is_asked_for_wherever_it_stands(open_data):
    above = 2_100
    rows = "origin,destination,count\n" + "A,B,1\n" * above + 'B,A,"2,345"\n'
    app = upload(open_data(), "table", "flows_2015_09.csv", rows.encode())
    upload(app, "locations", "stations.csv", PLACES)
    built(zone(app, "America/Mexico_City"))
    assert "can be a thousand or one and a fraction" in text(app)
    assert "the decimal mark" in missing(app)
    widget(app.selectbox, "data_decimal").set_value(".").run()
    built(app)
    dataset = datasets.load(app.session_state["session"].datasets["flows-2015-09"])
    assert dataset.trips.all_days.trip_count.sum() == above + 2_345


ONCE_EACH = [f"p{n},2015-09-{n % 30 + 1:02d} 08:{n:02d}:00,,A,B" for n in range(40)]
PAIRS = [(str(a), str(b)) for a in range(1, 5) for b in range(1, 5) if a != b]
FLOWS = "\n".join(["origin,destination,flow", *(f"{a},{b},5" for a, b in PAIRS)]).encode()


def zones_file(**columns) -> bytes:
    return squares(4, **columns).to_json().encode()


def test_a_guessed_person_that_looks_like_a_row_is_asked(open_data):
    app = built(filled(open_data, "\n".join([HEADER, *ONCE_EACH]).encode()))
    assert "is a value of column 'Usuario_Id' a person?" in unescape(html_of(app))
    button(app, "data_choice_people-guessed").click().run()
    app = built(app)
    build = held(app, DataState).build
    assert build.state == "finished", build.error
    assert build.result["rows"]["used"] == 40


def test_a_chosen_person_is_not_asked_about(open_data):
    header = "bikeid,Inicio_del_viaje,Fin_del_viaje,Origen_Id,Destino_Id"
    app = filled(open_data, "\n".join([header, *ONCE_EACH]).encode())
    assert "Ids of vehicles, devices and trips are not taken for people" in text(app)
    widget(app.segmented_control, "data_kind").set_value("trips").run()
    assert button(app, "data_start").disabled
    widget(app.selectbox, "data_trips_uid").set_value("bikeid").run()
    app = built(app)
    assert held(app, DataState).build.result["rows"]["used"] == 40


def test_the_rows_decide_which_column_tells_zones_and_two_that_fit_alike_are_asked(open_data):
    app = upload(open_data(), "table", "flows.csv", FLOWS)
    app = upload(app, "zones", "z.geojson", zones_file(id=[1, 2, 9, 8], code=[4, 3, 2, 1]))
    assert "The ids of your rows stand in the column “code”." in text(app)
    assert widget(app.selectbox, "data_time_zone")
    zone(app, "America/Mexico_City")
    app = upload(app, "zones", "z.geojson", zones_file(id=[1, 2, 3, 4], code=[4, 3, 2, 1]))
    assert "are in column 'id' and 'code'" in unescape(html_of(app))
    assert "a column for “Zone”" in text(app)
    widget(app.selectbox, "data_zones_zone_id").set_value("code").run()
    assert "a column for “Zone”" not in text(app)


def test_a_file_that_is_there_twice_is_counted_twice_where_that_is_chosen(open_data):
    app = open_data()
    files = [(name, FLOWS, "text/csv") for name in ("a_2024-01-01.csv", "b_2024-01-01.csv")]
    uploader(app, "table").set_value(files).run()
    app = upload(app, "zones", "z.geojson", zones_file(zone_id=list("1234")))
    assert not widget(app.toggle, "data_repeated_files").value
    widget(app.toggle, "data_repeated_files").set_value(True).run()
    app = built(zone(app, "America/Mexico_City"))
    result = held(app, DataState).build.result
    assert result["rows"]["used"] == 24
    assert "it was left out" not in json.dumps(result["notes"])
