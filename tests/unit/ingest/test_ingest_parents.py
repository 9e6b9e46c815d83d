"""Coarser zones that a file names: kept for `engine.resolution`, or left out and told."""

from typing import Any

import numpy as np

from engine import resolution
from engine.ingest import ingest
from engine.ingest.inputs.places import read_places
from engine.ingest.inputs.zones import read_zones
from tests.support import ingests
from tests.support.ingests import HEADER, options, squares, write_csv

DISTRICTS = ["d1", "d1", "d2", "d2", "d3", "d3"]
Columns = dict[str, list[Any]]


def zones_file(folder, **columns):
    path = folder / "zones.geojson"
    squares(6, zone_id=[f"z{i}" for i in range(6)], **columns).to_file(path)
    return path


def trips(folder):
    rng = np.random.default_rng(1)
    rows = [
        (f"p{i % 9}", f"2015-09-{7 + i % 7:02d} {i % 24:02d}:00", f"z{a}", f"z{b}")
        for i, (a, b) in enumerate(rng.integers(0, 6, (300, 2)))
    ]
    return write_csv(folder / "t.csv", HEADER, rows)


def built(folder, columns, name="city", **changes):
    zones = zones_file(folder, **columns)
    return ingests.built(folder, trips(folder), zones=zones, out=folder / name, **changes)[0]


def names(dataset):
    return [(level.name, level.zone_count) for level in resolution.zone_levels(dataset.zones)]


def test_levels_of_usual_names_are_kept_and_resolution_offers_them(tmp_path):
    columns: Columns = {
        "Province_Code": [1, 1, 1, 1, 2, 2],
        "Province_Name": ["North"] * 4 + ["South"] * 2,
        "District": DISTRICTS,
        "population": [5, 6, 7, 8, 9, 10],
    }
    dataset = built(tmp_path, columns)
    assert names(dataset) == [("zones", 6), ("district", 3), ("province", 2)]
    assert list(dataset.zones["province_id"]) == ["1"] * 4 + ["2"] * 2
    coarse = resolution.make_view(dataset, "province")
    assert list(coarse.zones["zone_id"]) == ["1", "2"]
    assert list(coarse.zones["name"]) == ["North", "South"]
    report = (dataset.folder / "ingest.json").read_text(encoding="utf-8")
    assert "coarser zones kept, to look at the dataset by: district (3), province (2)" in report


def test_guesses_that_are_no_hierarchy_are_left_out_and_told(tmp_path):
    columns: Columns = {
        "district": DISTRICTS,
        "province": ["n", "s", "n", "n", "s", "s"],
        "region": ["e", "e", "e", "e", "w", None],
        "country": ["x"] * 6,
        "county": DISTRICTS,
    }
    zones, notes = read_zones(zones_file(tmp_path, **columns), {})
    assert [column for column in zones.columns if column.endswith("_id")] == [
        "zone_id",
        "district_id",
    ]
    assert len(notes) == 2
    assert "each district must lie in one province" in notes[0]
    assert "given: 1 zones without one" in notes[1]


def test_districts_of_stations_are_those_of_their_cells(tmp_path):
    rows = [(f"z{i}", 20.6 + (i % 2) / 100, -103.4 + i / 50, d) for i, d in enumerate(DISTRICTS)]
    places = write_csv(tmp_path / "stations.csv", ("id", "lat", "lng", "municipio"), rows[::-1])
    asked = options(tmp_path, "trips", [trips(tmp_path)], locations=places, parts=("trips",))
    dataset, _ = ingest(asked)
    assert names(dataset) == [("zones", 6), ("municipio", 3)]
    of = dict(zip(dataset.zones["zone_id"], dataset.zones["municipio_id"], strict=True))
    assert of == {f"z{i}": d for i, d in enumerate(DISTRICTS)}
    assert list(read_places(asked).towers.columns) == ["location_id", "name", "geometry"]
