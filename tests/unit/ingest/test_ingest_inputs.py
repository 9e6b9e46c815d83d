"""The other inputs: visits by id and by coordinates, flows, zone files, times of every kind."""

import json
import tomllib
import zipfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine import report as mobility, resolution
from engine.errors import InputError
from engine.ingest import preview_table
from engine.ingest.inputs import column_mapping
from engine.ingest.inputs.hexagons import bounding_area, coarsen_to_hexagons
from engine.ingest.inputs.places import Places, locate_points, read_places
from engine.ingest.inputs.zones import read_zones
from engine.ingest.row_report import Reason
from tests.reference import ingest_reference as reference
from tests.support.ingests import (
    BOTH,
    HEADER,
    NUMBER,
    TOWERS,
    built,
    options,
    refused,
    squares,
    table,
    write_csv,
    write_parquet,
    write_zones,
)

NAMES = [name for name, _, _ in TOWERS]


def four_zones():
    """The last one in two parts."""
    zones = squares(zone_id=["z3", "z1", "z2", "z4"], name=["<b>x</b>", "=1+1", "", "d"])
    zones.loc[3, "geometry"] = zones.geometry[3] - shapely.box(-104, 20.65, -103, 20.68)
    return zones


def save_zones(folder, kind):
    frame, path = four_zones(), folder / f"zones.{kind}"
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind == "zip":
        frame.to_crs("EPSG:32613").to_file(folder / "zones.shp")
        with zipfile.ZipFile(path, "w") as archive:
            for part in folder.glob("zones.[!z]*"):
                archive.write(part, part.name)
                archive.writestr(f"__MACOSX/._{part.name}", b"\0")
    else:
        frame.to_file(path)
    return path


@pytest.mark.parametrize("kind", ["geojson", "gpkg", "zip", "parquet"])
def test_all_four_kinds_of_zone_files(tmp_path, kind):
    zones, _ = read_zones(save_zones(tmp_path, kind), {})
    assert list(zones["zone_id"]) == ["z1", "z2", "z3", "z4"]
    assert zones["name"][2] == "<b>x</b>"
    assert zones["name"][1] == "z2"
    expected = four_zones().set_index("zone_id").geometry
    for zone, shape in zip(zones["zone_id"], zones.geometry, strict=True):
        assert shape.symmetric_difference(expected[zone]).area < 1e-9


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (four_zones().assign(zone_id="a"), ("repeats an id", "3 of 4", "rows 2, 3, 4")),
        (four_zones().assign(zone_id=["a", "", "c", "d"]), ("empty", "row 2")),
        (four_zones().set_crs(None, allow_override=True), ("coordinate reference system",)),
        (four_zones().set_geometry(four_zones().representative_point()), ("no polygons", "4 of 4")),
        (four_zones().iloc[:0], ("0 rows",)),
    ],
)
def test_bad_zones_are_refused(tmp_path, frame, words):
    path = tmp_path / "zones.parquet"
    frame.to_parquet(path)
    with pytest.raises(InputError) as caught:
        read_zones(path, {})
    assert all(word in str(caught.value) for word in ("zones.parquet", *words)), caught.value


def test_a_zone_without_a_shape_is_named_and_left_out_if_chosen(tmp_path):
    frame, path = squares(4), tmp_path / "zones.geojson"
    frame.loc[2, "geometry"] = None
    frame.loc[3, "geometry"] = shapely.Polygon()
    frame.to_file(path)
    flows, how = [("z0", "z1", 5), ("z1", "z2", 7)], {"kind": "flows", "zones": path}
    error = refused(tmp_path, "in 2 of 4 zones: z2, z3. Give each one, or", flows, **how)
    assert error.code == "placeless"
    dataset, report = built(tmp_path, flows, leave_out=("placeless",), **how)
    assert (len(dataset.zones), report.rows.rows_used) == (2, 1)
    assert "2 of 4 zones without a polygon were left out" in report.notes


