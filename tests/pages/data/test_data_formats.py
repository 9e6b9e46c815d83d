"""Tables of the field's packages on the Data page: nothing has to be chosen."""

from engine import datasets
from tests.reference.ingest_inputs import TOWERS
from tests.support.data_page import PLACES, built, upload, widget, zone

PLACE = {name: (lat, lng) for name, lat, lng in TOWERS}


TRIPS = [("p", "ABC"), ("p", "CDA"), ("q", "AB"), ("q", "ADA"), ("r", "BCBD")]


def ways(app):
    """Build what is on the page and return origin and destination of every trip of it."""
    (folder,) = built(app).session_state["session"].datasets.values()
    dataset = datasets.load(folder)
    ids = dataset.zones["zone_id"].tolist()
    ends = zip(dataset.trips.whole.origin, dataset.trips.whole.destination, strict=True)
    return sorted((ids[a], ids[b]) for a, b in ends)


EXPECTED = sorted((way[0], way[-1]) for _, way in TRIPS if way[0] != way[-1])


def rows(trips):
    """Points of trips, ten minutes apart, as `uid, tid, datetime, lat, lng`."""
    for number, (person, way) in enumerate(trips):
        for stop, name in enumerate(way):
            lat, lng = PLACE[name]
            yield f"{person},{number},2015-09-{7 + number:02d} 08:{10 * stop:02d}:00,{lat},{lng}"


def opened(open_data, name, contents):
    app = upload(open_data(), "table", name, contents)
    upload(app, "locations", "stations.csv", PLACES)
    return zone(app, "America/Mexico_City")


def test_trips_by_tid_are_guessed_and_lead_from_first_to_last_point(open_data):
    table = "\n".join(["uid,tid,datetime,lat,lng", *rows(TRIPS)]).encode()
    app = opened(open_data, "trips_2015_09.csv", table)
    assert widget(app.selectbox, "data_points_tid_").value == "tid"
    assert not [one for one in app.number_input if one.key.startswith("data_gap_")]
    assert ways(app) == EXPECTED


def test_without_trips_a_gap_may_be_named(open_data):
    lines = [",".join(line.split(",")[:1] + line.split(",")[2:]) for line in rows(TRIPS)]
    table = "\n".join(["uid,datetime,lat,lng", *lines]).encode()
    app = opened(open_data, "trips_2015_09.csv", table)
    widget(app.number_input, "data_gap_points").set_value(30).run()
    assert ways(app) == EXPECTED
