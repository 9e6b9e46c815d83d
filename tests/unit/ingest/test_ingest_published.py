"""Files as the field publishes them and as its packages write them."""

import csv
import gzip
import io
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import h3
import numpy as np
import pytest
import shapely

from engine import report
from engine.datasets import load
from engine.errors import InputError
from engine.ingest.command import main
from engine.ingest.inputs import cells
from engine.ingest.inputs.zones import list_layers, read_zones
from engine.ingest.options import Reading
from engine.ingest.row_report import Reason
from engine.report import STOPS
from engine.report.measures import FINE_EDGES, Measure
from tests.reference import report_reference as plain
from tests.reference.ingest_reference import TRIP_PERSON, digest, seconds
from tests.support.ingests import (
    FLOWS,
    HEADER,
    NUMBER,
    SALT,
    TIMES,
    TOWERS,
    built,
    flows_of,
    refused,
    squares,
    table,
    table_bytes,
    write_csv,
)

FORMS = Path(__file__).parents[4] / "shared" / "data" / "forms"
NEW_YORK = "America/New_York"
AT_FORMS = pytest.mark.skipif(not FORMS.exists(), reason="the forms are not beside the project")


def typed(folder, *words, zone, first, last):
    """Ingest what is typed, as a person would."""
    end = ("--timezone", zone, "--from", first, "--to", last, "--out", str(folder / "o"))
    assert main([*words, *end]) == 0
    return load(folder / "o")


def lines(name, **how):
    """The rows of a form by Python's own reader."""
    raw = (FORMS / name).read_bytes()
    if name.endswith(".gz"):
        raw = gzip.decompress(raw)
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            raw = archive.read(archive.namelist()[0])
    yield from csv.DictReader(io.StringIO(raw.decode("latin-1")), **how)


def ends_of(row):
    """The hexagons of a trip's ends."""
    start, end = (
        h3.latlng_to_cell(float(row[f"{end}_lat"]), float(row[f"{end}_lng"]), 7)
        for end in ("start", "end")
    )
    return start, end


TOLD: dict[str, Callable[[dict[str, str]], tuple[str, str, float]]] = {
    "tlc": lambda row: (
        *(row["PULocationID"], row["DOLocationID"]),
        row["tpep_pickup_datetime"].startswith("2019-01"),
    ),
    "citibike": lambda row: (*ends_of(row), 1),
    "lodes": lambda row: (row["h_geocode"][:12], row["w_geocode"][:12], int(row["S000"])),
    "mitma": lambda row: (row["origen"], row["destino"], float(row["viajes"])),
    "meta": lambda row: (row["start_polygon_id"], row["end_polygon_id"], int(row["n_crisis"] or 0)),
    "spectus": lambda row: (*ends_of(row), 1),
}
"""Origin, destination and number of trips of a row, by form."""


@pytest.mark.long
@AT_FORMS
@pytest.mark.parametrize(
    ("form", "name", "zones", "zone", "first", "last"),
    [
        ("tlc", "tlc_yellow_2019-01.csv", "taxi_zones", NEW_YORK, "2019-01-01", "31"),
        ("citibike", "202301-citibike-tripdata.csv.zip", "", NEW_YORK, "2023-01-01", "31"),
        ("lodes", "dc_od_main_JT00_2020.csv.gz", "lodes_bg", NEW_YORK, "2020-01-01", "01"),
        ("mitma", "20220301_Viajes_distritos.csv.gz", "mitma", "Europe/Madrid", "2022-03-01", "01"),
        ("meta", "meta_movement.csv", "meta", "Europe/Madrid", "2020-04-05", "05"),
        ("spectus", "spectus_trajectory.csv", "", "America/Chicago", "2020-03-01", "31"),
    ],
)
def test_every_trip_of_a_known_form_is_counted(tmp_path, form, name, zones, zone, first, last):
    where = ("--zones", str(FORMS / f"{zones}.geojson")) if zones else ("--area", "data")
    period = {"zone": zone, "first": first, "last": first[:-2] + last}
    hides = ("--leave-out", "unknown-flows") if form == "meta" else ()
    dataset = typed(tmp_path, "--as", form, str(FORMS / name), *where, *hides, **period)
    known, expected = set(dataset.zones["zone_id"]), Counter[tuple[str, str]]()
    rows = list(lines(name, delimiter="|" if form == "mitma" else ","))
    hidden = {TOLD[form](row)[:2] for row in rows if row.get("n_crisis") == ""}
    for row in rows:
        origin, end, n = TOLD[form](row)
        if (origin, end) in hidden:
            continue
        if origin != end and (form not in ("tlc", "mitma") or {origin, end} <= known):
            expected[origin, end] += n
    counts = flows_of(dataset)
    assert counts.keys() <= expected.keys()
    assert all(abs(counts[pair] - n) < 1 for pair, n in expected.items())
    assert abs(counts.total() - expected.total()) <= 0.5
    assert dataset.metadata.trips_have_people == (form == "spectus")
    assert (dataset.metadata.places_public is False) == (not zones)