@pytest.mark.parametrize("ids", [(1001, 1002), (0, 1), ("z0", "z1")])
def test_ids_beside_the_geometry_are_those_of_zones_without_others(tmp_path, ids):
    document = json.loads(squares(2, pop=[5, 6]).to_json(drop_id=True))
    for feature, own in zip(document["features"], ids, strict=True):
        feature["id"] = own
    (tmp_path / "z.geojson").write_text(json.dumps(document))
    zones, notes = read_zones(tmp_path / "z.geojson", {})
    assert zones["zone_id"].tolist() == list(map(str, ids))
    assert isinstance(ids[0], str) or "zones are identified by the column 'feature id'" in notes[0]
    for feature in document["features"]:
        feature["properties"]["geo_code"] = f"g{feature['id']}"
    (tmp_path / "z.geojson").write_text(json.dumps(document))
    expected = ids if isinstance(ids[0], str) else [f"g{own}" for own in ids]
    assert read_zones(tmp_path / "z.geojson", {})[0]["zone_id"].tolist() == list(expected)


def test_coordinates_fall_in_zones_or_near_towers(tmp_path):
    zones = four_zones().sort_values("zone_id", ignore_index=True)
    towers = gpd.GeoDataFrame(
        {"location_id": NAMES, "name": NAMES},
        geometry=gpd.points_from_xy([-103.39, -103.37, -103.35, -103.33], [20.65] * 4),
        crs="EPSG:4326",
    )
    places = Places(towers, zones, np.array([2, 0, 1, 3], dtype=np.int32))
    rng = np.random.default_rng(0)
    lat = np.r_[rng.uniform(20.59, 20.71, 300), 20.65, 20.65]
    lng = np.r_[rng.uniform(-103.41, -103.31, 300), -103.38, -103.30]
    points = pa.table({"lat": lat, "lng": lng})
    placed = locate_points(points, places).to_pylist()
    metres = towers.to_crs("EPSG:32613").geometry
    for row, point in zip(placed, gpd.points_from_xy(lng, lat, crs="EPSG:4326"), strict=True):
        away = metres.distance(gpd.GeoSeries([point], crs="EPSG:4326").to_crs("EPSG:32613")[0])
        inside = [i for i, shape in enumerate(zones.geometry) if shape.intersects(point)]
        nearest, distance = int(away.argmin()), float(away.min())
        if abs(distance - 1000) < 2:
            continue
        if inside:
            assert row["zone"] == inside[0]
            assert row["location"] == nearest
        elif distance <= 1000:
            assert (row["location"], row["zone"]) == (nearest, places.zone_of_tower[nearest])
        else:
            assert (row["location"], row["zone"]) == (None, None)


def test_visits_by_coordinates_alone(tmp_path):
    rng = np.random.default_rng(2)
    places = rng.uniform((20.58, -103.4), (20.72, -103.3), (200, 2))
    rows = [
        (f"p{i % 7}", str(datetime(2015, 9, 7) + timedelta(minutes=37 * i)), *place)
        for i, place in enumerate(places.tolist())
    ]
    zones = save_zones(tmp_path, "geojson")
    how = {"kind": "visits", "zones": zones, **BOTH}
    header = ("uid", "datetime", "latitude", "longitude")
    dataset, report = built(tmp_path, rows, header=header, **how)
    inside = [
        any(shape.intersects(shapely.Point(lng, lat)) for shape in four_zones().geometry)
        for _, _, lat, lng in rows
    ]
    assert report.rows.rows_unused[Reason.OUTSIDE_AREA] == len(rows) - sum(inside)
    assert report.rows.rows_used == sum(inside)
    assert set(dataset.towers["location_id"]) == {"z1", "z2", "z3", "z4"}
    with pytest.raises(InputError, match=r"lat.* cannot be read in 200 of 200 rows"):
        built(tmp_path, rows, header=(*header[:2], *header[:1:-1]), **how)


def test_flows_have_no_people(tmp_path):
    rows = [
        ("A", "B", 5, "2015-09-01"),
        ("A", "B", 7, "2015-09-01"),
        ("B", "A", 3, "2015-09-02"),
        ("A", "A", 9, "2015-09-02"),
        ("A", "X", 2, "2015-09-02"),
        ("A", "C", 4, "2016-09-02"),
    ]
    header = ("origin", "destination", "count", "date")
    dataset, report = built(tmp_path, rows, kind="flows", header=header)
    assert table(dataset.folder, "trips") == {
        (date(2015, 9, 1), "A", "B", 1): 12,
        (date(2015, 9, 2), "B", "A", 1): 3,
    }
    assert not dataset.metadata.trips_have_people
    assert not dataset.has_person_ranks
    assert not dataset.has_density
    assert not mobility.has_report(dataset)
    assert (report.rows.rows_read, report.rows.rows_used) == (6, 3)
    assert any(note.startswith("3 rows are of 2 flows") for note in report.notes)


