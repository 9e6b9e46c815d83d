"""A twin is made of what is stated, by draws that hold what they are asked for."""

import json
import math
import tomllib
from dataclasses import replace
from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given, settings, strategies as st

from engine import datasets, density, origin_destination as od, report
from engine.datasets import storage
from engine.errors import ExplorerError, InputError, ParameterError
from engine.report.measures import Measure
from engine.synthetic import twin_command as command
from engine.synthetic.sampling import RowDistributions, heavy_tailed_distribution, position_within
from engine.synthetic.twin import twin
from engine.synthetic.twin_files import read_twin_zones
from engine.synthetic.twin_inputs import ASSUMED_FACTS, TwinInputs, count_trips, format_inputs
from engine.synthetic.twin_people import chunk_size

PEOPLE = 30_000
RESIDENTS = (100, 0, 300, 200, 50, 350)


@pytest.fixture(scope="module")
def zones():
    """Six squares of 11 km in two rows; one name is a formula of a spreadsheet."""
    squares = [shapely.box(x, y, x + 0.1, y + 0.1) for y in (0.0, 0.1) for x in (0.0, 0.1, 0.2)]
    names = ["A", "B", "=1+1", "D", "E", "F"]
    columns = {"zone_id": list("abcdef"), "name": names, "residents": RESIDENTS}
    return gpd.GeoDataFrame(columns, geometry=squares, crs=4326)


@pytest.fixture(scope="module")
def town(zones, tmp_path_factory):
    folder = tmp_path_factory.mktemp("twin") / "town"
    return twin(zones, TwinInputs(people=PEOPLE, trips_a_day=1.5), folder)


def test_people_live_where_residents_are_and_travel_as_often_as_stated(town):
    homes = np.asarray(town.homes)
    share = np.array(RESIDENTS) / sum(RESIDENTS)
    assert homes.sum() == PEOPLE
    assert homes[1] == 0
    assert np.abs(homes / PEOPLE - share).max() < 4 * math.sqrt(0.25 / PEOPLE)
    trips = od.truth(town)
    assert trips.sum() / PEOPLE / 7 == pytest.approx(1.5, rel=0.05)
    assert not np.diagonal(trips, axis1=1, axis2=2).any()
    assert trips[5].sum() != trips[0].sum(), "days differ by the weekday's rhythm"


def test_a_trip_is_counted_once_a_day_and_once_a_person(town):
    by_day, by_person = town.trips.all_days, town.trips_by_person.all_days
    together = np.zeros((2, 7, 6, 6), dtype=np.int64)
    for place, table in enumerate((by_day, by_person)):
        np.add.at(together[place], (table.day, table.origin, table.destination), table.trip_count)
    assert np.array_equal(together[0], together[1])
    assert by_day.trip_count[by_day.rank == 1].sum() < PEOPLE * 7
    travellers = by_person.trip_count[by_person.rank == 1].sum()
    assert travellers < 0.9 * PEOPLE + 300, "a tenth never travels"


def test_most_trips_take_their_way_and_none_ends_before_it_begins(town):
    minutes = report.truth(town).counts(Measure.TRAVEL_TIME, None)
    assert minutes[0] == 0, "below 0 minutes"
    assert minutes.sum() == od.truth(town).sum()
    assert minutes.argmax() - 1 == 41, "11.1 km to the next square, 5 m a second, and 4 minutes"


def test_days_out_and_travellers_are_as_many_as_stated(zones, tmp_path, monkeypatch):
    """On a day with any there are `outing` trips; of those who travel few stay at home all week."""
    monkeypatch.setitem(ASSUMED_FACTS, "outing", 4.0)
    monkeypatch.setitem(ASSUMED_FACTS, "spread", 0.1)
    facts = {"people": PEOPLE, "trips_a_day": 0.4, "travellers": 0.3, "visits_a_week": 0}
    town = twin(zones, TwinInputs(**facts), tmp_path / "town")
    by_day, by_person = town.trips.all_days, town.trips_by_person.all_days
    days_out = by_day.trip_count[by_day.rank == 1].sum()
    assert by_day.trip_count.sum() / days_out == pytest.approx(4.0, rel=0.03)
    stay = (1 - 0.4 / 0.3 / 4.0) ** 7
    share = by_person.trip_count[by_person.rank == 1].sum() / PEOPLE
    assert share == pytest.approx(0.3 * (1 - stay), abs=0.01)