@pytest.mark.parametrize("by_points", [False, True])
def test_hexagons_stand_for_stations_or_cover_an_area(tmp_path, by_points):
    cell = {name: h3.latlng_to_cell(float(lat), float(lng), 7) for name, lat, lng in TOWERS}
    position = {name: (lat, lng) for name, lat, lng in TOWERS}
    pairs = [(a, b) for a in cell for b in cell] * 3
    times = [f"2015-09-{7 + number % 7:02d} 08:{number:02d}:00" for number in range(len(pairs))]
    expected = Counter((cell[a], cell[b]) for a, b in pairs if cell[a] != cell[b])
    assert len(expected) > 4
    if by_points:
        header = ("datetime", "start_lat", "start_lng", "end_lat", "end_lng")
        rows: list[Any] = [
            (at, *position[a], *position[b]) for at, (a, b) in zip(times, pairs, strict=True)
        ]
        how: dict[str, Any] = {"kind": "rides", "locations": None}
        how["area"] = area = (-103.5, 20.5, -103.2, 20.8)
    else:
        header, how = HEADER, {"hexagon_m": 2_500}
        rows = [("p", at, a, b) for at, (a, b) in zip(times, pairs, strict=True)]
    dataset, report = built(tmp_path, rows, header=header, **how)
    assert flows_of(dataset) == expected
    assert any("resolution 7, about 2,400 m across" in note for note in report.notes)
    first = {at: name for name, at in reversed(cell.items())}  # of several places in a hexagon
    named = dict(zip(dataset.zones["zone_id"], dataset.zones["name"], strict=True))
    for at, name in first.items():
        assert named[at] == (f"h3 {at}" if by_points else f"around {name}")
    if by_points:
        assert dataset.zones.intersects(shapely.box(*area)).all()
        assert dataset.zones.union_all().covers(shapely.box(*area))


def test_outlines_of_quadkeys_and_geohashes_are_theirs():
    (shape,) = cells.cells_to_zones(["u4pruyd"], "geohash").geometry
    assert shape.contains(shapely.Point(10.40744, 57.64911))
    assert shape.bounds[2] - shape.bounds[0] == pytest.approx(360 / 2**18)
    (shape,) = cells.cells_to_zones(["213"], "quadkey").geometry
    west, south, east, north = shape.bounds
    assert (west, east) == (-45, 0)
    assert south == pytest.approx(-66.513260)
    assert north == pytest.approx(-40.979898)
    for ids in (["88390ca343fffff", "89390ca3437ffff"], ["zz"]):
        with pytest.raises(InputError, match=r"several sizes|no h3 cells"):
            cells.cells_to_zones(ids, "h3")
    cell, number = "88390ca343fffff", str(h3.str_to_int("88390ca343fffff"))
    as_text, as_number = (cells.cells_to_zones([one], "h3").geometry[0] for one in (cell, number))
    assert as_text.equals(as_number)
    ring = shapely.Polygon([(lng, lat) for lat, lng in h3.cell_to_boundary(cell)])
    assert as_text.symmetric_difference(ring).area < 1e-6 * ring.area
    looks = {cell: "h3", number: "h3", "12022001101": "quadkey", "u09tv": "geohash", "A7": None}
    assert {one: cells.cell_kind([one]) for one in looks} == looks