def moments():
    """Every half hour around both changes of the clock in Paris, 2015."""
    starts = (datetime(2015, 3, 28, tzinfo=UTC), datetime(2015, 10, 24, tzinfo=UTC))
    return [start + timedelta(minutes=30 * i) for start in starts for i in range(96)]


@pytest.mark.parametrize("monday", [date(2015, 3, 23), date(2015, 10, 19)])
def test_hours_of_the_week_are_right_when_the_clock_changes(tmp_path, monday):
    zone = ZoneInfo("Europe/Paris")
    times = moments()
    wall = [t.astimezone(zone).replace(tzinfo=None) for t in times]
    forms = {
        "epoch": [int(t.timestamp()) for t in times],
        "instant": pa.array(times, pa.timestamp("ms", tz="UTC")),
        "wall": pa.array(wall, pa.timestamp("us")),
    }
    paths = []
    for form, starts in forms.items():
        columns = {"datetime": starts, "location_id": ["A"] * len(times)}
        columns["uid"] = [f"{form} {number}" for number in range(len(times))]
        paths.append(write_parquet(tmp_path / f"{form}.parquet", len(times), **columns))
    days = {"first_day": date(2015, 3, 1), "last_day": date(2015, 10, 31), "week": monday}
    how = {"kind": "visits", "parts": ("density",), "mapping": {"uid": "uid"}}
    dataset, _ = built(tmp_path, *paths, time_zone="Europe/Paris", **how, **days)
    hours = [reference.hour_of_week(at, monday) for at in wall]
    expected = len(forms) * np.bincount([h for h in hours if h is not None], minlength=168)
    np.testing.assert_array_equal(dataset.truth_by_tower[NUMBER["A"]], expected)


def test_ids_of_places_count_before_coordinates_unless_those_were_chosen(tmp_path):
    away = [("p1", "2015-09-07 08:00:00", "A", "B", 0, 0, 0, 0)]
    header = (*HEADER, *column_mapping.DEGREES[2:])
    assert built(tmp_path, away, header=header)[1].rows.rows_used == 1
    chosen = {name: name for name in column_mapping.DEGREES[2:]}
    with pytest.raises(InputError, match="outside"):
        built(tmp_path, away, header=header, mapping=chosen)


def test_an_id_of_visits_numbers_the_rows():
    guessed = {"uid": "user", "datetime": "time", "lat": "lat", "lng": "lon"}
    assert column_mapping.guess_columns("visits", ["id", *guessed.values()]) == guessed


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_preview_shows_rows_and_guesses_columns(tmp_path, ending):
    columns = {"user": ["p1", "p2", "x" * 500], "time": ["2015-09-07"] * 3, "tower": ["A"] * 3}
    path = tmp_path / f"v.{ending}"
    if ending == "csv":
        write_csv(path, list(columns), zip(*columns.values(), strict=True))
    else:
        pq.write_table(pa.table(columns), path)
    seen = preview_table(path, rows=2)
    assert seen.rows == [["p1", "2015-09-07", "A"], ["p2", "2015-09-07", "A"]]
    guessed = {"uid": "user", "datetime": "time", "location_id": "tower"}
    assert column_mapping.guess_columns("visits", seen.source.columns) == guessed
    assert len(preview_table(path).rows[2][0]) == 80


PLACES = tomllib.loads(Path(__file__).with_name("places.toml").read_text("utf-8"))


@pytest.mark.parametrize("form", PLACES)
def test_places_are_read_as_they_are_meant(tmp_path, form):
    text, lat, lng = PLACES[form].values()
    path = tmp_path / "p.csv"
    path.write_text(text, encoding="utf-8")
    towers = read_places(options(tmp_path, "trips", [path], locations=path)).towers
    assert towers["location_id"].tolist() == ["A", "B", "C"][: len(lat)]
    assert towers.geometry.y.tolist() == lat
    assert towers.geometry.x.tolist() == lng