def test_where_everybody_makes_one_trip_each_has_exactly_one(zones, tmp_path):
    town = twin(zones, TwinInputs(people=3_000, one_trip=True), tmp_path / "town")
    trips, facts = town.trips_by_person.all_days, town.metadata.scenario["twin"]
    assert (trips.rank == 1).all()
    assert trips.trip_count.sum() == 3_000 == count_trips(facts)
    assert "everybody makes one trip; 100% of people travel" in format_inputs(facts)
    del facts["one_trip"]  # as older twins have them
    assert count_trips(facts) == pytest.approx(5.6 * 3_000)
    assert "0.8 trips a person and day between zones; 90% of people" in format_inputs(facts)


def test_visits_are_at_home_by_night_and_away_by_day(town):
    visits = density.truth(town)
    assert visits.sum() / PEOPLE == pytest.approx(15, rel=0.06)
    hours = visits.reshape(6, 7, 24)[:, :5].sum(axis=1)
    night, noon = hours[:, 3] / hours[:, 3].sum(), hours[:, 14] / hours[:, 14].sum()
    homes = np.asarray(town.homes) / PEOPLE
    assert np.abs(night - homes).sum() < np.abs(noon - homes).sum()


@pytest.mark.parametrize("stated", [5.0, 50.0])
def test_visits_are_as_many_as_stated(zones, tmp_path, stated):
    inputs = TwinInputs(people=3_000, visits_a_week=stated)
    visits = density.truth(twin(zones, inputs, tmp_path / "town")).sum()
    assert visits / inputs.people == pytest.approx(stated, rel=0.06)


def test_metadata_hold_the_inputs_alone_and_the_same_make_the_same_bytes(zones, tmp_path):
    inputs = TwinInputs(people=1_000, days=3, sources={"people": "annual report"})
    town = twin(zones, inputs, tmp_path / "town")
    assert town.metadata.simulated
    described = json.loads(json.dumps(town.metadata.scenario["twin"]))
    assert described == inputs.to_json(6, 1000.0)
    assert "6 zones; 1,000 residents; 1,000 people (annual report)" in format_inputs(described)
    assert town.metadata.week is None, "three days hold no whole week"
    assert not (town.folder / "truth.parquet").exists()
    assert town.has_trips
    inputs = TwinInputs(people=200)
    versions = [twin(zones, inputs, tmp_path / str(i) / "town").folder.name for i in range(2)]
    other = twin(zones, replace(inputs, seed=2), tmp_path / "other" / "town").folder.name
    assert versions[0] == versions[1] != other


@pytest.mark.parametrize("change", [{}, {"days": 366}, {"trips_a_day": 50.0}, {"trips_a_day": 0}])
def test_what_is_simulated_at_once_stays_bounded(change):
    inputs = TwinInputs(people=10**6, **change)
    people = chunk_size(inputs)
    assert 1 <= people <= 100_000
    assert people * inputs.days * inputs.trips_a_day <= 1_000_000
    assert people * inputs.visits_a_week <= 5_000_000


REFUSED = tomllib.loads(Path(__file__).with_name("refused.toml").read_text("utf-8"))


@pytest.mark.parametrize("rule", REFUSED)
def test_what_is_outside_its_range_is_refused(rule):
    for change in REFUSED[rule]:
        with pytest.raises(ParameterError, match=rule):
            TwinInputs(**{"people": 10, **change})


def test_few_people_or_no_trips_are_clear_and_zones_without_any_refused(zones, tmp_path):
    inputs = TwinInputs(people=10)
    nobody = zones.assign(residents=0)
    negative = zones.assign(residents=[1, 2, -3, 4, 5, 6])
    with pytest.raises(InputError, match="above 0 in some"):
        twin(nobody, inputs, tmp_path / "t")
    with pytest.raises(InputError, match="zone c has"):
        twin(negative, inputs, tmp_path / "t")
    with pytest.raises(InputError, match=r"2 to 5,000 zones \(given: 1"):
        twin(zones.iloc[:1], inputs, tmp_path / "t")
    many = gpd.GeoDataFrame(geometry=[shapely.box(0, 0, 1, 1)] * 10_000, crs=4326)
    with pytest.raises(InputError, match="given: 10,000"):
        twin(many, inputs, tmp_path / "t")
    assert not (tmp_path / "t").exists()
    few = twin(zones, TwinInputs(people=3), tmp_path / "few")
    assert np.asarray(few.homes).sum() == 3
    still = twin(zones, TwinInputs(people=500, trips_a_day=0.0), tmp_path / "still")
    assert od.truth(still).sum() == 0


