"""What the Data page asks of a file that does not say it, and what it shows before a build."""

import json
from html import unescape

from pages._ui.data.builds import DataState
from tests.support.data_page import (
    TRIPS,
    built,
    button,
    filled,
    html_of,
    text,
    upload,
    widget,
    zone,
)
from tests.support.ingests import squares
from tests.support.page import held

PAIRS = [(str(a), str(b)) for a in range(1, 5) for b in range(1, 5) if a != b]
FLOWS = "\n".join(["origin,destination,flow", *(f"{a},{b},5" for a, b in PAIRS)]).encode()


def zones_file(**columns) -> bytes:
    return squares(4, **columns).to_json().encode()


def test_a_guessed_person_that_looks_like_a_row_is_asked(open_data):
    rows = [f"p{n},2015-09-{n % 30 + 1:02d} 08:{n:02d}:00,,A,B" for n in range(40)]
    app = built(filled(open_data, "\n".join([TRIPS.decode().split("\n")[0], *rows]).encode()))
    assert "is a value of column 'Usuario_Id' a person?" in unescape(html_of(app))
    button(app, "data_choice_people-guessed").click().run()
    app = built(app)
    build = held(app, DataState).build
    assert build.state == "finished", build.error
    assert build.result["rows"]["used"] == 40


def test_a_chosen_person_is_not_asked_about(open_data):
    rows = [f"p{n},2015-09-{n % 30 + 1:02d} 08:{n:02d}:00,,A,B" for n in range(40)]
    header = "bikeid,Inicio_del_viaje,Fin_del_viaje,Origen_Id,Destino_Id"
    app = filled(open_data, "\n".join([header, *rows]).encode())
    assert "Ids of vehicles, devices and trips are not taken for people" in text(app)
    widget(app.segmented_control, "data_kind").set_value("trips").run()
    assert button(app, "data_start").disabled
    widget(app.selectbox, "data_trips_uid").set_value("bikeid").run()
    app = built(app)
    assert held(app, DataState).build.result["rows"]["used"] == 40


def test_the_rows_decide_which_column_tells_zones(open_data):
    app = upload(open_data(), "table", "flows.csv", FLOWS)
    app = upload(app, "zones", "z.geojson", zones_file(id=[1, 2, 9, 8], code=[4, 3, 2, 1]))
    assert "The ids of your rows stand in the column “code”." in text(app)
    assert widget(app.selectbox, "data_time_zone")
    zone(app, "America/Mexico_City")


def test_two_columns_of_zones_that_fit_alike_are_asked(open_data):
    app = upload(open_data(), "table", "flows.csv", FLOWS)
    app = upload(app, "zones", "z.geojson", zones_file(id=[1, 2, 3, 4], code=[4, 3, 2, 1]))
    assert "are in column 'id' and 'code'" in unescape(html_of(app))
    assert "a column for “Zone”" in text(app)
    widget(app.selectbox, "data_zones_zone_id").set_value("code").run()
    assert "a column for “Zone”" not in text(app)


def test_a_file_that_is_there_twice_is_told_or_counted(open_data):
    for wanted, used in ((False, 12), (True, 24)):
        app = open_data()
        files = [(name, FLOWS, "text/csv") for name in ("a_2024-01-01.csv", "b_2024-01-01.csv")]
        next(one for one in app.get("file_uploader") if one.key.startswith("data_table")).set_value(
            files
        ).run()
        app = upload(app, "zones", "z.geojson", zones_file(zone_id=list("1234")))
        widget(app.toggle, "data_repeated_files").set_value(wanted).run()
        app = built(zone(app, "America/Mexico_City"))
        result = held(app, DataState).build.result
        assert result["rows"]["used"] == used
        assert ("it was left out" in json.dumps(result["notes"])) is not wanted