def test_the_area_leaves_single_points_far_away_out():
    inside = np.arange(400) / 10_000
    points = {"lat": [*(20.651 + inside), 0], "lng": [*(-103.399 + inside), 0]}
    assert bounding_area(pa.table(points)) == (-103.4, 20.65, -103.35, 20.7)
    with pytest.raises(InputError, match="no row has coordinates"):
        bounding_area(pa.table({"lat": [], "lng": []}))


SIX = [f"z{i}" for i in range(6)]
DISTRICTS = ["d1", "d1", "d2", "d2", "d3", "d3"]


def trips_between_six(folder):
    rng = np.random.default_rng(1)
    rows = [
        (f"p{i % 9}", f"2015-09-{7 + i % 7:02d} {i % 24:02d}:00", f"z{a}", f"z{b}")
        for i, (a, b) in enumerate(rng.integers(0, 6, (300, 2)))
    ]
    return write_csv(folder / "t.csv", HEADER, rows)


def level_sizes(dataset):
    return [(level.name, level.zone_count) for level in resolution.zone_levels(dataset.zones)]


def test_levels_of_usual_names_are_kept_and_resolution_offers_them(tmp_path):
    columns = {
        "Province_Code": [1, 1, 1, 1, 2, 2],
        "Province_Name": ["North"] * 4 + ["South"] * 2,
        "District": DISTRICTS,
        "population": [5, 6, 7, 8, 9, 10],
    }
    zones = write_zones(tmp_path, 6, zone_id=SIX, **columns)
    dataset, _ = built(tmp_path, trips_between_six(tmp_path), zones=zones)
    assert level_sizes(dataset) == [("zones", 6), ("district", 3), ("province", 2)]
    assert list(dataset.zones["province_id"]) == ["1"] * 4 + ["2"] * 2
    coarse = resolution.make_view(dataset, "province")
    assert list(coarse.zones["zone_id"]) == ["1", "2"]
    assert list(coarse.zones["name"]) == ["North", "South"]
    report = (dataset.folder / "ingest.json").read_text(encoding="utf-8")
    assert "coarser zones available: district (3), province (2)" in report


def test_guesses_that_are_no_hierarchy_are_left_out_and_told(tmp_path):
    columns = {
        "district": DISTRICTS,
        "province": ["n", "s", "n", "n", "s", "s"],
        "region": ["e", "e", "e", "e", "w", None],
        "country": ["x"] * 6,
        "county": DISTRICTS,
    }
    zones, notes = read_zones(write_zones(tmp_path, 6, zone_id=SIX, **columns), {})
    kept = [column for column in zones.columns if column.endswith("_id")]
    assert kept == ["zone_id", "district_id"]
    assert len(notes) == 2
    assert "each district must lie in one province" in notes[0]
    assert "given: 1 zones without one" in notes[1]


def test_districts_of_stations_are_those_of_their_cells(tmp_path):
    rows = [(f"z{i}", 20.6 + (i % 2) / 100, -103.4 + i / 50, d) for i, d in enumerate(DISTRICTS)]
    places = write_csv(tmp_path / "stations.csv", ("id", "lat", "lng", "municipio"), rows[::-1])
    dataset, _ = built(tmp_path, trips_between_six(tmp_path), locations=places)
    assert level_sizes(dataset) == [("zones", 6), ("municipio", 3)]
    of = dict(zip(dataset.zones["zone_id"], dataset.zones["municipio_id"], strict=True))
    assert of == {f"z{i}": d for i, d in enumerate(DISTRICTS)}
    read = read_places(options(tmp_path, "trips", [places], locations=places))
    assert list(read.towers.columns) == ["location_id", "name", "geometry"]


def test_places_that_share_coordinates_are_counted_in_the_account(tmp_path):
    path = tmp_path / "places.csv"
    path.write_text("id,lat,lng\nA,20.6,-103.3\nB,20.7,-103.3\nC,20.7,-103.3\n")
    asked = options(tmp_path, "trips", [path], locations=path)
    (note,) = (note for note in read_places(asked).notes if "Voronoi" in note)
    assert "3 places give 2 zones, because 2 places share coordinates, such as B and C" in note
    assert not any("share" in note for note in coarsen_to_hexagons(read_places(asked), 2e3).notes)
