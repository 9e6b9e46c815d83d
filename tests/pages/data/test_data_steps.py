"""The Data page's steps before a build: what it asks, warns of and offers."""

import json

from shapely import box
from shapely.geometry import mapping

from engine import datasets
from tests.reference.ingest_inputs import TOWERS
from tests.support.data_page import HEADER, PLACES, TRIPS, built, button, text, upload, widget, zone

POINTS = "user,timestamp,latitude,longitude\n" + "".join(
    f"{i % 5},2015-09-{7 + i % 7:02d} 08:{i:02d}:00,{TOWERS[i % 4][1]},{TOWERS[i % 4][2]}\n"
    for i in range(40)
)
ZONES = json.dumps(
    {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"zone_id": name, "district": district, "half": half},
                "geometry": mapping(box(west, 20.6, west + 0.01, 20.7)),
            }
            for name, district, half, west in (
                ("A", "w", "l", -103.40),
                ("B", "w", "r", -103.39),
                ("C", "x", "r", -103.38),
                ("D", "x", "r", -103.37),
            )
        ],
    }
).encode()
SWAPPED = POINTS.replace("latitude,longitude", "longitude,latitude")


def missing(app) -> str:
    return next((c.value for c in app.caption if c.value.startswith("Still needed")), "")


def test_a_grid_is_laid_over_an_area_where_there_are_no_places(open_data):
    app = upload(open_data(), "table", "gps_2015_09.csv", POINTS.encode())
    assert "the area of a grid" in missing(app)
    button(app, "data_area").click().run()
    edges = [one.value for one in app.number_input if "edge" in one.key]
    assert edges == [-103.4, 20.65, -103.3, 20.7]
    assert not missing(app)
    assert "zones**, half of them smaller than" in text(app)
    assert not button(app, "data_start").disabled
    assert [one.label for one in app.selectbox if one.key.startswith("data_public")] == [
        "Are the places public?"
    ]


def test_swapped_coordinates_are_seen_at_once(open_data):
    app = upload(open_data(), "table", "gps_2015_09.csv", SWAPPED.encode())
    assert "Longitude and latitude seem swapped" in text(app)
    assert "the right way round" in missing(app)
    assert button(app, "data_start").disabled


def test_columns_without_a_usual_name_are_asked_for_not_quoted(open_data):
    app = upload(open_data(), "table", "t.csv", b"alice,house,work,monday\nbob,house,work,monday\n")
    warning = next(w.value for w in app.warning if "usual" in w.value)
    assert "None of the 4 column names is a usual one" in warning
    assert "alice" not in warning


def test_every_file_is_read_with_the_separator_that_was_chosen(open_data):
    head = "uid|datetime|origin|destination|a,b,c,d,e,f"
    row = "1|2015-09-07 08:00:00|A|B|1,2,3,4,5,6"
    app = upload(open_data(), "table", "t_2015_09.csv", f"{head}\n{row}\n".encode())
    widget(app.selectbox, "data_delimiter").set_value("|").run()
    upload(app, "locations", "stations.csv", PLACES)
    assert not app.exception, app.exception
    assert "tables that can be read" not in missing(app)
    assert "Cannot be read" not in text(app)


def test_more_zones_than_can_be_shown_are_offered_coarser_with_the_numbers(open_data):
    places = "id,latitude,longitude\n" + "".join(
        f"{i},{20 + i // 60 / 100:.2f},{-103 - i % 60 / 100:.2f}\n" for i in range(5_100)
    )
    app = upload(
        open_data(), "table", "t_2015_09.csv", f"{HEADER}\n1,2015-09-07 08:00:00,,1,2\n".encode()
    )
    upload(app, "locations", "places.csv", places.encode())
    assert "5,100 zones, more than 5,000" in text(app)
    assert "coarser zones" in missing(app)
    widget(app.segmented_control, "data_zoning").set_value("clusters").run()
    assert "**30 zones**" in text(app)
    assert "coarser zones" not in missing(app)


def test_coarser_zones_of_the_file_are_kept_offered_and_refused_where_they_do_not_nest(open_data):
    app = upload(open_data(), "table", "trips_2015_09.csv", TRIPS)
    upload(app, "zones", "zones.geojson", ZONES)
    assert widget(app.multiselect, "data_parents").value == ["district"]
    assert "Coarser zones kept: district (2)" in text(app)
    widget(app.multiselect, "data_parents").set_value(["district", "half"]).run()
    assert "each half must lie in one district, and 1 lie in several" in text(app)
    assert "coarser zones" in missing(app)
    widget(app.multiselect, "data_parents").set_value(["half"]).run()
    assert "Coarser zones kept: half (2)" in text(app)
    widget(app.segmented_control, "data_zoning").set_value("parents").run()
    widget(app.selectbox, "data_parent").set_value("half").run()
    assert "**2 zones**" in text(app)
    zone(app, "America/Mexico_City")
    built(app)
    dataset = datasets.load(app.session_state["session"].datasets["trips-2015-09"])
    assert list(dataset.zones["zone_id"]) == ["l", "r"]
