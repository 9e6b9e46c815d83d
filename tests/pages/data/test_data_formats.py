"""Tables of the field's packages on the Data page: nothing has to be chosen."""

from engine import datasets
from tests.reference.ingest_inputs import TOWERS
from tests.support.data_page import PLACES, built, upload, widget, zone

PLACE = {name: (lat, lng) for name, lat, lng in TOWERS}


def rows(trips):
    """Points of trips, ten minutes apart, as `uid, tid, datetime, lat, lng`."""
    for number, (person, way) in enumerate(trips):
        for stop, name in enumerate(way):
            lat, lng = PLACE[name]
            yield f"{person},{number},2015-09-{7 + number:02d} 08:{10 * stop:02d}:00,{lat},{lng}"


def test_trips_by_tid_are_guessed_and_lead_from_first_to_last_point(open_data):
    trips = [("p", "ABC"), ("p", "CDA"), ("q", "AB"), ("q", "ADA"), ("r", "BCBD")]
    table = "\n".join(["uid,tid,datetime,lat,lng", *rows(trips)]).encode()
    app = upload(open_data(), "table", "trips_2015_09.csv", table)
    upload(app, "locations", "stations.csv", PLACES)
    zone(app, "America/Mexico_City")
    assert widget(app.selectbox, "data_points_tid_").value == "tid"
    (folder,) = built(app).session_state["session"].datasets.values()
    dataset = datasets.load(folder)
    ids = dataset.zones["zone_id"].tolist()
    ends = zip(dataset.trips.whole.origin, dataset.trips.whole.destination, strict=True)
    pairs = [(ids[a], ids[b]) for a, b in ends]
    assert sorted(pairs) == sorted((way[0], way[-1]) for _, way in trips if way[0] != way[-1])