@pytest.mark.long
@AT_FORMS
def test_a_layer_is_asked_for_where_there_are_several():
    path = FORMS / "gadm41_ESP.gpkg"
    assert list_layers(path) == ["ADM_ADM_1", "ADM_ADM_0"]
    with pytest.raises(
        InputError, match=r"2 layers: ADM_ADM_1, ADM_ADM_0\. Name the one"
    ) as caught:
        read_zones(path, {})
    assert caught.value.settings == ("layer",)
    zones, _ = read_zones(path, {"zone_id": "GID_1"}, layer="ADM_ADM_1")
    assert zones["zone_id"].str.match(r"ESP\.\d+_1").all()
    assert zones.geometry.is_valid.all()


def test_small_overlaps_go_to_the_first_and_larger_ones_are_refused(tmp_path):
    path = tmp_path / "z.gpkg"
    bow = shapely.Polygon([(0.2, 0), (0.3, 0.1), (0.3, 0), (0.2, 0.1)])
    shapes = [shapely.box(0, 0, 0.1005, 0.1), shapely.box(0.1, 0, 0.2, 0.1), bow]
    squares(3).set_geometry(shapes).to_file(path)
    zones, notes = read_zones(path, {})
    assert any("1 zones had invalid outlines" in note for note in notes)
    assert any("1 pairs of zones overlapped by at most 0.50%" in note for note in notes)
    first, second, third = zones.geometry
    assert first.intersection(second).area == pytest.approx(0, abs=1e-12)
    assert second.bounds[0] == pytest.approx(0.1005)
    assert third.is_valid
    squares(2).set_geometry([shapely.box(0, 0, 0.11, 0.1), shapes[1]]).to_file(path)
    words = r"1 pairs of zones .* more than 1% of the smaller one: z0 and z1 \(10%\)"
    with pytest.raises(InputError, match=words):
        read_zones(path, {})


def test_names_of_columns_are_given_by_position_or_in_order(tmp_path):
    body = "p1\t2015-09-07 08:00:00\tA\tB\np2\t2015-09-08 09:00:00\tB\tC\n"
    (tmp_path / "t.csv").write_text(body, encoding="utf-8")
    places = ("--locations", str(write_csv(tmp_path / "p.csv", ("id", "lat", "lng"), TOWERS)))
    period = {"zone": "America/Mexico_City", "first": "2015-09-01", "last": "2015-09-30"}
    words = ("trips", str(tmp_path / "t.csv"), *places, "--parts", "trips")
    mapped = ("--map", *(f"{name}=column{n}" for n, name in enumerate(HEADER, 1)))
    with pytest.raises(InputError, match="the file has column1, column2, column3, column4"):
        built(tmp_path, tmp_path / "t.csv", reading=Reading(header=()))
    assert flows_of(typed(tmp_path, *words, *mapped, "--no-header", **period)).total() == 2
    named = ("--no-header", *HEADER, str(tmp_path / "t.csv"))  # names end where a file begins
    assert flows_of(typed(tmp_path, "trips", *words[2:], *named, **period)).total() == 2


def test_ids_are_joined_and_padded(tmp_path):
    places = [("06037", 20.67, -103.35), ("06001", 20.68, -103.36), ("48201", 20.69, -103.34)]
    locations = write_csv(tmp_path / "p.csv", ("location_id", "lat", "lng"), places)
    header = ("State FIPS Code", "County FIPS Code", "State FIPS Code", "County FIPS Code",
              "Workers in Commuting Flow")  # fmt: skip
    rows = [("06", "037", "006", "001", "1,200"), ("6", "1", "48", "201", "3"),
            ("106", "1", "48", "201", "9")]  # fmt: skip  # there is no state 106
    path = write_csv(tmp_path / "c.csv", header, rows)
    words = ("--as", "census", str(path), "--locations", str(locations))
    dataset = typed(tmp_path, *words, zone="UTC", first="2020-01-01", last="2020-01-01")
    assert flows_of(dataset) == {("06037", "06001"): 1200, ("06001", "48201"): 3}