def test_the_command_reads_a_file_and_guesses_residents(zones, tmp_path, capsys):
    path = tmp_path / "zones.geojson"
    zones.rename(columns={"residents": "Population"}).to_file(path, driver="GeoJSON")
    read = read_twin_zones(path)
    assert list(read["residents"]) == list(RESIDENTS)
    with pytest.raises(InputError, match="there is no column 'souls'"):
        read_twin_zones(path, "souls")
    numbered = {"fid": range(6, 0, -1), "zone_id": range(1, 7)}
    zones.assign(**numbered)[["fid", *zones.columns]].to_file(path, driver="GeoJSON")
    assert list(read_twin_zones(path)["residents"]) == list(RESIDENTS), "by the ids of zones"
    out = tmp_path / "town"
    order = ["--zones", str(path), "--people", "400", "--out", str(out)]
    assert command.main([*order, "--source", "people=census", "--one-trip"]) == 0
    assert od.truth(datasets.load(str(out))).sum() == 400
    assert (out / "current").exists()
    with storage.lock_for_writing(out):
        assert command.main(order) == 2
    assert "being built by another" in capsys.readouterr().err
    overlapping = zones.copy()
    overlapping.geometry = [shapely.box(0, 0, 1, 1)] * 6
    overlapping.to_file(path, driver="GeoJSON")
    assert command.main(order) == 2
    assert "overlap" in capsys.readouterr().err


def test_places_without_zones_get_their_cells(tmp_path):
    path = tmp_path / "stations.csv"
    rows = [f"s{i},{20 + i / 100},{-103 + i * i / 500}" for i in range(6)]
    path.write_text("id,latitude,longitude\n" + "\n".join(rows) + "\n")
    town = twin(read_twin_zones(path), TwinInputs(people=300), tmp_path / "bikes")
    assert len(town.zones) == 6
    with pytest.raises(ExplorerError):
        read_twin_zones(tmp_path / "none.geojson")


groups = st.lists(st.integers(0, 6), max_size=60).map(lambda g: np.array(g, dtype=np.int64))


@given(groups)
def test_position_restarts_with_each_group(group):
    ordered = np.sort(group)
    position = position_within(ordered)
    expected = [int((ordered[:i] == value).sum()) for i, value in enumerate(ordered)]
    assert position.tolist() == expected


@given(mean=st.floats(3, 40), ratio=st.floats(0.6, 1.6), maximum=st.integers(600, 1200))
@settings(max_examples=25, deadline=None)
def test_heavy_tailed_has_the_moments_asked_for(mean, ratio, maximum):
    numbers = np.arange(1, maximum + 1)
    mass = np.diff(heavy_tailed_distribution(mean, ratio * mean, maximum), prepend=0.0)
    assert np.all(mass >= 0)
    assert mass.sum() == pytest.approx(1.0)
    assert mass @ numbers == pytest.approx(mean, rel=1e-4)
    spread = np.sqrt(mass @ numbers**2 - (mass @ numbers) ** 2)
    assert spread == pytest.approx(ratio * mean, rel=1e-4)


def test_rows_draw_from_their_own_distribution():
    rng = np.random.default_rng(6)
    weights = np.array([[0.0, 1.0, 3.0], [2.0, 0.0, 2.0]])
    rows = np.repeat([0, 1], 40_000)
    drawn = RowDistributions(weights).draw(rows, rng)
    for row, expected in enumerate(weights / weights.sum(axis=1, keepdims=True)):
        share = np.bincount(drawn[rows == row], minlength=3) / 40_000
        np.testing.assert_allclose(share, expected, atol=0.012)