CHOICES: dict[str, tuple[str, str]] = {
    "repeated-places": ("A,20.67,-103.35\nA,20.99,-103.9\n", "repeats an id in 1 of 5 rows"),
    "placeless": ("A,20.67,-103.35\nE,,\n", "have no number in 1 of 5 rows"),
    "zero-places": ("A,20.67,-103.35\nE,0,0\n", "lies at 0°, 0° in 1 of 5 rows"),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_a_choice_stands_beside_each_refusal_of_places(tmp_path, choice):
    text, words = CHOICES[choice]
    more = "".join(f"{name},{lat},{lng}\n" for name, lat, lng in TOWERS[1:])
    path = tmp_path / "p.csv"
    path.write_text(f"location_id,lat,lng\n{text}{more}", encoding="utf-8")
    error = refused(tmp_path, words, locations=path)
    assert (error.code, error.settings) == (choice, ("leave_out",))
    assert "the first in row 2" in str(error)
    dataset, report = built(tmp_path, locations=path, leave_out=(choice,))
    assert sorted(dataset.zones["zone_id"]) == ["A", "B", "C", "D"]
    assert any(note.startswith("1 of 5 places: ") for note in report.notes)


def test_ids_that_lost_digits_stay_refused(tmp_path):
    rows = [("1.2E+11", "2015-09-07", "A", "B"), ("", "2015-09-07", "A", "B"),
            ("p", "soon", "A", "B"), ("p", "2015-09-07", "A", "B")]  # fmt: skip
    both = ("people", "unreadable")
    lost = refused(tmp_path, "lost digits in 1 of 4 rows", rows, leave_out=both)
    assert lost.code == "lost-digits"
    assert refused(tmp_path, "first in row 1", rows[1:], leave_out=both[1:]).code == "people"
    assert refused(tmp_path, "first in row 1", rows[2:], leave_out=both[:1]).code == "unreadable"
    assert built(tmp_path, rows[1:], leave_out=both)[1].rows.rows_used == 1


POINTS = ("uid", "tid", "datetime", "lat", "lng")
"""Trips of dp_mobility_report and scikit-mobility: rows are points, a trip has a `tid`."""
RIDES = (
    *("ride_id", "rideable_type", "started_at", "ended_at", "start_station_name"),
    *("start_station_id", "end_station_name", "end_station_id"),
    *("start_lat", "start_lng", "end_lat", "end_lng", "member_casual"),
)
PLACE = {name: (lat, lng) for name, lat, lng in TOWERS}


def journeys(count=120):
    """Trips of a few people by way of two to four places; numbers of trips are a person's own."""
    rng = np.random.default_rng(3)
    return [
        (
            f"p{i % 9}",
            i // 9,
            datetime(2015, 9, 1) + timedelta(minutes=int(rng.integers(0, 30 * 1_440 - 60))),
            [str(name) for name in rng.choice(list(PLACE), int(rng.integers(2, 5)))],
        )
        for i in range(count)
    ]


def points():
    """The points of all trips, in no order."""
    rows = [
        (uid, tid, str(start + timedelta(minutes=7 * n)), *PLACE[name])
        for uid, tid, start, way in journeys()
        for n, name in enumerate(way)
    ]
    return [rows[i] for i in np.random.default_rng(4).permutation(len(rows))]


def test_a_trip_is_its_first_and_its_last_point(tmp_path):
    """The same tables as from a table of trips with the ends written out."""
    ends = [
        (uid, start, start + timedelta(minutes=7 * (len(way) - 1)), way[0], way[-1])
        for uid, _, start, way in journeys()
    ]
    dataset, summary = built(tmp_path, points(), kind="visits", header=POINTS, memory="1GB")
    expected, _ = built(tmp_path, ends, header=TIMES, out=tmp_path / "trips")
    for name in ("trips", "trips_person", "report"):
        assert table_bytes(dataset.folder, name) == table_bytes(expected.folder, name), name
    assert any("first to the last point" in note for note in summary.notes)
    assert summary.trips is not None
    assert summary.trips.rows_unused[Reason.SELF_TRIP] == sum(w[0] == w[-1] for *_, w in journeys())
    assert report.truth(dataset).counts(Measure.TRAVEL_TIME, None).sum() > 0
    assert summary.rows.rows_used == len(set(points()))


FIRST, SECOND = date(2015, 9, 1), date(2015, 9, 2)


def test_fractions_are_rounded_once_and_keep_totals(tmp_path):
    rng = np.random.default_rng(5)
    names = list(PLACE)
    rows = [
        (f"2015-09-{day:02}", str(a), str(b), round(float(rng.gamma(0.4, 1.7)), 3))
        for day in (1, 2, 3)
        for a in names
        for b in names
        if a != b
        for _ in range(2)
    ]
    how = {"kind": "flows", "header": ("date", *FLOWS)}
    dataset, summary = built(tmp_path, rows, **how)
    turned = [rows[i] for i in rng.permutation(len(rows))]
    again, _ = built(tmp_path, turned, out=tmp_path / "again", **how)
    counts = table(dataset.folder, "trips")
    assert counts == table(again.folder, "trips")
    exact: dict[tuple[date, str, str], Decimal] = {}
    for day, a, b, n in rows:
        key = (date.fromisoformat(day), a, b)
        exact[key] = exact.get(key, Decimal(0)) + Decimal(str(n))
    for key, n in exact.items():
        assert abs(counts.get((*key, 1), 0) - n) < 1
    for day in {key[0] for key in exact}:
        of_day = sum(n for key, n in exact.items() if key[0] == day)
        assert abs(sum(n for key, n in counts.items() if key[0] == day) - of_day) <= Decimal("0.5")
        for a in names:  # runs of flows are kept too: zones lie in the order of their names
            leaving = sum(n for key, n in exact.items() if key[:2] == (day, a))
            kept = sum(n for key, n in counts.items() if key[:2] == (day, a))
            assert abs(kept - leaving) < 1
    (said,) = (note for note in summary.notes if "rounded once" in note)
    assert "protects one whole trip of this table" in said


def test_whole_counts_stay_as_they_are_beside_fractions(tmp_path):
    rows = [("A", "B", 7), ("A", "C", "0.4"), ("B", "A", 12), ("B", "C", "0.4"), ("C", "A", 3)]
    dataset, summary = built(tmp_path, rows, kind="flows")
    assert any("all flows are dated 2015-09-01" in note for note in summary.notes)
    counts = {key[1:3]: n for key, n in table(dataset.folder, "trips").items()}
    assert counts == {("A", "B"): 7, ("B", "A"): 12, ("B", "C"): 1, ("C", "A"): 3}
    half = [("A", "B", "2.05"), ("A", "C", "0.45")]  # a float's 2.05 is a little less
    dataset, _ = built(tmp_path, half, kind="flows", out=tmp_path / "half")
    assert sorted(table(dataset.folder, "trips").values()) == [1, 2]


def test_rides_without_people_are_single_trips(tmp_path):
    rest = (20.6, -103.3, 20.7, -103.4, "member")
    rows = [
        (f"R{i}", "classic", f"2015-09-0{day} 08:00:00", "", "x", a, "y", b, *rest)
        for i, (day, a, b) in enumerate([(1, "A", "B"), (1, "A", "B"), (2, "B", "C")])
    ]
    again = [*rows, rows[0]]
    dataset, summary = built(tmp_path, again, kind="rides", header=RIDES)
    assert table(dataset.folder, "trips") == {(FIRST, "A", "B", 1): 2, (SECOND, "B", "C", 1): 1}
    assert not dataset.metadata.trips_have_people
    assert any("trips alone are protected" in note for note in summary.notes)
    how = {"mapping": {"tid": ""}, "out": tmp_path / "unnamed"}  # then alike rows are two trips
    dataset, _ = built(tmp_path, again, kind="rides", header=RIDES, **how)
    assert table(dataset.folder, "trips")[FIRST, "A", "B", 1] == 3


DAYS = 30
PLACES = [plain.Place(lat, lng, number) for number, (_, lat, lng) in enumerate(TOWERS)]
PLACE_NAMES = [*(name for name, _, _ in TOWERS), "nowhere"]


@pytest.fixture(scope="module")
def rows():
    """Trips of forty people; some without an end, some to nowhere, some before the period."""
    rng = np.random.default_rng(2)
    trips: list[tuple[str, ...]] = []
    for _ in range(1_500):
        start = datetime(2015, 8, 29) + timedelta(seconds=int(rng.integers(0, 34 * 86_400)))
        finish = start + timedelta(seconds=int(rng.exponential(1500)))
        ends = rng.choice(PLACE_NAMES, 2, p=(0.3, 0.3, 0.2, 0.15, 0.05))
        end = "" if rng.random() < 0.1 else str(finish)
        trips.append((f"p{int(40 * rng.random() ** 2)}", str(start), end, *map(str, ends)))
    return [*trips, *trips[:20]]


def people_of(rows):
    """Each person's trips in the order of the keyed hash that ranks them."""
    hashed: dict[str, list[tuple[str, plain.Trip]]] = {}
    for uid, start, finish, origin, destination in set(rows):
        places = [NUMBER.get(origin), NUMBER.get(destination)]
        times = [datetime.fromisoformat(at) if at else None for at in (start, finish)]
        parts = [seconds(at) for at in times] + [-1 if at is None else at for at in places]
        key = digest(SALT, TRIP_PERSON, uid, *parts)
        hashed.setdefault(uid, []).append((key, plain.Trip(*times, *places)))
    return [[trip for _, trip in sorted(own, key=lambda p: p[0])] for own in hashed.values()]


def test_ingest_counts_what_the_definitions_say_for_every_m(tmp_path, rows):
    table = report.truth(built(tmp_path, rows, header=TIMES)[0])
    people = people_of(rows)
    for kept in (*STOPS, None):
        expected = plain.Report(people, PLACES, len(TOWERS), FIRST, DAYS, kept)
        counts = {measure: table.counts(measure, kept) for measure in Measure}
        assert counts[Measure.DAY].tolist() == expected.by_day()
        assert counts[Measure.HOUR].tolist() == expected.by_hour()
        assert counts[Measure.ZONE].tolist() == expected.by_zone()
        assert counts[Measure.FLOW].tolist() == expected.flows()
        for measure, values, slack in (
            (Measure.TRAVEL_TIME, expected.travel_minutes(), 0),
            (Measure.JUMP_LENGTH, expected.jumps_km(), 2),
            (Measure.GYRATION, expected.gyrations_km(), 2),
        ):
            fine = plain.histogram(values, FINE_EDGES[measure][:200].tolist())
            head = np.append(counts[measure][:200], counts[measure][200:].sum())
            head = head[: len(fine)]
            # metres are rounded: a value on an edge may fall on its other side
            assert np.abs(head - np.array(fine)[: len(head)]).sum() <= slack, (measure, kept)


def test_trips_found_between_sightings_have_no_travel_times(tmp_path):
    sightings = [
        ("p", f"2015-09-0{day} {hour:02}:00:00", PLACE_NAMES[(day + hour) % 3])
        for day in (1, 2)
        for hour in range(8, 18)
    ]
    dataset, _ = built(tmp_path, sightings, kind="visits")
    table = report.truth(dataset)
    assert not table.has_travel_times
    assert table.counts(Measure.DAY, None).sum() == 18
    assert table.counts(Measure.ZONE, None).sum() == 36
